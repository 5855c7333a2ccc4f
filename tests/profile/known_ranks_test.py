# SPDX-License-Identifier: BSD-3-Clause
"""The twelve functions of known work on the ranks of a launch: plumbline profile -- mpiexec -n N gives each FLOP, shares of the time within their
interval, the imbalance, and the time of messages apart from that of arithmetic. KNOWN_ROUNDS (2): rounds of rank 0; KNOWN_RANKS (2).
"""

import json
import os
import pathlib

import pytest
from launched_program_test import LAUNCHERS, OPTIONS, PLUMBLINE, rows, run

HERE = pathlib.Path(__file__).parent
ROUNDS, RANKS = int(os.environ.get("KNOWN_ROUNDS", "2")), int(os.environ.get("KNOWN_RANKS", "2"))


@pytest.fixture(scope="module", params=LAUNCHERS if "KNOWN_ROUNDS" in os.environ else ["mpich"])
def profiled(request, tmp_path_factory):
    """The document, what the program told of itself by rank and function, and what was printed."""
    compiler, launcher, options = LAUNCHERS[request.param]
    if not compiler:
        pytest.skip(f"SKIP: {request.param} is not installed")
    folder = tmp_path_factory.mktemp(request.param)
    program = folder / "known_ranks"
    done = run(compiler, "-O1", "-g", "-ffp-contract=off", HERE / "known_ranks.c", "-o", program, "-lm")
    assert done.returncode == 0, done.stderr
    done = run(PLUMBLINE, "profile", "-o", folder / "ranks.json", *OPTIONS, "--", launcher, *options, "-n", str(RANKS), program, str(ROUNDS), cwd=folder)
    if done.returncode == 2:
        pytest.skip("SKIP: " + done.stderr.strip())
    assert done.returncode == 0, done.stdout + done.stderr
    told = {}
    for line in done.stdout.splitlines():
        rank, name, flops, seconds = line.split()
        told[int(rank), name] = int(flops), float(seconds)
    assert len(told) == 13 * RANKS, "each rank is heard once"
    return json.loads((folder / "ranks.json").read_text()), told, done.stderr


def names(told):
    return sorted({name for _, name in told} - {"messages"})


def functions(document):
    return {row["name"]: row for row in rows(document, "function")}


def over_ranks(told, name, part=1):
    return [told[rank, name][part] for rank in range(RANKS)]


def test_every_flop_of_every_rank_is_counted(profiled):
    document, told, _ = profiled
    found = functions(document)
    for name in names(told):
        assert found[name]["flops"] == sum(over_ranks(told, name, part=0)), name
    ranks = {row["rank"]: row for row in rows(document, "rank")}
    for rank in range(RANKS):
        own = sum(told[rank, name][0] for name in names(told))
        assert own <= ranks[rank]["flops"] < 1.001 * own, "MPI's libraries count a little on their own"
    (total,) = rows(document, "total")
    assert total["flops"] == sum(row["flops"] for row in ranks.values())


def test_shares_of_the_time_are_within_their_intervals(profiled):
    document, told, _ = profiled
    found = functions(document)
    all_seconds = sum(sum(over_ranks(told, name)) for name in names(told))
    shares = sum(found[name]["share"] for name in names(told))
    for name in names(told):
        row, share = found[name], sum(over_ranks(told, name)) / all_seconds * shares
        assert row["share_lo"] - 0.02 <= share <= row["share_hi"] + 0.02, (name, share, row["share"])
        assert row["gflops"] == pytest.approx(row["flops"] / row["seconds"] * 1e-9), name


def test_the_imbalance_is_that_of_the_ranks_rounds(profiled):
    document, told, _ = profiled
    found = functions(document)
    known = [found[name] for name in names(told)]
    # Rank r has r + 1 times the work of rank 0: the longest over the mean of n ranks is 2 n / (n + 1), where each has a CPU.
    longest = sum(max(over_ranks(told, name)) for name in names(told))
    mean = sum(sum(over_ranks(told, name)) for name in names(told)) / RANKS
    cpu_seconds, seconds = sum(row["cpu_seconds"] for row in known), sum(row["seconds"] for row in known)
    assert cpu_seconds == pytest.approx(RANKS * mean, rel=0.1, abs=0.03)
    if all(row["cores"] == RANKS for row in known):
        assert seconds == pytest.approx(longest, rel=0.1, abs=0.03)
        assert seconds * RANKS / cpu_seconds == pytest.approx(longest / mean, rel=0.1)
    for row in known:
        assert row["imbalance"] == pytest.approx(max(1, row["seconds"] * row["cores"] / row["cpu_seconds"])), row["name"]


def test_the_time_of_messages_is_apart_from_that_of_arithmetic(profiled):
    document, told, printed = profiled
    ranks = {row["rank"]: row for row in rows(document, "rank")}
    for rank in range(RANKS):
        own = sum(told[rank, name][1] for name in names(told))
        messages, cpu = ranks[rank]["mpi_seconds"], ranks[rank]["cpu_seconds"]
        assert cpu >= 0.9 * own - 0.03
        # What MPI_Finalize takes, and what is met in the C library and the kernel for messages, is in one of them alone. Ranks that are more
        # than CPUs yield to each other, so that most of their waiting is the kernel's.
        assert messages < 1.35 * told[rank, "messages"][1] + 0.15, rank
        if RANKS <= len(os.sched_getaffinity(0)):
            assert messages > 0.65 * told[rank, "messages"][1] - 0.15, rank
        assert messages <= cpu - 0.85 * own + 0.03, "none of the twelve functions is in it"
    waiting = [told[rank, "messages"][1] for rank in range(RANKS)]
    # The first rank has the least to do, and waits, where it has a CPU to wait on.
    if RANKS <= len(os.sched_getaffinity(0)) and waiting[0] > 2 * waiting[-1] + 0.1:
        assert ranks[0]["mpi_seconds"] > ranks[RANKS - 1]["mpi_seconds"]
    assert "of it in MPI" in printed
