"""compare, history, check, baseline accept: on a result file that was really measured, and nights made of it by scaling its times."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree

import pytest

h5py = pytest.importorskip("h5py", reason="SKIP: python3-h5py is not installed")
numpy = pytest.importorskip("numpy")

PLUMBLINE = os.environ["PLUMBLINE"]
DAY = 86_400 * 10**9
NOW = time.time_ns() // DAY * DAY
CAMPAIGN = """
schema = "plumbline-campaign/1"
name = "night"
passes = ["time"]
counters = "none"
[timing]
min_seconds = 0.001
ci_relative = 0.001
max_repetitions = 10
[[cases]]
kernel = "validation/triad"
precision = ["fp64", "fp32"]
flavor = ["gcc-O3-v2"]
team = [{ranks = 1, threads = 1}]
params = {n = [1000, 20000]}
"""


def plumbline(*words, code=0):
    done = subprocess.run([PLUMBLINE, *map(str, words)], capture_output=True, text=True, timeout=120)
    assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
    return done.stdout if code in (0, 3, 4) else done.stderr


def document(*words, code=0):
    return json.loads(plumbline(*words, "--json", code=code), parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))


@pytest.fixture(scope="session")
def real(tmp_path_factory):
    """Really measured; its repetitions are evened out, so that what the tests assert does not hang on this machine's neighbours."""
    folder = tmp_path_factory.mktemp("real")
    (folder / "night.toml").write_text(CAMPAIGN)
    plumbline("run", folder / "night.toml", "-o", folder / "night.h5")
    with h5py.File(folder / "night.h5", "r+") as file:
        times = file["times"][:]
        for case in numpy.unique(times["case"]):
            rows = times["case"] == case
            spread = times["seconds"][rows] / numpy.median(times["seconds"][rows])
            times["seconds"][rows] *= 1 / spread * (1 + 0.002 * numpy.cos(numpy.arange(rows.sum())))
            times["clock_hz"][rows], times["cpu_share"][rows], times["steal_seconds"][rows] = 3e9, 1, 0  # of which none was disturbed
        file["times"][...] = times
    return folder / "night.h5"


MADE = {}  # the bytes of nights that were made, by what they are: a test's folder often has those of another's


def night(real, path, day, factor=1.0, only=b"", jitter=0.004, start=None, clock_hz=None):
    """A copy of the real file, begun `day` days after the first of the history, every time (or that of one case) `factor` times as long."""
    key = (day, factor, only, jitter, start, clock_hz)
    if key in MADE:
        path.write_bytes(MADE[key])
        return path
    shutil.copy(real, path)
    random = numpy.random.default_rng(day * 7 + 1)
    with h5py.File(path, "r+") as file:
        times, outcomes = file["times"][:], file["outcomes"][:]
        for case in numpy.unique(times["case"]):
            rows = times["case"] == case
            times["seconds"][rows] *= (factor if only in case else 1) * (1 + jitter * random.standard_normal())
        if clock_hz:
            times["clock_hz"] = clock_hz
        outcomes["started_unix_ns"] = (NOW - 100 * DAY + day * DAY) if start is None else start
        times["session"] = outcomes["session"] = f"night-{day}".encode()
        file["times"][...], file["outcomes"][...] = times, outcomes
    MADE[key] = path.read_bytes()
    return path


def nights(real, folder, count, **more):
    folder.mkdir(exist_ok=True)
    for day in range(count):
        night(real, folder / f"night{day:03}.h5", day, **more)
    return folder


@pytest.fixture
def month(real, tmp_path):
    return nights(real, tmp_path / "month", 14)


# ------------------------------------------------------------------------------------------------------------------- compare


def test_a_file_is_the_same_as_itself(real):
    found = document("compare", real, real)
    assert found["schema"] == "plumbline-compare/1" and len(found["rows"]) == 4
    assert {row["verdict"] for row in found["rows"]} == {"SAME"} and found["classes"][0]["smallest_detectable_percent"] >= 3
    assert "SAME" in plumbline("compare", real, real)


def test_a_scaled_case_is_slower_and_the_others_are_not(real, tmp_path):
    slow = night(real, tmp_path / "slow.h5", 1, factor=1.2, only=b"n=1000/", jitter=0)
    for row in document("compare", real, slow)["rows"]:
        assert row["verdict"] == ("SLOWER" if "n=1000/" in row["what"] else "SAME")
    assert {row["verdict"] for row in document("compare", slow, real)["rows"]} == {"FASTER", "SAME"}
    assert {row["verdict"] for row in document("compare", real, slow, "--threshold", "30")["rows"]} == {"SAME"}


def test_what_cannot_be_compared_says_why(real, tmp_path):
    other = tmp_path / "other.h5"
    shutil.copy(real, other)
    with h5py.File(other, "r+") as file:
        for table in ("cases", "times", "outcomes"):
            rows = file[table][:]
            key = "id" if table == "cases" else "case"
            rows[key] = [text.replace(b"-O3-v2", b"-O3-v3") for text in rows[key]]
            file[table][...] = rows
        file.attrs["campaign"] = "another"
    found = document("compare", real, other)
    assert all(row["verdict"] is None and row["reason"].startswith("other flavor: ") for row in found["rows"]) and len(found["rows"]) == 8
    assert any(note.startswith("other campaign") for note in found["notes"])
    assert "not comparable:" in plumbline("compare", real, other)


@pytest.mark.parametrize("words", [("compare", "A", "nowhere.h5"), ("compare", "A"), ("compare", "A", "A", "--threshold", "-1"), ("history", "nowhere"),
                                   ("history", "A"), ("check", "A"), ("check", "A", "--baseline", "rolling:x"), ("check", "A", "--baseline", "nowhere.h5"),
                                   ("check", "A", "--baseline", "A"), ("baseline",), ("baseline", "accept", "A"), ("baseline", "accept", "A", "--reason", " "),
                                   ("baseline", "accept", "A", "--reason", "x", "--case", "nothing*")])
def test_what_the_user_wrote_wrong_is_one_line_and_exit_2(real, tmp_path, words):
    file = tmp_path / "a.h5"
    shutil.copy(real, file)
    assert plumbline(*(file if word == "A" else word for word in words), code=2).count("\n") == 1
    assert not (tmp_path / "plumbline-baseline.jsonl").exists()


# ------------------------------------------------------------------------------------------------------------------- history


def test_an_empty_folder_and_one_night(real, tmp_path):
    assert document("history", tmp_path)["rows"] == [] and "no result files yet" in plumbline("history", tmp_path)
    night(real, tmp_path / "one.h5", 0)
    rows = document("history", tmp_path)["rows"]
    assert all(list(row)[:4] == ["what", "node", "class", "unit"] for row in rows), "members keep their order"
    assert len(rows) == 4 and all(row["nights"] == 1 and row["changes"] == [] and row["state"] == "few nights" for row in rows)


def test_a_change_has_its_date_size_and_interval(real, month):
    for day in range(14, 28):
        night(real, month / f"night{day:03}.h5", day, factor=1.2, only=b"fp64/n=1000/")
    rows = document("history", month)["rows"]
    (changed,) = [row for row in rows if row["changes"]]
    (change,) = changed["changes"]
    assert "fp64/n=1000/" in changed["what"] and change["first_file"] == "night014.h5" and change["last_file_before"] == "night013.h5"
    assert change["slowdown_lo"] < 1.2 < change["slowdown_hi"] and change["slowdown"] == pytest.approx(1.2, abs=0.02)
    assert changed["level_nights"] == 14 and not change["accepted"]
    assert "night014.h5" in plumbline("history", month)


def disturbed(path, only=b""):
    with h5py.File(path, "r+") as file:
        times = file["times"][:]
        times["cpu_share"][[only in case for case in times["case"]]] = 0.5
        file["times"][...] = times
    return path


def test_disturbed_nights_are_no_part_of_a_level_and_its_changes(real, month):
    for day in range(14, 22):
        disturbed(night(real, month / f"night{day:03}.h5", day, factor=1.8, only=b"fp64/n=1000/"), only=b"fp64/n=1000/")
    for row in document("history", month)["rows"]:
        is_it = "fp64/n=1000/" in row["what"]
        assert row["changes"] == [] and row["nights"] == 22 and row["disturbed_nights"] == (8 if is_it else 0), row["what"]
        assert row["level_nights"] == (14 if is_it else 22) and row["state"] == ("disturbed last night" if is_it else row["state"])
        assert [point["disturbed"] for point in row["points"]] == [is_it and i >= 14 for i in range(22)]
    text = plumbline("history", month)
    assert "8 nights were disturbed: no part of the level, its limits and its changes" in text and "disturbed last night" in text
    for day in range(22, 36):
        night(real, month / f"night{day:03}.h5", day, factor=1.2, only=b"fp64/n=1000/")
    (row,) = document("history", month, "--case", "*fp64/n=1000/*")["rows"]
    (change,) = row["changes"]
    assert change["first_file"] == "night022.h5" and change["last_file_before"] == "night013.h5" and row["level_nights"] == 14
    assert change["nights_before"] == 14 and change["nights_after"] == 14 and change["slowdown"] == pytest.approx(1.2, abs=0.02)


def test_where_every_night_was_disturbed_they_are_what_there_is(real, tmp_path):
    for path in nights(real, tmp_path / "busy", 6).glob("*.h5"):
        disturbed(path)
    rows = document("history", tmp_path / "busy")["rows"]
    assert all(row["level_nights"] == row["disturbed_nights"] == 6 and row["state"] == "steady" for row in rows)
    assert "6 nights were disturbed: no other is known, so they are what there is" in plumbline("history", tmp_path / "busy")


def test_links_are_nights_under_their_own_names(real, tmp_path):
    folder = tmp_path / "links"
    folder.mkdir()
    (folder / "tonight.h5").symlink_to(real)
    point = document("history", folder)["rows"][0]["points"][0]
    assert point["file"] == "tonight.h5" and document("history", folder)["nights"] == 1


def test_truncated_and_foreign_files_are_named_and_skipped(real, month):
    (month / "cut.h5").write_bytes(real.read_bytes()[:3000])
    (month / "letter.h5").write_text("Dear reader")
    (month / "empty.h5").write_bytes(b"")
    found = document("history", month)
    assert found["nights"] == 14
    for name in ("cut.h5", "letter.h5", "empty.h5"):
        assert sum(name in note for note in found["notes"]) == 1


def test_the_index_is_rebuilt_and_deleting_it_loses_nothing(real, month):
    before = plumbline("history", month, "--json")
    index = month / "plumbline-history.json"
    stamp = index.stat().st_mtime_ns
    assert plumbline("history", month, "--json") == before and index.stat().st_mtime_ns == stamp  # and is not written where nothing is new
    whole = index.read_bytes()
    index.unlink()
    assert plumbline("history", month, "--json") == before and index.read_bytes() == whole
    for broken in (whole[: len(whole) // 2], b"", b"[]", b'{"schema":"another/9"}', b"\xff\xfe"):
        index.write_bytes(broken)
        found = document("history", month)
        assert found["nights"] == 14 and any("built anew" in note for note in found["notes"])
        assert index.read_bytes() == whole


def test_result_files_are_never_written_to(real, month):
    before = {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in month.glob("*.h5")}
    plumbline("history", month)
    plumbline("check", month / "night013.h5", "--baseline", month)
    plumbline("baseline", "accept", month, "--reason", "test")
    assert before == {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in month.glob("*.h5")}


def test_a_file_has_changed_where_its_content_has_and_not_its_time_alone(real, month):
    def changed():
        return [note.split(" ")[0] for note in document("history", month)["notes"] if "was changed since it was indexed" in note]

    assert not changed()
    os.utime(month / "night003.h5", ns=(NOW, NOW))
    assert not changed(), "as in a copy of the folder"
    with h5py.File(month / "night004.h5", "r+") as file:
        times = file["times"][:]
        times["seconds"] *= 1.001
        file["times"][...] = times
    assert changed() == ["night004.h5"] and not changed(), "once"


def test_what_matches_nothing_is_told_by_the_options_that_were_given(month):
    assert plumbline("history", month, "--case", "nosuch", code=2) == f"plumbline: nothing in {month} matches --case 'nosuch'; without it all that there is is told\n"
    assert "matches --case 'nosuch' with --node 'n9'" in plumbline("history", month, "--case", "nosuch", "--node", "n9", code=2)


def test_many_at_once_and_killed_writers_leave_a_whole_index(real, month):
    whole = None
    for delay in (0.0, 0.002, 0.005, 0.01, 0.02, 0.05):
        (month / "plumbline-history.json").unlink(missing_ok=True)
        words = [PLUMBLINE, "history", str(month), "--json"]
        running = [subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) for _ in range(4)]
        time.sleep(delay)
        for process in running[:2]:
            process.send_signal(signal.SIGKILL)
        outputs = [process.communicate(timeout=60)[0] for process in running]
        assert [process.returncode for process in running[2:]] == [0, 0]
        assert outputs[2] == outputs[3]
        whole = whole or outputs[2]
        assert outputs[2] == whole
        json.loads((month / "plumbline-history.json").read_text())


def test_a_folder_that_takes_no_index_is_read_all_the_same(month):
    (month / "plumbline-history.json").mkdir()  # root may write everywhere else
    found = document("history", month)
    assert found["nights"] == 14 and any("index is not kept" in note for note in found["notes"])


def test_copies_count_once(real, month):
    shutil.copy(month / "night003.h5", month / "copy.h5")
    found = document("history", month)
    assert found["nights"] == 14 and any("holds the same measurements" in note for note in found["notes"])


def test_clocks_that_step_back_are_told_and_nothing_breaks(real, tmp_path):
    folder = nights(real, tmp_path / "clocks", 8)
    start = NOW - 95 * DAY
    night(real, folder / "same1.h5", 50, start=start)
    night(real, folder / "same2.h5", 51, start=start)
    night(real, folder / "epoch.h5", 52, start=1)
    future = night(real, folder / "future.h5", 53, start=NOW + 400 * DAY)
    found = document("history", folder)
    assert found["nights"] == 12 and [row["nights"] for row in found["rows"]] == [12] * 4
    assert any("began at the same time" in note for note in found["notes"])
    assert any("in the future" in note and "future.h5" in note for note in found["notes"])
    starts = [point["started_unix_ns"] for point in found["rows"][0]["points"]]
    assert starts == sorted(starts) and min(starts) > NOW - 101 * DAY
    back = night(real, folder / "back.h5", 54, start=NOW - 99 * DAY)
    checked = document("check", back, "--baseline", folder)
    assert checked["nights"] == 2 and any("began after FILE" in note for note in checked["notes"])
    assert document("check", future, "--baseline", "rolling:14d")["nights"] == 0


def test_thousands_of_nights(real, tmp_path):
    """Three thousand nights in the index (their files are empty stand-ins: files that the index knows are not opened)."""
    folder = nights(real, tmp_path / "years", 2)
    plumbline("history", folder)
    index = json.loads((folder / "plumbline-history.json").read_text())
    one = index["files"][0]
    random = numpy.random.default_rng(1)
    for number in range(3000):
        path = folder / f"old{number:05}.h5"
        path.write_bytes(b"")
        facts = path.stat()
        entry = {**one, "file": path.name, "started_unix_ns": NOW - (4000 - number) * DAY, "digest": number}
        entry |= {"size_bytes": 0, "modified_unix_ns": facts.st_mtime_ns}
        factor = 1.1 if number >= 1500 else 1.0
        entry["rows"] = [[row[0], row[1] * factor * (1 + 0.005 * random.standard_normal()), *row[2:]] for row in one["rows"]]
        index["files"].append(entry)
    (folder / "plumbline-history.json").write_text(json.dumps(index))
    began = time.monotonic()
    found = document("history", folder)
    print("3002 nights, seconds:", time.monotonic() - began)
    assert found["nights"] == 3002
    assert all(row["changes"][0]["first_file"] == "old01500.h5" for row in found["rows"])


def test_report_of_a_folder_draws_its_control_charts(real, month):
    pytest.importorskip("matplotlib", reason="SKIP: python3-matplotlib is not installed")
    for day in range(14, 24):
        night(real, month / f"night{day:03}.h5", day, factor=1.2, only=b"fp64/n=1000/")
    drawn = plumbline("report", month, "-o", month / "figures").split()
    assert {pathlib.Path(path).suffix for path in drawn} == {".png", ".svg"} and all(pathlib.Path(path).stat().st_size > 10_000 for path in drawn)
    assert json.loads((month / "figures" / "history.json").read_text())["schema"] == "plumbline-history/1"


# --------------------------------------------------------------------------------------------------------------------- check


def test_a_night_as_the_nights_before_is_no_regression(real, month):
    for baseline in ("rolling:14d", month, month / "night004.h5"):
        found = document("check", month / "night013.h5", "--baseline", baseline)
        assert {row["verdict"] for row in found["rows"]} == {"OK"} and found["false_alarms_a_night"] == 0.05
        assert all(percent >= 3 for percent in found["smallest_detectable_percent"].values())


def test_a_regression_is_exit_3_with_its_evidence(real, month):
    slow = night(real, month / "slow.h5", 14, factor=1.25, only=b"fp64/n=1000/", clock_hz=2.4e9)
    found = document("check", slow, "--baseline", "rolling:14d", code=3)
    (row,) = [row for row in found["rows"] if row["verdict"] == "SLOWER"]
    assert row["nights"] == 14 and 1.03 < row["slowdown_lo"] < 1.25 < row["slowdown_hi"] and row["node"] and row["before_seconds"] < row["after_seconds"]
    assert row["explanation"] == "clock 3.00 -> 2.40 GHz (-20.0 %), which alone explains it"
    text = plumbline("check", slow, "--baseline", month, code=3)
    assert "SLOWER" in text and "14 nights" in text and "clock 3.00 -> 2.40 GHz, which alone explains it" in " ".join(text.split())


def test_one_night_as_a_baseline_makes_a_great_slowdown_suspect_and_three_a_finding(real, tmp_path):
    slow = night(real, tmp_path / "slow.h5", 5, factor=1.5)
    assert {row["verdict"] for row in document("check", slow, "--baseline", real)["rows"]} == {"SUSPECT"}
    assert "until there are 3 the worst is SUSPECT" in " ".join(plumbline("check", slow, "--baseline", real).split())
    for count, code, verdict in ((2, 0, "SUSPECT"), (3, 3, "SLOWER")):
        before = nights(real, tmp_path / f"{count}", count)
        assert {row["verdict"] for row in document("check", slow, "--baseline", before, code=code)["rows"]} == {verdict}


def test_what_was_disturbed_in_every_repetition_is_held_against_nobody(real, month, tmp_path):
    slow = night(real, tmp_path / "slow.h5", 14, factor=1.5)
    with h5py.File(slow, "r+") as file:
        times = file["times"][:]
        times["cpu_share"][[b"fp64/n=1000/" in case for case in times["case"]]] = 0.5
        file["times"][...] = times
    found = document("check", slow, "--baseline", month, code=3)
    assert {row["verdict"] for row in found["rows"] if "fp64/n=1000/" in row["what"]} == {"DISTURBED"}
    assert {row["verdict"] for row in found["rows"] if "fp64/n=1000/" not in row["what"]} == {"SLOWER"}
    text = " ".join(plumbline("check", slow, "--baseline", month, code=3).split())
    assert "1 disturbed" in text and "something else ran beside every sample of 1 rows" in text
    shutil.copy(slow, month / "slow.h5")  # and it is no part of a baseline
    later = night(real, tmp_path / "later.h5", 15)
    assert {row["what"].count("fp64/n=1000/"): row["nights"] for row in document("check", later, "--baseline", month)["rows"]} == {0: 15, 1: 14}


def test_the_first_night_has_nothing_to_be_held_against_and_says_so(real, tmp_path):
    first = night(real, tmp_path / "first.h5", 0)
    found = document("check", first, "--baseline", "rolling:14d")
    assert {row["verdict"] for row in found["rows"]} == {"NO BASELINE"} and any("nothing was checked" in note for note in found["notes"])


def test_a_wrong_result_is_exit_4_even_beside_a_regression(real, month):
    wrong = night(real, month / "wrong.h5", 14, factor=1.5)
    with h5py.File(wrong, "r+") as file:
        outcomes = file["outcomes"][:]
        names = {"status": "failed", "reason": "wrong result: relative error 0.1"}
        wider = numpy.dtype([(name, "S64" if name in names else outcomes.dtype[name]) for name in outcomes.dtype.names])
        table = outcomes.astype(wider)
        for name, text in names.items():
            table[name][0] = text.encode()
        attributes = dict(file["outcomes"].attrs)
        del file["outcomes"]
        file.create_dataset("outcomes", data=table).attrs.update(attributes)
    found = document("check", wrong, "--baseline", month, code=4)
    assert len(found["wrong_results"]) == 1 and "SLOWER" in {row["verdict"] for row in found["rows"]}
    assert "WRONG RESULT" in plumbline("check", wrong, "--baseline", month, code=4)


def without(path, word):
    """Takes the cases with that word in their ids out of a result file."""
    with h5py.File(path, "r+") as file:
        for table in ("times", "outcomes"):
            rows, attributes = file[table][:], dict(file[table].attrs)
            del file[table]
            file.create_dataset(table, data=rows[[word not in case for case in rows["case"]]]).attrs.update(attributes)
    return path


def on_node(path, word, name):
    """Lets another node have measured the cases with that word in their ids."""
    with h5py.File(path, "r+") as file:
        for table in ("times", "outcomes"):
            rows = file[table][:]
            for row in rows:
                if word in row["case"]:
                    row["node"] = name
            file[table][...] = rows
    return path


def on_nodes(path, *names):
    """Lets these nodes have measured all of a file's cases, every one the same."""
    with h5py.File(path, "r+") as file:
        for table in ("times", "outcomes"):
            rows, attributes = file[table][:], dict(file[table].attrs)
            wider = numpy.dtype([(name, "S64" if name == "node" else rows.dtype[name]) for name in rows.dtype.names])
            all_rows = numpy.concatenate([rows.astype(wider)] * len(names))
            all_rows["node"] = numpy.repeat([name.encode() for name in names], len(rows))
            del file[table]
            file.create_dataset(table, data=all_rows).attrs.update(attributes)
    return path


def failed(path, node, reason="the node went away"):
    """Lets all cases of a node have failed."""
    with h5py.File(path, "r+") as file:
        outcomes, times = file["outcomes"][:], file["times"][:]
        wider = numpy.dtype([(name, "S64" if name in ("status", "reason") else outcomes.dtype[name]) for name in outcomes.dtype.names])
        table = outcomes.astype(wider)
        for row in table:
            if row["node"] == node:
                row["status"], row["reason"] = b"failed", reason.encode()
        for name, rows in (("outcomes", table), ("times", times[times["node"] != node])):
            attributes = dict(file[name].attrs)
            del file[name]
            file.create_dataset(name, data=rows).attrs.update(attributes)
    return path


def campaign(path, text):
    with h5py.File(path, "r+") as file:
        file.attrs["campaign"] = text
    return path


def on_cluster(path, name):
    """Lets it have been measured on a cluster of that name; as files of before kept it where the name begins with "old "."""
    with h5py.File(path, "r+") as file:
        provenance = json.loads(file.attrs["provenance"])
        provenance.pop("cluster", None)
        provenance["slurm"] = {}
        if name.startswith("old "):
            provenance["slurm"]["SLURM_CLUSTER_NAME"] = name.removeprefix("old ")
        else:
            provenance["cluster"] = name
        file.attrs["provenance"] = json.dumps(provenance)
    return path


DISTRIBUTED = CAMPAIGN.replace('name = "night"', 'name = "night"\nplacement = "distribute"')


def checked(file, baseline, *words):
    """The document and the exit code, whatever it is."""
    done = subprocess.run([PLUMBLINE, "check", str(file), "--baseline", str(baseline), "--json", *map(str, words)], capture_output=True, text=True, timeout=120)
    assert done.stdout, done.stderr
    return json.loads(done.stdout), done.returncode


def missing(file, baseline, *words):
    found, code = checked(file, baseline, *words)
    assert code == (1 if found["missing"] else 0)
    return [(row["what"].split("/")[2] + row["what"].split("/")[3], row["node"]) for row in found["missing"]]


def test_a_case_that_is_gone_is_missing_and_exit_1(real, month, tmp_path):
    less = without(night(real, month / "less.h5", 14), b"fp32/n=1000/")
    done = subprocess.run([PLUMBLINE, "check", str(less), "--baseline", str(month), "--json"], capture_output=True, text=True, timeout=120)
    (one,) = json.loads(done.stdout)["missing"]
    assert done.returncode == 1 and one["what"].count("fp32/n=1000/") == 1 and one["status"] == "missing" and one["reason"]
    done = subprocess.run([PLUMBLINE, "check", str(less), "--baseline", str(month), "--junit", str(tmp_path / "check.xml")], capture_output=True,
                          text=True, timeout=120)
    assert done.returncode == 1 and "MISSING" in done.stdout and "1 missing" in done.stdout
    root = xml.etree.ElementTree.parse(tmp_path / "check.xml").getroot()
    assert (root.get("tests"), root.get("failures")) == ("4", "1") and "missing" in next(root.iter("failure")).get("message")


def test_a_case_that_its_kernel_no_longer_takes_is_retired_and_not_missing(real, month):
    for path in month.glob("*.h5"):  # the nights before know the triad by a parameter that it has no more
        with h5py.File(path, "r+") as file:
            for table, column in (("cases", "id"), *((table, "case") for table in ("outcomes", "times", "model"))):
                rows = file[table][()]
                rows[column] = [row.replace(b"fp32/n=", b"fp32/m=") for row in rows[column]]
                file[table][...] = rows
    found, code = checked(night(real, month / "last.h5", 14), month)
    assert code == 0 and found["missing"] == []
    (note,) = [note for note in found["notes"] if "retired" in note]
    assert note.startswith("2 cases of the nights before are retired, not missing") and "validation/triad/fp32/m=1000/" in note


def test_what_failed_is_told_though_no_night_before_has_it(real, month, tmp_path):
    first = failed(on_nodes(night(real, month / "first.h5", 14), "new"), b"new", "it broke")
    found, code = checked(first, month, "--junit", tmp_path / "check.xml")
    told = [row for row in found["missing"] if row["node"] == "new"]
    assert code == 1 and len(told) == 4 and {(row["reason"], row["last_measured"]) for row in told} == {("failed: it broke", None)}
    assert "on new: never measured; failed: it broke" in subprocess.run([PLUMBLINE, "check", first, "--baseline", month], capture_output=True, text=True).stdout
    assert {row["left_off"] for row in document("history", month)["rows"] if row["node"] == "new"} == set()


def test_a_document_that_cannot_be_written_hides_no_verdict(real, month, tmp_path):
    slow = night(real, month / "slow.h5", 14, factor=1.25)
    for target in (tmp_path / "nowhere/check.xml", slow):
        before = slow.read_bytes()
        done = subprocess.run([PLUMBLINE, "check", slow, "--baseline", month, "--junit", target], capture_output=True, text=True, timeout=120)
        assert done.returncode == 3 and "SLOWER" in done.stdout and done.stderr.count("\n") == 1 and str(target) in done.stderr
        assert slow.read_bytes() == before


def test_a_name_that_is_no_text_costs_that_file_only(real, month):
    shutil.copy(real, os.fsencode(month) + b"/n\xe9.h5")
    done = subprocess.run([PLUMBLINE, "history", month], capture_output=True, timeout=120)
    assert done.returncode == 0 and b"14 nights" in done.stdout and b"is not UTF-8" in done.stdout
    assert b"is not UTF-8" in subprocess.run([PLUMBLINE, "check", real, "--baseline", month], capture_output=True, timeout=120).stdout
    done = subprocess.run([PLUMBLINE, "show", os.fsencode(month) + b"/n\xe9.h5", "--json"], capture_output=True, timeout=120)
    assert done.returncode == 0 and len(json.loads(done.stdout)["rows"]) == 4


def test_what_is_missing_is_told_again_until_it_is_accepted(real, month):
    for day in (14, 15):
        less = without(night(real, month / f"less{day}.h5", day), b"fp32/n=1000/")
        done = subprocess.run([PLUMBLINE, "check", str(less), "--baseline", str(month), "--json"], capture_output=True, text=True, timeout=120)
        assert done.returncode == 1 and len(json.loads(done.stdout)["missing"]) == 1
    subprocess.run([PLUMBLINE, "baseline", "accept", str(less), "--reason", "fp32 is no longer measured"], check=True, timeout=120)
    assert document("check", less, "--baseline", month)["missing"] == []


def test_a_missing_case_may_be_allowed_and_is_told_all_the_same(real, month, tmp_path):
    less = without(night(real, month / "less.h5", 14), b"fp32/n=1000/")
    found = document("check", less, "--baseline", month, "--allow-missing", "--junit", tmp_path / "check.xml")
    assert len(found["missing"]) == 1 and found["missing_allowed"]
    assert len(list(xml.etree.ElementTree.parse(tmp_path / "check.xml").getroot().iter("skipped"))) == 1


def test_a_regression_counts_for_more_than_a_missing_case(real, month):
    both = without(night(real, month / "both.h5", 14, factor=1.25, only=b"fp64/n=1000/"), b"fp32/n=1000/")
    assert len(document("check", both, "--baseline", month, code=3)["missing"]) == 1


def test_what_another_node_measured_instead_is_missing_only_where_every_node_measures_all(real, tmp_path):
    for day in range(5):
        campaign(night(real, tmp_path / f"{day}.h5", day), DISTRIBUTED)
    moved = on_node(night(real, tmp_path / "moved.h5", 5), b"fp32/n=1000/", b"x")
    assert missing(campaign(moved, DISTRIBUTED), tmp_path) == []
    for day in range(5):
        campaign(tmp_path / f"{day}.h5", CAMPAIGN)
    assert [what for what, node in missing(campaign(moved, CAMPAIGN), tmp_path)] == ["fp32n=1000"]


def test_a_dead_node_is_missing_every_night_until_it_alone_is_accepted(real, tmp_path):
    for day in range(10):
        on_nodes(night(real, tmp_path / f"{day:02}.h5", day), "a", "b")
    for day in range(10, 13):
        last = on_nodes(night(real, tmp_path / f"{day}.h5", day), "b")
        assert [node for what, node in missing(last, "rolling:14d")] == ["a"] * 4
    text = subprocess.run([PLUMBLINE, "check", str(last), "--baseline", "rolling:14d"], capture_output=True, text=True, timeout=120).stdout
    assert text.count("MISSING") == 1 and "MISSING  4 cases and ceilings on a: last measured" in text and "4 missing" in text
    later = on_nodes(night(real, tmp_path / "later.h5", 40), "b")
    assert len(missing(later, "rolling:14d")) == 4  # the last night with it is beyond the reach of the baseline
    later.unlink()
    text = plumbline("baseline", "accept", last, "--node", "a", "--case", "*fp32*", "--reason", "decommissioned")
    assert "2 cases and ceilings" in text and "2 of them were not measured that night and are no longer missed" in text
    found, code = checked(last, "rolling:14d")
    assert code == 1 and {row["what"].split("/")[2] for row in found["missing"]} == {"fp64"} and {row["nights"] for row in found["rows"]} == {12}
    plumbline("baseline", "accept", tmp_path, "--node", "a", "--reason", "decommissioned")
    found, code = checked(last, "rolling:14d")
    assert (code, found["missing"]) == (0, []) and {row["nights"] for row in found["rows"]} == {12}
    back = on_nodes(night(real, tmp_path / "back.h5", 13), "a", "b")
    assert {row["nights"] for row in checked(back, "rolling:14d")[0]["rows"] if row["node"] == "a"} == {0}
    dead_again = on_nodes(night(real, tmp_path / "dead.h5", 14), "b")
    assert len(missing(dead_again, "rolling:14d")) == 4


def test_history_says_what_left_off_until_it_is_accepted_or_back(real, tmp_path):
    for day in range(10):
        on_nodes(night(real, tmp_path / f"{day:02}.h5", day), "a", "b")
    for day in (10, 11):
        last = failed(on_nodes(night(real, tmp_path / f"{day}.h5", day), "a", "b"), b"a")

    def off():
        rows = document("history", tmp_path)["rows"]
        assert all((row["state"] == "left off") == (row["left_off"] is not None) for row in rows)
        return {row["node"]: row["left_off"]["reason"] for row in rows if row["left_off"]}

    assert off() == {"a": "failed: the node went away"}
    text = plumbline("history", tmp_path)
    assert text.count("left off\n") == 4 and text.count("(09.h5); the campaign's last night misses it: failed: the node went away") == 4
    campaign(night(real, tmp_path / "other.h5", 12), CAMPAIGN.replace('"night"', '"other"'))
    assert off() == {"a": "failed: the node went away"}, "another campaign's night misses nothing of this one's"
    plumbline("baseline", "accept", last, "--node", "a", "--reason", "decommissioned")
    assert off() == {}
    plumbline("baseline", "accept", last, "--node", "b", "--reason", "new firmware")
    on_nodes(night(real, tmp_path / "back.h5", 13), "a", "b")
    assert off() == {}


def test_a_node_that_joins_hides_none_that_is_gone_or_failed(real, tmp_path):
    for day in range(5):
        on_nodes(night(real, tmp_path / f"{day}.h5", day), "a", "b")
    assert [node for what, node in missing(on_nodes(night(real, tmp_path / "5.h5", 5), "b", "c"), tmp_path)] == ["a"] * 4
    sick = failed(on_nodes(night(real, tmp_path / "6.h5", 6), "a", "b", "c"), b"a")
    found, code = checked(sick, tmp_path)
    assert code == 1 and {(row["node"], row["reason"]) for row in found["missing"]} == {("a", "failed: the node went away")}


def test_spread_cases_are_missed_while_fewer_nodes_measure_them_than_ever_did(real, tmp_path):
    for day in range(3):
        campaign(on_nodes(night(real, tmp_path / f"{day}.h5", day), "a", "b"), DISTRIBUTED)
    for day in (3, 4):
        fewer = campaign(on_nodes(night(real, tmp_path / f"{day}.h5", day), "c"), DISTRIBUTED)
        assert [node for what, node in missing(fewer, tmp_path)] == ["a", "b"] * 4
    assert missing(campaign(on_nodes(night(real, tmp_path / "5.h5", 5), "c", "d"), DISTRIBUTED), tmp_path) == []
    lost = campaign(failed(on_nodes(night(real, tmp_path / "6.h5", 6), "c", "e"), b"e"), DISTRIBUTED)
    assert {(row["node"], row["reason"]) for row in checked(lost, tmp_path)[0]["missing"]} == {("d", "on e failed: the node went away")}


def test_a_night_of_another_name_that_shares_cases_is_not_missed(real, tmp_path):
    campaign(on_nodes(night(real, tmp_path / "once.h5", 0), "a", "b", "c"), CAMPAIGN.replace('"night"', '"once"'))
    for day in range(1, 4):
        on_nodes(night(real, tmp_path / f"{day}.h5", day), "a")
    assert missing(on_nodes(night(real, tmp_path / "4.h5", 4), "a"), tmp_path) == []


def test_a_campaign_without_a_name_is_the_same_one_every_night(real, tmp_path):
    """The name of a night's own file is not it."""
    nameless = CAMPAIGN.replace('name = "night"\n', "")
    assert "name" not in nameless
    for day in range(1, 4):
        campaign(night(real, tmp_path / f"{day}.h5", day), nameless)
    less = campaign(without(night(real, tmp_path / "4.h5", 4), b"fp32/n=1000/"), nameless)
    assert len(missing(less, tmp_path)) == 1


def test_nights_of_another_campaign_are_not_missed(real, tmp_path):
    for day in range(4):
        without(night(real, tmp_path / f"fp64-{day}.h5", 2 * day), b"fp32")
        without(night(real, tmp_path / f"fp32-{day}.h5", 2 * day + 1), b"fp64")
    checked = without(night(real, tmp_path / "checked.h5", 8), b"fp32")
    assert document("check", checked, "--baseline", "rolling:14d")["missing"] == []


# ------------------------------------------------------------------------------------------------------------------ baseline


def test_an_accepted_level_is_the_baseline_from_its_night_on(real, month):
    for day in range(14, 20):
        night(real, month / f"night{day:03}.h5", day, factor=1.25, only=b"fp64/n=1000/")
    last = month / "night019.h5"
    assert plumbline("check", last, "--baseline", "rolling:30d", code=3)
    plumbline("baseline", "accept", month / "night014.h5", "--reason", "new | firmware", "--case", "*fp64/n=1000/*")
    found = document("check", last, "--baseline", "rolling:30d")
    rows = {row["what"]: row for row in found["rows"]}
    accepted = next(row for what, row in rows.items() if "fp64/n=1000/" in what)
    assert accepted["verdict"] == "OK" and accepted["nights"] == 5 and "new | firmware" in accepted["accepted"]
    assert {row["nights"] for row in rows.values()} == {5, 19}
    (line,) = (month / "plumbline-baseline.jsonl").read_text().splitlines()
    kept = json.loads(line)
    assert kept["who"] and kept["host"] and kept["reason"] == "new | firmware" and kept["from_file"] == "night014.h5" and kept["accepted_unix_ns"] > NOW
    row = next(row for row in document("history", month)["rows"] if "fp64/n=1000/" in row["what"])
    assert row["changes"][0]["accepted"] and row["accepted"]["reason"] == "new | firmware" and row["level_nights"] == 6
    worse = night(real, month / "worse.h5", 20, factor=1.6, only=b"fp64/n=1000/")
    assert plumbline("check", worse, "--baseline", "rolling:30d", code=3)


def test_a_level_counts_from_its_night_on_and_never_for_a_named_file(real, month):
    night(real, month / "night014.h5", 14, factor=1.25)
    plumbline("baseline", "accept", month / "night011.h5", "--reason", "new firmware")
    found, code = checked(month / "night010.h5", "rolling:14d")
    assert code == 0 and {(row["verdict"], row["nights"], row["accepted"]) for row in found["rows"]} == {("OK", 10, "")}
    assert any("accepted from a later night" in note for note in found["notes"])
    for words in ((), ("--history", month)):
        found, code = checked(month / "night014.h5", month / "night010.h5", *words)
        assert code == 0 and {(row["verdict"], row["nights"], row["accepted"]) for row in found["rows"]} == {("SUSPECT", 1, "")}
    found, code = checked(month / "night014.h5", "rolling:14d")
    assert code == 3 and {(row["verdict"], row["nights"]) for row in found["rows"]} == {("SLOWER", 3)}


def test_a_level_of_a_night_whose_clock_ran_ahead_is_refused_and_blinds_no_check(real, month):
    night(real, month / "ahead.h5", 20, start=NOW + 400 * DAY)
    for what in (month, month / "ahead.h5"):
        told = plumbline("baseline", "accept", what, "--reason", "x", code=2)
        assert told.count("\n") == 1 and "ahead.h5 began in the future" in told
    assert not (month / "plumbline-baseline.jsonl").exists()
    plumbline("baseline", "accept", month / "night002.h5", "--reason", "x")
    line = json.loads((month / "plumbline-baseline.jsonl").read_text())
    with (month / "plumbline-baseline.jsonl").open("a") as levels:  # by a program before this one
        levels.write(json.dumps({**line, "from_unix_ns": NOW + 400 * DAY}) + "\n")
    slow = night(real, month / "slow.h5", 14, factor=1.25)
    found, code = checked(slow, "rolling:14d")
    assert code == 3 and {row["nights"] for row in found["rows"]} == {12}


def test_a_check_that_held_nothing_against_anything_says_so(real, month, tmp_path):
    last = month / "night013.h5"
    plumbline("baseline", "accept", last, "--reason", "x")
    found = document("check", last, "--baseline", "rolling:14d", "--markdown", tmp_path / "check.md")
    assert {row["verdict"] for row in found["rows"]} == {"NO BASELINE"}
    assert any(note.startswith("none of the 4 rows was held against anything") for note in found["notes"])
    text = (tmp_path / "check.md").read_text()
    assert "Nothing became slower or faster" not in text and "Nothing was held against an earlier night" in text
    other = without(night(real, tmp_path / "fp64.h5", 1), b"fp32")
    assert "nothing in common" in plumbline("check", without(night(real, tmp_path / "fp32.h5", 2), b"fp64"), "--baseline", other, code=2)
    none = without(night(real, month / "none.h5", 14), b"triad")
    found, code = checked(none, "rolling:14d")
    assert code == 1 and any("measured nothing" in note for note in found["notes"])


def test_levels_are_appended_and_a_torn_line_costs_itself_only(real, month):
    plumbline("baseline", "accept", month, "--reason", "one")
    file = month / "plumbline-baseline.jsonl"
    with file.open("a") as torn:
        torn.write('{"schema":"plumbline-base')
    plumbline("baseline", "accept", month, "--reason", "two")
    lines = file.read_text().splitlines()
    assert len(lines) == 3 and [json.loads(lines[i])["reason"] for i in (0, 2)] == ["one", "two"]
    assert any(":2 is no accepted level" in note for note in document("history", month)["notes"])
    writers = [subprocess.Popen([PLUMBLINE, "baseline", "accept", str(month), "--reason", f"r{i}"], stdout=subprocess.DEVNULL) for i in range(6)]
    assert [writer.wait(timeout=60) for writer in writers] == [0] * 6
    assert len(file.read_text().splitlines()) == 9


# ------------------------------------------------------------------------------------------------------------------- outputs


def test_junit_keeps_its_schema(real, month, tmp_path):
    slow = night(real, month / "slow.h5", 14, factor=1.25, only=b"fp64/n=1000/")
    plumbline("check", slow, "--baseline", month, "--junit", tmp_path / "check.xml", "--markdown", tmp_path / "check.md", code=3)
    root = xml.etree.ElementTree.parse(tmp_path / "check.xml").getroot()
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("4", "1", "0")
    (failure,) = root.iter("failure")
    assert "14 nights" in failure.get("message")
    text = (tmp_path / "check.md").read_text()
    assert text.count("| SLOWER |") == 1 and "14 nights" in text
    smallest = document("check", slow, "--baseline", month, code=3)["smallest_detectable_percent"]
    assert smallest and all(f"{name} {percent:.1f} %" in text for name, percent in smallest.items())
    properties = {one.get("name"): one.get("value") for one in root.iter("property")}
    assert {name: f"{percent:.1f}" for name, percent in smallest.items()} == {
        name.removeprefix("smallest_detectable_percent."): value for name, value in properties.items() if name.startswith("smallest_")}
    assert properties["false_alarms_a_night"] == "0.05" and properties["nights"] == "14"
    if not shutil.which("xmllint"):
        pytest.skip("SKIP: xmllint (libxml2-utils) is not installed: the JUnit file was not held against its schema")
    schema = pathlib.Path(__file__).with_name("junit.xsd")
    done = subprocess.run(["xmllint", "--noout", "--schema", schema, tmp_path / "check.xml"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def gauges(file):
    """The values of a file of metrics by (name, labels), of which each name is described before it comes."""
    lines, found, described = file.read_text().splitlines(), {}, {}
    assert lines[-1] == "# EOF"
    for line in lines[:-1]:
        if line.startswith("# "):
            _, word, name, text = line.split(" ", 3)
            described.setdefault(name, {})[word] = text
            continue
        name, labels, value = re.fullmatch(r'(\w+)(?:\{(.*)\})? (\S+)', line).groups()
        assert described[name].keys() == {"HELP", "TYPE"} and described[name]["TYPE"] == "gauge", name
        found[name, labels or ""] = float(value)
    return found


def test_findings_become_gauges(real, month, tmp_path):
    slow = night(real, month / "slow.h5", 14, factor=1.25, only=b"fp64/n=1000/")
    plumbline("check", slow, "--baseline", month, "--openmetrics", tmp_path / "night.prom", code=3)
    found = gauges(tmp_path / "night.prom")
    (row,) = [row for row in document("check", slow, "--baseline", month, code=3)["rows"] if row["verdict"] == "SLOWER"]
    node = row["node"]
    assert found["plumbline_check_rows", f'node="{node}",finding="SLOWER"'] == 1
    assert sum(value for (name, _), value in found.items() if name == "plumbline_check_rows") == 4
    assert found["plumbline_check_wrong_results", f'node="{node}"'] == found["plumbline_check_missing_rows", f'node="{node}"'] == 0
    (slowdown,) = [(labels, value) for (name, labels), value in found.items() if name == "plumbline_check_slowdown_ratio"]
    assert f'what="{row["what"]}"' in slowdown[0] and 1.2 < slowdown[1] < 1.3
    assert found["plumbline_check_nights", ""] == 14
    plumbline("nodes", slow, "--openmetrics", tmp_path / "nodes.prom")
    assert gauges(tmp_path / "nodes.prom")["plumbline_nodes_wrong_results", f'node="{node}"'] == 0
    assert sum(value for (name, _), value in gauges(tmp_path / "nodes.prom").items() if name == "plumbline_nodes_finding") == 1
    require_rules_of_prometheus(tmp_path / "night.prom", tmp_path / "nodes.prom")


def require_rules_of_prometheus(*files):
    if not shutil.which("promtool"):
        pytest.skip("SKIP: promtool (Debian's prometheus) is not installed: the gauges were not held against its rules")
    for file in files:
        done = subprocess.run(["promtool", "check", "metrics"], input=file.read_text(), capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


def test_a_history_becomes_gauges(real, month, tmp_path):
    for day in range(14, 24):
        on_cluster(night(real, month / f"night{day:03}.h5", day, factor=1.2, only=b"fp64/n=1000/"), "alps")
    for day in range(14):
        on_cluster(month / f"night{day:03}.h5", "alps")
    text = plumbline("history", month, "--openmetrics", tmp_path / "history.prom")
    assert text == plumbline("history", month), "what is printed stays"
    found, rows = gauges(tmp_path / "history.prom"), document("history", month)["rows"]
    assert found["plumbline_history_nights", 'cluster="alps"'] == 24
    assert found["plumbline_history_last_night_timestamp_seconds", 'cluster="alps"'] == pytest.approx(max(row["points"][-1]["started_unix_ns"] for row in rows) / 1e9)
    for row in rows:
        labels = f'cluster="alps",node="{row["node"]}",what="{row["what"]}",class="{row["class"]}"'
        assert found["plumbline_history_level_seconds", labels] == pytest.approx(row["level_seconds"])
        begins = row["points"][-row["level_nights"]]["started_unix_ns"] / 1e9
        assert found["plumbline_history_level_begin_timestamp_seconds", labels] == pytest.approx(begins)
        assert found["plumbline_history_last_slowdown_ratio", labels] == pytest.approx(row["last_seconds"] / row["level_seconds"])
    assert sum(value for (name, _), value in found.items() if name == "plumbline_history_series") == 4
    assert not list(tmp_path.glob(".history.prom*")), "nothing of the draft is left"
    require_rules_of_prometheus(tmp_path / "history.prom")


def test_a_history_that_cannot_be_told_is_exit_1_and_one_of_nothing_has_gauges_too(month, tmp_path):
    done = subprocess.run([PLUMBLINE, "history", month, "--openmetrics", tmp_path / "nowhere/x.prom"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 1 and "14 nights" in done.stdout and done.stderr.count("\n") == 1
    plumbline("history", tmp_path / "month", "--case", "*n=1000/*", "--openmetrics", tmp_path / "some.prom")
    assert sum(value for (name, _), value in gauges(tmp_path / "some.prom").items() if name == "plumbline_history_series") == 2
    (tmp_path / "empty").mkdir()
    plumbline("history", tmp_path / "empty", "--openmetrics", tmp_path / "none.prom")
    assert gauges(tmp_path / "none.prom") == {}


# ------------------------------------------------------------------------------------------------- several clusters in one folder


@pytest.fixture
def two_clusters(real, tmp_path):
    """The nodes of both have the same names; on the second one everything takes twice as long."""
    folder = tmp_path / "both"
    folder.mkdir()
    for day in range(10):
        on_cluster(night(real, folder / f"alps{day}.h5", 2 * day), "old alps" if day < 5 else "alps")
        on_cluster(night(real, folder / f"rhine{day}.h5", 2 * day + 1, factor=2), "rhine")
    return folder


def test_each_cluster_has_series_of_its_own(real, two_clusters):
    rows = document("history", two_clusters)["rows"]
    assert len(rows) == 8 and all(row["nights"] == 10 and row["changes"] == [] for row in rows)
    levels = {(row["cluster"], row["what"]): row["level_seconds"] for row in rows}
    for what in {row["what"] for row in rows}:
        assert levels["rhine", what] / levels["alps", what] == pytest.approx(2, rel=0.05)
    text = plumbline("history", two_clusters)
    node = rows[0]["node"]
    assert f"on {node} of alps" in text and f"on {node} of rhine" in text
    assert {row["cluster"] for row in document("history", two_clusters, "--cluster", "rh*")["rows"]} == {"rhine"}
    assert plumbline("history", two_clusters, "--cluster", "elbe", code=2).count("\n") == 1
    whole = (two_clusters / "plumbline-history.json").read_bytes()
    (two_clusters / "plumbline-history.json").unlink()
    assert document("history", two_clusters)["rows"] == rows and (two_clusters / "plumbline-history.json").read_bytes() == whole


def test_a_report_of_two_clusters_draws_both(two_clusters):
    pytest.importorskip("matplotlib", reason="SKIP: python3-matplotlib is not installed")
    drawn = [pathlib.Path(path).stem for path in plumbline("report", two_clusters, "-o", two_clusters / "figures").split()]
    assert {name.rpartition("_of_")[2] for name in drawn} == {"alps", "rhine"} and len(drawn) == 4


def test_a_night_is_held_against_its_own_clusters_nights_alone(real, two_clusters):
    fine = on_cluster(night(real, two_clusters / "fine.h5", 20, factor=2), "rhine")
    found = document("check", fine, "--baseline", "rolling:30d")
    assert found["cluster"] == "rhine" and found["nights"] == 10 and {row["verdict"] for row in found["rows"]} == {"OK"}
    assert any("10 nights are of other clusters than 'rhine'" in note for note in found["notes"])
    slow = on_cluster(night(real, two_clusters / "slow.h5", 21, factor=2), "alps")
    found = document("check", slow, "--baseline", "rolling:30d", code=3)
    assert found["nights"] == 10 and {row["verdict"] for row in found["rows"]} == {"SLOWER"}
    third = on_cluster(night(real, two_clusters / "third.h5", 22), "elbe")
    found = document("check", third, "--baseline", "rolling:30d")
    assert (found["nights"], found["missing"]) == (0, []) and {row["verdict"] for row in found["rows"]} == {"NO BASELINE"}
    unnamed = night(real, two_clusters / "unnamed.h5", 23)
    found = document("check", unnamed, "--baseline", two_clusters)
    assert (found["cluster"], found["nights"], found["missing"]) == (None, 0, [])
    assert any("than FILE's, which names none" in note for note in found["notes"])


def test_a_named_file_of_another_cluster_is_refused(real, two_clusters):
    told = plumbline("check", two_clusters / "alps9.h5", "--baseline", two_clusters / "rhine9.h5", code=2)
    assert told.count("\n") == 1 and "'alps'" in told and "'rhine'" in told and "plumbline compare" in told
    unnamed = night(real, two_clusters / "unnamed.h5", 23)
    assert document("check", unnamed, "--baseline", two_clusters / "alps9.h5")["nights"] == 1, "it may be the same one"


def test_what_a_cluster_misses_the_other_one_does_not(real, two_clusters):
    less = on_cluster(without(night(real, two_clusters / "less.h5", 20), b"fp32/n=1000/"), "alps")
    assert len(missing(less, "rolling:30d")) == 1
    off = [(row["cluster"], row["what"].count("fp32/n=1000/")) for row in document("history", two_clusters)["rows"] if row["left_off"]]
    assert off == [("alps", 1)]


def test_a_level_accepted_on_a_cluster_is_no_other_ones(real, two_clusters):
    plumbline("baseline", "accept", two_clusters / "rhine8.h5", "--reason", "new memory")
    assert json.loads((two_clusters / "plumbline-baseline.jsonl").read_text())["cluster"] == "rhine"
    nights = {name: document("check", two_clusters / f"{name}9.h5", "--baseline", "rolling:30d")["nights"] for name in ("alps", "rhine")}
    accepted = {name: {row["accepted"] != "" for row in document("check", two_clusters / f"{name}9.h5", "--baseline", "rolling:30d")["rows"]}
                for name in ("alps", "rhine")}
    assert nights == {"alps": 9, "rhine": 9} and accepted == {"alps": {False}, "rhine": {True}}
    line = json.loads((two_clusters / "plumbline-baseline.jsonl").read_text())
    del line["cluster"]  # by a program that knew of one cluster only
    (two_clusters / "plumbline-baseline.jsonl").write_text(json.dumps({**line, "from_unix_ns": line["from_unix_ns"] - DAY}) + "\n")
    assert {row["nights"] for row in document("check", two_clusters / "alps9.h5", "--baseline", "rolling:30d")["rows"]} == {1}


def test_gauges_name_the_cluster(two_clusters, tmp_path):
    plumbline("check", two_clusters / "rhine9.h5", "--baseline", "rolling:30d", "--openmetrics", tmp_path / "check.prom")
    plumbline("nodes", two_clusters / "rhine9.h5", "--openmetrics", tmp_path / "nodes.prom")
    plumbline("history", two_clusters, "--openmetrics", tmp_path / "history.prom")
    for name, clusters in (("check", {"rhine"}), ("nodes", {"rhine"}), ("history", {"alps", "rhine"})):
        labels = [labels for _, labels in gauges(tmp_path / f"{name}.prom")]
        assert {re.match(r'cluster="(\w+)"', one).group(1) for one in labels} == clusters
    require_rules_of_prometheus(*(tmp_path / f"{name}.prom" for name in ("check", "nodes", "history")))


@pytest.mark.parametrize("variables, name", [({"PLUMBLINE_CLUSTER": "here", "SLURM_CLUSTER_NAME": "there"}, "here"), ({"SLURM_CLUSTER_NAME": "there"}, "there"),
                                             ({"PLUMBLINE_CLUSTER": ""}, None)])
def test_a_run_keeps_the_name_of_its_cluster(tmp_path, variables, name):
    (tmp_path / "night.toml").write_text(CAMPAIGN.replace("[1000, 20000]", "1000").replace('"fp64", "fp32"', '"fp64"'))
    environment = {key: value for key, value in os.environ.items() if key not in ("PLUMBLINE_CLUSTER", "SLURM_CLUSTER_NAME")}
    subprocess.run([PLUMBLINE, "run", tmp_path / "night.toml", "-o", tmp_path / "night.h5"], env={**environment, **variables}, check=True,
                   capture_output=True, timeout=120)
    with h5py.File(tmp_path / "night.h5") as file:
        provenance = json.loads(file.attrs["provenance"])
    assert provenance["cluster"] == name and ("cluster" in provenance["absent"]) == (name is None)
    assert document("check", tmp_path / "night.h5", "--baseline", tmp_path)["cluster"] == name


# --------------------------------------------------------------------------------------------------------------------- prune


def prune(folder, *words, code=0):
    """The names of what went, by what it says and by what is no longer there."""
    before = {path.name for path in folder.rglob("*.h5")}
    said = plumbline("history", "prune", folder, *words, code=code)
    verb = "would remove" if "--dry-run" in words else "removed"
    named = set(re.findall(rf"^{verb} (\S+) \(", said, re.M))
    gone = before - {path.name for path in folder.rglob("*.h5")}
    assert gone == (set() if "--dry-run" in words else named), said
    return named


def test_old_nights_go_and_young_ones_stay(real, month):
    old = {f"night{day:03}.h5" for day in range(9)}
    assert prune(month, "--keep-days", "4", "--dry-run") == old
    assert prune(month, "--keep-days", "4") == old
    assert prune(month, "--keep-days", "4") == set()
    assert document("history", month)["nights"] == 5 and document("check", month / "night013.h5", "--baseline", "rolling:14d")["nights"] == 4


def test_the_first_night_of_a_month_stays(real, tmp_path):
    for day in range(0, 100, 5):
        night(real, tmp_path / f"night{day:03}.h5", day)
    first = {}
    for day in range(0, 100, 5):
        first.setdefault(time.strftime("%Y-%m", time.gmtime((NOW - 100 * DAY + day * DAY) / 1e9)), f"night{day:03}.h5")
    prune(tmp_path, "--keep-days", "10", "--keep-monthly")
    kept = {path.name for path in tmp_path.glob("*.h5")}
    assert kept == {"night085.h5", "night090.h5", "night095.h5"} | set(first.values()) and len(first) >= 3


def test_what_was_accepted_and_what_is_missing_stays(real, tmp_path):
    for day in range(10):
        on_nodes(night(real, tmp_path / f"{day:02}.h5", day), "a", "b")
    for day in range(10, 20):
        last = on_nodes(night(real, tmp_path / f"{day}.h5", day), "b")
    plumbline("baseline", "accept", tmp_path / "03.h5", "--reason", "new firmware", "--node", "b")
    gone = prune(tmp_path, "--keep-days", "2")
    assert gone == {f"{day:02}.h5" for day in range(17)} - {"03.h5", "09.h5"}
    assert [node for what, node in missing(last, "rolling:14d")] == ["a"] * 4, "the night that still had node a is there"
    said = plumbline("history", "prune", tmp_path, "--keep-days", "2", "--dry-run")
    assert "keeps 03.h5" in said and "its level was accepted by" in said and "new firmware" in said and "the last that measured" in said
    plumbline("baseline", "accept", last, "--node", "a", "--reason", "decommissioned")
    assert prune(tmp_path, "--keep-days", "2") == {"09.h5"}
    assert missing(last, "rolling:14d") == []


def test_what_was_accepted_in_a_folder_below_stays_and_a_line_that_cannot_be_read_stops_it(real, tmp_path):
    (tmp_path / "sub").mkdir()
    for day in range(3):
        night(real, tmp_path / f"sub/{day}.h5", day)
    plumbline("baseline", "accept", tmp_path / "sub/0.h5", "--reason", "new firmware")
    with open(tmp_path / "sub/plumbline-baseline.jsonl", "a") as levels:
        levels.write('{"schema":\n')
    said = plumbline("history", "prune", tmp_path, "--keep-days", "1", code=2)
    assert "plumbline-baseline.jsonl:2" in said and "nothing is removed" in said
    assert sorted(path.name for path in (tmp_path / "sub").glob("*.h5")) == ["0.h5", "1.h5", "2.h5"]
    lines = (tmp_path / "sub/plumbline-baseline.jsonl").read_text().splitlines()
    (tmp_path / "sub/plumbline-baseline.jsonl").write_text(lines[0] + "\n")
    plumbline("history", "prune", tmp_path, "--keep-days", "1")
    assert sorted(path.name for path in (tmp_path / "sub").glob("*.h5")) == ["0.h5", "1.h5", "2.h5"]
    night(real, tmp_path / "sub/9.h5", 9)
    plumbline("history", "prune", tmp_path, "--keep-days", "1")
    assert sorted(path.name for path in (tmp_path / "sub").glob("*.h5")) == ["0.h5", "9.h5"]


def test_each_campaign_and_cluster_ages_by_itself(real, tmp_path):
    for day in range(4):
        on_cluster(night(real, tmp_path / f"alps{day}.h5", day), "alps")
        on_cluster(night(real, tmp_path / f"rhine{day}.h5", 40 + day), "rhine")
        campaign(on_cluster(night(real, tmp_path / f"other{day}.h5", 20 + day), "rhine"), CAMPAIGN.replace('"night"', '"other"'))
    assert prune(tmp_path, "--keep-days", "1") == {f"{name}{day}.h5" for name in ("alps", "rhine", "other") for day in range(2)}


def test_a_night_of_the_future_makes_no_other_old(real, month):
    night(real, month / "future.h5", 20, start=NOW + 400 * DAY)
    assert prune(month, "--keep-days", "20") == set() and (month / "future.h5").exists()


def test_what_is_no_night_of_its_own_is_never_removed(real, month, tmp_path):
    """Links, foreign files, unfinished runs, what lies in hidden folders, and what a linked folder holds."""
    outside = tmp_path / "outside"
    outside.mkdir()
    for number, path in enumerate((outside / "linked.h5", outside / "in_folder.h5", month / "unfinished.h5", month / "sub/deep.h5", month / ".running/x.h5")):
        path.parent.mkdir(exist_ok=True)
        night(real, path, 200 + number, start=NOW - (110 + number) * DAY)
    (month / "link.h5").symlink_to(outside / "linked.h5")
    (month / "folder").symlink_to(outside)
    (month / "unfinished.journal").mkdir()
    (month / "foreign.h5").write_text("Dear reader")
    (month / "notes.txt").write_text("mine")
    kept = {path: path.read_bytes() for path in (outside / "linked.h5", outside / "in_folder.h5", month / "unfinished.h5", month / "foreign.h5",
                                                 month / "notes.txt", month / ".running/x.h5")}
    said = plumbline("history", "prune", month, "--keep-days", "2")
    assert {path: path.read_bytes() for path in kept} == kept and (month / "link.h5").is_symlink()
    assert "keeps link.h5" in said and "keeps unfinished.h5" in said and not (month / "sub/deep.h5").exists()


def test_a_folder_that_became_a_link_is_not_followed(real, month, tmp_path):
    (month / "sub").mkdir()
    night(real, month / "sub/deep.h5", 200, start=NOW - 110 * DAY)
    plumbline("history", month)
    (month / "sub").rename(tmp_path / "elsewhere")
    (month / "sub").symlink_to(tmp_path / "elsewhere")
    plumbline("history", "prune", month, "--keep-days", "2")
    assert (tmp_path / "elsewhere/deep.h5").exists()


@pytest.mark.parametrize("words", [(), ("--keep-days", "0"), ("--keep-days", "nan"), ("--keep-days", "-3"), ("--keep-days", "many"), ("--keep-days", "1e9"),
                                   ("--keep-monthly",), ("--keep-days", "3", "--keep-weekly")])
def test_nonsense_removes_nothing(month, words):
    told = plumbline("history", "prune", month, *words, code=2)
    assert told.count("\n") == 1 and len(list(month.glob("*.h5"))) == 14


def test_prune_needs_a_folder(real, month, tmp_path):
    for words in ((), (month / "night001.h5",), (tmp_path / "nowhere",)):
        assert plumbline("history", "prune", *words, "--keep-days", "3", code=2).count("\n") == 1
    (tmp_path / "empty").mkdir()
    assert plumbline("history", "prune", tmp_path / "empty", "--keep-days", "3") == "no result files yet\n"
    assert plumbline("history", code=2).count("\n") == 1


def test_gauges_escape_what_a_name_may_hold_and_hide_no_finding_where_they_cannot_be_written(real, month, tmp_path):
    first = failed(on_nodes(night(real, month / "first.h5", 14), 'a"b\\c'), b'a"b\\c', "it broke")
    plumbline("check", first, "--baseline", month, "--openmetrics", tmp_path / "night.prom", code=1)
    assert gauges(tmp_path / "night.prom")["plumbline_check_missing_rows", 'node="a\\"b\\\\c"'] == 4
    slow = night(real, month / "slow.h5", 15, factor=1.25)
    words = [PLUMBLINE, "check", slow, "--baseline", month, "--openmetrics", tmp_path / "nowhere/night.prom"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120)
    assert done.returncode == 3 and "nowhere/night.prom" in done.stderr and "SLOWER" in done.stdout


def told(words, command, *more):
    return subprocess.run([PLUMBLINE, *map(str, words), "--on-finding", command, *more], capture_output=True, text=True, timeout=120)


def test_a_command_hears_of_findings_and_changes_no_verdict(real, month, tmp_path):
    slow, heard = night(real, month / "slow.h5", 14, factor=1.25), tmp_path / "heard.json"
    words = ["check", slow, "--baseline", month]
    done = told(words, f"cat >{heard}; echo a word of its own")
    assert done.returncode == 3 and "SLOWER" in done.stdout
    assert "a word of its own" in done.stderr and "a word of its own" not in done.stdout and "note:" not in done.stderr
    assert json.loads(heard.read_text()) == document(*words, code=3)
    for seconds in ("nan", "0", "4000"):
        refused = told(words, "true", "--on-finding-seconds", seconds)
        assert refused.returncode == 2 and "is not a number of seconds from 0.1 to 3600" in refused.stderr, refused.stderr
    for command, why in (("exit 7", "failed with exit code 7"), ("kill -9 $$", "ended by signal 9"), ("true </dev/null", "")):
        done = told(words, command)
        assert done.returncode == 3 and ("note: --on-finding" in done.stderr) == bool(why) and why in done.stderr, (command, done.stderr)


def test_a_command_hears_of_a_missing_case_and_of_nothing_where_there_is_nothing(real, month, tmp_path):
    heard = tmp_path / "heard.json"
    fine = night(real, month / "fine.h5", 14)
    for words in (["check", fine, "--baseline", month], ["nodes", fine]):
        assert told(words, f"cat >{heard}").returncode == 0 and not heard.exists()
    poorer = without(night(real, month / "poorer.h5", 15), b"fp64/n=1000/")
    assert told(["check", poorer, "--baseline", month], f"cat >{heard}").returncode == 1
    assert json.loads(heard.read_text())["missing"]


def expect_gone(pid):
    """The process is gone in time; a zombie waits for somebody to ask how it ended."""
    def lives():
        try:
            return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
        except (FileNotFoundError, ProcessLookupError):
            return False

    deadline = time.monotonic() + 30
    while lives():
        assert time.monotonic() < deadline, "what the command started goes on"
        time.sleep(0.05)


def test_a_command_that_does_not_end_is_ended_with_what_it_started(real, month, tmp_path):
    slow = night(real, month / "slow.h5", 14, factor=1.25)
    done = told(["check", slow, "--baseline", month], f"sleep 600 & echo $! >{tmp_path / 'pid'}; wait", "--on-finding-seconds", "5")
    assert done.returncode == 3 and "did not end in 5 s and was ended" in done.stderr
    expect_gone(int((tmp_path / "pid").read_text()))


def test_what_a_command_leaves_in_the_background_ends_with_it(real, month, tmp_path):
    slow = night(real, month / "slow.h5", 14, factor=1.25)
    done = told(["check", slow, "--baseline", month], f"sleep 600 >/dev/null 2>&1 & echo $! >{tmp_path / 'pid'}")
    assert done.returncode == 3 and "note:" not in done.stderr
    expect_gone(int((tmp_path / "pid").read_text()))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_check_that_is_told_to_stop_takes_the_command_along(real, month, tmp_path, number):
    slow, pid = night(real, month / "slow.h5", 14, factor=1.25), tmp_path / "pid"
    command = f"sleep 600 & echo $! >{pid}.draft; mv {pid}.draft {pid}; wait"
    words = [PLUMBLINE, "check", slow, "--baseline", month, "--on-finding", command, "--on-finding-seconds", "600"]
    checking = subprocess.Popen(list(map(str, words)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while not pid.exists():
        assert checking.poll() is None and time.monotonic() < deadline
        time.sleep(0.05)
    checking.send_signal(number)
    assert checking.wait(timeout=60) == -number
    expect_gone(int(pid.read_text()))


def test_a_list_for_google_benchmark_is_never_empty(real, tmp_path):
    bare = tmp_path / "bare.h5"
    shutil.copy(real, bare)
    with h5py.File(bare, "r+") as file:
        rows = file["times"]
        del file["times"]
        file.create_dataset("times", data=rows[:0])
    told = plumbline("show", bare, "--google-benchmark", tmp_path / "a.json", code=2)
    assert "no case that was chosen has a time" in told and not (tmp_path / "a.json").exists(), told


def test_google_benchmarks_compare_reads_our_times(real, tmp_path):
    slow = night(real, tmp_path / "slow.h5", 1, factor=1.5, jitter=0)
    for file, name in ((real, "a.json"), (slow, "b.json")):
        plumbline("show", file, "--google-benchmark", tmp_path / name)
    written = json.loads((tmp_path / "a.json").read_text())
    assert len({one["name"] for one in written["benchmarks"]}) == 4 and all(one["time_unit"] == "ns" for one in written["benchmarks"])
    compare = pathlib.Path("/usr/share/benchmark/compare.py")
    if not compare.is_file():
        pytest.skip("SKIP: Google Benchmark's compare.py (libbenchmark-tools) is not installed")
    words = [sys.executable, compare, "--no-utest", "benchmarks", tmp_path / "a.json", tmp_path / "b.json"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in re.sub("\x1b\\[[0-9;]*m", "", done.stdout).splitlines() if line.startswith("validation/")]
    assert len(lines) >= 4 and all(float(line[1]) == pytest.approx(0.5, abs=0.02) for line in lines)
