"""A program without any witness (no emulator, no PAPI, no perf_event) has ceilings and timings all the same, and says plainly what is missing.

WITHOUT_WITNESSES names the program linked with neither emulator nor PAPI, PLUMBLINE the usual one, which here finds neither a valgrind on PATH nor the folder of the emulator."""

import json
import math
import os
import pathlib
import platform
import subprocess
import sys

import h5py
import pytest

CAMPAIGN = """
schema = "plumbline-campaign/1"
name = "small"
seed = 1
passes = ["time", "count"]
counters = "auto"
[timing]
min_seconds = 0.001
max_repetitions = 3
[[cases]]
kernel = "validation/triad"
precision = ["fp64", "fp32"]
flavor = ["gcc-O3-{isa}"]
team = [{{ ranks = 1, threads = 1 }}]
params = {{ n = [1000, 20000] }}
[ceilings]
mode = "quick"
rounds = 1
only = ["FP64 vector FMA", "load"]
"""
NO_PERF_EVENT = [sys.executable, pathlib.Path(__file__).parent / "no_perf_event.py"]
NOT_COMPILED_IN = "emulated: unavailable: not compiled in: install valgrind and its headers, then build again"
NO_VALGRIND = "emulated: unavailable: no valgrind on PATH: install the package valgrind, or build one by jobs/valgrind.sh"
MISSING = {
    "WITHOUT_WITNESSES": [NOT_COMPILED_IN, "papi: unavailable: not compiled in: install libpapi-dev", "perf_event: permission: "],
    "PLUMBLINE": [NO_VALGRIND if "PLUMBLINE_EMULATOR" in os.environ else NOT_COMPILED_IN, "perf_event: permission: "],
}
STATEMENT, NEXT = "nothing was counted: ", "'plumbline doctor' says"
if platform.machine() not in ("x86_64", "aarch64"):
    pytest.skip("the number of perf_event_open on this machine is not known here", allow_module_level=True)


@pytest.fixture(scope="module", params=list(MISSING))
def machine(request, tmp_path_factory):
    """A folder in which the campaign ran, the program, and what is missing to it."""
    folder = tmp_path_factory.mktemp(request.param.lower())
    (folder / "small.toml").write_text(CAMPAIGN.format(isa="v2" if platform.machine() == "x86_64" else "neon"))
    program = Program(folder, os.environ[request.param], MISSING[request.param])
    doctor = json.loads(program("doctor", "--json").stdout)["rows"]
    if any(row["what"] == "counters by papi" and row["status"] == "ok" for row in doctor):
        pytest.skip("PAPI counts here without perf_event")
    program.ran = program("run", "small.toml", "-o", "small.h5")
    return program


class Program:
    def __init__(self, folder, path, missing):
        self.folder, self.path, self.missing = folder, path, missing

    def __call__(self, *words, code=0):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PLUMBLINE")} | {"PATH": "/nowhere", "PLUMBLINE_EMULATOR_DIR": "/nowhere"}
        done = subprocess.run([*NO_PERF_EVENT, self.path, *words], cwd=self.folder, env=environment, capture_output=True, text=True, timeout=300)
        assert done.returncode == code, done.stdout + done.stderr
        return done

    def states_plainly(self, text):
        """One statement, of what is missing, why, and what to do next."""
        text = " ".join(text.split())
        assert text.count(STATEMENT) == 1 and text.count(NEXT) == 1, text
        said = text[text.index(STATEMENT) : text.index(NEXT)]
        assert all(what in said for what in self.missing) and "Times and ceilings are measured all the same, and arithmetic intensities are the model's" in said, said


def no_zero_for_an_absent_number(rows, keys):
    for row in rows:
        for key in keys:
            assert row[key] is None, (key, row)
        assert row["status"] != "ok" and row["reason"], row


def test_run_says_it_once_and_ends_well(machine):
    told = machine.ran.stderr
    assert told.count("nothing can be counted here: ") == 1 and all(what in told for what in machine.missing), told
    assert NEXT in told


def test_times_and_the_model_are_stored_and_no_count(machine):
    with h5py.File(machine.folder / "small.h5") as file:
        assert len(file["times"]) > 0 and all(seconds > 0 for seconds in file["times"]["seconds"])
        assert len(file["model"]) > 0 and len(file["counts"]) == 0
        outcomes = {(row["pass"], row["status"]) for row in file["outcomes"][:]}
    assert outcomes == {(b"time", b"ok"), (b"count", b"unavailable")}


def test_ceilings_are_measured(machine):
    rows = json.loads(machine("ceilings", "small.h5", "--json").stdout)["rows"]
    values = {row["name"]: row["value"] for row in rows if row["status"] == "ok"}
    assert values["FP64 vector FMA"] > 0 and values["L1 load"] > 0
    assert all(row["value"] is None and row["reason"] for row in rows if row["status"] != "ok")
    assert "FP64 vector FMA" in machine("ceilings", "small.h5").stdout


def test_score_is_one_plain_statement(machine):
    text = machine("score", "small.h5").stdout
    machine.states_plainly(text)
    assert "emulated.flops" not in text and "grade" not in text, "no table of nothing"
    score = json.loads(machine("score", "small.h5", "--json").stdout)
    machine.states_plainly(" ".join(score["notes"]))
    no_zero_for_an_absent_number(score["rows"], ["measured", "ratio"])
    for counter in score["counters"]:
        assert all(counter[key] is None for key in ("bias", "min", "max", "cv")) and counter["reason"], counter
    refusal = machine("score", "small.h5", "--choose", "set.toml", code=2).stderr
    assert len(refusal.splitlines()) == 1 and "no counter can be chosen" in refusal
    machine.states_plainly(refusal)


def test_kernels_have_times_and_the_model_s_intensity(machine):
    text = machine("show", "small.h5").stdout
    machine.states_plainly(text)
    rows = json.loads(machine("show", "small.h5", "--json").stdout)["rows"]
    assert rows
    for row in rows:
        assert row["seconds"] > 0 and row["gflops"] > 0 and row["join"] == "model" and row["bytes_source"] == "model"
        # what the loop itself loads is in it, where the code is known
        assert math.isclose(row["levels"]["L1"]["ai"], {"fp64": 2 / 24, "fp32": 2 / 12}[row["precision"]], rel_tol=0.02)
        assert all(level["ai"] is not None or (level["status"] != "ok" and level["reason"]) for level in row["levels"].values())


@pytest.mark.parametrize("machine", ["WITHOUT_WITNESSES", pytest.param("PLUMBLINE", marks=pytest.mark.whole)], indirect=True)
def test_report_draws_what_there_is_and_says_what_is_left_out(machine):
    if subprocess.run(["/usr/bin/python3", "-c", "import matplotlib, h5py"], capture_output=True).returncode != 0:
        pytest.skip("matplotlib and h5py for /usr/bin/python3 (Debian: python3-matplotlib, python3-h5py)")
    done = machine("report", "small.h5", "-o", "figures")
    assert "accuracy figure (nothing was counted" in done.stderr
    page = (machine.folder / "figures" / "report.html").read_text()
    assert STATEMENT in page and "roofline" in done.stdout


def test_doctor_says_for_each_quantity_what_stands_in_the_way_and_the_next_command(machine):
    doctor = json.loads(machine("doctor", "--json").stdout)
    assert all(way["status"] != "ok" and way["reason"] and (way["next"] or way["counter"] is None) for way in doctor["counting"])
    assert {way["quantity"] for way in doctor["counting"]} >= {"flops.fp64", "flops.fp32", "bytes.reg-L1"}
    notes = [note for note in doctor["notes"] if note.startswith("nothing here can count: no witness for ")]
    assert len(notes) == 1 and "ceilings and timings still work" in notes[0]
    assert "nothing here can count" in machine("doctor").stdout
