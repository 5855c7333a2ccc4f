# SPDX-License-Identifier: BSD-3-Clause
"""plumbline profile --gpu -- mpiexec -n 2 program: each rank is injected by itself in two launches, and the ranks are merged by kernel."""

import json
import os

import pytest
from launching_program import ADD, by_name, launching, notes, only, plumbline, rows, with_cupti  # noqa: F401

pytestmark = with_cupti

LAUNCHERS = {
    "mpich": (os.environ.get("PLUMBLINE_TEST_MPIEXEC"), (), lambda name, value: ("-env", name, value)),
    "openmpi": (os.environ.get("PLUMBLINE_TEST_OPENMPI_MPIRUN"), ("--oversubscribe", "--allow-run-as-root", "--bind-to", "none"),
                lambda name, value: ("-x", f"{name}={value}")),
}


@pytest.fixture(params=LAUNCHERS)
def launch(request, launching):  # noqa: F811
    """Gives the words that launch the program once for each of these lists of words, each rank with a GPU of its own."""
    launcher, options, variable = LAUNCHERS[request.param]
    if not launcher:
        pytest.skip(f"SKIP: {request.param} is not installed")

    def words(*ranks, shares=False):
        line = [launcher]
        for rank, its in enumerate(ranks):
            line += [*([":"] if rank > 0 else options), "-n", "1", *variable("CUDA_VISIBLE_DEVICES", "0" if shares else str(rank)), launching, *its]
        return line

    return words


@pytest.fixture
def profile(tmp_path):
    def of_launch(words, options=(), code=0, name="profile.json", **environment):
        ended = plumbline("profile", "--gpu", "-o", tmp_path / name, *options, "--", *words, **environment)
        assert ended.returncode == code, ended.stdout + ended.stderr
        assert not [path for path in tmp_path.iterdir() if path.name.startswith(".plumbline")], "the folder where the ranks met is removed"
        return ended if name.endswith(".h5") else (json.loads((tmp_path / name).read_text()), ended)

    return of_launch


def test_ranks_are_timed_and_counted_and_merged_by_kernel(profile, launch):
    document, ended = profile(launch(["launch=axpy,10,100", "launch=own,5"], ["launch=axpy,30,100"]))
    assert ended.stdout == 2 * "the program's own words\n", "each rank is heard once"
    axpy, own, total = by_name(document)["axpy"], by_name(document)["own"], only(document, "total")
    assert (axpy["ranks"], axpy["gpus"], axpy["launches"], axpy["counted_launches"], axpy["status"]) == (2, 2, 200, 32, "ok")
    assert axpy["seconds"] == pytest.approx(3e-3), "that of the longest rank"
    assert axpy["imbalance"] == pytest.approx(1.5) and own["imbalance"] is None
    assert axpy["share"] == pytest.approx(4000 / 4005)
    # Ranks of other work are scaled each by itself: 100 of 16 launches, of 10 and of 30 units.
    assert axpy["counts"][ADD] == 16 * 40 and axpy["flops"] == 800 * own["flops"]
    assert axpy["gflops"] == pytest.approx(axpy["flops"] / 3e-3 / 1e9)
    assert (total["ranks"], total["processes"], total["time_by"]) == (2, 2, "activities") and total["seconds"] == pytest.approx(3e-3)
    ranks = {row["rank"]: row for row in rows(document, "rank")}
    assert [ranks[rank]["launches"] for rank in (0, 1)] == [101, 100]
    assert [ranks[rank]["seconds"] for rank in (0, 1)] == [pytest.approx(1.005e-3), pytest.approx(3e-3)]
    assert [ranks[rank]["flops"] for rank in (0, 1)] == [201 * own["flops"], 600 * own["flops"]]
    for rank, row in ranks.items():
        assert row["device"] == f"0: Stand-in GPU (GPU-00000000-0000-0000-0000-{rank:012})" and row["host"] and row["wall_seconds"] > 0
    phases = {phase["rank"]: phase["launches"] for phase in axpy["phases"]}
    assert phases == {0: 100, 1: 100}
    assert "2 ranks, 2 processes, 33 of 201 launches of 2 kernels counted" in ended.stderr and "imbalance" in ended.stderr
    assert "ranks shared a GPU" not in notes(document)


def test_ranks_that_share_a_gpu_are_said(profile, launch):
    document, _ = profile(launch(["launch=a,1"], ["launch=a,1"], shares=True))
    assert by_name(document)["a"]["gpus"] == 1
    assert "ranks shared a GPU (GPU-00000000-0000-0000-0000-000000000000 by ranks 0, 1)" in notes(document)


def test_a_result_file_has_the_rate_of_all_gpus(profile, launch, tmp_path):
    ended = profile(launch(["launch=a,10,2"], ["launch=a,10,2"]), name="ranks.h5", STAND_IN_CUPTI_ALIKE="1")
    shown = plumbline("show", tmp_path / "ranks.h5", "--json", gpus_here=False)
    document = json.loads(shown.stdout)
    cases = {row["case"]: row for row in document["rows"]}
    (kernel,) = [row for row in document["profile"]["rows"] if row["kind"] == "kernel"]
    assert kernel["case"].endswith("/part=a/g2/cuda-sm_90")
    assert cases[kernel["case"]]["gflops"] == pytest.approx(kernel["gflops"]) and kernel["imbalance"] == 1
    assert {row["rank"] for row in document["profile"]["rows"] if row["kind"] == "rank"} == {0, 1}
    assert ended.stderr.strip("\n") in plumbline("show", tmp_path / "ranks.h5", gpus_here=False).stdout


def test_what_differs_on_a_rank_is_told_with_the_rank(profile, launch):
    document, _ = profile(launch(["launch=a,1"], ["launch=a,1", "once=PLUMBLINE_KERNELS_METRICS,launch=a,1"]))
    row = by_name(document)["a"]
    assert row["flops"] is None and row["reason"].startswith("it was launched on rank 1 once in the timed run and 2 times in the counted one")


def test_each_launch_by_itself_and_the_exit_code_of_a_rank(profile, launch):
    document, ended = profile(launch(["launch=a,3,2"], ["launch=a,3,2"]), options=["--time-only"])
    row = by_name(document)["a"]
    assert (row["launches"], row["flops"]) == (4, None) and row["seconds"] == pytest.approx(6e-6)
    document, ended = profile(launch(["launch=a,3,2"], ["launch=a,3,2"]), options=["--count-only"])
    assert by_name(document)["a"]["counts"][ADD] == 12 and only(document, "total")["time_by"] == "counters"
    assert ended.stdout == 2 * "the program's own words\n"
    _, ended = profile(launch(["launch=a,1"], ["launch=a,1", "exit=7"]), options=["--time-only"], code=7)
    assert "the program ended with exit 7" in ended.stderr


def test_counters_that_are_refused_leave_the_times(profile, launch):
    document, ended = profile(launch(["launch=a,4"], ["launch=a,4"]), code=2, STAND_IN_CUPTI_ENABLE="35")
    assert by_name(document)["a"]["seconds"] == pytest.approx(4e-6)
    assert "it ran, but its kernels were not counted" in ended.stderr


def test_times_are_not_lost_where_the_counted_launch_dies(profile, launch):
    die = "once=PLUMBLINE_KERNELS_METRICS,signal=9"
    document, _ = profile(launch(["launch=a,4", die], ["launch=a,4", die]), code=1)
    row = by_name(document)["a"]
    assert row["seconds"] == pytest.approx(4e-6) and row["flops"] is None
    assert "the timed launch ended with exit 0, the counted one with exit" in notes(document)


def test_what_cannot_be_launched_is_one_line(launch, tmp_path):
    ended = plumbline("profile", "--gpu", "--", *launch(["launch=a,1"])[:-2], "./no-such-program")
    assert ended.returncode == 2 and "names no program" in ended.stderr and len(ended.stderr.splitlines()) == 1
    ended = plumbline("profile", "--gpu", "-o", tmp_path / "none" / "x.json", "--", *launch(["launch=a,1"]))
    assert ended.returncode in (1, 2) and ended.stdout == "" and len(ended.stderr.splitlines()) == 1
