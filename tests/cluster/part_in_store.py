#!/usr/bin/python3
"""part_in_store.py STORE PART: the node's document says that it was measured on PART ("1 of 2 cores"), and no ceiling's team is called a node;
with an empty PART the document says nothing, and the largest team's is."""

import json
import sys

import h5py


def text(value):
    return value.decode() if isinstance(value, bytes) else str(value)


def main(store, part):
    with h5py.File(store) as file:
        machine = json.loads(text(file["machine"][0]["json"]))
        teams = {int(row["ranks"]) * int(row["threads"]): text(row["scope"]) for row in file["ceilings"][:]}
    largest = teams[max(teams)]
    assert machine.get("part_of_node", "") == part, machine.get("part_of_node")
    cores = int(part.split()[0]) if part else machine["cores"]
    assert max(teams) == cores, f"{teams} on {cores} cores"
    assert (largest == "node") == (not part) and largest != "", teams


if __name__ == "__main__":
    main(*sys.argv[1:])
