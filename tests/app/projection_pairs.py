"""Pairs of unlike kinds of node, made for real on one machine, and what the methods of `plumbline project --matrix` make of them.

    python3 tests/app/projection_pairs.py PLUMBLINE MPIEXEC FOLDER [--rounds 5] [--json FILE] [--record FILE]

FOLDER gets a result file of each condition: `plain` (jobs/campaigns/projection.toml: one core and two, ranks and threads, three instruction sets),
`beside` (one core, while the other one streams through the last cache that both share) and `quota` (one core, of which a control group gives half;
left out, and said, where there is none to write to). The conditions take turns, in so many rounds, cases of a round in random order; of each case
the KEPT repetitions are kept that were the fastest of all rounds, of each point of a ceiling as many samples: what others do on the machine, and where a process
gets its memory, only slow it down, twofold on a shared one and by the second, so that a whole round seldom sees none of it. The first round counts. A
round that is there already is kept: more of them can follow. --json writes the matrix, the methods, their median
errors by kind of pair, and each pair from or to BASE, short; --record those pairs in a record for `plumbline project`.
"""

import argparse
import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import sys

import h5py
import numpy

ROOT = pathlib.Path(__file__).resolve().parents[2]
CAMPAIGN = ROOT / "jobs/campaigns/projection.toml"
GROUP = pathlib.Path("/sys/fs/cgroup/cpu/plumbline_projection")

BASE = "plain r1t1 v3"
POINT = ["name", "precision", "level", "pattern", "ranks", "threads", "node", "unit", "method", "working_set_bytes", "scope", "form", "device", "peer"]
KEPT = 3  # repetitions: their median is the time, how far they are apart tells how well it is known
OWN_CPUS = 0.97  # part of the time; less, and the program calls a repetition disturbed, by the quota or by another process

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


def campaign_of(folder, one_core, number):
    """The campaign of a round, which the first one counts too; with its one-core teams alone, or with all."""
    text = CAMPAIGN.read_text().replace("seed = 1", f"seed = {number + 1}")
    if one_core:
        text = text.replace(", {ranks = 2, threads = 1}", "").replace(", {ranks = 1, threads = 2}", "")
    if number > 0:
        text = text.replace('passes = ["time", "count"]', 'passes = ["time"]')
    path = folder / f"{'one_core' if one_core else 'all'}{number}.toml"
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


def measure(program, mpiexec, folder, rounds, left_out):
    """The conditions in turns; returns the file of each, put together of its rounds."""
    first, *others = sorted(os.sched_getaffinity(0))
    one_core = "taskset", "-c", str(first)
    for number in range(rounds):
        paths = {name: folder / f"{name}{number}.h5" for name in ("plain", "beside", "quota")}
        if not paths["plain"].exists():
            run(program, *mpiexec.split(), "-n", "2", campaign=campaign_of(folder, False, number), output=paths["plain"])
        if others and not paths["beside"].exists():
            with neighbour(folder, others[0]):
                run(program, *one_core, campaign=campaign_of(folder, True, number), output=paths["beside"])
        if not paths["quota"].exists() and not left_out:
            try:
                with quota() as join:
                    run(program, *one_core, campaign=campaign_of(folder, True, number), output=paths["quota"], ready=join)
            except OSError as error:
                left_out.append(f"quota: no control group to write to ({error})")
    names = [name for name in ("plain", "beside", "quota") if (folder / f"{name}0.h5").exists()]
    return [fastest(folder, name, [folder / f"{name}{number}.h5" for number in range(rounds)]) for name in names]


def fastest(folder, name, paths):
    """The first round's file with each case's fastest repetitions of all rounds, and the best samples of each point of a ceiling."""
    path = folder / f"{name}.h5"
    shutil.copy(paths[0], path)
    with contextlib.ExitStack() as stack:
        tables = [{table: file[table][:] for table in ("times", "ceilings")} for file in (stack.enter_context(h5py.File(one)) for one in paths)]
        target = stack.enter_context(h5py.File(path, "r+"))
        replace(target, "times", fastest_repetitions([one["times"] for one in tables]), tables[0]["times"]["session"][0])
        replace(target, "ceilings", best_samples([one["ceilings"] for one in tables]), tables[0]["ceilings"]["session"][0])
    return path


def replace(file, table, rows, session):
    rows["session"] = session
    facts = dict(file[table].attrs)
    del file[table]
    file.create_dataset(table, data=rows, maxshape=(None,), chunks=True).attrs.update(facts)


def fastest_repetitions(rounds):
    """All rows of the KEPT repetitions of each case that took the least time as a team, numbered anew; those without their CPUs come last."""
    kept = []
    for case in numpy.unique(numpy.concatenate([rows["case"] for rows in rounds])):
        repetitions = []
        for rows in rounds:
            own = rows[rows["case"] == case]
            teams = own[(own["rank"] == -1) & (own["phase"] == b"")]
            repetitions += [((row["cpu_share"] < OWN_CPUS, row["seconds"]), own[own["repetition"] == row["repetition"]]) for row in teams]
        for number, (_, rows) in enumerate(sorted(repetitions, key=lambda one: one[0])[:KEPT]):
            kept.append(rows)
            kept[-1]["repetition"] = number
    return numpy.concatenate(kept)


def halves(folder, names, rounds):
    """The seconds of each condition's cases by its even rounds alone and by its odd ones, which saw other moments of the machine."""
    told = {}
    for name in names:
        tables = []
        for number in range(rounds):
            with h5py.File(folder / f"{name}{number}.h5") as file:
                tables.append(file["times"][:])
        for rows in (fastest_repetitions(tables[first::2]) for first in (0, 1)):
            teams = rows[(rows["rank"] == -1) & (rows["phase"] == b"")]
            for case in numpy.unique(teams["case"]):
                own = teams[teams["case"] == case]
                undisturbed = own[own["cpu_share"] >= OWN_CPUS]  # which the program believes alone, where there are any
                told.setdefault((name, case.decode()), []).append(float(numpy.median((undisturbed if len(undisturbed) else own)["seconds"])))
    return told


def repeats(document, told):
    """The distance of a pair's true ratio of times in both halves of the rounds, by kind; and each method's median error on pairs that repeat."""
    near, errors, by_kind = 0.05, {}, {}
    for row in document["rows"]:
        here, there = row["from"].split(), row["to"].split()
        *work, _, flavor = row["case"].split("/")
        target = "/".join([*work, there[1], flavor[:-2] + there[2]])
        if any(len(told[side]) < 2 for side in ((here[0], row["case"]), (there[0], target))):
            continue
        (even, odd), (even_there, odd_there) = told[here[0], row["case"]], told[there[0], target]
        apart = abs(numpy.log(even_there / even * odd / odd_there))
        if row["method"] == "ensemble":
            by_kind.setdefault(row["kind"], []).append(apart)
        if apart < near and row["error_percent"] is not None:
            errors.setdefault(row["method"], []).append(abs(row["error_percent"]))
    everything = numpy.concatenate(list(by_kind.values()))
    percent = {kind: round(100 * float(numpy.expm1(numpy.median(own))), 1) for kind, own in sorted(by_kind.items())}
    return {"meaning": "how far a pair's true ratio is apart by even rounds alone and by odd ones (median, percent), by kind; and the methods' median errors on the pairs that repeat within 5 %",
            "median_percent": {"all": round(100 * float(numpy.expm1(numpy.median(everything))), 1), **percent}, "ninth_of_ten_percent": round(100 * float(numpy.expm1(numpy.quantile(everything, 0.9))), 1),
            "repeating_pairs": len(errors.get("ensemble", [])), "their_median_errors": {method: round(float(numpy.median(own)), 2) for method, own in errors.items()}}


def best_samples(rounds):
    """The KEPT best samples of each point of a ceiling of all rounds, numbered anew."""
    rows = numpy.concatenate(rounds)
    points = {}
    for at, point in enumerate(rows[POINT].tolist()):
        points.setdefault(point, []).append(at)
    kept = []
    for at in points.values():
        best = rows[sorted(at, key=lambda one: quality(rows[one]), reverse=True)[:KEPT]]
        best["round"] = numpy.arange(len(best))
        kept.append(best)
    return numpy.concatenate(kept)


def quality(sample):
    """The worth of a sample is its rate, or the inverse of its seconds; of one that was not taken nothing."""
    value = float(sample["value"])
    if not value > 0:
        return 0.0
    return 1 / value if sample["unit"] in (b"s", b"seconds") else value


def by_kind(document):
    """The number of pairs of each kind and each method's median error, in percent."""
    errors = {}
    for row in document["rows"]:
        if row["projected_seconds"]:
            errors.setdefault(row["kind"], {}).setdefault(row["method"], []).append(abs(row["projected_seconds"] / row["measured_seconds"] - 1))
    return [{"kind": kind, "pairs": max(map(len, methods.values())), **{method: round(100 * float(numpy.median(own)), 2) for method, own in methods.items()}}
            for kind, methods in sorted(errors.items())]


def write_record(program, files, path):
    """The record of the pairs from or to BASE and of those that differ in the CPU model alone, beside what it has of other CPU models and of
    whole applications."""
    before = json.loads(path.read_text()) if path.exists() else {"overlaps": {}, "rows": []}
    path.unlink(missing_ok=True)
    subprocess.run([program, "project", *files, "--matrix", "--record", path], check=True, capture_output=True)
    record = json.loads(path.read_text())
    rows = [row for row in record.pop("rows") if BASE in (row["from"], row["to"]) or row["kind"] == "machine"]
    told = {(row["from_machine"], row["to_machine"]) for row in rows}
    between = all(row["kind"] == "machine" for row in rows)
    record["overlaps"] = before["overlaps"] | {name: one for name, one in record["overlaps"].items() if name.startswith("machine") == between}
    rows += [row for row in before["rows"] if row["kind"].startswith("ranks") or (row["from_machine"], row["to_machine"]) not in told]
    lines = [json.dumps(row, separators=(",", ":")) for row in rows]
    path.write_text(json.dumps(record, separators=(",", ":"))[:-1] + ',"rows":[\n' + ",\n".join(lines) + "\n]}\n")


def short(document):
    """Each pair from or to BASE on a line: from, to, case, kind, bounds, and by method what is projected over what was measured, with its interval."""
    pairs = {}
    for row in document["rows"]:
        if BASE not in (row["from"], row["to"]):
            continue
        pair = pairs.setdefault((row["from"], row["to"], row["case"]), {key: row[key] for key in ("from", "to", "case", "kind", "bound", "target_bound")})
        truth = row["measured_seconds"]
        pair[row["method"]] = [None if value is None else round(value / truth, 4) for value in (row["projected_seconds"], row["projected_lo"], row["projected_hi"])]
    return list(pairs.values())


def goals(methods):
    """The goals, and how far the best method and the ensemble's intervals are from each."""
    by_name = {row["method"]: row for row in methods}
    best, least = by_name["ensemble"], min(methods, key=lambda row: row["median_error_percent"])
    singles = [row for name, row in by_name.items() if name != "ensemble"]

    def goal(words, reached, met):
        return {"goal": words, "reached": round(reached, 4), "met": bool(met)}

    return [goal("100 held-out pairs", best["pairs"], best["pairs"] >= 100),
            goal(f"median error of the best method ({least['method']}) at most 8 %", least["median_error_percent"], least["median_error_percent"] <= 8),
            goal("that over bandwidth's below 1", least["median_error_percent"] / by_name["bandwidth"]["median_error_percent"], least["method"] != "bandwidth"),
            goal("intervals that hold the truth: 0.85 to 0.95", best["coverage"], 0.85 <= best["coverage"] <= 0.95),
            goal("median half width at most 20 %", best["median_half_width_percent"], best["median_half_width_percent"] <= 20),
            goal("interval score over the best single method's below 1", best["interval_score"] / min(row["interval_score"] for row in singles),
                 all(best["interval_score"] < row["interval_score"] for row in singles))]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("mpiexec")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--record", type=pathlib.Path)
    parser.add_argument("--files", type=pathlib.Path, nargs="+", help="take these, and measure nothing")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    left_out = []
    files = options.files or measure(options.program, options.mpiexec, options.folder, options.rounds, left_out)
    done = subprocess.run([options.program, "project", *files, "--matrix", "--json"], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    document = json.loads(done.stdout)
    for method in document["methods"]:
        print(method)
    pairs = short(document)
    kinds = by_kind(document)
    for kind in kinds:
        print(kind)
    told = repeats(document, halves(options.folder, [path.stem for path in files], options.rounds)) if options.rounds > 1 and not options.files else None
    print(told)
    print(f"{len(files)} conditions", *left_out, sep="\n")
    if options.record:
        write_record(options.program, files, options.record)
    if options.json:
        head = {"schema": "plumbline-projection-pairs/1", "command": f"python3 tests/app/projection_pairs.py PLUMBLINE MPIEXEC FOLDER --rounds {options.rounds} --json FILE --record jobs/records/projection.json",
                "files": [path.name for path in files], "left_out": left_out, "notes": document["notes"], "goals": goals(document["methods"]), "methods": document["methods"], "by_kind": kinds, "repeats": told, "matrix": document["matrix"]}
        text = json.dumps(head, indent=1)[:-2] + ',\n "pairs": [\n' + ",\n".join(json.dumps(pair) for pair in pairs) + "\n ]\n}\n"
        options.json.write_text(text)


if __name__ == "__main__":
    sys.exit(main())
