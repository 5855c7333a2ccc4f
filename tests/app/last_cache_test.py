"""The size of the last cache is said, kept in the file, simulated, and kept by a resumed run, whatever this machine's caches are."""

import json
import os
import subprocess

import h5py
import pytest

PLUMBLINE = os.environ["PLUMBLINE"]
CAMPAIGN = """
schema = "plumbline-campaign/1"
name = "last"
passes = {passes}
counters = "emulated"
[[cases]]
kernel = "validation/triad"
precision = "fp64"
flavor = ["gcc-O3-v2"]
params = {{ n = {n} }}
[timing]
max_repetitions = 3
[emulated]
caches = "{caches}"
{ceilings}
"""
CEILINGS = """
[ceilings]
mode = "quick"
only = ["chase"]
rounds = 1
[deadline]
floor_seconds = 300
"""


def plumbline(*arguments):
    return subprocess.run([PLUMBLINE, *arguments], capture_output=True, text=True, timeout=400)


@pytest.fixture(scope="module", autouse=True)
def needs_emulator():
    rows = json.loads(plumbline("doctor", "--json").stdout)["rows"]
    row = next(row for row in rows if row["what"] == "emulated counters")
    if row["status"] != "ok":
        pytest.skip("SKIP: the emulated counters: " + row["reason"])


def run(folder, caches, *arguments, n="[1000]", ceilings=False):
    campaign = folder / "campaign.toml"
    passes = '["time", "count"]' if ceilings else '["count"]'
    campaign.write_text(CAMPAIGN.format(caches=caches, n=n, passes=passes, ceilings=CEILINGS if ceilings else ""))
    done = plumbline("run", campaign, "-o", folder / "out.h5", *arguments)
    assert done.returncode == 0, done.stderr
    return done


def provenance_of(folder):
    with h5py.File(folder / "out.h5") as file:
        return json.loads(file.attrs["provenance"])


def last_cache(folder):
    (last,) = provenance_of(folder).get("last_caches", []) or [None]
    if last is None and not has_shared_cache(folder):
        pytest.skip("SKIP: the topology of this machine tells no cache that cores share")
    return last


def has_shared_cache(folder):
    return any(cache["name"] == "L3" for cache in provenance_of(folder)["simulated_caches"])


def topology_bytes(folder):
    if not has_shared_cache(folder):
        pytest.skip("SKIP: the topology of this machine tells no cache that cores share")
    return next(cache["bytes"] for cache in provenance_of(folder)["simulated_caches"] if cache["name"] == "L3")


def model(folder, n, quantity):
    with h5py.File(folder / "out.h5") as file:
        rows = [row for row in file["model"][:] if f"n={n}/" in row["case"].decode() and row["quantity"].decode() == quantity]
    (bounds,) = {(row["lo"], row["hi"]) for row in rows}  # the same for the flavor of each compiler
    return bounds


def counted(folder, n, event):
    with h5py.File(folder / "out.h5") as file:
        rows = [row for row in file["counts"][:] if f"n={n}/" in row["case"].decode() and row["event"].decode() == event]
    assert rows
    return rows[0]["net"]


def test_without_sweeps_it_is_the_topologys_and_that_is_said(tmp_path):
    done = run(tmp_path, "auto")
    topology = topology_bytes(tmp_path)
    assert " is taken as " in done.stderr and "topology tells" in done.stderr
    provenance = provenance_of(tmp_path)
    assert provenance["last_cache"].startswith("as the topology tells") and "last_caches" not in provenance
    assert model(tmp_path, 1000, "working_set") == (24000, 24000)
    assert model(tmp_path, 1000, "last_cache") == (topology, topology)


def test_a_finder_keeps_its_samples_and_both_sizes(tmp_path):
    run(tmp_path, "measured")
    last = last_cache(tmp_path)
    assert {sample[0] for sample in last["samples"]} == {"load", "chase"}
    assert max(sample[1] for sample in last["samples"]) > 16 * 2**20 and last["reason"]
    if last["measured"]:
        assert abs(last["bytes"] / last["found_bytes"] - 1) < 0.01 and last["found_lo_bytes"] <= last["found_bytes"] <= last["found_hi_bytes"]
    else:  # nothing is found on a machine that is too disturbed
        assert last["bytes"] == last["topology_bytes"]
    assert last["lo_bytes"] <= last["bytes"] <= last["hi_bytes"]
    assert model(tmp_path, 1000, "last_cache") == (last["lo_bytes"], last["hi_bytes"])
    with h5py.File(tmp_path / "out.h5") as file:
        assert len(file["ceilings"]) == 0, "none were asked for"


def test_ceilings_bring_the_sweeps_along_and_a_campaign_may_insist_on_the_topology(tmp_path):
    run(tmp_path, "topology", ceilings=True)
    last = last_cache(tmp_path)
    assert "samples" not in last and not last["measured"] and last["bytes"] == last["topology_bytes"]


def test_a_resumed_run_keeps_the_choice_and_simulates_it(tmp_path):
    run(tmp_path, "auto")
    topology = topology_bytes(tmp_path)
    last = provenance_of(tmp_path)["simulated_caches"][-1]
    small = (1 << 20) // (64 * last["ways"]) * 64 * last["ways"]
    chosen = {"name": last["name"], "topology_bytes": topology, "bytes": small, "lo_bytes": small, "hi_bytes": topology, "measured": True}
    found = {"found_bytes": small, "found_lo_bytes": small, "found_hi_bytes": small, "confidence": 0.6, "reason": "it was found"}
    with h5py.File(tmp_path / "out.h5", "r+") as file:  # as a run that had found a mebibyte would have left it
        provenance = json.loads(file.attrs["provenance"])
        provenance["last_caches"] = [{"session": "earlier", "node": file["outcomes"][0]["node"].decode(), **chosen, **found}]
        file.attrs["provenance"] = json.dumps(provenance)
    n = 200_000  # 4.8 MB
    done = run(tmp_path, "auto", "--resume", n=f"[1000, {n}]")
    assert "it was found" in done.stderr
    assert last_cache(tmp_path)["bytes"] == small
    assert counted(tmp_path, n, "bytes.L3-mem.demand_read") == pytest.approx(16 * n, rel=0.02)
    assert model(tmp_path, n, "last_cache") == (small, topology)
    lo, hi = model(tmp_path, n, "bytes.L3-mem.demand_read")
    assert lo <= counted(tmp_path, n, "bytes.L3-mem.demand_read") <= hi


def test_what_was_counted_with_the_topologys_cache_keeps_it(tmp_path):
    run(tmp_path, "auto")
    topology = topology_bytes(tmp_path)
    done = run(tmp_path, "auto", "--resume", n="[1000, 2000]", ceilings=True)
    assert "earlier sessions counted" in done.stderr
    assert last_cache(tmp_path)["bytes"] == topology
