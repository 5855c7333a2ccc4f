"""The commands say of a file what the judge says in process: `score` and `score --choose` of result files with faulty counters."""
import json
import os
import subprocess
import tomllib

import pytest


def plumbline(table, *words):
    environment = os.environ | {"PLUMBLINE_EVENTS_PATH": str(table)}
    done = subprocess.run([os.environ["PLUMBLINE"], *map(str, words)], capture_output=True, text=True, env=environment, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("word", ["x2 refills", "rfo", "saturate", "right"])
def test_score_and_choose_say_of_a_file_what_the_judge_says_in_process(tmp_path, word):
    file, table, chosen = tmp_path / "faulty.h5", tmp_path / "table.toml", tmp_path / "set.toml"
    made = subprocess.run([os.environ["SCORING_ADVERSARY_FILE"], word, "1", file, table], capture_output=True, text=True, check=True)
    expected = json.loads(made.stdout)
    assert 0 < len(expected) <= 20  # as many as are judged at a time

    scores = {one["counter"]: one for one in json.loads(plumbline(table, "score", file, "--json"))["counters"]}
    for one in expected:
        own = scores[one["counter"]]
        assert (own["grade"], own["reason"]) == (None if one["grade"] == "-" else one["grade"], one["reason"]), one["kind"]

    plumbline(table, "score", file, "--choose", chosen)
    by_name = {one["counter"]: one for one in expected}
    for counter in tomllib.loads(chosen.read_text())["counter"]:
        if counter["name"] in by_name:
            assert counter["grade"] == by_name[counter["name"]]["grade"] != "D", counter
