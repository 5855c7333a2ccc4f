"""jobs/peers.sh for real: one round of few lines. No speed is asserted, only that everybody was measured and what is told."""

import json
import os
import pathlib
import shutil
import subprocess

import pytest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "jobs" / "peers.sh"

needs_compiler = pytest.mark.skipif(shutil.which("cc") is None and "CC" not in os.environ, reason="no C compiler (cc)")


def peers(*arguments, seconds=200, **environment):
    return subprocess.run(["bash", SCRIPT, *map(str, arguments)], env=dict(os.environ, **environment), capture_output=True, text=True, timeout=seconds)


def path_without_likwid(folder):
    """Everything of PATH but likwid-bench."""
    for place in os.environ["PATH"].split(":"):
        for program in pathlib.Path(place).iterdir() if pathlib.Path(place).is_dir() else ():
            link = folder / program.name
            if program.name != "likwid-bench" and not link.is_symlink():
                link.symlink_to(program)
    return str(folder)


@needs_compiler
@pytest.mark.skipif(shutil.which("likwid-bench") is None, reason="likwid-bench is not installed (apt install likwid)")
def test_one_round_measures_everybody_and_keeps_every_value(tmp_path):
    kept = tmp_path / "found.json"
    done = peers("--rounds", 1, "--no-carm", "--only", "L1 load", "-o", kept)
    assert done.returncode == 0, done.stderr
    found = json.loads(kept.read_text())
    assert found["schema"] == "plumbline-peers/1"
    assert f"--rounds 1 --no-carm --only 'L1 load' -o {kept}" in found["command"]
    assert found["machine"]["cpu"] and found["machine"]["cache_bytes"]["L1"] > 0
    assert {row["cores"] for row in found["rows"]} == {1, found["machine"]["cores"]}
    for row in found["rows"]:
        assert len(row["ours"]["rounds"]) == 1 and row["ours"]["median"] > 0
        assert sorted(peer["kind"] for peer in row["peers"]) == ["likwid", "loop"]
        assert all(peer["median"] > 0 for peer in row["peers"])
        best = max(peer["median"] for peer in row["peers"])
        assert row["ratio_to_best_peer"] == pytest.approx(row["ours"]["median"] / best, rel=1e-3)
        (likwid,) = [peer for peer in row["peers"] if peer["kind"] == "likwid"]
        assert len(likwid["tried"]) > 1 and any(likwid["name"] == f"likwid-bench {test}" for test in likwid["tried"])
        assert row["form"] and row["runners_up"]
    assert "L1 load" in done.stdout and "0.98 of best peer" in done.stdout


@needs_compiler
def test_without_likwid_its_absence_is_told_and_the_rest_is_measured(tmp_path):
    folder = tmp_path / "bin"
    folder.mkdir()
    kept = tmp_path / "found.json"
    done = peers("--rounds", 1, "--no-carm", "--only", "FP64 vector FMA", "-o", kept, PATH=path_without_likwid(folder))
    assert done.returncode == 0, done.stderr
    skip = "SKIP likwid-bench: not installed (apt install likwid)"
    assert done.stdout.splitlines()[0] == skip
    found = json.loads(kept.read_text())
    assert found["peers"]["likwid-bench"] == skip and skip in found["notes"]
    assert all([peer["kind"] for peer in row["peers"]] == ["loop"] for row in found["rows"])
    assert all(row["ours"]["median"] > 0 for row in found["rows"])


@needs_compiler
def test_a_program_that_fails_ends_the_session_with_one_line(tmp_path):
    failing = tmp_path / "plumbline"
    failing.write_text("#!/bin/sh\necho 'plumbline: this one always fails' >&2\nexit 3\n")
    failing.chmod(0o755)
    done = peers("--rounds", 1, "--no-carm", "--only", "FP64 scalar FMA", PLUMBLINE=str(failing))
    assert done.returncode == 1
    said = done.stderr.splitlines()[-1]
    assert said.startswith("peers: ") and "exit code 3" in said and "this one always fails" in said


def test_a_missing_plumbline_is_told(tmp_path):
    done = peers("--rounds", 1, "--no-carm", "--only", "FP64 scalar FMA", PLUMBLINE=str(tmp_path / "none"))
    assert done.returncode == 1
    assert "there is no plumbline at" in done.stderr


@pytest.mark.parametrize(
    "wrong, said",
    [
        (["--rounds", "0"], "at least 1"),
        (["--only", "L9 load"], "no line is named L9 load; there are: FP64 vector FMA"),
        (["--quick"], "unrecognized arguments"),
        (["-o", "/nowhere/found.json"], "there is no folder /nowhere"),
    ],
)
def test_wrong_use_ends_with_2_before_anything_runs(wrong, said):
    done = peers(*wrong, seconds=20)
    assert done.returncode == 2
    assert said in done.stderr
