"""Files that an earlier commit's program wrote are judged as it judged them: a result file and a journal with wrong results (of a case,
of ceilings, of messages between ranks and between nodes) and with a case that failed otherwise, from before /ceilings had columns for the
reason, the GPU and the node at the other end."""

import json
import math
import os
import pathlib
import shutil
import subprocess

import pytest

GOLDEN = pathlib.Path(__file__).resolve().parents[1] / "golden"
NAME = "schema1_2026-11"
BEFORE = json.loads((GOLDEN / f"{NAME}.json").read_text())["documents"]

# What is identified or decided; all other texts are sentences, which may be worded better.
WORDS = {"schema", "name", "precision", "level", "pattern", "node", "peer", "unit", "status", "form", "scope", "case", "what", "kind", "verdict",
         "counter", "quantity", "grade", "join", "bound", "class", "session", "kernel", "backend", "other_node"}
SENTENCE = "a sentence"


def plumbline(folder, *words):
    done = subprocess.run([os.environ["PLUMBLINE"], *words], cwd=folder, capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The result file ("file") and what recover makes of the journal ("journal"), as names in their folder."""
    folder = tmp_path_factory.mktemp("older")
    shutil.copy(GOLDEN / f"{NAME}.h5", folder)
    (folder / "k.journal").mkdir()
    shutil.copy(GOLDEN / f"{NAME}.journal" / "nodeA", folder / "k.journal")
    code, _, errors = plumbline(folder, "recover", "k.journal", "-o", "k.h5")
    assert code == 0, errors
    return folder, {"file": f"{NAME}.h5", "journal": "k.h5"}


def decided(value, key=""):
    if isinstance(value, dict):
        return {name: decided(one, name) for name, one in value.items() if name != "file"}
    if isinstance(value, list):
        return [decided(one, key) for one in value]
    return SENTENCE if isinstance(value, str) and value and key not in WORDS else value


def differences(before, now, where=""):
    """Keys that are new are no difference."""
    if isinstance(before, dict) and isinstance(now, dict):
        for key, value in before.items():
            yield from differences(value, now[key], f"{where}.{key}") if key in now else [f"{where}.{key} is gone"]
    elif isinstance(before, list) and isinstance(now, list):
        if len(before) != len(now):
            yield f"{where} has {len(now)} entries instead of {len(before)}"
        for i, (one, other) in enumerate(zip(before, now)):
            yield from differences(one, other, f"{where}[{i}]")
    elif isinstance(before, float) and isinstance(now, float):
        if not math.isclose(before, now, rel_tol=1e-9):
            yield f"{where} is {now} instead of {before}"
    elif before != now:
        yield f"{where} is {now} instead of {before}"


@pytest.mark.parametrize("before", BEFORE, ids=[f"{one['command']}-{one['of']}" for one in BEFORE])
def test_it_is_judged_as_before(files, before):
    folder, names = files
    more = ["--baseline", names["file"]] if before["command"] == "check" else []
    code, text, errors = plumbline(folder, before["command"], names[before["of"]], *more, "--json")
    assert code == before["exit"], errors
    document = json.loads(text)
    document.pop("notes", None), before["json"].pop("notes", None)  # all sentences, and their number
    found = list(differences(decided(before["json"]), decided(document)))
    assert not found, "\n".join(found[:20])


def test_a_wrong_result_is_told_in_the_words_of_then(files):
    folder, names = files
    (then,) = [one["json"] for one in BEFORE if one["of"] == "file" and one["command"] == "nodes"]
    _, text, _ = plumbline(folder, "nodes", names["file"], "--json")
    now = json.loads(text)["wrong_results"]
    assert len(now) == len(then["wrong_results"]) > 5
    for one, other in zip(now, then["wrong_results"]):
        assert one["reason"] == other["reason"] and "wrong result: " in one["reason"]


def test_what_was_derived_then_is_derived_again(files):
    folder, names = files
    _, text, _ = plumbline(folder, "show", names["file"], "--json")
    assert not [note for note in json.loads(text)["notes"] if "/intensity" in note]


def test_a_profile_from_before_there_was_a_table_for_it_is_taken_by_its_cases():
    profile = f"{GOLDEN}/profile_2026-11.h5"
    code, text, errors = plumbline(GOLDEN, "show", profile, "--json")
    assert code == 0, errors
    document = json.loads(text)
    assert "profile" not in document and len(document["rows"]) == 14
    (polynomial,) = [row for row in document["rows"] if "/part=polynomial/" in row["case"]]
    assert polynomial["flops"] == 64 * 1024 * 400 and math.isclose(polynomial["levels"]["L1"]["ai"], 4, rel_tol=1e-3)
    code, text, errors = plumbline(GOLDEN, "compare", profile, profile, "--json")
    assert code == 0 and json.loads(text)["schema"] == "plumbline-compare/1", errors
