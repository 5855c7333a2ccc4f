"""Small counting campaigns, run for real, and the rows that they leave. PLUMBLINE names the program."""

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
flavor = ["gcc-O3-v2"]
team = [{team}]
params = {{ n = [1000, 3000] }}
[ceilings]
mode = "none"
"""
ONE, TWO_THREADS = "{ ranks = 1, threads = 1 }", "{ ranks = 1, threads = 2 }"


@pytest.fixture(scope="session", autouse=True)
def needs_emulator():
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
