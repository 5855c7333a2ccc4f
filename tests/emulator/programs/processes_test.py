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


def test_a_chain_of_forks_and_execs_is_counted_whole(tmp_path):
    """Five images: each one's own divisions, none inherited, none lost where a process becomes another program."""
    run(under_the_tool("--trace-children=yes", "--caches=no", f"--out={tmp_path}/%p.json", f"{PROGRAMS}/chain"))
    images = {path.name: json.loads(path.read_text()) for path in tmp_path.iterdir()}
    divisions = {name: image["total"]["flops.fp64.div"] for name, image in images.items()}
    assert sorted(divisions.values()) == [10, 100, 1000, 2000, 3000]
    of_process = {divisions[name]: image["pid"] for name, image in images.items()}
    assert of_process[1000] == of_process[2000] and of_process[10] == of_process[3000]
    assert len(set(of_process.values())) == 3
    assert sorted(divisions[name] for name in images if ".before-exec." in name) == [10, 1000]
