"""Slow-downs and ratios are formed and judged as stated, and the goals are those stated."""

import pathlib
import sys

import pytest

JOBS = pathlib.Path(__file__).resolve().parents[2] / "jobs"
sys.path[:0] = [str(JOBS / "emulator_speed"), str(JOBS / "peers")]
import slowdowns  # noqa: E402
from rounds import Session  # noqa: E402
from tools import TOOLS  # noqa: E402


def seconds(native=1.0, none=30.0, cachegrind=100.0, counts=10.0, caches=40.0, outside=8.0, never=8.0, rounds=1):
    return {tool: [value] * rounds for tool, value in {"native": native, "none": none, "cachegrind": cachegrind, "counts": counts, "caches": caches,
                                                       "outside": outside, "never": never}.items()}


def line(loop, flavor):
    (only,) = [one for one in slowdowns.LINES if one.loop == loop and one.flavor == flavor]
    return only


def test_a_slowdown_is_over_the_native_time_and_a_ratio_over_cachegrinds():
    judged = slowdowns.judge_line(line("triad_l1", slowdowns.SCALAR), seconds(native=0.5))
    assert judged["slowdown"]["none"] == 60 and judged["slowdown"]["caches"] == 80
    assert judged["of_cachegrind"]["counts"]["reached"] == 0.1
    assert judged["of_cachegrind"]["caches"]["reached"] == 0.4


def test_ratios_are_of_the_same_round():
    """The second round ran at half speed for everybody: no ratio changes."""
    disturbed = {tool: [values[0], 2 * values[0], values[0]] for tool, values in seconds().items()}
    assert slowdowns.judge_line(line("dgemm", slowdowns.VECTOR), disturbed)["of_cachegrind"]["caches"]["reached"] == 0.4
    assert slowdowns.judge_line(line("dgemm", slowdowns.VECTOR), disturbed)["slowdown"]["cachegrind"] == 100


@pytest.mark.parametrize("loop, flavor, goal", [("triad_l1", slowdowns.SCALAR, 0.75), ("horner", slowdowns.SCALAR, 0.75), ("triad_memory", slowdowns.VECTOR, 0.5),
                                                ("horner", slowdowns.VECTOR, 0.1)])
def test_caches_are_judged_by_the_kind_of_code(loop, flavor, goal):
    judged = slowdowns.judge_line(line(loop, flavor), seconds(caches=100 * goal))["of_cachegrind"]["caches"]
    assert (judged["goal"], judged["met"]) == (goal, "yes")
    assert slowdowns.judge_line(line(loop, flavor), seconds(caches=100 * goal + 1))["of_cachegrind"]["caches"]["met"] == "no"


def test_counts_are_to_take_a_fifth_of_cachegrinds_time():
    assert slowdowns.judge_line(line("stencil7", slowdowns.VECTOR), seconds(counts=20.0))["of_cachegrind"]["counts"]["met"] == "yes"
    assert slowdowns.judge_line(line("stencil7", slowdowns.VECTOR), seconds(counts=21.0))["of_cachegrind"]["counts"]["met"] == "no"


def test_code_outside_regions_is_held_against_never_counting():
    assert slowdowns.judge_line(line("horner", slowdowns.SCALAR), seconds(outside=8.0, never=8.0))["outside"]["met"] == "yes"
    assert slowdowns.judge_line(line("horner", slowdowns.SCALAR), seconds(outside=12.0, never=8.0))["outside"]["met"] == "no"


def test_a_cost_is_told_in_its_own_unit():
    judged = slowdowns.judge_cost(slowdowns.READ, "counts", [4e-4, 9e-4, 6e-4])  # a hundred reads each
    assert judged["reached"] == pytest.approx(6.0) and judged["met"] == "no" and judged["unit"] == "us"


def test_what_a_read_costs_is_what_the_work_takes_longer_with_it():
    assert slowdowns.beyond([5.0, 7.0], [4.0, 5.0]) == [1.0, 2.0]


def test_every_loop_is_there_scalar_and_vectorized():
    assert len(slowdowns.LINES) == 10
    assert {one.loop for one in slowdowns.LINES if one.flavor == slowdowns.SCALAR} == {one.loop for one in slowdowns.LINES if one.flavor == slowdowns.VECTOR}
    assert [one.title for one in slowdowns.LINES if one.fma_bound] == ["Horner n=8, -O3 x86-64-v3"]


def test_each_round_measures_everything_once():
    class Bench:
        def __init__(self):
            self.measured = []

        def measure(self, tool, flavor, loop):
            self.measured.append((tool, flavor, loop))
            return 1.0

        def start_up(self, tool, _):
            self.measured.append(tool)
            return 1.0, 2.0

    bench, lines = Bench(), [line("horner", slowdowns.VECTOR)]
    session = Session(bench, lines, 1, lambda _: None)
    session.measure(2)
    assert {tool: len(values) for tool, values in session.seconds[lines[0].title].items()} == {tool: 2 for tool in TOOLS}
    assert {len(values) for values in (*session.start_up.values(), *session.costs.values())} == {2}
    half = len(bench.measured) // 2
    assert sorted(map(str, bench.measured[:half])) == sorted(map(str, bench.measured[half:])) and len(set(bench.measured[:half])) == half
