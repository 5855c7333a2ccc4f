"""Counts of a GPU are scored by the event table of its chip, which the machine's description names. The result file is counted_on_gpus.cpp's."""

import json
import os
import subprocess

import pytest

PLUMBLINE = os.environ["PLUMBLINE"]


@pytest.fixture(scope="module")
def counters(tmp_path_factory):
    file = tmp_path_factory.mktemp("gpu") / "counted.h5"
    subprocess.run([os.environ["COUNTED_ON_GPUS"], file], check=True)
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
