"""plumbline run counts by a plan: which counters, and what a resumed run with other counters does. PLUMBLINE names the program."""

import json
import os
import subprocess

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


def test_auto_tells_what_it_did_not_count_with(tmp_path):
    done = subprocess.run([os.environ["PLUMBLINE"], "list", "counters", "--json"], capture_output=True, text=True, timeout=60, check=True)
    absent = [note.split(":")[0] for note in json.loads(done.stdout)["notes"]]
    told = run(tmp_path, "auto").stderr
    for backend in absent:  # those of GPUs are no matter of a campaign without GPUs
        assert (backend in told) == (backend not in ("cupti", "disassembled"))
    assert ("emulated", "loads") in events(tmp_path)
