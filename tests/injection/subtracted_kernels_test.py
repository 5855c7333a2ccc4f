# SPDX-License-Identifier: BSD-3-Clause
"""plumbline profile --gpu --subtract FILE.h5: an earlier run is taken away, as Yang, Kurth and Williams (2019) excluded the kernels that make
random input, and the rounds that warm up. The stand-in's kernels take a microsecond a unit of work.
"""

import json
import os

import pytest
from launching_program import launching, plumbline, with_cupti  # noqa: F401

pytestmark = with_cupti

WARM_UP = ["mark=step", "launch=conv,10,5", "unmark=step"]
MEASURED = ["mark=step", "launch=conv,10,20", "unmark=step"]
INPUT = ["launch=random,7,25", "copy=1000"]


@pytest.fixture
def profile(tmp_path, launching):  # noqa: F811
    def of_words(name, *words, options=(), before=(), code=0, **environment):
        ended = plumbline("profile", "--gpu", "-o", tmp_path / name, *options, "--", *before, launching, *words, STAND_IN_CUPTI_ALIKE="1", **environment)
        assert ended.returncode == code, ended.stdout + ended.stderr
        return ended

    return of_words


def rows(path, kind):
    ended = plumbline("show", path, "--json", gpus_here=False)
    assert ended.returncode == 0, ended.stderr
    return {row["name"] or row["rank"]: row for row in json.loads(ended.stdout)["profile"]["rows"] if row["kind"] == kind}


def of_json(path, kind):
    return {row["name"]: row for row in json.loads(path.read_text())["rows"] if row["kind"] == kind}


def test_kernels_of_the_input_and_rounds_that_warm_up_are_taken_away(profile, tmp_path):
    profile("calibrate.h5", *INPUT, *WARM_UP)
    profile("only.json", *MEASURED, options=["--launches", "all"])
    ended = profile("part.h5", *INPUT, *WARM_UP, *MEASURED, options=["--subtract", tmp_path / "calibrate.h5"])
    kernels, only = rows(tmp_path / "part.h5", "kernel"), of_json(tmp_path / "only.json", "kernel")
    assert set(kernels) == {"conv"}, "as many launches of the other in both runs"
    conv, expected = kernels["conv"], only["conv"]
    assert conv["launches"] == 20 and conv["seconds"] == pytest.approx(200e-6) and conv["share"] == 1
    assert (conv["flops"], conv["gflops"]) == (expected["flops"], pytest.approx(expected["gflops"]))
    for level, told in expected["levels"].items():
        assert conv["levels"][level]["bytes"] == told["bytes"], level
    assert "/minus=calibrate/" in conv["case"]
    step = rows(tmp_path / "part.h5", "region")["step"]
    assert (step["entries"], step["launches"], step["seconds"], step["flops"]) == (1, 20, pytest.approx(200e-6), expected["flops"])
    assert not rows(tmp_path / "part.h5", "copies")
    assert "minus an earlier run: " in ended.stderr and "of 1 of 2 kernels it had as many launches as this run" in " ".join(ended.stderr.split())
    assert ended.stderr.strip("\n") in plumbline("show", tmp_path / "part.h5", gpus_here=False).stdout


def test_ranks_are_taken_away_by_rank(profile, tmp_path):
    launcher = os.environ.get("PLUMBLINE_TEST_MPIEXEC")
    if not launcher:
        pytest.skip("SKIP: mpich is not installed")
    profile("calibrate.h5", *INPUT, before=[launcher, "-n", "2"])
    profile("part.h5", *INPUT, *MEASURED, options=["--subtract", tmp_path / "calibrate.h5"], before=[launcher, "-n", "2"])
    conv = rows(tmp_path / "part.h5", "kernel")["conv"]
    assert (conv["launches"], conv["seconds"]) == (40, pytest.approx(200e-6))
    assert [row["launches"] for row in rows(tmp_path / "part.h5", "rank").values()] == [20, 20]
    ended = profile("one.h5", *INPUT, *MEASURED, options=["--subtract", tmp_path / "calibrate.h5"], code=2)
    assert ended.stderr.startswith("plumbline: --subtract: nothing was taken away: ") and "is of 2 ranks, and this run of 1" in ended.stderr


@pytest.mark.parametrize("words, options, why", [
    (["launch=random,7,24"], [], "has more launches of random (25) than this run (24)"),
    (["launch=random,6,25"], [], "has more time of random (175 us) than this run (150 us)"),
    (["launch=other,7,25"], [], "has more launches of random (25) than this run (0)"),
])
def test_what_is_more_in_the_earlier_run_is_refused_and_the_profile_is_kept(profile, tmp_path, words, options, why):
    profile("calibrate.h5", *INPUT)
    ended = profile("whole.h5", *words, options=[*options, "--subtract", tmp_path / "calibrate.h5"], code=2)
    first = ended.stderr.splitlines()[0]
    assert first.startswith("plumbline: --subtract: nothing was taken away: ") and why in first, first
    assert sum(row["launches"] for row in rows(tmp_path / "whole.h5", "kernel").values()) >= 24
    assert "all of this is the whole run's" in " ".join(ended.stderr.split())


def test_times_alone_are_less_those_of_a_profile_with_counts(profile, tmp_path):
    profile("calibrate.h5", *INPUT)
    profile("part.h5", *INPUT, *MEASURED, options=["--time-only", "--subtract", tmp_path / "calibrate.h5"])
    (conv,) = rows(tmp_path / "part.h5", "kernel").values()
    assert (conv["name"], conv["launches"], conv["flops"]) == ("conv", 20, None) and conv["seconds"] == pytest.approx(200e-6)


def test_profiles_that_are_not_alike_are_refused_before_anything_runs(profile, tmp_path):
    profile("calibrate.h5", *INPUT)
    earlier = ["--subtract", tmp_path / "calibrate.h5"]

    def refused(*options, program=None):
        if program is None:
            ended = profile("no.h5", *MEASURED, options=[*earlier, *options], code=2)
        else:
            ended = plumbline("profile", *options, *earlier, "--", program)
        assert ended.returncode == 2 and ended.stdout == "" and len(ended.stderr.splitlines()) == 1, ended.stderr
        return ended.stderr

    assert "its counts are of the first 16 launches of a kernel, and these of 3 (--launches)" in refused("--launches", "3")
    assert "is of another program: launching, and this is true" in refused("--gpu", program="/bin/true")
    assert "it does not go with --count-only" in refused("--count-only", program="/bin/true")
    profile("timed.h5", *INPUT, options=["--time-only"])
    earlier[1] = tmp_path / "timed.h5"
    assert "it has times alone" in refused()
