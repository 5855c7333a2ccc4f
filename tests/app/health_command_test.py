"""plumbline health on this node: what it finds against a history that was surely slower or faster, and what it leaves behind."""
import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest

h5py = pytest.importorskip("h5py", reason="SKIP: python3-h5py is not installed")

PLUMBLINE = os.environ["PLUMBLINE"]
CAMPAIGN = """
schema = "plumbline-campaign/1"
name = "minute"
passes = ["time"]
counters = "none"
[timing]
min_seconds = 0.001
max_repetitions = 5
[[cases]]
kernel = "validation/triad"
precision = ["fp64", "fp32"]
flavor = ["gcc1[2-9]-O3-v2"]
team = [{ranks = 1, threads = 1}]
params = {n = [1000, 20000]}
"""


def health(*words, code=0, **environment):
    done = subprocess.run([PLUMBLINE, "health", *map(str, words)], capture_output=True, text=True, timeout=120, env={**os.environ, **environment})
    assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
    return done


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """A first check, by itself."""
    folder = tmp_path_factory.mktemp("first")
    (folder / "minute.toml").write_text(CAMPAIGN)
    done = health(folder / "minute.toml", "-o", folder / "first.h5")
    assert done.stdout == "" and "1 of 1 node in health: results checked\n" in done.stderr
    assert "note: held against nothing but the checks of results" in done.stderr
    return folder / "first.h5"


def history(measured, folder, factor, nights=5):
    """Earlier nights of this node, on each of which everything took `factor` times as long."""
    folder.mkdir()
    for number in range(nights):
        shutil.copy(measured, folder / f"{number}.h5")
        with h5py.File(folder / f"{number}.h5", "r+") as file:
            times, outcomes = file["times"][:], file["outcomes"][:]
            times["seconds"] *= factor * (1 + 0.001 * number)
            times["cpu_share"], times["steal_seconds"], times["clock_hz"] = 1, 0, 3e9  # none of it was disturbed
            outcomes["started_unix_ns"] -= (10 - number) * 86_400 * 10**9
            outcomes["session"] = times["session"] = f"night-{number}".encode()
            file["times"][...], file["outcomes"][...] = times, outcomes
    return folder


def files(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file() and path.name != "plumbline-history.json"}


def test_a_node_that_is_no_slower_than_before_adds_a_night(measured, tmp_path):
    folder = history(measured, tmp_path / "nights", 100)
    done = health(measured.with_name("minute.toml"), "--history", folder)
    assert done.stdout == ""  # what a neighbour disturbed is held against no night, and then that is said
    held = re.search(r"1 of 1 node in health: results checked(?:, ([1-4]) rows? against 5 earlier nights)?\n", done.stderr)
    assert held and (held[1] == "4" or "something else ran beside every sample of" in done.stderr), done.stderr
    new = files(folder) - {f"{number}.h5" for number in range(5)}
    assert len(new) == 1 and "/" not in new.pop(), "it is a night of the history now, and nothing else is left"
    (night,) = set(folder.glob("*.h5")) - {folder / f"{number}.h5" for number in range(5)}
    assert subprocess.run([PLUMBLINE, "check", night, "--baseline", "rolling:14d"], capture_output=True).returncode == 0


def test_what_killed_checks_had_begun_goes_and_what_others_do_stays(measured, tmp_path):
    folder = history(measured, tmp_path / "nights", 100)
    running, host = folder / ".running", os.uname().nodename
    ended = subprocess.Popen(["true"])
    ended.wait()
    left = f"2026-01-31T235959Z-{host}-{ended.pid}"
    stays = [f"2026-01-31T235959Z-{host}-{os.getpid()}.h5", f"2026-01-31T235959Z-another-{ended.pid}.h5", f"nightly-{ended.pid}.h5"]
    (running / f"{left}.journal").mkdir(parents=True)
    for name in (f"{left}.journal/.held", f"{left}.journal/{host}", f"{left}.h5", *stays):
        (running / name).write_text("")
    health(measured.with_name("minute.toml"), "--history", folder)
    assert files(running) == set(stays) and not (running / f"{left}.journal").exists()


def test_a_node_that_is_slower_than_before_is_one_line_and_exit_3(measured, tmp_path):
    folder, heard = history(measured, tmp_path / "nights", 0.01), tmp_path / "heard.json"
    before = files(folder)
    words = [measured.with_name("minute.toml"), "--history", folder, "--openmetrics", tmp_path / "health.prom"]
    done = health(*words, "--on-finding", f"cat >{heard}", code=3)
    (line,) = done.stdout.splitlines()
    node, _, text = line.partition(": ")
    assert text.startswith("is slower than before: validation/triad/") and re.search("; and [1-3] more", text) and "5 nights" in text and " -> " in text
    assert "in health" not in done.stderr
    assert {name.split("/")[0] for name in files(folder) - before} == {".found"}, "what was found is no part of the history"
    document = json.loads(heard.read_text())
    assert document["file"] == document["check"]["file"] == document["nodes"]["file"] and pathlib.Path(document["file"]).parent == folder / ".found"
    assert pathlib.Path(document["file"]).is_file(), "it is told where it lies now"
    (row,) = document["rows"]
    assert document["schema"] == "plumbline-health/1" and document["whole"] and (row["node"], row["verdict"], row["reason"]) == (node, "SLOWER", text)
    (finding,) = row["findings"]
    assert finding["against"] == "earlier nights" and 3 < finding["slowdown_lo"] < finding["slowdown"] < finding["slowdown_hi"]
    assert document["check"]["nights"] == 5 and document["nodes"]["schema"] == "plumbline-nodes/1"
    gauges = (tmp_path / "health.prom").read_text()
    assert f'plumbline_health_finding{{node="{node}",finding="SLOWER"}} 1' in gauges and f'plumbline_health_finding{{node="{node}",finding="OK"}} 0' in gauges
    assert "plumbline_check_nights 5" in gauges and gauges.endswith("# EOF\n")
    again = json.loads(health(*words, "--json", code=3).stdout)
    assert again["check"]["nights"] == 5 and [one["verdict"] for one in again["rows"]] == ["SLOWER"]
    if not shutil.which("promtool"):
        pytest.skip("SKIP: promtool (Debian's prometheus) is not installed: the gauges were not held against its rules")
    ruled = subprocess.run(["promtool", "check", "metrics"], input=gauges, capture_output=True, text=True)
    assert ruled.returncode == 0, ruled.stdout + ruled.stderr


def test_a_node_that_measures_nothing_is_not_in_health_and_adds_no_night(tmp_path):
    (tmp_path / "none.toml").write_text(CAMPAIGN.replace('passes = ["time"]', 'passes = ["count"]'))
    done = health(tmp_path / "none.toml", "--history", tmp_path / "nights", code=1)
    assert re.fullmatch("\\S+: did not measure anything: the campaign's counters are \"none\"\n", done.stdout) and "in health" not in done.stderr, done
    assert not list((tmp_path / "nights").glob("*.h5"))


def test_rolling_nights_need_their_folder(measured, tmp_path):
    folder = history(measured, tmp_path / "nights", 100)
    kept = health(measured.with_name("minute.toml"), "--baseline", "rolling:14d", "-o", folder / "kept.h5")
    assert "neither a like node nor an earlier night" not in kept.stderr or "something else ran beside every sample of" in kept.stderr
    done = health(measured.with_name("minute.toml"), "--baseline", "rolling:3d", code=2)
    assert "--baseline rolling:3d is of the nights in --history DIR, or of those beside -o FILE.h5, and neither is given" in done.stderr


def test_a_named_folder_of_three_nights_will_do_as_a_baseline(measured, tmp_path):
    fast = history(measured, tmp_path / "nights", 0.01, nights=3)
    assert "is slower than before" in health(measured.with_name("minute.toml"), "--baseline", fast, code=3).stdout


def test_what_this_node_no_longer_measures_is_told_and_what_others_do_is_not(measured, tmp_path):
    folder = history(measured, tmp_path / "nights", 100)
    with h5py.File(folder / "4.h5", "r+") as file:
        for table in ("times", "outcomes"):
            rows = file[table][:]
            rows["node"][[b"n=20000/" in case for case in rows["case"]]] = b"x"
            file[table][...] = rows
    poorer = tmp_path / "poorer.toml"
    poorer.write_text(CAMPAIGN.replace('["fp64", "fp32"]', '"fp64"'))
    (line,) = health(poorer, "--history", folder, code=1).stdout.splitlines()
    assert ": did not measure validation/triad/fp32/" in line and "; and 1 more" in line and not line.startswith("x:")


def test_without_a_place_to_keep_it_nothing_is_left(measured, tmp_path):
    (tmp_path / "tmp").mkdir()
    (tmp_path / "here").mkdir()
    done = subprocess.run([PLUMBLINE, "health", measured.with_name("minute.toml"), "--json"], cwd=tmp_path / "here", capture_output=True, text=True,
                          env={**os.environ, "TMPDIR": str(tmp_path / "tmp")}, timeout=120)
    assert done.returncode == 0 and [row["verdict"] for row in json.loads(done.stdout)["rows"]] == ["OK"], done
    assert list((tmp_path / "tmp").iterdir()) == list((tmp_path / "here").iterdir()) == []


def test_what_is_not_measured_in_time_is_told(tmp_path):
    (tmp_path / "long.toml").write_text(CAMPAIGN.replace("min_seconds = 0.001", "min_seconds = 0.3").replace("[1000, 20000]", "{from = 1000, to = 20000, step = 1000}"))
    done = health(tmp_path / "long.toml", "--seconds", "10", "--history", tmp_path / "nights", code=75)
    assert done.stdout == "" and "not everything was measured within 10 s" in done.stderr
    assert files(tmp_path / "nights") == set(), "half a check is no night"


@pytest.mark.parametrize("words", [("nowhere.toml",), ("--seconds", "nan"), ("--seconds", "3"), ("C", "--baseline", "nowhere.h5"), ("C", "--baseline", "rolling:x"),
                                   ("C", "--history", "C"), ("C", "-o", "FIRST")])
def test_what_the_user_wrote_wrong_is_one_line(measured, tmp_path, words):
    named = {"C": measured.with_name("minute.toml"), "FIRST": measured}
    before = measured.read_bytes()
    done = health(*(named.get(word, word) for word in words), code=2, TMPDIR=str(tmp_path))
    assert sum(line.startswith("plumbline: ") for line in done.stderr.splitlines()) == 1 and done.stdout == ""
    assert measured.read_bytes() == before and list(tmp_path.iterdir()) == []


def test_the_campaign_that_comes_along_can_be_planned():
    done = subprocess.run([PLUMBLINE, "run", "health", "--dry-run"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
