"""Scores lead to a chosen set, a run that counts by it, and the intensities with their intervals. PLUMBLINE names the program."""

import json
import os
import re
import subprocess

import h5py
import pytest
from counting_runs import needs_emulator  # noqa: F401 (a fixture)

PLUMBLINE = os.environ["PLUMBLINE"]
CAMPAIGN = """
schema = "plumbline-campaign/1"
name = "choosing"
passes = ["count", "time"]
counters = "emulated"
[timing]
min_seconds = 0.0001
max_repetitions = 3
[[cases]]
kernel = "validation/triad"
precision = ["fp64", "fp32"]
flavor = ["*-O3-v3"]
params = { n = [3000, 6000, 9000, 100000, 200000] }
[[cases]]
kernel = "validation/dot"
precision = ["fp64", "fp32"]
flavor = ["*-O3-v3"]
params = { n = [3000, 6000, 9000, 12000, 100000] }
"""


def plumbline(*words, code=0):
    done = subprocess.run([PLUMBLINE, *map(str, words)], capture_output=True, text=True, timeout=300)
    assert done.returncode == code, done.stdout + done.stderr
    return done


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("choosing")
    (folder / "campaign.toml").write_text(CAMPAIGN)
    plumbline("run", folder / "campaign.toml", "-o", folder / "scored.h5")
    plumbline("score", folder / "scored.h5", "--choose", folder / "set.toml")
    return folder


def test_the_set_sees_every_quantity_once_with_its_evidence(folder):
    text = (folder / "set.toml").read_text()
    assert "schema = 'plumbline-counters/1'" in text and "scored.h5" in text
    for quantity in ("flops.fp64", "flops.fp32", "bytes.reg-L1", "bytes.L1-L2"):
        assert text.count(f"sees = [ '{quantity}' ]") == 1, text
    assert "evidence = " in text and "grade = 'A'" in text


def test_a_run_by_the_set_counts_its_groups_and_places_by_its_counters(folder):
    plumbline("run", folder / "campaign.toml", "--counters", folder / "set.toml", "-o", folder / "by_set.h5")
    with h5py.File(folder / "by_set.h5") as file:
        events = {row["event"].decode() if isinstance(row["event"], bytes) else row["event"] for row in file["counts"][:]}
    assert "flops.fp64.add" in events and "calls" not in events, "only what the set takes"
    shown = json.loads(plumbline("show", folder / "by_set.h5", "--json").stdout)
    assert any("as chosen on" in note for note in shown["notes"])
    for row in shown["rows"]:
        for level in row["levels"].values():
            assert level["source"] == "emulated" or "no counter of the set sees" in level["reason"]
            assert level["ai"] is None or level["ai_lo"] <= level["ai"] <= level["ai_hi"]
    assert "+-" in plumbline("show", folder / "by_set.h5").stdout


def test_events_counted_alone_and_together_are_told_apart_and_confirm_the_set(folder):
    # Every event has a run of its own: so by one compiler alone, and two sizes of each kernel.
    one = re.sub(r"\{ n = .* \}", "{ n = [9000, 100000] }", CAMPAIGN.replace("*-O3-v3", "gcc-O3-v3"))
    (folder / "one.toml").write_text(one)
    plumbline("run", folder / "one.toml", "--counters", f"check:{folder / 'set.toml'}", "-o", folder / "checked.h5")
    plumbline("score", folder / "checked.h5", "--choose", folder / "confirmed.toml")
    count = (folder / "set.toml").read_text().count("[[group]]")
    assert (folder / "confirmed.toml").read_text().count("[[group]]") == count, "the emulator counts alike alone and beside others"


def test_a_calibrated_counter_widens_the_interval(folder):
    text = (folder / "set.toml").read_text()
    (folder / "wide.toml").write_text(text.replace("ratio_least = 1.0", "ratio_least = 0.8"))
    narrow, wide = (
        {row["case"]: row["levels"]["L2"]
         for row in json.loads(plumbline("show", folder / "scored.h5", "--json", "--counters", folder / name).stdout)["rows"]}
        for name in ("set.toml", "wide.toml")
    )
    beyond_L1 = [case for case, level in narrow.items() if level["ai"]]  # how many of them hangs on the L1 of this machine
    assert beyond_L1
    for case in beyond_L1:
        assert wide[case]["ai"] == narrow[case]["ai"] and wide[case]["ai_hi"] > narrow[case]["ai_hi"]


def test_a_rejected_counter_moves_the_cases_and_the_text_says_where_to(folder):
    shown = json.loads(plumbline("show", folder / "scored.h5", "--json", "--by", "accesses x 16 B").stdout)
    row = next(row for row in shown["rows"] if row["levels"].get("L2", {}).get("ai"))
    displaced = row["displaced"]
    assert (displaced["counter"], displaced["level"], displaced["status"]) == ("accesses x 16 B", "L2", "ok")
    assert displaced["ai"] == pytest.approx(row["flops"] / displaced["bytes"])
    text = plumbline("show", folder / "scored.h5", "--by", "accesses x 16 B").stdout
    assert "by accesses x 16 B: AI L2" in text and "instead of" in text
    (line,) = plumbline("show", folder / "scored.h5", "--by", "nobody", code=2).stderr.strip().splitlines()
    assert "nobody" in line and "plumbline score" in line


def test_the_set_is_never_written_over_what_is_no_set(folder):
    before = (folder / "scored.h5").read_bytes()
    for target in ("scored.h5", "campaign.toml"):
        (line,) = plumbline("score", folder / "scored.h5", "--choose", folder / target, code=2).stderr.strip().splitlines()
        assert target in line and "left as it is" in line
    assert (folder / "scored.h5").read_bytes() == before and (folder / "campaign.toml").read_text() == CAMPAIGN
    plumbline("score", folder / "scored.h5", "--choose", folder / "set.toml")
    assert "--choose takes" in plumbline("score", folder / "scored.h5", "--choose", "", code=2).stderr


def test_a_set_of_one_precision_gives_the_other_no_number(folder):
    text = (folder / "set.toml").read_text()
    counters = text.split("[[counter]]")
    (folder / "fp64.toml").write_text("[[counter]]".join(part for part in counters if "'flops.fp32'" not in part))
    rows = json.loads(plumbline("show", folder / "scored.h5", "--json", "--counters", folder / "fp64.toml").stdout)["rows"]
    for row in rows:
        if row["precision"] == "fp64":
            assert row["status"] == "ok" and row["gflops"] > 0
        else:
            assert row["status"] == "unavailable" and row["gflops"] is None and "sees flops.fp32" in row["reason"]


def test_a_set_of_another_machine_is_taken_with_a_warning(folder):
    text = (folder / "set.toml").read_text()
    machine = next(line for line in text.splitlines() if line.startswith("machine = "))
    (folder / "elsewhere.toml").write_text(text.replace(machine, "machine = 'far: Intel Xeon 4004'"))
    (folder / "small.toml").write_text(re.sub(r"{ n = .* }", "{ n = [3000] }", CAMPAIGN).replace('["fp64", "fp32"]', '["fp64"]'))
    done = plumbline("run", folder / "small.toml", "--counters", folder / "elsewhere.toml", "-o", folder / "elsewhere.h5")
    assert done.stderr.count("the counter set was chosen on far: Intel Xeon 4004") + done.stdout.count("was chosen on far: Intel Xeon 4004") == 1
    assert "chosen elsewhere" in plumbline("show", folder / "elsewhere.h5").stdout.replace("\n", " ").replace("     ", " ")
    assert "chosen elsewhere" not in plumbline("show", folder / "scored.h5", "--counters", folder / "set.toml").stdout
    with h5py.File(folder / "elsewhere.h5") as file:
        events = json.loads(file.attrs["provenance"])["events"]
    assert {"backend": "emulated", "event": "flops.fp64.add", "code": "flops.fp64.add"} in events


def test_what_is_no_set_is_refused_in_one_line(folder):
    (folder / "none.toml").write_text("schema = 'plumbline-counters/2'\n")
    for words in (["run", folder / "campaign.toml", "--counters", folder / "none.toml", "-o", folder / "never.h5"],
                  ["show", folder / "scored.h5", "--counters", folder / "none.toml"]):
        (line,) = plumbline(*words, code=2).stderr.strip().splitlines()
        assert "plumbline-counters/1" in line
    assert not (folder / "never.h5").exists()
