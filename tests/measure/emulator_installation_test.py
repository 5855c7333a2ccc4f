# SPDX-License-Identifier: BSD-3-Clause
"""The tool, the valgrind that starts it and the program must belong together: what is said, in one line, when they do not."""

import json
import os
import pathlib
import re
import subprocess

import pytest

PLUMBLINE = os.environ["PLUMBLINE_PROGRAM"]
TOOL = pathlib.Path(os.environ["PLUMBLINE_VALGRIND_LIB"])


def emulated_row(**environment):
    done = subprocess.run([PLUMBLINE, "doctor", "--json"], env=dict(os.environ, **environment), capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    (row,) = [row for row in json.loads(done.stdout)["rows"] if row["what"] == "emulated counters"]
    return row


def launcher(folder, text):
    folder.mkdir()
    (folder / "valgrind").write_text(f"#!/bin/sh\n{text}\n")
    (folder / "valgrind").chmod(0o755)
    return f"{folder}:{os.environ['PATH']}"


def tool_folder(folder, record):
    folder.mkdir()
    (folder / "plumbline-amd64-linux").symlink_to(TOOL / "plumbline-amd64-linux")
    if record is not None:
        (folder / "plumbline-built-with").write_text(record)
    return str(folder)


def test_doctor_names_both_versions():
    row = emulated_row()
    assert row["status"] == "ok", row
    valgrind, tool = re.search(r"valgrind (\S+) \(.*linked with valgrind (\S+), tool interface \d+", row["found"]).groups()
    assert valgrind == tool


def test_record_is_the_version_of_the_libraries_linked():
    # Asked for its version, a tool answers for the core that is linked into it, whatever valgrind started it.
    own = subprocess.run([os.environ["PLUMBLINE_VALGRIND"], "--tool=plumbline", "--version"], env=dict(os.environ, VALGRIND_LIB=str(TOOL)),
                         capture_output=True, text=True, timeout=60).stdout.strip()
    assert f"valgrind {own.removeprefix('valgrind-')}\n" in (TOOL / "plumbline-built-with").read_text()


@pytest.mark.parametrize(
    "text, words",
    [
        ("echo valgrind-3.99.1", "is version 3.99.1, but the emulator in"),
        ("exit 1", "does not tell its version"),
        ("echo something else", "does not tell its version"),
    ],
)
def test_another_valgrind_is_refused_with_the_remedy(tmp_path, text, words):
    record = (TOOL / "plumbline-built-with").read_text()  # a folder without a valgrind of its own, which would come before PATH's
    row = emulated_row(PATH=launcher(tmp_path / "bin", text), PLUMBLINE_EMULATOR_DIR=tool_folder(tmp_path / "tool", record))
    assert row["status"] == "unavailable"
    assert words in row["reason"] and str(tmp_path / "bin" / "valgrind") in row["reason"]
    assert re.search(r"put valgrind [\d.]+ first on PATH", row["reason"])


def test_a_valgrind_beside_the_tool_comes_before_that_on_path_and_is_asked_for_its_version_with_the_tools_folder(tmp_path):
    folder = tool_folder(tmp_path / "tool", (TOOL / "plumbline-built-with").read_text())
    launcher(tmp_path / "own", 'test "$VALGRIND_LIB" = "' + folder + '" && echo valgrind-3.99.2')
    (tmp_path / "own" / "valgrind").rename(tmp_path / "tool" / "valgrind")
    reason = emulated_row(PATH=launcher(tmp_path / "bin", "echo valgrind-3.99.1"), PLUMBLINE_EMULATOR_DIR=folder)["reason"]
    assert f"{folder}/valgrind is version 3.99.2, but the emulator in" in reason and re.search(r"put valgrind [\d.]+ in its place", reason)


@pytest.mark.parametrize(
    "record, words",
    [
        ("valgrind 3.99.1\nabi {abi}\n", "is linked with 3.99.1"),
        ("valgrind {valgrind}\nabi 4711\n", "has interface 4711, this program wants {abi}: build both from one source tree"),
        ("", "plumbline-built-with is missing there"),
        (None, "plumbline-built-with is missing there"),
    ],
)
def test_a_tool_of_another_build_is_refused_with_the_remedy(tmp_path, record, words):
    own = dict(line.split() for line in (TOOL / "plumbline-built-with").read_text().splitlines())
    folder = tool_folder(tmp_path / "tool", record and record.format(**own))
    row = emulated_row(PLUMBLINE_EMULATOR_DIR=folder)
    assert row["status"] == "unavailable"
    assert words.format(**own) in row["reason"] and folder in row["reason"]


def test_no_valgrind_and_no_tool_are_told_apart(tmp_path):
    assert "no valgrind on PATH" in emulated_row(PATH="/nonexistent", PLUMBLINE_EMULATOR_DIR=tool_folder(tmp_path / "tool", None))["reason"]
    assert f"no emulator in {tmp_path}" in emulated_row(PLUMBLINE_EMULATOR_DIR=str(tmp_path))["reason"]


def test_a_campaign_that_names_the_emulator_ends_with_the_same_line(tmp_path):
    campaign = tmp_path / "one.toml"
    campaign.write_text('schema = "plumbline-campaign/1"\nname = "one"\nseed = 1\npasses = ["count"]\ncounters = "emulated"\n'
                        'placement = "every_node"\n[[cases]]\nkernel = "validation/series"\nprecision = ["fp64"]\nflavor = ["gcc-O3-v3"]\n'
                        'team = [{ ranks = 1, threads = 1 }]\nparams = { form = "loop", n = [2], m = [64] }\n[ceilings]\nmode = "none"\n')
    done = subprocess.run([PLUMBLINE, "run", campaign, "-o", tmp_path / "out.h5"], capture_output=True, text=True, timeout=60,
                          env=dict(os.environ, PATH=launcher(tmp_path / "bin", "echo valgrind-3.99.1"),
                                   PLUMBLINE_EMULATOR_DIR=tool_folder(tmp_path / "tool", (TOOL / "plumbline-built-with").read_text())))
    assert done.returncode == 2, done.stderr
    (line,) = done.stderr.strip().splitlines()
    assert "is version 3.99.1" in line


@pytest.mark.parametrize("name", ["a b", "a:b"])
def test_a_folder_that_valgrind_cannot_preload_from_is_refused_and_a_link_to_it_works(tmp_path, name):
    (tmp_path / name).symlink_to(TOOL)
    row = emulated_row(PLUMBLINE_EMULATOR_DIR=str(tmp_path / name))
    assert row["status"] == "unavailable" and "set PLUMBLINE_EMULATOR_DIR to a link" in row["reason"], row
    (tmp_path / "link").symlink_to(tmp_path / name)
    environment = dict(os.environ, PLUMBLINE_EMULATOR_DIR=str(tmp_path / "link"))
    done = subprocess.run([PLUMBLINE, "profile", "--count-only", "--caches=no", "--", "true"], env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and "LD_PRELOAD" not in done.stderr, done.stderr
