"""Applications beside those of others: HPGMG-FV's table of times, of which the sample is real, HPCG's line and PETSc's are read; ours is compared with a library's row of
the same work; and what was kept of the comparisons holds what is asked of it."""

import json
import pathlib
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import conv2d  # noqa: E402
import hpcg  # noqa: E402
import hpgmg  # noqa: E402
import one_case  # noqa: E402
import petsc  # noqa: E402

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


def test_the_line_of_hpcg_is_read_and_another_one_is_refused():
    assert hpcg.seconds_of("0.125105 10 830584 9.424441e-05\n", "driver", 10) == 0.125105
    for said in ("", "0.125105 9 830584 9.424441e-05\n", "HPCG\n"):
        with pytest.raises(hpcg.ProgramFailed, match="driver: "):
            hpcg.seconds_of(said, "driver", 10)


def test_a_program_without_marks_is_refused():
    rows = [{"kind": "total", "flops": 7.0}]
    assert one_case.counted_region({"rows": [*rows, {"kind": "region", "name": "iterations", "flops": 3.0}]}) == 3.0
    with pytest.raises(hpcg.ProgramFailed, match="plumbline.h"):
        one_case.counted_region({"rows": rows})


def test_the_formula_is_hpcgs_own():
    """The parts of 50 iterations on 16^3 points are sums and vectors, products, and the preconditioner."""
    rows, entries = [16**3, 8**3, 4**3, 2**3], [46**3, 22**3, 10**3, 4**3]
    vectors = 2 * (3 * 50 + 1) * 2 * rows[0]
    assert hpcg.formula(16, 50) == vectors + 51 * 2 * entries[0] + 50 * (10 * sum(entries[:3]) + 4 * entries[3])


def test_the_kept_hpcg_is_beaten_or_equalled_and_the_flops_of_both_are_explained():
    kept = json.loads((HERE.parent / "golden" / "hpcg.json").read_text())
    assert {row["n"] for row in kept["rows"]} == set(hpcg.SIZES)
    for row in kept["rows"]:
        assert row["ratio"] >= 0.9 and row["flops"] == hpcg.formula(row["n"], hpcg.ITERATIONS), row
    as_written = [row for row in kept["counts"] if "-ffast-math" not in row["flags"]]  # with it compilers add zeros in idle lanes
    assert as_written
    for row in as_written:
        assert row["theirs"]["counted"] == pytest.approx(row["theirs"]["explained"], rel=1e-3)
    assert all(row["ours"]["counted"] == row["ours"]["model"] for row in kept["counts"])


@pytest.fixture
def convolutions():
    return json.loads((HERE.parent / "golden" / "conv2d.json").read_text())


def test_the_kept_convolutions_are_at_least_nine_tenths_as_fast_as_each_library(convolutions):
    assert {row["library"] for row in convolutions["rows"]} == {"lib-onednn", "lib-openblas"}
    assert {row["what"].split(",")[0] for row in convolutions["rows"]} == {"forward", "backward_data", "backward_weights"}
    for row in convolutions["rows"]:
        assert row["ratio"] == pytest.approx(row["ours"] / row["theirs"], rel=1e-2) and row["ratio"] >= 0.9, row


def test_the_kept_intensities_are_the_papers(convolutions):
    def over(name, level):
        return [row[level] for row in convolutions["intensity"][name]]

    assert over("filters", "L3") == sorted(over("filters", "L3")) and over("kernel", "L3") == sorted(over("kernel", "L3"))
    assert over("stride", "L3") == sorted(over("stride", "L3"), reverse=True)
    for level in ("L1", "L2", "L3"):
        assert max(over("images", level)) < 1.05 * min(over("images", level)), level
    assert all(row["L1"] > 10 * 0.06 for sweep in convolutions["intensity"].values() for row in sweep)  # with a sum in registers


def shown(case, gflops, **more):
    return {"case": case, "flavor": case.split("/")[-1], "gflops": gflops, "status": "ok", "levels": {}} | more


CASE = "proxies/conv2d/fp32/direction=forward/variant=implicit/images=16/width=112/channels=64/filters=64/kernel=3/stride=2/r1t1/"


def test_ours_is_compared_with_a_library_that_does_the_same_work_by_the_same_instructions():
    others = [shown(CASE + "gcc12-O3-v4", 200.0), shown(CASE.replace("images=16", "images=4") + "gcc12-O3-v3", 300.0)]
    rows = [shown(CASE + "gcc12-O3-v3", 110.0), shown(CASE + "lib-onednn", 100.0), *others]
    (row,) = conv2d.compared(rows)
    assert row["what"] == "forward, implicit, fp32, 16 images" and row["library"] == "lib-onednn" and row["ratio"] == pytest.approx(1.1)
    assert not list(conv2d.compared(others))


def test_the_line_of_petsc_is_read_and_another_one_is_refused():
    assert petsc.parsed("0.0036 2028518 53.1 6.71 0.245\n", "driver", 2) == {"seconds": 0.0036, "logged": 2028518, "bounds": [53.1, 6.71, 0.245]}
    for said in ("", "0.0036 2028518 53.1 6.71\n", "PETSc error\n"):
        with pytest.raises(petsc.ProgramFailed, match="driver: not the line"):
            petsc.parsed(said, "driver", 2)


def test_the_kept_petsc_is_beaten_or_equalled_and_the_flops_of_its_log_are_explained_to_the_last():
    kept = json.loads((HERE.parent / "golden" / "petsc.json").read_text())
    assert [row["n"] for row in kept["rows"]] == [case["n"] for case in petsc.CASES]
    for row in kept["rows"]:
        assert row["ratio"] >= 0.9, row
    for row in kept["counts"]:
        ours, theirs = row["ours"], row["theirs"]
        assert ours["counted"] == ours["model"]
        assert theirs["logged"] == theirs["explained"] == petsc.logged({name: row[name] for name in petsc.COUNTED}, row["iterations"])
