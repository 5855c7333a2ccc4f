"""The session kept in tests/golden/ceilings_goals.json (its command stands in it): what it says follows from its own raw values."""

import json
import pathlib
import statistics

import pytest

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


@pytest.mark.parametrize("row", ROWS, ids=named)
def test_a_verdict_follows_from_what_was_reached(row):
    for goal in row["goals"]:
        least = float(goal["goal"].split()[0])
        if goal["met"] == "yes":
            assert goal["reached"] >= least
        elif goal["met"] in ("no", "disturbed"):
            assert goal["reached"] < least
        else:
            assert goal["reached"] is None


def test_every_run_found_the_first_two_caches():
    (found,) = [line["found_bytes"] for line in SESSION["session"] if "found_bytes" in line]
    assert len(found) == 10
    for sizes in found:
        assert sizes["L1"] == pytest.approx(32 * 1024, rel=0.25) and sizes["L2"] == pytest.approx(1024 * 1024, rel=0.25)
