#!/usr/bin/python3
"""nodes_in_store.py [--sessions N] STORE NODE...: every case was measured once on each of exactly these nodes, with times to show for it."""

import argparse
import collections
import sys

import h5py


def text(value):
    return value.decode() if isinstance(value, bytes) else str(value)


def problems(store, nodes, sessions):
    outcomes = [(text(o["case"]), text(o["pass"]), text(o["node"]), text(o["status"]), text(o["session"])) for o in store["outcomes"][:]]
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
    if sessions is not None and len(measured) != sessions:
        yield f"{len(measured)} sessions, not {sessions}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sessions", type=int)
    parser.add_argument("store")
    parser.add_argument("nodes", nargs="+")
    arguments = parser.parse_args()
    with h5py.File(arguments.store) as store:
        found = list(problems(store, arguments.nodes, arguments.sessions))
        outcomes = len(store["outcomes"])
    for line in found:
        print("PROBLEM:", line)
    if not found:
        print(f"{outcomes} outcomes, every case on each of {', '.join(arguments.nodes)}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
