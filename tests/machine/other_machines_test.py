"""The whole program on machines that this one is not: it measures, counts, judges and lists, and says what each lacks. PLUMBLINE names the program.

A mask of the CPU (PLUMBLINE_CPU_AS) only takes away, as a hypervisor's does, and with it go the hardware counters, whose codes are another
CPU's; topologies are hwloc's own (HWLOC_SYNTHETIC); one core is an affinity.
"""

import json
import os
import pathlib
import platform
import subprocess
import sys

import h5py
import pytest

PLUMBLINE = os.environ["PLUMBLINE"]
NO_PERF_EVENT = [sys.executable, pathlib.Path(__file__).parents[1] / "app/no_perf_event.py"]
if platform.machine() != "x86_64":
    pytest.skip("SKIP: the masks are of x86-64", allow_module_level=True)

CAMPAIGN = """
schema = "plumbline-campaign/1"
name = "elsewhere"
seed = 1
passes = ["time", "count"]
counters = "auto"
[timing]
min_seconds = 0.001
max_repetitions = 3
[[cases]]
kernel = "validation/triad"
precision = ["fp64"]
flavor = ["gcc-O3-*"]
team = [{ ranks = 1, threads = 1 }, { ranks = 1, threads = 2 }]
params = { n = [1000] }
[ceilings]
mode = "quick"
rounds = 1
only = ["FP64 vector *"]
"""

# What is different there from the machine that this runs on.
MACHINES = {
    "a model that nobody knows": {"PLUMBLINE_CPU_AS": "GenuineIntel 6 167 v2 v3 v4"},
    "the oldest": {"PLUMBLINE_CPU_AS": "GenuineIntel 6 37 v2"},
    "no L3": {"HWLOC_SYNTHETIC": "package:1 l2:2 l1d:1 core:1 pu:1"},
    "one core": {"affinity": "one"},
}
MORE_MACHINES = {
    "this one": {},
    "a vendor that nobody knows": {"PLUMBLINE_CPU_AS": "HygonGenuine 24 1 v2 v3"},
    "Zen 4 masked to AVX2": {"PLUMBLINE_CPU_AS": "AuthenticAMD 25 17 v2 v3"},
    "no cache is told": {"HWLOC_SYNTHETIC": "package:1 core:2 pu:1"},
    "two threads a core": {"HWLOC_SYNTHETIC": "package:1 l3:1 l2:1 l1d:1 core:1 pu:2"},
}


class Machine:
    """Runs plumbline as if on another machine."""

    def __init__(self, folder, facts):
        self.folder = folder
        self.one_core = facts.get("affinity") == "one"
        self.environment = {**os.environ, **{name: value for name, value in facts.items() if name != "affinity"}}

    def run(self, *arguments, code=0):
        to_one = (lambda: os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})) if self.one_core else None
        without_counters = [] if self.isas() is None else NO_PERF_EVENT
        done = subprocess.run(
            [*without_counters, PLUMBLINE, *arguments], cwd=self.folder, env=self.environment, preexec_fn=to_one, capture_output=True, text=True, timeout=100
        )
        assert done.returncode == code, done.stderr + done.stdout
        return done

    def document(self, *arguments):
        return json.loads(self.run(*arguments, "--json").stdout)

    def isas(self):
        masked = self.environment.get("PLUMBLINE_CPU_AS")
        return None if masked is None else masked.split()[3:]


@pytest.fixture(
    scope="module",
    params=[*MACHINES, *(pytest.param(name, marks=pytest.mark.whole) for name in MORE_MACHINES)],
    ids=lambda name: name.replace(" ", "_"),
)
def machine(request, tmp_path_factory):
    """One on which the small campaign has been run."""
    machine = Machine(tmp_path_factory.mktemp("machine"), {**MACHINES, **MORE_MACHINES}[request.param])
    (machine.folder / "small.toml").write_text(CAMPAIGN)
    machine.run("run", "small.toml", "-o", "small.h5")
    return machine


def outcomes(machine):
    with h5py.File(machine.folder / "small.h5") as file:
        return [{name: row[name].decode() if isinstance(row[name], bytes) else row[name] for name in row.dtype.names} for row in file["outcomes"][:]]


def test_every_case_is_measured_or_says_why_not(machine):
    rows = outcomes(machine)
    assert any(row["status"] == "ok" for row in rows)
    assert all(row["reason"] for row in rows if row["status"] != "ok")
    if machine.isas() is not None:
        measured = {row["case"].rsplit("-", 1)[1] for row in rows if row["status"] == "ok"}
        assert measured <= set(machine.isas()), "nothing runs that the CPU is said not to run"
    if machine.one_core:
        assert all(row["status"] != "ok" for row in rows if "/r1t2/" in row["case"]), "two threads have no room on one core"


def test_what_is_judged_has_numbers_or_reasons(machine):
    ceilings = machine.document("ceilings", "small.h5")["rows"]
    assert ceilings and all(row["name"].startswith("FP64 ") and row["value"] > 0 for row in ceilings)
    assert all(row["limit"] or row["limit_reason"] for row in ceilings)
    for row in machine.document("show", "small.h5")["rows"]:
        assert row["seconds"] is None or row["seconds"] > 0
        assert row["bound"] is not None or row["bound_reason"], row
    score = machine.document("score", "small.h5")
    assert all(one["grade"] or one["reason"] for one in score["counters"])


def test_flops_are_exact_wherever_the_emulator_counts(machine):
    rows = [row for row in machine.document("score", "small.h5")["rows"] if row["counter"] == "emulated.flops.fp64"]
    for row in rows:
        assert row["ratio"] == 1 or (row["ratio"] is None and row["reason"]), row
    (emulator,) = [row for row in machine.document("doctor")["rows"] if row["what"] == "emulated counters"]
    if emulator["status"] == "ok":
        assert any(row["ratio"] == 1 for row in rows)


@pytest.mark.parametrize("what", ["kernels", "counters", "campaigns", "ceilings"])
def test_what_there_is_can_be_listed(machine, what):
    document = machine.document("list", what)
    assert document["rows"]
    if what == "ceilings" and machine.isas() is not None:
        assert "v4" not in json.dumps(document) or "v4" in machine.isas()


def test_doctor_and_the_plan_of_quick_say_what_will_be(machine):
    rows = machine.document("doctor")["rows"]
    (cpu,) = [row for row in rows if row["what"] == "CPU"]
    assert cpu["status"] == "ok"
    assert ("masked by PLUMBLINE_CPU_AS" in cpu["found"]) == (machine.isas() is not None)
    assert machine.run("run", "quick", "--dry-run").stdout


def test_a_result_elsewhere_does_not_pass_for_one_of_this_machine(machine):
    with h5py.File(machine.folder / "small.h5") as file:
        stored = json.loads(file["machine"][0]["json"])
    assert ("masked by PLUMBLINE_CPU_AS" in stored["cpu"]["name"]) == (machine.isas() is not None)


def test_a_mask_that_says_nothing_is_refused_in_one_line(tmp_path):
    done = subprocess.run([PLUMBLINE, "doctor"], env={**os.environ, "PLUMBLINE_CPU_AS": "fast"}, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1 and "PLUMBLINE_CPU_AS is 'fast'" in done.stderr, done.stderr
