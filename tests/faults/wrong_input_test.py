"""Anything the user wrote that is wrong: one line on stderr that says what and where, exit code 2, nothing lost. Two ranks say it once."""

import os
import shutil
import subprocess

import h5py
import pytest

from conftest import CAMPAIGNS, Store


def run(plumbline, path, store, *options, ranks=2):
    return plumbline("run", path, "-o", store, *options, ranks=ranks, seconds=60)


def check_place(line, written, word, with_column=True):
    number, column = written.position(word)
    assert f"{written.path.name}:{number}:{column if with_column else ''}" in line, f"not at {number}:{column}: {line}"


@pytest.mark.parametrize("right, wrong, at, column", [
    ('"validation/series"', '"validation/serious"', '"validation/serious"', True),
    ("seed = 1\n", "seed = 1\nseeed = 2\n", "seeed", True),
    ("max_repetitions = 3", "max_repetition = 3", "max_repetition", True),
    ("m = 48", "mm = 48", "mm = 48", False),
    ("budget_seconds = 30", 'budget_seconds = "soon"', "budget_seconds", False),
    ("ranks = 1", "ranks = 0", "ranks = 0", False),
], ids=["kernel", "key", "key in a table", "parameter", "type", "zero ranks"])
def test_what_is_wrong_in_a_campaign_is_named_with_its_place(plumbline, campaign, refused, tmp_path, right, wrong, at, column):
    written = campaign("small", (right, wrong))
    line = refused(run(plumbline, written.path, tmp_path / "x.h5"), 2, at.split(" ")[0].strip('"'))
    check_place(line, written, at, column)
    assert not (tmp_path / "x.h5").exists()


def test_of_an_endless_word_the_beginning_is_told(plumbline, campaign, refused, tmp_path):
    written = campaign("small", ('"validation/series"', f'"{"v" * 5_000_000}"'))
    line = refused(run(plumbline, written.path, tmp_path / "x.h5", ranks=1), 2, "unknown kernel", "v" * 70 + "...")
    assert len(line) < 10_000


def test_broken_toml_is_named_with_line(plumbline, campaign, refused, tmp_path):
    written = campaign("small", ("seed = 1", "seed = = 1"))
    line = refused(run(plumbline, written.path, tmp_path / "x.h5"), 2)
    check_place(line, written, "seed", False)


def test_empty_sweep_is_an_error(plumbline, campaign, refused, tmp_path):
    written = campaign("small", ("n = [2, 9]", "n = []"))
    refused(run(plumbline, written.path, tmp_path / "x.h5"), 2, written.path.name)


def test_sweep_that_excludes_everything_is_an_error(plumbline, campaign, refused, tmp_path):
    written = campaign("small", ("params =", 'exclude = ["*"]\nparams ='))
    refused(run(plumbline, written.path, tmp_path / "x.h5"), 2, written.path.name)


def test_a_size_beyond_memory_is_an_error(plumbline, campaign, refused, tmp_path):
    """2^20 x 2^20 doubles are 8 TiB; and the cases that would fit are not begun before it is said."""
    written = campaign("small", ("m = 48", "m = [48, 1048576]"))
    refused(run(plumbline, written.path, tmp_path / "x.h5"), 2, "m=1048576")
    assert not (tmp_path / "x.h5").exists()


def test_missing_campaign_file_is_an_error(plumbline, refused, tmp_path):
    refused(run(plumbline, tmp_path / "nowhere.toml", tmp_path / "x.h5"), 2, "nowhere.toml")


def test_unknown_option_is_an_error(plumbline, tmp_path):
    ended = run(plumbline, CAMPAIGNS / "small.toml", tmp_path / "x.h5", "--rezume")
    assert ended.code == 2
    assert ended.err.count("--rezume") == 1, ended.err


@pytest.fixture
def good_store(plumbline, tmp_path):
    path = tmp_path / "good.h5"
    ended = run(plumbline, CAMPAIGNS / "small.toml", path)
    assert ended.code == 0, ended.err
    return path


JUDGES = ("score", "show", "ceilings")


def refuse_to_read(plumbline, refused, path):
    content = path.read_bytes()
    for command in JUDGES:
        refused(plumbline(command, path, seconds=60), 2, path.name)
    refused(run(plumbline, CAMPAIGNS / "small.toml", path, "--resume"), 2, path.name)
    assert path.read_bytes() == content, "a file that is not ours was changed"


def test_truncated_store_is_refused_and_left_alone(plumbline, refused, good_store):
    shutil.rmtree(good_store.with_suffix(".journal"), ignore_errors=True)
    os.truncate(good_store, good_store.stat().st_size // 2)
    refuse_to_read(plumbline, refused, good_store)


def test_foreign_hdf5_is_refused_and_left_alone(plumbline, refused, tmp_path):
    path = tmp_path / "foreign.h5"
    with h5py.File(path, "w") as file:
        file["temperatures"] = [1.0, 2.0]
    refuse_to_read(plumbline, refused, path)


def test_text_file_is_refused_and_left_alone(plumbline, refused, tmp_path):
    path = tmp_path / "text.h5"
    path.write_text("not HDF5 at all\n" * 100)
    refuse_to_read(plumbline, refused, path)


def test_missing_store_is_refused(plumbline, refused, tmp_path):
    for command in JUDGES:
        refused(plumbline(command, tmp_path / "nowhere.h5", seconds=60), 2, "nowhere.h5")


def test_a_finished_store_is_not_overwritten_by_a_new_run(plumbline, good_store):
    """A second run to the same file without --resume must not silently lose the first one's numbers."""
    before = Store(good_store).outcomes
    ended = run(plumbline, CAMPAIGNS / "small.toml", good_store)
    assert ended.code == 2, (ended.code, ended.err)
    assert good_store.name in ended.err
    assert Store(good_store).outcomes == before


def test_overwriting_takes_results_and_nothing_else(plumbline, refused, tmp_path):
    note = tmp_path / "note.txt"
    note.write_text("not to be lost\n")
    refused(run(plumbline, CAMPAIGNS / "small.toml", note, "--overwrite"), 2, "note.txt", "is no result file")
    assert note.read_text() == "not to be lost\n"


def test_a_folder_that_is_not_there_is_no_name_of_a_file(plumbline, refused, tmp_path):
    refused(run(plumbline, CAMPAIGNS / "small.toml", f"{tmp_path}/new/"), 2, "new/", "is a folder")
    assert not (tmp_path / "new").exists()


def test_a_torn_journal_record_costs_only_itself(plumbline, good_store, tmp_path):
    """Half a record at the journal's end, as a kill in the middle of a write leaves it."""
    journal = good_store.with_suffix(".journal")
    if not journal.is_dir():
        journal.mkdir()
    host = subprocess.run(["hostname"], capture_output=True, text=True, check=True).stdout.strip()
    with open(journal / host, "ab") as file:
        file.write(b"\x40\x01\x00\x00\x99\x99\x99\x99{\"finished\":{")
    before = Store(good_store).finished()
    ended = run(plumbline, CAMPAIGNS / "small.toml", good_store, "--resume")
    if ended.code == 2:  # a journal that holds nothing but a torn tail may be refused, but then in words
        assert "journal" in ended.err and len(ended.err.strip().splitlines()) == 1, ended.err
    else:
        assert ended.code == 0, ended.err
    assert Store(good_store).finished() == before


def test_unknown_counters_are_an_error(plumbline, campaign, refused, tmp_path):
    written = campaign("small", ('counters = "none"', 'counters = "emulated,nonesuch"'))
    refused(run(plumbline, written.path, tmp_path / "x.h5"), 2, "nonesuch", "emulated")


def test_unknown_caches_are_an_error(plumbline, campaign, refused, tmp_path):
    written = campaign("small", ('passes = ["time"]', 'passes = ["count"]'), ("[[cases]]", '[emulated]\ncaches = "amd-nonesuch"\n[[cases]]'))
    line = refused(run(plumbline, written.path, tmp_path / "x.h5"), 2, "amd-nonesuch")
    check_place(line, written, '"amd-nonesuch"')
