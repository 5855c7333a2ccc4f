#!/usr/bin/python3
"""overhead.py PLUMBLINE MPIEXEC HELLO [--ranks 1,2,8,...] [--json FILE]: what planning, gathering and storing add to a run of more ranks than
the machine has cores. Every run measures the same cases on one rank, so all that grows with the number of ranks is overhead; HELLO, a
program that starts MPI and says a word, tells how much of it is MPI's own. Exit 1 where a run failed or its result file is not whole."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import h5py

CASES = 20
CAMPAIGN = f"""schema = "plumbline-campaign/1"
name = "overhead"
passes = ["time"]
counters = "none"
[timing]
min_seconds = 0.001
max_repetitions = 3
[[cases]]
kernel = "validation/series"
precision = "fp64"
flavor = ["gcc*-O3-v2"]
params = {{form = "loop", n = {{from = 1, to = {CASES}, step = 1}}, m = 64}}
"""


def launch(mpiexec, ranks, patience, *words):
    command = ["timeout", "-k", "3", str(patience), mpiexec, "-n", str(ranks), *map(str, words)]
    start = time.monotonic()
    ended = subprocess.run(command, capture_output=True, text=True)
    return time.monotonic() - start, ended


def measure(plumbline, mpiexec, ranks, patience):
    """Seconds of a whole launch, and what is wrong with its result."""
    with tempfile.TemporaryDirectory() as folder:
        campaign, store = Path(folder) / "overhead.toml", Path(folder) / "overhead.h5"
        campaign.write_text(CAMPAIGN)
        seconds, ended = launch(mpiexec, ranks, patience, plumbline, "run", campaign, "-o", store)
        if ended.returncode != 0:
            return seconds, f"ended with {ended.returncode}: {(ended.stdout + ended.stderr)[-400:]}"
        with h5py.File(store) as file:
            cases, outcomes, times = file["cases"][:], file["outcomes"][:], file["times"][:]
        wrong = []
        if len(cases) < CASES or len(outcomes) != len(cases) or any(row["status"] != b"ok" for row in outcomes):
            wrong.append(f"{len(outcomes)} outcomes")
        if {row["case"] for row in times} != {row["case"] for row in outcomes}:
            wrong.append("cases without times")
        return seconds, "; ".join(wrong)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("plumbline")
    parser.add_argument("mpiexec")
    parser.add_argument("hello")
    parser.add_argument("--ranks", default="1,2,8,32,128,256")
    parser.add_argument("--patience", type=float, default=300)
    parser.add_argument("--json")
    options = parser.parse_args()
    rows = []
    for ranks in map(int, options.ranks.split(",")):
        bare, _ = launch(options.mpiexec, ranks, options.patience, options.hello)
        seconds, wrong = measure(options.plumbline, options.mpiexec, ranks, options.patience)
        rows.append({"ranks": ranks, "seconds": round(seconds, 3), "bare_mpi_seconds": round(bare, 3), "wrong": wrong})
        print(f"{ranks:4} ranks: {seconds:8.2f} s, of which MPI alone takes {bare:8.2f} s {wrong}", flush=True)
    document = {"schema": "plumbline-overhead/1", "cores": len(os.sched_getaffinity(0)), "cases": CASES, "rows": rows}
    if options.json:
        Path(options.json).write_text(json.dumps(document, indent=1) + "\n")
    return 1 if any(row["wrong"] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
