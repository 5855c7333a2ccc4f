"""plumbline run counts by perf_event: the kernel's software events, which need no PMU, through campaign, store and placement. PLUMBLINE names the program."""

import json
import os
import subprocess

import h5py
import pytest

CAMPAIGN = """
schema = "plumbline-campaign/1"
name = "software"
seed = 1
passes = ["count"]
counters = "{counters}"
[[cases]]
kernel = "validation/triad"
precision = ["fp64"]
flavor = ["gcc-O3-v2"]
team = [{{ ranks = 1, threads = {threads} }}]
params = {{ n = [1000] }}
[ceilings]
mode = "none"
"""


def run(folder, counters, threads=1):
    campaign = folder / "campaign.toml"
    campaign.write_text(CAMPAIGN.format(counters=counters, threads=threads))
    command = [os.environ["PLUMBLINE"], "run", campaign, "-o", folder / "out.h5"]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


def counts(folder):
    with h5py.File(folder / "out.h5") as file:
        table = file["counts"][:]
    return [{name: row[name].decode() if isinstance(row[name], bytes) else row[name] for name in table.dtype.names} for row in table]


def listed():
    done = subprocess.run([os.environ["PLUMBLINE"], "list", "counters", "--json"], capture_output=True, text=True, timeout=60, check=True)
    return {row["name"]: row for row in json.loads(done.stdout)["rows"] if row.get("backend") == "perf_event" and row["kind"] == "event"}


@pytest.fixture(scope="session", autouse=True)
def perf_event_can_be_used():
    row = listed()["page-faults"]
    if row["status"] != "ok":
        pytest.skip("perf_event: " + row["reason"])


def test_software_events_reach_the_store_as_one_group(tmp_path):
    done = run(tmp_path, "perf_event:page-faults,perf_event:task-clock")
    assert done.returncode == 0, done.stderr
    rows = [row for row in counts(tmp_path) if row["thread"] == -1]
    assert {(row["backend"], row["event"]) for row in rows} == {("perf_event", "page-faults"), ("perf_event", "task-clock")}
    for row in rows:
        assert row["status"] == "ok"
        assert row["enabled_ns"] == row["running_ns"] > 0, "never multiplexed"
        if row["event"] == "page-faults":
            assert row["raw"] == 0, "a warm kernel touches no new page"


def test_threads_have_rows_of_their_own(tmp_path):
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("one CPU only")
    done = run(tmp_path, "perf_event:task-clock", threads=2)
    assert done.returncode == 0, done.stderr
    assert {row["thread"] for row in counts(tmp_path)} == {-1, 0, 1}


def test_events_that_are_unknown_end_the_run_with_the_nearest(tmp_path):
    done = run(tmp_path, "perf_event:page-fault")
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert "page-faults" in done.stderr


def test_a_machine_without_a_pmu_says_so_when_it_is_named(tmp_path):
    if listed()["cycles"]["status"] == "ok":
        pytest.skip("this machine has a PMU")
    done = run(tmp_path, "perf_event")
    assert done.returncode == 2
    assert "cycles" in done.stderr and "PMU" in done.stderr
