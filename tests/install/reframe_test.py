"""The ReFrame check, run by a real ReFrame on the moved installation: its figures, its thresholds, and exit codes that must fail it.

ReFrame is the one on PATH, else PyPI's in a virtual environment of this test's own, kept in the build folder; where neither can be had, skipped.
"""

import json
import shutil
import subprocess
import sys

import h5py
import pytest
from conftest import BUILD, SOURCE

CHECK = SOURCE / "jobs/packaging/reframe/plumbline_check.py"
CAMPAIGN = """
schema = "plumbline-campaign/1"
counters = "none"
[timing]
min_seconds = 0.002
max_repetitions = 5
[[cases]]
kernel = "validation/triad"
precision = "fp64"
flavor = "gcc-O3-v2"
params = { n = 1000 }
"""


def own_reframe():
    place = BUILD / "tests/reframe"
    program = place / "bin/reframe"
    if not program.exists():
        shutil.rmtree(place, ignore_errors=True)
        for words in ([sys.executable, "-m", "venv", place], [place / "bin/pip", "-q", "install", "--timeout", "20", "ReFrame-HPC==4.10.4"]):
            try:
                done = subprocess.run(words, capture_output=True, text=True, timeout=120)
            except (OSError, subprocess.TimeoutExpired) as failed:
                return None, str(failed)
            if done.returncode != 0:
                return None, (done.stderr or done.stdout).strip().splitlines()[-1]
    return program, ""


@pytest.fixture(scope="module")
def reframe():
    program = shutil.which("reframe")
    reason = ""
    if not program:
        program, reason = own_reframe()
    if not program:
        pytest.skip(f"no reframe on PATH, and ReFrame-HPC cannot be installed from PyPI: {reason}")
    return program


class Runner:
    def __init__(self, folder, installation, program):
        self.folder, self.installation, self.program = folder, installation, program
        shutil.copy(CHECK, folder)
        (folder / "small.toml").write_text(CAMPAIGN)

    def run(self, *settings, code=0):
        """The output of ReFrame, and its report's one test case."""
        words = [self.program, "-c", CHECK.name, "--prefix", "work", "--report-file", "report.json", "-S", "campaign=small.toml"]
        for setting in settings:
            words += ["-S", setting]
        said = self.installation.run(*words, "-r", folder=self.folder, code=code, sources_in_sight=True, HOME=str(self.folder),
                                     TMPDIR=str(self.folder))  # where ReFrame leaves its logs
        report = json.loads((self.folder / "report.json").read_text())
        return said, report["runs"][-1]["testcases"][0]


@pytest.fixture
def runner(tmp_path, installation, reframe):
    return Runner(tmp_path, installation, reframe)


def figures(case):
    return {name.split(":")[-1]: values for name, values in case["perfvalues"].items()}


def test_the_figures_of_merit_are_performance_variables(runner):
    _, case = runner.run()
    triad = {name: values for name, values in figures(case).items() if name.startswith("validation/triad/fp64/n=1000/r1t1/gcc")}
    assert triad and case["result"] == "pass"
    for value, _, _, _, unit, *_ in triad.values():
        assert value > 0 and unit == "Gflop/s"


def test_a_threshold_that_is_missed_or_names_nothing_fails(runner):
    name = next(iter(figures(runner.run()[1])))
    thresholds = runner.folder / "thresholds.json"
    for limit, phase in (({name: [1e-9, -0.5, None]}, None), ({name: [1e9, -0.5, None]}, "performance"), ({"no/such": [1, -0.5, None]}, "sanity")):
        thresholds.write_text(json.dumps(limit))
        said, case = runner.run("thresholds=thresholds.json", code=0 if phase is None else 1)
        assert (case["result"], case["fail_phase"]) == ("fail" if phase else "pass", phase), said


def test_a_campaign_that_cannot_be_run_fails_with_its_meaning(runner):
    (runner.folder / "small.toml").write_text("nonsense = 1\n")
    said, case = runner.run(code=1)
    assert case["fail_phase"] == "sanity" and "plumbline run ended with 2: the campaign, a flag or a file is wrong" in said


def test_thresholds_that_are_none_fail_in_one_clear_line(runner):
    thresholds = runner.folder / "thresholds.json"
    for text, words in (("{", "cannot be read"), ("[]", "are no object"), ('{"a": [1, 2]}', "the threshold of 'a'"), ('{"a": ["1", null, null]}', "the threshold of 'a'")):
        thresholds.write_text(text)
        said, case = runner.run("thresholds=thresholds.json", code=1)
        assert case["result"] == "fail" and words in said and "Traceback" not in said, said
    said, _ = runner.run("thresholds=nowhere.json", code=1)
    assert "nowhere.json cannot be read" in said and "Traceback" not in said


def test_a_campaign_with_a_blank_in_its_name_runs_and_fewer_ranks_than_asked_for_fail(runner):
    (runner.folder / "small.toml").rename(runner.folder / "a small one.toml")
    assert runner.run("campaign=a small one.toml")[1]["result"] == "pass"
    said, case = runner.run("campaign=a small one.toml", "ranks=2", code=1)  # the generic system's launcher is the shell
    assert case["fail_phase"] == "sanity" and "2 ranks were asked for, 1 ran" in said


def test_a_regression_against_a_baseline_fails(runner):
    nights = runner.folder / "nights"
    nights.mkdir()
    runner.installation.run("plumbline", "run", "small.toml", "-o", "nights/0.h5", folder=runner.folder)
    for number in range(3):  # as if the node had been a million times as fast for three nights
        if number > 0:
            shutil.copy(nights / "0.h5", nights / f"{number}.h5")
        with h5py.File(nights / f"{number}.h5", "r+") as file:
            times = file["times"][:]
            times["seconds"] *= 1e-6 if number == 0 else 1 + 0.001 * number
            times["cpu_share"], times["steal_seconds"] = 1, 0
            file["times"][:] = times
    said, case = runner.run("baseline=nights", code=1)
    assert case["fail_phase"] == "sanity" and "plumbline check ended with 3: a regression" in said
