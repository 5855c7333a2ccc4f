"""bash jobs/peers.sh: see there."""

import argparse
import fnmatch
import os
import pathlib
import shlex
import sys
import tempfile
import time

import carm as carm_roofline
import goals
import likwid as likwid_bench
import loops
import report
from command import busy_note, end, positive, say
from machine import this_machine
from ours import Ours, find_plumbline
from session import Session, comparisons


def options(arguments):
    parser = argparse.ArgumentParser(prog="peers.sh", description="plumbline's ceilings beside likwid-bench, plain OpenMP loops, the C library and CARM, in one session")
    parser.add_argument("--rounds", type=positive, help="how often everybody measures everything (preset: 5, with --full 10)")
    parser.add_argument("--full", action="store_true", help="also ten runs that find the levels, the time of all ceilings, quick against full")
    parser.add_argument("--only", action="append", metavar="GLOB", help="lines of the table, as 'L1 load' or 'DRAM*'; may be given again")
    parser.add_argument("--seed", type=int, default=1, help="of the random order (preset: 1)")
    parser.add_argument("--no-carm", action="store_true", help="without CARM, which takes up to 300 s by itself")
    parser.add_argument("-o", dest="output", metavar="FILE.json", type=pathlib.Path, help="keeps every value of every round")
    chosen = parser.parse_args(arguments)
    chosen.lines = [line for line in goals.LINES if any(fnmatch.fnmatchcase(line.name, glob) for glob in chosen.only or ["*"])]
    if not chosen.lines:
        parser.error(f"no line is named {' or '.join(chosen.only)}; there are: {', '.join(line.name for line in goals.LINES)}")
    if chosen.output and not chosen.output.resolve().parent.is_dir():
        parser.error(f"there is no folder {chosen.output.resolve().parent}")
    chosen.rounds = chosen.rounds or (10 if chosen.full else 5)
    return chosen


def run(chosen):
    start = time.monotonic()
    machine, notes, busy = this_machine(), [], os.getloadavg()[0]
    likwid = likwid_bench.Likwid(machine.flags, machine.threads_per_core)
    if not likwid.program:
        notes.append(likwid_bench.ABSENT)
        print(likwid_bench.ABSENT, flush=True)
    with tempfile.TemporaryDirectory(prefix="plumbline-peers-") as folder:
        ours = Ours(find_plumbline(), folder)
        wants_carm = not chosen.no_carm and any(line.carm for line in chosen.lines)
        carm = carm_roofline.Carm(machine.flags) if wants_carm else None
        compared = comparisons(chosen.lines, machine, likwid, loops.compiled(machine.cpu), carm)
        session = Session(ours, compared, chosen.seed, say)
        facts = machine.facts()
        session.calibrate()
        session.measure(chosen.rounds)
        verdicts = [goals.judge_spread(session.spread())]
        if chosen.full:
            verdicts += [*session.levels(10, machine.caches), *session.whole_sets()]
        verdicts.append(goals.judge_limits(session.highest))
    say("")
    notes += [carm.reason] if carm and carm.reason else []
    notes += busy_note(busy)
    if machine.hypervisor:
        notes.append(f"a virtual machine ({machine.hypervisor}): neighbours that cannot be seen share its last cache and memory")
    peers = {"likwid-bench": likwid.version or likwid_bench.ABSENT, "loops": f"{loops.compiler_version()}, {' '.join(loops.FLAGS)}"}
    peers["CARM"] = (carm.reason or carm.version()) if carm else "not asked for"
    taken = {"rounds": chosen.rounds, "seed": chosen.seed, "full": chosen.full}
    rows = [report.row_of(one) for one in compared]
    verdicts.append(goals.judge_median_line(rows))
    return report.document("bash jobs/peers.sh " + shlex.join(sys.argv[1:]), facts, peers, rows, verdicts, notes,
                           time.monotonic() - start, taken)


def main():
    chosen = options(sys.argv[1:])
    return end("peers", lambda: run(chosen), chosen.output, report.text)


if __name__ == "__main__":
    sys.exit(main())
