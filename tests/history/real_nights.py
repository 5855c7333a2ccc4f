#!/usr/bin/env python3
"""real_nights.py PLUMBLINE FOLDER: each night of a folder (result files whose names are in order) held against those before it, as JSON;
and slowdowns written into copies of the last nights, of which each must be found within the nights that it stays.

The nights of tests/golden/night_real.json: `mpiexec -n 2 plumbline run quick -o FOLDER/night-NN.h5`, ten times, on two cores beside builds.
"""
import collections
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

import h5py

STAYS = 3  # nights


def checked(plumbline, night, before):
    done = subprocess.run([plumbline, "check", night, "--baseline", before, "--allow-missing", "--json"], capture_output=True, text=True)
    return done.returncode, json.loads(done.stdout)


def in_short(code, found):
    return {"nights_before": found["nights"], "exit": code, "rows": dict(collections.Counter(row["verdict"] for row in found["rows"])),
            "slower": [[row["what"], round(row["slowdown"], 2)] for row in found["rows"] if row["verdict"] == "SLOWER"][:5]}


def slowed(night, path, factor, is_slow, with_ceilings):
    """A copy of which the cases that `is_slow` says take `factor` times as long, and every ceiling where asked."""
    shutil.copy(night, path)
    with h5py.File(path, "r+") as file:
        times = file["times"][:]
        slow = [is_slow(case.decode()) for case in times["case"]]
        times["seconds"][slow] *= factor
        file["times"][...] = times
        if with_ceilings:
            rows = file["ceilings"][:]
            less_is_better = rows["unit"] == b"seconds"
            rows["value"][less_is_better] *= factor
            rows["value"][~less_is_better & (rows["unit"] != b"bytes")] /= factor
            file["ceilings"][...] = rows
    return path


def cases_of(night):
    with h5py.File(night) as file:
        return sorted({case.decode() for case in file["times"]["case"]})


def faults(night):
    """Name, factor, which cases, whether the ceilings too, and the rows one of which must be named."""
    for case in cases_of(night)[::13]:
        for percent in (10, 20, 50):
            yield f"one case slower by {percent} %", 1 + percent / 100, case.__eq__, False, case.__eq__
    for percent in (10, 20, 50):
        yield f"the node slower by {percent} %", 1 + percent / 100, lambda case: True, True, lambda what: True
    for factor in (2, 3, 10):
        yield f"every case {factor} times as long", factor, lambda case: True, False, lambda what: not what.startswith("ceiling/")


def nights_until_found(plumbline, nights, fault):
    """1: in its first night; None: in none."""
    _, factor, is_slow, with_ceilings, is_meant = fault
    with tempfile.TemporaryDirectory() as before:
        for night in nights[:-STAYS]:
            shutil.copy(night, before)
        for number, night in enumerate(nights[-STAYS:], 1):
            slow = slowed(night, pathlib.Path(before, "now.h5"), factor, is_slow, with_ceilings)
            _, found = checked(plumbline, slow, before)
            if any(row["verdict"] == "SLOWER" and is_meant(row["what"]) for row in found["rows"]):
                return number
            slow.rename(pathlib.Path(before, night.name))
    return None


def faults_found(plumbline, nights):
    found = collections.defaultdict(collections.Counter)
    for fault in faults(nights[-1]):
        night = nights_until_found(plumbline, nights, fault)
        found[fault[0]]["never" if night is None else f"night {night}"] += 1
    return {name: dict(counts) for name, counts in found.items()}


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    plumbline, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    nights = sorted(folder.glob("*.h5"))
    rows = []
    with tempfile.TemporaryDirectory() as before:
        for last, night in zip(nights, nights[1:]):
            shutil.copy(last, before)
            rows.append(in_short(*checked(plumbline, night, before)))
    about = {"command": f"tests/history/real_nights.py {plumbline} {folder}", "false_exits": sum(row["exit"] == 3 for row in rows),
             "checks": len(rows), "slowdowns_found": faults_found(plumbline, nights)}
    print(json.dumps(about)[:-1] + ',\n"rows": [\n' + ",\n".join(map(json.dumps, rows)) + "\n]}")


if __name__ == "__main__":
    main()
