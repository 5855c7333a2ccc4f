"""Pairs of unlike kinds of node, made for real on one machine, and what the methods of `plumbline project --matrix` make of them.

    python3 tests/app/projection_pairs.py PLUMBLINE MPIEXEC FOLDER [--json FILE]

FOLDER gets a result file of each condition: `plain` (jobs/campaigns/projection.toml: one core and two, ranks and threads, three instruction sets),
`beside` (one core, while the other one streams through the last cache that both share) and `quota` (one core, of which a control group gives half;
left out, and said, where there is none to write to). One after the other, in one go; cases of a file are in random order. A file that is there
already is kept. --json writes the matrix, the methods and each pair, short.
"""

import argparse
import contextlib
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
CAMPAIGN = ROOT / "jobs/campaigns/projection.toml"
GROUP = pathlib.Path("/sys/fs/cgroup/cpu/plumbline_projection")

NEIGHBOUR = """
#include <stdlib.h>
int main(void) {
  const size_t n = 24u << 17;  /* 24 MiB of doubles */
  double *a = malloc(n * sizeof *a);
  for (size_t i = 0; i < n; ++i) a[i] = 0.5 + (double)(i % 7) / 16;
  for (;;)
    for (size_t i = 0; i < n; ++i) a[i] = a[i] * 0.5 + 0.25;
}
"""


def of_one_core(folder):
    """The campaign with its one-core teams alone."""
    text = CAMPAIGN.read_text()
    for more in (", {ranks = 2, threads = 1}", ", {ranks = 1, threads = 2}"):
        text = text.replace(more, "")
    path = folder / "one_core.toml"
    path.write_text(text)
    return path


def run(program, *before, campaign, output, ready=None):
    done = subprocess.run([*before, program, "run", campaign, "-o", output], capture_output=True, text=True, preexec_fn=ready)
    if done.returncode not in (0, 1) or not output.exists():
        raise SystemExit(f"{output.name}: exit {done.returncode}: {done.stderr[-500:]}")


@contextlib.contextmanager
def neighbour(folder, cpu):
    source, program = folder / "neighbour.c", folder / "neighbour"
    source.write_text(NEIGHBOUR)
    subprocess.run(["cc", "-O2", "-o", program, source], check=True)
    process = subprocess.Popen(["taskset", "-c", str(cpu), program])
    try:
        yield
    finally:
        process.kill()
        process.wait()


@contextlib.contextmanager
def quota():
    """A control group (version 1) with half of a core; gives what a child calls to join it."""
    GROUP.mkdir()
    try:
        (GROUP / "cpu.cfs_period_us").write_text("10000")
        (GROUP / "cpu.cfs_quota_us").write_text("5000")
        yield lambda: (GROUP / "tasks").write_text(str(os.getpid()))
    finally:
        GROUP.rmdir()


def measure(program, mpiexec, folder, left_out):
    files = {name: folder / f"{name}.h5" for name in ("plain", "beside", "quota")}
    if not files["plain"].exists():
        run(program, *mpiexec.split(), "-n", "2", campaign=CAMPAIGN, output=files["plain"])
    first, *others = sorted(os.sched_getaffinity(0))
    if others and not files["beside"].exists():
        with neighbour(folder, others[0]):
            run(program, "taskset", "-c", str(first), campaign=of_one_core(folder), output=files["beside"])
    if not files["quota"].exists():
        try:
            with quota() as join:
                run(program, "taskset", "-c", str(first), campaign=of_one_core(folder), output=files["quota"], ready=join)
        except OSError as error:
            left_out.append(f"quota: no control group to write to ({error})")
    return [path for path in files.values() if path.exists()]


def short(document):
    """Each pair on a line: from, to, case, kind, bounds, and by method what is projected over what was measured, with its interval."""
    pairs = {}
    for row in document["rows"]:
        pair = pairs.setdefault((row["from"], row["to"], row["case"]), {key: row[key] for key in ("from", "to", "case", "kind", "bound", "target_bound")})
        truth = row["measured_seconds"]
        pair[row["method"]] = [None if value is None else round(value / truth, 4) for value in (row["projected_seconds"], row["projected_lo"], row["projected_hi"])]
    return list(pairs.values())


def goals(methods):
    """The goals of the ensemble, and how far it is from each."""
    by_name = {row["method"]: row for row in methods}
    best = by_name["ensemble"]
    singles = [row for name, row in by_name.items() if name != "ensemble"]

    def goal(words, reached, met):
        return {"goal": words, "reached": round(reached, 4), "met": bool(met)}

    return [goal("100 held-out pairs", best["pairs"], best["pairs"] >= 100),
            goal("median error at most 8 %", best["median_error_percent"], best["median_error_percent"] <= 8),
            goal("median error over that of bandwidth below 1", best["median_error_percent"] / by_name["bandwidth"]["median_error_percent"],
                 best["median_error_percent"] < by_name["bandwidth"]["median_error_percent"]),
            goal("intervals that hold the truth: 0.85 to 0.95", best["coverage"], 0.85 <= best["coverage"] <= 0.95),
            goal("median half width at most 20 %", best["median_half_width_percent"], best["median_half_width_percent"] <= 20),
            goal("interval score over the best single method's below 1", best["interval_score"] / min(row["interval_score"] for row in singles),
                 all(best["interval_score"] < row["interval_score"] for row in singles))]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("mpiexec")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--files", type=pathlib.Path, nargs="+", help="take these, and measure nothing")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    left_out = []
    files = options.files or measure(options.program, options.mpiexec, options.folder, left_out)
    done = subprocess.run([options.program, "project", *files, "--matrix", "--json"], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    document = json.loads(done.stdout)
    for method in document["methods"]:
        print(method)
    pairs = short(document)
    print(f"{len(pairs)} pairs of {len(files)} conditions", *left_out, sep="\n")
    if options.json:
        head = {"schema": "plumbline-projection-pairs/1", "command": "python3 tests/app/projection_pairs.py PLUMBLINE MPIEXEC FOLDER --json FILE",
                "files": [path.name for path in files], "left_out": left_out, "notes": document["notes"], "goals": goals(document["methods"]), "methods": document["methods"], "matrix": document["matrix"]}
        text = json.dumps(head, indent=1)[:-2] + ',\n "pairs": [\n' + ",\n".join(json.dumps(pair) for pair in pairs) + "\n ]\n}\n"
        options.json.write_text(text)


if __name__ == "__main__":
    sys.exit(main())
