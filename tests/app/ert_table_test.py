"""Table I of Kwack et al. 2018 from a run made here: a few cases of ert/compiled, and the ceilings they are held against."""

import json
import os
import pathlib
import re
import subprocess

import h5py
import pytest

from judging_commands_test import unexplained

PLUMBLINE = os.environ["PLUMBLINE"]

CAMPAIGN = """
schema = "plumbline-campaign/1"
name = "tiny"
passes = ["time"]
counters = "none"

[timing]
min_seconds = 0.0005
ci_relative = 0.5
max_repetitions = 3

[[cases]]
kernel = "ert/compiled"
precision = ["fp64"]
flavor = ["*-O3-v3", "*-O3-neon"]
team = [{ranks = "all", threads = "all"}]
params = {form = ["fma", "scalar_fma"], k = [2, 32], n = [1024, 2048], repeat = 16}

[[cases]]
kernel = "ert/compiled"
flavor = ["*-O3-v3", "*-O3-neon"]
team = [{ranks = "all", threads = "all"}]
params = {form = ["add", "scalar_add"], k = [1, 32], n = 2048, repeat = 16}
"""

CEILINGS = """
[ceilings]
mode = "full"
only = ["FP64 vector FMA*", "FP64 scalar add", "load", "update"]
rounds = 1
"""


def run(folder, text):
    (folder / "tiny.toml").write_text(text)
    command = [PLUMBLINE, "run", "tiny.toml", "-o", "tiny.h5"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=280)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "tiny.h5"


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return run(tmp_path_factory.mktemp("with"), CAMPAIGN + CEILINGS)


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    return run(tmp_path_factory.mktemp("without"), CAMPAIGN)


def shown(*words):
    return subprocess.run([PLUMBLINE, "ceilings", *map(str, words)], check=True, capture_output=True, text=True).stdout


def document(path):
    return json.loads(shown(path, "--json"))


def groups(table):
    found = {}
    for row in table:
        found.setdefault((row["kind"], row["precision"]), []).append(row)
    return found


def best_k(path, form, precision, flavor):
    """The case of the highest rate among a flavor's in the file: quietly 32, but others use this machine too."""
    with h5py.File(path) as file:
        amounts = {row["case"].decode(): row["lo"] for row in file["model"][()] if row["quantity"].decode() == "paper.flops"}
        rates = {}
        for row in file["times"][()]:
            case = row["case"].decode()
            if row["rank"] == -1 and f"/{precision}/form={form}/" in case and case.endswith(f"/{flavor}"):
                rates[case] = max(rates.get(case, 0), amounts[case] / row["seconds"])
    return int(re.search(r"/k=(\d+)/", max(rates, key=rates.get))[1])


def levels_beyond_l1(row):
    """All working sets of the campaign lie in L1. Which further levels one round of sweeps finds is up to what else runs here."""
    known = list(row["levels"])
    if known[:1] != ["L1"] or len(known) < 2:
        pytest.skip(f"the sweeps found only {known or 'no level'} on this machine now")
    return known[1:]


def test_every_kind_and_precision_that_was_run_has_rows_and_their_maximum(results):
    by_kind = groups(document(results)["ert_table"])
    assert set(by_kind) == {("vector FMA", "fp64"), ("scalar FMA", "fp64"), *((f"{w} add", p) for w in ("vector", "scalar") for p in ("fp64", "fp32"))}
    for rows in by_kind.values():
        *flavors, best = rows
        assert flavors and best["is_max"] and best["flavor"] == "Max" and not any(row["is_max"] for row in flavors)
        assert best["arithmetic"]["gflops"] == max(row["arithmetic"]["gflops"] for row in flavors)
        assert best["levels"]["L1"]["gbs"] == max(row["levels"]["L1"]["gbs"] for row in flavors)


def test_rates_are_held_against_the_ceilings_of_the_same_run(results):
    shown_rows = document(results)
    ceilings = {(c["name"], c["ranks"], c["threads"]): c["value"] for c in shown_rows["rows"]}
    row = groups(shown_rows["ert_table"])["vector FMA", "fp64"][0]
    rate = row["arithmetic"]
    assert rate["ceiling"]["name"].startswith("FP64 vector FMA")
    assert rate["ceiling"]["gflops"] == ceilings[rate["ceiling"]["name"], row["ranks"], row["threads"]]
    assert rate["ceiling"]["percent"] == pytest.approx(100 * rate["gflops"] / rate["ceiling"]["gflops"])
    assert rate["k"] == best_k(results, "fma", "fp64", row["flavor"])
    assert row["levels"]["L1"]["k"] == 2, "a level's rate is that of the fewest operations an element"
    assert row["levels"]["L1"]["ceiling"]["name"] == "L1 update"


def test_levels_without_a_case_and_kinds_without_a_ceiling_say_so(results):
    everything = document(results)
    assert unexplained(everything["ert_table"]) == []
    row = groups(everything["ert_table"])["vector add", "fp64"][0]
    for level in levels_beyond_l1(row):
        assert row["levels"][level]["gbs"] is None and level in row["levels"][level]["reason"]
    assert row["arithmetic"]["gflops"] > 0 and row["arithmetic"]["ceiling"]["gflops"] is None and row["arithmetic"]["ceiling"]["reason"]


def test_without_ceilings_the_flop_rates_stand_alone(bare):
    everything = document(bare)
    assert all(row["levels"] == {} and row["arithmetic"]["gflops"] > 0 for row in everything["ert_table"])
    assert any("not known" in note for note in everything["notes"])


def test_the_table_for_people_has_a_heading_a_kind_and_fits_120_columns(results):
    """The table has up to four levels of cache: one round on a busy machine may show steps that are none."""
    text = shown(results)
    levels = max(len(row["levels"]) for row in document(results)["ert_table"])
    text = text[text.index("ERT's loop by compiler"):]
    assert "\nFP64 vector FMA\n" in text and "\nFP32 scalar add\n" in text
    assert sum(line.split()[:1] == ["Max"] for line in text.splitlines()) == 6
    assert max(map(len, text.splitlines())) <= 120 or levels > 5
    lines = [line for line in shown(results, "--markdown").splitlines() if line.startswith(("| fp64 | vector FMA |", "| fp32 | scalar add |"))]
    assert [line.split("|")[3].strip() for line in lines].count("Max") == 2, "the same rows in Markdown"


def test_the_campaign_sweeps_every_kind_from_inside_l1_to_beyond_the_caches(tmp_path):
    campaign = pathlib.Path(__file__).parent.parent.parent / "jobs" / "campaigns" / "ert_table1.toml"
    plan = subprocess.run([PLUMBLINE, "run", campaign, "--dry-run"], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert plan.returncode == 0, plan.stderr
    sweeps, depths = {}, {}
    for precision, form, k, n in re.findall(r"ert/compiled/(fp\d+)/form=(\w+)/k=(\d+)/n=(\d+)/", plan.stdout):
        depths.setdefault((form, precision), set()).add(int(k))
        if int(k) <= 2:
            sweeps.setdefault((form, precision), set()).add(int(n) * (4 if precision == "fp32" else 8))
    assert set(sweeps) == {(form, precision) for form in ("fma", "add", "scalar_fma", "scalar_add") for precision in ("fp64", "fp32")}
    for sizes in map(sorted, sweeps.values()):
        assert sizes[0] <= 4 << 10 and sizes[-1] >= 96 << 20
        steps = [(small, large / small) for small, large in zip(sizes, sizes[1:])]
        assert all(step < 1.3 for small, step in steps if small < 4 << 20) and all(step < 1.7 for _, step in steps)
    assert all(depth >= {4, 8, 16, 32, 64, 128} for depth in depths.values())
