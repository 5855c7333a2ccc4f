"""The stored detection curves and the report on unseen faults, found again (minutes: under --full)."""
import json
import os
import pathlib
import subprocess

import pytest

GOLDEN = pathlib.Path(__file__).parent.parent / "golden"


def rows(which, program="SCORING_LIMITS"):
    stored = json.loads((GOLDEN / f"scoring_{which}.json").read_text())
    done = subprocess.run([os.environ[program], *stored["command"].split()[1:]], capture_output=True, text=True, check=True)
    return stored["rows"], json.loads(done.stdout)["rows"]


def test_the_curves_are_found_again():
    """The curves are found from the limit on to one seed of twenty. Below it a fault is caught by chance: another CPU's libm rounds the random
    numbers otherwise, and then they are other ones (seen: 7 seeds of 20 in place of 13, between Zen 4 and Zen 5), within three deviations of two counts."""
    for stored, found in zip(*rows("limits"), strict=True):
        assert (found["fault"], found["limit"]) == (stored["fault"], stored["limit"])
        for then, now in zip(stored["curve"], found["curve"], strict=True):
            assert now["magnitude"] == then["magnitude"]
            near = 0.051 if now["magnitude"] >= stored["limit"] else 0.48
            assert (now["caught"], now["explained"]) == (pytest.approx(then["caught"], abs=near), pytest.approx(then["explained"], abs=near))


def test_unseen_faults_come_out_as_reported():
    for stored, found in zip(*rows("unseen"), strict=True):
        assert found["fault"] == stored["fault"]
        assert found["caught"] == pytest.approx(stored["caught"], abs=1) and found["explained"] == pytest.approx(stored["explained"], abs=1)


def test_on_the_real_path_all_are_caught_again():
    """The counts there are measured: grades of unsteady counters may change, what is right and what is caught may not."""
    if not os.environ.get("SCORING_REAL_LIMITS"):
        pytest.skip("PAPI or the emulator is not compiled in")
    for stored, found in zip(*rows("real_known", "SCORING_REAL_LIMITS"), strict=True):
        assert (found["fault"], found["counters"]) == (stored["fault"], stored["counters"])
        if found["fault"] == "right":
            assert set(found["grades"]) <= {"A", "B"}
        else:
            assert (found["caught"], found["explained"]) == (stored["caught"], stored["explained"])
