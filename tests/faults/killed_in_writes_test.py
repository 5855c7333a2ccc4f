"""kill -9 at seeded random changes of the output's folder (kill_at_write.cpp): before a system call, behind it, or inside a write, of which
only a part reaches the file. Then --resume, which may be killed the same way, until it ends: nothing durable is lost or measured again.

PLUMBLINE_WRITE_POINTS says at how many changes (13), PLUMBLINE_KILL_SEED where the random numbers start (2013); PLUMBLINE_KILL_JSON names a
file to which a line of JSON about the test is appended.
"""

import json
import os
import random
import shutil
import time

import pytest

from conftest import CAMPAIGNS, Store, finished_on_disk

POINTS = int(os.environ.get("PLUMBLINE_WRITE_POINTS", "13"))
SEED = int(os.environ.get("PLUMBLINE_KILL_SEED", "2013"))
CAMPAIGN = CAMPAIGNS / "writes.toml"
RANKS = 2


class Killer:
    """Runs the campaign under kill_at_write."""

    def __init__(self, plumbline):
        self.plumbline = plumbline
        self.tool = os.environ.get("PLUMBLINE_KILL_AT_WRITE")
        if not self.tool:
            pytest.skip("kill_at_write is not built: it needs Linux on x86-64")

    def __call__(self, folder, number, part, *options, campaign=CAMPAIGN):
        command = [self.plumbline.program, "run", campaign, "-o", folder / "store.h5", *options]
        run = self.plumbline.start_program(self.tool, folder, number, part, "--", *command, ranks=RANKS)
        ended = run.finish(120)
        run.kill()  # of a rank that outlives the killed one for a moment
        return ended


@pytest.fixture(scope="module")
def killer(plumbline):
    return Killer(plumbline)


@pytest.fixture(scope="module")
def undisturbed(killer, tmp_path_factory):
    """The units of a whole run, and how many changes of its folder it makes."""
    folder = tmp_path_factory.mktemp("undisturbed") / "run"
    folder.mkdir()
    ended = killer(folder, 0, "before")
    if "Operation not permitted" in ended.err:
        pytest.skip(f"this container forbids ptrace: {ended.err.strip()}")
    assert ended.code == 0, ended.err
    changes = int((folder.parent / "run.changes").read_text())
    assert changes > 15, changes
    return Store(folder / "store.h5").finished().keys(), changes


def test_a_disk_that_is_told_more_rarely_is_told_once_for_all_units(killer, undisturbed, tmp_path):
    units, changes = undisturbed
    (tmp_path / "rarely.toml").write_text(CAMPAIGN.read_text() + "\n[journal]\nsync_seconds = 3600\n")
    (tmp_path / "run").mkdir()
    ended = killer(tmp_path / "run", 0, "before", campaign=tmp_path / "rarely.toml")
    assert ended.code == 0, ended.err
    assert Store(tmp_path / "run/store.h5").finished().keys() == units
    fewer = changes - int((tmp_path / "run.changes").read_text())
    # Each unit's but the last's, and perhaps one when the host's own time came; how HDF5 cuts its writes hangs on what was measured.
    assert fewer > len(units) / 2


def any_part(randoms):
    return randoms.choice(["before", "after", f"{randoms.uniform(0.01, 0.99):.2f}", f"{randoms.uniform(0.01, 0.99):.2f}"])


def check_each_once(store):
    keys = [(o["case"], o["pass"], o["node"]) for o in store.outcomes]
    assert len(keys) == len(set(keys)), "a case is finished twice"
    rows = [(t["case"], t["node"], t["rank"], t["repetition"]) for t in store.times]
    assert len(rows) == len(set(rows)), "a repetition is there twice"
    sessions = {(o["case"], o["node"]): o["session"] for o in store.outcomes}
    assert all(t["session"] == sessions[t["case"], t["node"]] for t in store.times), "a case is put together from two sessions"
    assert all(o["status"] == "ok" for o in store.outcomes)


def test_kill_inside_and_between_writes_loses_nothing(killer, undisturbed, tmp_path):
    units, changes = undisturbed
    randoms = random.Random(SEED)
    kinds = {"before": 0, "after": 0, "inside": 0}
    kills = partly = torn = 0
    started = time.monotonic()
    while kills < POINTS:
        folder = tmp_path / "run"
        folder.mkdir()
        before, options = {}, []
        for _ in range(randoms.choice([1, 1, 2, 3])):
            if kills == POINTS:
                break
            part = any_part(randoms)
            number = randoms.randint(1, changes)
            ended = killer(folder, number, part, *options)
            options = ["--resume"]
            now = finished_on_disk(folder / "store.h5")  # and with it: the store, where there is one, can be read
            assert before.items() <= now.items(), f"lost by a kill at change {number}, {part}: {before.keys() - now.keys()}"
            before = now
            if ended.code == 0:
                continue  # a resumed run makes fewer changes: it came to its end
            kills += 1
            kinds[(tmp_path / "run.changes").read_text().split()[-1]] += 1
            partly += 0 < len(now) < len(units)
            torn += bool(list(folder.glob("*.partial")))
            print(f"kill {kills}: change {number} of {changes}, {part}: {len(now)} of {len(units)} finished", flush=True)
        ended = killer.plumbline("run", CAMPAIGN, "-o", folder / "store.h5", "--resume", ranks=RANKS)
        assert ended.code == 0, ended.err
        store = Store(folder / "store.h5")
        assert store.finished().keys() == units
        check_each_once(store)
        now = {key: outcome["session"] for key, outcome in store.finished().items()}
        assert before.items() <= now.items(), "a finished case was lost or measured again"
        assert not list(folder.glob("*.journal")), "the journal of a finished run is still there"
        shutil.rmtree(folder)
    assert partly >= 1, "no kill met a half-finished campaign"
    if POINTS >= 10:
        assert kinds["inside"] >= 1 and kinds["before"] + kinds["after"] >= 1, kinds
    summary = {"test": "kill inside and between writes", "kills": kills, **kinds, "half_finished": partly, "partial_file_left": torn,
               "changes_of_a_run": changes, "lost": 0, "twice": 0, "unreadable": 0, "seed": SEED, "seconds": round(time.monotonic() - started)}
    if path := os.environ.get("PLUMBLINE_KILL_JSON"):
        with open(path, "a") as file:
            file.write(json.dumps(summary) + "\n")
