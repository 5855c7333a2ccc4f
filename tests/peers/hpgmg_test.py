"""HPGMG-FV's table of times, of which the sample is real, is read, and what was kept of the comparison is what the page says of it."""

import json
import pathlib
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import hpgmg  # noqa: E402

SAMPLE = (HERE / "samples" / "hpgmg_fp.txt").read_text()


def test_times_of_the_finest_level_are_read_and_what_ours_has_not_is_taken_off_the_whole():
    read = hpgmg.parsed(SAMPLE)
    assert read["half sweep"] == pytest.approx(0.517794 / 12 / (8 * 64**3) * 1e9)
    assert read["fill of ghost cells"] == pytest.approx(0.024507 / 14 * 1e3)
    assert read["residual"] == pytest.approx(0.091267 / 2 * 1e3)
    assert read["F-cycle"] == pytest.approx((0.840329 - 0.022944 - 0.091267 / 2 - 0.024507 / 14) * 1e3)


@pytest.mark.parametrize("gone, said", [("128^3 level from 8 x 64^3 boxes", "its problem is not 8 boxes of 64^3"),
                                        ("Ghost Zone Exchange", "no line 'Ghost Zone Exchange'")])
def test_another_problem_or_table_is_refused(gone, said):
    with pytest.raises(hpgmg.ProgramFailed, match="hpgmg: ") as refused:
        hpgmg.parsed(SAMPLE.replace(gone, "something else"))
    assert said in str(refused.value)


def test_the_kept_comparison_has_every_smoother_and_ours_at_least_nine_tenths_as_fast():
    kept = json.loads((HERE.parent / "golden" / "hpgmg.json").read_text())
    assert {row["variant"] for row in kept["rows"]} == {"fp", "branch", "stride2"}
    for row in kept["rows"]:
        assert {line["what"] for line in row["lines"]} == set(hpgmg.WHAT)
        for line in row["lines"]:
            assert line["ratio"] >= 0.9, (row["variant"], row["flags"], line["what"])
