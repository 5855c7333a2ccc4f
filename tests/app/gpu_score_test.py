"""Counts of a GPU are scored by the event table of its chip, which the machine's description names. The result file is counted_on_gpus.cpp's."""

import json
import os
import subprocess

import pytest

PLUMBLINE = os.environ["PLUMBLINE"]


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    file = tmp_path_factory.mktemp("gpu") / "counted.h5"
    subprocess.run([os.environ["COUNTED_ON_GPUS"], file], check=True)
    return file


@pytest.fixture(scope="module")
def counters(file):
    done = subprocess.run([PLUMBLINE, "score", file, "--json"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return {row["counter"]: row for row in json.loads(done.stdout)["counters"]}


def test_a_right_counter_of_the_chips_table_is_right_over_all_cases(counters):
    flops = counters["cupti flops.fp64"]
    assert flops["n"] == 8 and flops["bias"] == pytest.approx(1)


def test_one_that_is_off_says_by_how_much(counters):
    assert counters["cupti mem.reads"]["bias"] == pytest.approx(1.25)


def test_rows_whose_metrics_were_not_counted_are_not_scored(counters):
    assert "cupti l1.bytes" not in counters and "cupti flops.fp32" not in counters


def scored(tmp_path, *profiler):
    """Scores by a profiler under which the clock is PROFILED times that of the timed runs, the time TIMES theirs, the rate RATE times the cycles'."""
    file = tmp_path / "profiled.h5"
    subprocess.run([os.environ["COUNTED_ON_GPUS"], file, *map(str, profiler)], check=True)
    done = subprocess.run([PLUMBLINE, "score", file, "--json"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return file, json.loads(done.stdout)


BY_TIME, BY_CYCLES, BY_MOST_CYCLES = "cupti time", "cupti cycles.average / clock", "cupti cycles / clock"


def test_time_by_each_counter_is_held_against_the_times_without_a_profiler(tmp_path):
    _, document = scored(tmp_path, 1, 1, 1)
    counters = {row["counter"]: row for row in document["counters"]}
    for name in (BY_TIME, BY_CYCLES, BY_MOST_CYCLES):
        rows = [row for row in document["rows"] if row["counter"] == name]
        assert [row["ratio"] for row in rows] == [1] * 8
        assert all("times of the same case without a profiler" in row["held_against"] for row in rows)
        for row in rows:
            seconds = int(row["case"].split("n=")[1].split("/")[0]) * 1e-9
            assert (row["exact_lo"], row["exact_hi"]) == (pytest.approx(seconds - 5e-6), pytest.approx(seconds + 5e-6))
            assert row["measured"] == pytest.approx(seconds, rel=1e-2)
        assert (counters[name]["quantity"], counters[name]["n"], counters[name]["narrow"]) == ("seconds", 8, 6)
        assert counters[name]["grade"] == "B" and "A needs 10 cases" in counters[name]["reason"], "six cases long enough for 5 us not to matter"
    assert any("seconds are held against the times" in note for note in document["notes"])


def test_another_clock_leaves_so_much_open_that_no_grade_is_earned(tmp_path):
    _, document = scored(tmp_path, 0.5, 1.6, 1)
    (score,) = [row for row in document["counters"] if row["counter"] == BY_TIME]
    assert (score["grade"], score["bias"], score["narrow"]) == (None, None, 0)
    assert "no case that could tell; says nothing of" in score["reason"] and "leaves open by more than 1.5 times" in score["reason"]
    for row in document["rows"]:
        if row["counter"] == BY_TIME:
            seconds = int(row["case"].split("n=")[1].split("/")[0]) * 1e-9
            assert (row["exact_lo"], row["exact_hi"]) == (pytest.approx(seconds - 5e-6), pytest.approx(2 * seconds + 5e-6))


def test_a_time_beyond_what_clocks_allow_is_off_by_its_factor(tmp_path):
    _, document = scored(tmp_path, 1, 1.5, 1)
    (score,) = [row for row in document["counters"] if row["counter"] == BY_TIME]
    assert score["bias"] == pytest.approx(1.5, rel=0.02) and score["grade"] != "A"


def test_times_by_cycles_and_by_duration_are_equal_or_said_to_be_of_another_span(tmp_path):
    _, document = scored(tmp_path, 0.7, 1.2, 1)
    agreements = {row["counter"]: row for row in document["time_agreements"]}
    same, most = agreements[BY_CYCLES], agreements[BY_MOST_CYCLES]
    assert (same["other"], same["must_agree"], same["agrees"], same["repetitions"]) == (BY_TIME, True, True, 40)
    assert (most["must_agree"], most["agrees"], most["apart"]) == (False, False, 40) and most["ratio_min"] > 1
    _, document = scored(tmp_path, 0.7, 1.2, 0.99)
    (other,) = [row for row in document["time_agreements"] if row["must_agree"]]
    assert (other["agrees"], other["apart"], other["ratio_max"]) == (False, 40, pytest.approx(1 / 0.99))
    assert any("they should be equal, and 40 are not" in note for note in document["notes"])


def test_shown_cases_bear_the_clock_at_which_they_were_counted_and_their_occupancy(tmp_path):
    file, _ = scored(tmp_path, 0.7, 1.2, 1)
    document = shown(file)
    for row in document["rows"]:
        at, n = row["counter_conditions"], int(row["case"].split("n=")[1].split("/")[0])
        assert (at["seconds"], at["clock_hz"], at["timed_clock_hz"]) == (pytest.approx(1.2e-9 * n), pytest.approx(1.33e9), 1.9e9)
        assert (at["clock_ratio"], at["is_of_another_clock"], at["occupancy"]) == (pytest.approx(0.7), True, 0.875)
        assert row["seconds"] == pytest.approx(1e-9 * n), "the roofline goes by the timed runs"
    assert any("8 of 8 cases with counts of a GPU were counted at a clock more than 5 % off" in note for note in document["notes"])
    text = subprocess.run([PLUMBLINE, "show", file], capture_output=True, text=True).stdout
    assert "counted at 1.33 GHz (timed at 1.90 GHz), -30 %: 76.8 us under the profiler, occupancy 88 %" in text


def test_without_measured_rates_by_warps_there_is_no_roof_by_occupancy_and_it_says_so(file):
    for row in shown(file)["rows"]:
        roof = row["occupancy_roof"]
        assert (roof["status"], roof["gflops"], roof["warps"]) == ("unavailable", None, None)
        assert roof["reason"].startswith("no roof of arithmetic stands over the case")


def test_counted_on_the_clock_of_the_timed_runs_nothing_is_said_of_another(file):
    document = shown(file)
    assert {row["counter_conditions"]["is_of_another_clock"] for row in document["rows"]} == {False}
    assert not any("were counted at a clock" in note for note in document["notes"])


def shown(*words):
    done = subprocess.run([PLUMBLINE, "show", *words, "--json"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def test_cases_lie_where_the_chosen_counters_of_the_gpu_say_with_their_fma_fraction(file, tmp_path):
    chosen = tmp_path / "set.toml"
    done = subprocess.run([PLUMBLINE, "score", file, "--choose", chosen], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert 'kind = \'fma\'' in chosen.read_text() or 'kind = "fma"' in chosen.read_text()
    rows = shown(file, "--counters", chosen)["rows"]
    assert len(rows) == 8
    for row in rows:
        n = int(row["case"].split("n=")[1].split("/")[0])
        assert (row["join"], row["flops"]) == ("same", pytest.approx(2 * n))
        mix = row["fma_mix"]["fp64"]
        assert (mix["fraction"], mix["ceiling"], mix["source"]) == (1, 1, "hardware")
        assert row["percent_of_partial_fma"] is None and row["partial_fma_reason"]


def test_without_a_set_it_says_that_counts_are_there_and_how_to_go_by_them(file):
    document = shown(file)
    assert {row["join"] for row in document["rows"]} == {"model"}
    assert any("--choose SET.toml" in note and "the GPU's counters counted" in note for note in document["notes"])
