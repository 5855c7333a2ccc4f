"""Messages between ranks as ceilings: measured on 2 and 4 ranks, stored, fitted, shown, resumed. No time is asserted but its order."""

import json
import os
import subprocess

import h5py
import pytest

PLUMBLINE, MPIEXEC = os.environ["PLUMBLINE"], os.environ["PLUMBLINE_MPIEXEC"]

CAMPAIGN = """schema = "plumbline-campaign/1"
name = "messages"
passes = ["time"]
counters = "none"
[ceilings]
mode = "quick"
rounds = {rounds}
only = [{only}]
"""


def run(folder, ranks, *options, rounds=2, only='"MPI *"'):
    """The path of the result file."""
    (folder / "messages.toml").write_text(CAMPAIGN.format(rounds=rounds, only=only))
    store = folder / "messages.h5"
    command = ["timeout", "-k", "3", "100", MPIEXEC, "-n", ranks, PLUMBLINE, "run", folder / "messages.toml", "-o", store, *options]
    ended = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return store


def samples(store):
    with h5py.File(store) as file:
        table = file["ceilings"][:]
    rows = [{name: value.decode() if isinstance(value, bytes) else value for name, value in zip(table.dtype.names, row)} for row in table]
    return [row for row in rows if row["level"] == "mpi"]


def fitted(store):
    document = json.loads(subprocess.run([PLUMBLINE, "ceilings", str(store), "--json"], capture_output=True, check=True).stdout)
    assert document["schema"] == "plumbline-ceilings/1"
    return {row["name"]: row for row in document["rows"] if row["level"] == "mpi"}


def cores():
    return len(os.sched_getaffinity(0))


@pytest.fixture(scope="module", params=[2, 4])
def measured(request, tmp_path_factory):
    if cores() < 2:
        pytest.skip("two ranks that exchange messages need two cores")
    return request.param, run(tmp_path_factory.mktemp("messages"), request.param)


def test_every_round_measures_the_nearest_ranks_and_all_samples_are_positive(measured):
    _, store = measured
    near = [row for row in samples(store) if row["name"].endswith("inside a node")]
    assert {row["pattern"] for row in near} == {"latency", "one way", "both ways"}
    assert {row["round"] for row in near} == {0, 1}
    for row in near:
        assert row["status"] == "ok", row
        assert row["value"] > 0 and (row["ranks"], row["threads"]) == (2, 1)
        assert "rank 0 (CPU" in row["method"] and "rank 1 (CPU" in row["method"]
    assert all(row["value"] < 1 for row in near if row["unit"] == "seconds")


def test_long_messages_reach_more_than_twice_the_rate_of_short_ones(measured):
    _, store = measured
    for pattern in ("one way", "both ways"):
        best = {}
        for row in samples(store):
            if row["pattern"] == pattern and row["status"] == "ok":
                best[row["working_set_bytes"]] = max(row["value"], best.get(row["working_set_bytes"], 0))
        assert best[128 * 1024] > 2 * best[8]


def test_the_farthest_rank_is_measured_or_says_why_not_where_there_is_one(measured):
    ranks, store = measured
    far = [row for row in samples(store) if row["name"].endswith("farthest")]
    assert bool(far) == (ranks > 2)
    for row in far:
        if cores() < ranks:
            assert row["status"] == "skipped" and ("CPUs" in row["reason"] or "cores" in row["reason"]), row
        else:
            assert row["status"] == "ok" and f"rank {ranks - 1} (CPU" in row["method"]


def test_a_link_is_shown_with_latency_rates_and_half_bandwidth_size(measured):
    _, store = measured
    rows = fitted(store)
    latency, stream, half = (rows[f"MPI {what} inside a node{more}"] for what, more in (("latency", ""), ("one way", ""), ("one way", ", half bandwidth")))
    assert latency["value_seconds"] == latency["min"] and latency["size_bytes"] == 8 and latency["n"] == 2
    assert stream["value_gbs"] == stream["max"] > 0 and stream["traffic_gbs"] is None and stream["traffic_reason"]
    assert 8 < half["value_bytes"] <= 4 << 20
    text = subprocess.run([PLUMBLINE, "ceilings", str(store)], capture_output=True, text=True, check=True).stdout
    assert "messages between two ranks" in text and "MPI latency inside a node" in text


def test_messages_are_no_roof(measured):
    _, store = measured
    shown = json.loads(subprocess.run([PLUMBLINE, "show", str(store), "--json"], capture_output=True, check=True).stdout)
    assert any("no ceilings in this file" in note for note in shown["notes"])


def test_one_rank_measures_none(tmp_path):
    store = run(tmp_path, 1, rounds=1, only='"MPI *", "FP64 scalar add"')
    assert samples(store) == [] and fitted(store) == {}


def identities(store):
    return sorted((row["round"], row["session"], row["name"], row["working_set_bytes"], row["value"]) for row in samples(store))


def test_resume_adds_the_rounds_that_are_missing(tmp_path):
    if cores() < 2:
        pytest.skip("two ranks that exchange messages need two cores")
    before = identities(run(tmp_path, 2, rounds=1))
    assert {what[0] for what in before} == {0}
    after = identities(run(tmp_path, 2, "--resume", rounds=3))
    assert {what[0] for what in after} == {0, 1, 2}
    assert len({what[1] for what in after}) == 2
    assert [what for what in after if what[0] == 0] == before
    assert identities(run(tmp_path, 2, "--resume", rounds=3)) == after


def test_resume_with_other_ceilings_measures_those(tmp_path):
    if cores() < 2:
        pytest.skip("two ranks that exchange messages need two cores")
    run(tmp_path, 2, rounds=1, only='"MPI latency*"')
    after = samples(run(tmp_path, 2, "--resume", rounds=1, only='"MPI one way*"'))
    assert {row["pattern"] for row in after} == {"latency", "one way"}


def test_only_chooses_among_messages_by_name(tmp_path):
    if cores() < 2:
        pytest.skip("two ranks that exchange messages need two cores")
    assert {row["pattern"] for row in samples(run(tmp_path, 2, rounds=1, only='"MPI latency*"'))} == {"latency"}
