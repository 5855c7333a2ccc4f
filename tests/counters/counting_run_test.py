"""plumbline run counts by a plan: which counters, and what a resumed run with other counters does. PLUMBLINE names the program."""

import json
import os
import pathlib
import subprocess
import sys

import pytest
from counting_runs import events, needs_emulator, outcomes, run  # noqa: F401 (needs_emulator is a fixture)


def test_resume_counts_again_where_the_counters_are_others(tmp_path):
    run(tmp_path, "emulated:loads")
    assert events(tmp_path) == {("emulated", "loads")}
    first = outcomes(tmp_path)
    run(tmp_path, "emulated:loads", "--resume")
    assert outcomes(tmp_path) == first, "nothing was left to count"
    run(tmp_path, "emulated:loads,emulated:stores", "--resume")
    assert events(tmp_path) == {("emulated", "loads"), ("emulated", "stores")}
    assert all(new[1] > old[1] for old, new in zip(sorted(first), sorted(outcomes(tmp_path))))
    assert len(outcomes(tmp_path)) == len(first) == 4


def test_counters_that_are_not_known_end_the_run_before_it_begins(tmp_path):
    done = run(tmp_path, "emulated:flops.fp64.ad", code=2)
    assert len(done.stderr.strip().splitlines()) == 1 and "did you mean 'emulated:flops.fp64.add'" in done.stderr, done.stderr
    assert not (tmp_path / "out.h5").exists()


BACKENDS = {"emulated", "papi", "perf_event", "cupti", "disassembled"}


NO_PERF_EVENT = [sys.executable, pathlib.Path(__file__).parents[1] / "app/no_perf_event.py"]


# On this CPU; and, by hypervisors that hide its hardware counters too, as one that no event table knows, and as one that has a table.
@pytest.mark.parametrize("mask", [None, "GenuineIntel 6 255 v2 v3", "AuthenticAMD 26 2 v2 v3"])
def test_auto_tells_what_it_did_not_count_with(tmp_path, monkeypatch, mask):
    launcher = () if mask is None else NO_PERF_EVENT
    if mask is not None:
        monkeypatch.setenv("PLUMBLINE_CPU_AS", mask)
    done = subprocess.run([*launcher, os.environ["PLUMBLINE"], "list", "counters", "--json"], capture_output=True, text=True, timeout=60, check=True)
    notes = json.loads(done.stdout)["notes"]
    if mask is not None:
        assert any(note.startswith("no event table for ") for note in notes) == (" 255 " in mask)
    absent = BACKENDS & {note.split(":")[0] for note in notes}
    told = run(tmp_path, "auto", launcher=launcher).stderr
    for backend in absent:  # those of GPUs are no matter of a campaign without GPUs
        assert (backend in told) == (backend not in ("cupti", "disassembled"))
    assert ("emulated", "loads") in events(tmp_path)
