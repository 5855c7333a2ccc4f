#!/usr/bin/python3
"""links_in_store.py STORE NODE NODE: messages were measured inside both nodes and once between them, named by both, every sample good."""

import sys

import h5py


def text(value):
    return value.decode() if isinstance(value, bytes) else value


def problems(rows, nodes):
    inside = {row["node"] for row in rows if row["name"].endswith("inside a node")}
    if inside != set(nodes):
        yield f"messages inside {sorted(inside)}, not inside {sorted(nodes)}"
    between = [row for row in rows if row["name"].endswith("between nodes")]
    if {row["pattern"] for row in between} != {"latency", "one way", "both ways"}:
        yield f"between nodes only {sorted({row['pattern'] for row in between})}"
    for row in between:
        if row["node"] != nodes[0] or any(f"{node} rank" not in row["method"] for node in nodes):
            yield f"a link of two nodes belongs to the first and names both, not: {row['node']}: {row['method']}"
    for row in rows:
        if row["status"] != "ok" or not row["value"] > 0:
            yield f"{row['name']} of {row['working_set_bytes']:.0f} B on {row['node']}: {row['status']} {row['value']} ({row['method']})"
        if row["unit"] == "seconds" and row["value"] >= 1:
            yield f"{row['name']} takes {row['value']} s"


def main():
    store, *nodes = sys.argv[1:]
    with h5py.File(store) as file:
        table = file["ceilings"][:]
    rows = [dict(zip(table.dtype.names, map(text, row))) for row in table]
    found = list(problems([row for row in rows if row["level"] == "mpi"], nodes))
    for line in found:
        print("PROBLEM:", line)
    if not found:
        print(f"{len(rows)} samples of messages inside and between {' and '.join(nodes)}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
