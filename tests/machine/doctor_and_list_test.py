"""plumbline doctor and plumbline list: the same facts for people and for programs, and exit codes. PLUMBLINE names the program."""

import csv
import io
import json
import os
import subprocess

import pytest


def plumbline(*arguments, **environment):
    return subprocess.run([os.environ["PLUMBLINE"], *arguments], capture_output=True, text=True, timeout=60, env={**os.environ, **environment})


def document(*arguments, **environment):
    done = plumbline(*arguments, "--json", **environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_doctor_succeeds_whatever_it_finds():
    rows = document("doctor")["rows"]
    assert document("doctor")["schema"] == "plumbline-doctor/1"
    assert {"CPU", "hardware counters", "emulated counters", "GPU driver", "MPI", "result files"} <= {row["what"] for row in rows}
    for row in rows:
        assert row["status"] in ("ok", "unavailable", "permission", "stolen", "masked")
        assert row["found" if row["status"] == "ok" else "reason"], f"{row['what']} says nothing"


def test_doctor_without_valgrind_says_so_and_succeeds(tmp_path):
    rows = document("doctor", PATH=str(tmp_path))["rows"]
    emulated = next(row for row in rows if row["what"] == "emulated counters")
    assert emulated["status"] != "ok"
    assert emulated["found"] is None and emulated["reason"] and emulated["next"]


QUANTITIES = {"flops.fp64", "flops.fp32", "bytes.reg-L1", "bytes.L1-L2"}


def test_doctor_answers_for_every_quantity_what_could_count_it():
    ways = document("doctor")["counting"]
    assert QUANTITIES <= {way["quantity"] for way in ways}
    for way in ways:
        assert way["status"] in ("ok", "unavailable", "permission", "stolen", "masked")
        assert (way["status"] == "ok") == (way["reason"] is None), way
    assert {"emulated", "perf_event"} <= {way["backend"] for way in ways}


def test_doctor_with_every_witness_removed_says_what_still_works(tmp_path):
    answer = document("doctor", PATH=str(tmp_path))
    if any(way["status"] == "ok" for way in answer["counting"] if way["backend"] == "perf_event"):
        pytest.skip("this machine has a PMU that can be used: it cannot be taken away here")
    assert any("nothing here can count" in note and "ceilings and timings still work" in note for note in answer["notes"])
    text = plumbline("doctor", PATH=str(tmp_path)).stdout
    assert "ceilings and timings" in " ".join(text.split())


def test_doctor_notices_a_folder_it_cannot_write():
    done = subprocess.run([os.environ["PLUMBLINE"], "doctor", "--json"], capture_output=True, text=True, timeout=60, cwd="/proc")
    row = next(row for row in json.loads(done.stdout)["rows"] if row["what"] == "result files")
    assert row["status"] == "permission"


def test_text_and_json_list_the_same_kernels():
    text = plumbline("list", "kernels").stdout.splitlines()
    rows = document("list", "kernels")["rows"]
    assert [line for line in text if line and not line.startswith(" ")] == [row["kernel"] for row in rows]
    for row in rows:
        assert row["flavors"] and row["precisions"], row["kernel"]
        for parameter in row["parameters"]:
            allowed = parameter.get("choices") or range(parameter["min"], parameter["max"] + 1)
            assert parameter["preset"] in allowed, f"{row['kernel']} {parameter['name']}: the preset itself is not allowed"


def test_counters_are_events_and_what_is_formed_from_them():
    rows = document("list", "counters")["rows"]
    events = {row["name"] for row in rows if row["kind"] == "event" and row["backend"] == "emulated"}
    if not events:
        pytest.skip("the emulator is not compiled in: there are no events to list")
    assert {"instructions", "flops.fp64.fma", "bytes.reg-L1.load", "bytes.L1-L2.demand_read"} <= events
    assert any(row["kind"] == "counter" for row in rows)


TABLE = """schema = "plumbline-events/1"
family = "mine"
match = { vendor = "nobody", models = [1, 1] }
[[counter]]
name = "fills"
sees = ["bytes.L1-L2.rfo"]
terms = [{ event = "E", raw = "0x1", weight = 64 }]
slots = 1
scope = "core"
source = "a manual"
checked = "vendor manual, unchecked"
"""


@pytest.mark.parametrize("family", ["amd-zen5", "intel-sapphire-rapids", "arm-neoverse-v2", "ibm-power10"])
def test_the_event_table_of_another_family_can_be_listed(family):
    rows = document("list", "counters", "--family", family)["rows"]
    assert rows and {row["family"] for row in rows} == {family}
    for row in rows:
        assert row["source"] and row["checked"] and row["sees"] and row["slots"] >= 1 and row["scope"] in ("core", "socket")
        assert all(term["event"] and term["weight"] for term in row["terms"])


def test_a_users_event_table_is_found_and_a_bad_one_is_one_line(tmp_path):
    (tmp_path / "mine.toml").write_text(TABLE)
    (row,) = document("list", "counters", "--family", "mine", PLUMBLINE_EVENTS_PATH=str(tmp_path))["rows"]
    assert row["name"] == "fills" and row["written_at"] == "mine.toml:4"
    (tmp_path / "mine.toml").write_text(TABLE.replace("64", "0"))
    done = plumbline("list", "counters", PLUMBLINE_EVENTS_PATH=str(tmp_path))
    assert done.returncode == 2 and done.stdout == "" and done.stderr.count("\n") == 1
    assert "mine.toml:7:" in done.stderr and "'weight'" in done.stderr


def test_an_unknown_family_is_refused_with_those_that_are_known():
    done = plumbline("list", "counters", "--family", "amd-zen99")
    assert done.returncode == 2 and "amd-zen4" in done.stderr


def test_shipped_campaigns_can_be_read():
    rows = document("list", "campaigns")["rows"]
    assert "quick" in {row["campaign"] for row in rows}
    for row in rows:
        assert row["status"] == "ok", row["reason"]


def test_a_broken_campaign_is_listed_with_its_reason(tmp_path):
    (tmp_path / "jobs/campaigns").mkdir(parents=True)
    (tmp_path / "jobs/campaigns/broken.toml").write_text('schema = "plumbline-campaign/1"\nnme = "x"\n')
    (row,) = document("list", "campaigns", PLUMBLINE_SHARE=str(tmp_path))["rows"]
    assert row["status"] == "failed" and "2:1: unknown key 'nme'" in row["reason"]


def test_ceilings_of_this_machine_have_units():
    rows = document("list", "ceilings")["rows"]
    assert {"GFLOP/s", "GB/s", "seconds"} == {row["unit"] for row in rows}
    assert {"MPI latency inside a node", "MPI one way between nodes"} <= {row["ceiling"] for row in rows if row["level"] == "mpi"}


@pytest.mark.parametrize("what", ["kernels", "counters", "campaigns", "ceilings"])
def test_csv_has_a_heading_and_as_many_rows_as_json(what):
    rows = list(csv.reader(io.StringIO(plumbline("list", what, "--csv").stdout)))
    assert len(rows) == 1 + len(document("list", what)["rows"])


@pytest.mark.parametrize("arguments", [["list"], ["list", "nothing"], ["doctor", "--nothing"], ["list", "kernels", "--json", "--csv"]])
def test_wrong_words_end_with_2_and_one_line(arguments):
    done = plumbline(*arguments)
    assert done.returncode == 2
    assert done.stdout == "" and done.stderr.count("\n") == 1
