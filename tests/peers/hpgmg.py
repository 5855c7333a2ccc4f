"""This script holds proxies/multigrid against HPGMG-FV, whose binaries the user builds; both run in turn, on one core.

    git clone https://github.com/hpgmg/hpgmg && cd hpgmg/finite-volume/source
    flags="-O3 -march=x86-64-v3 -fopenmp -fno-math-errno -fno-trapping-math"
    flags="$flags -DUSE_FCYCLES=1 -DUSE_GSRB=1 -DUSE_BICGSTAB=1 -DUSE_PERIODIC_BC=1 -DGSRB_FP=1"
    gcc $flags hpgmg-fv.c level.c mg.c operators.fv4.c solvers.c timers.c -lm -o hpgmg-fp
    PLUMBLINE=build/bin/plumbline python3 tests/peers/hpgmg.py --peer fp gcc12-O3-v3 ./hpgmg-fp "gcc $flags" -o found.json

A peer is told by its smoother (fp, branch, stride2: GSRB_FP, GSRB_BRANCH, GSRB_STRIDE2), the flavor of ours that it is compared with, its
binary, and the flags that it was built with, which are only kept. As its loops are, GCC 12 makes no vectors of them: with
"--param vect-max-version-for-alias-checks=1000 -DBLOCKCOPY_TILE_J=16 -DBLOCKCOPY_TILE_K=16" it is nearly twice as fast. Built with
-DUSE_MPI=1 it measures itself for a minute, else for seconds.

Both do an F-cycle on eight boxes of 64^3 cells with twelve half sweeps at the finest level (six of red, six of black cells, out of place),
each after ghost cells two deep are filled. A ratio is our speed over theirs: the median over rounds, in which they are neighbours in time.
"""

import functools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "jobs" / "peers"))
import in_turn  # noqa: E402
from command import say  # noqa: E402
from ours import find_plumbline  # noqa: E402
from programs import ProgramFailed, output_of  # noqa: E402

CELLS = 8 * 64**3
HALF_SWEEPS = 12  # at the finest level: HPGMG's NUM_SMOOTHS is 3, before and after the coarser level
OUR_FILLS, THEIR_FILLS = HALF_SWEEPS + 1, HALF_SWEEPS + 2  # before the residual, too; HPGMG computes another one at the end
CAMPAIGN = """schema = "plumbline-campaign/1"
name = "hpgmg"
passes = ["time"]

[[cases]]
kernel = "proxies/multigrid"
precision = ["fp64"]
flavor = ["{flavor}"]
team = [{{ranks = 1, threads = 1}}]
params = {{variant = "{variant}", cycle = "f", boxes = 2, n = 64, levels = 6, smooths = 3}}
"""
WHAT = {"half sweep": "ns a cell", "fill of ghost cells": "ms", "residual": "ms", "F-cycle": "ms"}


def ours(plumbline, variant, flavor, folder):
    """Times of an F-cycle of ours, by what they are of."""
    campaign, store = folder / "hpgmg.toml", folder / "hpgmg.h5"
    campaign.write_text(CAMPAIGN.format(variant=variant, flavor=flavor))
    output_of([plumbline, "run", campaign, "--overwrite", "-o", store])
    rows = json.loads(output_of([plumbline, "show", store, "--json"]))["rows"]
    seconds = {row.get("phase"): row["seconds"] for row in rows if row["status"] == "ok"}
    if missing := [name for name in (None, "red@1", "black@1", "halo@1", "ghosts@1", "residual@1") if not seconds.get(name)]:
        raise ProgramFailed(f"{plumbline}: no time of {missing[0] or 'proxies/multigrid'}, {variant}, {flavor}: is that flavor built in?")
    return {"half sweep": (seconds["red@1"] + seconds["black@1"]) / HALF_SWEEPS / CELLS * 1e9,
            "fill of ghost cells": (seconds["halo@1"] + seconds["ghosts@1"]) / OUR_FILLS * 1e3,
            "residual": seconds["residual@1"] * 1e3,
            "F-cycle": seconds[None] * 1e3}


def first_breakdown(binary):
    """HPGMG's output up to the end of its first table of times, that of the whole problem; it is stopped then."""
    said = []
    try:
        running = subprocess.Popen([binary, "6", "8"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
                                   text=True, env=dict(os.environ, OMP_NUM_THREADS="1"))
    except OSError as error:
        raise ProgramFailed(f"{binary}: {error.strerror}") from error
    late = threading.Timer(600, running.kill)
    late.start()
    try:
        for line in running.stdout:
            said.append(line)
            if "Total time in MGSolve" in line:
                return "".join(said)
    finally:
        late.cancel()
        running.kill()
        running.wait()
        running.stdout.close()
    raise ProgramFailed(f"{binary} 6 8: no table of times; it said last: {said[-1].strip() if said else 'nothing'}")


def parsed(text, binary="hpgmg"):
    """Times of an F-cycle of HPGMG from its table, by what they are of. What ours has not is taken off the whole: the norms, the last
    residual, and the fill before it."""
    if "128^3 level from 8 x 64^3 boxes" not in text:
        raise ProgramFailed(f"{binary}: its problem is not 8 boxes of 64^3")
    table = text[text.index("Timing Breakdown"):]

    def finest(name):
        if not (found := re.search(rf"^{name} +([0-9.]+) ", table, re.MULTILINE)):
            raise ProgramFailed(f"{binary}: its table of times has no line '{name}'")
        return float(found.group(1))

    fill = (finest("Ghost Zone Exchange") + finest("Boundary Conditions")) / THEIR_FILLS
    residual = finest("residual") / 2
    whole = float(re.search(r"Total time in MGSolve +([0-9.]+)", table).group(1))
    return {"half sweep": finest("smooth") / HALF_SWEEPS / CELLS * 1e9,
            "fill of ghost cells": fill * 1e3,
            "residual": residual * 1e3,
            "F-cycle": (whole - finest("BLAS1") - residual - fill) * 1e3}


def lines_of(mine, theirs):
    """A line for each thing that both do: their times, and the ratios of each round's."""
    for what, unit in WHAT.items():
        yield {"what": what, "unit": unit} | in_turn.beside([one[what] for one in mine], [one[what] for one in theirs])


def run(chosen):
    plumbline, busy, cases = find_plumbline(), os.getloadavg()[0], {}
    for variant, flavor, binary, flags in chosen.peer:
        cases.setdefault((variant, flavor), []).append({"binary": binary, "flags": flags, "rounds": [], "periodic": None})
    mine = {case: [] for case in cases}
    loads = []
    with tempfile.TemporaryDirectory(prefix="plumbline-hpgmg-") as folder:
        for done in range(chosen.rounds):
            for case, peers in cases.items():
                say(f"round {done + 1} of {chosen.rounds}: {' '.join(case)}")
                loads.append(os.getloadavg()[0])

                def measure_ours(case=case):
                    mine[case].append(ours(plumbline, *case, pathlib.Path(folder)))

                def measure(peer):
                    said = first_breakdown(peer["binary"])
                    peer["rounds"].append(parsed(said, peer["binary"]))
                    peer["periodic"] = "BC_PERIODIC" in said

                in_turn.measure_in_turn(done, measure_ours, [functools.partial(measure, peer) for peer in peers])
    rows = [{"variant": case[0], "flavor": case[1], "flags": peer["flags"], "periodic": peer["periodic"],
             "lines": list(lines_of(mine[case], peer["rounds"]))} for case, peers in cases.items() for peer in peers]
    return in_turn.kept("hpgmg", busy, rounds=chosen.rounds, load_average=loads, rows=rows)


def text(found):
    shown = [f"{'':22}{'ours':>10}{'HPGMG-FV':>10}            our speed / theirs (lowest to highest of {found['rounds']} rounds)"]
    for row in found["rows"]:
        shown += ["", f"{row['variant']}, {row['flavor']}, beside {row['flags']}"]
        for line in row["lines"]:
            times = f"{line['ours']['median']:10.3g}{line['theirs']['median']:10.3g} {line['unit']:10}"
            spread = f"({line['ratio_lowest']:.2f} to {line['ratio_highest']:.2f})"
            shown.append(f"  {line['what']:20}{times} {line['ratio']:.2f} {spread}, of bests {line['ratio_of_bests']:.2f}")
    return "\n".join([*shown, "", *found["notes"]])


if __name__ == "__main__":
    sys.exit(in_turn.main("hpgmg", "proxies/multigrid beside HPGMG-FV", ("VARIANT", "FLAVOR", "BINARY", "FLAGS"), run, text))
