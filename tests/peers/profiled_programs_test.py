"""Programs by others under plumbline profile: what is counted is what they report, shares are perf's, and every row can be read. Three small
ones in every run, all of them where PROFILED_PROGRAMS is whole."""

import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1] / "jobs" / "peers"), str(HERE)]
import profiled_programs  # noqa: E402
from profiled import perf_shares  # noqa: E402
from profiled.programs import PROGRAMS, Missing  # noqa: E402

PLUMBLINE = os.environ["PLUMBLINE"]
WHOLE = os.environ.get("PROFILED_PROGRAMS") == "whole"
KEPT = json.loads((HERE.parent / "golden" / "profiled_programs.json").read_text())


@pytest.fixture(scope="session")
def sampling():
    done = subprocess.run([PLUMBLINE, "profile", "--roofs=no", "--caches=no", "--", "true"], capture_output=True, text=True, check=False)
    if done.returncode == 2:
        pytest.skip("SKIP: " + done.stderr.strip())


def explained(one):
    """Whether what was counted lies where the program's own report, with what it leaves out, has it."""
    if one["work"] is None:
        return True
    least, most = one["work"]["expected"]
    return least <= one["work"]["beside"] <= most


@pytest.mark.usefixtures("sampling")
@pytest.mark.parametrize("program", [one for one in PROGRAMS if one.in_ci or WHOLE], ids=lambda one: one.name)
def test_a_program_by_others(program):
    try:
        found = profiled_programs.one(PLUMBLINE, program, not WHOLE, "auto" if WHOLE else "no", 0, perf_shares.why_not() if WHOLE else "it is for the whole")
    except Missing as missing:
        pytest.skip(f"SKIP: {missing}")
    assert explained(found), found["work"]
    assert found["functions"] and sum(row["share"] for row in found["functions"]) > 0.2
    table = found["text"].split("\n\n")[1].splitlines()
    names = [re.split(r" {2,}", line)[0] for line in table[2:] if "%" in line]
    assert len(names) == len(set(names)), "functions look alike"


def test_what_was_kept_is_explained():
    assert len(KEPT["programs"]) + len(KEPT["skipped"]) == len(PROGRAMS) and len(KEPT["programs"]) >= 10
    for one in KEPT["programs"]:
        assert explained(one), (one["program"], one["work"])
        # Threads that wait for each other do so for as long as others are at work: OpenMP's library has another share in each run.
        if not any(file.startswith("libgomp") for file in one["perf"]["files"]):
            assert not one["perf"]["differing"], (one["program"], one["perf"]["files"])


def test_shares_of_perf_are_compared_by_name_or_by_place():
    rows = [{"name": "f", "object": "/lib/a.so", "share": 0.5}, {"name": "b.so+0x100", "object": "/lib/b.so", "share": 0.3},
            {"name": "b.so+0x200", "object": "/lib/b.so", "share": 0.2}]
    found = {("a.so", "f"): 52, ("b.so", "0x0000000000000110"): 20, ("b.so", "0x00000000000001ff"): 6, ("b.so", "0x0000000000000200"): 22}
    compared = perf_shares.compared(rows, found, 100)
    assert not compared["differing"]
    assert perf_shares.compared(rows, {("a.so", "f"): 900, ("b.so", "g"): 100}, 1000)["differing"] == ["a.so", "b.so"]
    assert compared["functions"]["b.so+0x100"]["perf"] == pytest.approx(0.26) and compared["files"]["b.so"]["perf"] == pytest.approx(0.48)
    assert compared["largest_function_difference"] == pytest.approx(0.04)
