"""jobs/emulator_speed.sh for real, shortened. No speed is asserted, only that everything was measured; the table is printed and kept."""

import json
import math
import os
import pathlib
import shutil
import subprocess

import pytest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "jobs" / "emulator_speed.sh"

needs_compiler = pytest.mark.skipif(shutil.which("gcc") is None and shutil.which("cc") is None, reason="no C compiler (gcc, cc)")


def speed(*arguments, seconds=200, **environment):
    return subprocess.run(["bash", SCRIPT, *map(str, arguments)], env=dict(os.environ, **environment), capture_output=True, text=True, timeout=seconds)


def is_positive(number):
    return isinstance(number, (int, float)) and math.isfinite(number) and number > 0


def numbers_below(value):
    if isinstance(value, dict):
        return [number for one in value.values() for number in numbers_below(one)]
    if isinstance(value, list):
        return [number for one in value for number in numbers_below(one)]
    return [] if isinstance(value, str) else [value]


@needs_compiler
def test_every_cell_of_the_table_is_a_number(tmp_path, capsys):
    kept = tmp_path / "speed.json"
    done = speed("--quick", "--json", kept)
    assert done.returncode == 0, done.stderr
    with capsys.disabled():
        print("\n" + done.stdout)
    if "PLUMBLINE_TEST_SPEED_TABLE" in os.environ:
        pathlib.Path(os.environ["PLUMBLINE_TEST_SPEED_TABLE"]).write_text(done.stdout)
    found = json.loads(kept.read_text())
    assert found["schema"] == "plumbline-emulator-speed/1"
    assert len(found["rows"]) == 10
    for row in found["rows"]:
        assert set(row["slowdown"]) == {"none", "cachegrind", "counts", "caches", "outside", "never"}
        assert all(is_positive(number) for number in numbers_below(row)), row
        assert all(row["of_cachegrind"][mode]["met"] in ("yes", "no") for mode in ("counts", "caches"))
    assert {(cost["name"], cost["mode"]) for cost in found["costs"]} == {
        (name, mode) for mode in ("counts", "caches")
        for name in ("start-up, CPU", "reading a region", "entering and leaving a region", "32 threads over one, equal work")}
    assert all(is_positive(number) for number in numbers_below(found["start_up"]))
    for cost in found["costs"]:  # what a region costs is a difference of short measurements here
        assert all(math.isfinite(number) if "region" in cost["name"] else is_positive(number) for number in numbers_below(cost)), cost
    for line in ("triad in L1", "triad in memory", "Horner n=8", "stencil7", "dgemm 128", "start-up, CPU", "outside regions over never counting"):
        assert line in done.stdout


@pytest.mark.whole
@needs_compiler
def test_loops_can_be_chosen(tmp_path):
    kept = tmp_path / "speed.json"
    done = speed("--quick", "--rounds", 1, "--only", "Horner n=8, *v3", "--json", kept)
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(kept.read_text())["rows"]
    assert row["name"] == "Horner n=8"
    assert all(len(values) == 1 for values in row["seconds_by_round"].values())


def test_a_missing_tool_is_told(tmp_path):
    done = speed("--quick", VALGRIND_LIB=str(tmp_path))
    assert done.returncode == 1
    (said,) = done.stderr.splitlines()
    assert said.startswith("emulator_speed: there is no plumbline-amd64-linux in ")


@needs_compiler
def test_a_tool_that_fails_ends_the_session_with_one_line(tmp_path):
    failing = tmp_path / "valgrind"
    failing.write_text("#!/bin/sh\necho 'valgrind: this one always fails' >&2\nexit 3\n")
    failing.chmod(0o755)
    done = speed("--quick", PATH=f"{tmp_path}:{os.environ['PATH']}")
    assert done.returncode == 1
    said = done.stderr.splitlines()[-1]
    assert said.startswith("emulator_speed: ") and "exit code 3" in said and "this one always fails" in said


@pytest.mark.parametrize(
    "wrong, said",
    [
        (["--rounds", "0"], "at least 1"),
        (["--only", "quicksort"], "no loop is named quicksort; there are: triad in L1, -O2 x86-64"),
        (["--fast"], "unrecognized arguments"),
        (["--json", "/nowhere/speed.json"], "there is no folder /nowhere"),
    ],
)
def test_wrong_use_ends_with_2_before_anything_runs(wrong, said):
    done = speed(*wrong, seconds=20)
    assert done.returncode == 2
    assert said in done.stderr
