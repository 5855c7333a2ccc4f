"""Makes the adversary's data of a result file: adversary_base.py FILE > tests/golden/adversary_base.json

    mpiexec.mpich -n 2 build-ci/bin/plumbline run CAMPAIGN -o FILE     # jobs/campaigns/quick.toml; adversary_held_out.toml

What is needed of a real run: the cases of one node that the emulator counted, what their models say, and what was counted, of one rank.
Numbers that occur often are written once.
"""
import json
import sys

import h5py


def text(value):
    return value.decode() if isinstance(value, bytes) else value


def rows_of(file, table, names):
    columns = [file[table][name] for name in names]
    return [tuple(text(value) for value in row) for row in zip(*columns)]


def counted(file):
    """The net counts of rank 0, by case and event, of the first node by which the emulator counted the case, without an error."""
    counts, nodes = {}, {}
    names = ["case", "node", "backend", "event", "rank", "thread", "net", "status"]
    for case, node, backend, event, rank, thread, net, status in rows_of(file, "counts", names):
        if backend != "emulated" or rank != 0 or thread != -1 or status != "ok" or nodes.setdefault(case, node) != node:
            continue
        counts.setdefault(case, {})[event] = float(net)
    return counts


def whole(number):
    return int(number) if number == int(number) else number


def main(path):
    with h5py.File(path) as file:
        counts = counted(file)
        model = {}
        for case, quantity, lo, hi in rows_of(file, "model", ["case", "quantity", "lo", "hi"]):
            if case in counts:
                model.setdefault(case, {})[quantity] = [whole(lo), whole(hi)]
        columns = ["id", "work", "kernel", "precision", "flavor", "ranks", "threads", "params"]
        cases = [dict(zip(columns, row)) for row in rows_of(file, "cases", columns) if row[0] in counts]
    events = sorted({event for of_case in counts.values() for event in of_case})
    quantities = sorted({quantity for of_case in model.values() for quantity in of_case})
    lines = []
    for case in cases:
        id = case["id"]
        row = {key: case[key] for key in columns if key not in ("ranks", "threads", "work")} | {"team": [int(case["ranks"]), int(case["threads"])]}
        row["counts"] = [whole(counts[id][event]) if event in counts[id] else None for event in events]
        row["model"] = [(lambda b: b and (b[0] if b[0] == b[1] else b))(model[id].get(quantity)) for quantity in quantities]
        lines.append(json.dumps(row, separators=(",", ":")))
    print('{"command": "python3 tests/scoring/adversary_base.py FILE",')
    print(f'"events": {json.dumps(events)},\n"quantities": {json.dumps(quantities)},\n"cases": [')
    print(",\n".join(lines) + "\n]}")


if __name__ == "__main__":
    main(sys.argv[1])
