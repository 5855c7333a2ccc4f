# SPDX-License-Identifier: BSD-3-Clause
"""MPI ranks and chains of processes: each one's own counts, exact."""

import json
import os

import pytest

from counted import PROGRAMS, flops, run, under_the_tool


def test_four_mpi_ranks_are_each_exact(tmp_path):
    mpiexec, program = os.environ.get("PLUMBLINE_TEST_MPIEXEC"), f"{PROGRAMS}/ranks"
    if not mpiexec or not os.path.exists(program):
        pytest.skip("no MPICH (mpiexec.mpich, mpicc.mpich) was found when this tree was configured")
    run([mpiexec, "-n", "4", *under_the_tool("--caches=no", f"--out={tmp_path}/%p.json", program)])
    shares = [region for path in tmp_path.iterdir() for region in json.loads(path.read_text())["regions"]]
    assert {region["name"] for region in shares} == {"share"}
    shares.sort(key=lambda region: region["counts"]["flops.fp64.div"])
    assert [flops(region["counts"]) for region in shares] == [{"fp64.div": share} for share in (100, 200, 300, 400)]


def test_programs_that_replace_others_are_each_exact(tmp_path):
    run(under_the_tool("--trace-children=yes", "--caches=no", f"--out={tmp_path}/%p.json", f"{PROGRAMS}/chain"))
    divisions = [json.loads(path.read_text())["total"]["flops.fp64.div"] for path in tmp_path.iterdir()]
    assert {2000, 3000} <= set(divisions)
