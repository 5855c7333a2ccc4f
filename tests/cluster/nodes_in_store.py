#!/usr/bin/python3
"""nodes_in_store.py [--sessions N|N..M] [--kept EARLIER] STORE NODE...: every case was measured once on each of exactly these nodes, with times to show
for it; what the store EARLIER holds stands there unchanged."""

import argparse
import collections
import sys

import h5py


def text(value):
    return value.decode() if isinstance(value, bytes) else str(value)


def outcomes_in(store):
    return [tuple(text(outcome[name]) for name in ("case", "pass", "node", "status", "session")) for outcome in store["outcomes"][:]]


def problems(store, nodes, sessions, earlier):
    outcomes = outcomes_in(store)
    if not outcomes:
        yield "no outcome at all"
    seen = {node for _, _, node, _, _ in outcomes}
    if seen != set(nodes):
        yield f"outcomes of {sorted(seen)}, not of {sorted(nodes)}"
    times = collections.Counter((text(t["case"]), text(t["node"])) for t in store["times"][:])
    counted = collections.Counter((case, pass_, node) for case, pass_, node, _, _ in outcomes)
    for case, pass_ in sorted({(case, pass_) for case, pass_, _, _, _ in outcomes}):
        for node in nodes:
            if counted[case, pass_, node] != 1:
                yield f"{case} ({pass_}) has {counted[case, pass_, node]} outcomes on {node}"
            if pass_ == "time" and times[case, node] == 0:
                yield f"{case} has no time from {node}"
    yield from (f"{case} on {node}: {status}" for case, _, node, status, _ in outcomes if status != "ok")
    measured = {session for _, _, _, _, session in outcomes}
    if sessions is not None and len(measured) not in sessions:
        yield f"{len(measured)} sessions, not {sessions.start} to {sessions.stop - 1}"
    yield from (f"was finished, and is lost or measured again: {outcome}" for outcome in earlier if outcome not in outcomes)


def numbers(word):
    """The numbers of "2" or "2..5"."""
    least, _, most = word.partition("..")
    return range(int(least), int(most or least) + 1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sessions", type=numbers)
    parser.add_argument("--kept")
    parser.add_argument("store")
    parser.add_argument("nodes", nargs="+")
    arguments = parser.parse_args()
    earlier = []
    if arguments.kept:
        with h5py.File(arguments.kept) as store:
            earlier = outcomes_in(store)
        assert earlier, f"{arguments.kept} holds nothing finished"
    with h5py.File(arguments.store) as store:
        found = list(problems(store, arguments.nodes, arguments.sessions, earlier))
        outcomes = len(store["outcomes"])
    for line in found:
        print("PROBLEM:", line)
    if not found:
        print(f"{outcomes} outcomes, every case on each of {', '.join(arguments.nodes)}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
