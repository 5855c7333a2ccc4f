"""The session whose tables stand in validation/emulated_counters.md: medians and verdicts follow from its raw rounds, and the page shows what it found."""

import json
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "jobs" / "emulator_speed"), str(ROOT / "jobs" / "peers")]
import slowdowns  # noqa: E402
import words  # noqa: E402

STORED = json.loads((ROOT / "tests" / "golden" / "emulator_speed.json").read_text())


def near(value):
    if isinstance(value, dict):
        return {key: near(one) for key, one in value.items()}
    return pytest.approx(value, rel=1e-3) if isinstance(value, (int, float, list)) else value


@pytest.mark.parametrize("line", slowdowns.LINES, ids=lambda line: line.title)
def test_slowdowns_and_verdicts_follow_from_the_rounds(line):
    (row,) = [row for row in STORED["rows"] if (row["name"], row["flavor"]) == (line.name, line.flavor)]
    assert all(len(values) == STORED["rounds"] for values in row["seconds_by_round"].values())
    assert slowdowns.judge_line(line, row["seconds_by_round"]) == near(row)


def test_costs_follow_from_the_rounds():
    for cost in STORED["costs"]:
        again = slowdowns.judge(slowdowns.median(cost["by_round"]), cost["goal"])
        assert (again["met"], again["reached"]) == (cost["met"], pytest.approx(cost["reached"], rel=1e-3))


def test_the_page_shows_what_was_found():
    page = (ROOT / "validation/emulated_counters.md").read_text()
    for line in words.text(STORED).splitlines():
        assert line in page
    assert f"bash jobs/emulator_speed.sh --rounds {STORED['rounds']} --json tests/golden/emulator_speed.json" in page
