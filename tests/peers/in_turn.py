"""Programs that do the same work are measured in turn, round by round: who begins changes from round to round, and each ratio is of neighbours."""

import argparse
import pathlib
import shlex
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "jobs" / "peers"))
from command import busy_note, end, positive, say  # noqa: E402
from machine import this_machine  # noqa: E402
from report import rounded  # noqa: E402


def measure_in_turn(done, ours, theirs):
    """Measures ours and each of theirs once, ours first where an even number of rounds is done."""
    for measure in [ours, *theirs] if done % 2 == 0 else [*theirs, ours]:
        measure()


def summary(rounds):
    return {"median": statistics.median(rounds), "best": min(rounds), "rounds": rounds}


def beside(mine, theirs):
    """Times of ours and theirs, round by round, and our speed over theirs."""
    ratios = [their / our for our, their in zip(mine, theirs)]
    return {"ours": summary(mine), "theirs": summary(theirs), "ratio": statistics.median(ratios), "ratio_lowest": min(ratios),
            "ratio_highest": max(ratios), "ratio_of_bests": min(theirs) / min(mine)}


def time_beside(rounds, what, ours, theirs):
    """Times ours and theirs, which give seconds, in turn, so many rounds; `what` says on the way what it is about."""
    mine, others = [], []
    for done in range(rounds):
        say(f"round {done + 1} of {rounds}: {what}")
        measure_in_turn(done, lambda: mine.append(ours()), [lambda: others.append(theirs())])
    return beside(mine, others)


def kept(name, busy, digits=4, **found):
    """The content of a comparison's file: what was found, by which command, on which machine, and how busy that was."""
    say("")
    return rounded({"schema": f"plumbline-{name}/1", "command": f"python3 tests/peers/{name}.py " + shlex.join(sys.argv[1:]),
                    "machine": this_machine().facts()} | found | {"notes": busy_note(busy)}, digits)


def main(name, what, peer, run, text):
    """The command line of a comparison with peers, each of which is told by the words of `peer`; gives the exit code."""
    parser = argparse.ArgumentParser(prog=f"{name}.py", description=f"{what}, in turn")
    parser.add_argument("--peer", nargs=len(peer), action="append", required=True, metavar=peer, help="may be given again")
    parser.add_argument("--rounds", type=positive, default=7, help="how often everything is measured (preset: 7)")
    parser.add_argument("-o", "--output", metavar="FILE", type=pathlib.Path, help="keeps every value of every round")
    chosen = parser.parse_args()
    return end(name, lambda: run(chosen), chosen.output, text)
