"""Direct solvers beside the emulator: lines are read or refused, what was kept lies in the model and is explained, and the driver of MUMPS
refuses what cannot be in one line and with a code, whatever the ranks."""

import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import direct  # noqa: E402

LINE = '{"system": "a", "rows": 4, "entries": 9, "ranks": 2, "factor": 70, "solve": -1, "backward_error": 1e-16}\n'


def test_the_line_of_a_driver_is_read_and_another_one_is_refused():
    assert direct.report_of("warning\n" + LINE, "driver")["factor"] == 70
    for said in ("", "MUMPS\n", '{"rows": 4}\n', "[]\n"):
        with pytest.raises(direct.ProgramFailed, match="driver: not the line"):
            direct.report_of(said, "driver")


def test_what_a_solver_does_not_report_is_absent():
    factor, solve = direct.rows_of(direct.report_of(LINE, "driver"), {"factor": 77.0, "solve": 3.0})
    assert factor["beside"] == pytest.approx(0.1) and factor["reported"] == 70
    assert solve["reported"] is None and solve["beside"] is None and solve["counted"] == 3.0


@pytest.fixture(name="kept")
def kept_rows():
    return json.loads((HERE.parent / "golden" / "direct.json").read_text())["rows"]


def test_everything_was_kept(kept):
    for grid in direct.GRIDS:
        of_grid = [row for row in kept if tuple(row["grid"]) == grid]
        assert {row["blas"] for row in of_grid if row["solver"] == direct.SEQUENTIAL} == {"as found", "reference"}
        for solver in direct.PARALLEL:
            assert {row["ranks"] for row in of_grid if row["solver"] == solver} == set(direct.RANKS)
    assert all(row["backward_error"] < 1e-14 for row in kept)


def test_the_intensity_of_mumps_rises_with_its_size_and_falls_with_its_ranks():
    """Kwack et al. 2018, figure 15: the larger the fronts, the more products an entry that was fetched takes part in."""
    kept = json.loads((HERE.parent / "golden" / "direct.json").read_text())["intensities"]
    by_size = [row for row in kept if row["caches"] == direct.CACHES]
    by_ranks = [row for row in kept if row["caches"] == "no"]
    assert [row["rows"] for row in by_size] == [cube**3 for cube in direct.CUBES]
    assert by_size[-1]["ai"]["L2"] > 2 * by_size[0]["ai"]["L2"]
    assert [row["ranks"] for row in by_ranks] == list(direct.RANKS)
    assert by_ranks[0]["ai"]["L1"] > by_ranks[1]["ai"]["L1"] > by_ranks[2]["ai"]["L1"]


def test_only_functions_that_compute_tell_of_intensity_over_ranks():
    def row(name, flops, **more):
        return {"kind": "function", "object": f"/usr/lib/{name}.so", "flops": flops, "levels": {"L1": {"bytes": 10}}} | more
    rows = [row("libdmumps", 4), row("libopenblas", 8), row("libdmumps", 0), row("libmpi", 5), row("libdmumps", 9, kind="total")]
    assert direct.intensity_of_functions({"rows": rows}) == {"L1": 12 / 20}


def test_superlu_was_counted_inside_the_model_and_reports_what_lies_in_it_too(kept):
    for row in kept:
        if row["solver"] == direct.SEQUENTIAL:
            low, high = row["model"]
            assert low <= row["counted"] <= high, row
            assert low <= row["reported"] <= high, row


def test_what_factors_cost_beside_the_report_is_the_dense_kernels(kept):
    """OpenBLAS's join sums of 8, 4, 2 and 1 columns, a sum each; the reference's scale a vector and add up once more."""
    for row in kept:
        if row["phase"] == "factor":
            assert 0 < row["beside"] < (0.05 if row["blas"] == "reference" else 0.25), row


def test_ranks_share_the_flops_of_one(kept):
    for solver in direct.PARALLEL:
        for grid in direct.GRIDS:
            factored = [row for row in kept if (row["solver"], tuple(row["grid"]), row["phase"]) == (solver, grid, "factor")]
            counted = {row["ranks"]: row["counted"] for row in factored}
            for ranks in direct.RANKS:
                assert counted[ranks] == pytest.approx(counted[1], rel=0.01), (solver, grid, ranks)


@pytest.fixture(name="driver", scope="module")
def built_driver(tmp_path_factory):
    for program in ("mpicxx.openmpi", "mpirun.openmpi"):
        if not shutil.which(program):
            pytest.skip(f"SKIP: no {program} (Debian: apt-get install openmpi-bin libopenmpi-dev)")
    if not pathlib.Path("/usr/include/dmumps_c.h").exists():
        pytest.skip("SKIP: no dmumps_c.h of MUMPS (Debian: apt-get install libmumps-dev)")
    return direct.build("mumps", tmp_path_factory.mktemp("drivers"), optimized="-O0")


def run(driver, ranks, *words):
    done = subprocess.run([*map(str, direct.launcher(ranks)), driver, *words], capture_output=True, text=True, timeout=60,
                          env=os.environ | direct.SETTINGS, stdin=subprocess.DEVNULL, check=False)
    return done.returncode, done.stdout, [line for line in done.stderr.splitlines() if line.startswith("mumps_driver")]


def test_ranks_solve_a_system_that_one_wrote(driver, tmp_path):
    code, written, said = run(driver, 1, "6", "2", "5", str(tmp_path / "a.mtx"))
    assert (code, said) == (0, [])
    code, read, said = run(driver, 3, str(tmp_path / "a.mtx"))
    assert (code, said) == (0, [])
    one, three = (direct.report_of(line, driver) for line in (written, read))
    assert (one["ranks"], three["ranks"]) == (1, 3) and one["rows"] == three["rows"]
    for report in (one, three):  # FLOPs hang on which rank is free when a front comes up
        assert report["factor"] > 0 and report["backward_error"] < 1e-14


@pytest.mark.parametrize("ranks, entries, said", [
    (2, "1 1 1\n1 2 2\n2 1 2\n2 2 4\n", "a.mtx: the matrix is singular, no system of it can be solved: MUMPS says INFOG(1) = -10"),
    (3, "1 1 1\n1 2 2\n2 1 2\n2 2 5\n", "a.mtx: 3 ranks for 2 rows leave ranks without any: start at most 2"),
    (2, "1 1 1\n1 2 2\n3 1 2\n2 2 5\n", "a.mtx:5: row 3 is out of range"),
])
def test_what_cannot_be_solved_is_one_line_of_all_ranks(driver, tmp_path, ranks, entries, said):
    (tmp_path / "a.mtx").write_text("%%MatrixMarket matrix coordinate real general\n2 2 4\n" + entries)
    code, _, lines = run(driver, ranks, str(tmp_path / "a.mtx"))
    assert code == 2 and len(lines) == 1 and said in lines[0], lines
