"""bash jobs/emulator_speed.sh: see there."""

import argparse
import fnmatch
import os
import pathlib
import shlex
import sys
import tempfile
import time

import slowdowns
import words
from command import busy_note, end, positive, say
from machine import this_machine
from report import rounded
from rounds import Session
from tools import GEOMETRY, Bench


def options(arguments):
    parser = argparse.ArgumentParser(prog="emulator_speed.sh", description="how much slower programs run under the emulated counters, beside cachegrind")
    parser.add_argument("--rounds", type=positive, help="how often everything is measured (preset: 3, with --quick 1)")
    parser.add_argument("--quick", action="store_true", help="short measurements: half a minute")
    parser.add_argument("--only", action="append", metavar="GLOB", help="loops, as 'Horner*' or '*v3'; may be given again")
    parser.add_argument("--seed", type=int, default=1, help="of the random order (preset: 1)")
    parser.add_argument("--json", metavar="FILE", type=pathlib.Path, help="keeps every value of every round")
    chosen = parser.parse_args(arguments)
    chosen.lines = [line for line in slowdowns.LINES if any(fnmatch.fnmatchcase(line.title, glob) for glob in chosen.only or ["*"])]
    if not chosen.lines:
        parser.error(f"no loop is named {' or '.join(chosen.only)}; there are: {'; '.join(line.title for line in slowdowns.LINES)}")
    if chosen.json and not chosen.json.resolve().parent.is_dir():
        parser.error(f"there is no folder {chosen.json.resolve().parent}")
    chosen.rounds = chosen.rounds or (1 if chosen.quick else 3)
    return chosen


def run(chosen):
    start, busy = time.monotonic(), os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="plumbline-speed-") as folder:
        bench = Bench(folder, 0.03 if chosen.quick else 0.3)
        session = Session(bench, chosen.lines, chosen.seed, say)
        session.measure(chosen.rounds)
        versions = bench.versions()
    say("")
    return rounded({"schema": "plumbline-emulator-speed/1", "command": "bash jobs/emulator_speed.sh " + shlex.join(sys.argv[1:]),
                    "machine": this_machine().facts(), "versions": versions, "rounds": chosen.rounds, "seed": chosen.seed, "geometry": GEOMETRY,
                    "rows": session.judged_lines(), "costs": session.judged_costs(), "start_up": session.start_ups(), "notes": busy_note(busy),
                    "seconds": time.monotonic() - start})


def main():
    chosen = options(sys.argv[1:])
    return end("emulator_speed", lambda: run(chosen), chosen.json, words.text)


if __name__ == "__main__":
    sys.exit(main())
