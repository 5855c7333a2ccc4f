# SPDX-License-Identifier: BSD-3-Clause
"""plumbline profile --gpu times all launches in a run of its own, by CUPTI's activities: what one run counted is scaled to what the other
timed. The stand-in's kernels take a microsecond a unit of work, and a byte of a copy a nanosecond.
"""

import pytest
from launching_program import (ADD, by_name, launching, notes, only, plumbline, process, processes, profile, rows,  # noqa: F401
                               with_cupti, with_nvtx)

pytestmark = with_cupti


def test_the_first_launches_are_counted_and_scaled_to_all_and_the_table_the_rows_and_the_notes_say_so(profile):
    document, ended = profile("launch=axpy,10,1200", "launch=once,7", options=["--launches", "8"])
    row, once = by_name(document)["axpy"], by_name(document)["once"]
    assert (row["launches"], row["counted_launches"], row["scale"], row["counts"][ADD]) == (1200, 8, 150, 80)
    assert (once["launches"], once["counted_launches"], once["scale"]) == (1, 1, 1)
    assert row["flops_by_precision"]["fp64"] == pytest.approx(1200 * once["flops_by_precision"]["fp64"] * 10 / 7)
    assert row["seconds"] == pytest.approx(1200 * 10e-6) and row["longest_seconds"] == pytest.approx(10e-6)
    assert row["gflops"] == pytest.approx(row["flops"] / row["seconds"] / 1e9)
    assert row["share"] == pytest.approx(12000 / 12007) and row["first_threads_ratio"] == 1
    assert "8 of 1200" in ended.stderr and "9 of 1201 launches of 2 kernels counted" in ended.stderr
    assert "of each kernel the first 8 launches" in notes(document) and "FLOPs and bytes of 1 kernel are scaled to all launches" in notes(document)
    total = only(document, "total")
    assert total["time_by"] == "activities" and total["flops"] == row["flops"] + once["flops"]
    assert total["seconds"] == pytest.approx(12007e-6) and total["wall_seconds"] > 0
    assert ended.stdout == "the program's own words\n", "the counted run is not heard"


def test_first_launches_that_are_not_like_the_others_are_said(profile):
    document, _ = profile("launch=grows,1,2", "launch=grows,5,2", options=["--launches", "2"])
    assert by_name(document)["grows"]["first_threads_ratio"] == pytest.approx(1 / 3)
    assert "the first launches are not like the others in 1 kernel (first: grows" in notes(document)


def test_kernels_in_graphs_have_times_and_those_that_ran_nowhere_else_no_counts(profile):
    document, _ = profile("launch=both,3", "begin_capture", "launch=both,3", "launch=node,2", "end_capture", "graph", "graph")
    both, node = by_name(document)["both"], by_name(document)["node"]
    assert (both["launches"], both["graph_launches"], both["counted_launches"], both["status"]) == (3, 2, 1, "ok")
    assert both["seconds"] == pytest.approx(9e-6)
    assert (node["launches"], node["graph_launches"], node["flops"]) == (2, 2, None)
    assert node["seconds"] == pytest.approx(4e-6) and "CUDA graphs alone" in node["reason"]
    total = only(document, "total")
    assert total["kernels_without_counts"] == 1 and total["share_without_counts"] == pytest.approx(4 / 13)


def test_kernels_without_flops_are_rows_with_their_number_and_their_share_of_time(profile):
    # A kernel whose name begins with "copy" does no arithmetic here.
    document, ended = profile("launch=copy_rows,30,3", "launch=axpy,10")
    moves = by_name(document)["copy_rows"]
    assert (moves["flops"], moves["status"]) == (0, "ok") and moves["levels"]["mem"]["bytes"] > 0
    total = only(document, "total")
    assert (total["kernels_without_flops"], total["launches_without_flops"]) == (1, 3)
    assert total["share_without_flops"] == pytest.approx(0.9)
    assert "without FLOPs: 1 kernel, 3 launches, 90.0 % of the time of all kernels" in ended.stderr


def test_copies_and_settings_of_memory_stand_besides_the_kernels(profile):
    document, ended = profile("copy=4000", "copy=1000", "set=64", "launch=a,1")
    copies = by_name(document, "copies")
    assert (copies["copy host to device"]["number"], copies["copy host to device"]["bytes"]) == (2, 5000)
    assert copies["copy host to device"]["seconds"] == pytest.approx(5e-6) and copies["set memory"]["bytes"] == 64
    assert "besides kernels" in ended.stderr


def test_marks_and_the_profilers_start_and_stop_are_regions_with_what_was_launched_in_them(profile):
    document, ended = profile("launch=a,1", "mark=solve", "launch=a,2", "profile", "launch=b,4", "unprofile", "unmark=solve", "launch=a,8")
    regions = by_name(document, "region")
    assert set(regions) == {"solve", "cudaProfilerStart"}
    solve, profiled = regions["solve"], regions["cudaProfilerStart"]
    assert (solve["entries"], solve["launches"], solve["kernels"], solve["open"]) == (1, 2, 2, False)
    assert solve["seconds"] == pytest.approx(6e-6) and solve["wall_seconds"] > 0
    assert (profiled["launches"], profiled["flops"]) == (1, by_name(document)["b"]["flops"])
    assert solve["flops"] == profiled["flops"] + 2 / 11 * by_name(document)["a"]["flops"]
    phases = {tuple(phase["regions"]): phase["launches"] for phase in by_name(document)["a"]["phases"]}
    assert phases == {(): 2, ("solve",): 1}
    assert "cudaProfilerStart" in ended.stderr


@with_nvtx
def test_nvtx_ranges_are_regions_of_their_thread_those_that_were_started_of_the_process(profile):
    document, _ = profile("push=step", "launch=a,1", "push=inner", "launch=a,2", "pop", "pop", "start=whole", "launch=a,4", "domain=lib,solve",
                          "launch=a,8", "end", "launch=a,16", "leave", "wide=caf", "launch=a,32")
    regions = by_name(document, "region")
    times = {name: round(region["seconds"] * 1e6) for name, region in regions.items()}
    assert times == {"step": 3, "inner": 2, "whole": 12, "lib/solve": 24, "caf\u00e9": 32}
    assert {name for name, region in regions.items() if region["open"]} == {"caf\u00e9"}
    assert all(region["status"] == "ok" for region in regions.values())


@with_nvtx
def test_a_tool_that_nvtx_already_tells_is_left_alone_and_said(profile):
    document, _ = profile("push=step", "launch=a,1", "pop", NVTX_INJECTION64_PATH="/nowhere.so")
    assert not rows(document, "region") and "NVTX_INJECTION64_PATH is set (/nowhere.so)" in notes(document)


def test_runs_that_did_not_do_the_same_are_not_joined(profile):
    document, _ = profile("launch=a,1", "once=PLUMBLINE_KERNELS_METRICS,launch=a,1", "launch=b,1",
                          "once=PLUMBLINE_KERNELS_METRICS,launch=c,1")
    kernels = by_name(document)
    assert kernels["a"]["flops"] is None
    assert "launched once in the timed run and 2 times in the counted one" in kernels["a"]["reason"]
    assert kernels["b"]["status"] == "ok" and kernels["c"]["reason"] == "the timed run did not launch it"
    assert (kernels["c"]["launches"], kernels["c"]["seconds"]) == (0, None)
    assert "2 kernels did not do the same in both runs" in notes(document)


def test_time_alone_needs_no_right_to_profile(profile):
    document, ended = profile("launch=a,3,2", options=["--time-only"], STAND_IN_CUPTI_ENABLE="35")
    row = by_name(document)["a"]
    assert (row["launches"], row["flops"], row["reason"]) == (2, None, "nothing was counted: --time-only")
    assert row["seconds"] == pytest.approx(6e-6) and not processes(document)
    assert ended.stderr.startswith("\nTimed on GPUs: ")


@pytest.mark.parametrize("how, code, words", [
    ("refused=27", 1, "not supported on this GPU or with this driver (CUPTI error 27 of cuptiActivityEnable)"),
    ("nothing", 1, "CUPTI delivered no record of 4 launches"),
    ("drops=1", 1, "CUPTI delivered no record of 4 launches, and dropped"),
])
def test_activities_that_are_refused_or_do_not_come_are_one_line_with_the_reason(profile, how, code, words):
    document, ended = profile("launch=a,1,4", code=code, STAND_IN_CUPTI_ACTIVITIES=how)
    assert ended.stderr.startswith("plumbline: launching: it ran, but its kernels were not timed: ") and words in ended.stderr.splitlines()[0]
    assert ended.stdout == "the program's own words\n"
    row = by_name(document)["a"]
    assert (row["counted_launches"], row["counts"][ADD]) == (4, 4), "what was counted is not lost"
    document, ended = profile("launch=a,1,4", code=2, options=["--time-only"], STAND_IN_CUPTI_ACTIVITIES=how)
    assert words in ended.stderr.splitlines()[0] and not rows(document, "kernel")


def test_dropped_records_are_counted_and_nothing_is_joined_on_a_guess(profile):
    document, _ = profile("launch=a,1,10", "launch=b,1", code=1, STAND_IN_CUPTI_ACTIVITIES="drops=4")
    assert process(document, "timed")["dropped_records"] >= 2 and process(document, "timed")["called_launches"] == 11
    row = by_name(document)["a"]
    assert row["launches"] < 10 and row["flops"] is None and "records of the timed run are missing" in row["reason"]
    assert "CUPTI dropped" in notes(document)


def test_kernels_without_times_are_said(profile):
    document, _ = profile("launch=a,1,9", code=1, STAND_IN_CUPTI_ACTIVITIES="no_times=5 small")
    assert process(document, "timed")["untimed_records"] == 1 and "CUPTI gave no times in 1 record" in notes(document)


def test_a_killed_program_keeps_the_records_that_had_come(profile):
    document, _ = profile("launch=a,1,10", "signal=9", code=137, STAND_IN_CUPTI_ACTIVITIES="small")
    assert 3 <= by_name(document)["a"]["launches"] <= 9
    assert "records of what it launched last are missing" in notes(document)


def test_launches_cost_what_the_roofs_say(profile, tmp_path):
    ended = plumbline("profile", "--gpu", "--roofs", tmp_path / "none.h5", "--", "/bin/true")
    assert ended.returncode == 2 and "none.h5" in ended.stderr
    ended = plumbline("profile", "--gpu", "--roofs", "measure", "--", "/bin/true")
    assert ended.returncode == 2 and "plumbline run gpu_quick" in ended.stderr
    document, _ = profile("launch=a,1")
    assert by_name(document)["a"]["overhead_seconds"] is None and "nothing says what launches cost" in notes(document)


def test_a_wrong_number_of_launches_is_refused():
    ended = plumbline("profile", "--gpu", "--launches", "some", "--", "/bin/true")
    assert ended.returncode == 2 and "'some' is not all, or a whole number" in ended.stderr
