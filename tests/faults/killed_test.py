"""kill -9 at seeded random moments, then --resume: nothing that was finished is lost, and the counts are those of an undisturbed run.

PLUMBLINE_KILL_POINTS says at how many moments (8), PLUMBLINE_KILL_SEED where the random numbers start (2013); PLUMBLINE_KILL_JSON names a
file to which a line of JSON about the kills is appended. killed_in_writes_test.py kills inside the writes.
"""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import time

import pytest

from conftest import CAMPAIGNS, Store, finished_on_disk, journal_records, same_number

POINTS = int(os.environ.get("PLUMBLINE_KILL_POINTS", "8"))
SEED = int(os.environ.get("PLUMBLINE_KILL_SEED", "2013"))
CAMPAIGN = CAMPAIGNS / "killed.toml"
RANKS = 2

# What the machine code alone decides, so that it must be equal to the last bit; the rest of bytes.* depends on the simulated caches.
BY_CODE_ALONE = re.compile(r"flops\.|instructions$|fp_instructions$|loads$|stores$|bytes\.reg-L1\.")
BY_CACHES = re.compile(r"bytes\.(L1-L2|L2-L3|L3-mem)\.")


class Undisturbed:
    def __init__(self, store, seconds, first_seconds):
        self.store = store
        self.seconds = seconds
        self.first_seconds = first_seconds  # until the first unit was finished
        self.counts = counts_of(store)


def counts_of(store):
    counts = {}
    for row in store.counts:
        key = row["case"], row["phase"], row["event"], row["group"], row["rank"], row["thread"], row["repetition"]
        assert key not in counts, f"counted twice: {key}"
        counts[key] = row
    return counts


@pytest.fixture(scope="module")
def undisturbed(plumbline, tmp_path_factory):
    path = tmp_path_factory.mktemp("undisturbed") / "store.h5"
    start = time.monotonic()
    run = plumbline.start("run", CAMPAIGN, "-o", path, ranks=RANKS)
    wait_for_finished(run, path, 1)
    first_seconds = time.monotonic() - start
    ended = run.finish(240)
    seconds = time.monotonic() - start
    if ended.code == 2 and re.search("valgrind|emulat", ended.err):
        pytest.skip(f"no emulated counters here: {ended.err.strip()}")
    assert ended.code == 0, ended.err + ended.out
    store = Store(path)
    assert all(o["status"] == "ok" for o in store.outcomes), [o for o in store.outcomes if o["status"] != "ok"]
    assert {o["pass"] for o in store.outcomes} == {"time", "count"}
    assert any(BY_CODE_ALONE.match(row["event"]) and row["raw"] > 0 for row in store.counts)
    assert {row["phase"] for row in store.times} > {"", "halo@1", "red@2"}, "an application is among the cases, with its phases"
    return Undisturbed(store, seconds, first_seconds)


def check_same_set(store, undisturbed):
    finished = [(o["case"], o["pass"], o["node"]) for o in store.outcomes]
    assert len(finished) == len(set(finished)), "a case is finished twice"
    assert set(finished) == set(undisturbed.store.finished())
    assert {c["id"] for c in store.cases} == {c["id"] for c in undisturbed.store.cases}
    assert all(o["status"] == "ok" for o in store.outcomes)


def check_every_row_has_host_and_session(store):
    sessions = {(o["case"], o["pass"]): (o["node"], o["session"]) for o in store.outcomes}
    assert all(node and session for node, session in sessions.values())
    for pass_, rows in (("time", store.times), ("count", store.counts)):
        assert rows
        for row in rows:  # and no case is put together from two sessions
            assert (row["node"], row["session"]) == sessions[row["case"], pass_], row


def check_counts(store, undisturbed):
    counts = counts_of(store)
    assert counts.keys() == undisturbed.counts.keys()
    equal = 0  # numbers above zero that were compared to the last bit
    for key, row in counts.items():
        event = row["event"]
        single = store.team(row["case"])[1] == 1
        if BY_CODE_ALONE.match(event) or (BY_CACHES.match(event) and single):
            reference = undisturbed.counts[key]
            assert row["status"] == reference["status"] == "ok", key
            assert row["raw"] == reference["raw"] and same_number(row["net"], reference["net"]), (key, row, reference)
            equal += row["raw"] > 0
    assert equal > 100


SURROUNDINGS = 16 * 64  # bytes that the empty region may move and a sweep does not: which lines it meets is chance


def check_shared_levels_lie_in_the_models_interval(store):
    """Teams of several threads: their L3 and memory bytes depend on how threads took turns; the model says how far."""
    checked = 0
    for case in store.cases:
        if case["threads"] == 1:
            continue
        for boundary in ("L2-L3", "L3-mem"):
            interval = next((m for m in store.model if (m["case"], m["phase"], m["quantity"]) == (case["id"], "", f"bytes.{boundary}")), None)
            rows = [c for c in store.counts if c["case"] == case["id"] and c["event"].startswith(f"bytes.{boundary}.") and c["thread"] == -1]
            if interval is None or not rows:
                continue
            for rank in {row["rank"] for row in rows}:
                total = sum(row["net"] for row in rows if row["rank"] == rank)
                assert interval["lo"] - SURROUNDINGS <= total <= interval["hi"], (case["id"], boundary, rank, total, interval)
                checked += 1
    assert checked > 0, "no multi-threaded case with an interval"


def check_resumed(path, before, undisturbed):
    """`before`: what was on disk when the run was killed; it must be there, not measured again."""
    store = Store(path)
    check_same_set(store, undisturbed)
    check_every_row_has_host_and_session(store)
    check_counts(store, undisturbed)
    check_shared_levels_lie_in_the_models_interval(store)
    now = store.finished()
    for key, session in before.items():
        assert now[key]["session"] == session, f"{key} was finished and measured again"


def wait_for_finished(run, path, units):
    """Waits until so many units of work are in the journal, or the run has ended, however fast this machine is at the moment."""
    end = time.monotonic() + 120
    while len(journal_records(path)) < units and run.process.poll() is None:
        assert time.monotonic() < end, f"no {units} units were finished in 120 s"
        time.sleep(0.005)


def interrupt(plumbline, path, units, seconds, kill, *options):
    """Starts the run, and so many seconds after `units` were finished lets `kill` do its work. True when the run was still going."""
    run = plumbline.start("run", CAMPAIGN, "-o", path, *options, ranks=RANKS)
    wait_for_finished(run, path, units)
    try:
        run.process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:  # still running, as wanted
        kill(run)
        run.kill()  # a launcher that outlives its ranks for a moment
        run.process.communicate()
        return True
    return False


def resume(plumbline, path):
    ended = plumbline("run", CAMPAIGN, "-o", path, "--resume", ranks=RANKS)
    assert ended.code == 0, ended.err + ended.out


def test_kill_of_all_ranks_at_random_moments_loses_nothing(plumbline, undisturbed, tmp_path):
    randoms = random.Random(SEED)
    whole = len(undisturbed.store.outcomes)
    interrupted = partly = 0
    started = time.monotonic()
    for point in range(POINTS):
        # One moment in each of POINTS slices of the run: random, yet from its start to its end.
        units, moment = int(whole * (point + randoms.random()) / POINTS), randoms.random() * (undisturbed.seconds / whole)
        if units == 0:
            moment = randoms.random() * undisturbed.first_seconds  # before the first unit, and before there is a rank
        if point + 1 == POINTS:
            units, moment = whole - 1, randoms.random() / 4  # while the result file is written, too
        folder = tmp_path / f"point{point}"
        folder.mkdir()
        path = folder / "store.h5"
        interrupted += interrupt(plumbline, path, units, moment, lambda run: run.kill())
        before = finished_on_disk(path)
        partly += 0 < len(before) < whole
        print(f"point {point}: killed {moment:.3f} s after {units} units, {len(before)} of {whole} finished", flush=True)
        resume(plumbline, path)
        check_resumed(path, before, undisturbed)
        shutil.rmtree(folder)
    assert interrupted >= POINTS // 2, f"only {interrupted} of {POINTS} kills met a running job"
    assert partly >= 1, "no kill met a half-finished campaign"
    if result := os.environ.get("PLUMBLINE_KILL_JSON"):
        summary = {"test": "kill of all ranks at random moments", "kills": interrupted, "half_finished": partly, "lost": 0, "twice": 0,
                   "unreadable": 0, "seed": SEED, "seconds": round(time.monotonic() - started)}
        with open(result, "a") as file:
            file.write(json.dumps(summary) + "\n")


def test_kill_of_one_rank_loses_nothing(plumbline, undisturbed, tmp_path):
    """The launcher ends the others; what was finished stays."""

    def kill_one(run):
        ranks = [pid for pid in run.processes() if os.path.realpath(f"/proc/{pid}/exe") == os.path.realpath(plumbline.program)]
        if ranks:
            os.kill(max(ranks), 9)
        end = time.monotonic() + 30
        while run.process.poll() is None and time.monotonic() < end:
            time.sleep(0.05)
        assert run.process.poll() not in (None, 0), "the job went on without its rank"

    path = tmp_path / "store.h5"
    assert interrupt(plumbline, path, len(undisturbed.store.outcomes) // 2, 0.01, kill_one)
    before = finished_on_disk(path)
    resume(plumbline, path)
    check_resumed(path, before, undisturbed)


def test_kill_of_the_resumed_run_loses_nothing(plumbline, undisturbed, tmp_path):
    """Three launches, each killed on its way, then one that ends: sessions add up."""
    randoms = random.Random(SEED + 1)
    path = tmp_path / "store.h5"
    before, interrupted, whole = {}, 0, len(undisturbed.store.outcomes)
    for launch in range(3):
        interrupted += interrupt(plumbline, path, whole * (launch + 1) // 4, randoms.random() / 10, lambda run: run.kill(), "--resume")
        now = finished_on_disk(path)
        assert before.items() <= now.items()
        before = now
    assert interrupted >= 1
    resume(plumbline, path)
    check_resumed(path, before, undisturbed)


def test_resume_of_a_finished_campaign_measures_nothing(plumbline, undisturbed, tmp_path):
    path = tmp_path / "store.h5"
    assert plumbline("run", CAMPAIGN, "-o", path, ranks=RANKS).code == 0
    before = Store(path)
    resume(plumbline, path)
    after = Store(path)
    assert after.outcomes == before.outcomes
    assert len(after.times) == len(before.times) and len(after.counts) == len(before.counts)


def ranks_alone(plumbline, run, number):
    for pid in run.processes():
        if os.path.realpath(f"/proc/{pid}/exe") == os.path.realpath(plumbline.program):
            os.kill(pid, number)


def whole_group(_, run, number):
    """Signals the whole group, as a terminal and timeout(1) do: the emulated worker too."""
    os.killpg(run.process.pid, number)


def told_to_stop(plumbline, path, number, tell=ranks_alone, **options):
    """The run that got a signal when its first case was finished."""
    run = plumbline.start("run", CAMPAIGN, "-o", path, **options)
    end = time.monotonic() + 60
    while not journal_records(path) and time.monotonic() < end:
        time.sleep(0.02)
    tell(plumbline, run, number)
    ended = run.finish(60)
    assert ended.code == 75, ended.err + ended.out
    return ended


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGUSR1, signal.SIGINT])
def test_a_signal_stops_a_run_without_a_launcher_too(plumbline, tmp_path, number):
    path = tmp_path / "store.h5"
    ended = told_to_stop(plumbline, path, number, tell=whole_group)
    assert "all ranks" not in ended.err and "mpiexec@" not in ended.err, ended.err
    assert finished_on_disk(path) and all(row["status"] != "failed" for row in Store(path).outcomes), "the count at hand is finished"


def test_sigterm_stops_at_a_case_boundary_with_75(plumbline, undisturbed, tmp_path):
    path = tmp_path / "store.h5"
    told_to_stop(plumbline, path, signal.SIGTERM, ranks=RANKS)
    before = finished_on_disk(path)
    assert 0 < len(before) < len(undisturbed.store.outcomes)
    resume(plumbline, path)
    check_resumed(path, before, undisturbed)
