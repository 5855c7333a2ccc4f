# SPDX-License-Identifier: BSD-3-Clause
"""plumbline profile, of a program that runs natively and under the emulator: times and counts by function, under roofs that are kept."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

import pytest

PLUMBLINE = os.environ["PLUMBLINE_PROGRAM"]
HERE = pathlib.Path(__file__).parent
MARKER = HERE.parents[1] / "harness" / "marker"
NO_PERF_EVENT = [sys.executable, HERE.parent / "app" / "no_perf_event.py"]


def run(*words, **options):
    environment = dict(os.environ, **options.pop("environment", {}))
    return subprocess.run([str(word) for word in words], env=environment, capture_output=True, text=True, timeout=500, **options)


@pytest.fixture(scope="session")
def sampling():
    """Skips where nothing can be sampled or counted here, with the program's own reason."""
    done = run(PLUMBLINE, "profile", "--roofs=no", "--caches=no", "--", "true")
    if done.returncode == 2:
        pytest.skip("SKIP: " + done.stderr.strip())
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="session")
def timers():
    """Skips where threads cannot be timed by timers of their own, or nothing can be counted, with the program's own reason."""
    done = run(PLUMBLINE, "profile", "--sampling=timer", "--roofs=no", "--caches=no", "--", "true")
    if done.returncode == 2:
        pytest.skip("SKIP: " + done.stderr.strip())
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """Builds a program of this folder."""
    folder = tmp_path_factory.mktemp("programs")

    def build(source, *flags):
        program = folder / pathlib.Path(source).stem
        done = run("gcc", "-O1", "-g", "-ffp-contract=off", *flags, HERE / source, "-o", program, "-lm", "-lpthread", "-ldl")
        assert done.returncode == 0, done.stderr
        return program

    return build


@pytest.fixture(scope="session")
def roofs(tmp_path_factory):
    """The environment whose kept roofs are this session's; none is measured yet."""
    return {"XDG_CACHE_HOME": str(tmp_path_factory.mktemp("cache"))}


def profile(tmp_path, *words, code=0, options=("--roofs=no", "--caches=no", "--functions=20"), environment=None, before=()):
    out = tmp_path / "profile.json"
    done = run(*before, PLUMBLINE, "profile", "-o", out, *options, "--", *words, environment=environment or {})
    assert done.returncode == code, done.stdout + done.stderr
    return json.loads(out.read_text()), done


def compiled(*words):
    done = run(*words)
    assert done.returncode == 0, done.stderr


def loops(document):
    return {(row["function"], row["name"]): row for row in document["rows"] if row["kind"] == "loop"}


def functions(document):
    return {row["name"]: row for row in document["rows"] if row["kind"] == "function"}


@pytest.mark.usefixtures("sampling")
def test_a_program_of_known_functions(tmp_path, built):
    document, done = profile(tmp_path, built("known.c"), "15")
    found = functions(document)
    told = [line.split() for line in done.stdout.splitlines()]
    assert len(told) == 12, "the program's own output comes once"
    all_seconds = sum(float(seconds) for _, _, seconds in told)
    for name, flops, seconds in told:
        row = found[name]
        assert row["flops"] == int(flops), name
        assert row["cores"] == 1 and row["imbalance"] == 1, name
        # What the program tells of itself is of its functions alone; filling the arrays is the rest.
        share = float(seconds) / all_seconds * sum(found[other]["share"] for other, _, _ in told)
        assert row["share_lo"] - 0.02 <= share <= row["share_hi"] + 0.02, (name, share, row["share"])
        assert row["gflops"] == pytest.approx(row["flops"] / row["seconds"] * 1e-9)
    (total,) = [row for row in document["rows"] if row["kind"] == "total"]
    assert 0 <= total["flops"] - sum(int(flops) for _, flops, _ in told) < 1000, "the rest reads clocks and prints"
    assert "known" in done.stderr and "polynomial" in done.stderr


@pytest.mark.usefixtures("sampling")
def test_an_earlier_run_is_taken_away(tmp_path, built):
    known, options = built("known.c"), ("--roofs=no", "--caches=no", "--functions=20")
    assert run(PLUMBLINE, "profile", "-o", tmp_path / "one.h5", *options, "--", known, "1").returncode == 0
    document, done = profile(tmp_path, known, "5", options=(*options, "--subtract", tmp_path / "one.h5"))
    found = functions(document)
    told = {name: (int(flops), float(seconds)) for name, flops, seconds in (line.split() for line in done.stdout.splitlines())}
    all_seconds = sum(seconds for _, seconds in told.values())
    shares = sum(found[name]["share"] for name in told)
    for name, (flops, seconds) in told.items():
        row = found[name]
        assert 5 * row["flops"] == 4 * flops, name
        # Each function does in four rounds what it does in five, so that the shares are the same, within the samples of both runs.
        assert row["share_lo"] - 0.03 <= seconds / all_seconds * shares <= row["share_hi"] + 0.03, (name, row["share"])
        assert row["gflops"] == pytest.approx(row["flops"] / row["seconds"] * 1e-9)
    assert "main" not in found or found["main"]["share"] < 0.02, "filling the arrays is in both runs"
    assert "minus an earlier run: " in done.stderr and "intervals have the samples of both" in " ".join(done.stderr.split())
    # The other way round there is less than nothing left: one line, and the profile as it is.
    result = tmp_path / "five.h5"
    assert run(PLUMBLINE, "profile", "-o", result, "--time-only", "--roofs=no", "--", known, "5").returncode == 0
    more, done = profile(tmp_path, known, "1", options=("--roofs=no", "--time-only", "--subtract", result), code=2)
    assert done.stderr.startswith(f"plumbline: --subtract: nothing was taken away: {result} has more samples of known (")
    assert [row["share"] for row in more["rows"] if row["kind"] == "total"] == [1]
    done = run(PLUMBLINE, "profile", "--roofs=no", "--subtract", result, "--", "true")
    assert done.returncode == 2 and done.stderr == f"plumbline: --subtract: {result} is of another program: known, and this is true\n"


OPTIMIZED = ["-O2", "-g", "-ffp-contract=off", HERE / "loops.c"]


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.usefixtures("sampling")
def test_two_loops_in_one_function(tmp_path, compiler):
    if not shutil.which(compiler):
        pytest.skip(f"SKIP: {compiler} was not found")
    program = tmp_path / "loops"
    if compiler == "gcc":
        compiled("gcc", *OPTIMIZED, "-o", program)
    else:  # in a library
        compiled("clang", *OPTIMIZED, "-DALONE=1", "-shared", "-fPIC", "-o", tmp_path / "libtwo.so")
        compiled("clang", *OPTIMIZED, "-DALONE=2", "-L", tmp_path, "-ltwo", f"-Wl,-rpath,{tmp_path}", "-o", program)
    document, done = profile(tmp_path, program, "10")
    function, found = functions(document)["two_loops"], loops(document)
    told = [line.split() for line in done.stdout.splitlines()]
    all_seconds = sum(float(seconds) for _, _, seconds in told)
    for line, flops, seconds in told:
        row = found["two_loops", f"loops.c:{line}"]
        assert row["flops"] == int(flops), line
        assert row["object"] == function["object"] and row["cores"] == 1
        share = float(seconds) / all_seconds * sum(found["two_loops", f"loops.c:{other}"]["share"] for other, _, _ in told)
        assert row["share_lo"] - 0.02 <= share <= row["share_hi"] + 0.02, (line, share, row["share"])
        assert row["gflops"] == pytest.approx(row["flops"] / row["seconds"] * 1e-9)
        assert f"  loops.c:{line} " in done.stderr
    # Nothing is in two loops, and what the loops around do is little.
    for event in ("instructions", "flops.fp64.add", "flops.fp64.div", "loads", "branches"):
        of_loops = sum(row["counts"][event] for (name, _), row in found.items() if name == "two_loops")
        assert 0.99 * function["counts"][event] <= of_loops <= function["counts"][event], event
    assert sum(row["samples"] for (name, _), row in found.items() if name == "two_loops") <= function["samples"]


@pytest.mark.usefixtures("sampling")
def test_a_stripped_program_has_no_lines(tmp_path):
    program = tmp_path / "loops"
    compiled("gcc", *OPTIMIZED, "-s", "-o", program)
    document, _ = profile(tmp_path, program, "3")
    assert not loops(document)
    (longest, *_) = functions(document)
    assert any("no source lines" in note and longest in note for note in document["notes"]), document["notes"]


@pytest.mark.usefixtures("sampling")
def test_a_static_program_without_symbols_has_its_functions_all_the_same(tmp_path):
    program = tmp_path / "known"
    done = run("gcc", "-O1", "-static", "-ffp-contract=off", HERE / "known.c", "-o", program, "-lm")
    if done.returncode != 0:
        pytest.skip("SKIP: nothing can be linked statically here: " + done.stderr.strip().splitlines()[-1])
    symbols = [line.split() for line in run("nm", "--numeric-sort", program).stdout.splitlines() if len(line.split()) == 3]
    places = {name: int(place, 16) for place, kind, name in reversed(symbols) if kind in "tT"}  # the program's own come before the library's
    assert run("strip", program).returncode == 0
    document, done = profile(tmp_path, program, "3")
    found = functions(document)
    for name, flops, _ in (line.split() for line in done.stdout.splitlines()):
        row = found[f"known+{places[name]:#x}"]
        assert row["flops"] == int(flops), name
    assert document["rows"][0]["kind"] == "total" and not any("did not execute" in note for note in document["notes"])


@pytest.mark.usefixtures("sampling")
def test_times_alone_are_told_without_counting(tmp_path, built):
    document, done = profile(tmp_path, built("known.c"), "3", options=("--roofs=no", "--time-only", "--functions=20"))
    found = functions(document)
    assert all(row["flops"] is None and row["share"] > 0 for row in found.values()) and {"polynomial", "triad"} <= set(found)
    assert "times alone" in done.stderr and "not joined" not in done.stderr
    assert run(PLUMBLINE, "profile", "--roofs=no", "--time-only", "-o", tmp_path / "times.h5", "--", built("known.c"), "3").returncode == 0
    shown = document_of("show", tmp_path / "times.h5")
    assert {row["reason"] for row in shown["rows"]} == {"no counts: --time-only: nothing was counted"}
    (said,) = [note for note in shown["notes"] if note.startswith("nothing was counted")]
    assert ". Times are measured all the same; no counter can be scored. " in said, "neither ceilings nor a model are there"


@pytest.mark.usefixtures("sampling")
def test_code_of_avx2_can_be_chosen_for_both_runs(tmp_path):
    text = tmp_path / "counted"
    words = ("sh", "-c", f'echo "$OPENBLAS_CORETYPE $ATEN_CPU_CAPABILITY" > {text}; echo "$OPENBLAS_CORETYPE $ATEN_CPU_CAPABILITY"')
    options = ("--roofs=no", "--caches=no", "--avx2")
    document, done = profile(tmp_path, *words, options=options, environment={"ATEN_CPU_CAPABILITY": "default"})
    assert done.stdout == text.read_text() == "Haswell default\n"
    assert any("OPENBLAS_CORETYPE=Haswell" in note and "ATEN" not in note for note in document["notes"])


@pytest.mark.usefixtures("sampling")
def test_what_runs_at_once_and_what_runs_in_turns(tmp_path, built):
    program = built("shared_work.c")
    one_after_the_other = tmp_path / "turns.sh"
    one_after_the_other.write_text("#!/bin/sh\n" + f"{program} 0 0 alone\n" * 4)
    one_after_the_other.chmod(0o755)
    turns = functions(profile(tmp_path, one_after_the_other)[0])["work"]
    assert turns["cores"] == 1
    assert turns["seconds"] == pytest.approx(turns["cpu_seconds"], rel=0.1)
    at_once = functions(profile(tmp_path, program, "10")[0])["work"]
    # Three work at once where there are CPUs, and nobody else takes them.
    most = min(3, len(os.sched_getaffinity(0)))
    assert 1 <= at_once["cores"] <= most
    assert at_once["cpu_seconds"] / most * 0.99 <= at_once["seconds"] <= at_once["cpu_seconds"]
    assert at_once["imbalance"] >= 1


@pytest.mark.usefixtures("timers")
def test_timers_of_its_own_where_perf_event_is_refused(tmp_path):
    program = tmp_path / "loops"
    compiled("gcc", *OPTIMIZED, "-o", program)
    document, done = profile(tmp_path, program, "10", before=NO_PERF_EVENT)
    assert any("timers in the program's own threads" in note and "perf_event_open" in note for note in document["notes"])
    (total,) = [row for row in document["rows"] if row["kind"] == "total"]
    found = loops(document)
    told = [line.split() for line in done.stdout.splitlines()]
    all_seconds = sum(float(seconds) for _, _, seconds in told)
    for line, flops, seconds in told:
        row = found["two_loops", f"loops.c:{line}"]
        assert row["flops"] == int(flops)
        share = float(seconds) / all_seconds
        assert row["share_lo"] - 0.02 <= share <= row["share_hi"] + 0.02, (line, share, row["share"])
    # A sample stands for as much time as lies between two ticks of the system's clock.
    function = functions(document)["two_loops"]
    assert function["cpu_seconds"] == pytest.approx(all_seconds, rel=0.1)
    assert total["samples"] > 0 and function["share"] > 0.9


@pytest.mark.usefixtures("timers")
def test_timers_of_threads_and_children(tmp_path, built):
    by_timers = ("--roofs=no", "--caches=no", "--sampling=timer")
    document, _ = profile(tmp_path, built("shared_work.c"), "10", options=by_timers)
    work = functions(document)["work"]
    assert 1 <= work["cores"] <= min(3, len(os.sched_getaffinity(0)))
    assert not any("they may not have done the same" in note for note in document["notes"]), document["notes"]
    assert work["share"] > 0.9
    # What a program does with all signals at once leaves the timers' out, and its own reach it.
    script = tmp_path / "signals.py"
    script.write_text(
        "import signal\n"
        "got = []\n"
        "for number in set(signal.valid_signals()) - {signal.SIGKILL, signal.SIGSTOP, signal.SIGRTMAX}:\n"
        "    signal.signal(number, lambda number, frame: got.append(number))\n"
        "signal.pthread_sigmask(signal.SIG_SETMASK, signal.valid_signals())\n"
        "sum(i * 0.5 for i in range(1_000_000))\n"
        "signal.pthread_sigmask(signal.SIG_SETMASK, [])\n"
        "signal.raise_signal(signal.SIGPROF)\n"
        "print(got == [signal.SIGPROF])\n"
    )
    document, done = profile(tmp_path, sys.executable, script, options=by_timers)
    assert done.stdout == "True\n"
    assert sum(row["samples"] for row in document["rows"] if row["kind"] == "function") >= 3


def regions(document):
    return {row["name"]: row for row in document["rows"] if row["kind"] == "region"}


LEAST_OF_TOLD = 0.3  # of the time that regions.c tells of a region, which is around its markers and holds what a busy core keeps from it


def check_regions(document, done):
    """Holds the regions of regions.c against what the program tells of itself."""
    found = regions(document)
    (total,) = [row for row in document["rows"] if row["kind"] == "total"]
    told = [line.split() for line in done.stdout.splitlines()]
    assert [name for *name, _, _, _ in told] == [["shared"], ["inner"], ["outer"], ["of", "a", "child"], ["waiting"]]
    for *words, entries, flops, seconds in told:
        row = found[" ".join(words)]
        assert row["entries"] == int(entries) and 0 <= row["flops"] - int(flops) < 100, row  # the program reads its clock within one
        least = LEAST_OF_TOLD if words[0] in ("inner", "outer", "waiting") else 0  # the others wait for a thread or a process to begin, too
        assert least * float(seconds) < row["seconds"] <= float(seconds), row
        assert row["share"] == pytest.approx(row["seconds"] / total["seconds"])
        assert row["gflops"] == pytest.approx(row["flops"] / row["seconds"] * 1e-9)
        assert not row["open"] and row["levels"]["L1"]["bytes"] is not None
    assert found["shared"]["threads"] == 2 and found["shared"]["cores"] in (1, 2)
    assert found["waiting"]["cpu_seconds"] < 0.05 < found["waiting"]["seconds"]
    assert found["open"]["open"] and found["open"]["flops"] == 2_000_000
    assert found["differs"]["flops"] is None and found["differs"]["seconds"] > 0
    assert any("times alone: region 'differs': it was entered once in the timed run and 2 times" in note for note in document["notes"])
    return found


@pytest.mark.usefixtures("sampling")
def test_marked_regions_are_timed_and_counted(tmp_path, built):
    document, done = profile(tmp_path, built("regions.c", "-I", MARKER), "2")
    check_regions(document, done)
    assert "region " in done.stderr and "of a child" in done.stderr


@pytest.mark.usefixtures("sampling")
def test_a_region_around_a_parallel_loop_is_said_to_be_of_one_thread(tmp_path):
    source, program = tmp_path / "around.c", tmp_path / "around"
    source.write_text("""
#include <plumbline.h>
static double x[2000];
int main(void) {
  double y = 1;
  PLUMBLINE_START("serial");
  for (int k = 0; k < 400000; ++k) y = y * 0.5 + 1;
  PLUMBLINE_STOP("serial");
  PLUMBLINE_START("around");
#pragma omp parallel for schedule(static)
  for (int i = 0; i < 2000; ++i)
    for (int k = 0; k < 80000; ++k) x[i] = x[i] * 0.5 + 1;
  PLUMBLINE_STOP("around");
  return x[7] > y;
}
""")
    compiled("gcc", "-O1", "-g", "-fopenmp", "-ffp-contract=off", "-I", MARKER, source, "-o", program)
    for _ in range(3):  # what is beside the loop takes milliseconds, unless others take the CPU just then
        document, _ = profile(tmp_path, program, environment={"OMP_NUM_THREADS": "4"})
        said = [note for note in document["notes"] if "around a parallel loop mark in each thread" in note]
        if said:
            break
    around, serial = (regions(document)[name] for name in ("around", "serial"))
    assert around["threads"] == 1 and around["flops"] == 2 * 500 * 80000 and serial["flops"] == 2 * 400000
    assert len(said) == 1 and "region 'around';" in said[0], "beside the other one nothing else can have worked"


@pytest.mark.usefixtures("timers")
def test_marked_regions_are_timed_beside_timers(tmp_path, built):
    check_regions(*profile(tmp_path, built("regions.c", "-I", MARKER), "2", options=("--roofs=no", "--caches=no", "--sampling=timer")))


@pytest.mark.usefixtures("sampling")
def test_marked_regions_of_a_static_program_are_counted_alone(tmp_path):
    program = tmp_path / "regions"
    if run("gcc", "-O1", "-static", "-I", MARKER, HERE / "regions.c", "-o", program).returncode != 0:
        pytest.skip("SKIP: nothing can be linked statically here")
    document, _ = profile(tmp_path, program, "1")
    inner = regions(document)["inner"]
    assert inner["seconds"] is None and inner["flops"] == 3_000_000 and inner["status"] == "unavailable"
    assert any("not timed: region " in note and "'inner'" in note and "statically" in note for note in document["notes"])


@pytest.mark.parametrize("options", [(), ("--sampling=timer",)])
@pytest.mark.usefixtures("sampling", "timers")
def test_a_window_takes_what_happens_in_a_region_alone(tmp_path, built, options):
    words = (built("regions.c", "-I", MARKER), "20")
    document, done = profile(tmp_path, *words, options=("--roofs=no", "--caches=no", "--window=region:outer", *options))
    told = {line.split()[0]: line.split() for line in done.stdout.splitlines()}
    found = regions(document)
    assert set(found) == {"outer", "inner"} and found["outer"]["entries"] == 1
    (total,) = [row for row in document["rows"] if row["kind"] == "total"]
    for name in ("outer", "inner"):
        assert LEAST_OF_TOLD * float(told[name][3]) < found[name]["seconds"] <= float(told[name][3]), name
    assert total["seconds"] == found["outer"]["seconds"]
    assert total["flops"] == found["outer"]["flops"] and 0 <= total["flops"] - 80_000_000 < 100
    assert functions(document)["add"]["flops"] == 80_000_000
    assert total["cpu_seconds"] <= float(told["outer"][3]) * 1.1, "samples outside of it are nobody's"
    assert found["inner"]["share"] == pytest.approx(found["inner"]["seconds"] / total["seconds"])
    assert "profiled of it: region:outer" in done.stderr


@pytest.mark.usefixtures("sampling")
def test_a_window_takes_some_entries_of_each_thread(tmp_path, built):
    document, _ = profile(tmp_path, built("regions.c", "-I", MARKER), "1", options=("--roofs=no", "--caches=no", "--window=region:shared:2-3"))
    (shared,) = regions(document).values()
    assert shared["entries"] == 4 and shared["threads"] == 2
    assert shared["flops"] == 2 * 3_000_000


def test_a_window_of_more_entries_than_there_are_is_said(tmp_path, built):
    document, _ = profile(tmp_path, built("regions.c", "-I", MARKER), "1", options=("--roofs=no", "--caches=no", "--window=region:outer:1-1000000"))
    assert any("entries 1 to 1000000 of region 'outer'" in note and "entered 1 times" in note for note in document["notes"])


@pytest.mark.usefixtures("sampling")
def test_a_window_of_time_takes_times_alone(tmp_path, built):
    document, done = profile(tmp_path, built("known.c"), "20", options=("--roofs=no", "--functions=20", "--window=0.1s:0.2s"))
    (total,) = [row for row in document["rows"] if row["kind"] == "total"]
    assert total["seconds"] == pytest.approx(0.1) and 0 < total["cpu_seconds"] < 0.11
    assert "counts cannot be cut" in done.stderr and "nothing was counted" in done.stderr
    document, _ = profile(tmp_path, built("regions.c", "-I", MARKER), "1", options=("--roofs=no", "--window=0s:0.001s"))
    assert not [row for row in document["rows"] if row["kind"] == "region"]
    assert any("regions are not told" in note for note in document["notes"])


@pytest.mark.usefixtures("sampling")
def test_work_of_a_smaller_input_is_scaled_and_said_to_be(tmp_path, built):
    document, done = profile(
        tmp_path, built("known.c"), "4", options=("--roofs=no", "--caches=no", "--functions=20", "--count-args=1", "--scale-work=2*2")
    )
    found = functions(document)
    for name, flops, _ in (line.split() for line in done.stdout.splitlines()):
        assert found[name]["flops"] == int(flops) and "/work=x4/" in found[name]["case"]
    assert any("--scale-work" in note and "times 4" in note for note in document["notes"])
    assert "with the arguments 1, and every count times 4" in done.stderr
    kept = tmp_path / "scaled.h5"
    assert run(PLUMBLINE, "profile", "--roofs=no", "--caches=no", "--count-args=1", "--scale-work=2*2", "-o", kept, "--", built("known.c"), "4").returncode == 0
    told = document_of("compare", kept, kept)["notes"]
    assert any("counts after are those of a smaller input (1) times 4, not what was executed" in note for note in told)


def test_a_result_file_has_regions_under_their_roofs(tmp_path, results, built, roofs):  # pylint: disable=unused-argument
    words = (PLUMBLINE, "profile", "--caches=no", "-o", tmp_path / "regions.h5", "--", built("regions.c", "-I", MARKER), "2")
    done = run(*words, environment=roofs)
    assert done.returncode == 0, done.stderr
    shown = run(PLUMBLINE, "show", tmp_path / "regions.h5").stdout
    assert shown.startswith(done.stderr[done.stderr.index("Profiled: ") :])
    document = document_of("show", tmp_path / "regions.h5")
    inner = regions(document["profile"])["inner"]
    assert inner["bound"] and inner["percent_of_roof"] > 0 and inner["entries"] == 1
    assert inner["case"] in {row["case"] for row in document["rows"]} and "/region=inner/" in inner["case"]
    compared = document_of("compare", tmp_path / "regions.h5", tmp_path / "regions.h5")["rows"]
    (same,) = [row for row in compared if row["kind"] == "region" and row["name"] == "inner"]
    assert same["slowdown"] == 1 and same["did_the_same"] is True


@pytest.fixture(scope="session")
def results(sampling, built, roofs, tmp_path_factory):  # pylint: disable=unused-argument
    """Result files of the program of known functions, which did a third of it the second time, and what was said of them."""
    folder = tmp_path_factory.mktemp("results")
    said = {}
    for name, times in (("known", "3"), ("third", "1")):
        done = run(PLUMBLINE, "profile", "--functions=3", "-o", folder / f"{name}.h5", "--", built("known.c"), times, environment=roofs)
        assert done.returncode == 0, done.stderr
        said[name] = done.stderr
    return folder, said


def document_of(*words, code=0):
    done = run(PLUMBLINE, *words, "--json")
    assert done.returncode == code, done.stderr
    return json.loads(done.stdout)


def test_the_roofs_are_measured_once_and_a_result_file_can_be_shown(tmp_path, results, built, roofs):
    folder, said = results
    assert "roofs are measured first" in said["known"]
    (kept,) = pathlib.Path(roofs["XDG_CACHE_HOME"]).glob("plumbline/roofs-*.h5")
    cases = {row["case"]: row for row in document_of("show", folder / "known.h5")["rows"]}
    (polynomial,) = [row for case, row in cases.items() if "/part=polynomial/" in case]
    assert polynomial["bound"] == "compute" and polynomial["percent_of_roof"] > 0
    assert polynomial["levels"]["L1"]["ai"] == pytest.approx(64 / 16, rel=0.01)
    (triad,) = [row for case, row in cases.items() if "/part=triad/" in case]
    assert triad["bound"] in ("L1", "L2", "L3", "mem") and triad["levels"]["L1"]["ai"] == pytest.approx(2 / 24, rel=0.01)
    assert any("/part=whole/" in case for case in cases)
    assert "measured first" not in said["third"] and kept.stat().st_mtime_ns < (folder / "third.h5").stat().st_mtime_ns
    profiled = document_of("show", folder / "third.h5")["profile"]
    assert any(note.startswith("roofs: ") for note in profiled["notes"])
    assert functions(profiled)["polynomial"]["bound"] == "compute"
    named, _ = profile(tmp_path, built("known.c"), "1", options=["--caches=no", f"--roofs={kept}"])
    assert functions(named)["polynomial"]["bound"] == "compute"


def test_a_result_file_has_the_profile_as_it_was_printed(results):
    folder, said = results
    printed = said["known"][said["known"].index("Profiled: ") :]
    assert run(PLUMBLINE, "show", folder / "known.h5").stdout.startswith(printed)
    profiled = document_of("show", folder / "known.h5")["profile"]
    (total,) = [row for row in profiled["rows"] if row["kind"] == "total"]
    found = functions(profiled)
    assert total["seconds"] == profiled["wall_seconds"] and total["samples"] >= sum(row["samples"] for row in found.values())
    assert found["triad"]["flops"] == 2 * 2**20 * 30 == found["triad"]["counts"]["flops.fp64.add"] + found["triad"]["counts"]["flops.fp64.mul"]
    for row in found.values():
        assert row["share_lo"] <= row["share"] <= row["share_hi"]
        if row["samples"]:
            assert row["seconds_lo"] < row["seconds"] < row["seconds_hi"]
    assert {row["kind"] for row in profiled["rows"]} >= {"total", "function", "process", "thread"}


def test_the_table_is_one_for_strangers(results):
    h5py = pytest.importorskip("h5py", reason="SKIP: python3-h5py is not installed")
    with h5py.File(results[0] / "known.h5") as file:
        table = file["profile"]
        rows = table[:]
        assert {b"total", b"function", b"process", b"thread"} <= set(rows["kind"])
        assert table.attrs["share_hi.units"] == "1" and table.attrs["seconds.better"] == "lower"
        (row,) = [row for row in rows if row["name"] == b"polynomial"]
        assert json.loads(row["levels"])["L1"]["boundary"] == "reg-L1" and row["case"] in file["cases"]["id"]


def test_a_stranger_s_profile_is_shown_or_refused_in_a_line(tmp_path, results):
    h5py = pytest.importorskip("h5py", reason="SKIP: python3-h5py is not installed")
    strange = tmp_path / "strange.h5"
    for change, word in (("provenance", "profile it again"), ("kind", "has no column"), ("share", "is not")):
        strange.write_bytes((results[0] / "known.h5").read_bytes())
        with h5py.File(strange, "r+") as file:
            rows = file["profile"][:]
            if change == "provenance":
                file.attrs["provenance"] = "{}"
            else:
                del file["profile"]
                names = [name for name in rows.dtype.names if name != change]
                file["profile"] = rows[names] if change == "kind" else rows.astype([(n, "S3" if n == change else rows.dtype[n]) for n in rows.dtype.names])
        done = run(PLUMBLINE, "show", strange)
        (line,) = done.stderr.splitlines()
        assert done.returncode == 2 and word in line, line


def test_two_profiles_are_compared_by_function(results):
    folder, _ = results
    compared = document_of("compare", folder / "known.h5", folder / "third.h5")
    rows = {row["name"]: row for row in compared["rows"]}
    for name in ("triad", "polynomial", "stencil", "root"):
        row = rows[name]
        assert row["presence"] == "both" and row["flops_before"] == 3 * row["flops_after"] and row["did_the_same"] is False
        assert row["slowdown_lo"] <= row["slowdown"] <= row["slowdown_hi"]
        assert row["slowdown_hi"] / row["slowdown_lo"] > 1, "samples leave it open"
    assert any(note.startswith("other commands: ") for note in compared["notes"])
    text = run(PLUMBLINE, "compare", folder / "known.h5", folder / "third.h5").stdout
    assert "-66.7 %" in text and "FASTER" in text
    itself = document_of("compare", folder / "known.h5", folder / "known.h5")["rows"]
    for row in itself:
        was_counted = row["instructions_before"] is not None  # a sample may meet what the counted run never came to, as in the loader
        assert row["did_the_same"] is (True if was_counted else None) and row["verdict"] in (None, "SAME", "AMBIGUOUS")
        assert row["status"] != "ok" or row["slowdown"] == pytest.approx(1)
    assert {"triad", "polynomial", "stencil", "root"} <= {row["name"] for row in itself if row["did_the_same"]}


def test_a_profile_is_projected_by_function(results):
    known = results[0] / "known.h5"
    (row,) = document_of("project", known, "--to", known)["rows"]
    assert row["speedup"] == pytest.approx(1)
    groups = {group["group"]: group for group in row["groups"]}
    assert groups["polynomial (known)"]["bound"].startswith("compute")
    profiled = document_of("show", known)["profile"]
    assert row["seconds"] == pytest.approx(profiled["wall_seconds"]), "the whole is the sum of its functions and the rest"
    assert sum(group["seconds"] for group in groups.values()) <= row["seconds"] * (1 + 1e-9)


def test_a_time_that_no_ceiling_explains_is_said_to_be_that(tmp_path, results, roofs):  # pylint: disable=unused-argument
    source, program, file = tmp_path / "hash.c", tmp_path / "hash", tmp_path / "hash.h5"
    source.write_text("""
#include <stdint.h>
uint64_t table[8];
__attribute__((noinline)) uint64_t hash(uint64_t h, int n) {
  for (int i = 0; i < n; ++i) {
    h = (h ^ (h >> 29)) * 6364136223846793005u + 1442695040888963407u;
    if ((i & 0xffff) == 0) table[h & 7] ^= h;
  }
  return h;
}
int main(int count, char** words) { return hash((uintptr_t)words, count * 60000000) == 1; }
""")
    compiled("gcc", "-O1", "-g", source, "-o", program)
    done = run(PLUMBLINE, "profile", "-o", file, "--", program, environment=roofs)
    assert done.returncode == 0, done.stderr
    words = " ".join(done.stderr.split())
    assert re.search(r"hash: \d+ % of the time; no measured ceiling explains its time: [^,]+, which comes nearest, takes less than 1 % of it", words), words
    document = document_of("project", file, "--to", file)
    assert any(note.startswith("warning: no measured ceiling explains the time of 'hash (hash)', below 1 % of the roof") for note in document["notes"])


EXPECTED = """schema = "plumbline-expectations/1"
paper = "Me"
[[expectation]]
id = "small-part"
statement = "The triad takes less than half of the time"
where = "here"
rows.triad = {kernel = "program/known", params = {part = "triad"}}
quantity = "share(triad)"
most = 0.5
[[expectation]]
id = "all-of-it"
statement = "The triad takes all of the time"
where = "here"
rows.triad = {kernel = "program/known", params = {part = "triad"}}
rows.whole = {kernel = "program/known", params = {part = "whole"}}
quantity = "share(triad) / share(whole)"
least = 0.99
[[expectation]]
id = "counts"
statement = "The triad does as many FLOPs"
where = "here"
rows.triad = {kernel = "program/known", params = {part = "triad"}}
quantity = "flops(triad)"
about = 62914560
within = 0.01
[[expectation]]
id = "another"
statement = "Another program"
where = "here"
rows.all = {kernel = "program/heat3d", params = {part = "whole"}}
quantity = "seconds(all)"
most = 1
"""


def test_expectations_of_functions_are_confirmed_or_differ(tmp_path, results):
    mine = tmp_path / "mine.toml"
    mine.write_text(EXPECTED)
    rows = {row["id"]: row for row in document_of("expect", results[0] / "known.h5", "--expectations", mine, "--own", code=3)["rows"]}
    assert {name: row["verdict"] for name, row in rows.items()} == {
        "small-part": "confirmed", "all-of-it": "differs", "counts": "not_measurable", "another": "not_measurable"}  # fmt: skip
    assert "no score decides on emulated.flops.fp64" in rows["counts"]["reason"]
    assert "plumbline profile -o FILE.h5 -- heat3d" in rows["another"]["reason"]


def test_a_share_that_may_be_nothing_decides_about_no_time_and_no_rate(tmp_path, results):
    """A file of a difference may have them: its intervals could once reach zero beside a share above it."""
    h5py = pytest.importorskip("h5py", reason="SKIP: python3-h5py is not installed")
    open_share = tmp_path / "open.h5"
    open_share.write_bytes((results[0] / "known.h5").read_bytes())
    with h5py.File(open_share, "r+") as file:
        rows = file["profile"][:]
        rows["share_lo"] = [0 if name == b"triad" else lo for name, lo in zip(rows["name"], rows["share_lo"])]
        file["profile"][:] = rows
    mine = tmp_path / "mine.toml"
    rows = 'where = "here"\nrows.triad = {kernel = "program/known", params = {part = "triad"}}\n'
    mine.write_text('schema = "plumbline-expectations/1"\npaper = "Me"\n' + "".join(
        f'[[expectation]]\nid = "{word}"\nstatement = "It takes a time"\n{rows}quantity = "{word}(triad)"\nleast = 1e-9\n' for word in ("seconds", "gflops")))
    told = {row["id"]: row for row in document_of("expect", open_share, "--expectations", mine, "--own")["rows"]}
    assert "the interval lies across a bound" in told["seconds"]["reason"]
    assert "its samples leave open whether it took any time" in told["gflops"]["reason"]
    (closed,) = [row for row in document_of("expect", results[0] / "known.h5", "--expectations", mine, "--own")["rows"] if row["id"] == "seconds"]
    assert closed["verdict"] == "confirmed" and 0 < closed["measured_lo"] < closed["measured_hi"]


@pytest.mark.usefixtures("sampling")
def test_the_exit_code_is_the_programs(tmp_path, built):
    document, done = profile(tmp_path, built("shared_work.c"), "1", "7", code=7)
    assert "the program ended with exit 7" in done.stderr
    assert functions(document)["work"]["flops"] > 0
    document, done = profile(tmp_path, built("shared_work.c"), "1", f"-{int(signal.SIGUSR1)}", code=128 + signal.SIGUSR1)
    assert "killed by signal" in done.stderr
    assert functions(document)["work"]["share"] > 0.5


@pytest.mark.usefixtures("sampling")
def test_runs_that_end_differently_are_not_joined(tmp_path):
    script = tmp_path / "once.sh"
    script.write_text(f"#!/bin/sh\nfor i in 1 2 3; do :; done\nmkdir {tmp_path}/made\n")
    script.chmod(0o755)
    document, done = profile(tmp_path, script, code=1, environment={"LC_ALL": "C"})
    assert any("not joined" in note and "File exists" in note for note in document["notes"])
    assert not any("did not execute" in note for note in document["notes"])
    assert not any(row.get("flops") for row in document["rows"] if row["kind"] in ("total", "function"))


@pytest.mark.usefixtures("sampling")
def test_a_short_program_has_a_note(tmp_path):
    document, _ = profile(tmp_path, "true")
    assert any("samples were taken" in note for note in document["notes"])


@pytest.mark.usefixtures("sampling")
def test_input_from_a_file_is_read_by_both_runs(tmp_path):
    text = tmp_path / "numbers.txt"
    text.write_text("\n".join(str(i) for i in range(2000)) + "\n")
    out = tmp_path / "profile.json"
    with text.open() as numbers:
        done = run(PLUMBLINE, "profile", "--roofs=no", "--caches=no", "-o", out, "--", "awk", "{ s += $1 * 0.5 } END { print s }", stdin=numbers)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "999500\n"
    (total,) = [row for row in json.loads(out.read_text())["rows"] if row["kind"] == "total"]
    assert total["flops"] >= 4000


@pytest.mark.usefixtures("sampling")
def test_input_goes_on_where_it_stood(tmp_path):
    numbers = tmp_path / "numbers.txt"
    numbers.write_text("1000\n" + "1\n" * 50)
    out = tmp_path / "profile.json"
    lines = tmp_path / "lines"  # as the counted run, the later one, leaves them
    inner = f"read first; exec {PLUMBLINE} profile --roofs=no --caches=no -o {out} -- awk '{{ s += $1 * 0.5 }} END {{ print s; print NR > \"{lines}\" }}'"
    with numbers.open() as text:
        done = run("bash", "-c", inner, stdin=text)
    assert (done.returncode, done.stdout, lines.read_text()) == (0, "25\n", "50\n"), done.stderr


@pytest.mark.usefixtures("sampling")
def test_a_signal_ends_the_timed_run_and_nothing_is_counted(tmp_path, built):
    out = tmp_path / "profile.json"
    program = f"echo begins; exec {built('shared_work.c')} 100000"
    words = [PLUMBLINE, "profile", "--roofs=no", "--caches=no", "-o", str(out), "--", "sh", "-c", program]

    def heed_interrupts():  # which are ignored in a shell's background
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=heed_interrupts) as started:
        assert started.stdout.readline() == "begins\n"
        time.sleep(1)
        started.send_signal(signal.SIGINT)
        said = started.communicate(timeout=60)[1]
    assert started.returncode == 128 + signal.SIGINT, said
    assert "times alone" in said
    row = functions(json.loads(out.read_text()))["work"]
    assert row["share"] > 0.5 and row["gflops"] is None and "signal 2" in row["reason"]


@pytest.mark.usefixtures("sampling")
def test_words_that_are_no_utf8(tmp_path):
    out = tmp_path / "profile.json"
    done = subprocess.run(
        [PLUMBLINE, "profile", "--roofs=no", "--caches=no", "-o", out, "--", "true", b"\xff"], capture_output=True, timeout=100, check=False
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(out.read_text())["rows"]


def test_what_cannot_be_profiled_is_one_line(tmp_path):
    def refused(*words, before=(), code=2):
        done = run(*before, PLUMBLINE, "profile", *words)
        assert done.returncode == code, done.stderr
        (line,) = done.stderr.strip().splitlines()
        assert line.startswith("plumbline: ")
        return line

    assert "No such file" in refused("--", "./no-such-program")
    launcher = tmp_path / "sbatch"
    launcher.write_text("#!/bin/sh\n")
    launcher.chmod(0o755)
    assert "is a launcher" in refused("--", launcher, "-n", "2", "true")
    assert "none.h5" in refused(f"--roofs={tmp_path / 'none.h5'}", "--", "true")
    line = refused("--roofs=no", "--sampling=perf", "--", "true", before=NO_PERF_EVENT)
    assert "perf_event_paranoid" in line and "--count-only" in line
    assert "both, or none" in refused("--scale-work=8", "--", "true")
    assert "it has words, of which none is known here; give a number, or numbers with + - * / and ( )" in refused("--count-args=1", "--scale-work=n*n", "--", "true")
    assert "it divides by zero" in refused("--count-args=1", "--scale-work=10/0", "--", "true")
    assert "it is -3, and not above zero" in refused("--count-args=1", "--scale-work=-3", "--", "true")
    assert "it cannot be read from column 3 on" in refused("--count-args=1", "--scale-work=2*", "--", "true")
    assert "no part of a run" in refused("--window=soon", "--", "true")
    assert "by which counts cannot be cut" in refused("--window=1s:2s", "--count-only", "--", "true")
    assert "had ended by then" in refused("--roofs=no", "--window=99s:", "--", "true")
    assert "had no such entry of a region" in refused("--roofs=no", "--window=region:a", "--", "true")
    assert "--time-only counts nothing" in refused("--time-only", "--count-only", "--", "true")


LEVEL_GBS = {"L1": 400, "L2": 100, "L3": 40, "mem": 10}


def node_with(tmp_path, name, **caches):
    """A spec of a node whose caches have these sizes, in KiB, and 8 ways; and the geometry to simulate them."""
    spec, geometry = tmp_path / f"{name}.toml", tmp_path / f"{name}_caches.toml"
    levels = [(level, f"size_bytes = {size * 1024}\nways = 8\n") for level, size in caches.items()] + [("mem", "")]
    spec.write_text(f'schema = "plumbline-spec/1"\nname = "{name}"\n' + "".join(
        f'[[ceilings]]\nname = "{level}"\nvalue = {value}\nunit = "{unit}"\nscope = "core"\nmethod = "stated"\n{size}'
        for level, value, unit, size in [(level, LEVEL_GBS[level], "GB/s", size) for level, size in levels] + [("compute fp64", 10000, "GFLOP/s", "")]))
    geometry.write_text('schema = "plumbline-geometry/1"\n' + "".join(
        f"[{level.lower()}]\nsize_bytes = {size * 1024}\nways = 8\nline_bytes = 64\n" for level, size in caches.items()))
    return spec, geometry


@pytest.mark.usefixtures("sampling")
def test_reuse_distances_place_a_program_on_the_caches_of_other_nodes(tmp_path, built, roofs):
    """A loop whose working set fits into one node's L2, and not into the other's: the bytes there are those that a simulation of either
    counts, and its time goes by the level that it then comes from."""
    program, result, factor = built("working_set.c"), tmp_path / "walked.h5", 100
    done = run(PLUMBLINE, "profile", "--caches=reuse", "--count-args=500", f"--scale-work={factor}", "-o", result, "--", program, 500 * factor, environment=roofs)
    assert done.returncode == 0 and "placed from reuse distances" in done.stderr, done.stderr
    nodes = {"large": node_with(tmp_path, "large", L1=32, L2=1024), "small": node_with(tmp_path, "small", L1=32, L2=128, L3=8192)}
    words = [word for spec, _ in nodes.values() for word in ("--to", spec)]
    document = json.loads(run(PLUMBLINE, "project", result, *words, "--method", "roofline", "--json").stdout)
    walks = {row["to"]: next(group for group in row["groups"] if group["group"].startswith("walk")) for row in document["rows"]}
    seconds = {}
    for name, (_, geometry) in nodes.items():
        counted = json.loads(run(PLUMBLINE, "profile", "--count-only", "--functions=1000", f"--caches={geometry}", "--json", "--", program, 500).stderr)
        (simulated,) = [row["levels"] for row in counted["rows"] if row["kind"] == "function" and row["name"] == "walk"]
        walk = walks[name]
        assert walk["bytes_by"] == "reuse" and walk["conflicts"] == []
        least = 0.002 * walk["target_bytes"]["L2"]  # the first sweep's lines, a 500th, are more than what a cache lets through that holds them
        behind = {"L2": "L2", "L3": "L3", "mem": "mem"} if name == "small" else {"L2": "L2", "mem": "mem"}
        for level in behind:
            assert walk["target_bytes"][level] == pytest.approx(factor * simulated[level]["bytes"], rel=0.02, abs=least), (name, level)
        assert set(walk["target_bytes"]) == {"L1", *behind}
        seconds[name] = max(1e-9 * amount / LEVEL_GBS[level] for level, amount in walk["target_bytes"].items())
    assert walks["small"]["target_bytes"]["L3"] > 100 * walks["large"]["target_bytes"]["mem"]
    assert walks["small"]["target_bytes"]["mem"] < 0.01 * walks["small"]["target_bytes"]["L3"]
    told = {row["to"]: row for row in document["rows"]}
    whole = walks["small"]["seconds"] / sum(group["seconds"] for group in told["small"]["groups"])
    assert whole > 0.9, "nothing else takes time"
    assert told["small"]["projected_seconds"] / told["large"]["projected_seconds"] == pytest.approx(seconds["small"] / seconds["large"], rel=0.15)
    assert any(note.startswith("bytes on small: placed on its caches from reuse distances") for note in document["notes"]), document["notes"]
    # What no method is named for is told by the equations, which know nothing of distances, and by the ensemble.
    preset = json.loads(run(PLUMBLINE, "project", result, *words, "--json").stdout)
    assert [row["method"] for row in preset["rows"]] == ["bandwidth", "ensemble"] * 2
    shown = json.loads(run(PLUMBLINE, "show", result, "--json").stdout)
    (row,) = [row for row in shown["profile"]["rows"] if row["kind"] == "function" and row["name"] == "walk"]
    assert sum(bucket[2] for bucket in row["reuse"]["buckets"]) == pytest.approx(3072 * 500 * factor, rel=0.01)
    loops = [row for row in shown["profile"]["rows"] if row["kind"] == "loop"]
    assert loops and all(row["bound"] is None for row in loops), "nobody knows what a loop moves behind L1"
