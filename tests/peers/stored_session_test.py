"""The sessions kept in tests/golden/peers, one a CPU (the command stands in each): what they say follows from their own raw values."""

import dataclasses
import json
import pathlib
import statistics
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "jobs" / "peers"))
import goals  # noqa: E402

SESSIONS = {path.stem: json.loads(path.read_text()) for path in sorted((pathlib.Path(__file__).resolve().parents[1] / "golden/peers").glob("*.json"))}
ROWS = [pytest.param(row, SESSIONS[cpu]["machine"]["cores"], id=f"{cpu}, {row['line']}, {row['cores']}") for cpu in SESSIONS for row in SESSIONS[cpu]["rows"]]


@pytest.mark.parametrize("cpu", SESSIONS)
def test_the_command_that_made_it_is_there(cpu):
    assert SESSIONS[cpu]["schema"] == "plumbline-peers/1" and "jobs/peers.sh --full" in SESSIONS[cpu]["command"]


@pytest.mark.parametrize("row, cores", ROWS)
def test_medians_and_bests_are_those_of_the_rounds(row, cores):
    for one in [row["ours"], *row["peers"]]:
        rounds = [value for value in one["rounds"] if value is not None]
        if one.get("kind") == "carm" and not rounds:  # its time had ended, or it measures no such line
            assert one["median"] is one["best"] is None
            continue
        assert rounds, row["line"]
        assert one["median"] == pytest.approx(statistics.median(rounds), rel=1e-3)
        assert one["best"] == pytest.approx(max(rounds), rel=1e-3)


def verdict_of(cpu, line):
    (verdict,) = [one for one in SESSIONS[cpu]["session"] if one["line"] == line]
    return verdict


@pytest.mark.parametrize("cpu", SESSIONS)
def test_what_was_above_what_its_core_could_do_is_told(cpu):
    told = verdict_of(cpu, "nothing above its limit")
    highest = float(told["reached"].split(",")[0])
    assert (told["met"] == "yes") == (highest <= goals.ABOVE_LIMIT)
    for row in SESSIONS[cpu]["rows"]:
        for fraction in (row["fraction_of_limit"] or {"rounds": []})["rounds"]:
            assert fraction is None or 0 < fraction <= highest + 0.001, row["line"]


def as_it_was(row):
    """The line with the goals of the session's day."""
    (line,) = [one for one in goals.LINES if one.name == row["line"]]
    words = [one["goal"].split(" of ", 1) for one in row["goals"]]
    return dataclasses.replace(line, goals=tuple(goals.Goal(over, float(at_least)) for at_least, over in words))


def rounds_by_kind(row):
    return {peer["kind"]: peer["rounds"] for peer in row["peers"]}


@pytest.mark.parametrize("row, cores", ROWS)
def test_the_verdicts_are_those_of_the_rounds(row, cores):
    line = as_it_was(row)
    fractions = (row["fraction_of_limit"] or {"rounds": []})["rounds"]
    judged = goals.judge(line, row["cores"] == cores, row["ours"]["rounds"], fractions, rounds_by_kind(row))
    assert [(one["goal"], one["met"]) for one in row["goals"]] == [(one["goal"], one["met"]) for one in judged]
    for kept, again in zip(row["goals"], judged):
        assert kept["reached"] == pytest.approx(again["reached"], rel=1e-3)


@pytest.mark.parametrize("cpu", SESSIONS)
def test_the_verdicts_on_levels_are_those_of_what_the_runs_found(cpu):
    found = verdict_of(cpu, "levels found without hints")["found_bytes"]
    assert len(found) == 10
    for again in goals.judge_levels(found, SESSIONS[cpu]["machine"]["cache_bytes"], 10):
        told = verdict_of(cpu, again["line"])
        assert (told["goal"], told["reached"], told["met"]) == (again["goal"], again["reached"], again["met"])
