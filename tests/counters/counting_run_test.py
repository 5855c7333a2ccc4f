"""plumbline run counts by a plan: which counters, and what a resumed run with other counters does. PLUMBLINE names the program."""

import json
import os
import subprocess

import h5py
import pytest

CAMPAIGN = """
schema = "plumbline-campaign/1"
name = "counting"
seed = 1
passes = ["count"]
counters = "{counters}"
[[cases]]
kernel = "validation/triad"
precision = ["fp64", "fp32"]
flavor = ["gcc12-O3-v2"]
team = [{team}]
params = {{ n = [1000, 3000] }}
[ceilings]
mode = "none"
"""
ONE, TWO_THREADS = "{ ranks = 1, threads = 1 }", "{ ranks = 1, threads = 2 }"


@pytest.fixture(scope="session", autouse=True)
def emulator():
    done = subprocess.run([os.environ["PLUMBLINE"], "doctor", "--json"], capture_output=True, text=True, timeout=60, check=True)
    row = next(row for row in json.loads(done.stdout)["rows"] if row["what"] == "emulated counters")
    if row["status"] != "ok":
        pytest.skip("the emulated counters: " + row["reason"])


def run(folder, counters, *arguments, team=ONE, launcher=(), code=0):
    campaign = folder / "campaign.toml"
    campaign.write_text(CAMPAIGN.format(counters=counters, team=team))
    done = subprocess.run(
        [*launcher, os.environ["PLUMBLINE"], "run", campaign, "-o", folder / "out.h5", *arguments],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == code, done.stderr
    return done


def words(value):
    return value.decode() if isinstance(value, bytes) else value


def counts(folder):
    with h5py.File(folder / "out.h5") as file:
        table = file["counts"][:]
    return [{name: words(row[name]) for name in table.dtype.names} for row in table]


def events(folder):
    return {(row["backend"], row["event"]) for row in counts(folder)}


def outcomes(folder):
    with h5py.File(folder / "out.h5") as file:
        return [(words(row["case"]), row["started_unix_ns"], json.loads(words(row["placement"]))) for row in file["outcomes"][:]]


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
    for backend in absent:
        assert backend in told
    assert ("emulated", "loads") in events(tmp_path)
