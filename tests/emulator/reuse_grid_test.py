# SPDX-License-Identifier: BSD-3-Clause
"""One run that counts reuse distances, placed on caches of many sizes, beside runs that simulate each of them.

Of a set-associative cache it tells the traffic within 5 % in the median; where sets decide and not size, the case is named. From the
environment: PLUMBLINE_VALGRIND, PLUMBLINE_VALGRIND_LIB, PLUMBLINE_TEST_PROGRAMS, and GEOMETRIES, how many to simulate."""

import json
import os
import resource
import statistics
import subprocess

import pytest

PROGRAMS = os.environ["PLUMBLINE_TEST_PROGRAMS"]
BOUNDARIES = ("L1-L2", "L2-L3", "L3-mem")
# SIZE,WAYS of L1, L2 and L3: of AMD's and Intel's cores and IBM's, of none, and numbers of sets that are no powers of two.
GEOMETRIES = [
    ("32768,8", "524288,8", "8388608,16"), ("49152,12", "1310720,10", "3145728,12"), ("32768,4", "262144,4", "1048576,16"),
    ("65536,4", "2097152,16", "25165824,12"), ("24576,6", "393216,12", "6291456,12"), ("131072,8", "786432,6", "2097152,16"),
    ("16384,4", "262144,8", "4194304,16"), ("16384,4", "2097152,16", "16777216,64"), ("32768,8", "1048576,16", "1441792,11"),
    ("32768,8", "1048576,8", "33554432,16"), ("49152,12", "2097152,16", "7864320,15"), ("32768,8", "262144,8", "20971520,20"),
    ("8192,2", "98304,6", "1572864,12"), ("65536,8", "524288,8", "5242880,10"), ("12288,3", "163840,10", "2621440,20"),
    ("40960,10", "327680,5", "11534336,11"), ("32768,16", "131072,16", "3670016,14"), ("20480,5", "196608,3", "12582912,24"),
    ("98304,12", "655360,10", "4718592,18"), ("57344,14", "458752,7", "9437184,9")]  # fmt: skip


def count(tmp_path, *options):
    """The report of the patterns' run, and the CPU time that it took in seconds."""
    out = tmp_path / "report.json"
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [os.environ["PLUMBLINE_VALGRIND"], "-q", "--tool=plumbline", "--fair-sched=yes", *options, f"--out={out}", f"{PROGRAMS}/reuse_patterns"],
        env=dict(os.environ, VALGRIND_LIB=os.environ["PLUMBLINE_VALGRIND_LIB"], LD_BIND_NOW="1"), capture_output=True, text=True, timeout=300)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert (done.returncode, done.stderr) == (0, "")
    return out, after.ru_utime - before.ru_utime


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    """The bytes of each region and cache (region, boundary, SIZE,WAYS), simulated, and as placed from the distances of one run."""
    folder = tmp_path_factory.mktemp("reuse")
    report, _ = count(folder, "--caches=reuse")
    caches = sorted({cache for geometry in chosen() for cache in geometry})
    placed = subprocess.run([f"{PROGRAMS}/placed_reuse", report.rename(folder / "reuse.json"), *caches], check=True, capture_output=True, text=True)
    of = {(row["region"], row["cache"]): row for row in map(json.loads, placed.stdout.splitlines())}
    found = []
    for geometry in chosen():
        simulated, _ = count(folder, *(f"--l{k + 1}={cache},64" for k, cache in enumerate(geometry)))
        for region in json.loads(simulated.read_text())["regions"]:
            for boundary, cache in zip(BOUNDARIES, geometry):
                bytes_of = {flow: region["counts"][f"bytes.{boundary}.{flow}"] for flow in ("demand_read", "rfo", "write_back")}
                found.append((region["name"], boundary, cache, bytes_of, of[region["name"], cache]))
    return found


def chosen():
    return GEOMETRIES[: int(os.environ.get("GEOMETRIES", "3"))]


def fetched(flows):
    return flows["demand_read"] + flows["rfo"]


def error(simulated, placed, least=64000):
    """The relative difference; nothing is large or small beside less than a thousand lines."""
    return abs(placed - simulated) / max(simulated, least)


def test_traffic_is_that_of_simulated_caches(rows, capsys):
    fetches = [error(fetched(simulated), fetched(placed)) for _, _, _, simulated, placed in rows]
    writes = [error(simulated["write_back"], placed["write_back"]) for _, _, _, simulated, placed in rows]
    assert len(fetches) >= 8 * 3 * 3
    assert statistics.median(fetches) < 0.01 and statistics.median(writes) < 0.01
    fine = sum(one < 0.05 for one in fetches)
    with capsys.disabled():
        print(f"{fine} of {len(fetches)} within 5 %, median {statistics.median(fetches):.5f}")


def test_what_differs_is_bound_by_conflicts_or_lies_at_the_size_of_the_cache(rows, capsys):
    """More crosses a boundary than the distances tell only where sets decide, which is named, or where an array just fits."""
    unnamed = [row for row in rows if error(fetched(row[3]), fetched(row[4])) > 0.05 and not row[4]["may_conflict"]]
    for name, boundary, cache, simulated, placed in unnamed:
        with capsys.disabled():
            print(f"{name}, {boundary}, {cache}: simulated {fetched(simulated)}, placed {fetched(placed):.0f}")
    assert len(unnamed) <= 0.1 * len(rows)
    named = {row[0] for row in rows if row[4]["may_conflict"]}
    assert {"transposition", "columns"} <= named <= {"transposition", "columns", "product", "stencil"}


def test_one_run_takes_about_the_time_of_one_simulation(tmp_path, capsys):
    """Measured in turn; the program hardly does anything but miss."""
    ratios = []
    for _ in range(3):
        _, simulated = count(tmp_path)
        _, distances = count(tmp_path, "--caches=reuse")
        ratios.append(distances / simulated)
    with capsys.disabled():
        print("CPU time beside a simulation of three levels:", *(f"{ratio:.2f}" for ratio in ratios))
    assert statistics.median(ratios) < 3
