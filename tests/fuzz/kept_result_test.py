"""tests/golden/fuzz.json, what the last whole run of fuzz.sh came to: it was of every reader that there is, and none crashed."""
import json
import pathlib
import re

HERE = pathlib.Path(__file__).parent
KEPT = json.loads((HERE.parent / "golden/fuzz.json").read_text(encoding="utf-8"))


def test_every_reader_was_fuzzed_and_none_crashed():
    readers = set(re.findall(r"^plumbline_reader\((\w+)", (HERE / "CMakeLists.txt").read_text(encoding="utf-8"), re.M))
    assert set(KEPT["readers"]) == readers
    for reader, told in KEPT["readers"].items():
        assert told["crashes"] == 0 and told["executions"] > 1000 and told["seconds"] >= 60, reader


def test_the_script_runs_every_reader():
    (listed,) = re.findall(r"PLUMBLINE_READERS:-([\w ]+)\}", (HERE / "fuzz.sh").read_text(encoding="utf-8"))
    assert set(listed.split()) == set(KEPT["readers"])
