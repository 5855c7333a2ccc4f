"""A result file that crashes the HDF5 library: every command that reads one says so in a line, and ends with 2. (The crash is HDF5 1.10's; a
newer library refuses the file, in another line.)"""
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

h5py = pytest.importorskip("h5py", reason="SKIP: python3-h5py is not installed")
numpy = pytest.importorskip("numpy", reason="SKIP: python3-numpy is not installed")
sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "analysis"))

import synthetic  # noqa: E402

PLUMBLINE = os.environ["PLUMBLINE"]
CAMPAIGN = """schema = "plumbline-campaign/1"
name = "small"
counters = "none"
passes = ["time"]
[timing]
min_seconds = 1e-4
max_repetitions = 3
[[cases]]
kernel = "validation/triad"
precision = ["fp64"]
flavor = ["gcc-O3-v2"]
team = [{ranks = 1, threads = 1}]
params = {n = [1000]}
[ceilings]
mode = "none"
"""


@pytest.fixture(scope="module")
def crafted(tmp_path_factory):
    """Copied by h5py, whose oldest format has no checksums."""
    folder = tmp_path_factory.mktemp("crafted")
    subprocess.run([os.environ["KNOWN_RESULTS"], folder / "known.h5"], check=True)
    with h5py.File(folder / "known.h5") as known, h5py.File(folder / "crafted.h5", "w") as file:
        for name in known:
            file[name] = known[name][:]
        for name in known.attrs:
            file.attrs[name] = known.attrs[name]
        file.attrs["campaign"] = "x" * 107
        for name in ("derived", "derived_by", "reason"):
            if "intensity" in known:
                file["intensity"].attrs[name] = known["intensity"].attrs[name]
    shutil.copy(folder / "crafted.h5", folder / "sound.h5")
    synthetic.refer_to_nothing(folder / "crafted.h5", 107)
    return folder / "crafted.h5"


def run(*words, **options):
    return subprocess.run([PLUMBLINE, *map(str, words)], capture_output=True, text=True, timeout=100, **options)


def expect_refused(done, name="crafted.h5"):
    assert done.returncode == 2, (done.returncode, done.stdout, done.stderr)
    told = [line for line in done.stderr.splitlines() if not line.startswith("note:")]
    assert len(told) == 1 and name in told[0] and "cut short or damaged" in told[0] and "more rows" not in told[0], done.stderr


def test_the_file_would_be_read_if_it_were_sound(crafted):
    assert run("show", crafted.with_name("sound.h5")).returncode == 0


@pytest.mark.parametrize("words", [("show",), ("show", "--machine"), ("score",), ("ceilings",), ("nodes",), ("compare", "{sound}"), ("check", "--baseline", "{sound}"),
                                   ("project", "--to", "{sound}"), ("report", "-o", "{folder}/figures")], ids=" ".join)
def test_every_command_says_so_in_a_line(crafted, words, tmp_path):
    names = {"sound": crafted.with_name("sound.h5"), "folder": tmp_path}
    command, *rest = (word.format(**names) for word in words)
    expect_refused(run(command, crafted, *rest))


@pytest.mark.parametrize("text, what", [('{"schema": "plumbline-show/1"}', "JSON, which is printed for other programs, and not HDF5"), ("text", "not HDF5")])
def test_a_file_of_another_kind_is_told_for_what_it_is(tmp_path, text, what):
    (tmp_path / "other").write_text(text)
    done = run("show", tmp_path / "other")
    assert done.returncode == 2 and done.stderr == f"plumbline: '{tmp_path}/other' is no plumbline result file (it is {what}); give one that plumbline run or profile wrote\n"


def test_a_batch_script_for_its_machine_is_not_written(crafted, tmp_path):
    (tmp_path / "small.toml").write_text(CAMPAIGN)
    expect_refused(run("slurm", tmp_path / "small.toml", "--machine", crafted, "-o", tmp_path))


def test_a_night_among_others_is_left_out_or_told(crafted, tmp_path):
    shutil.copy(crafted, tmp_path / "night.h5")
    done = run("history", tmp_path)
    assert done.returncode in (0, 2) and "night.h5" in done.stderr + done.stdout, (done.returncode, done.stdout, done.stderr)


def test_pipes_that_somebody_left_among_the_nights_are_not_waited_for(crafted, tmp_path):
    shutil.copy(crafted.with_name("sound.h5"), tmp_path / "night.h5")
    os.mkfifo(tmp_path / "plumbline-history.json")
    done = run("history", tmp_path)
    assert done.returncode == 0 and "a device or a FIFO" in done.stdout + done.stderr, done
    os.mkfifo(tmp_path / "plumbline-baseline.jsonl")
    done = run("history", tmp_path)
    assert done.returncode == 2 and "plumbline-baseline.jsonl' is no file but a device or a FIFO" in done.stderr, done


@pytest.mark.parametrize("document", ["[" * 100_000, '{"caches": 5}', '{"caches": [5]}'], ids=["deep", "number", "numbers"])
def test_a_description_of_a_node_that_nobody_wrote_crashes_nothing(crafted, tmp_path, document):
    shutil.copy(crafted.with_name("sound.h5"), tmp_path / "strange.h5")
    with h5py.File(tmp_path / "strange.h5", "r+") as file:
        nodes = [row["node"] for row in file["machine"][:]]
        del file["machine"]
        kind = [("node", "S20"), ("json", f"S{len(document)}")]
        file["machine"] = numpy.array([(node, document.encode()) for node in nodes], dtype=kind)
    for command in (["show"], ["show", "--machine"], ["score"], ["ceilings"], ["nodes"], ["compare", crafted.with_name("sound.h5")]):
        done = run(command[0], tmp_path / "strange.h5", *command[1:])
        assert done.returncode in (0, 2, 4) and "json.exception" not in done.stdout, (command, done.returncode, done.stderr[:500])
        if done.returncode == 2:
            assert done.stderr.count("\n") == 1, done.stderr[:500]


def test_a_run_that_would_go_on_from_it_measures_nothing(crafted, tmp_path):
    (tmp_path / "small.toml").write_text(CAMPAIGN)
    shutil.copy(crafted, tmp_path / "out.h5")
    before = (tmp_path / "out.h5").read_bytes()
    expect_refused(run("run", tmp_path / "small.toml", "-o", tmp_path / "out.h5", "--resume"), "out.h5")
    assert (tmp_path / "out.h5").read_bytes() == before


def test_a_file_is_read_though_the_ends_of_processes_are_ignored_and_all_streams_are_closed(crafted):
    sound = crafted.with_name("sound.h5")
    shell = f"trap '' CHLD; exec {PLUMBLINE} show {sound}"
    assert subprocess.run(["bash", "-c", shell], capture_output=True).returncode == 0
    assert subprocess.run(["bash", "-c", f"{PLUMBLINE} show {sound} <&- 2>&-"], capture_output=True).returncode == 0
