#!/usr/bin/python3
"""overhead.py PLUMBLINE MPIEXEC HELLO [--ranks 1,2,8,...] [--json FILE]: what planning, gathering and storing add to a run of more ranks than
the machine has cores. Every run measures the same cases on one rank, so all that grows with the number of ranks is overhead; HELLO, a
program that starts MPI and says a word, tells how much of it is MPI's own. Three launches of each size: one for its seconds, one for the peak
memory of each rank, one under strace for the calls of each rank that name a file. Exit 1 where a run failed or its result file is not whole,
or where a rank of many takes far more memory or file calls than one of few."""

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

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
flavor = ["gcc-O3-v2"]
params = {{form = "loop", n = {{from = 1, to = {CASES}, step = 1}}, m = 64}}
"""


def launch(mpiexec, ranks, patience, *words):
    command = ["timeout", "-k", "3", str(patience), mpiexec, "-n", str(ranks), *map(str, words)]
    start = time.monotonic()
    ended = subprocess.run(command, capture_output=True, text=True)
    return time.monotonic() - start, ended


def measure(plumbline, mpiexec, ranks, patience, *before):
    """Seconds of a whole launch, and what is wrong with its result. `before`: the words that each rank is started with."""
    with tempfile.TemporaryDirectory() as folder:
        campaign, store = Path(folder) / "overhead.toml", Path(folder) / "overhead.h5"
        campaign.write_text(CAMPAIGN)
        seconds, ended = launch(mpiexec, ranks, patience, *before, plumbline, "run", campaign, "-o", store)
        if ended.returncode != 0:
            return seconds, f"ended with {ended.returncode}: {(ended.stdout + ended.stderr)[-400:]}"
        import h5py  # not in the ranks that only tell their memory

        with h5py.File(store) as file:
            cases, outcomes, times = file["cases"][:], file["outcomes"][:], file["times"][:]
        wrong = []
        if len(cases) < CASES or len(outcomes) != len(cases) or any(row["status"] != b"ok" for row in outcomes):
            wrong.append(f"{len(outcomes)} outcomes")
        if {row["case"] for row in times} != {row["case"] for row in outcomes}:
            wrong.append("cases without times")
        return seconds, "; ".join(wrong)


def rank_of(folder, *command):
    """Runs as a rank: the rank's own process below it, whose peak memory it writes down."""
    process = subprocess.Popen(command, close_fds=False)
    _, status, usage = os.wait4(process.pid, 0)
    (Path(folder) / str(process.pid)).write_text(str(usage.ru_maxrss))
    return os.waitstatus_to_exitcode(status)


def memory(plumbline, mpiexec, ranks, patience):
    """MiB at the peak of the greatest rank and of the middle one, shared pages counted in each; and what is wrong."""
    with tempfile.TemporaryDirectory() as folder:
        _, wrong = measure(plumbline, mpiexec, ranks, patience, sys.executable, "-SE", __file__, "--rank-of", folder)
        peaks = sorted(int(file.read_text()) / 1024 for file in Path(folder).iterdir())
    if not wrong and len(peaks) != ranks:
        wrong = f"{len(peaks)} ranks told their memory"
    return (peaks[-1], statistics.median_low(peaks)) if peaks else (None, None), wrong


def file_calls(plumbline, mpiexec, ranks, patience):
    """Calls that name a file (open, stat, unlink ...), of the rank that makes the most and of the middle one; and what is wrong. Without those by
    which UCX, MPICH's transport, looks at each other process of the node: they are its own, grow with the ranks, and are of no disk."""
    with tempfile.TemporaryDirectory() as folder:
        _, wrong = measure(plumbline, mpiexec, ranks, patience, "strace", "-f", "--seccomp-bpf", "-ff", "-qq", "-e", "trace=%file", "-e", "signal=none",
                           "-o", f"{folder}/calls")
        calls = {}
        for file in Path(folder).iterdir():
            lines = file.read_text(errors="replace").splitlines()
            own = [line for line in lines if re.match(r"\w+\(", line) and not re.search(r'"/proc/\d', line)]
            calls[int(file.suffix[1:])] = len(own)
        ranks_only = sorted(calls.values())[-ranks:]  # threads and what a rank starts make few
    return (ranks_only[-1], statistics.median_low(ranks_only)) if ranks_only else (None, None), wrong


MOST_GROWTH = 1.5  # of a rank's memory and file calls, from the fewest ranks to the most


def grew(rows):
    """Says in words what the middle rank of the greatest launch takes far more of than that of the smallest."""
    told = []
    for key, words in (("memory_mib", "MiB"), ("file_calls", "file calls")):
        known = [row for row in rows if row.get(key)]
        if len(known) > 1 and known[-1][key] > MOST_GROWTH * known[0][key]:
            told.append(f"a rank of {known[-1]['ranks']} takes {known[-1][key]:.0f} {words}, one of {known[0]['ranks']} took {known[0][key]:.0f}")
    return "; ".join(told)


def row_of(options, ranks):
    bare, _ = launch(options.mpiexec, ranks, options.patience, options.hello)
    seconds, wrong = measure(options.plumbline, options.mpiexec, ranks, options.patience)
    row = {"ranks": ranks, "seconds": round(seconds, 3), "bare_mpi_seconds": round(bare, 3), "wrong": wrong}
    (most, middle), wrong = memory(options.plumbline, options.mpiexec, ranks, options.patience)
    row |= {"memory_mib": middle and round(middle, 1), "most_memory_mib": most and round(most, 1)}
    row["wrong"] = row["wrong"] or wrong
    if shutil.which("strace"):
        (most, middle), wrong = file_calls(options.plumbline, options.mpiexec, ranks, options.patience)
        row |= {"file_calls": middle, "most_file_calls": most}
        row["wrong"] = row["wrong"] or wrong
    return row


def main():
    if sys.argv[1:2] == ["--rank-of"]:
        return rank_of(*sys.argv[2:])
    parser = argparse.ArgumentParser()
    parser.add_argument("plumbline")
    parser.add_argument("mpiexec")
    parser.add_argument("hello")
    parser.add_argument("--ranks", default="1,2,8,32,64,128,256")
    parser.add_argument("--patience", type=float, default=300)
    parser.add_argument("--json")
    options = parser.parse_args()
    if not shutil.which("strace"):
        print("SKIP: strace is not installed: file calls are not counted")
    rows = []
    for ranks in map(int, options.ranks.split(",")):
        row = row_of(options, ranks)
        rows.append(row)
        calls = f"{row['file_calls']:.0f} (most {row['most_file_calls']})" if "file_calls" in row else "not counted"
        print(f"{ranks:4} ranks: {row['seconds']:7.2f} s ({row['seconds'] / rows[0]['seconds']:.1f} times that of {rows[0]['ranks']}), of which MPI alone "
              f"takes {row['bare_mpi_seconds']:.2f} s; MiB a rank: {row['memory_mib']} (most {row['most_memory_mib']}); file calls a rank: {calls} "
              f"{row['wrong']}", flush=True)
    growth = grew(rows)
    if growth:
        print(growth)
    document = {"schema": "plumbline-overhead/1", "cores": len(os.sched_getaffinity(0)), "cases": CASES, "rows": rows}
    if options.json:
        Path(options.json).write_text(json.dumps(document, indent=1) + "\n")
    return 1 if growth or any(row["wrong"] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
