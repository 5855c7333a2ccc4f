"""The derived table /intensity: what run and import write, by plain h5py; and that nothing goes by it."""
import json
import math
import os
import pathlib
import platform
import re
import shutil
import subprocess

import h5py
import pytest

PLUMBLINE = os.environ["PLUMBLINE"]
ROOT = pathlib.Path(__file__).resolve().parents[2]
COLUMNS = ("case node phase level flops bytes ai ai_lo ai_hi gflops bound percent_of_roof counter grade join status reason").split()
UNITS = {"flops": "1", "bytes": "byte", "ai": "flop/byte", "ai_lo": "flop/byte", "ai_hi": "flop/byte", "gflops": "GFLOP/s",
         "percent_of_roof": "percent"}
CAMPAIGN = """
schema = "plumbline-campaign/1"
name = "small"
passes = ["time", "count"]
counters = "auto"
[timing]
min_seconds = 0.001
max_repetitions = 3
[[cases]]
kernel = "validation/triad"
precision = ["fp64"]
flavor = ["gcc-O3-ISA"]
team = [{ ranks = 1, threads = 1 }]
params = { n = [SIZES] }
[ceilings]
mode = "quick"
rounds = 1
only = ["FP64 vector FMA", "load"]
"""


def plumbline(*words, folder=None):
    done = subprocess.run([PLUMBLINE, *map(str, words)], capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout


def campaign(folder, sizes):
    path = folder / "small.toml"
    path.write_text(CAMPAIGN.replace("ISA", "neon" if platform.machine() == "aarch64" else "v2").replace("SIZES", sizes))
    return path


@pytest.fixture(scope="module")
def of_run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    plumbline("run", campaign(folder, "1000"), "-o", folder / "quick.h5", folder=folder)
    return folder / "quick.h5"


@pytest.fixture(scope="module")
def of_import(tmp_path_factory):
    path = tmp_path_factory.mktemp("import") / "gpp.h5"
    data = ROOT / "tests/imports/data"
    plumbline("import", "ncu", data / "gpp_ncu_raw.csv", "--ceilings", data / "v100.toml", "-o", path)
    return path


@pytest.fixture(params=["of_run", "of_import"])
def path(request):
    return request.getfixturevalue(request.param)


def rows_of(path):
    with h5py.File(path) as file:
        return [{name: cell.decode() if isinstance(cell, bytes) else float(cell) for name, cell in zip(COLUMNS, row)}
                for row in file["intensity"][:].tolist()]


def shown(path):
    return json.loads(plumbline("show", path, "--json"))


def test_its_columns_are_the_contracts_with_units_and_the_mark_of_what_is_derived(path):
    with h5py.File(path) as file:
        table = file["intensity"]
        assert list(table.dtype.names) == COLUMNS
        for column in COLUMNS:
            assert table.attrs[f"{column}.long_name"], column
            assert (table.dtype[column].kind == "S") == (column not in UNITS)
        assert {column: table.attrs[f"{column}.units"] for column in UNITS} == UNITS
        assert table.attrs["derived"] and table.attrs["reason"] == ""
        version = re.search(r"plumbline (\S+)", plumbline("--version")).group(1)
        assert table.attrs["derived_by"].startswith(f"plumbline {version} (")


def test_its_numbers_are_those_of_show(path):
    rows = {(row["case"], row["level"]): row for row in rows_of(path)}
    document = shown(path)
    assert set(rows) == {(case["case"], level) for case in document["rows"] for level in case["levels"]}
    for case in document["rows"]:
        for level, at in case["levels"].items():
            row = rows[case["case"], level]
            for key in ("bytes", "ai", "ai_lo", "ai_hi"):
                assert row[key] == at[key] or math.isnan(row[key]) and at[key] is None, key
            for key in ("flops", "gflops", "percent_of_roof"):
                assert row[key] == case[key] or math.isnan(row[key]) and case[key] is None, key
            assert (row["bound"], row["join"], row["node"]) == (case["bound"] or "", case["join"], case["node"])
    assert not [note for note in document["notes"] if "/intensity" in note]


def test_an_absent_number_is_nan_beside_a_status_and_a_reason(path):
    rows = rows_of(path)
    assert rows
    for row in rows:
        absent = any(math.isnan(row[name]) for name in UNITS)
        assert absent == (row["status"] != "ok") and bool(row["reason"]) == (row["status"] != "ok"), row
        assert bool(row["counter"]) == bool(row["grade"]), row


def test_a_counted_intensity_names_its_counter_and_its_grade(of_run, of_import):
    for row in rows_of(of_run):
        if row["join"] == "same":  # without the emulator only the model speaks
            assert row["counter"].startswith("emulated.bytes.") and row["grade"] in set("ABCD-")
        else:
            assert row["counter"] == row["grade"] == "" and row["join"] == "model"
    for row in rows_of(of_import):
        assert row["grade"] == "-" or not row["counter"], "another profiler's metrics were never scored"


def test_three_lines_of_the_readme_read_it(of_run, tmp_path, capsys):
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "harness/store/README.md").read_text().split("# The result file")[1], re.S)[:1]
    assert code in (ROOT / "README.md").read_text() and len(code.splitlines()) == 3
    copy = tmp_path / "quick.h5"
    shutil.copy(of_run, copy)
    assert "plumbline-out/quick.h5" in code
    exec(code.replace("plumbline-out/quick.h5", str(copy)), {})  # pylint: disable=exec-used
    printed = capsys.readouterr().out.split("\n")[:-1]
    assert len(printed) == sum(row["status"] == "ok" for row in rows_of(of_run))


def with_thrice_the_bytes(path, copy):
    shutil.copy(path, copy)
    with h5py.File(copy, "r+") as file:
        rows = file["intensity"][:]
        rows["bytes"] *= 3
        file["intensity"][:] = rows
        file["intensity"].attrs["derived_by"] = "plumbline 0.0.1 (elsewhere)"
    return copy


@pytest.fixture
def tampered(path, tmp_path):
    return with_thrice_the_bytes(path, tmp_path / "copy.h5")


def without_names(text, *paths):
    for one in paths:
        text = text.replace(str(one), "FILE")
    return text


def test_show_says_where_the_file_has_others_and_judges_by_what_was_measured(path, tampered):
    mine, theirs = shown(path), shown(tampered)
    assert mine["rows"] == theirs["rows"]
    (note,) = [note for note in theirs["notes"] if "/intensity" in note]
    assert "which plumbline 0.0.1 (elsewhere) derived" in note and " bytes " in note
    assert without_names(plumbline("score", path, "--json"), path) == without_names(plumbline("score", tampered, "--json"), tampered)


def test_a_file_of_an_older_version_has_none_and_nothing_is_said(of_run, tmp_path):
    copy = tmp_path / "old.h5"
    shutil.copy(of_run, copy)
    with h5py.File(copy, "r+") as file:
        del file["intensity"]
    assert shown(copy)["rows"] == shown(of_run)["rows"]
    assert not [note for note in shown(copy)["notes"] if "/intensity" in note]


def test_what_is_added_to_a_file_replaces_its_table(of_run, tmp_path):
    store = with_thrice_the_bytes(of_run, tmp_path / "more.h5")
    plumbline("run", campaign(tmp_path, "1000, 2000"), "-o", store, "--resume", folder=tmp_path)
    assert len(rows_of(store)) == 2 * len(rows_of(of_run))
    assert not [note for note in shown(store)["notes"] if "/intensity" in note]
