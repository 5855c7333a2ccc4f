"""Nodes of one run whose CPUs differ: what one of them has no ceiling or no contest for, the other measures, and both come to the end.

Two nodes are two host names on this machine. PLUMBLINE names the program, PLUMBLINE_MPIEXEC its launcher.
"""

import os
import subprocess

import h5py
import pytest

PLUMBLINE, MPIEXEC = os.environ["PLUMBLINE"], os.environ["PLUMBLINE_MPIEXEC"]
WIDER, NARROW = "GenuineIntel 6 255 v2 v3", "GenuineIntel 6 255 v2"

CAMPAIGN = """
schema = "plumbline-campaign/1"
name = "mixed"
passes = ["time"]
counters = "none"
[timing]
min_seconds = 0.001
max_repetitions = 3
[[cases]]
kernel = "validation/triad"
precision = ["fp64"]
flavor = ["gcc*-O3-v2"]
team = [{{ ranks = 1, threads = 1 }}]
params = {{ n = [1000] }}
[ceilings]
mode = "full"
rounds = 2
only = ["{only}"]
"""


@pytest.fixture(scope="module", autouse=True)
def needs_names():
    if subprocess.run(["unshare", "-u", "hostname", "elsewhere"], capture_output=True).returncode != 0:
        pytest.skip("SKIP: this user may not give a process another host name")


def on_node(name, mask):
    return ["-n", "1", "unshare", "-u", "sh", "-c", f'hostname {name} && PLUMBLINE_CPU_AS="{mask}" exec "$0" "$@"', PLUMBLINE, "run", "mixed.toml", "-o", "mixed.h5"]


def measured(folder, only, first, second):
    """The nodes that have a sample."""
    (folder / "mixed.toml").write_text(CAMPAIGN.format(only=only))
    environment = {**os.environ, "MPIR_CVAR_NOLOCAL": "1"}
    command = ["timeout", "-k", "3", "100", MPIEXEC, *on_node("first", first), ":", *on_node("second", second)]
    ended = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert ended.returncode in (0, 3), ended.stdout + ended.stderr  # 3: one of them looked worse than the other
    with h5py.File(folder / "mixed.h5") as file:
        return {row["node"].decode() for row in file["ceilings"][:] if row["status"] == b"ok"}


@pytest.mark.parametrize("turned", [False, True])
def test_a_node_without_a_ceiling_goes_through_the_rounds_of_the_others(tmp_path, turned):
    nodes = (NARROW, WIDER) if turned else (WIDER, NARROW)
    assert measured(tmp_path, "FP64 vector FMA", *nodes) == {"second" if turned else "first"}


def test_a_node_without_a_contest_waits_for_those_of_the_others(tmp_path):
    assert measured(tmp_path, "FP64 vector add*", WIDER, NARROW) == {"first", "second"}
