# SPDX-License-Identifier: BSD-3-Clause
"""The tool from outside: options, the JSON report, MPI start-up, and cachegrind as a second opinion."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import pytest

VALGRIND = os.environ["PLUMBLINE_VALGRIND"]
VALGRIND_LIB = os.environ["PLUMBLINE_VALGRIND_LIB"]
PROGRAMS = os.environ["PLUMBLINE_TEST_PROGRAMS"]


def program(name):
    return os.path.join(PROGRAMS, name)


def environment():
    return dict(os.environ, VALGRIND_LIB=VALGRIND_LIB, LD_BIND_NOW="1")


def tool_command(*arguments):
    return [VALGRIND, "-q", "--tool=plumbline", "--fair-sched=yes", *arguments]


def run(*command, **options):
    return subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=120, **options)


def report(tmp_path, name, *options):
    out = tmp_path / "counts.json"
    done = run(*tool_command(*options, f"--out={out}", program(name)))
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return json.loads(out.read_text())


def test_a_fault_of_valgrinds_translation_is_mended_or_told(tmp_path):
    """A scalar FMA keeps the upper part of its register. Where the linker could not hand over the calls in which that is mended, a Valgrind
    that clears it says so; one that keeps it has nothing to say."""
    needs_no_word = run(*tool_command("--caches=no", program("upper_part")))
    assert (needs_no_word.stdout, needs_no_word.stderr) == ("7 5\n", "")
    for file in os.scandir(VALGRIND_LIB):
        os.symlink(file.path, tmp_path / file.name)
    (tmp_path / "plumbline-amd64-linux").unlink()
    (tmp_path / "plumbline-amd64-linux").symlink_to(program("unmended_emulator"))
    done = subprocess.run(tool_command("--caches=no", program("upper_part")), env=environment() | {"VALGRIND_LIB": str(tmp_path)},
                          capture_output=True, text=True, timeout=120)
    told = "this Valgrind clears the upper part of a register in scalar fused multiply-adds, and could not be mended"
    assert done.returncode == 0 and (done.stdout == "7 5\n") == (told not in done.stderr), (done.stdout, done.stderr)
    assert done.stderr.count("\n") <= 1


def test_marked_regions_are_summed_by_name_and_thread(tmp_path):
    regions = report(tmp_path, "marked_program")["regions"]
    found = {(r["name"], r["thread"]): r for r in regions}
    assert {name for name, _ in found} == {"additions", 'a "quoted" name'}
    first, second = found[("additions", 1)], found[("additions", 2)]
    assert (first["entries"], first["counts"]["flops.fp64.add"]) == (3, 30)
    assert (second["entries"], second["counts"]["flops.fp64.add"]) == (1, 100)
    assert found[('a "quoted" name', 1)]["counts"]["fp_instructions"] == 0
    assert not any(r["open"] for r in regions)


@pytest.mark.parametrize("option", ["--caches=no", "--caches=yes"])
def test_a_handler_may_mend_a_fault_and_return_and_the_tool_says_what_that_costs(option):
    assert run(program("faults"), "5").stdout == ""
    done = run(*tool_command(option, program("faults"), "5"))
    assert (done.returncode, done.stdout) == (0, "")
    (line,) = done.stderr.strip().splitlines()
    assert "5 faults" in line and "not counted" in line


def test_marked_program_runs_natively():
    assert run(program("marked_program")).returncode == 0


def test_total_is_the_sum_of_threads(tmp_path):
    counts = report(tmp_path, "marked_program", "--core=yes")
    for event, total in counts["total"].items():
        assert total == sum(t["counts"][event] for t in counts["threads"]), event
    assert len(counts["threads"]) == 2
    assert set(counts["units"]) == set(counts["total"])


def test_same_program_counts_the_same_twice(tmp_path):
    # The process id is in the environment of neither; the addresses are fixed by Valgrind.
    first, second = report(tmp_path, "walker"), report(tmp_path, "walker")
    assert first["total"] == second["total"]


def test_without_caches_the_rest_is_the_same_and_their_bytes_are_absent(tmp_path):
    simulated, plain = report(tmp_path, "walker")["total"], report(tmp_path, "walker", "--caches=no")["total"]
    below = [event for event in simulated if re.match(r"bytes\.(L1-L2|L2-L3|L3-mem)\.", event)]
    assert len(below) == 15
    assert all(plain[event] is None for event in below)
    # The command line, and so the stack the loader reads, differs by the option; the rest of the program does not.
    for event in (e for e in simulated if e.startswith("flops.")):
        assert simulated[event] == plain[event], event
    for event in ("instructions", "loads", "bytes.reg-L1.load", "bytes.reg-L1.store"):
        assert simulated[event] == pytest.approx(plain[event], rel=1e-4), event


def test_a_core_is_simulated_on_request_and_changes_no_other_count(tmp_path):
    plain, with_core = report(tmp_path, "walker"), report(tmp_path, "walker", "--core=yes")
    assert plain["core"] is None and plain["total"]["core_cycles"] is None
    assert with_core["core"]["window"] == 320 and with_core["core"]["fma_latency"] == 4
    instructions = with_core["total"]["instructions"]
    assert instructions / 6 <= with_core["total"]["core_cycles"] <= 20 * instructions
    for event, count in plain["total"].items():
        if event.startswith("flops."):
            assert with_core["total"][event] == count, event
    assert with_core["total"]["instructions"] == pytest.approx(plain["total"]["instructions"], rel=1e-4)
    first, second = (report(tmp_path, "walker", "--core=yes", "--caches=no")["total"]["core_cycles"] for _ in range(2))
    assert first == second == pytest.approx(with_core["total"]["core_cycles"], rel=1e-4)


def test_nothing_counts_before_the_program_asks(tmp_path):
    assert not any(report(tmp_path, "walker", "--count-at-start=no")["total"].values())


@pytest.mark.parametrize("options", [("--caches=no",), ("--core=yes", "--functions=yes", "--loops=yes")], ids=" ".join)
def test_code_that_ran_before_counting_began_is_counted_as_any_other(tmp_path, options):
    """The region runs code that others ran before it: two of the first thread's three entries are two thirds of all."""
    def rows(*more):
        found = report(tmp_path, "marked_program", *options, *more)["regions"]
        return {row["thread"]: row["counts"] for row in found if row["name"] == "additions"}

    whole, window = rows(), rows("--window=additions", "--window-entries=2-3")
    assert set(whole) == {1, 2} and set(window) == {1}
    assert window[1]["flops.fp64.add"] == 20
    for event in ("instructions", "branches", "flops.fp64.add", "loads", "stores", "bytes.reg-L1.load"):
        assert 3 * window[1][event] == 2 * whole[1][event], event


def test_out_names_the_process(tmp_path):
    done = run(*tool_command(f"--out={tmp_path}/counts.%p.json", program("marked_program")))
    assert done.returncode == 0
    (written,) = tmp_path.iterdir()
    assert re.fullmatch(r"counts\.\d+\.json", written.name)
    assert json.loads(written.read_text())["pid"] == int(written.name.split(".")[1])


@pytest.mark.parametrize(
    "option, reason",
    [
        ("--l1=32768,8", "wanted SIZE,WAYS,LINE"),
        ("--l1=32k,8,64", "wanted SIZE,WAYS,LINE"),
        ("--l1=32768,8,48", "power of two"),
        ("--l2=1000,8,64", "multiple"),
        ("--l3=0,8,64", "positive"),
        ("--l3=33554432,16,128", "same LINE"),
        ("--caches=perhaps", "yes, no or reuse"),
        ("--core=6,320", "twelve numbers"),
        ("--core=0,320,176,2,2,4,2,1,3,3,4,64", "from 1 to 4096"),
        ("--core=6,320,176,2,2,4,2,1,3,3,4,64,5", "twelve numbers"),
        ("--out=", "file name"),
    ],
)
def test_bad_option_is_one_clear_line(option, reason):
    done = run(*tool_command(option, "/bin/true"))
    assert done.returncode != 0
    (line,) = done.stderr.strip().splitlines()
    assert reason in line and option.split("=")[0] in line


def test_a_rank_of_four_has_a_quarter_of_l3s_sets(tmp_path):
    whole = report(tmp_path, "marked_program", "--l3=33554432,16,64")["caches"]
    part = report(tmp_path, "marked_program", "--l3=33554432,16,64", "--l3-share=4")["caches"]
    assert (whole["L3"]["size_bytes"], whole["l3_share"]) == (33554432, 1)
    assert (part["L3"]["size_bytes"], part["L3"]["ways"], part["l3_share"]) == (8388608, 16, 4)


def test_report_names_the_prefetchers(tmp_path):
    assert report(tmp_path, "marked_program")["caches"]["prefetchers"] == []
    named = report(tmp_path, "marked_program", "--prefetch=l2-stream,l1-next")["caches"]["prefetchers"]
    assert named == ["l1-next", "l2-stream"]


def test_functions_add_up_to_the_total(tmp_path):
    counts = report(tmp_path, "marked_program", "--functions=yes", "--core=yes")
    assert any(f["name"] == "main" and f["object"].endswith("marked_program") for f in counts["functions"])
    for event, total in counts["total"].items():
        assert total == sum(f["counts"][event] for f in counts["functions"]), event


def test_pieces_add_up_to_their_function(tmp_path):
    def main_of(*options):
        counts = report(tmp_path, "marked_program", "--functions=yes", *options)
        return next(f for f in counts["functions"] if f["name"] == "main")

    main = main_of("--loops=yes", "--core=yes")
    begins = [piece["begin"] for piece in main["pieces"]]
    assert len(set(begins)) == len(begins) > 1 and min(begins) == main["begin"]
    for event, count in main["counts"].items():
        assert count == sum(piece["counts"].get(event, 0) for piece in main["pieces"]), event
    assert any(to in begins for piece in main["pieces"] for to in piece["to"])
    together = main_of("--caches=no")
    assert "pieces" not in together
    assert main_of("--caches=no", "--loops=yes")["counts"] == together["counts"], "cutting code into pieces changes no count"
    refused = run(*tool_command("--loops=yes", "/bin/true"))
    assert refused.returncode != 0 and "--functions=yes, too" in refused.stderr


def test_a_report_is_never_written_through_a_link(tmp_path):
    (tmp_path / "precious").write_text("mine")
    for target in ("precious", "missing"):
        (tmp_path / "counts.json").unlink(missing_ok=True)
        (tmp_path / "counts.json").symlink_to(tmp_path / target)
        assert run(*tool_command(f"--out={tmp_path}/counts.json", "/bin/true")).returncode == 0
        assert not (tmp_path / "counts.json").is_symlink() and json.loads((tmp_path / "counts.json").read_text())["total"]
    assert (tmp_path / "precious").read_text() == "mine" and not (tmp_path / "missing").exists()


def test_another_users_report_is_not_written_into(tmp_path):
    """The report lies in a folder where nobody may remove another's files, as /tmp is."""
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        pytest.skip("needs root to be two users")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="plumbline-sticky-"))  # pytest's own folders are closed to others
    try:
        folder.chmod(0o1777)
        (folder / "counts.json").write_text("theirs")
        (folder / "counts.json").chmod(0o666)
        nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        done = run(*nobody, *tool_command(f"--out={folder}/counts.json", "/bin/true"))
        assert "the counts are lost" in done.stderr and (folder / "counts.json").read_text() == "theirs", done.stderr
    finally:
        shutil.rmtree(folder)


def test_unwritable_report_is_one_clear_line():
    done = run(*tool_command("--out=/nonexistent/counts.json", "/bin/true"))
    assert "cannot write /nonexistent/counts.json" in done.stderr


def cachegrind_misses(tmp_path, name, l1, last):
    out = tmp_path / "cachegrind.out"
    done = subprocess.run(
        [VALGRIND, "-q", "--tool=cachegrind", "--cache-sim=yes", f"--I1={l1}", f"--D1={l1}", f"--LL={last}",
         f"--cachegrind-out-file={out}", program(name)],
        env={k: v for k, v in environment().items() if k != "VALGRIND_LIB"}, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    text = out.read_text()
    events = re.search(r"^events: (.*)$", text, re.MULTILINE).group(1).split()
    totals = [int(n) for n in re.search(r"^summary: (.*)$", text, re.MULTILINE).group(1).split()]
    return dict(zip(events, totals))


@pytest.mark.parametrize("l1, last", [("32768,8,64", "1048576,16,64"), ("49152,12,64", "524288,8,64"), ("16384,4,32", "262144,4,32")])
def test_misses_agree_with_cachegrind(tmp_path, l1, last, capsys):
    line = int(l1.split(",")[2])
    # cachegrind has two levels: an L2 as large as the L1 adds none of its own.
    ours = report(tmp_path, "walker", f"--l1={l1}", f"--l2={last}", f"--l3={last}")["total"]
    theirs = cachegrind_misses(tmp_path, "walker", l1, last)
    pairs = {
        "instructions": (ours["instructions"], theirs["Ir"]),
        "L1 misses": ((ours["bytes.L1-L2.demand_read"] + ours["bytes.L1-L2.rfo"]) // line, theirs["D1mr"] + theirs["D1mw"]),
        "L1 read misses": (ours["bytes.L1-L2.demand_read"] // line, theirs["D1mr"]),
        "last-level misses": ((ours["bytes.L2-L3.demand_read"] + ours["bytes.L2-L3.rfo"]) // line, theirs["DLmr"] + theirs["DLmw"]),
    }
    with capsys.disabled():
        for what, (mine, other) in pairs.items():
            print(f"\n  {l1} {last} {what}: plumbline {mine}, cachegrind {other}, {100 * (mine / other - 1):+.4f} %", end="")
    # The two differ by instruction fetches (cachegrind's last level sees them), write-backs (ours sees them) and accesses across lines.
    for what, (mine, other) in pairs.items():
        assert mine == pytest.approx(other, rel=1e-3), what


def test_starts_under_mpiexec():
    mpiexec = os.environ.get("PLUMBLINE_TEST_MPIEXEC")
    if not mpiexec or not os.path.exists(program("mpi_program")):
        pytest.skip("no MPICH (mpiexec.mpich, mpicc.mpich) was found when this tree was configured")
    done = run(mpiexec, "-n", "2", *tool_command("--caches=no", program("mpi_program")))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "ranks 2 multiplications 300" in done.stdout
