"""tests/golden/fuzz.json, what the last run of fuzz.sh that was kept came to: none of its readers crashed."""
import json
import pathlib
import re

HERE = pathlib.Path(__file__).parent
KEPT = json.loads((HERE.parent / "golden/fuzz.json").read_text(encoding="utf-8"))
READERS = set(re.findall(r"^plumbline_reader\((\w+)", (HERE / "CMakeLists.txt").read_text(encoding="utf-8"), re.M))


def test_every_reader_was_fuzzed_for_ten_minutes_and_none_crashed():
    assert set(KEPT["readers"]) == READERS
    for reader, told in KEPT["readers"].items():
        assert told["crashes"] == 0 and told["executions"] > 1000 and told["seconds"] >= 600, reader


def test_the_script_runs_every_reader():
    (listed,) = re.findall(r"PLUMBLINE_READERS:-([\w ]+)\}", (HERE / "fuzz.sh").read_text(encoding="utf-8"))
    assert set(listed.split()) == READERS
