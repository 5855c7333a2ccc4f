"""The plan of parts for a GPU under each of the stand-ins' misbehaviours (rehearsal.py): no part takes longer than its limit, each that is not
done says why in a line, and what comes back can be used.

GPU_REHEARSAL: "short" (one behaviour), or "whole": all of them, whose summary is written to the file that GPU_REHEARSAL_JSON names.
"""

import json
import os
import pathlib
import re
import sys

import pytest
import rehearsal
from rehearsal import BEHAVIOURS, GRACE, PARTS

sys.path.insert(0, str(rehearsal.SOURCE / "jobs/gpu"))
import reference  # noqa: E402
import results_page  # noqa: E402

SHORT = ("a case loses the context",)
KEPT = rehearsal.SOURCE / "tests/golden/gpu_rehearsal.json"
COMMAND = "GPU_REHEARSAL_JSON=tests/golden/gpu_rehearsal.json ctest --test-dir build-ci -R '^gpu_rehearsal.whole$'"
is_whole = os.environ["GPU_REHEARSAL"] == "whole"


@pytest.fixture(scope="module")
def kept():
    """The summaries of the behaviours that were gone through, written at the end; of others (pytest -k) stays what is there."""
    found = {}
    yield found
    if not is_whole or "GPU_REHEARSAL_JSON" not in os.environ:
        return
    out = rehearsal.SOURCE / os.environ["GPU_REHEARSAL_JSON"]
    before = json.loads(out.read_text())["behaviours"] if out.exists() else {}
    both = {name: found.get(name) or before.get(name) for name in BEHAVIOURS}
    document = {"schema": "plumbline-gpu-rehearsal/1", "command": COMMAND, "hurry": rehearsal.HURRY, "behaviours": both}
    out.write_text(json.dumps(document, indent=1) + "\n")


@pytest.fixture(scope="module", params=list(BEHAVIOURS) if is_whole else SHORT)
def rehearsed(request, tmp_path_factory, kept):
    """A behaviour, and what came of it."""
    came = rehearsal.rehearse(BEHAVIOURS[request.param], tmp_path_factory.mktemp("rehearsal"))
    kept[request.param] = rehearsal.summary(came)
    return BEHAVIOURS[request.param], came


def test_no_part_overruns_and_each_is_begun(rehearsed):
    behaviour, came = rehearsed
    for part, end in came.ends().items():
        if part != "80-reference":  # which is part of the plan's end alone
            assert end is not None, part
            assert end["seconds"] <= end["limit_seconds"] + GRACE, (part, end)


def test_those_parts_are_not_done_that_cannot_be_and_each_says_why_in_a_line(rehearsed):
    behaviour, came = rehearsed
    ends = {part: end for part, end in came.ends().items() if part != "80-reference"}
    undone = {part: end["how"] for part, end in ends.items() if end["exit_code"] not in (0, 77)}
    assert undone.keys() == behaviour.not_done.keys(), undone
    for part, why in behaviour.not_done.items():
        assert re.search(why, undone[part]) and "\n" not in undone[part], (part, undone[part])
    assert re.search(behaviour.told, came.told)
    assert (came.calls[-1].returncode == 0) == (not undone), came.calls[-1].stdout
    for part in undone:
        assert f"{part:16} remains" in came.calls[-1].stdout and f"FAILED {part}: " in came.calls[-1].stdout


def test_what_comes_back_can_be_used(rehearsed):
    behaviour, came = rehearsed
    ceilings = came.rows("ceilings", "ceilings.h5")
    assert {row["name"] for row in ceilings if row["scope"] == "GPU" and row["status"] == "ok"} == behaviour.ceilings
    assert len([row for row in came.rows("show", "validation.h5") if row["seconds"]]) == behaviour.timed
    counted = [row for row in came.rows("score", "validation.h5") if row["counter"].startswith("cupti ") and row["status"] == "ok"]
    assert bool(counted) == behaviour.counted
    found = reference.load(came.results / "kept/reference.json")
    page = results_page.page({"a stand-in": found})
    for part in behaviour.not_done:
        assert f"- part {part}: {found['parts'][part]['how']}" in page


def switches_of_the_stand_ins():
    """The variables by which a whole program's stand-ins are told."""
    files = ("cuda/standin/module.cpp", *(f"counters/stand_in_{part}.cpp" for part in ("activities", "cupti", "driver")))
    return {name for file in files for name in re.findall(r'"((?:PLUMBLINE_)?STAND_IN_[A-Z_]+)"', (rehearsal.SOURCE / "tests" / file).read_text())}


def test_each_switch_of_the_stand_ins_is_rehearsed_or_harmless():
    rehearsed_ones = {name for one in BEHAVIOURS.values() for name in [*one.switches, *(one.later or {})]}
    known = switches_of_the_stand_ins()
    assert known - rehearsed_ones - rehearsal.HARMLESS == set(), "a behaviour or HARMLESS of rehearsal.py is to name it"
    assert rehearsal.HARMLESS <= known


@pytest.mark.skipif(is_whole, reason="it is what the whole writes")
def test_what_is_kept_is_of_all_behaviours_and_all_parts_and_none_overran():
    document = json.loads(KEPT.read_text())
    assert document["command"] == COMMAND and document["hurry"] == rehearsal.HURRY
    assert list(document["behaviours"]) == list(BEHAVIOURS), f"make it anew: {COMMAND}"
    for name, found in document["behaviours"].items():
        assert list(found["parts"]) == PARTS, name
        undone = {part for part, end in found["parts"].items() if end and end["exit_code"] not in (0, 77)}
        assert undone == set(BEHAVIOURS[name].not_done), name
        assert all(end["of_limit"] <= 1 + GRACE / 10 for end in found["parts"].values() if end), name
