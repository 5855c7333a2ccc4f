"""`plumbline check` and `nodes` on files with faults in them say what the judge says in the adversary's own process."""
import json
import os
import subprocess

import pytest

PLUMBLINE, ADVERSARY = os.environ["PLUMBLINE"], os.environ["HISTORY_ADVERSARY_FILE"]


def in_process(*words):
    done = subprocess.run([ADVERSARY, *map(str, words)], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def command(*words):
    done = subprocess.run([PLUMBLINE, *map(str, words), "--json"], capture_output=True, text=True)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


@pytest.mark.parametrize("kind, host, wanted", [
    ("nothing", "quiet", 0), ("level O0 slower by 20 %", "busy", 3), ("half of the CPU taken: the node", "busy, told", 0),
    ("half of the CPU taken: the node, and slower to 3 times", "quiet", 3), ("a level's flavors missing", "restless", 1)])
def test_check_says_the_same_of_files(tmp_path, kind, host, wanted):
    said = in_process("nights", kind, host, 1, tmp_path)
    code, document = command("check", tmp_path / "night30.h5", "--baseline", tmp_path)
    assert document["nights"] == 30
    assert code == said["exit"] == wanted
    assert [[row["what"], row["verdict"]] for row in document["rows"]] == said["rows"]
    assert len(document["missing"]) == said["missing"]


@pytest.mark.parametrize("kind, wanted", [("none of 4", 0), ("one node of 4 by 20 %", 3), ("its GPU on one of 8 by 20 %", 3), ("four of 8 by 20 %", 0)])
def test_nodes_says_the_same_of_a_file(tmp_path, kind, wanted):
    said = in_process("nodes", kind, 1, tmp_path / "job.h5")
    code, document = command("nodes", tmp_path / "job.h5")
    assert code == said["exit"] == wanted
    assert {row["node"]: row["verdict"] for row in document["rows"] if row.get("what") is None or "verdict" in row} == said["nodes"]
