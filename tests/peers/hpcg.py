"""This script holds proxies/cg against HPCG's reference code; both run in turn, on one core, and both are counted.

    git clone https://github.com/hpcg-benchmark/hpcg && cd hpcg
    flags="-O3 -march=x86-64-v3 -DHPCG_NO_MPI -DHPCG_NO_OPENMP"
    g++ $flags -Isrc -I$PLUMBLINE_SOURCE/harness/marker -o hpcg_driver $PLUMBLINE_SOURCE/tests/peers/hpcg_driver.cpp \\
      $(ls src/*.cpp | grep -v main.cpp)
    PLUMBLINE=build/bin/plumbline python3 tests/peers/hpcg.py --peer gcc-O3-v3 ./hpcg_driver "g++ $flags" -o found.json

A peer is told by the flavor of ours that it is compared with, its binary, and the flags that it was built with, which are only kept.

Both do ten iterations on n^3 points with four levels; of both HPCG's own formula says the FLOPs. The ratio is our speed over theirs, by
time: the median over rounds, in which they are neighbours in time. What is counted is five iterations on 32^3 points, by the emulator.
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

SIZES, LEVELS, ITERATIONS = (32, 64), 4, 10
COUNTED_SIZE, COUNTED_ITERATIONS = 32, 5
KERNEL = "proxies/cg"


def params(n, iterations):
    return {"n": n, "levels": LEVELS, "iterations": iterations}


def levels_of(n):
    """The points of each level of n^3 points on one rank, and the entries of its matrix that are no zeros."""
    return [((n >> level) ** 3, (3 * (n >> level) - 2) ** 3) for level in range(LEVELS)]


def formula(n, iterations):
    """FLOPs of so many iterations as HPCG itself reckons them (its ReportResults.cpp)."""
    levels = levels_of(n)
    rows, sums = levels[0][0], 3 * iterations + 1
    smoothing = sum(10 * entries for _, entries in levels[:-1]) + 4 * levels[-1][1]
    return 4 * sums * rows + 2 * (iterations + 1) * levels[0][1] + iterations * smoothing


def beside_theirs(n, iterations):
    """FLOPs that HPCG's code does beside its formula: smoothing takes a point's own part back in and divides, there and back; points of the
    coarser levels are taken off and added; the first direction is copied, not summed up."""
    rows = [points for points, _ in levels_of(n)]
    smoothing = 6 * (2 * sum(rows[:-1]) + rows[-1])
    return iterations * (smoothing + 2 * sum(rows[1:])) - 2 * rows[0]


def seconds_of(said, binary, iterations):
    """Reads the driver's line."""
    words = said.split()
    if len(words) != 4 or int(words[1]) != iterations:
        raise ProgramFailed(f"{binary}: not the line of seconds, iterations, entries and residual that it should print: {said.strip()[:80]!r}")
    return float(words[0])


def command_of(binary, n, iterations):
    return [binary, *map(str, (n, n, n, iterations))]


def run_theirs(binary, n, iterations):
    return seconds_of(output_of(command_of(binary, n, iterations)), binary, iterations)


def run(chosen):
    plumbline, busy, rows, counts = find_plumbline(), os.getloadavg()[0], [], []
    with tempfile.TemporaryDirectory(prefix="plumbline-hpcg-") as name:
        folder = pathlib.Path(name)
        for flavor, binary, flags in chosen.peer:
            for n in SIZES:
                times = in_turn.time_beside(chosen.rounds, f"{flavor}, {n}^3",
                                            lambda: one_case.time_ours(plumbline, folder, KERNEL, flavor, params(n, ITERATIONS)),
                                            lambda: run_theirs(binary, n, ITERATIONS))
                rows.append({"flavor": flavor, "flags": flags, "n": n, "flops": formula(n, ITERATIONS)} | times)
            counts.append({"flavor": flavor, "flags": flags, "n": COUNTED_SIZE, "iterations": COUNTED_ITERATIONS,
                           "formula": formula(COUNTED_SIZE, COUNTED_ITERATIONS),
                           "ours": one_case.count_ours(plumbline, folder, KERNEL, flavor, params(COUNTED_SIZE, COUNTED_ITERATIONS)),
                           "theirs": {"counted": one_case.count_theirs(plumbline, command_of(binary, COUNTED_SIZE, COUNTED_ITERATIONS)),
                                      "explained": formula(COUNTED_SIZE, COUNTED_ITERATIONS) + beside_theirs(COUNTED_SIZE, COUNTED_ITERATIONS)}})
    return in_turn.kept("hpcg", busy, rounds=chosen.rounds, rows=rows, counts=counts)


def text(found):
    shown = ["GFLOP/s by HPCG's formula, medians; our speed over theirs (lowest to highest of the rounds)", ""]
    for row in found["rows"]:
        ours, theirs = (row["flops"] / row[whose]["median"] / 1e9 for whose in ("ours", "theirs"))
        shown.append(f"{row['n']}^3, {row['flavor']:12} ours {ours:6.3f}  HPCG {theirs:6.3f}  {row['ratio']:.2f} "
                     f"({row['ratio_lowest']:.2f} to {row['ratio_highest']:.2f})  beside {row['flags']}")
    for row in found["counts"]:
        ours, theirs = row["ours"], row["theirs"]
        shown.append(f"FLOPs of {row['iterations']} iterations on {row['n']}^3: formula {row['formula']}; HPCG's counted {theirs['counted']:.0f}, explained "
                     f"{theirs['explained']} ({theirs['counted'] / theirs['explained'] - 1:+.3%}); ours counted {ours['counted']:.0f}, model {ours['model']:.0f}")
    return "\n".join([*shown, "", *found["notes"]])


if __name__ == "__main__":
    sys.exit(in_turn.main("hpcg", "proxies/cg beside HPCG", ("FLAVOR", "BINARY", "FLAGS"), run, text))
