"""PAPI's software-defined events are counted by plumbline run and judged by plumbline score, on one rank and on two. PLUMBLINE, PLUMBLINE_MPIEXEC."""

import json
import os
import subprocess

import pytest
from counting_runs import ONE, TWO_THREADS, counts, needs_emulator, outcomes, run  # noqa: F401 (needs_emulator is a fixture)

PREFIX = "sde:::plumbline::"


def by_cache(event):
    """Simulated lines below L1: each pass has its own heap, so the harness's own few lines lie elsewhere."""
    return event.startswith("bytes.") and not event.startswith("bytes.reg-L1")


def compare(folder, ranks):
    rows = [row for row in counts(folder) if row["thread"] == -1]
    emulated = {(row["case"], row["rank"], row["event"]): row for row in rows if row["backend"] == "emulated"}
    papi = [row for row in rows if row["backend"] == "papi"]
    assert len(papi) == len(emulated) and {row["rank"] for row in papi} == set(range(ranks))
    for row in papi:
        event = row["event"].removeprefix(PREFIX)
        other = emulated[row["case"], row["rank"], event]
        if by_cache(event):  # where there is nothing, a few lines less than in the empty region too
            assert {row["status"], other["status"]} <= {"ok", "negative"}, (row, other)
            assert abs(row["net"] - other["net"]) <= 64 * 256, (row, other)
        elif event == "core_cycles":  # skipped where no table knows this core; else what is under way when a region begins differs
            assert row["status"] == other["status"] and row["status"] in ("ok", "skipped"), (row, other)
            assert row["status"] == "skipped" or abs(row["net"] - other["net"]) <= 8, (row, other)
        else:
            assert row["status"] == other["status"] == "ok" and row["net"] == other["net"], (row, other)


def test_every_software_defined_row_equals_its_emulated_row_and_is_scored(tmp_path):
    run(tmp_path, "emulated,papi:" + ",papi:".join(PREFIX + event for event in all_events()), team=f"{ONE}, {TWO_THREADS}")
    compare(tmp_path, 1)
    assert {row["thread"] for row in counts(tmp_path) if row["backend"] == "papi"} == {-1}, "software-defined events belong to the process"
    done = subprocess.run(
        [os.environ["PLUMBLINE"], "score", tmp_path / "out.h5", "--json"], capture_output=True, text=True, timeout=60, check=True
    )
    grades = {one["counter"]: one for one in json.loads(done.stdout)["counters"]}
    for precision in ("fp64", "fp32"):
        ours, papis = grades[f"emulated.flops.{precision}"], grades[f"papi.sde.flops.{precision}"]
        assert ours["bias"] == papis["bias"] == 1 and ours["n"] == papis["n"] > 0


def all_events():
    done = subprocess.run([os.environ["PLUMBLINE"], "list", "counters", "--json"], capture_output=True, text=True, timeout=60, check=True)
    rows = json.loads(done.stdout)["rows"]
    return [row["name"] for row in rows if row["kind"] == "event" and row["backend"] == "emulated"]


def test_each_of_two_ranks_counts_through_its_own_worker(tmp_path):
    launcher = os.environ.get("PLUMBLINE_MPIEXEC")
    if not launcher:
        pytest.skip("no MPI")
    run(
        tmp_path,
        "emulated,papi:" + ",papi:".join(PREFIX + event for event in all_events()),
        team="{ ranks = 2, threads = 1 }",
        launcher=[launcher, "-n", "2"],
    )
    compare(tmp_path, 2)


def test_a_name_that_nobody_registered_ends_the_run_with_the_nearest(tmp_path):
    done = run(tmp_path, "papi:sde:::plumbline::flops.fp64.ad", code=2)
    assert "did you mean 'papi:sde:::plumbline::flops.fp64.add'" in done.stderr
    assert not (tmp_path / "out.h5").exists()
