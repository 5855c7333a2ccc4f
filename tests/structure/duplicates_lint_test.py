"""A block of nine lines that stands at two places is told, whatever its indentation, comments and blank lines; eight lines are not."""

import duplicates_lint

LINES = [f"value_{n} = made({n});" for n in range(9)]


def told(root, files, table=""):
    for name, lines in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("\n".join(lines) + "\n")
    stated = root / "stated.toml"
    stated.write_text(table)
    return list(duplicates_lint.complaints(root, stated))


def test_nine_lines_are_told_with_both_places(tmp_path):
    disguised = ["// Another one."] + ["    " + line for line in LINES[:4]] + ["", "  // why", "}"] + LINES[4:]
    assert told(tmp_path, {"harness/a.cpp": ["int own;"] + LINES, "tests/b.cu": disguised}) == [
        "tests/b.cu:2: 9 lines stand at harness/a.cpp:2 too"
    ]


def test_a_block_that_stands_twice_in_a_file_is_told(tmp_path):
    assert told(tmp_path, {"jobs/a.py": LINES + ["between"] + LINES}) == ["jobs/a.py:11: 9 lines stand at jobs/a.py:1 too"]


def test_the_longest_run_is_told_once(tmp_path):
    longer = LINES + ["one more", "and one"]
    assert told(tmp_path, {"ert/a.cpp": longer, "ert/b.cpp": longer}) == ["ert/b.cpp:1: 11 lines stand at ert/a.cpp:1 too"]


def test_eight_lines_are_no_block_and_includes_and_closing_signs_do_not_count(tmp_path):
    uncounted = ["#include <vector>", "}", "});", "namespace plumbline {", "}  // namespace plumbline", "* of a comment"]
    assert told(tmp_path, {"ert/a.cpp": uncounted + LINES[:8] + ["x"], "ert/b.cpp": uncounted + LINES[:8] + ["y"]}) == []


def test_a_stated_pair_may_and_an_entry_without_need_is_told(tmp_path):
    files = {"ert/a.cpp": LINES, "ert/b.cpp": LINES}
    pair = '[[pair]]\nfiles = ["ert/b.cpp", "ert/a.cpp"]\nreason = "the one proves the other"\n'
    assert told(tmp_path, files, pair) == []
    assert told(tmp_path, {"ert/b.cpp": ["nothing"]}, pair) == [
        "duplicates.toml: ert/b.cpp and ert/a.cpp share no block any more: leave the entry out"
    ]
