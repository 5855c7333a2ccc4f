"""tests/golden/kwack2018.json, the last whole run of jobs/kwack2018.sh: what it must show, and that the README's tables are it."""
import json
import pathlib
import sys

import pytest

for module in ("h5py", "pandas"):
    pytest.importorskip(module, reason=f"SKIP: python3-{module} is not installed")

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "analysis"))

from plumbline_analysis import kwack2018  # noqa: E402

GOLDEN = json.loads((ROOT / "tests/golden/kwack2018.json").read_text(encoding="utf-8"))


def graded(campaign, counter, convention):
    return next(entry for entry in GOLDEN["counters"]
                if (entry["campaign"], entry["counter"], entry["convention"]) == (campaign, counter, convention))


def test_every_flop_total_of_every_case_equals_the_arithmetic():
    for name, facts in GOLDEN["campaigns"].items():
        assert facts["counted"] == facts["cases"], name
        assert facts["flop_totals_equal_to_the_arithmetic"] == facts["flop_totals"] == 2 * facts["cases"], name  # fp64 and fp32, one of them 0
    assert GOLDEN["campaigns"]["series"]["cases"] == 4176
    assert GOLDEN["campaigns"]["stencils"]["cases"] == 72
    assert GOLDEN["campaigns"]["series_flows"]["cases"] == 29 * 2 * 2 * 3 * 2 * 3 + (3 + 1) * 2 * 3 * 2 * 3


def test_refills_are_graded_A_or_C_with_regimes_and_accesses_rejected():
    for campaign in ("series_flows", "stencils"):
        assert graded(campaign, kwack2018.REFILLS, "flow")["grade"] == "A"
        by_paper = graded(campaign, kwack2018.REFILLS, "paper")
        assert by_paper["grade"] == "A" or by_paper["grade"] == "C" and "good only for" in by_paper["reason"]
        for convention in ("flow", "paper"):
            assert graded(campaign, kwack2018.ACCESSES, convention)["grade"] == "D"


def test_accesses_see_at_O0_many_times_the_exact_bytes_and_refills_do_not_mind():
    for group in GOLDEN["groups"]:
        if group["convention"] == "paper" and group["level"] == "O0":
            if group["counter"] == kwack2018.ACCESSES:
                assert group["min"] > 5, group
            if group["counter"] == kwack2018.REFILLS:
                assert 4 / 7 <= group["min"] and group["max"] < 1.03, group


def test_what_the_small_arrays_foretell_is_exact_wherever_both_were_counted():
    for counter, total in GOLDEN["extrapolation"].items():
        assert total["foretold"] == total["exact"] == 29 * 3 * 2 * 3 * 2 * 2, counter  # of two large sizes
    for row in GOLDEN["refills_per_point"]:  # a few lines of the stack beside 2 m^2 elements of 4 bytes at least
        assert 1 <= row["min"] <= row["max"] <= 1 + 48 * 64 / (2 * 4 * row["m"] ** 2), row


def test_the_readme_shows_these_tables():
    readme = (ROOT / "jobs/campaigns/kwack2018/README.md").read_text(encoding="utf-8")
    for line in kwack2018.as_text(GOLDEN).splitlines():
        assert line.rstrip() in [shown.rstrip() for shown in readme.splitlines()], f"not in the README: {line}"


def test_the_papers_numbers_are_the_papers():
    """The paper says: DCR_GOOD from 0.569 to 1.281, geometric mean 0.812; L1_DCA from 1.798 to 38.3, 5.87; max/min 21.3 and 2.25."""
    table = {(row["quantity"], row["counter"]): row for row in kwack2018.papers_table("kwack2018_tables5_6.csv")}
    assert [table["bytes", "DCR_GOOD"][key] for key in ("min", "max", "geometric_mean")] == ["0.569", "1.281", "0.812"]
    assert [table["bytes", "L1_DCA"][key] for key in ("min", "max", "geometric_mean")] == ["1.798", "38.3", "5.87"]
    for counter, spread in (("L1_DCA", 21.3), ("DCR_GOOD", 2.25)):
        row = table["intensity", counter]
        assert abs(float(row["max"]) / float(row["min"]) - spread) < 0.005 * spread
        # A ratio of intensities is the inverse of the ratio of bytes, where the FLOPs are exact.
        assert abs(float(row["geometric_mean"]) * float(table["bytes", counter]["geometric_mean"]) - 1) < 0.001
