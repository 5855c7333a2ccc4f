"""The lint itself: comments that open with sentences or names pass, and each kind of fragment is found."""

import pathlib
import subprocess
import sys

import pytest

LINT = pathlib.Path(__file__).with_name("comment_lint.py")


def lint(tmp_path, text, path="harness/store/a.hpp"):
    file = tmp_path / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return subprocess.run([sys.executable, LINT, tmp_path], capture_output=True, text=True)


@pytest.mark.parametrize(
    "comment",
    [
        "/// The bytes that an arena needs, at most.",
        "/// Reads a file. Throws Error (user) where there is none.",
        "/// Whether the case ran on a GPU.",
        "/// Offsets are of a sweep.",  # begins with the letters of "of" alone
        "/// `newer` with the sessions of `older`.",
        "/// /times: one repetition of a case.",
        "/// 4096 elements are one tile.",
        "/// The words of a URL:\n///\n/// of its path, and of its host.",  # a later line may open in any way
        "/// One rank drives one GPU.",
        "/// The same numbers stand under names with units.",
        "int x;  // of a sweep\n",  # a note behind code is no sentence
        "int f() {\n  // For GPUs it is 1.\n  return 1;\n}",
        "//// of a ruler",
    ],
)
def test_a_sentence_or_a_name_passes(tmp_path, comment):
    ended = lint(tmp_path, f"#pragma once\n{comment}\n")
    assert ended.returncode == 0, ended.stdout


@pytest.mark.parametrize(
    "comment, word",
    [
        ("/// Of a working set at most.", "opens with 'Of'"),
        ("/// Those of one domain.", "opens with 'Those'"),
        ("/// By its name.", "opens with 'By'"),
        ("/// nullptr where there is none.", "opens with 'nullptr'"),
        ("/// Collective over the ranks of a node.", "opens with 'Collective'"),
        ("/// What a sweep must do.", "opens with 'What'"),
        ("  /// As stencil7, of the interior rows alone.", "opens with 'As'"),
        ("///\n/// Which ceilings a campaign asks for.", "opens with 'Which'"),
        ('/// "0-3,8"', "opens with an example"),
        ("/// [node]: samples of one case.", "opens with an example"),
        ("/// One that breaks at a sweep.", "opens with 'One that'"),
        ("/// The same for a file.", "opens with 'The same'"),
        ("int f() {\n  // Of the worst thread.\n  return 1;\n}", "opens with 'Of'"),
    ],
)
def test_a_fragment_is_found(tmp_path, comment, word):
    ended = lint(tmp_path, f"#pragma once\n{comment}\nint f();\n")
    assert ended.returncode == 1
    assert word in ended.stdout


@pytest.mark.parametrize(
    "text",
    [
        '"""Draws the roofline."""\n',
        '#!/usr/bin/env python3\n"""A figure of the nights."""\n',
        'def draw(rows):\n    """The rows as points, of which\n\n    None is left out."""\n',
        "# What a figure shows, by its name:\nFIGURES = {}\n",
        "KINDS = 3  # of figures\n",
        'class Figure:\n    """Whether there is one."""\n\n    def text(self):\n        return "what"\n',
    ],
)
def test_a_docstring_may_be_a_sentence_or_a_name(tmp_path, text):
    ended = lint(tmp_path, text, "analysis/a.py")
    assert ended.returncode == 0, ended.stdout


@pytest.mark.parametrize(
    "text, found",
    [
        ('"""What is drawn."""\n', "a.py:1: a comment opens with 'What'"),
        ('#!/usr/bin/env python3\n"""How it is drawn."""\n', "a.py:2: a comment opens with 'How'"),
        ('def rows():\n    """{level: bytes}"""\n', "a.py:2: a comment opens with an example"),
        ('async def rows():\n    """\n    Of all nights.\n    """\n', "a.py:2: a comment opens with 'Of'"),
        ('class Row:\n    def node(self):\n        """Its name."""\n', "a.py:3: a comment opens with 'Its'"),
        ("ROWS = []\n\n# Of the first night.\nFIRST = 1\n", "a.py:3: a comment opens with 'Of'"),
    ],
)
def test_a_fragment_in_python_is_found(tmp_path, text, found):
    ended = lint(tmp_path, text, "jobs/a.py")
    assert ended.returncode == 1 and found in ended.stdout, ended.stdout


def test_a_file_opens_with_a_sentence(tmp_path):
    ended = lint(tmp_path, "// How a result is known.\n", "validation/a.cpp")
    assert ended.returncode == 1
    assert "validation/a.cpp:1: a comment opens with 'How'" in ended.stdout


def test_a_license_is_no_opening(tmp_path):
    ended = lint(tmp_path, "// SPDX-License-Identifier: GPL-2.0-or-later\n//\n// What the tool takes.\n", "harness/emulator/a.c")
    assert ended.returncode == 1
    assert "opens with 'What'" in ended.stdout


def test_every_comment_of_a_file_is_told_with_its_line(tmp_path):
    ended = lint(tmp_path, "/// Its name.\nint a;\n\n/// The age.\nint b;\n/// Of a day.\nint c;\n", "tests/core/a.cpp")
    assert [line.split(": ")[0] for line in ended.stdout.splitlines()] == ["tests/core/a.cpp:1", "tests/core/a.cpp:6"]
