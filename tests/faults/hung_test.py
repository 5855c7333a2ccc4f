"""A rank that hangs: its case is recorded with host and rank, the job ends with 75, and the resume follows the rule: once more, then no more."""

import json
import os
import signal
import subprocess
import time

import pytest

from conftest import CAMPAIGNS, Store, journal_outcomes, lines_of

RANKS = 2


def ranks_of(run, plumbline):
    """The processes of the ranks, in rank order."""
    found = {}
    for pid in run.processes():
        try:
            if os.path.realpath(f"/proc/{pid}/exe") != os.path.realpath(plumbline.program):
                continue
            variables = open(f"/proc/{pid}/environ", "rb").read().split(b"\0")
        except OSError:
            continue
        rank = next((v.split(b"=")[1] for v in variables if v.startswith(b"PMI_RANK=")), None)
        if rank is not None:
            found[int(rank)] = pid
    return [found[rank] for rank in sorted(found)]


def journal_bytes(path):
    return sum(file.stat().st_size for file in path.with_suffix(".journal").glob("[!.]*"))


def wait_until_measuring(run, path, before=0):
    """Waits until the run has written more than the `before` bytes that an earlier session left: its own first record, then its first case."""
    end = time.monotonic() + 60
    while journal_bytes(path) <= before:
        assert time.monotonic() < end and run.process.poll() is None, "nothing was begun"
        time.sleep(0.02)
    time.sleep(0.3)


def hung_cases(path):
    return [outcome for outcome in journal_outcomes(path) if "deadline" in outcome["placement"]]


def hang(plumbline, campaign, path, rank, how, *options):
    """Starts the run and lets `how` hang one of its ranks; answers how the job ended, and the record of the case that hung."""
    known = len(hung_cases(path))
    for _ in range(3):  # a rank that hangs outside of all cases, before the first or between two, hangs no case
        before = journal_bytes(path)
        run = plumbline.start("run", campaign, "-o", path, *options, ranks=RANKS)
        wait_until_measuring(run, path, before)
        if len(ranks := ranks_of(run, plumbline)) == RANKS:
            how(ranks[rank])
        try:
            run.process.wait(40)
        except subprocess.TimeoutExpired:
            run.kill()
        ended = run.finish(120)
        run.kill()
        records = hung_cases(path)
        if len(records) > known or not (ended.code in (0, -signal.SIGKILL) or gave_up(ended)):
            return ended, records
        if ended.code == 0:  # it had ended before: once more from the start
            path.unlink(missing_ok=True)
        options = ["--resume"]
    pytest.fail(f"no case hung: {ended.err}")


def stop(pid):
    os.kill(pid, signal.SIGSTOP)


def gave_up(ended):
    """Hydra at times tells of its own SIGKILL of the ranks, and once in 23 runs told of 1, in place of the code that the abort gave."""
    return ended.code == 75 or (ended.code in (1, 9) and "BAD TERM" in ended.out)


def check_hang(ended, record, rank, why, times):
    assert gave_up(ended), ended.out + ended.err
    told = [line for line in lines_of(ended.err) if line.startswith("plumbline: case ")]
    told = [line for line in told if "is waited for as long again" not in line]  # while other programs have the node
    assert len(told) == 1, ended.err
    for word in (record["case"], f"rank {rank} on {record['node']}", why, "--resume"):
        assert word in told[0], f"{word!r} is not in: {told[0]}"
    placement = json.loads(record["placement"])
    assert record["status"] == "failed" and why in record["reason"], record
    assert placement["deadline"]["times"] == times
    assert [(r["rank"], r["host"]) for r in placement["ranks"]] == [(rank, record["node"])]


@pytest.mark.parametrize("rank", [0, 1])
def test_a_stopped_rank_is_named_and_its_case_is_measured_by_the_resumed_run(plumbline, tmp_path, rank):
    """Rank 0 leads the node, holds its journal, and writes the result: when it is stopped, another one records."""
    path, campaign = tmp_path / "x.h5", CAMPAIGNS / "hung.toml"
    ended, records = hang(plumbline, campaign, path, rank, stop)
    check_hang(ended, records[-1], rank, "is stopped", 1)
    ended = plumbline("run", campaign, "-o", path, "--resume", ranks=RANKS)
    assert ended.code == 0, ended.err
    store = Store(path)
    assert len(store.outcomes) == len(store.cases) == 2 and all(o["status"] == "ok" for o in store.outcomes), store.outcomes
    assert any("is stopped" in stop["reason"] for stop in store.provenance["stops"]), store.provenance["stops"]
    assert len(store.provenance["sessions"]) >= 2


def test_ranks_that_are_all_stopped_and_go_on_do_not_hang(plumbline, tmp_path):
    """Ranks are stopped as scontrol suspend and gang scheduling do: nothing is late but the clock, at a second stop neither."""
    path, deadline = tmp_path / "x.h5", 6  # hung.toml's floor
    run = plumbline.start("run", CAMPAIGNS / "hung.toml", "-o", path, ranks=RANKS)
    wait_until_measuring(run, path)
    for _ in range(2):
        ranks = ranks_of(run, plumbline)
        assert len(ranks) == RANKS, "the run ended too early to be stopped"
        for pid in ranks:
            os.kill(pid, signal.SIGSTOP)
        time.sleep(deadline + 4)
        for pid in ranks:
            os.kill(pid, signal.SIGCONT)
        time.sleep(0.2)
    ended = run.finish(120)
    assert ended.code == 0, ended.err
    assert "stood still for" in ended.err, ended.err
    store = Store(path)
    assert len(store.outcomes) == 2 and all(o["status"] == "ok" for o in store.outcomes), store.outcomes
    assert not store.provenance.get("stops"), store.provenance["stops"]


def test_a_kernel_that_loops_twice_is_given_up_until_its_deadline_is_raised(plumbline, campaign, tmp_path):
    tool = os.environ.get("PLUMBLINE_LOOP_HERE")
    if not tool:
        pytest.skip("loop_here is not built: it needs Linux on x86-64 or AArch64")

    def loop(pid):
        made = subprocess.run([tool, str(pid), "20"], capture_output=True, text=True)
        if made.returncode != 0:
            pytest.skip("loop_here never found the rank in its own code, or may not trace it")

    path, written = tmp_path / "x.h5", campaign("hung", ("n = [2, 9]", "n = 9"))
    ended, records = hang(plumbline, written.path, path, 1, loop)
    check_hang(ended, records[-1], 1, "still works", 1)
    ended, records = hang(plumbline, written.path, path, 1, loop, "--resume")
    check_hang(ended, records[-1], 1, "still works", 2)
    for _ in range(2):  # the first of these writes the result file
        ended = plumbline("run", written.path, "-o", path, "--resume", ranks=RANKS)
        assert ended.code == 1 and "not tried again after 2 deadlines" in ended.err, ended.err
        (outcome,) = Store(path).outcomes
        assert outcome["status"] == "failed" and "rank 1 on" in outcome["reason"], outcome
    longer = campaign("hung", ("n = [2, 9]", "n = 9"), ("floor_seconds = 6", "floor_seconds = 30"))
    ended = plumbline("run", longer.path, "-o", path, "--resume", ranks=RANKS)
    assert ended.code == 0, ended.err
    assert [o["status"] for o in Store(path).outcomes] == ["ok"]
