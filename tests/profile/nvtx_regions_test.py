# SPDX-License-Identifier: BSD-3-Clause
"""NVTX ranges of a program on CPUs are regions of its profile, timed and counted, without recompiling. From the environment: PLUMBLINE_PROGRAM,
NVTX_INCLUDE (the folder with nvtx3/nvToolsExt.h).
"""

import json
import os
import pathlib
import subprocess

import pytest

HERE = pathlib.Path(__file__).parent


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    made = tmp_path_factory.mktemp("nvtx") / "nvtx"
    subprocess.run(["gcc", "-O1", "-Wall", "-Wextra", "-isystem", os.environ["NVTX_INCLUDE"], HERE / "nvtx.c", "-o", made, "-ldl"], check=True)
    return made


def regions(program, *options, **environment):
    words = [os.environ["PLUMBLINE_PROGRAM"], "profile", *options, "--json", "--", program]
    ended = subprocess.run(words, capture_output=True, text=True, timeout=100, env={**os.environ, **environment})
    assert ended.returncode == 0, ended.stderr
    return {row["name"]: row for row in json.loads(ended.stderr)["rows"] if row["kind"] == "region"}


def test_ranges_of_a_thread_are_counted_to_the_last_operation(program):
    counted = regions(program, "--count-only", "--caches=no")
    assert {name: row["flops"] for name, row in counted.items()} == {"solve": 3_000_000, "inner": 1_000_000}
    assert not regions(program, "--count-only", "--caches=no", NVTX_INJECTION64_PATH="/nowhere.so"), "another tool hears of them"


def test_ranges_of_a_thread_are_timed(program):
    timed = regions(program, "--time-only", "--roofs=no")
    assert set(timed) == {"solve", "inner"} and timed["solve"]["seconds"] > timed["inner"]["seconds"] > 0
    assert timed["solve"]["entries"] == 1
