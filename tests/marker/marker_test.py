# SPDX-License-Identifier: BSD-3-Clause
"""The marks: what they need, what they cost, and that every language's and LIKWID's give the same regions."""

import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest

HERE = pathlib.Path(__file__).parent
MARKER = HERE.parents[1] / "harness" / "marker"
LIKWID = MARKER / "likwid"
LIKWID_EXAMPLES = pathlib.Path("/usr/share/likwid/examples")
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]
FORTRAN = [MARKER / "plumbline.f90", LIKWID / "likwid.f90"]


def need(program, package):
    path = shutil.which(program)
    if not path:
        pytest.skip(f"no {program} (Debian: {package})")
    return path


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=120, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def compiled(tmp_path, source, *flags, compiler="gcc", name="program"):
    run(need(compiler, compiler), "-O1", *flags, "-I", MARKER, "-I", HERE, source, "-o", tmp_path / name)
    return tmp_path / name


def regions(tmp_path, program, *options, **environment):
    """Regions as the tool reports them, by (name, thread); the program runs natively first."""
    run(program, env=dict(os.environ, **environment))
    if not os.environ.get("PLUMBLINE_VALGRIND"):
        pytest.skip("the Valgrind tool is not built")
    out = tmp_path / "counts.json"
    run(os.environ["PLUMBLINE_VALGRIND"], "-q", "--tool=plumbline", "--fair-sched=yes", *options, f"--out={out}", program,
        env=dict(os.environ, VALGRIND_LIB=os.environ["PLUMBLINE_VALGRIND_LIB"], LD_BIND_NOW="1", **environment))
    return {(one["name"], one["thread"]): one for one in json.loads(out.read_text())["regions"]}


def additions(found):
    return {name: (one["entries"], one["counts"]["flops.fp64.add"]) for (name, thread), one in found.items() if thread == 1}


OUTER_AND_INNER = {"outer": (2, 220), "inner": (2, 200)}


@pytest.mark.parametrize("compiler, flags", [("gcc", ["-std=c99"]), ("gcc", ["-std=c11"]), ("clang", ["-std=c17"]),
                                             ("g++", ["-xc++", "-std=c++11"]), ("clang++", ["-xc++", "-std=c++20"])])
def test_one_object_runs_natively_and_gives_regions_under_the_tool(tmp_path, compiler, flags):
    assert additions(regions(tmp_path, compiled(tmp_path, HERE / "marks.c", *STRICT, *flags, compiler=compiler))) == OUTER_AND_INNER


@pytest.mark.parametrize("compiler, flags", [("gcc", ["-std=c89"]), ("clang", ["-std=c89"]), ("g++", ["-xc++", "-std=c++98"]),
                                             ("clang++", ["-xc++", "-std=c++98"])])
def test_the_oldest_standards_take_the_header_without_a_warning(tmp_path, compiler, flags):
    source = tmp_path / "old.c"
    source.write_text('#include <plumbline.h>\nint main(void) {\n  PLUMBLINE_START("old");\n  PLUMBLINE_STOP("old");\n  return 0;\n}\n')
    found = regions(tmp_path, compiled(tmp_path, source, *STRICT, *flags, compiler=compiler))
    assert {name: one["entries"] for (name, _), one in found.items()} == {"old": 1}


def test_header_needs_no_other_and_no_library(tmp_path):
    needed = run("gcc", "-M", "-I", MARKER, HERE / "marks.c").stdout.split()
    assert sorted(pathlib.Path(one).name for one in needed if one.endswith(".h") and "stdc-predef" not in one) == ["additions.h", "plumbline.h"]
    # What a timed run loads is weak: without it the address is 0.
    run("gcc", "-O1", "-c", "-I", MARKER, HERE / "marks.c", "-o", tmp_path / "marks.o")
    undefined = dict(reversed(line.split()) for line in run("nm", "--undefined-only", tmp_path / "marks.o").stdout.splitlines())
    assert undefined.pop("_GLOBAL_OFFSET_TABLE_", "U") == "U" and undefined == {"plumbline_marked": "w"}


LISTENER = """#include <stdio.h>
void plumbline_marked(unsigned long request, const char* name) { fprintf(stderr, "%s %s\\n", request == 0x504C0005 ? "start" : "stop", name); }
"""


@pytest.mark.parametrize("flags", [(), ("-no-pie", "-fno-pie"), ("-O2", "-fno-plt"), ("-O2", "-flto"), ("-static",)])
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_marks_tell_a_library_that_is_loaded_however_the_program_is_linked(tmp_path, compiler, flags):
    (tmp_path / "listener.c").write_text(LISTENER)
    run("gcc", "-shared", "-fPIC", tmp_path / "listener.c", "-o", tmp_path / "listener.so")
    program = compiled(tmp_path, HERE / "marks.c", *flags, compiler=compiler)
    assert run(program).stderr == ""
    told = run(program, env=dict(os.environ, LD_PRELOAD=str(tmp_path / "listener.so"))).stderr
    once = ["start outer", "start inner", "stop inner", "stop outer"]
    assert told.splitlines() == ([] if "-static" in flags else 2 * once)


def test_a_mark_costs_some_twenty_instructions(tmp_path):
    source = tmp_path / "one.c"
    source.write_text('#include <plumbline.h>\nvoid marked(void) { PLUMBLINE_START("one"); }\n')
    run("gcc", "-O2", "-c", "-I", MARKER, source, "-o", tmp_path / "one.o")
    code = run("objdump", "-d", "--no-show-raw-insn", tmp_path / "one.o").stdout
    instructions = re.findall(r"^\s+[0-9a-f]+:\s+(\w+)", code.split("\tret")[0], re.MULTILINE)
    executed = [one for one in instructions if not one.startswith(("nop", "endbr", "cs", "data16"))]
    print(f"{len(executed)} instructions")
    assert 6 <= len(executed) <= 24
    assert "call" not in executed


def test_scope_ends_its_region_even_by_an_exception(tmp_path):
    assert additions(regions(tmp_path, compiled(tmp_path, HERE / "scopes.cpp", *STRICT, compiler="g++"))) == {"scope": (2, 111)}


def test_cold_region_reads_from_memory_what_a_warm_one_has_in_cache(tmp_path):
    found = regions(tmp_path, compiled(tmp_path, HERE / "cold.c", *STRICT))
    warm, cold = (found[(name, 1)]["counts"]["bytes.L3-mem.demand_read"] for name in ("warm", "cold"))
    assert warm == 0
    assert 512 * 64 <= cold <= 512 * 64 + 4 * 64  # and the line or two of its stack


def fortran(tmp_path, source, *flags):
    gfortran = need("gfortran", "gfortran")
    run("gcc", "-O1", *STRICT, "-c", MARKER / "plumbline_fortran.c", "-o", tmp_path / "plumbline_fortran.o")
    run(gfortran, "-O1", "-Wall", "-Wno-unused-dummy-argument", "-Werror", *flags, "-J", tmp_path, *FORTRAN, source, tmp_path / "plumbline_fortran.o", "-o", tmp_path / "program")
    return tmp_path / "program"


def test_fortran_module_gives_the_same_regions(tmp_path):
    assert additions(regions(tmp_path, fortran(tmp_path, HERE / "marks.f90", "-std=f2008"))) == OUTER_AND_INNER


def test_fortrans_cold_region_reads_from_memory(tmp_path):
    found = regions(tmp_path, fortran(tmp_path, HERE / "cold.f90", "-std=f2008"))
    warm, cold = (found[(name, 1)]["counts"]["bytes.L3-mem.demand_read"] for name in ("warm", "cold"))
    assert warm == 0
    assert cold >= 512 * 64


def test_likwids_macros_give_the_same_regions(tmp_path):
    program = compiled(tmp_path, HERE / "likwid_marks.c", *STRICT, "-I", LIKWID, "-DLIKWID_PERFMON")
    assert additions(regions(tmp_path, program)) == OUTER_AND_INNER


def test_likwids_macros_do_nothing_where_likwids_own_do_nothing(tmp_path):
    program = compiled(tmp_path, HERE / "likwid_marks.c", *STRICT, "-I", LIKWID)
    assert regions(tmp_path, program) == {}


def test_the_program_marked_for_likwid_is_one_that_likwid_accepts(tmp_path):
    if not pathlib.Path("/usr/include/likwid-marker.h").exists():
        pytest.skip("LIKWID's header is not installed (Debian: likwid)")
    run(compiled(tmp_path, HERE / "likwid_marks.c", *STRICT, "-DLIKWID_PERFMON", "-Wl,--no-as-needed", "-llikwid"))


def likwid_example(tmp_path, name):
    """LIKWID's own example; its pauses of two seconds are left out."""
    source = LIKWID_EXAMPLES / name
    if not source.exists():
        pytest.skip(f"{source} is not installed (Debian: likwid)")
    text = source.read_text()
    assert "#define SLEEPTIME 2" in text
    (tmp_path / name).write_text(text.replace("#define SLEEPTIME 2", "#define SLEEPTIME 0"))
    return tmp_path / name


def test_likwids_own_c_example_needs_no_change(tmp_path):
    program = compiled(tmp_path, likwid_example(tmp_path, "C-markerAPI.c"), "-fopenmp", "-I", LIKWID, "-DLIKWID_PERFMON")
    found = regions(tmp_path, program, OMP_NUM_THREADS="2")
    assert {key: one["entries"] for key, one in found.items()} == {("example", 1): 10, ("example", 2): 10}


def test_likwids_own_fortran_example_needs_no_change(tmp_path):
    program = fortran(tmp_path, likwid_example(tmp_path, "F-markerAPI.F90"), "-fopenmp", "-Wno-error")
    found = regions(tmp_path, program, OMP_NUM_THREADS="2")
    assert {key: one["entries"] for key, one in found.items()} == {("example", 1): 1, ("example", 2): 1}
