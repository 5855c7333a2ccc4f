# SPDX-License-Identifier: BSD-3-Clause
"""--self-check on real code: what is decoded agrees with VEX on every instruction form of the table and in three libraries."""

import json
import os
import subprocess

import pytest

from instruction_table import read_table
from instructions_test import COMPILER, VALGRIND, VALGRIND_LIB, built, counted, differences

PROGRAMS = os.environ["PLUMBLINE_TEST_PROGRAMS"]


def check_of(path):
    check = json.loads(path.read_text())["self_check"]
    assert check["disagreements"] == []
    assert check["compared"] == check["agreed"]
    return check


# How many translated instructions each compares at least, so that a check of nothing fails.
@pytest.mark.parametrize("name, at_least", [("libm", 2000), ("blas_test", 2000), ("fftw_test", 15000)])
def test_libraries_agree(name, at_least, tmp_path, capsys):
    executable = os.path.join(PROGRAMS, name)
    if not os.path.exists(executable):
        pytest.skip(f"{name} was not built: its library was not found")
    environment = dict(os.environ, VALGRIND_LIB=VALGRIND_LIB, LD_BIND_NOW="1", OPENBLAS_CORETYPE="Haswell", OPENBLAS_NUM_THREADS="1")
    out = tmp_path / "counts.json"
    done = subprocess.run([VALGRIND, "-q", "--tool=plumbline", "--caches=no", "--self-check=yes", f"--out={out}", executable],
                          env=environment, capture_output=True, text=True, timeout=200)
    if done.returncode == 77:
        pytest.skip(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "self-check" not in done.stderr
    check = check_of(out)
    with capsys.disabled():
        print(f"\n  {name}: {check['compared']} instructions compared, {check['agreed']} agreed, {check['no_witness']} without witness", end="")
    assert check["compared"] >= at_least


def test_every_instruction_form_agrees_and_counts_the_same(tmp_path, capsys):
    if not COMPILER:
        pytest.skip("gcc was not found when this tree was configured")
    rows, _ = read_table()
    out = tmp_path / "counts.json"
    results, done = counted(built(tmp_path, "rows", rows), "--self-check=yes", f"--out={out}")
    assert done.returncode == 0, done.stderr
    assert not [d for row, found in zip(rows, results) for d in differences(row, found, True)]
    check = check_of(out)
    with capsys.disabled():
        print(f"\n  table: {check['compared']} instructions compared, {check['no_witness']} without witness", end="")
    assert check["compared"] > 10000


def test_without_the_option_nothing_is_checked(tmp_path):
    out = tmp_path / "counts.json"
    subprocess.run([VALGRIND, "-q", "--tool=plumbline", f"--out={out}", "/bin/true"], env=dict(os.environ, VALGRIND_LIB=VALGRIND_LIB),
                   check=True, timeout=60)
    assert "self_check" not in json.loads(out.read_text())
