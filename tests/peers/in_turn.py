"""Programs that do the same work are measured in turn, round by round: who begins changes from round to round, and each ratio is of neighbours."""

import argparse
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "jobs" / "peers"))
from command import end, positive  # noqa: E402


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


def main(name, what, peer, run, text):
    """The command line of a comparison with peers, each of which is told by the words of `peer`; gives the exit code."""
    parser = argparse.ArgumentParser(prog=f"{name}.py", description=f"{what}, in turn")
    parser.add_argument("--peer", nargs=len(peer), action="append", required=True, metavar=peer, help="may be given again")
    parser.add_argument("--rounds", type=positive, default=7, help="how often everything is measured (preset: 7)")
    parser.add_argument("-o", "--output", metavar="FILE", type=pathlib.Path, help="keeps every value of every round")
    chosen = parser.parse_args()
    return end(name, lambda: run(chosen), chosen.output, text)
