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
flavor = ["gcc-O3-v2"]
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


def measured(folder, only, first, second, *options):
    """The nodes that have a sample."""
    (folder / "mixed.toml").write_text(CAMPAIGN.format(only=only))
    environment = {**os.environ, "MPIR_CVAR_NOLOCAL": "1"}
    command = ["timeout", "-k", "3", "100", MPIEXEC, *on_node("first", first), *options, ":", *on_node("second", second), *options]
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


def loops_of(folder):
    """The names of what the rounds measured, by node."""
    with h5py.File(folder / "mixed.h5") as file:
        rows = [row for row in file["ceilings"][:] if row["level"] == b"compute"]
    return {node: {row["name"].decode() for row in rows if row["node"].decode() == node} for node in ("first", "second")}


def test_like_nodes_measure_the_same_loops_also_where_each_alone_would_choose_another(tmp_path):
    only = "FP64 vector mul+add"
    assert measured(tmp_path, only, WIDER, WIDER) == {"first", "second"}
    before = loops_of(tmp_path)
    assert before["first"] == before["second"] >= {only}
    votes = {("first", "deep v3"): 1000, ("first", "brief v3"): 1, ("second", "deep v3"): 100, ("second", "brief v3"): 105}
    with h5py.File(tmp_path / "mixed.h5", "r+") as file:
        rows, attributes = file["ceilings"][:], dict(file["ceilings"].attrs)
        for i, row in enumerate(rows):
            if row["level"] == b"choice":
                rows["value"][i] = votes.get((row["node"].decode(), row["form"].decode()), 1)
        del file["ceilings"]
        file.create_dataset("ceilings", data=rows).attrs.update(attributes)
    measured(tmp_path, only, WIDER, WIDER, "--resume")
    after = loops_of(tmp_path)
    for node in ("first", "second"):
        assert f"{only}, deep v3" in after[node], after
        assert f"{only}, brief v3" not in after[node] - before[node], after
