"""Conventions of counting: kernels of known instruction mix show what the papers' formulas give, what ours give, and what is true.

The counts are counted_on_gpus.cpp's: n HFMA, n/2 HADD and n/4 HMUL, of two values each (packed) or of one.
"""

import json
import os
import subprocess

import pytest

PLUMBLINE = os.environ["PLUMBLINE"]
FORMULAS = {  # what each convention makes of that mix, in FLOPs an element: worked out by hand
    "paper": 2 * 1 + 1 * 0.5 + 1 * 0.25,
    "ncu": 4 * 1 + 2 * 0.5 + 2 * 0.25,
}


def plumbline(*words):
    return subprocess.run([PLUMBLINE, *map(str, words)], capture_output=True, text=True)


def told(*words):
    done = plumbline(*words, "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def elements(row):
    return int(row["case"].split("n=")[1].split("/")[0])


@pytest.fixture(scope="module", params=[2, 1], ids=["packed", "scalar"])
def halves(request, tmp_path_factory):
    file = tmp_path_factory.mktemp("halves") / "halves.h5"
    subprocess.run([os.environ["COUNTED_ON_GPUS"], file, "halves", str(request.param)], check=True)
    return file, request.param


@pytest.mark.parametrize("convention", FORMULAS)
def test_each_convention_gives_its_own_number_of_a_known_mix(halves, convention):
    file, _ = halves
    rows = told("show", file, "--convention", convention)["rows"]
    assert len(rows) == 8
    for row in rows:
        n = elements(row)
        assert row["convention"] == convention
        assert row["flops"] == pytest.approx(FORMULAS[convention] * n)
        assert row["levels"]["L2"]["bytes"] == pytest.approx(30 * n) and row["levels"]["L2"]["metrics"] == "lts__t_bytes.sum"
        assert row["levels"]["mem"]["ai"] == pytest.approx(FORMULAS[convention] / 24)


@pytest.mark.parametrize("convention", FORMULAS)
def test_how_far_a_formula_is_from_the_truth_is_told_and_no_grade_changes(halves, convention):
    file, lanes = halves
    ours, theirs = told("score", file), told("score", file, "--convention", convention)
    assert theirs["counters"] == ours["counters"] and theirs["rows"] == ours["rows"], "a grade is the counter's, not the convention's"
    assert "by_convention" not in ours
    true = 2.75 * lanes
    halves_rows = [row for row in theirs["by_convention"] if row["quantity"] == "flops.fp16"]
    assert len(halves_rows) == 8
    for row in halves_rows:
        assert row["value"] == pytest.approx(FORMULAS[convention] * elements(row))
        assert row["exact_lo"] == row["exact_hi"] == pytest.approx(true * elements(row))
        assert row["ratio"] == pytest.approx(FORMULAS[convention] / true)
    ratios = {row["quantity"]: row["ratio"] for row in theirs["by_convention"] if row["ratio"] is not None}
    assert ratios["bytes.L1-L2"] == pytest.approx(30 / 24) and ratios["bytes.L2-mem"] == 1


def test_ours_takes_the_counter_whose_score_is_right_whatever_a_convention_says(halves):
    """The truth decides: flops.half.packed is right of packed code, flops.half.scalar of scalar code."""
    file, lanes = halves
    bias = {row["counter"]: row["bias"] for row in told("score", file)["counters"]}
    right, wrong = ("packed", "scalar") if lanes == 2 else ("scalar", "packed")
    assert bias[f"cupti flops.half.{right}"] == pytest.approx(1)
    assert bias[f"cupti flops.half.{wrong}"] == pytest.approx(0.5 if lanes == 2 else 2)


def test_text_names_the_convention_wherever_a_number_is_by_it(halves):
    file, _ = halves
    text = plumbline("show", file, "--convention", "paper").stdout
    assert "cupti (paper)" in text and "are by convention 'paper', not by ours" in text and "HFMA weighs 2" in text
    assert "L2 by cupti (paper): lts__t_bytes.sum" in text
    assert "convention 'paper' has no formula for flops.tensor.fp16 by cupti on sm_90" in text
    assert "convention 'paper' has no formula for bytes.reg-shared by cupti on sm_90" in text
    text = plumbline("score", file, "--convention", "paper").stdout
    assert "By convention 'paper', not ours, over the exact amount (1 is right):" in text
    assert "2 x sm__sass_thread_inst_executed_op_hfma_pred_on.sum" in text


def test_ours_is_the_default_and_names_no_convention(halves):
    file, _ = halves
    assert "convention" not in plumbline("show", file).stdout.replace("conventional", "")
    assert told("show", file, "--convention", "plumbline")["rows"] == told("show", file)["rows"]


def test_precisions_that_were_not_counted_are_named(tmp_path):
    """FP64 counts are all of an FP64 kernel's; which other precisions were not counted is said."""
    file = tmp_path / "counted.h5"
    subprocess.run([os.environ["COUNTED_ON_GPUS"], file], check=True)
    rows = told("show", file, "--convention", "paper")["rows"]
    assert all(row["flops"] == pytest.approx(2 * elements(row)) and row["status"] == "ok" for row in rows)
    assert any("not collected, and not in them: fp16, fp32" in note for note in rows[0]["notes"])


@pytest.mark.parametrize("command", ["show", "score", "report"])
def test_an_unknown_convention_is_one_clear_line(halves, tmp_path, command):
    done = plumbline(command, halves[0], "--convention", "mine", *(["-o", tmp_path] if command == "report" else []))
    assert done.returncode == 2
    (line,) = done.stderr.strip().splitlines()
    assert "--convention 'mine' is unknown; there are plumbline, ncu, paper (ours is plumbline)" in line


@pytest.mark.parametrize("command", ["show", "score"])
def test_a_convention_is_not_defined_for_what_no_gpu_counted(tmp_path, command):
    file = tmp_path / "known.h5"
    subprocess.run([os.environ["KNOWN_RESULTS"], file], check=True)
    done = plumbline(command, file, "--convention", "paper")
    assert done.returncode == 2
    (line,) = done.stderr.strip().splitlines()
    assert "--convention paper is not defined for what this file counted" in line and "ncu" in line
