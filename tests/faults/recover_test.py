"""plumbline recover, and what else becomes of a journal: beside which file it lies, who holds it, what of it stays."""

import fcntl
import os
import re
import shutil
import signal
import subprocess
import time

import h5py
import pytest

from conftest import CAMPAIGNS, Run, Store, finished_on_disk, journal_records


def run(plumbline, path, store, *options, **more):
    return plumbline("run", path, "-o", store, *options, ranks=1, seconds=120, **more)


def is_whole(store):
    return len(store.outcomes) == len(store.cases) >= 8 and all(o["status"] == "ok" for o in store.outcomes)


def send(plumbline, started, number):
    for pid in started.processes():
        if os.path.realpath(f"/proc/{pid}/exe") == os.path.realpath(plumbline.program):
            os.kill(pid, number)


@pytest.fixture
def long(campaign):
    """A campaign that is slow enough to be killed on its way."""
    return campaign("small", ("n = [2, 9]", "n = { from = 1, to = 8, step = 1 }"), ("min_seconds = 0.002", "min_seconds = 0.1")).path


@pytest.fixture
def going(plumbline, long):
    """going(STORE, OPTION...): the run, once it has finished two cases more."""

    def start(store, *options):
        known = len(journal_records(store))
        started = plumbline.start("run", long, "-o", store, *options, ranks=1)
        end = time.monotonic() + 60
        while len(journal_records(store)) < known + 2:
            assert time.monotonic() < end and started.process.poll() is None, "too few cases were finished"
            time.sleep(0.02)
        return started

    return start


@pytest.fixture
def killed(going, tmp_path):
    """killed(STORE, OPTION...): what a killed run leaves."""

    def leave(store=tmp_path / "x.h5", *options):
        started = going(store, *options)
        started.kill()
        started.process.communicate()
        return store

    return leave


@pytest.mark.parametrize("slash", ["", "/"])
def test_of_a_killed_run_all_that_was_finished_is_recovered(plumbline, killed, long, slash):
    store = killed()
    before = finished_on_disk(store)
    journal = store.with_suffix(".journal")
    ended = plumbline("recover", f"{journal}{slash}")
    assert ended.code == 0 and str(store) in ended.out, ended
    assert {key: o["session"] for key, o in Store(store).finished().items()} == before
    with h5py.File(store) as file:
        assert set(file["intensity"][:]["case"]) == set(file["outcomes"][:]["case"]), "what is derived is there for what was recovered"
    assert [entry.name for entry in journal.glob("[!.]*")] == [os.uname().nodename], "the journal is as it was"
    assert run(plumbline, long, store, "--resume").code == 0  # and goes on
    assert before.items() <= finished_on_disk(store).items()
    assert is_whole(Store(store)) and not journal.exists()


def test_what_earlier_sessions_left_in_the_file_is_recovered_with_the_journal(plumbline, killed, going, tmp_path):
    store = tmp_path / "x.h5"
    stopped = going(store)
    send(plumbline, stopped, signal.SIGTERM)
    assert stopped.finish(60).code == 75  # at a case boundary, its file written
    first = set(Store(store).finished())
    shutil.rmtree(store.with_suffix(".journal"))  # as a first session that had come to its end
    killed(store, "--resume")
    both = set(finished_on_disk(store))
    assert first < both
    other = tmp_path / "other.h5"
    for output, options in ((other, ("-o", other)), (store, ())):
        ended = plumbline("recover", store.with_suffix(".journal"), *options)
        assert ended.code == 0 and "of earlier sessions and the journal are put together" in ended.err, ended
        assert set(Store(output).finished()) == both
    refused = plumbline("recover", store.with_suffix(".journal"), "-o", other)
    assert refused.code == 2 and "exists" in refused.err and "-o" in refused.err, refused


def test_beside_a_damaged_file_the_journal_is_recovered_into_another(plumbline, killed, refused):
    store = killed()
    journal = store.with_suffix(".journal")
    assert plumbline("recover", journal).code == 0
    os.truncate(store, store.stat().st_size // 2)
    line = refused(plumbline("show", store), 2, "damaged", f"plumbline recover {journal} -o NEW.h5")
    refused(plumbline("recover", journal), 2, "cannot be read", "-o OTHER.h5")
    other = store.with_name("new.h5")
    ended = plumbline("recover", journal, "-o", other)
    assert ended.code == 0 and "is missing" in ended.err, (line, ended)
    assert set(Store(other).finished()) == set(journal_records(store))


def test_a_journal_that_is_being_written_is_left_alone(plumbline, going, long, refused, tmp_path):
    another = ["unshare", "--uts", "sh", "-c", 'hostname another && exec "$@"', "sh"]
    hosts = [[], another] if subprocess.run([*another, "true"], capture_output=True).returncode == 0 else [[]]
    store = tmp_path / "x.h5"
    started = going(store)
    send(plumbline, started, signal.SIGSTOP)  # so that it is still there when the others have ended
    journal = store.with_suffix(".journal")
    try:
        refused(plumbline("recover", journal), 1, "a run is going on", str(journal))
        for option in ("--overwrite", "--resume", None):  # its own journal is another host's, so only the lock on the result keeps them apart
            for words in hosts:
                ended = Run([*words, plumbline.program, "run", long, "-o", store, *([option] if option else [])]).finish(60)
                refused(ended, 1, "being written by another plumbline", "process ")
        assert run(plumbline, long, store, "--overwrite", "--dry-run").code == 0 and journal.is_dir()
        assert not store.exists() and started.process.poll() is None
    finally:
        send(plumbline, started, signal.SIGCONT)
        ended = started.finish(120)
    assert ended.code == 0 and is_whole(Store(store)), ended


def test_a_result_that_a_run_holds_is_left_alone_though_nobody_writes_its_journals(plumbline, killed, refused):
    """A run holds its result so before its first record, and while it puts its journals together."""
    store = killed()
    journal = store.with_suffix(".journal")
    with open(journal / ".held") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        refused(plumbline("recover", journal), 1, "a run is going on", str(journal), "process ")
        assert not store.exists()
    assert plumbline("recover", journal).code == 0 and store.exists()


def test_what_was_killed_before_its_first_record_is_no_unfinished_run(plumbline, campaign, tmp_path):
    store = tmp_path / "x.h5"
    assert run(plumbline, campaign("small").path, store).code == 0
    journal = store.with_suffix(".journal")
    journal.mkdir()
    assert "is not whole" in plumbline("show", store).err, "of a run that makes its journals now"
    (journal / ".held").write_text("process 1 on nowhere")
    shown = plumbline("show", store)
    assert shown.code == 0 and "is not whole" not in shown.err, shown


def test_no_folder_of_journals_is_refused(plumbline, refused, tmp_path):
    (tmp_path / "file.journal").write_text("")
    (tmp_path / "empty.journal").mkdir()
    for name in ("missing.journal", "file.journal", "empty.journal"):
        refused(plumbline("recover", tmp_path / name), 2, name, "beside the result file")


def test_every_command_knows_a_file_of_which_only_the_journal_exists(plumbline, refused, killed):
    store = killed()
    for command in (("compare", store, store), ("check", store, "--baseline", store), ("nodes", store), ("show", store), ("score", store)):
        refused(plumbline(*command), 2, "plumbline recover", str(store.with_suffix(".journal")))


def test_results_whose_names_differ_behind_a_dot_share_no_journal(plumbline, killed, long, tmp_path):
    first, second = tmp_path / "night-2026.11.21", tmp_path / "night-2026.11.22"
    killed(first)
    (kept,) = tmp_path.glob("night*.journal")
    assert run(plumbline, CAMPAIGNS / "small.toml", second, "--overwrite").code == 0
    assert kept.is_dir() and second.exists()
    ended = plumbline("recover", kept)
    assert ended.code == 0 and (tmp_path / "night-2026.11.21.h5").exists(), ended


def test_a_journals_name_is_no_name_of_an_output(plumbline, refused, tmp_path):
    refused(run(plumbline, CAMPAIGNS / "small.toml", tmp_path / "x.journal"), 2, "x.journal", "-o")


def test_a_stray_file_or_folder_among_the_journals_ends_no_run_and_is_not_removed(plumbline, killed, long, tmp_path):
    store = killed()
    (store.with_suffix(".journal") / "mine").mkdir()
    (store.with_suffix(".journal") / "mine" / "more.txt").write_text("and more of it")
    (store.with_suffix(".journal") / "notes.txt").write_text("What I want to remember of this run")
    ended = run(plumbline, long, store, "--resume")
    assert ended.code == 0 and "notes.txt' is no journal" in ended.err, ended
    assert is_whole(Store(store)) and not store.with_suffix(".journal").exists()
    assert (tmp_path / "x.journal.notes.txt").read_text().startswith("What I want")
    assert (tmp_path / "x.journal.mine" / "more.txt").read_text() == "and more of it"


def test_counts_by_other_counters_are_kept_beside_the_new_ones(plumbline, campaign, tmp_path):
    written = campaign("small", ('passes = ["time"]', 'passes = ["time", "count"]')).path
    store = tmp_path / "x.h5"

    def counts(counters, *options):
        ended = run(plumbline, written, store, "--counters", counters, *options)
        if ended.code == 2 and re.search("valgrind|emulat|papi|not compiled", ended.err, re.IGNORECASE):
            pytest.skip(f"no such counters here: {ended.err.strip()}")
        assert ended.code == 0, ended.err
        return [row for row in Store(store).counts if row["status"] == "ok"]

    first = counts("emulated")
    both = counts("papi", "--resume")
    if {row["backend"] for row in both} == {"emulated"}:
        pytest.skip("papi counts nothing here")
    assert [row for row in both if row["backend"] == "emulated"] == first
    assert {row["backend"] for row in both} == {"emulated", "papi"}
    assert counts("emulated", "--resume") == both, "what was counted is counted again"
    assert len(Store(store).outcomes) == 2 * len(Store(store).cases)


def test_a_wrong_result_stays_when_a_later_session_has_it_right(plumbline, tmp_path):
    """Corruption that comes and goes: the kernel is wrong while a file is there."""
    program, bad = os.environ.get("PLUMBLINE_CORRUPTING"), tmp_path / "bad"
    store, path = tmp_path / "x.h5", CAMPAIGNS.parent.parent / "cluster" / "corrupt_node.toml"
    environment = dict(os.environ, FAULTY_SUM_WHILE=str(bad))

    def session(*options):
        started = plumbline.start_program(program, "run", path, "-o", store, *options, ranks=1, environment=environment)
        return started.finish(120)

    bad.write_text("")
    first = session()
    assert first.code == 4 and "wrong result" in first.err, first
    bad.unlink()
    second = session("--resume")
    assert second.code == 4 and "faulty/sum" in second.err, second
    found = Store(store)
    assert [o["status"] for o in found.outcomes] == ["ok"] and found.times, "measured once more, and right"
    (wrong,) = found.provenance["wrong_results"]
    assert wrong["session"] != found.outcomes[0]["session"] and wrong["node"] == os.uname().nodename
    assert "expected at most" in wrong["reason"] and wrong["started_unix_ns"] > 0
    assert session("--resume").code == 4, "it stands as long as the file does"
    nodes = subprocess.run([program, "nodes", store], capture_output=True, text=True)
    assert nodes.returncode == 4 and "tried again since" in " ".join(nodes.stdout.split()), nodes
