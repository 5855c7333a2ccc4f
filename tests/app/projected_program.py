"""Paper 004's projection in small, really run on both sides: a program with serial and threaded parts (serial_threaded.c) on one core and on two,
in turns; from its times on the one and both sides' ceilings to the other, beside what was measured there.

    python3 tests/app/projected_program.py PLUMBLINE CEILINGS.h5 FOLDER [--rounds 7] [--json FILE]

CEILINGS.h5 has this machine's ceilings of one core and of two.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
KINDS = {"update": ("threaded", "mem", 24 + 8, 2), "match": ("threaded", "compute fp64", 16 + 8, 48), "sum": ("serial", "mem", 8, 1), "copy": ("serial", "mem", 16 + 8, 2)}
ELEMENTS, SWEEPS = 4_000_000, 10


def build(folder):
    program = folder / "serial_threaded"
    subprocess.run(["cc", "-O3", "-march=native", "-fopenmp", "-o", program, HERE / "serial_threaded.c"], check=True)
    return program


def one_run(program, threads):
    done = subprocess.run([program, str(ELEMENTS), str(SWEEPS)], capture_output=True, text=True, check=True,
                          env={**os.environ, "OMP_NUM_THREADS": str(threads), "OMP_PROC_BIND": "close", "OMP_PLACES": "cores"})
    return {name: float(seconds) for name, seconds in (line.split() for line in done.stdout.splitlines())}


def in_turns(program, rounds):
    """The fastest run of each: neighbours only slow down."""
    runs = {1: [], 2: []}
    for turn in range(rounds):
        for threads in (1, 2) if turn % 2 == 0 else (2, 1):
            runs[threads].append(one_run(program, threads))
    return {threads: min(all_runs, key=lambda run: run["whole"]) for threads, all_runs in runs.items()}


def ceiling(rows, workers, level, pattern=None, precision="fp64"):
    fits = [row for row in rows if row["status"] == "ok" and row["ranks"] * row["threads"] == workers and row["level"] == level
            and (pattern is None or row["pattern"] == pattern) and (level != "compute" or row["precision"] == precision)
            and row["unit"] in ("GB/s", "GFLOP/s")]
    return max(row["value"] if level == "compute" else row["traffic_gbs"] or row["value"] for row in fits)


def spec(path, rows, workers, seconds):
    text = (f'schema = "plumbline-spec/1"\nname = "{workers} core{"s" if workers > 1 else ""}"\nmachine = "this"\ncores = {workers}\n'
            f'measured_seconds = {seconds}\n')
    for scope, of in (("node", workers), ("numa", 1)):
        for name, level, pattern, unit in (("mem", "mem", "load", "GB/s"), ("compute fp64", "compute", "fma", "GFLOP/s")):
            text += (f'[[ceilings]]\nname = "{name}"\nvalue = {ceiling(rows, of, level, pattern)}\nunit = "{unit}"\nscope = "{scope}"\n'
                     f'method = "plumbline, {pattern}"\n')
    path.write_text(text)
    return path


def application(path, seconds):
    text = f'schema = "plumbline-app/1"\nname = "serial and threaded"\nrest_seconds = {max(seconds["whole"] - sum(seconds[part] for part in KINDS), 1e-9)}\n'
    for part, (kind, bound, element_bytes, element_flops) in KINDS.items():
        amount = ELEMENTS * SWEEPS
        text += (f'[[groups]]\nname = "{part}"\nseconds = {seconds[part]}\nkind = "{kind}"\nbound = "{bound}"\nflops = {amount * element_flops}\n'
                 f'bytes = {{mem = {amount * element_bytes}}}\nworking_set_bytes = {3 * 8 * ELEMENTS}\n')
    path.write_text(text)
    return path


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("ceilings", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    best = in_turns(build(options.folder), options.rounds)
    rows = json.loads(subprocess.run([options.program, "ceilings", options.ceilings, "--json"], capture_output=True, text=True, check=True).stdout)["rows"]
    sides = {threads: spec(options.folder / f"{threads}.toml", rows, threads, best[threads]["whole"]) for threads in (1, 2)}
    result = {"schema": "plumbline-projected-program/1", "command": "python3 tests/app/projected_program.py PLUMBLINE CEILINGS.h5 FOLDER --json FILE",
              "rounds": options.rounds, "load_average": os.getloadavg()[0], "measured": best, "directions": []}
    for here, there in ((1, 2), (2, 1)):
        words = [options.program, "project", sides[here], "--to", sides[there], "--rest", "constant", "--method", "all",
                 "--app", application(options.folder / f"app{here}.toml", best[here])]
        print(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
        document = json.loads(subprocess.run([*words, "--json"], capture_output=True, text=True, check=True).stdout)
        keys = ("method", "projected_seconds", "projected_lo", "projected_hi", "measured_seconds", "error_percent", "learned_from", "learned_pairs", "flips")
        result["directions"].append({"from": document["rows"][0]["from"], "to": document["rows"][0]["to"],
                                     "rows": [{key: row[key] for key in keys} for row in document["rows"]],
                                     "groups": [{key: group[key] for key in ("group", "kind", "bound", "seconds", "projected_seconds")} for group in document["rows"][0]["groups"]]})
    if options.json:
        options.json.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
