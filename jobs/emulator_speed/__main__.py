"""bash jobs/emulator_speed.sh: see there."""

import argparse
import fnmatch
import os
import pathlib
import shlex
import sys
import tempfile
import time

import goals
from machine import this_machine
from programs import ProgramFailed
from report import as_json, rounded, table
from session import Session
from tools import GEOMETRY, Bench

FAILED, INTERRUPTED = 1, 130
HEADINGS = ["loop", "compiled", "native", "none", "cachegrind", "counts", "caches", "off", "counts/cg", "goal", "caches/cg", "goal", "met"]
LEGEND = (f"""native: CPU time of a repetition; none to off: how many times slower; counts: our tool, --caches=no;
caches: three levels of {' · '.join(GEOMETRY.values())} (bytes, ways, line); off: code outside regions;
/cg: our time over cachegrind's with L1 and L3 of the same geometry. Medians over the rounds; ratios are of the same round.""")


def positive(word):
    number = int(word)
    if number < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return number


def options(arguments):
    parser = argparse.ArgumentParser(prog="emulator_speed.sh", description="how much slower programs run under the emulated counters, beside cachegrind")
    parser.add_argument("--rounds", type=positive, help="how often everything is measured (preset: 3, with --quick 1)")
    parser.add_argument("--quick", action="store_true", help="short measurements: half a minute")
    parser.add_argument("--only", action="append", metavar="GLOB", help="loops, as 'Horner*' or '*v3'; may be given again")
    parser.add_argument("--seed", type=int, default=1, help="of the random order (preset: 1)")
    parser.add_argument("--json", metavar="FILE", type=pathlib.Path, help="keeps every value of every round")
    chosen = parser.parse_args(arguments)
    chosen.lines = [line for line in goals.LINES if any(fnmatch.fnmatchcase(line.title, glob) for glob in chosen.only or ["*"])]
    if not chosen.lines:
        parser.error(f"no loop is named {' or '.join(chosen.only)}; there are: {'; '.join(line.title for line in goals.LINES)}")
    if chosen.json and not chosen.json.resolve().parent.is_dir():
        parser.error(f"there is no folder {chosen.json.resolve().parent}")
    chosen.rounds = chosen.rounds or (1 if chosen.quick else 3)
    return chosen


def say(words):
    """Progress: one line that is written over on a terminal, lines in a log."""
    print(f"\r\033[K{words}" if sys.stderr.isatty() else words, end="" if sys.stderr.isatty() else "\n", file=sys.stderr, flush=True)


def run(chosen):
    start, busy = time.monotonic(), os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="plumbline-speed-") as folder:
        bench = Bench(folder, 0.03 if chosen.quick else 0.3)
        session = Session(bench, chosen.lines, chosen.seed, say)
        session.measure(chosen.rounds)
        versions = bench.versions()
    say("")
    notes = [f"the machine was busy when the session began: load average {busy:.1f}"] if busy > 0.5 else []
    return rounded({"schema": "plumbline-emulator-speed/1", "command": "bash jobs/emulator_speed.sh " + shlex.join(sys.argv[1:]),
                    "machine": this_machine().facts(), "versions": versions, "rounds": chosen.rounds, "seed": chosen.seed, "geometry": GEOMETRY,
                    "rows": session.judged_lines(), "costs": session.judged_costs(), "start_up": session.start_ups(), "notes": notes,
                    "seconds": time.monotonic() - start})


def duration(seconds):
    return f"{1e6 * seconds:.3g} us" if seconds < 1e-3 else f"{1e3 * seconds:.3g} ms"


def times(value):
    return f"{value:.1f}" if value < 100 else f"{value:.0f}"


def cells_of(row):
    counts, caches = row["of_cachegrind"]["counts"], row["of_cachegrind"]["caches"]
    slowdowns = [times(row["slowdown"][tool]) for tool in ("none", "cachegrind", "counts", "caches", "outside")]
    return [row["name"], row["flavor"], duration(row["native_seconds"]), *slowdowns, f"{counts['reached']:.3f}", f"{counts['goal']}",
            f"{caches['reached']:.3f}", f"{caches['goal']}", f"{counts['met']}, {caches['met']}"]


def cost_cells(cost):
    return [cost["name"], cost["mode"], f"{cost['reached']:.3g} {cost['unit']}", f"{cost['goal']:g} {cost['unit']}", cost["met"]]


def outside_cells(rows):
    verdict = goals.judge(goals.median([row["outside"]["reached"] for row in rows]), goals.OUTSIDE.goal)
    return cost_cells({"name": goals.OUTSIDE.name, "mode": "caches", "unit": goals.OUTSIDE.unit, **verdict})


def text(found):
    costs = [cost_cells(cost) for cost in found["costs"]] + [outside_cells(found["rows"])]
    start_up = ", ".join(f"{tool} {seconds['cpu_seconds']:.2f} s ({seconds['wall_seconds']:.2f} s wall)" for tool, seconds in found["start_up"].items())
    return "\n".join([table(HEADINGS, [cells_of(row) for row in found["rows"]], {0, 1, 12}), "", LEGEND, "",
                      table(["cost", "mode", "reached", "goal", "met"], costs, {0, 1, 4}), f"start-up: {start_up}",
                      *(f"note: {note}" for note in found["notes"])])


def main():
    chosen = options(sys.argv[1:])
    try:
        found = run(chosen)
        if chosen.json:
            chosen.json.write_text(as_json(found))
    except (ProgramFailed, OSError) as error:
        print(f"emulator_speed: {error}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        print("\nemulator_speed: interrupted", file=sys.stderr)
        return INTERRUPTED
    print(text(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
