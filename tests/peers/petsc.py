"""This script holds proxies/tfqmr against PETSc's tfqmr with additive Schwarz on the same system and blocks; both run in turn, on one core.

    apt-get install petsc-dev    # Debian 12: PETSc 3.18, of Open MPI; its headers are in /usr/share/petsc, its library in /usr/lib/petscdir
    petsc=/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real
    mpicxx.openmpi -O2 -std=c++20 -I$PLUMBLINE_SOURCE -I$PLUMBLINE_SOURCE/harness -I$PLUMBLINE_SOURCE/harness/marker \\
      -I/usr/share/petsc/3.18/include -I$petsc/include $PLUMBLINE_SOURCE/tests/peers/petsc_driver.cpp -o petsc_driver -L$petsc/lib -lpetsc_real
    PLUMBLINE=build/bin/plumbline python3 tests/peers/petsc.py --peer gcc-O3-v3 ./petsc_driver "Debian's PETSc 3.18.5" -o found.json

A peer is told by the flavor of ours that it is compared with, its binary, and what it is, which is only kept.

Both do ten iterations, of which PETSc's last one begins an eleventh product. The ratio is our speed over theirs, by time: the median over
rounds, in which they are neighbours in time. FLOPs are those of PETSc's own log, those that its formulas give, and those that the emulator
counted. The bounds of the residual, one an iteration, are what tests/kernels/tfqmr_test.cpp holds ours against.
"""

import os
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "jobs" / "peers"))
import in_turn  # noqa: E402
import one_case  # noqa: E402
from ours import find_plumbline  # noqa: E402
from programs import ProgramFailed, output_of  # noqa: E402

KERNEL, ITERATIONS = "proxies/tfqmr", 10
CASES = ({"n": 20, "lines": 20, "planes": 24, "blocks": 4}, {"n": 48, "lines": 48, "planes": 36, "blocks": 4},
         {"n": 88, "lines": 88, "planes": 88, "blocks": 4})
COUNTED, COUNTED_ITERATIONS = {"n": 8, "lines": 8, "planes": 32, "blocks": 8}, 8
# The points from which a row takes something (proxies/solvers/convection.hpp).
ENTRIES = ((0, 0, -2), (0, 0, -1), (0, -2, 0), (0, -1, 0), (-2, 0, 0), (-1, 0, 0), (0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1))


def rows_of(case):
    return case["n"] * case["lines"] * case["planes"]


def logged(case, iterations):
    """FLOPs of so many iterations by PETSc's formulas (MatMult, MatSolve, VecDot and their like of 3.18)."""
    n, lines, planes, blocks = (case[name] for name in ("n", "lines", "planes", "blocks"))
    points, extended = rows_of(case), planes // blocks + 3
    entries = sum((n - abs(x)) * (lines - abs(y)) * planes for x, y, _ in ENTRIES)
    of_block = sum((n - abs(x)) * (lines - abs(y)) * (extended - abs(z)) for x, y, z in ENTRIES)
    product, solves, dot = 2 * entries - points, blocks * (2 * of_block - extended * n * lines), 2 * points - 1
    vectors = 3 * points + 2 * points + 8 * points + 6 * points  # q and t, r, d and x twice, u and q and p
    first = solves + 2 * dot - 2 * points  # the first residual; the first update is a copy
    return first + (2 * iterations + 1) * (product + solves) + iterations * (vectors + 3 * dot)


def params(case, iterations):
    return case | {"iterations": iterations}


def command_of(binary, case, iterations):
    return [binary, *map(str, (case["n"], case["lines"], case["planes"], case["blocks"], iterations))]


def parsed(said, binary, iterations):
    """Reads the driver's line: seconds, FLOPs by PETSc's log, and the bounds of the residual."""
    try:
        seconds, flops, *bounds = map(float, said.split())
    except ValueError:
        bounds = []
    if len(bounds) != iterations + 1:
        raise ProgramFailed(f"{binary}: not the line of seconds, FLOPs and {iterations + 1} residuals that it should print: {said.strip()[:80]!r}")
    return {"seconds": seconds, "logged": round(flops), "bounds": bounds}


def run_theirs(binary, case, iterations):
    return parsed(output_of(command_of(binary, case, iterations)), binary, iterations)


def run(chosen):
    plumbline, busy, rows, counts = find_plumbline(), os.getloadavg()[0], [], []
    with tempfile.TemporaryDirectory(prefix="plumbline-petsc-") as name:
        folder = pathlib.Path(name)
        for flavor, binary, what in chosen.peer:
            for case in CASES:
                times = in_turn.time_beside(chosen.rounds, f"{flavor}, {rows_of(case)} rows",
                                            lambda: one_case.time_ours(plumbline, folder, KERNEL, flavor, params(case, ITERATIONS)),
                                            lambda: run_theirs(binary, case, ITERATIONS)["seconds"])
                rows.append({"flavor": flavor, "what": what} | case | {"iterations": ITERATIONS} | times)
            theirs = run_theirs(binary, COUNTED, COUNTED_ITERATIONS)
            counts.append({"flavor": flavor, "what": what} | COUNTED | {
                "iterations": COUNTED_ITERATIONS, "bounds": [f"{bound:.15g}" for bound in theirs["bounds"]],
                "ours": one_case.count_ours(plumbline, folder, KERNEL, flavor, params(COUNTED, COUNTED_ITERATIONS)),
                "theirs": {"logged": theirs["logged"], "explained": logged(COUNTED, COUNTED_ITERATIONS),
                           "counted": one_case.count_theirs(plumbline, command_of(binary, COUNTED, COUNTED_ITERATIONS))}})
    return in_turn.kept("petsc", busy, rounds=chosen.rounds, rows=rows, counts=counts)


def text(found):
    shown = ["milliseconds of ten iterations, medians; our speed over theirs (lowest to highest of the rounds)", ""]
    for row in found["rows"]:
        shown.append(f"{rows_of(row):8} rows, {row['flavor']:12} ours {row['ours']['median'] * 1e3:8.2f}  "
                     f"PETSc {row['theirs']['median'] * 1e3:8.2f}  {row['ratio']:.2f} ({row['ratio_lowest']:.2f} to {row['ratio_highest']:.2f})  {row['what']}")
    for row in found["counts"]:
        ours, theirs = row["ours"], row["theirs"]
        shown.append(f"FLOPs of {row['iterations']} iterations on {rows_of(row)} rows: PETSc's log {theirs['logged']:.0f}, explained "
                     f"{theirs['explained']}, counted {theirs['counted']:.0f}; ours counted {ours['counted']:.0f}, model {ours['model']:.0f}")
    return "\n".join([*shown, "", *found["notes"]])


if __name__ == "__main__":
    sys.exit(in_turn.main("petsc", "proxies/tfqmr beside PETSc", ("FLAVOR", "BINARY", "WHAT"), run, text))
