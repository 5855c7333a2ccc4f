"""The ceilings of CPUs that this project was run on, kept as result files under tests/golden/cpus, judged by today's program. PLUMBLINE names it.

A file is what `plumbline run ceilings.toml` leaves of `[ceilings] mode = "quick"` without cases, its samples as they were measured. A CPU that
is met for the first time gets one: the name of its microarchitecture, and "_vm" where a hypervisor was in between.
"""

import json
import os
import pathlib
import subprocess

import pytest

KEPT = sorted((pathlib.Path(__file__).parents[1] / "golden/cpus").glob("*.h5"))


def document(*arguments):
    done = subprocess.run([os.environ["PLUMBLINE"], *map(str, arguments), "--json"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_there_is_one_at_least():
    assert KEPT


@pytest.fixture(params=KEPT, ids=lambda path: path.stem)
def path(request):
    return request.param


def test_every_ceiling_stands_beside_a_limit_and_what_exceeds_it_is_named(path):
    judged = document("ceilings", path)
    ceilings = judged["rows"]
    told_above = [note for note in judged["notes"] if "of its limit" in note]
    assert {row["level"] for row in ceilings} >= {"compute", "L1", "L2", "mem"}
    for row in ceilings:
        assert row["status"] == "ok" and row["value"] > 0, row
        fraction = row["fraction_of_limit"]
        assert fraction is None or fraction <= 1.02 or any(note.startswith(f"{row['name']} of ") for note in told_above), row
        assert row["limit_reason"] or row["limit_basis"] in ("vendor", "inferred"), row


def test_loads_slow_down_from_level_to_level_and_name_the_loop_that_stands_for_them(path):
    loads = [row for row in document("ceilings", path)["rows"] if row["pattern"] == "load" and row["ranks"] * row["threads"] == 1]
    assert [row["level"] for row in loads][0] == "L1" and loads[-1]["level"] == "mem"
    rates = [row["value"] for row in loads]
    assert rates == sorted(rates, reverse=True)
    for row in loads:
        assert row["form"] and row["runners_up"], row


def test_a_file_beside_itself_is_the_same(path):
    rows = document("compare", path, path)["rows"]
    assert rows and all(row["slowdown"] == 1 and row["verdict"] in ("SAME", "AMBIGUOUS") for row in rows)
