"""The ceilings of CPUs that this project was run on, kept as result files under tests/golden/cpus, judged by today's program. PLUMBLINE names it.

A file is what `plumbline run ceilings.toml` leaves of `[ceilings] mode = "quick"` without cases, its samples as they were measured. A CPU that
is met for the first time gets one: the name of its microarchitecture, and "_vm" where a hypervisor was in between.
"""

import json
import os
import pathlib
import shutil
import subprocess

import h5py
import numpy
import pytest

KEPT = sorted((pathlib.Path(__file__).parents[1] / "golden/cpus").glob("*.h5"))


def document(*arguments):
    done = subprocess.run([os.environ["PLUMBLINE"], *map(str, arguments), "--json"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_there_is_one_at_least():
    assert KEPT


@pytest.fixture(params=KEPT, ids=lambda path: path.stem)
def path(request):
    return request.param


def test_every_ceiling_stands_beside_a_limit_and_what_exceeds_it_is_named(path):
    judged = document("ceilings", path)
    ceilings = judged["rows"]
    told_above = [note for note in judged["notes"] if "of its limit" in note]
    assert {row["level"] for row in ceilings} >= {"compute", "L1", "L2", "mem"}
    for row in ceilings:
        assert row["status"] == "ok" and row["value"] > 0, row
        fraction = row["fraction_of_limit"]
        assert fraction is None or fraction <= 1.02 or any(note.startswith(f"{row['name']} of ") for note in told_above), row
        assert row["limit_reason"] or row["limit_basis"] in ("vendor", "inferred"), row


def test_loads_slow_down_from_level_to_level_and_name_the_loop_that_stands_for_them(path):
    loads = [row for row in document("ceilings", path)["rows"] if row["pattern"] == "load" and row["ranks"] * row["threads"] == 1]
    assert [row["level"] for row in loads][0] == "L1" and loads[-1]["level"] == "mem"
    rates = [row["value"] for row in loads]
    assert rates == sorted(rates, reverse=True)
    for row in loads:
        assert row["form"] and row["runners_up"], row


def test_a_file_beside_itself_is_the_same(path):
    rows = document("compare", path, path)["rows"]
    assert rows and all(row["slowdown"] == 1 and row["verdict"] in ("SAME", "AMBIGUOUS") for row in rows)


# ---------------------------------------------------------------------------------------------------- cases on these machines

KIB, MIB = 1024, 1024 * 1024
TOLD_BYTES = {"L1-L2": 32 * KIB, "L2-L3": 512 * KIB, "L3-mem": 2048 * MIB}  # caches that are simulated; the last is no machine's
# A triad of three arrays: loads and stores, fills and write-backs.
FLOWS = {"reg-L1": {"load": 16, "store": 8, "nt_store": 0}} | {
    boundary: {"demand_read": 16, "rfo": 8, "write_back": 8, "nt_store": 0} for boundary in TOLD_BYTES}


def append(file, table, rows):
    """Text as long as it comes; what a row does not say is nothing."""
    before = file[table][:]
    wide = [(name, "S200" if before.dtype[name].kind == "S" else before.dtype[name]) for name in before.dtype.names]
    after = numpy.zeros(len(rows), wide)
    for i, row in enumerate(rows):
        for name, value in row.items():
            after[name][i] = value
    attributes = dict(file[table].attrs)
    del file[table]
    file.create_dataset(table, data=numpy.concatenate([before.astype(wide), after])).attrs.update(attributes)


def counts_of(n, threads):
    """Counts as a simulation with the told caches has them: what fits causes nothing."""
    counts = {"flops.fp64.fma": n}
    for boundary, flows in FLOWS.items():
        crosses = boundary == "reg-L1" or 24 * n > TOLD_BYTES[boundary] * (1 if boundary == "L3-mem" else threads)
        counts |= {f"bytes.{boundary}.{flow}": per * n if crosses else 0 for flow, per in flows.items()}
    return counts


def add_triads(path, working_sets):
    """Adds triads, each by one thread and by two; returns their working sets in bytes by case id."""
    added = {}
    tables = {name: [] for name in ("cases", "outcomes", "times", "counts", "model")}
    with h5py.File(path, "r+") as file:
        node = file["machine"][0]["node"]
        for threads in (1, 2):
            for working_set in working_sets:
                n = int(working_set * threads) // 24
                work = f"validation/triad/fp64/n={n}"
                case, flavor = f"{work}/r1t{threads}/gcc12-O3-v3", "gcc12-O3-v3"
                added[case] = (24 * n, threads)
                tables["cases"].append({"row": len(added), "id": case, "work": work, "kernel": "validation/triad", "precision": "fp64",
                                        "flavor": flavor, "ranks": 1, "threads": threads, "params": json.dumps({"n": n})})
                same = {"case": case, "node": node, "session": "s"}
                for which in ("time", "count"):
                    tables["outcomes"].append(same | {"pass": which, "status": "ok", "placement": "{}", "started_unix_ns": 1})
                tables["times"] += [same | {"repetition": i, "rank": -1, "seconds": 1.0, "clock_hz": 3e9} for i in range(3)]
                for event, net in counts_of(n, threads).items():
                    tables["counts"].append(same | {"event": event, "backend": "emulated", "rank": -1, "thread": -1, "net": net, "status": "ok"})
                for quantity, value in (("working_set", 24 * n), ("flops.fp64", 2 * n)):
                    tables["model"].append({"case": case, "quantity": quantity, "lo": value, "hi": value})
        for name, rows in tables.items():
            append(file, name, rows)
    return added


def test_no_case_is_placed_at_a_level_whose_plateau_its_working_set_exceeds_twice(path, tmp_path):
    copied = tmp_path / "with_cases.h5"
    shutil.copy(path, copied)
    sizes = {}
    for row in document("ceilings", copied)["rows"]:
        if row["pattern"] == "load" and row["size_bytes"] and row["level"].startswith("L"):
            sizes[row["level"], row["ranks"] * row["threads"]] = row["size_bytes"]
    assert {"L1", "L2"} <= {level for level, _ in sizes}
    added = add_triads(copied, [24 * KIB * 2 ** (i / 2) for i in range(28)])  # to 256 MiB a thread
    placed = {row["case"]: row["bound"] for row in document("show", copied)["rows"]}
    assert set(placed) == set(added)
    found = set()
    for case, (working_set, threads) in added.items():
        bound = placed[case]
        found.add(bound)
        assert bound == "mem" or working_set <= 2 * sizes[bound, threads], (case, bound, working_set, sizes[bound, threads])
    assert {"L1", "L2", "mem"} <= found
