"""An event table's word on counters that cannot be counted together reaches the chosen set; events in no counter are named; an offset is
calibrated. The result file is counted_events.cpp's, the table a user's own."""

import json
import os
import subprocess
import tomllib

import pytest

PLUMBLINE = os.environ["PLUMBLINE"]
HEAD = """
schema = "plumbline-events/1"
family = "test"
match = { vendor = "Test", family = 1, models = [1, 1] }
"""
ROW = """
[[counter]]
name = "{name}"
sees = {sees}
terms = [{{ event = "{event}", {pmu}weight = {weight}{only} }}]
slots = 1
scope = "{scope}"
{more}
source = "this test"
checked = "vendor manual, unchecked"
"""


def row(name, sees, event, weight, only="", more="", pmu=""):
    place = f'pmu = "{pmu}", ' if pmu else 'raw = "0x1", '
    scope = "socket" if pmu else "core"
    return ROW.format(name=name, sees=json.dumps(sees), event=event, weight=weight, only=only and f", only_slots = {only}", more=more, pmu=place, scope=scope)


FLOPS = row("flops", ["flops.fp64"], "FLOPS", 1)
OFFSET = row("flops_offset", ["flops.fp64"], "FLOPS_OFFSET", 1)


def rows(fills="", victims="", lines="", more="", pmu="", flops=FLOPS, memory=True):
    return (
        flops
        + row("fills", ["bytes.L1-L2.demand_read", "bytes.L1-L2.rfo"], "FILLS", 64, fills)
        + row("victims", ["bytes.L1-L2.write_back"], "VICTIMS", 64, victims, more)
        + row("lines", ["bytes.L2-L3"], "LINES", 64, lines)
        + (row("memory", ["bytes.L3-mem"], "MEMORY", 64, pmu=pmu) if memory else "")
    )


@pytest.fixture
def results(tmp_path):
    subprocess.run([os.environ["COUNTED_EVENTS"], tmp_path / "counted.h5"], check=True)
    return tmp_path / "counted.h5"


def plumbline(folder, table, *words, code=0):
    (folder / "events.toml").write_text(HEAD + table)
    environment = os.environ | {"PLUMBLINE_EVENTS_PATH": str(folder / "events.toml")}
    done = subprocess.run([PLUMBLINE, *map(str, words)], capture_output=True, text=True, env=environment)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stderr if code else done.stdout


def chosen(results, table):
    file = results.parent / "set.toml"
    plumbline(results.parent, table, "score", results, "--choose", file)
    return tomllib.loads(file.read_text())


def groups(results, table):
    return sorted(sorted(group["events"]) for group in chosen(results, table)["group"])


def test_without_a_word_from_the_table_as_many_are_counted_together_as_the_run_did(results):
    assert [len(group) for group in groups(results, rows())] in ([1, 4], [4, 1], [2, 3], [3, 2])


def test_events_for_one_counter_only_are_parted(results):
    for group in groups(results, rows(fills="[0]", victims="[0]", lines="[0]")):
        assert len({"FILLS", "VICTIMS", "LINES"} & set(group)) <= 1, group
    assert len(groups(results, rows(fills="[0]", victims="[0]", lines="[0]"))) == 3


def test_events_that_find_a_counter_each_stay_together(results):
    assert len(groups(results, rows(fills="[0, 1]", victims="[0, 1]", lines="[1, 2]", memory=False))) == 1
    assert len(groups(results, rows(fills="[0, 1]", victims="[0, 1]", lines="[0, 1]", memory=False))) == 2, "three events, two counters"


def test_counters_that_the_table_parts_are_not_counted_together(results):
    assert len(groups(results, rows(memory=False))) == 1
    found = groups(results, rows(more='not_with = ["fills", "flops"]', memory=False))
    assert len(found) == 2
    for group in found:
        assert not ("VICTIMS" in group and ({"FILLS", "FLOPS"} & set(group))), group


def test_another_pmu_is_counted_by_a_pass_of_its_own(results):
    assert groups(results, rows(pmu="uncore_test")) == [["FILLS", "FLOPS", "LINES", "VICTIMS"], ["MEMORY"]]


def test_what_the_table_says_is_listed(results):
    table = rows(fills="[0, 1]", more='not_with = ["fills"]')
    text = plumbline(results.parent, table, "list", "counters", "--family", "test")
    assert "1 counter of the core, only on 0, 1;" in text and "not beside fills" in text
    listed = {row["name"]: row for row in json.loads(plumbline(results.parent, table, "list", "counters", "--family", "test", "--json"))["rows"]}
    assert listed["fills"]["terms"][0]["only_slots"] == [0, 1] and listed["victims"]["not_with"] == ["fills"]


def test_wrong_words_in_the_table_are_refused_in_one_line(results):
    for table in (rows(fills="[]"), rows(fills="[64]"), rows(fills='"0"'), rows(more="not_with = 1")):
        complaint = plumbline(results.parent, table, "score", results, code=2)
        assert len(complaint.splitlines()) == 1 and "events.toml:" in complaint, complaint
    assert "which is no counter of this CPU" in plumbline(results.parent, rows(more='not_with = ["fill"]'), "list", "counters", "--family", "test")


def test_events_that_no_counter_claims_are_named(results):
    text = " ".join(plumbline(results.parent, rows(), "score", results).split())
    assert "events of perf_event that no scored counter uses: FLOPS_OFFSET, STRAY, STRAY_TOO; a row of your own" in text
    score = json.loads(plumbline(results.parent, rows(), "score", results, "--json"))
    assert score["unclaimed_events"] == {"perf_event": ["FLOPS_OFFSET", "STRAY", "STRAY_TOO"]}


def test_an_offset_is_told_written_and_taken_off_measured_counts(results):
    table = rows(flops=OFFSET)
    score = json.loads(plumbline(results.parent, table, "score", results, "--json"))
    counter = next(c for c in score["counters"] if c["counter"] == "flops_offset")
    assert counter["grade"] == "B" and counter["reason"].startswith("steady once 500000 operations a sweep (500000 to 500000) are subtracted")
    assert counter["calibration"]["offset"] == pytest.approx(500000) and counter["calibration"]["factor"] == pytest.approx(0.5)
    written = next(c for c in chosen(results, table)["counter"] if c["name"] == "flops_offset")
    assert written["offset"] == pytest.approx(500000) and written["offset_least"] <= written["offset"] <= written["offset_most"]
    shown = json.loads(plumbline(results.parent, table, "show", results, "--counters", results.parent / "set.toml", "--json"))["rows"]
    assert len(shown) == 8
    for case in shown:
        n = float(case["case"].split("n=")[1].split("/")[0])
        assert case["flops"] == pytest.approx(2 * n, rel=1e-6), "4 n + 500000 were counted"
        level = case["levels"]["L2"]
        assert level["ai"] == pytest.approx(2 / 32, rel=1e-6) and level["ai_lo"] <= level["ai"] <= level["ai_hi"]
