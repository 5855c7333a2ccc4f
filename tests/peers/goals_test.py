"""A line is judged by this: the goal's side, disturbance, absence, and the table of goals itself."""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "jobs" / "peers"))
import goals  # noqa: E402
import likwid  # noqa: E402
import report  # noqa: E402
from goals import Goal, Line  # noqa: E402


def line(*of, level="compute"):
    return Line("line", "line", level, "fma", "fp64", goals=of)


def verdict(of, ours, fractions=(), peers=None, level="compute", all_cores=True):
    (only,) = goals.judge(line(of, level=level), all_cores, ours, list(fractions), peers or {})
    return only


def test_the_goal_itself_is_enough():
    assert verdict(goals.limit(0.97), [97.0, 97.0], [0.97, 0.97])["met"] == "yes"


def test_a_quiet_run_below_the_goal_is_not_met():
    short = verdict(goals.limit(0.97), [96.0, 96.1], [0.96, 0.961])
    assert short["met"] == "no"
    assert short["reached"] == pytest.approx(0.9605)


def test_a_run_that_spreads_below_the_goal_is_disturbed():
    assert verdict(goals.limit(0.97), [98.0, 60.0], [0.98, 0.60])["met"] == "disturbed"


def test_a_miss_in_every_round_is_a_miss_however_much_it_spreads():
    assert verdict(goals.limit(0.97), [96.0, 60.0], [0.96, 0.60])["met"] == "no"


def test_a_peer_that_spreads_disturbs_its_ratio():
    quiet, wild = [100.0, 100.1], {"likwid": [90.0, 140.0]}
    assert verdict(Goal("likwid", 1.10), quiet, peers=wild)["met"] == "disturbed"
    assert verdict(Goal("likwid", 1.20), quiet, peers=wild)["met"] == "no"


def test_memory_may_spread_more_than_arithmetic():
    values = [100.0, 110.0]
    assert verdict(goals.limit(0.97), values, [0.90, 0.99], level="mem")["met"] == "no"
    assert verdict(goals.limit(0.97), values, [0.90, 0.99], level="compute")["met"] == "disturbed"


def test_ratios_are_of_the_same_round():
    """Everything is half as fast in the second round: the ratio of medians would say the same, that of unlike rounds would not."""
    assert goals.ratios([100.0, 50.0], [80.0, 40.0]) == [1.25, 1.25]
    assert verdict(Goal("likwid", 1.2), [100.0, 50.0, 100.0], peers={"likwid": [80.0, 40.0, 80.0]})["reached"] == 1.25


def test_the_best_peer_may_be_another_in_each_round():
    peers = {"likwid": [90.0, 50.0], "loop": [30.0, 100.0]}
    assert verdict(Goal("best peer", 0.99), [90.0, 100.0], peers=peers)["reached"] == 1.0
    assert verdict(Goal("loop", 1.0), [90.0, 100.0], peers=peers)["reached"] == 2.0


def test_an_absent_limit_is_unknown_and_not_zero():
    absent = verdict(goals.limit(0.97), [100.0, 100.0], [None, None])
    assert (absent["met"], absent["reached"]) == ("unknown", None)
    assert "limit" in absent["reason"]


def test_an_absent_peer_is_unknown():
    assert verdict(Goal("likwid", 1.1), [100.0, 100.0], peers={"loop": [1.0, 1.0]})["met"] == "unknown"


def test_an_absent_ceiling_is_unknown():
    assert verdict(Goal("likwid", 1.1), [None, None], peers={"likwid": [1.0, 1.0]})["met"] == "unknown"


def test_a_goal_for_all_cores_is_not_asked_of_one():
    only = Goal("likwid", 1.0, only_all_cores=True)
    assert goals.judge(line(only), False, [1.0], [None], {"likwid": [1.0]}) == []


def test_levels_are_right_by_name_and_size():
    caches = {"L1": 32768, "L2": 1048576}
    right = {"L1": 32768, "L2": 900000, "mem": None}
    names, l1, l2 = goals.judge_levels([right] * 10, caches, 10)
    assert [names["met"], l1["met"], l2["met"]] == ["yes"] * 3


@pytest.mark.parametrize("wrong", [{"L1": 32768, "mem": None}, {"L1": 32768, "L2": 1048576, "L3": 5000000, "mem": None}])
def test_one_run_with_a_level_missed_or_invented_fails(wrong):
    caches = {"L1": 32768, "L2": 1048576}
    names = goals.judge_levels([{"L1": 32768, "L2": 1048576, "mem": None}] * 9 + [wrong], caches, 10)[0]
    assert (names["met"], names["reached"]) == ("no", "9 of 10")


def test_a_size_beyond_a_quarter_off_fails():
    size = goals.judge_levels([{"L1": 42000, "mem": None}], {"L1": 32768}, 1)[1]
    assert size["met"] == "no"
    assert size["ratios"] == [pytest.approx(1.2817, rel=1e-3)]


def test_a_rate_above_its_limit_is_found():
    assert goals.judge_limits({"a": 1.02, "b": 0.5})["met"] == "yes"
    above = goals.judge_limits({"a": 1.021, "b": 0.5})
    assert above["met"] == "no" and "a" in above["reached"]
    assert goals.judge_limits({})["met"] == "unknown"


def test_quick_is_held_against_full_where_both_have_a_number():
    assert goals.judge_quick({"a": 100.0, "b": 10.0}, {"a": 96.0, "c": 1.0})["met"] == "yes"
    assert goals.judge_quick({"a": 100.0}, {"a": 94.0})["met"] == "no"
    assert goals.judge_quick({"a": 100.0}, {"a": 106.0})["met"] == "no"
    assert goals.judge_quick({"a": 100.0}, {"b": 1.0})["met"] == "unknown"


def test_a_session_that_spreads_says_so():
    assert goals.judge_spread({"a": ("L1", 0.019), "b": ("mem", 0.09)})["met"] == "yes"
    wide = goals.judge_spread({"a": ("L1", 0.03), "b": ("mem", 0.09), "c": ("L2", None)})
    assert (wide["met"], wide["above"]) == ("disturbed", ["a"])
    assert goals.judge_spread({"a": ("L1", None)})["met"] == "unknown"


def test_bests_are_compared_over_all_rounds():
    assert report.ratio_of_bests([50.0, 110.0], [100.0, 60.0]) == 1.1
    assert report.ratio_of_bests([None], [100.0]) is None


def test_lines_are_named_once_and_their_tests_are_known():
    names = [one.name for one in goals.LINES]
    assert len(names) == len(set(names))
    assert {one.likwid for one in goals.LINES} - {""} <= set(likwid.TESTS)
    assert all(one.level in goals.QUIET_CV for one in goals.LINES)


def test_every_pattern_in_memory_has_a_goal():
    assert {one.pattern for one in goals.LINES if one.level == "mem" and one.goals} == {"load", "store", "store_nt", "copy", "update", "triad"}


def test_every_line_with_a_peer_must_reach_the_best_one():
    for one in goals.LINES:
        peers = one.likwid or one.loop or one.libc or one.carm
        assert bool(peers) == any(goal.over == "best peer" and goal.at_least == 0.98 for goal in one.goals), one.name


def test_the_median_line_must_be_level_with_its_peer():
    def rows(*ratios):
        return [{"line": str(i), "cores": 1, "ratio_to_best_peer": ratio} for i, ratio in enumerate(ratios)]

    assert goals.judge_median_line(rows(0.98, 1.0, 1.3))["met"] == "yes"
    assert goals.judge_median_line(rows(0.98, 0.99, 1.3, None))["met"] == "no"
    assert goals.judge_median_line(rows(None))["met"] == "unknown"


def test_numbers_of_a_list_take_one_line():
    written = report.as_json({"rounds": [1.5, None, 2.0], "rows": [{"a": "x, y"}]})
    assert "[1.5, null, 2.0]" in written
    assert '"x, y"' in written
