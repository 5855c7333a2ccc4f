# SPDX-License-Identifier: BSD-3-Clause
"""plumbline profile -- mpiexec -n N program: the ranks are timed and counted by two launches, and merged."""

import json
import os
import pathlib
import subprocess

import pytest

PLUMBLINE = os.environ["PLUMBLINE_PROGRAM"]
HERE = pathlib.Path(__file__).parent
MARKER = HERE.parents[1] / "harness" / "marker"
LAUNCHERS = {
    "mpich": (os.environ.get("PLUMBLINE_TEST_MPICC"), os.environ.get("PLUMBLINE_TEST_MPIEXEC"), ()),
    "openmpi": (
        os.environ.get("PLUMBLINE_TEST_OPENMPI_MPICC"),
        os.environ.get("PLUMBLINE_TEST_OPENMPI_MPIRUN"),
        ("--oversubscribe", "--allow-run-as-root", "--bind-to", "none"),
    ),
}
BY_MPICH = pytest.mark.parametrize("launch", ["mpich", pytest.param("openmpi", marks=pytest.mark.whole)], indirect=True)
OPTIONS = ("--roofs=no", "--caches=no", "--functions=20")


def run(*words, **options):
    environment = dict(os.environ, **options.pop("environment", {}))
    return subprocess.run([str(word) for word in words], env=environment, capture_output=True, text=True, timeout=300, **options)


@pytest.fixture(scope="session", params=LAUNCHERS)
def launch(request, tmp_path_factory):
    """Gives the words that launch the known program on so many ranks; skips where this MPI, sampling or counting is not to be had."""
    compiler, launcher, options = LAUNCHERS[request.param]
    if not compiler:
        pytest.skip(f"SKIP: {request.param} is not installed")
    can = run(PLUMBLINE, "profile", "--roofs=no", "--caches=no", "--", "true")
    if can.returncode == 2:
        pytest.skip("SKIP: " + can.stderr.strip())
    program = tmp_path_factory.mktemp(request.param) / "uneven_ranks"
    done = run(compiler, "-O1", "-g", "-ffp-contract=off", "-I", MARKER, HERE / "uneven_ranks.c", "-o", program)
    assert done.returncode == 0, done.stderr
    return lambda ranks, *arguments: [launcher, *options, "-n", str(ranks), program, *map(str, arguments)]


def profiled(tmp_path, *words, code=0, options=OPTIONS, **more):
    out = tmp_path / "profile.json"
    done = run(PLUMBLINE, "profile", "-o", out, *options, "--", *words, cwd=tmp_path, **more)
    assert done.returncode == code, done.stdout + done.stderr
    left = [path.name for path in tmp_path.iterdir() if path.name.startswith(".plumbline")]
    assert not left, "the folder where the ranks met is removed"
    return json.loads(out.read_text()), done


def rows(document, kind):
    return [row for row in document["rows"] if row["kind"] == kind]


def test_ranks_are_timed_and_counted_and_told_apart_and_a_result_file_has_their_cases(tmp_path, launch):
    result, words = tmp_path / "ranks.h5", launch(2, 300)
    done = run(PLUMBLINE, "profile", *OPTIONS, "--json", "-o", result, "--", *words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    document, cases = json.loads(done.stderr), [row["case"] for row in json.loads(run(PLUMBLINE, "show", result, "--json").stdout)["rows"]]
    assert any(case.startswith("program/uneven_ranks/") and "/part=whole/" in case for case in cases)
    again = run(PLUMBLINE, "profile", *OPTIONS, "-o", result, "--", *words, cwd=tmp_path)
    assert again.returncode == 2 and "would replace" in again.stderr and again.stdout == "", "nothing runs whose result has no place"
    told = dict(map(int, line.split()) for line in done.stdout.splitlines())
    assert sorted(told) == [0, 1], "the program's own output comes once"
    (work,) = [row for row in rows(document, "function") if row["name"] == "work"]
    assert work["flops"] == sum(told.values())
    ranks = {row["rank"]: row for row in rows(document, "rank")}
    assert sorted(ranks) == [0, 1]
    for rank, flops in told.items():
        # MPI's libraries count a little on their own.
        assert flops <= ranks[rank]["flops"] < flops * 1.01
        assert 0 <= ranks[rank]["mpi_seconds"] <= ranks[rank]["cpu_seconds"] + 0.05
    assert work["share"] > 0.1 and work["seconds"] > 0
    assert work["gflops"] == pytest.approx(work["flops"] / work["seconds"] * 1e-9)
    (part,) = rows(document, "region")
    assert (part["name"], part["entries"], part["ranks"], part["flops"]) == ("part", 2, 2, work["flops"])
    assert part["gflops"] == pytest.approx(part["flops"] / part["seconds"] * 1e-9)
    # One rank has twice the other's work.
    assert work["cores"] in (1, 2) and work["imbalance"] == pytest.approx(work["seconds"] * work["cores"] / work["cpu_seconds"])
    told = run(PLUMBLINE, "show", result).stdout
    assert "2 ranks on 1 node" in told and "of it in MPI" in told


@BY_MPICH
def test_the_exit_code_is_the_launchers(tmp_path, launch):
    _, done = profiled(tmp_path, *launch(1, 30, 7), code=7)
    assert "the program ended with exit 7" in done.stderr


def test_a_folder_that_is_named_again_has_the_last_launch_alone(tmp_path, launch):
    times = ("--roofs=no", "--time-only", f"--counts={tmp_path / 'kept%20'}")
    assert sorted(row["rank"] for row in rows(profiled(tmp_path, *launch(3, 30), options=times)[0], "rank")) == [0, 1, 2]
    ranks = rows(profiled(tmp_path, *launch(2, 30), options=times)[0], "rank")
    assert sorted(row["rank"] for row in ranks) == [0, 1]
    assert {(row["host"], row["exit"], row["processes"], row["threads"]) for row in ranks} == {(os.uname().nodename, 0, None, None)}, "nothing was counted"


@BY_MPICH
def test_a_rank_that_is_killed_is_missing(tmp_path, launch):
    script = tmp_path / "killed.sh"
    script.write_text('#!/bin/sh\nif [ "${PMI_RANK:-$OMPI_COMM_WORLD_RANK}" = 1 ]; then kill -9 $PPID; fi\nsleep 1\n')
    script.chmod(0o755)
    done = run(PLUMBLINE, "profile", "--roofs=no", "--time-only", "--", *launch(2)[:-1], script, cwd=tmp_path)
    assert done.returncode not in (0, 2), done.stderr
    assert "ranks are missing" in done.stderr or "none of its ranks left a time" in done.stderr, done.stderr


@BY_MPICH
def test_what_cannot_be_launched_is_one_line(tmp_path, launch):
    def refused(*words, code):
        done = run(PLUMBLINE, "profile", "--roofs=no", "--caches=no", "--", *words, cwd=tmp_path)
        assert done.returncode == code, done.stdout + done.stderr
        return done.stderr.strip().splitlines()[-1]

    words = launch(2)
    assert "names no program" in refused(*words[:-1], code=2)
    assert "names no program" in refused(*words[:-1], "./no-such-program", code=2)
    nowhere = run(PLUMBLINE, "profile", "--roofs=no", "-o", tmp_path / "none" / "x.h5", "--", *words, cwd=tmp_path)
    assert nowhere.returncode in (1, 2) and nowhere.stdout == "", nowhere.stderr
    assert "no-such-caches" in run(PLUMBLINE, "profile", "--roofs=no", "--caches=no-such-caches", "--", *words, cwd=tmp_path).stderr
    assert "plumbline before the launcher" in run(*words[:-1], PLUMBLINE, "profile", "--", words[-1]).stderr
    not_a_program = tmp_path / "text"
    not_a_program.write_text("neither ELF nor a script\n")
    not_a_program.chmod(0o755)
    assert "neither a program" in " ".join(run(PLUMBLINE, "profile", "--roofs=no", "--", *words[:-1], not_a_program, cwd=tmp_path).stderr.split("\n"))
