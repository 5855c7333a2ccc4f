"""The clock of a node is set forward and back while a run goes on, and between a run and its resume: only dates may change."""

import os
import signal
import time

import h5py
import pytest

from conftest import Store, journal_records

DAY = 86400


@pytest.fixture
def clock():
    """clock(STEPS, OFFSET): the environment of a program whose clock is off, and is set again every 50 ms."""
    library = os.environ.get("PLUMBLINE_STEPPING_CLOCK")
    if not library:
        pytest.skip("no clock to preload on this system")

    def environment(steps=False, offset=0):
        return dict(os.environ, LD_PRELOAD=library, STEPPING_CLOCK_OFFSET=str(offset), **({"STEPPING_CLOCK_STEPS": "1"} if steps else {}))

    return environment


def test_steps_of_the_clock_change_no_time(plumbline, campaign, clock, tmp_path):
    path, start = tmp_path / "x.h5", time.monotonic()
    longer = (("n = [2, 9]", "n = { from = 1, to = 12, step = 1 }"), ("min_seconds = 0.002", "min_seconds = 0.02"))  # than many steps
    ended = plumbline("run", campaign("small", *longer).path, "-o", path, ranks=2, environment=clock(steps=True))
    took = time.monotonic() - start
    assert ended.code == 0, ended.err
    with h5py.File(path) as file:
        started = file["outcomes"]["started_unix_ns"][()] / 1e9
        assert (file["times"]["seconds"][()] > 0).all()
        assert file["times"]["seconds"][()].max() < took
    assert max(abs(started - time.time())) > DAY / 2, "the clock was set"


def test_a_run_resumed_after_the_clock_was_set_back_is_the_later_session(plumbline, campaign, clock, tmp_path):
    path = tmp_path / "x.h5"
    longer = (("n = [2, 9]", "n = { from = 1, to = 29, step = 1 }"), ("min_seconds = 0.002", "min_seconds = 0.05"))
    run = plumbline.start("run", campaign("small", *longer).path, "-o", path, environment=clock(offset=DAY))
    while run.process.poll() is None and len(journal_records(path)) < 4:
        time.sleep(0.05)
    run.process.send_signal(signal.SIGTERM)
    assert run.finish(120).code == 75
    changed = campaign("small", ("n = [2, 9]", "n = [1, 2]"), longer[1], ('name = "small"', 'name = "after"'))
    ended = plumbline("run", changed.path, "-o", path, "--resume")
    assert ended.code == 0, ended.err
    with h5py.File(path) as file:
        assert 'name = "after"' in file.attrs["campaign"]
    starts = [session["started_unix_ns"] for session in Store(path).provenance["sessions"]]
    assert len(starts) == 2 and starts[0] < starts[1]
