"""plumbline run where a GPU's counters are refused: the stand-ins' launches are counted by the real module's own code, and say so. From the
environment: PLUMBLINE, STAND_IN_CUDA, STAND_IN_CUPTI, CODE (where the build put it).
"""

import json
import os
import pathlib
import re

import pytest
from count_on_gpus_test import counted, plumbline, run  # noqa: F401 (a fixture)
from stored_tables import table

CAMPAIGN = """schema = "plumbline-campaign/1"
name = "gpus"
passes = ["time", "count"]
counters = "auto"
[timing]
min_seconds = 0.0005
max_repetitions = 6
"""
CASES = "".join(
    f'[[cases]]\nkernel = "validation/{kernel}"\nprecision = "fp64"\nflavor = "cuda*"\nteam = [{{gpus = 1}}]\nparams = {{{params}}}\n'
    for kernel, params in (("series", 'form = ["loop", "inline", "power"], m = 70, n = 3'), ("triad", "n = 1000"), ("dgemm", "n = 48")))
DOT = '[[cases]]\nkernel = "validation/dot"\nprecision = "fp64"\nflavor = "cuda*"\nteam = [{gpus = 1}]\nparams = {n = 5000}\n'
PERMISSION = {"STAND_IN_CUPTI_ENABLE": "35"}


@pytest.fixture(scope="module")
def code():
    if not (pathlib.Path(os.environ["CODE"]) / "libplumbline_cuda.sm_90a.sass").exists():
        pytest.skip("the build disassembled no code for sm_90a, which the stand-in GPU runs: it found no cuobjdump and nvdisasm, or built for others")
    return {"PLUMBLINE_CUDA_CODE_PATH": os.environ["CODE"]}


def by_code(store):
    """Case (kernel and form) to event to row."""
    cases = {}
    for row in table(store, "counts"):
        if row["backend"] == "disassembled":
            kernel, form = row["case"].split("/")[1], row["case"].partition("form=")[2].split("/")[0]
            cases.setdefault(form or kernel, {})[row["event"]] = row
    return cases


def nonzero(events, prefix=""):
    return {event: row["net"] for event, row in events.items() if row["net"] != 0 and event.startswith(prefix)}


def test_where_counters_are_not_permitted_the_code_is_counted_and_every_row_says_whose_count_it_is(run, code):
    ended, store = run(CAMPAIGN + CASES, **PERMISSION, **code)
    assert ended.returncode == 0, ended.stderr
    cases, points = by_code(store), 70 * 70
    assert {row["status"] for events in cases.values() for row in events.values()} == {"ok"}
    assert nonzero(cases["loop"], "flops") == {"flops.fp64.fma": 3 * points}
    assert nonzero(cases["inline"], "flops") == {"flops.fp64.add": 3 * points, "flops.fp64.mul": 2 * points}
    assert nonzero(cases["power"], "flops") == {"flops.fp64.add": 3 * points, "flops.fp64.mul": 3 * points}
    assert nonzero(cases["triad"]) == {"flops.fp64.fma": 1000, "loads": 2000, "stores": 1000, "bytes.reg-L1.load": 16000, "bytes.reg-L1.store": 8000}
    dgemm = nonzero(cases["dgemm"])
    assert dgemm["flops.fp64.fma"] == 48**3 and dgemm["bytes.reg-L1.store"] == 8 * 48 * 48 and dgemm["bytes.reg-L1.load"] == 8 * 2 * 48 * 48 * 3
    assert dgemm["bytes.reg-shared.load"] == 8 * 2 * 48**3
    refused = [row for row in table(store, "counts") if row["backend"] == "cupti" and row["event"] != "launches" and row["event"] != "graph_launches"]
    assert refused and {row["status"] for row in refused} == {"permission"}
    assert all("NVreg_RestrictProfilingToAdminUsers=0" in row["reason"] for row in counted(store)), "why there is nothing better is told"


def test_the_record_and_the_score_call_it_static_and_no_set_of_counters_takes_it(run, code, tmp_path):
    import h5py

    _, store = run(CAMPAIGN + CASES, **PERMISSION, **code)
    with h5py.File(store) as file:
        events = json.loads(file.attrs["provenance"])["events"]
    mine = [one for one in events if one["backend"] == "disassembled"]
    assert mine and all("static instruction counts x launch geometry" in one["code"] for one in mine)
    scored = plumbline("score", store, "--json")
    assert scored.returncode == 0, scored.stderr
    document = json.loads(scored.stdout)
    static = {one["counter"]: one for one in document["counters"] if one["counter"].startswith("static ")}
    assert {one["grade"] for one in static.values()} == {"static"}
    assert all("nothing was measured" in one["reason"] for one in static.values())
    assert static["static flops.fp64"]["bias"] == 1 and static["static bytes.reg-L1"]["bias"] == 1
    chosen = plumbline("score", store, "--choose", tmp_path / "set.toml")
    assert chosen.returncode == 2 and "no counter can be chosen" in chosen.stderr
    assert " static " in plumbline("score", store).stdout


def test_kernels_of_ceilings_are_counted_too_those_of_tensor_cores_by_type(run, code):
    def case(kernel, precision, params):
        return f'[[cases]]\nkernel = "ert/{kernel}"\nprecision = "{precision}"\nflavor = "cuda*"\nteam = [{{gpus = 1}}]\nparams = {{{params}}}\n'

    ended, store = run(CAMPAIGN + case("peak", "fp64", 'form = "fma", blocks = 3, threads = 64, iterations = 5') +
                       case("stream", "fp64", 'pattern = "triad", n = 4096, repeat = 3') + case("mma", "fp16", "blocks = 2, iterations = 7"),
                       **PERMISSION, **code)
    assert ended.returncode == 0, ended.stderr
    cases, clock = by_code(store), {"stores": 4, "bytes.reg-L1.store": 32}
    assert nonzero(cases["fma"], "flops") == {"flops.fp64.fma": 3 * 64 * 8 * 32 * 5}
    assert nonzero(cases["fma"], "bytes") == {"bytes.reg-L1.load": 3 * 64 * 8 * 8, "bytes.reg-L1.store": 3 * 64 * 8 * 8 + clock["bytes.reg-L1.store"]}
    assert nonzero(cases["stream"], "flops") == {"flops.fp64.add": 3 * 4096, "flops.fp64.mul": 3 * 4096}
    assert cases["stream"]["loads"]["net"] == 3 * 2 * 4096 / 2 and cases["stream"]["stores"]["net"] == 3 * 4096 / 2 + clock["stores"], "16 bytes each"
    assert nonzero(cases["mma"], "flops") == {"flops.tensor.fp16": 2 * 8 * (2 * 7 + 1) * 2 * 32 * 32 * 16}


def test_code_over_which_threads_part_ways_is_unavailable_with_its_reason(run, code):
    ended, store = run(CAMPAIGN + DOT, **PERMISSION, **code)
    assert ended.returncode == 0, ended.stderr
    (events,) = by_code(store).values()
    assert {row["status"] for row in events.values()} == {"unavailable"}
    assert all(row["raw"] == 0 and row["net"] is None for row in events.values()), "absent is not zero"
    (outcome,) = counted(store)
    assert "disassembled: " in outcome["reason"] and "DotBody" in outcome["reason"]


def test_where_counters_can_be_had_auto_takes_them_alone(run, code):
    ended, store = run(CAMPAIGN + CASES, **code)
    assert ended.returncode == 0, ended.stderr
    assert {row["backend"] for row in table(store, "counts")} == {"cupti"}


@pytest.mark.parametrize("counters", ["auto", "disassembled", "disassembled:flops.fp64.fma"])
def test_it_needs_no_cupti(run, code, counters):
    ended, store = run((CAMPAIGN + CASES).replace('"auto"', f'"{counters}"'), counters_here=False, LD_LIBRARY_PATH="/nowhere", **code)
    assert ended.returncode == 0, ended.stderr
    assert by_code(store)["triad"]["flops.fp64.fma"]["net"] == 1000
    assert {row["backend"] for row in table(store, "counts")} == {"disassembled"}


def test_what_is_counted_is_not_counted_again(run, code):
    _, store = run(CAMPAIGN + CASES, **PERMISSION, **code)
    before = str(table(store, "counts"))
    again, _ = run(CAMPAIGN + CASES, "--resume", **PERMISSION, **code)
    assert again.returncode == 0, again.stderr
    assert str(table(store, "counts")) == before


def test_without_the_disassembled_module_it_is_skipped_with_what_to_try(run, tmp_path):
    ended, store = run(CAMPAIGN + CASES, counters_here=False, LD_LIBRARY_PATH="/nowhere", PLUMBLINE_CUDA_CODE_PATH=str(tmp_path))
    assert ended.returncode == 0, ended.stderr
    reasons = {row["reason"] for row in table(store, "outcomes") if row["pass"] == "count"}
    (reason,) = reasons
    assert re.search(r"disassembled: unavailable: libplumbline_cuda\.sm_\w+\.sass is not in", reason), reason
    ended, _ = run((CAMPAIGN + CASES).replace('"auto"', '"disassembled"'), "--overwrite", PLUMBLINE_CUDA_CODE_PATH=str(tmp_path))
    assert ended.returncode == 2 and "jobs/cuda_wheels.sh" in ended.stderr


def test_doctor_and_list_tell_of_it(code):
    rows = json.loads(plumbline("doctor", "--json", **code).stdout)["rows"]
    (row,) = [one for one in rows if one["what"] == "counts of a GPU's code"]
    assert row["status"] == "ok" and "static instruction counts x launch geometry" in row["found"] and "disassembled" in row["next"]
    (row,) = [one for one in json.loads(plumbline("doctor", "--json").stdout)["rows"] if one["what"] == "counts of a GPU's code"]
    assert row["status"] == "unavailable" and "jobs/cuda_wheels.sh" in row["reason"]
    listed = {one["name"]: one for one in json.loads(plumbline("list", "counters", "--json", **code).stdout)["rows"]}
    assert listed["static flops.fp64"]["backend"] == "disassembled" and listed["static flops.fp64"]["status"] == "ok"
    events = [one for one in listed.values() if one["backend"] == "disassembled" and one["kind"] == "event"]
    assert events and all(one["description"].startswith("static: ") and one["unit"] for one in events)
