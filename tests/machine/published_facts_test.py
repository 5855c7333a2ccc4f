"""A result says much about the machine, and nothing about whoever measured: no secrets, no home, no name.

PLUMBLINE names the program.
"""

import json
import os
import subprocess

import h5py
import numpy
import pytest

CAMPAIGN = """
schema = "plumbline-campaign/1"
name = "facts"
passes = ["time"]
counters = "none"
budget_seconds = 1

[timing]
min_seconds = 0.001
max_repetitions = 3

[ceilings]
mode = "none"

[[cases]]
kernel = "validation/triad"
precision = ["fp64"]
flavor = ["gcc-O3-v2", "gcc-O3-neon"]
team = [{ ranks = 1, threads = 1 }]
params = { n = 1000 }
"""

# Lines of an environment that nobody wants to publish.
SECRETS = {
    "AWS_SECRET_ACCESS_KEY": "aws-4242-secret",
    "SLURM_JWT": "jwt-4242-secret",
    "GITHUB_TOKEN": "github-4242-secret",
    "HF_TOKEN": "hub-4242-secret",
    "DB_PASSWORD": "password-4242-secret",
    "SSH_AUTH_SOCK": "/tmp/agent-4242-secret",
}
USER = "jq7doe"


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """Everything that a run and the commands on its result write, by name; and the result file."""
    home = tmp_path_factory.mktemp("homes") / "home" / USER
    home.mkdir(parents=True)
    (home / "facts.toml").write_text(CAMPAIGN)
    job = {"SLURM_JOB_PARTITION": "night", "SLURM_JOB_NAME": f"of-/{USER}/x"}
    outside = {name: value for name, value in os.environ.items() if not name.startswith("SLURM_")}
    library = {"UCX_TLS": "tcp", "MALLOC_ARENA_MAX": "3", "I_MPI_HOME_OF": str(home / "x"), "FI_AUTH_KEY": "fi-4242-secret"}
    environment = dict(outside, **SECRETS, **job, **library, HOME=str(home), USER=USER, LOGNAME=USER)
    told = {}

    def plumbline(name, *words):
        done = subprocess.run([os.environ["PLUMBLINE"], *words], cwd=home, env=environment, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, f"{words}: {done.stderr}"
        told[name] = done.stdout.encode()

    plumbline("run", "run", str(home / "facts.toml"), "-o", "facts.h5")
    plumbline("show", "show", "facts.h5", "--json")
    plumbline("machine", "show", "facts.h5", "--machine", "--json")
    plumbline("machine as text", "show", "facts.h5", "--machine")
    plumbline("score", "score", "facts.h5", "--json")
    plumbline("benchmark", "show", "facts.h5", "--google-benchmark", "benchmark.json")
    plumbline("compare", "compare", "facts.h5", "facts.h5", "--json")
    plumbline("report", "report", "facts.h5", "-o", "figures")
    plumbline("doctor", "doctor", "--json")
    del told["run"], told["report"]  # file names as the user gave them, for the user
    for path in [home / "facts.h5", home / "benchmark.json", *(home / "figures").rglob("*.html"), *(home / "figures").rglob("*.json")]:
        told[path.name] = path.read_bytes()
    return told, home


def provenance_and_machine(published):
    with h5py.File(published[1] / "facts.h5") as file:
        text = file.attrs["provenance"]
        provenance = json.loads(text.decode() if isinstance(text, bytes) else text)
        return provenance, json.loads(file["machine"][0]["json"].decode())


def test_nothing_that_is_published_holds_a_secret(published):
    told, _ = published
    assert any(name.endswith(".html") for name in told), "the report wrote no page"
    for name, content in told.items():
        for variable, secret in SECRETS.items():
            assert secret.encode() not in content, f"{name} holds {variable}"
            assert variable.encode() not in content, f"{name} names {variable}"


def test_nothing_that_is_published_names_who_measured(published):
    told, home = published
    for name, content in told.items():
        if name != "doctor":  # which is for whoever runs it, and names the folder that it can write
            assert USER.encode() not in content, f"{name} names the user"
            assert str(home).encode() not in content, f"{name} names the home"
    provenance, _ = provenance_and_machine(published)
    assert provenance["command"][2] == "~/facts.toml"
    assert provenance["slurm"] == {"SLURM_JOB_NAME": "of-/USER/x", "SLURM_JOB_PARTITION": "night"}


def test_variables_of_mpi_and_the_allocator_are_kept(published):
    kept = provenance_and_machine(published)[0]["library_environment"]
    assert kept["UCX_TLS"] == "tcp" and kept["MALLOC_ARENA_MAX"] == "3" and kept["I_MPI_HOME_OF"] == "~/x"
    assert "FI_AUTH_KEY" not in kept
    assert all(b"fi-4242-secret" not in content for content in published[0].values())


def test_a_kernel_option_that_is_not_about_speed_is_not_kept(published):
    provenance, machine = provenance_and_machine(published)
    with open("/proc/cmdline") as file:
        words = file.read().split()
    for kept in (provenance["kernel"]["options"], machine["system"]["kernel_options"]):
        assert not {word for word in kept.split() if word.startswith(("root=", "console=", "init=", "ip=", "nfsroot="))}
        assert kept == "none" or words


def reasons_are_there(value, where="machine"):
    for name, inner in value.items():
        if isinstance(inner, dict):
            reasons_are_there(inner, f"{where} {name}")
        assert inner != "", f"{where} {name} is empty"
        if inner is None:
            assert value["absent"][name], f"{where} {name} is null without a reason"


def test_the_node_says_what_staff_ask_for_or_why_not(published):
    provenance, machine = provenance_and_machine(published)
    reasons_are_there(machine)
    reasons_are_there({name: part for name, part in provenance.items() if name not in ("events", "sessions")}, "provenance")
    assert {"kernel_release", "microcode", "thp_enabled", "thp_defrag", "cpufreq_governor", "numa_balancing", "cpuidle_states", "cpu_limit",
            "memory_limit_bytes", "swappiness", "clocksource", "bios_version", "memory_modules", "address_randomization",
            "huge_pages_reserved", "perf_event_paranoid", "kernel_options", "os"} <= set(machine["system"])
    assert machine["system"]["kernel_release"] == os.uname().release
    assert list(machine["rank_cpus"]) == ["0"]
    assert any(name.startswith("libhdf5") for name in machine["libraries"])
    assert provenance["hdf5"].count(".") == 2


def test_show_machine_tells_people_the_same_facts(published):
    told, _ = published
    assert f"system kernel_release: {os.uname().release}" in told["machine as text"].decode()
    document = json.loads(told["machine"])
    assert document["schema"] == "plumbline-show-machine/1" and document["differences"] == []


def test_show_machine_tells_people_of_program_and_job(published):
    told = published[0]["machine as text"].decode()
    node, job = told.split("program and job")
    provenance = provenance_and_machine(published)[0]
    assert f"  git commit: {provenance['git']['commit']}\n" in job
    assert f"  slurm SLURM_JOB_PARTITION: night\n" in job and "  library_environment UCX_TLS: tcp\n" in job
    assert "run ~/facts.toml -o facts.h5" in " ".join(job.split())
    assert provenance["threads_environment"] or "  threads_environment: none of these variables is set\n" in job.split("not known:")[1]
    assert "mitigations" not in job, "which the node's own facts say"
    assert "  cores: " in node


def test_show_machine_has_a_line_for_each_cache(published):
    told = published[0]["machine as text"].decode()
    for place, cache in enumerate(provenance_and_machine(published)[1]["caches"]):
        assert f"  caches {place}: level {cache['level']}, bytes {cache['bytes']}, " in told


def with_other_facts(source, target, changes):
    """A copy of a result file in which a node says something else about itself."""
    target.write_bytes(source.read_bytes())
    with h5py.File(target, "r+") as file:
        rows = file["machine"][:]
        machine = json.loads(rows[0]["json"].decode())
        for name, value in changes.items():
            machine["system"][name] = value
        text = json.dumps(machine).encode()
        kind = [(column, f"S{len(text)}" if column == "json" else file["machine"].dtype[column]) for column in file["machine"].dtype.names]
        copied = numpy.zeros(len(rows), dtype=kind)
        copied["node"] = rows["node"]
        copied["json"][0] = text
        attributes = dict(file["machine"].attrs)
        del file["machine"]
        file.create_dataset("machine", data=copied).attrs.update(attributes)
    return target


def test_compare_tells_how_a_node_is_set_up_otherwise(published, tmp_path):
    changed = with_other_facts(published[1] / "facts.h5", tmp_path / "changed.h5", {"microcode": "0xdead", "thp_enabled": "always-4242"})
    done = subprocess.run([os.environ["PLUMBLINE"], "compare", str(published[1] / "facts.h5"), str(changed), "--json"], capture_output=True,
                          text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    notes = [note for note in json.loads(done.stdout)["notes"] if note.startswith("other ")]
    assert len(notes) == 2 and "-> 0xdead on " in notes[0] and "-> always-4242 on " in notes[1], notes


def notes_of_compare(before, after):
    done = subprocess.run([os.environ["PLUMBLINE"], "compare", str(before), str(after), "--json"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["notes"]


def with_other_provenance(source, target, text):
    target.write_bytes(source.read_bytes())
    with h5py.File(target, "r+") as file:
        file.attrs["provenance"] = numpy.bytes_(text)
    return target


def test_compare_tells_of_lists_only_what_differs(published, tmp_path):
    provenance = provenance_and_machine(published)[0]
    provenance["library_environment"]["UCX_TLS"] = "rc"
    provenance["build"]["flags"] += " -fnew-4242" * 6
    changed = with_other_provenance(published[1] / "facts.h5", tmp_path / "changed.h5", json.dumps(provenance))
    notes = [note for note in notes_of_compare(published[1] / "facts.h5", changed) if note.startswith("other ")]
    assert notes == ["other binary: flags: with " + ", ".join(["-fnew-4242"] * 6), "other variables of MPI and the allocator: without UCX_TLS=tcp; with UCX_TLS=rc"]


def test_compare_tells_once_that_provenance_is_unreadable(published, tmp_path):
    broken = with_other_provenance(published[1] / "facts.h5", tmp_path / "broken.h5", "not JSON")
    notes = [note for note in notes_of_compare(published[1] / "facts.h5", broken) if "provenance" in note or "other" in note]
    assert len(notes) == 1 and "the file after has no readable provenance" in notes[0]
