"""plumbline slurm: what it writes is clean by shellcheck, and jobs/slurm holds exactly that. PLUMBLINE names the program."""

import json
import os
import pathlib
import re
import shutil
import subprocess

import h5py
import pytest

PLUMBLINE = os.environ["PLUMBLINE"]
SOURCE = pathlib.Path(__file__).resolve().parents[2]
KINDS = ["node", "partition", "gpu", "validation", "nightly"]
EXAMPLE = ["jobs/campaigns/quick.toml", "--machine", "jobs/slurm/machine.toml", "--minutes", "30"]


def slurm(*words, cwd=SOURCE, environment=None):
    command = [PLUMBLINE, "slurm", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=dict(os.environ, **(environment or {})))


def written(folder, *words, **options):
    ended = slurm(*words, "-o", folder, **options)
    assert ended.returncode == 0, ended.stderr
    return {path.stem: path.read_text() for path in folder.iterdir()}


def test_the_examples_are_what_the_command_writes(tmp_path):
    scripts = written(tmp_path, *EXAMPLE)
    assert sorted(scripts) == sorted(KINDS)
    for kind, text in scripts.items():
        again = f"plumbline slurm {' '.join(EXAMPLE[:3])} --kind {kind} --minutes 30"
        assert (SOURCE / "jobs" / "slurm" / f"{kind}.sbatch").read_text() == text, f"write jobs/slurm again: {again} -o jobs/slurm"
        assert f"#   {again}\n" in text


@pytest.mark.parametrize("launcher", ["srun", "mpiexec"])
def test_scripts_are_clean_by_shellcheck_and_hold_nothing_of_the_environment(tmp_path, launcher):
    secret = "s3cret-of-the-environment"
    scripts = written(tmp_path, *EXAMPLE, "--launcher", launcher, environment={"SECRET_TOKEN": secret, "SBATCH_ACCOUNT": secret})
    for kind, text in scripts.items():
        assert secret not in text and launcher in text
        assert subprocess.run(["bash", "-n"], input=text, text=True).returncode == 0
        if shutil.which("shellcheck"):
            checked = subprocess.run(["shellcheck", "-"], input=text, capture_output=True, text=True)
            assert checked.returncode == 0, checked.stdout
    if not shutil.which("shellcheck"):
        pytest.skip("shellcheck is not installed; the scripts are only parsed")


def nodes_asked_for(folder, kind, nodes, ranks=4):
    machine = folder / f"machine{nodes}x{ranks}.toml"
    machine.write_text(f'schema = "plumbline-machine/1"\nnodes = {nodes}\ncores = {ranks}\n')
    text = written(folder / f"{kind}{nodes}x{ranks}", EXAMPLE[0], "--machine", machine, "--kind", kind)[kind]
    return re.search(r"^#SBATCH --nodes=(.*)$", text, re.M).group(1), "nodes: the others could not be had" in text


@pytest.mark.parametrize("kind", ["partition", "nightly"])
def test_a_job_of_all_nodes_starts_without_the_drained_ones(tmp_path, kind):
    """Never from 1 on where more would do: of such a range Slurm gives no more nodes than a node has tasks."""
    assert nodes_asked_for(tmp_path, kind, 100) == ("50-100", True)
    assert nodes_asked_for(tmp_path, kind, 3) == ("2-3", True)
    assert nodes_asked_for(tmp_path, kind, 2) == ("1-2", True)
    assert nodes_asked_for(tmp_path, kind, 2, ranks=1) == ("2", False)
    assert nodes_asked_for(tmp_path, kind, 1) == ("1", False)
    assert nodes_asked_for(tmp_path, "node", 100) == ("1", False)


@pytest.mark.parametrize("launcher, unbound", [("srun", "--cpu-bind=none"), ("mpiexec", "-bind-to none")])
def test_binding_is_left_to_plumbline_and_an_old_bash_reads_the_script(tmp_path, launcher, unbound):
    """Before bash 4.4 an empty array is an unset variable: under set -u it must be guarded."""
    for kind, text in written(tmp_path, *EXAMPLE, "--launcher", launcher).items():
        assert unbound in text, kind
        assert '${options[@]+"${options[@]}"}' in text and text.count("options[@]") == 2, kind


def test_a_night_ends_with_the_worse_of_what_run_and_check_say(tmp_path):
    """The script as written, between programs that end with the codes asked for."""
    script = tmp_path / "nightly.sbatch"
    script.write_text(written(tmp_path / "scripts", *EXAMPLE, "--kind", "nightly")["nightly"])
    for name, text in (("srun", 'mkdir -p h/.running; touch "h/.running/quick-$SLURM_JOB_ID.h5"; exit "$RAN"'), ("plumbline", 'exit "$CHECKED"')):
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    facts = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "PLUMBLINE": "./plumbline", "PLUMBLINE_HISTORY": "h", "SLURM_JOB_ID": "7"}
    facts |= {"SLURM_JOB_NODELIST": "n[1-4]", "SLURM_NTASKS_PER_NODE": "2", "SLURM_JOB_NUM_NODES": "4"}  # of a range of nodes no SLURM_NTASKS
    for worst, codes in enumerate((0, 1, 3, 4)):
        for other in (0, 1, 3, 4)[: worst + 1]:
            for ran, checked in ((codes, other), (other, codes)):
                environment = dict(os.environ, RAN=str(ran), CHECKED=str(checked), **facts)
                ended = subprocess.run(["bash", script], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60)
                assert ended.returncode == codes and "nodes n[1-4], 8 tasks" in ended.stdout, (ran, checked, ended.stdout, ended.stderr)
    environment = dict(os.environ, RAN="0", CHECKED="127", **facts)
    assert subprocess.run(["bash", script], cwd=tmp_path, env=environment, capture_output=True, timeout=60).returncode == 127


def minutes(text):
    hours, rest = re.search(r"--time=(\d+):(\d+):00", text).groups()
    return 60 * int(hours) + int(rest)


def campaign_of(folder, name, repetitions, more=""):
    """Cases of so many minutes each."""
    campaign = folder / f"{name}.toml"
    campaign.write_text(f"""schema = "plumbline-campaign/1"
passes = ["time"]
placement = "every_node"
{more}
[timing]
min_seconds = 60
max_repetitions = {repetitions}
[[cases]]
kernel = "validation/series"
params = {{n = 2, m = 64}}
flavor = ["*-O3-*"]
[ceilings]
mode = "none"
""")
    return campaign


def test_the_time_asked_for_follows_the_campaign_and_the_margin(tmp_path):
    def asked(name, repetitions, *options):
        return minutes(written(tmp_path / name, campaign_of(tmp_path, name, repetitions), "--kind", "node", *options)["node"])

    assert asked("short", 5) < asked("wide", 5, "--margin", 4) < asked("long", 15, "--margin", 4)


def test_nodes_that_measure_in_turns_ask_for_the_time_of_all(tmp_path):
    def asked(name, more=""):
        words = [campaign_of(tmp_path, name, 5, more), "--kind", "partition", "--nodes", 8, "--margin", 1]
        return minutes(written(tmp_path / name, *words)["partition"])

    assert asked("turns", "[nodes]\nturns = true") > 4 * asked("together")


def signal_seconds(text):
    return int(re.search(r"--signal=USR1@(\d+)", text).group(1))


def test_a_short_job_hears_of_its_end_late_enough_to_measure_and_early_enough_for_a_case(tmp_path):
    campaign = tmp_path / "quick.toml"
    campaign.write_text((SOURCE / "tests/cluster/interrupted.toml").read_text())
    told = [signal_seconds(written(tmp_path / str(asked), campaign, "--kind", "node", "--minutes", asked)["node"]) for asked in (1, 2, 30)]
    assert 5 < told[0] <= 15 < told[1] <= 30 and told[2] == 120, told


def test_a_job_too_short_for_one_case_is_refused_with_the_time_that_would_do(tmp_path):
    campaign = campaign_of(tmp_path, "long", 5)
    ended = slurm(campaign, "--kind", "node", "--minutes", 2, "-o", tmp_path / "out")
    assert ended.returncode == 2 and len(ended.stderr.strip().splitlines()) == 1, ended.stderr
    enough = int(re.search(r"ask for at least (\d+)$", ended.stderr).group(1))
    text = written(tmp_path / "enough", campaign, "--kind", "node", "--minutes", enough)["node"]
    assert signal_seconds(text) < 60 * enough


@pytest.mark.parametrize("line, word", [("nodes = 0", "nodes"), ('partition = "a b"', "partition"), ('launcher = "ssh"', "launcher"), ("noodles = 1", "noodles"),
                                        ("cores = 2\nranks = 4", "ranks")])
def test_a_wrong_machine_file_is_named_with_its_line(tmp_path, line, word):
    machine = tmp_path / "machine.toml"
    machine.write_text(f'schema = "plumbline-machine/1"\n{line}\n')
    ended = slurm(EXAMPLE[0], "--machine", machine, "-o", tmp_path / "out")
    assert ended.returncode == 2 and word in ended.stderr and "machine.toml:" in ended.stderr, ended.stderr
    assert len(ended.stderr.strip().splitlines()) == 1


def test_gpus_that_the_machine_lacks_are_a_mistake(tmp_path):
    ended = slurm(EXAMPLE[0], "--kind", "gpu", "-o", tmp_path)
    assert ended.returncode == 2 and "gpus" in ended.stderr


@pytest.mark.parametrize("option", ["--partition", "--account", "--mpi", "--mpiexec", "--program"])
@pytest.mark.parametrize("value", ["a b; rm", "a\nb", "a$(b)", "a\x1b"])
def test_a_value_that_a_script_would_read_otherwise_is_refused(tmp_path, option, value):
    ended = slurm(EXAMPLE[0], option, value, "-o", tmp_path / "out")
    assert ended.returncode == 2 and option in ended.stderr and len(ended.stderr.splitlines()) == 1, ended.stderr
    assert not (tmp_path / "out").exists()


def test_a_campaign_with_blanks_and_quotes_in_its_name_can_be_written_again_from_the_script(tmp_path):
    name = "it's a campaign.toml"
    shutil.copy(SOURCE / EXAMPLE[0], tmp_path / name)
    text = written(tmp_path / "out", name, "--kind", "node", "--minutes", 30, cwd=tmp_path)["node"]
    again = text.splitlines()[2].removeprefix("#   plumbline ")
    words = subprocess.run(["bash", "-c", f"printf '%s\\n' {again}"], capture_output=True, text=True).stdout.splitlines()
    assert words == ["slurm", name, "--kind", "node", "--minutes", "30"]
    assert subprocess.run(["bash", "-n"], input=text, text=True).returncode == 0
    (tmp_path / "two\nlines.toml").write_text((SOURCE / EXAMPLE[0]).read_text())
    assert slurm("two\nlines.toml", cwd=tmp_path).returncode == 2


def about(folder, campaign, *options, kind="partition"):
    """What a script says of its time."""
    text = written(folder, campaign, "--kind", kind, *options)[kind]
    return re.search(r"^# (About .*)$", text, re.M).group(1), minutes(text)


COMPARED = """schema = "plumbline-campaign/1"
passes = ["time"]
[nodes]
turns = {turns}
remeasure = {again}
[timing]
min_seconds = 20
max_repetitions = 5
[[cases]]
kernel = "validation/series"
params = {{n = 2, m = 64}}
flavor = ["*-O3-*"]
[ceilings]
mode = "none"
"""


def test_turns_and_a_suspicious_node_take_their_time(tmp_path):
    def asked(nodes, turns, again):
        name = f"{nodes}-{turns}-{again}"
        campaign = tmp_path / f"{name}.toml"
        campaign.write_text(COMPARED.format(turns=turns, again=again))
        return about(tmp_path / name, campaign, "--nodes", nodes)

    text, alone = asked(1, "true", "true")
    assert "suspicious" not in text, "one node is compared with nobody"
    (_, together), (_, in_turns) = asked(10, "false", "false"), asked(10, "true", "false")
    assert together == alone and in_turns > 5 * together
    text, reserved = asked(10, "true", "true")
    assert "should a node be suspicious" in text and reserved > in_turns


def test_a_result_file_tells_the_last_cache_too(tmp_path):
    """As a machine file that says the same: a node's memory and caches decide what its ceilings take."""
    tiny, full = tmp_path / "tiny.toml", tmp_path / "full.toml"
    tiny.write_text('schema = "plumbline-campaign/1"\nname = "tiny"\npasses = ["time"]\n[[cases]]\nkernel = "validation/series"\n'
                    'params = {n = 2, m = 64}\nflavor = ["*-O3-*"]\n[ceilings]\nmode = "none"\n')
    full.write_text('schema = "plumbline-campaign/1"\nname = "full"\npasses = ["time"]\n[ceilings]\nmode = "full"\nrounds = 50\n')
    store = tmp_path / "tiny.h5"
    assert subprocess.run([PLUMBLINE, "run", tiny, "-o", store], capture_output=True).returncode == 0
    with h5py.File(store, "r+") as file:  # as if measured on a machine with a last cache that is nobody's preset
        rows = file["machine"][:]
        facts = json.loads(rows[0]["json"])
        facts = {key: facts[key] for key in ("cores", "packages", "numa_nodes", "memory_bytes", "cpu")}  # the column is only so wide
        facts["caches"] = [{"level": 3, "bytes": 96 << 20, "ways": 16, "line_bytes": 64, "shared_by_cpus": facts["cores"]}]
        rows[0]["json"] = json.dumps(facts)
        file["machine"][:] = rows
    isas = json.dumps(facts["cpu"]["isas"])

    def described(mib):
        machine = tmp_path / f"{mib}.toml"
        machine.write_text(f"""schema = "plumbline-machine/1"
cores = {facts["cores"]}
sockets = {facts["packages"]}
numa_domains = {facts["numa_nodes"]}
memory_gib = {facts["memory_bytes"] / 2**30}
isas = {isas}
l3_mib = {mib}
""")
        return about(tmp_path / f"out{mib}", full, "--machine", machine, kind="node")

    measured = about(tmp_path / "measured", full, "--machine", store, kind="node")
    assert measured == described(96)
    assert measured != described(32), "the cache decides nothing here: the test would not see it"
