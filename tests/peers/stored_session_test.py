"""The session kept in tests/golden/ceilings_goals.json (its command stands in it): what it says follows from its own raw values."""

import json
import pathlib
import statistics
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "jobs" / "peers"))
import goals  # noqa: E402

SESSION = json.loads((pathlib.Path(__file__).resolve().parents[1] / "golden" / "ceilings_goals.json").read_text())
ROWS = SESSION["rows"]


def named(row):
    return f"{row['line']}, {row['cores']}"


def test_the_command_that_made_it_is_there():
    assert SESSION["schema"] == "plumbline-peers/1" and "jobs/peers.sh --full" in SESSION["command"]


@pytest.mark.parametrize("row", ROWS, ids=named)
def test_medians_and_bests_are_those_of_the_rounds(row):
    for one in [row["ours"], *row["peers"]]:
        rounds = [value for value in one["rounds"] if value is not None]
        assert rounds, row["line"]
        assert one["median"] == pytest.approx(statistics.median(rounds), rel=1e-3)
        assert one["best"] == pytest.approx(max(rounds), rel=1e-3)


@pytest.mark.parametrize("row", ROWS, ids=named)
def test_nothing_is_above_what_its_core_could_do(row):
    for fraction in (row["fraction_of_limit"] or {"rounds": []})["rounds"]:
        assert fraction is None or 0 < fraction <= 1.02


def rounds_by_kind(row):
    return {peer["kind"]: peer["rounds"] for peer in row["peers"]}


@pytest.mark.parametrize("row", ROWS, ids=named)
def test_the_verdicts_are_those_of_the_rounds(row):
    (line,) = [one for one in goals.LINES if one.name == row["line"]]
    fractions = (row["fraction_of_limit"] or {"rounds": []})["rounds"]
    judged = goals.judge(line, row["cores"] == SESSION["machine"]["cores"], row["ours"]["rounds"], fractions, rounds_by_kind(row))
    assert [(one["goal"], one["met"]) for one in row["goals"]] == [(one["goal"], one["met"]) for one in judged]
    for kept, again in zip(row["goals"], judged):
        assert kept["reached"] == pytest.approx(again["reached"], rel=1e-3)


def test_every_run_found_the_first_two_caches():
    (found,) = [line["found_bytes"] for line in SESSION["session"] if "found_bytes" in line]
    assert len(found) == 10
    for sizes in found:
        assert sizes["L1"] == pytest.approx(32 * 1024, rel=0.25) and sizes["L2"] == pytest.approx(1024 * 1024, rel=0.25)
