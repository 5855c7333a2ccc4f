"""tests/golden/compilers.json, by which compilers of which Debian the program was built: README.md has its table."""

import json
import pathlib

import build_with
import kept_compilers

HERE = pathlib.Path(__file__).parent
KEPT = json.loads(kept_compilers.KEPT.read_text(encoding="utf-8"))
ROW = {"compiler": "g++-14", "form": "syntax", "ok": True}


def test_every_compiler_takes_every_file_and_what_it_warned_of_was_mended():
    assert any(row["form"] == "program" for row in KEPT["rows"])
    for row in KEPT["rows"]:
        assert row["ok"] and row["emulator"] and row["files"] > 300 and not row["errors"], row
        assert not row["warnings"] or row.get("mended"), row


def test_the_readme_has_the_table():
    assert kept_compilers.table(KEPT) in (HERE / "README.md").read_text(encoding="utf-8")


def test_a_row_takes_the_place_of_the_same_one():
    kept = kept_compilers.kept_with({}, "trixie", {"fmt": "10.1.1"}, ROW | {"ok": False})
    for form in ("syntax", "program"):
        kept = kept_compilers.kept_with(kept, "trixie", {"fmt": "10.1.1"}, ROW | {"form": form})
    assert [(row["form"], row["ok"]) for row in kept["rows"]] == [("program", True), ("syntax", True)]


def test_the_file_is_written_as_it_is_kept(tmp_path):
    kept_compilers.write(tmp_path / "again.json", KEPT)
    assert (tmp_path / "again.json").read_text(encoding="utf-8") == kept_compilers.KEPT.read_text(encoding="utf-8")


def test_a_place_that_is_warned_of_is_one_line():
    text = "/a.cpp:21:10: warning: choosing one [-Wconversion]\n/a.cpp:21:10: warning:   for conversion\n/a.cpp:3:1: error: no\n"
    assert build_with.messages(text, "warning") == ["/a.cpp:21:10: warning: choosing one [-Wconversion]"]
    assert build_with.messages(text, "error") == ["/a.cpp:3:1: error: no"]
