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
MACHINE = ["--machine", "jobs/slurm/machine.toml"]
EXAMPLE = ["jobs/campaigns/quick.toml", *MACHINE, "--minutes", "30"]
GPU_EXAMPLE = ["jobs/campaigns/gpu_ceilings.toml", *EXAMPLE[1:]]
GPU_MODULE = pathlib.Path(PLUMBLINE).parents[1] / "lib/libplumbline_cuda.so"


def slurm(*words, cwd=SOURCE, environment=None):
    command = [PLUMBLINE, "slurm", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=dict(os.environ, **(environment or {})))


def written(folder, *words, **options):
    ended = slurm(*words, "-o", folder, **options)
    assert ended.returncode == 0, ended.stderr
    return {path.stem: path.read_text() for path in folder.iterdir()}


def every_example(folder, *options, **more):
    """A script of each kind: that for GPUs of a campaign that measures some."""
    ended = slurm(*GPU_EXAMPLE, "--kind", "gpu", *options, "-o", folder, **more)
    assert ended.returncode == 0, ended.stderr
    return written(folder, *EXAMPLE, *options, **more)


def but_the_signal(text):
    return re.sub(r"USR1@\d+", "USR1@N", text)


def test_the_examples_are_what_the_command_writes(tmp_path):
    scripts = every_example(tmp_path)
    assert sorted(scripts) == sorted(KINDS)
    for kind, text in scripts.items():
        example = GPU_EXAMPLE if kind == "gpu" else EXAMPLE
        again = f"plumbline slurm {' '.join(example[:3])} --kind {kind} --minutes 30"
        committed = (SOURCE / "jobs" / "slurm" / f"{kind}.sbatch").read_text()
        if kind == "gpu" and not GPU_MODULE.exists():  # what a round of a GPU's ceilings takes is known by the module's kernels
            committed, text = but_the_signal(committed), but_the_signal(text)
        assert committed == text, f"write jobs/slurm again: {again} -o jobs/slurm"
        assert f"#   {again}\n" in text


@pytest.mark.parametrize("launcher", ["srun", "mpiexec"])
def test_scripts_are_clean_by_shellcheck_and_hold_nothing_of_the_environment(tmp_path, launcher):
    secret = "s3cret-of-the-environment"
    scripts = every_example(tmp_path, "--launcher", launcher, environment={"SECRET_TOKEN": secret, "SBATCH_ACCOUNT": secret})
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
    """An empty array is an unset variable before bash 4.4: under set -u it must be guarded."""
    for kind, text in every_example(tmp_path, "--launcher", launcher).items():
        assert unbound in text, kind
        assert '${options[@]+"${options[@]}"}' in text and text.count("options[@]") == 2, kind


@pytest.mark.parametrize("launcher", ["srun", "mpiexec"])
def test_a_job_takes_whole_nodes(tmp_path, launcher):
    """--cpus-per-task implies --exact, which of a node with two hardware threads a core leaves half of the cores."""
    for kind, text in every_example(tmp_path, "--launcher", launcher).items():
        commands = [line for line in text.splitlines() if not line.startswith("# ")]
        assert "#SBATCH --exclusive" in commands and "#SBATCH --mem=0" in commands, kind
        assert not any("cpus-per-task" in line for line in commands) and any("unset SLURM_CPUS_PER_TASK" in line for line in commands), kind


def machine_file(folder, *lines):
    path = folder / "machine.toml"
    path.write_text("\n".join(['schema = "plumbline-machine/1"', *lines]) + "\n")
    return path


def test_an_mpi_that_nobody_named_is_the_sites(tmp_path):
    unnamed = written(tmp_path / "unnamed", EXAMPLE[0], "--machine", machine_file(tmp_path, "cores = 4"), "--kind", "node")["node"]
    named = written(tmp_path / "named", EXAMPLE[0], "--machine", machine_file(tmp_path, "cores = 4"), "--kind", "node", "--mpi", "pmix")["node"]
    (tmp_path / "srun").write_text('#!/bin/sh\necho "srun $1"\n')
    (tmp_path / "srun").chmod(0o755)
    facts = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "SLURM_JOB_ID": "7", "SLURM_JOB_NODELIST": "n1", "SLURM_JOB_NUM_NODES": "1"}
    for text, more, word in (
        (unnamed, {}, "srun --cpu-bind=none"),
        (named, {}, "srun --mpi=pmix"),
        (unnamed, {"PLUMBLINE_SRUN_MPI": "cray_shasta"}, "srun --mpi=cray_shasta"),
        (named, {"PLUMBLINE_SRUN_MPI": ""}, "srun --cpu-bind=none"),
        (named, {"PLUMBLINE_MPI": "openmpi"}, "srun --mpi=pmix"),  # a bundle's library, no plugin of Slurm's
    ):
        ended = subprocess.run(["bash", "-c", text], cwd=tmp_path, env=facts | more, capture_output=True, text=True, timeout=60)
        assert f"{word}\n" in ended.stdout, ended.stdout + ended.stderr


@pytest.mark.parametrize("line", ["module load no-such-module", "false # a remark", "no_such_command_of_the_site 'a b'",
                                  "module load no-such-module; export A_VARIABLE=1"])
def test_a_setup_line_that_fails_ends_the_job_with_its_words(tmp_path, line):
    machine = machine_file(tmp_path, "cores = 4", f'setup = ["export A_VARIABLE=$UNSET_BEFORE", "{line}"]')
    text = written(tmp_path / "out", EXAMPLE[0], "--machine", machine, "--kind", "node")["node"]
    facts = {"PATH": os.environ["PATH"], "SLURM_JOB_ID": "7", "SLURM_JOB_NODELIST": "n1", "SLURM_JOB_NUM_NODES": "1"}
    (tmp_path / "node.sbatch").write_text(text)
    ended = subprocess.run(["bash", "node.sbatch"], cwd=tmp_path, env=facts, capture_output=True, text=True, timeout=60)
    assert ended.returncode == 2 and "plumbline: a setup line failed (" in ended.stderr and f"{line}; mend 'setup'" in ended.stderr, ended.stderr
    assert "plumbline: job 7" not in ended.stdout, "nothing is measured"


def test_setup_lines_that_succeed_set_up_the_run(tmp_path):
    machine = machine_file(tmp_path, "cores = 4", 'setup = ["export GREETING=hello", "set -- $UNSET_BEFORE", "[[ -d /no/such/folder ]] && false", "if true", "then :; fi"]')
    text = written(tmp_path / "out", EXAMPLE[0], "--machine", machine, "--kind", "node")["node"]
    (tmp_path / "srun").write_text('#!/bin/sh\necho "greeting $GREETING"\n')
    (tmp_path / "srun").chmod(0o755)
    facts = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "SLURM_JOB_ID": "7", "SLURM_JOB_NODELIST": "n1", "SLURM_JOB_NUM_NODES": "1"}
    ended = subprocess.run(["bash", "-c", text], cwd=tmp_path, env=facts, capture_output=True, text=True, timeout=60)
    assert "greeting hello" in ended.stdout, ended.stderr


def asked_of(text):
    return dict(re.findall(r"^#SBATCH --(partition|nodes|ntasks-per-node)=(.*)$", text, re.M))


def test_nodes_with_gpus_are_asked_for_as_they_are(tmp_path):
    """Nodes with GPUs are not asked for with the ranks and nodes of the partition without."""
    both = ['partition = "cpu"', 'gpu_partition = "gpu"', "nodes = 100", "cores = 128", "gpus = 4"]
    campaign = "jobs/campaigns/gpu_ceilings.toml"

    def asked(name, *more):
        machine = machine_file(tmp_path, *both, *more)
        return {kind: asked_of(text) for kind, text in written(tmp_path / name, campaign, "--machine", machine).items()}

    preset = asked("preset")
    assert preset["gpu"] == {"partition": "gpu", "nodes": "1", "ntasks-per-node": "4"}
    told = asked("told", "gpu_nodes = 10", "gpu_cores = 64", "gpu_ranks = 8")
    assert told["gpu"] == {"partition": "gpu", "nodes": "1", "ntasks-per-node": "8"}
    assert told["partition"] == {"partition": "gpu", "nodes": "5-10", "ntasks-per-node": "8"}, "the campaign measures GPUs"
    (tmp_path / "both.toml").write_text((SOURCE / campaign).read_text() + """
[[cases]]
kernel = "validation/triad"
team = [{ ranks = 8, threads = 1 }]
params = { n = 1000 }
""")
    both_kinds = written(tmp_path / "teams", tmp_path / "both.toml", "--machine", machine_file(tmp_path, *both), "--kind", "gpu")["gpu"]
    assert asked_of(both_kinds)["ntasks-per-node"] == "8", "a team of CPUs in the same campaign has its ranks"
    one_partition = machine_file(tmp_path, *[line for line in both if "gpu_p" not in line], "gpu_ranks = 4")
    assert asked_of(written(tmp_path / "one", campaign, "--machine", one_partition, "--kind", "gpu")["gpu"])["ntasks-per-node"] == "4"
    of_cpus = written(tmp_path / "cpus", EXAMPLE[0], "--machine", machine_file(tmp_path, *both), "--kind", "partition")["partition"]
    assert asked_of(of_cpus) == {"partition": "cpu", "nodes": "50-100", "ntasks-per-node": "128"}


@pytest.mark.skipif(not GPU_MODULE.exists(), reason="no module for GPUs was built: its kernels make the cases")
def test_all_gpus_are_those_of_the_machine_in_the_estimate(tmp_path):
    campaign = tmp_path / "teams.toml"
    campaign.write_text('''schema = "plumbline-campaign/1"
name = "teams"
[ceilings]
mode = "none"
[[cases]]
kernel = "validation/triad"
precision = "fp64"
flavor = "cuda*"
team = [{ gpus = 1 }, { gpus = "all" }]
params = { n = 65536 }
''')
    for gpus, cases in ((4, 2), (1, 1)):
        machine = machine_file(tmp_path, "cores = 64", f"gpus = {gpus}")
        text = written(tmp_path / str(gpus), campaign, "--machine", machine, "--kind", "gpu")["gpu"]
        assert f"({cases} case" in text, "one GPU and all of one are the same case, one and all of four are two"


def test_a_large_job_is_given_longer_to_start(tmp_path):
    def asked(name, *lines):
        return minutes(written(tmp_path / name, campaign_of(tmp_path, "short", 1), "--machine", machine_file(tmp_path, *lines), "--kind", "partition")["partition"])

    small, large = asked("small", "nodes = 2", "cores = 16"), asked("large", "nodes = 3000", "cores = 128")
    assert small < large <= small + 15
    assert asked("told", "nodes = 3000", "cores = 128", "start_minutes = 60") >= small + 50


@pytest.fixture
def night(tmp_path):
    """The nightly script as written, between programs that stand in for the launcher and plumbline: night(LAUNCHER, PLUMBLINE, VARIABLE=...);
    of --launcher mpiexec with launcher="mpiexec"."""
    facts = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "PLUMBLINE": "./plumbline", "PLUMBLINE_HISTORY": "h", "SLURM_JOB_ID": "7"}
    facts |= {"SLURM_JOB_NODELIST": "n[1-4]", "SLURM_NTASKS_PER_NODE": "2", "SLURM_JOB_NUM_NODES": "4"}  # of a range of nodes no SLURM_NTASKS

    def run(started, plumbline, launcher="srun", **environment):
        script = tmp_path / "nightly.sbatch"
        if not script.exists():
            script.write_text(written(tmp_path / "scripts", *EXAMPLE, "--kind", "nightly", "--launcher", launcher)["nightly"])
        for name, text in ((launcher, started), ("plumbline", plumbline)):
            (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
            (tmp_path / name).chmod(0o755)
        return subprocess.run(["bash", script], cwd=tmp_path, env=os.environ | facts | environment, capture_output=True, text=True, timeout=60)

    return run


def test_a_night_ends_with_the_worse_of_what_run_and_check_say(night):
    def ended_with(ran, checked):
        return night(f'mkdir -p h/.running; touch "h/.running/quick-$SLURM_JOB_ID.h5"; exit {ran}', f"exit {checked}")

    for worst, codes in enumerate((0, 1, 3, 4)):
        for other in (0, 1, 3, 4)[: worst + 1]:
            for ran, checked in ((codes, other), (other, codes)):
                ended = ended_with(ran, checked)
                assert ended.returncode == codes and "nodes n[1-4], 8 tasks" in ended.stdout, (ran, checked, ended.stdout, ended.stderr)
    assert ended_with(0, 127).returncode == 127


@pytest.mark.parametrize("recorded", [True, False])
def test_what_gave_up_a_hang_is_resumed_where_the_launcher_lost_its_code(night, tmp_path, recorded):
    """MPICH's Hydra was seen to give 1 in place of 75: only a hang recorded by this start tells, not one of the start before."""
    (tmp_path / "scontrol").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "scontrol").chmod(0o755)
    journal = "h/.running/quick-7.journal"
    started = f"mkdir -p {journal}; touch {'' if recorded else '-d -1hour'} {journal}/n1.deadlines; exit 1"
    ended = night(started, "exit 0", launcher="mpiexec", PLUMBLINE_MPIEXEC="mpiexec")
    assert ended.returncode == (75 if recorded else 1), ended.stderr
    assert ("stopped early (75), requeueing job 7" in ended.stdout) == recorded, ended.stdout


def test_a_night_that_was_not_finished_is_named_by_the_next_and_finished_by_a_job_that_is_told(night, tmp_path):
    running = tmp_path / "h/.running"
    (running / "quick-3.journal").mkdir(parents=True)
    for name in ("quick-3.h5", "quick-4.h5", "quick-4.log"):
        (running / name).write_text(name)
    srun = 'echo "$@" >words; while [ "$1" != -o ]; do shift; done; rmdir "${2%.h5}.journal"; : >>"$2"'
    ended = night(srun, "exit 0")
    assert ended.returncode == 0, ended.stderr
    notes = [line for line in ended.stdout.splitlines() if "note:" in line]
    assert [line.split()[2] for line in notes] == ["h/.running/quick-3.h5", "h/.running/quick-4.h5"], notes
    assert all(line.endswith(f"PLUMBLINE_RESUME=1 PLUMBLINE_STORE={line.split()[2]} sbatch nightly.sbatch") for line in notes)
    assert (tmp_path / "words").read_text().endswith("-o h/.running/quick-7.h5\n")
    assert night(srun, "exit 0", SLURM_RESTART_COUNT="1").stdout.count("note:") == 0, "it was said at the first start"

    ended = night(srun, "exit 0", SLURM_JOB_ID="8", PLUMBLINE_RESUME="1", PLUMBLINE_STORE="h/.running/quick-3.h5")
    assert ended.returncode == 0 and (tmp_path / "words").read_text().endswith("-o h/.running/quick-3.h5 --resume\n"), ended.stderr
    assert [line.split()[2] for line in ended.stdout.splitlines() if "note:" in line] == ["h/.running/quick-4.h5"]
    (finished,) = (tmp_path / "h").glob("????-??-??-8.h5")
    assert finished.read_text() == "quick-3.h5" and not (running / "quick-3.h5").exists()


@pytest.mark.parametrize("ran, hear", [(0, ["check"]), (1, ["check"]), (3, ["nodes", "check"]), (4, ["check"])])
def test_a_night_tells_the_sites_command_what_the_run_and_the_check_found(night, tmp_path, ran, hear):
    line = 'mail -s "plumbline $USER" ops'
    srun = 'mkdir -p h/.running; touch "h/.running/quick-$SLURM_JOB_ID.h5"; exit %d' % ran
    ended = night(srun, 'printf "%s\n" "$*" >>words; exit 0', PLUMBLINE_ON_FINDING=line)
    assert ended.returncode == ran, ended.stderr
    calls = (tmp_path / "words").read_text().splitlines()
    assert [call.split()[0] for call in calls] == hear and all(line in call for call in calls), calls
    (tmp_path / "words").unlink()
    night(srun, 'printf "%s\n" "$*" >>words; exit 0', SLURM_JOB_ID="9")
    assert [call.split()[0] for call in (tmp_path / "words").read_text().splitlines()] == ["check"] and line not in (tmp_path / "words").read_text()


def test_the_machine_names_the_command_of_the_night(tmp_path):
    machine = tmp_path / "machine.toml"
    example = (SOURCE / MACHINE[1]).read_text()
    machine.write_text(example + "\non_finding = 'ticket --queue \"hpc ops\" $HOME'\n")
    words = [str(machine) if word == MACHINE[1] else word for word in EXAMPLE]
    text = written(tmp_path / "scripts", *words, "--kind", "nightly")["nightly"]
    (line,) = [line for line in text.splitlines() if line.startswith("on_finding=")]
    told = subprocess.run(["bash", "-c", line + '; printf %s "$on_finding"'], env={}, capture_output=True, text=True, check=True).stdout
    assert told == 'ticket --queue "hpc ops" $HOME'
    off = {"PLUMBLINE_ON_FINDING": ""}
    assert subprocess.run(["bash", "-c", line + '; printf %s "$on_finding"'], env=off, capture_output=True, text=True, check=True).stdout == ""


def test_the_machines_cluster_is_what_results_say(tmp_path):
    machine = tmp_path / "machine.toml"
    machine.write_text((SOURCE / MACHINE[1]).read_text() + '\ncluster = "alps"\n')
    words = [str(machine) if word == MACHINE[1] else word for word in EXAMPLE]
    for text in written(tmp_path / "scripts", *words).values():
        (line,) = [line for line in text.splitlines() if "PLUMBLINE_CLUSTER" in line]
        for environment, name in (({}, "alps"), ({"PLUMBLINE_CLUSTER": "rhine"}, "rhine")):
            told = subprocess.run(["bash", "-c", line + "\nenv"], env=environment, capture_output=True, text=True, check=True).stdout
            assert f"PLUMBLINE_CLUSTER={name}" in told.splitlines()


def test_a_job_that_did_not_finish_says_how_to_submit_it_again(night, tmp_path):
    ended = night("mkdir -p h/.running/quick-7.journal; exit 1", "exit 0", PLUMBLINE_CAMPAIGN="a b.toml")
    assert ended.returncode == 1, ended.stderr
    words = ended.stdout.splitlines()[-1].partition("ended with 1; submit it again: ")[2]
    (tmp_path / "sbatch").write_text('#!/bin/sh\nprintf "%s\\n" "$PLUMBLINE" "$PLUMBLINE_CAMPAIGN" "$PLUMBLINE_HISTORY" "$PLUMBLINE_RESUME" "$PLUMBLINE_STORE" "$@"\n')
    (tmp_path / "sbatch").chmod(0o755)
    told = subprocess.run(["bash", "-c", words], env={"PATH": f"{tmp_path}:{os.environ['PATH']}"}, capture_output=True, text=True).stdout
    assert told.splitlines() == ["./plumbline", "a b.toml", "h", "1", "h/.running/quick-7.h5", "nightly.sbatch"], ended.stdout


def test_each_script_names_itself_for_submitting_it_again(tmp_path):
    for kind, text in every_example(tmp_path).items():
        assert f'PLUMBLINE_RESUME=1 PLUMBLINE_STORE=$(printf %q "$store") sbatch {kind}.sbatch"\n' in text and "run $campaign -o $store" not in text


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
                                        ("cores = 2\nranks = 4", "ranks"), ("cores = 2\ngpu_ranks = 4", "gpu_ranks"), ("start_minutes = 0", "start_minutes"),
                                        ('isas = ["v3", "v9"]', "v9")])
def test_a_wrong_machine_file_is_named_with_its_line(tmp_path, line, word):
    machine = tmp_path / "machine.toml"
    machine.write_text(f'schema = "plumbline-machine/1"\n{line}\n')
    ended = slurm(EXAMPLE[0], "--machine", machine, "-o", tmp_path / "out")
    assert ended.returncode == 2 and word in ended.stderr and "machine.toml:" in ended.stderr, ended.stderr
    assert len(ended.stderr.strip().splitlines()) == 1


def test_gpus_that_the_machine_lacks_are_a_mistake(tmp_path):
    ended = slurm(EXAMPLE[0], "--kind", "gpu", "-o", tmp_path)
    assert ended.returncode == 2 and "gpus" in ended.stderr


def test_no_job_takes_gpus_that_its_campaign_does_not_measure(tmp_path):
    ended = slurm(*EXAMPLE, "-o", tmp_path / "all")
    assert ended.returncode == 0 and "note: no gpu.sbatch: jobs/campaigns/quick.toml measures no GPU" in ended.stderr, ended.stderr
    assert sorted(path.stem for path in (tmp_path / "all").iterdir()) == sorted(set(KINDS) - {"gpu"})
    assert len(ended.stderr.splitlines()) == 1
    ended = slurm(*EXAMPLE, "--kind", "node", "--kind", "gpu", "-o", tmp_path / "named")
    assert ended.returncode == 2 and "--kind gpu, but jobs/campaigns/quick.toml measures no GPU" in ended.stderr, ended.stderr
    assert len(ended.stderr.splitlines()) == 1 and not (tmp_path / "named").exists(), "nothing is written by halves"
    for campaign in ("gpu_ceilings", "gpu_validation"):
        texts = written(tmp_path / campaign, f"jobs/campaigns/{campaign}.toml", *EXAMPLE[1:])
        assert "#SBATCH --gres=gpu:4\n" in texts["gpu"] and "#SBATCH --gpus-per-node=4\n" in texts["node"]


@pytest.mark.parametrize("option", ["--partition", "--account", "--mpi", "--mpiexec", "--program"])
@pytest.mark.parametrize("value", ["a b; rm", "a\nb", "a$(b)", "a\x1b"])
def test_a_value_that_a_script_would_read_otherwise_is_refused(tmp_path, option, value):
    ended = slurm(EXAMPLE[0], option, value, "-o", tmp_path / "out")
    assert ended.returncode == 2 and option in ended.stderr and len(ended.stderr.splitlines()) == 1, ended.stderr
    assert not (tmp_path / "out").exists()


def test_a_margin_of_an_estimate_that_is_not_asked_for_is_refused(tmp_path):
    ended = slurm(EXAMPLE[0], "--minutes", "30", "--margin", "3", "-o", tmp_path / "out")
    assert ended.returncode == 2 and "--minutes excludes --margin" in ended.stderr and len(ended.stderr.splitlines()) == 1, ended.stderr
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
    """The comments of a script on its time."""
    text = written(folder, campaign, "--kind", kind, *options)[kind]
    return re.search(r"^# (About .*)$", text, re.M).group(1), minutes(text)


def test_turns_and_a_suspicious_node_take_their_time(tmp_path):
    def asked(nodes, turns, again):
        name = f"{nodes}-{turns}-{again}"
        campaign = campaign_of(tmp_path, name, 5, f"[nodes]\nturns = {turns}\nremeasure = {again}")
        return about(tmp_path / name, campaign, "--nodes", nodes)

    text, alone = asked(1, "true", "true")
    assert "suspicious" not in text, "one node is compared with nobody"
    (_, together), (_, in_turns) = asked(10, "false", "false"), asked(10, "true", "false")
    assert together == alone and in_turns > 5 * together
    text, reserved = asked(10, "true", "true")
    assert "should a node be suspicious" in text and reserved > in_turns


def test_a_result_file_tells_the_last_cache_too(tmp_path):
    """A result file tells what a machine file says: a node's memory and caches decide what its ceilings take."""
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
    store.rename(tmp_path / "tiny.hdf5")
    assert about(tmp_path / "named", full, "--machine", tmp_path / "tiny.hdf5", kind="node") == measured, "a result file is told by what is in it"
    assert measured != described(32), "the cache decides nothing here: the test would not see it"
