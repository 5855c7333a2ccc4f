# SPDX-License-Identifier: BSD-3-Clause
"""plumbline profile --count-only from outside: what it counts, what it leaves to the program, and what it says when it cannot."""

import json
import os
import pathlib
import re
import signal
import stat
import subprocess
import time

import pytest

PLUMBLINE = os.environ["PLUMBLINE_PROGRAM"]
HERE = pathlib.Path(__file__).parent
ROOT = HERE.parents[1]
BELOW_L1 = ("L2", "L3", "mem")


def run(*words, **options):
    environment = dict(os.environ, **options.pop("environment", {}))
    return subprocess.run([str(word) for word in words], env=environment, capture_output=True, text=True, timeout=120, **options)


def compiled(tmp_path, source, *flags):
    program = tmp_path / pathlib.Path(source).stem
    done = run("gcc", "-O1", "-g", *flags, "-I", ROOT / "harness" / "marker", source, "-o", program)
    assert done.returncode == 0, done.stderr
    return program


def profile(tmp_path, *words, before=(), code=0, options=(), **more):
    """The document that -o writes, and how it ended."""
    out = tmp_path / "profile.json"
    done = run(*before, PLUMBLINE, "profile", "--count-only", "-o", out, *options, "--", *words, **more)
    assert done.returncode == code, done.stdout + done.stderr
    return json.loads(out.read_text()), done


def refused(*words, code=2, **more):
    """The one line that is said."""
    done = run(PLUMBLINE, "profile", "--count-only", *words, **more)
    assert done.returncode == code, done.stderr
    (line,) = done.stderr.strip().splitlines()
    assert line.startswith("plumbline: ")
    return line


def rows(document, kind):
    return [row for row in document["rows"] if row["kind"] == kind]


def total(document):
    (row,) = rows(document, "total")
    return row


def test_regions_functions_and_total_are_counted_exactly(tmp_path):
    document, done = profile(tmp_path, compiled(tmp_path, ROOT / "tests/marker/marks.c"), options=["--functions=3"])
    assert document["schema"] == "plumbline-profile/1"
    assert total(document)["flops"] == total(document)["counts"]["flops.fp64.add"] == 2220
    assert {row["name"]: (row["entries"], row["flops"]) for row in rows(document, "region")} == {"outer": (2, 220), "inner": (2, 200)}
    (first, *_) = rows(document, "function")
    assert (first["name"], pathlib.Path(first["object"]).name, first["flops"]) in [(name, "marks", 2220) for name in ("main", "add")]
    assert "Counted: " in done.stderr and "inner" in done.stderr
    assert done.stdout == ""


def test_an_intensity_is_the_flops_over_the_bytes_of_its_boundary(tmp_path):
    document, _ = profile(tmp_path, compiled(tmp_path, ROOT / "tests/marker/marks.c"))
    row = total(document)
    for name, level in row["levels"].items():
        crossing = sum(n for event, n in row["counts"].items() if event.startswith(f"bytes.{level['boundary']}."))
        assert level["bytes"] == crossing > 0
        assert level["ai"] == pytest.approx(row["flops"] / crossing)


def test_without_caches_their_bytes_are_absent_not_zero(tmp_path):
    document, _ = profile(tmp_path, "true", options=["--caches=no"])
    assert all(total(document)["levels"][name]["bytes"] is None for name in BELOW_L1)
    assert total(document)["levels"]["L1"]["bytes"] > 0
    assert document["caches"] is None


def test_forked_and_executed_programs_are_counted_once(tmp_path):
    document, _ = profile(tmp_path, compiled(tmp_path, HERE / "chain.c"))
    assert total(document)["flops"] == 1 + 10 + 100 + 1000
    assert total(document)["processes"] == 2
    assert total(document)["threads"] == 2
    assert sorted(row["flops"] for row in rows(document, "process")) == [10, 100, 1001]


def test_threads_are_those_that_ran_and_entered(tmp_path):
    """Neither what a forked child knows of its parent, nor the next program of a process, is another thread."""
    document, _ = profile(tmp_path, compiled(tmp_path, HERE / "threads.c", "-pthread"), options=["--caches=no"])
    assert (total(document)["processes"], total(document)["threads"]) == (4, 5)
    entered = {row["name"]: (row["entries"], row["processes"], row["threads"]) for row in rows(document, "region")}
    assert entered == {"before": (2, 1, 2), "around": (4, 4, 4)}
    alone, _ = profile(tmp_path, "nice", "env", "-i", "/bin/true", options=["--caches=no"])
    assert (total(alone)["processes"], total(alone)["threads"], len(rows(alone, "process"))) == (1, 1, 3)


def test_the_program_keeps_its_streams_and_its_exit_code(tmp_path):
    document, done = profile(tmp_path, "sh", "-c", "read line; echo got $line; exit 7", input="a line\n", code=7)
    assert done.stdout == "got a line\n"
    assert "the program ended with exit 7" in done.stderr
    assert total(document)["instructions"] > 0


def test_a_signal_ends_the_program_and_its_number_is_told(tmp_path):
    _, done = profile(tmp_path, "sh", "-c", "kill -SEGV $$", code=128 + signal.SIGSEGV)
    assert "killed by signal 11" in done.stderr


def test_a_signal_to_the_wrapper_reaches_the_program(tmp_path):
    ready = tmp_path / "ready"
    wrapper = subprocess.Popen([PLUMBLINE, "profile", "--count-only", "--", "sh", "-c", f"trap 'exit 5' TERM; touch {ready}; while :; do :; done"],
                               stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while not ready.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    wrapper.terminate()
    _, said = wrapper.communicate(timeout=60)
    assert wrapper.returncode == 5, said
    assert "Counted: " in said


def test_nothing_is_left_in_the_folder_for_temporary_files(tmp_path):
    profile(tmp_path, "true", environment={"TMPDIR": str(tmp_path)})
    assert [file.name for file in tmp_path.iterdir()] == ["profile.json"]


def test_unmatched_marks_are_told(tmp_path):
    document, _ = profile(tmp_path, compiled(tmp_path, HERE / "unmatched.c"))
    assert any("'never ended' was still open" in note for note in document["notes"])
    assert any('"never begun" ends without having begun' in note for note in document["notes"])


def test_a_program_for_avx512_is_refused_with_function_and_remedy(tmp_path):
    line = refused("--", compiled(tmp_path, HERE / "wide.c"))
    assert "AVX-512 instruction in wide (" in line
    assert "-march=x86-64-v3" in line and "OPENBLAS_CORETYPE=Haswell" in line


def test_an_instruction_that_is_invalid_natively_is_the_programs_own_fault(tmp_path):
    source = tmp_path / "trap.c"
    source.write_text("int main(void) { __builtin_trap(); }\n")
    document, done = profile(tmp_path, compiled(tmp_path, source), code=128 + signal.SIGILL)
    assert "killed by signal 4" in done.stderr
    assert any("invalid instruction of its own in main" in note for note in document["notes"])


def assembled(tmp_path, instruction, operands=""):
    source = tmp_path / "instruction.c"
    source.write_text(f'static const unsigned long v = 5;\nint main(void) {{ unsigned long r = v; __asm__ volatile("{instruction}"{operands}); return r == 0; }}\n')
    return compiled(tmp_path, source)


@pytest.mark.parametrize("instruction, begins", [("fnop", "0xD9 0xD0"), (".byte 0xC5, 0x79, 0xD6, 0xEE", "0xC5 0x79 0xD6 0xEE")])
def test_an_instruction_that_valgrind_lacks_is_told_as_such(tmp_path, instruction, begins):
    line = refused("--", assembled(tmp_path, instruction))
    assert f"begins {begins}" in line and "in main (" in line and "Valgrind itself does not know" in line
    assert "-march=x86-64-v2" in line and "AVX-512" not in line


def test_where_valgrind_itself_fails_the_program_is_not_blamed(tmp_path):
    """Valgrind 3.19 loses its way behind a rorx whose operand is relative to rip."""
    program = assembled(tmp_path, "rorx $3, %1, %0", ' : "=r"(r) : "m"(v)')
    out = tmp_path / "profile.json"
    done = run(PLUMBLINE, "profile", "--count-only", "--caches=no", "-o", out, "--", program)
    if done.returncode == 0:
        pytest.skip("this Valgrind translates it")
    assert done.returncode == 2
    (line,) = done.stderr.strip().splitlines()
    assert "Valgrind itself failed at main (" in line and "disInstr" in line and "-march=x86-64-v2" in line
    assert not out.exists()
    document, done = profile(tmp_path, "sh", "-c", f"{program}; true", options=["--caches=no"], code=1)
    assert any("has no counts: Valgrind itself failed at main (" in note for note in document["notes"])
    assert total(document)["instructions"] > 0


@pytest.mark.parametrize("caches", ["machine", "fully associative L1"])
def test_memory_is_simulated_wherever_it_is_mapped(tmp_path, caches):
    """Pages all over the 47 bits of user space, which fall into the same sets and agree in the lower bits of their tags, cost what they
    cost side by side: every line comes in once."""
    path = tmp_path / "caches.toml"
    path.write_text(HEAD + LEVEL.format("l1", 32768, 512, 64))
    program = compiled(tmp_path, HERE / "high.c")
    found = {}
    for where in ("high", "near"):  # of one length: the stack begins where it begins
        document, _ = profile(tmp_path, program, where, options=[] if caches == "machine" else [f"--caches={path}"])
        found[where] = {row["name"]: row["levels"]["L2"]["bytes"] for row in rows(document, "region")}
    lines = {where: regions["first"] // 64 for where, regions in found.items()}
    of_stack = 0 if caches != "machine" else 4  # where its few lines lie follows from the environment's size: some may share a full set
    assert min(lines.values()) >= 64 and abs(lines["high"] - lines["near"]) <= of_stack, found
    assert max(regions["again"] for regions in found.values()) < 64 * 8, found


def test_reuse_distances_tell_what_a_simulation_tells(tmp_path):
    """The bytes of regions in which size decides; those in which sets do are named."""
    path = tmp_path / "caches.toml"
    path.write_text(HEAD + LEVEL.format("l1", 32768, 8, 64) + LEVEL.format("l2", 524288, 8, 64) + LEVEL.format("l3", 8388608, 16, 64))
    program = compiled(tmp_path, ROOT / "tests/emulator/reuse_patterns.c")
    simulated, _ = profile(tmp_path, program, options=[f"--caches={path}"])
    placed, done = profile(tmp_path, program, options=[f"--caches=reuse:{path}"])
    assert "placed from reuse distances" in placed["caches"] and "placed from reuse distances" in done.stderr
    bytes_of = [{row["name"]: {level: row["levels"][level]["bytes"] for level in BELOW_L1} for row in rows(document, "region")}
                for document in (simulated, placed)]
    for region in ("small sweeps", "large sweep", "random reads", "skewed reads", "stencil"):
        for level in BELOW_L1:
            assert bytes_of[1][region][level] == pytest.approx(bytes_of[0][region][level], rel=0.02, abs=64000), (region, level)
    assert total(placed)["levels"]["L2"]["bytes"] >= sum(region["L2"] for region in bytes_of[1].values())
    notes = [note for note in placed["notes"] if "fall into few sets" in note]
    assert any("columns (L1" in note for note in notes) and not any("sweep" in note or "random" in note for note in notes)


def stripped_library(tmp_path, *flags):
    """The library of hidden.c, a program that calls it, and where its functions were before it was stripped."""
    library, program = tmp_path / "libhidden.so", tmp_path / "hidden"
    for words in (["-shared", "-fPIC", *flags, HERE / "hidden.c", "-o", library],
                  ["-DPROGRAM", HERE / "hidden.c", "-L", tmp_path, "-lhidden", f"-Wl,-rpath,{tmp_path}", "-o", program]):
        done = run("gcc", "-O1", "-fno-toplevel-reorder", *words)
        assert done.returncode == 0, done.stderr
    place = {name: int(address, 16) for address, _, name in (line.split() for line in run("nm", "--defined-only", library).stdout.splitlines())}
    assert run("strip", library).returncode == 0 and run("nm", library).stdout == ""
    return library, program, place


def flops_by_function(document, library):
    return {row["name"]: row["flops"] for row in rows(document, "function") if row["object"] == str(library) and row["flops"]}


EXPORTED = "visible_to_all_who_link_this_and_long_"


def test_functions_of_a_stripped_library_are_told_apart(tmp_path):
    library, program, place = stripped_library(tmp_path)
    document, done = profile(tmp_path, program, options=["--functions=1000000", "--caches=no"])
    behind = {name: f"+{place[name] - place[EXPORTED]:#x}" for name in ("first", "second")}
    assert flops_by_function(document, library) == {
        f"libhidden.so+{place['before']:#x}": 10, EXPORTED: 100, EXPORTED + behind["first"]: 1000, EXPORTED + behind["second"]: 10000}
    for offset in behind.values():
        assert any(re.match(rf"visible_to_all\w*\.\.\.{re.escape(offset)} ", line) for line in done.stderr.splitlines()), done.stderr
    assert not [row for row in rows(document, "function") if row["name"] == "???" and row["object"] != "???"]


def test_without_a_table_of_them_functions_descriptions_tell_them_apart(tmp_path):
    library, program, place = stripped_library(tmp_path, "-Wl,--no-eh-frame-hdr")
    document, _ = profile(tmp_path, program, options=["--functions=1000000", "--caches=no"])
    hidden = {f"libhidden.so+{place[name]:#x}": flops for name, flops in {"before": 10, "first": 1000, "second": 10000}.items()}
    assert flops_by_function(document, library) == {EXPORTED: 100, **hidden}


def test_without_descriptions_functions_of_a_stripped_library_are_told_apart_by_page(tmp_path):
    library, program, place = stripped_library(tmp_path, "-Wl,--no-eh-frame-hdr", "-fno-asynchronous-unwind-tables")
    document, _ = profile(tmp_path, program, options=["--functions=1000000", "--caches=no"])
    by_page = {EXPORTED: 100}
    for name, flops in {"before": 10, "first": 1000, "second": 10000}.items():
        page = f"libhidden.so+{place[name] // 4096 * 4096:#x}"
        by_page[page] = by_page.get(page, 0) + flops
    assert flops_by_function(document, library) == by_page


def test_a_mark_without_a_name_marks_nothing_and_is_told(tmp_path):
    source = tmp_path / "nameless.c"
    source.write_text("#include <plumbline.h>\n"
                      "static char endless[10000];\n"
                      "int main(void) {\n"
                      "  for (int i = 0; i < 10000; i++) endless[i] = 'x';\n"
                      "  PLUMBLINE_START((char*)8);\n  PLUMBLINE_START((char*)0);\n  PLUMBLINE_START(endless);\n"
                      "  PLUMBLINE_START(endless + 9000);\n  PLUMBLINE_STOP(endless + 9000);\n  PLUMBLINE_STOP((char*)-8);\n  return 0;\n}\n")
    document, _ = profile(tmp_path, compiled(tmp_path, source), options=["--caches=no"])
    assert [(row["name"], row["entries"]) for row in rows(document, "region")] == [("x" * 1000, 1)]
    assert len([note for note in document["notes"] if "has no readable name" in note]) == 4


def file_of(tmp_path, content, mode=0o755):
    path = tmp_path / "program"
    path.write_bytes(content)
    path.chmod(mode)
    return path


def elf(bits, machine):
    return b"\x7fELF" + bytes([bits, 1, 1]) + bytes(9) + b"\x02\x00" + machine.to_bytes(2, "little") + bytes(44)


@pytest.mark.parametrize(
    "content, mode, words",
    [
        (elf(1, 3), 0o755, "32-bit"),
        (elf(2, 183), 0o755, "another kind of processor than x86-64"),
        (elf(2, 62), 0o644, "not executable"),
        (elf(2, 62), 0o4755, "set-uid"),
        (b"echo hello\n", 0o755, "neither a program (ELF) nor a script"),
        (b"#!/nonexistent/shell\n", 0o755, "interpreter /nonexistent/shell is not there"),
        (b"#!\n", 0o755, "names no interpreter"),
    ],
)
def test_a_file_that_cannot_be_run_is_one_clear_line(tmp_path, content, mode, words):
    path = file_of(tmp_path, content, mode)
    assert stat.S_IMODE(path.stat().st_mode) == mode
    line = refused("--", path)
    assert words in line and str(path) in line


def test_names_that_are_no_programs_are_one_clear_line(tmp_path):
    assert "was not found on PATH" in refused("--", "no-such-program")
    assert "No such file" in refused("--", "./no-such-program")
    assert "is a directory" in refused("--", tmp_path)
    assert "needs a program" in refused()


def test_a_script_is_counted_with_what_it_starts(tmp_path):
    program = compiled(tmp_path, ROOT / "tests/marker/marks.c")
    document, _ = profile(tmp_path, file_of(tmp_path, f"#!/bin/sh\n{program}\n{program}\n".encode()))
    assert total(document)["flops"] == 2 * 2220
    assert total(document)["processes"] == 3


def test_a_launcher_is_refused_with_the_right_order():
    if not os.environ.get("PLUMBLINE_TEST_MPIEXEC"):
        pytest.skip("no launcher was found when this tree was configured")
    launcher = os.environ["PLUMBLINE_TEST_MPIEXEC"]
    assert f"'{launcher} -n 4 plumbline profile --count-only -- program args'" in refused("--", launcher, "-n", "2", "ls")


@pytest.mark.parametrize("way, option", [
    ("--gpu", "--caches=reuse"), ("--gpu", "--sampling=timer"), ("--gpu", "--avx2"), ("--time-only", "--caches=reuse"), ("--window=1s:2s", "--caches=reuse"),
    ("--count-only", "--sampling=timer"), ("--count-only", "--roofs=measure"), ("--time-only", "--launches=3"),
])
def test_an_option_that_would_do_nothing_is_refused(tmp_path, way, option):
    done = run(PLUMBLINE, "profile", way, option, "--", "touch", tmp_path / "ran")
    name, where = option.split("=")[0], "--gpu alone" if "launches" in option else way.split("=")[0]
    assert done.returncode == 2 and not (tmp_path / "ran").exists() and done.stdout == ""
    assert re.fullmatch(f"plumbline: {name} (says|is) [^:]+: it .*{where}.*\n", done.stderr), done.stderr


def test_no_and_auto_ask_for_nothing_and_go_with_all_ways():
    done = run(PLUMBLINE, "profile", "--count-only", "--caches=no", "--roofs=no", "--sampling=auto", "--", "true")
    assert done.returncode == 0, done.stderr


def test_without_valgrind_the_remedy_is_told(tmp_path):
    (tmp_path / "true").symlink_to("/bin/true")
    assert "install the package valgrind" in refused("--", "true", environment={"PATH": str(tmp_path)})


LEVEL = "[{}]\nsize_bytes = {}\nways = {}\nline_bytes = {}\n"
HEAD = 'schema = "plumbline-geometry/1"\n'


@pytest.mark.parametrize(
    "text, words",
    [
        ("", 'begins with schema = "plumbline-geometry/1"'),
        ("schema = ", ":1: "),
        (HEAD, "[l1] is missing"),
        (HEAD + "l1 = 5\n", ":2: [l1] must be a table"),
        (HEAD + LEVEL.format("l1", 32768, 8, 48), "line_bytes must be a power of two"),
        (HEAD + LEVEL.format("l1", 1000, 8, 64), "multiple of ways x line_bytes"),
        (HEAD + LEVEL.format("l1", 112, 7, 16), "[l1]: a way (size_bytes / ways) must have at least 32 bytes"),
        (HEAD + LEVEL.format("l1", -1, 8, 64), ":3: size_bytes in [l1] must be a positive whole number"),
        (HEAD + "[l1]\nsize_bytes = 32768\nways = 8\n", "[l1] lacks line_bytes"),
        (HEAD + "[l1]\nsize = 32768\n", "there is no key 'size' in [l1]"),
        (HEAD + LEVEL.format("l1", 32768, 8, 64) + LEVEL.format("l2", 1 << 20, 8, 128), "same line_bytes"),
        (HEAD + LEVEL.format("l1", 32768, 8, 64) + LEVEL.format("l3", 1 << 20, 8, 64), "[l3] without [l2]"),
        (None, "cannot read the cache geometry"),
    ],
)
def test_a_bad_geometry_is_one_clear_line(tmp_path, text, words):
    path = tmp_path / "caches.toml"
    if text is not None:
        path.write_text(text)
    line = refused(f"--caches={path}", "--", "true")
    assert words in line and "caches.toml" in line


@pytest.mark.parametrize("name", sorted(path.stem for path in (ROOT / "harness/profile/geometries").glob("*.toml")))
def test_each_geometry_that_comes_along_is_taken(tmp_path, name):
    document, _ = profile(tmp_path, "true", options=[f"--caches={name}"])
    assert "L1 " in document["caches"] and "L3 " in document["caches"]
    assert total(document)["levels"]["mem"]["bytes"] > 0


def test_a_smaller_cache_misses_more(tmp_path):
    large, _ = profile(tmp_path, "ls", "/")
    small, _ = profile(tmp_path, "ls", "/", options=["--caches=amd-interlagos"])
    assert total(small)["levels"]["L2"]["bytes"] > total(large)["levels"]["L2"]["bytes"]


MPIS = {"mpich": ("PLUMBLINE_TEST_MPICC", "PLUMBLINE_TEST_MPIEXEC", "MPICH (mpicc.mpich, mpiexec.mpich)", []),
        "openmpi": ("PLUMBLINE_TEST_OPENMPI_MPICC", "PLUMBLINE_TEST_OPENMPI_MPIRUN", "Open MPI (mpicc.openmpi, mpirun.openmpi)",
                    ["--allow-run-as-root", "--oversubscribe"])}


def mpi_program(tmp_path, mpi="mpich"):
    compiler, _, names, _ = MPIS[mpi]
    if compiler not in os.environ:
        pytest.skip(f"no {names} was found when this tree was configured")
    program = tmp_path / "ranks"
    done = run(os.environ[compiler], "-O1", "-I", ROOT / "harness/marker", HERE / "ranks.c", "-o", program)
    assert done.returncode == 0, done.stderr
    return program


def launching(mpi, ranks):
    _, launcher, _, options = MPIS[mpi]
    return [os.environ.get(launcher), *options, "-n", str(ranks)]


@pytest.mark.parametrize("mpi, ranks", [("mpich", 3), ("openmpi", 2)])
def test_ranks_are_counted_apart_and_merged_into_one_table(tmp_path, mpi, ranks):
    program = mpi_program(tmp_path, mpi)
    document, done = profile(tmp_path, program, before=launching(mpi, ranks), environment={"TMPDIR": str(tmp_path)})
    assert done.stdout == f"{ranks} ranks\n"
    assert done.stderr.count("Counted: ") == 1
    (work,) = rows(document, "region")
    assert (work["flops"], work["entries"], work["ranks"], work["processes"]) == (sum(100 * (rank + 1) for rank in range(ranks)), ranks, ranks, ranks)
    found = rows(document, "rank")
    assert [row["rank"] for row in found] == list(range(ranks))
    for event, value in total(document)["counts"].items():
        of_ranks = [row["counts"][event] for row in found]
        assert value == (None if None in of_ranks else sum(of_ranks)), event
        assert of_ranks.count(None) in (0, ranks) and (value is not None or event == "core_cycles"), (event, of_ranks)
    assert not [file.name for file in tmp_path.iterdir() if file.name.startswith("plumbline-profile")]
    if ranks == 2 and "L3" in document["caches"] and not any("has no L3" in note for note in document["notes"]):  # they share it
        assert "each rank has one part in 2" in document["caches"] or os.cpu_count() > 2


@pytest.mark.parametrize("mpi", ["mpich", pytest.param("openmpi", marks=pytest.mark.whole)])
def test_one_process_without_a_launcher_is_a_world_of_its_own(tmp_path, mpi):
    document, done = profile(tmp_path, mpi_program(tmp_path, mpi))
    assert done.stdout == "1 ranks\n"
    (work,) = rows(document, "region")
    assert (work["flops"], work["entries"], work["ranks"]) == (100, 1, 1)
    assert total(document)["levels"]["mem"]["bytes"] > 0


def test_one_of_many_ranks_tells_a_fault_of_all(tmp_path):
    mpi_program(tmp_path)
    done = run(os.environ["PLUMBLINE_TEST_MPIEXEC"], "-n", "2", PLUMBLINE, "profile", "--count-only", "--", "no-such-program")
    assert done.returncode != 0
    assert (done.stdout + done.stderr).count("was not found on PATH") == 1


def test_a_rank_that_says_nothing_is_missed_by_name(tmp_path):
    document, _ = profile(tmp_path, "true", code=1, options=[f"--counts={tmp_path / 'counts'}", "--wait=0.1"],
                          environment={"PMI_SIZE": "2", "PMI_RANK": "0"})
    assert any("1 of 2 ranks are missing (first: rank 1)" in note for note in document["notes"])
    assert any(file.name.endswith(".json") for file in (tmp_path / "counts").iterdir())


def test_a_launch_that_cannot_be_told_from_others_wants_a_folder():
    line = refused("--", "true", environment={"OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_RANK": "0"})
    assert "--counts=DIR" in line


@pytest.mark.parametrize(
    "words, told",
    [
        (["--functions=-1"], "--functions: '-1' is not a whole number from 0 to 1000000"),
        (["--functions=99999999999999999999"], "is not a whole number"),
        (["--functions=3.5"], "is not a whole number"),
        (["--wait=abc"], "--wait: 'abc' is not a number of seconds from 0 to 1000000000"),
        (["--wait=nan"], "is not a number of seconds"),
        (["--wait=-1"], "is not a number of seconds"),
        (["--caches="], "--caches: it wants auto, no, reuse, or a geometry"),
        (["-o"], "--output: it wants the name of a file"),
        (["--caches=foo"], "auto, no, a TOML file, or one of amd-interlagos, "),
    ],
)
def test_an_option_of_a_wrong_value_is_one_clear_line(tmp_path, words, told):
    line = refused(*words, "--", "touch", "ran", cwd=tmp_path)
    assert told in line and len(line) < 250
    assert not list(tmp_path.iterdir())


def test_a_folder_for_temporary_files_that_is_none_is_told_with_its_name():
    line = refused("--", "true", environment={"TMPDIR": "/nonexistent"})
    assert "TMPDIR names '/nonexistent'" in line and "set it to" in line


def test_an_empty_name_is_told_as_such():
    assert "the program's name is empty" in refused("--", "")


def test_secrets_of_the_command_line_are_not_kept(tmp_path):
    words = ["--password=hunter2", "--token", "hunter3", "https://u:hunter5@h/", "Authorization: Bearer hunter6"]
    document, _ = profile(tmp_path, "true", *words, options=["--caches=no"])
    assert "hunter" not in (tmp_path / "profile.json").read_text()
    assert document["command"][1:4] == ["--password=(left out)", "--token", "(left out)"]


def test_words_are_quoted_and_names_stay_on_their_line(tmp_path):
    source = tmp_path / "odd name é.c"
    source.write_text('#include <plumbline.h>\nint main(void) { PLUMBLINE_START("two\\nlines"); PLUMBLINE_STOP("two\\nlines"); PLUMBLINE_START("open\\nend"); return 0; }\n')
    words = ["a b", "", "it's", "a\nline", "back\\slash\t", "--plain=x"]
    document, done = profile(tmp_path, compiled(tmp_path, source), *words, options=["--caches=no"])
    assert document["command"][1:] == words
    (head,) = [line for line in done.stderr.splitlines() if line.startswith("Counted: ")]
    typed = run("bash", "-c", f"printf '%s|' {head.removeprefix('Counted: ')}").stdout
    assert typed == "|".join([str(tmp_path / "odd name é"), *words]) + "|"
    assert any(line.startswith("two\\nlines ") for line in done.stderr.splitlines())
    assert "note: region 'open\\nend' was still open" in done.stderr
    assert {row["name"] for row in rows(document, "region")} == {"two\nlines", "open\nend"}


def test_an_output_that_cannot_be_written_is_told_before_the_program_runs(tmp_path):
    assert "cannot write /nonexistent/a.json" in refused("-o", "/nonexistent/a.json", "--", "touch", tmp_path / "ran", code=1)
    assert not (tmp_path / "ran").exists()


def test_json_takes_the_place_of_the_tables(tmp_path):
    done = run(PLUMBLINE, "profile", "--count-only", "--json", "--", "true")
    assert json.loads(done.stderr)["schema"] == "plumbline-profile/1"
