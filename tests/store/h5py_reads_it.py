"""The result file as a stranger sees it: plain h5py and pandas, no code of ours. Usage: pytest with WRITE_SAMPLE set."""
import json
import math
import os
import subprocess

import pytest

h5py = pytest.importorskip("h5py", reason="SKIP: python3-h5py is not installed")
numpy = pytest.importorskip("numpy", reason="SKIP: python3-numpy is not installed")

CONTRACT = {
    "cases": "row id work kernel precision flavor ranks threads params",
    "outcomes": "case pass status reason node placement started_unix_ns session",
    "times": "case node session repetition rank seconds clock_hz",
    "counts": "case node session event backend group rank thread repetition raw net enabled_ns running_ns status",
    "model": "case quantity lo hi",
    "ceilings": "name precision level pattern ranks threads node session round value unit method status",
    "machine": "node json",
    "remeasured": "case node session turn repetition seconds clock_hz",
    "profile": "kind name rank thread seconds share share_lo share_hi gflops levels bound percent_of_roof",
}


@pytest.fixture(params=[2, 5000], scope="module")
def sample(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("store") / "sample.h5"
    subprocess.run([os.environ["WRITE_SAMPLE"], str(path), str(request.param)], check=True)
    with h5py.File(path, "r") as file:
        yield file, request.param


def test_root_attributes_are_plain_text(sample):
    file, _ = sample
    assert file.attrs["schema"] == "plumbline/1"
    assert json.loads(file.attrs["provenance"]) == {"git": "abc", "note": "Grüße"}
    assert file.attrs["campaign"] == 'name="quick"\n'


def test_tables_begin_with_the_columns_of_the_contract(sample):
    file, _ = sample
    assert set(file) == set(CONTRACT)
    for table, columns in CONTRACT.items():
        names = file[table].dtype.names
        assert list(names[: len(columns.split())]) == columns.split()


def test_every_numeric_column_says_units_long_name_and_better(sample):
    file, _ = sample
    for name, table in file.items():
        for column in table.dtype.names:
            assert table.attrs[f"{column}.long_name"], (name, column)
            if table.dtype[column].kind == "S":
                continue
            assert table.attrs[f"{column}.units"], (name, column)
            assert table.attrs[f"{column}.better"] in ("higher", "lower", "none"), (name, column)
    assert file["times"].attrs["seconds.units"] == "s"


def test_numbers_and_text_are_those_that_were_written(sample):
    file, cases = sample
    outcomes, times, counts, model = (file[name][:] for name in ("outcomes", "times", "counts", "model"))
    assert len(file["cases"]) == cases
    assert outcomes[0]["status"] == b"failed"
    assert outcomes[0]["reason"].decode() == 'µ-op limit: 測試 "quoted"\nsecond line'
    assert outcomes[0]["case"] == b"validation/series/fp64/form=loop/n=0/m=64/r1t2/gcc12-O3-v3"
    assert outcomes[1]["reason"] == b"" and outcomes[1]["pass"] == b"count"
    assert outcomes[1]["started_unix_ns"] == 1_700_000_000_000_000_000
    assert math.isnan(times[0]["seconds"])
    expected = 1e-6 / (numpy.arange(cases) + 1)[:, None] * (1 + 0.1 * numpy.arange(5))
    assert numpy.array_equal(times["seconds"][1:], expected.ravel()[1:])
    assert counts[0]["raw"] == 2**64 - 1 and counts[1]["raw"] == 0
    assert math.isnan(counts[1]["net"]) and counts[1]["status"] == b"permission"
    assert model[1]["hi"] == math.inf
    assert file["ceilings"][0]["working_set_bytes"] == 32768.0
    assert [row["node"] for row in file["machine"]] == [b"n1", b"n2"]
    whole, function, rank = file["profile"][:]
    assert (whole["kind"], whole["seconds"], whole["rank"]) == (b"total", 1.5, -1) and math.isnan(whole["gflops"])
    assert function["name"].decode() == "大きな_µ" and json.loads(function["levels"])["L1"]["ai"] == 0.5
    assert rank["rank"] == 3 and json.loads(rank["counts"]) == {"flops.fp64.add": 2**64 - 1}


def test_big_tables_are_compressed_and_checksummed(sample):
    file, cases = sample
    if cases >= 64:
        assert file["times"].chunks and file["times"].compression == "gzip" and file["times"].fletcher32


def test_pandas_takes_a_table_as_it_is(sample):
    pandas = pytest.importorskip("pandas", reason="python3-pandas is not installed")
    file, cases = sample
    frame = pandas.DataFrame(file["times"][:])
    assert len(frame) == 5 * cases and frame["seconds"].dtype == "float64"
