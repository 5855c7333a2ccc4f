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
