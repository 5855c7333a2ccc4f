"""plumbline doctor and plumbline list: the same facts for people and for programs, and exit codes. PLUMBLINE names the program."""

import csv
import io
import json
import os
import shutil
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


def test_doctor_asks_the_library_of_the_driver_that_the_loader_finds(tmp_path):
    shutil.copy(os.environ["STAND_IN_NVML"], tmp_path / "libnvidia-ml.so.1")
    answer = document("doctor", LD_LIBRARY_PATH=str(tmp_path))
    row = next(row for row in answer["rows"] if row["what"] == "GPU driver")
    assert "driver_version 550.54.15, cuda_driver_version 12.4, gpus 2" in (row["found"] or row["reason"])
    assert answer["machine"]["gpu_driver"]["driver_version"] == "550.54.15"
    first, second = [gpu for gpu in answer["machine"]["gpus"] if gpu.get("driver")]
    assert first["pci"] == "0000:17:00.0" and first["driver"]["power_limit_watts"] == 699.5 and first["now"]["power_watts"] == 123.456
    assert second["driver"]["ecc_mode"] is None and "NVML error 3" in second["driver"]["absent"]["ecc_mode"]


def test_doctor_without_a_driver_has_one_reason_for_all_gpus(tmp_path):
    (tmp_path / "libnvidia-ml.so.1").write_text("no library")
    machine = document("doctor", LD_LIBRARY_PATH=str(tmp_path))["machine"]
    if machine["gpu_driver"] is not None:
        pytest.skip("this machine has NVIDIA's kernel module loaded")
    assert machine["absent"]["gpu_driver"].startswith("no NVIDIA driver library (")
    assert not any("driver" in gpu for gpu in machine["gpus"])


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
    text = plumbline("list", "kernels").stdout.split("\n\n")[0].splitlines()  # behind it, why there are none for GPUs
    rows = document("list", "kernels")["rows"]
    assert [line for line in text if line and not line.startswith(" ")] == [
        row["kernel"] + (" on GPUs" if row["space"] == "GPU" else "") for row in rows
    ]
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


def test_a_row_whose_terms_count_different_arithmetic_says_which():
    told = {row["name"]: [term["kind"] for term in row["terms"]] for row in document("list", "counters", "--family", "nvidia-ga100")["rows"]}
    assert told["flops.fp64"] == ["add", "mul", "fma"] and told["l1.bytes"] == [None]
    rows = plumbline("list", "counters", "--family", "nvidia-ga100").stdout.split("\nflops.")
    assert [row for row in rows if row.startswith("fp64\n") and "its terms count add, mul, fma\n" in row]
    assert not [row for row in rows if row.startswith("fp64.add\n") and "its terms count" in row]


@pytest.mark.parametrize("chip", ["GV100", "GA100", "GH100", "GB100"])
def test_the_metrics_of_a_gpu_can_be_listed_and_are_held_against_cupti_where_there_is_one(chip):
    answer = document("list", "counters", "--family", f"nvidia-{chip.lower()}")
    assert len(answer["rows"]) > 50
    for row in answer["rows"]:
        assert row["backend"] == "cupti" and row["scope"] in ("sm", "device") and row["slots"] is None
        assert all(term["event"] and term["weight"] and term["pmu"] is None for term in row["terms"])
    (note,) = answer["notes"]
    if "not held against CUPTI here" in note:
        assert all(row["passes"] is None for row in answer["rows"])
    else:
        assert f"has all these metrics for {chip}" in note
        assert all(row["passes"] >= 1 for row in answer["rows"])


def test_a_misspelt_metric_of_a_users_table_is_named_where_there_is_a_cupti(tmp_path):
    gpu = TABLE.replace('match = { vendor = "nobody", models = [1, 1] }', 'backend = "cupti"\nmatch = { chip = "GH100" }').replace("slots = 1\n", "")
    gpu = gpu.replace('"core"', '"sm"').replace('{ event = "E", raw = "0x1", weight = 64 }', '{ event = "lts__t_sektors.sum", weight = 32 }')
    (tmp_path / "mine.toml").write_text(gpu)
    answer = document("list", "counters", "--family", "mine", PLUMBLINE_EVENTS_PATH=str(tmp_path))
    (note,) = answer["notes"]
    assert answer["rows"][0]["passes"] is None
    assert "not held against CUPTI here" in note or "does not have for GH100: lts__t_sektors.sum" in note


def test_counters_of_this_machine_hold_none_of_a_gpu():
    assert not [row for row in document("list", "counters")["rows"] if row["backend"] == "cupti"]


def test_a_users_event_table_is_found_and_a_bad_one_is_one_line(tmp_path):
    (tmp_path / "mine.toml").write_text(TABLE)
    (row,) = document("list", "counters", "--family", "mine", PLUMBLINE_EVENTS_PATH=str(tmp_path))["rows"]
    assert row["name"] == "fills" and row["written_at"] == "mine.toml:4"
    (tmp_path / "mine.toml").write_text(TABLE.replace("64", "0"))
    done = plumbline("list", "counters", PLUMBLINE_EVENTS_PATH=str(tmp_path))
    assert done.returncode == 2 and done.stdout == "" and done.stderr.count("\n") == 1
    assert "mine.toml:7:" in done.stderr and "'weight'" in done.stderr


def test_a_users_own_counters_come_first(tmp_path):
    cpu = document("doctor")["machine"]["cpu"]
    match = f'vendor = "{cpu["vendor"]}", family = {cpu["family"]}, models = [{cpu["model"]}, {cpu["model"]}]'
    (tmp_path / "mine.toml").write_text(TABLE.replace('vendor = "nobody", models = [1, 1]', match).replace('name = "fills"', 'name = "my_fills"'))
    done = plumbline("list", "counters", PLUMBLINE_EVENTS_PATH=str(tmp_path))
    assert done.returncode == 0, done.stderr
    headings = [line for line in done.stdout.splitlines() if line.startswith(("backend ", "Your own", "Hardware counters", "Counters formed", "Events of"))]
    assert [line.split()[0] for line in headings][:2] == ["backend", "Your"], headings
    assert done.stdout.index("my_fills") < done.stdout.index("Counters formed")


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
