# SPDX-License-Identifier: BSD-3-Clause
"""plumbline profile --gpu -o NAME.h5: the kernels' rows are the table /profile of a result file, which the other commands take. The stand-in's
kernels take a microsecond a unit of work.
"""

import json
import pathlib

import pytest
from launching_program import launching, plumbline, with_cupti  # noqa: F401

HERE = pathlib.Path(__file__).parent
DATA = HERE.parent / "imports" / "data"

pytestmark = with_cupti


def told(*words, code=0):
    ended = plumbline(*words, gpus_here=False)
    assert ended.returncode == code, ended.stdout + ended.stderr
    return ended.stdout


@pytest.fixture(scope="module")
def roofs(tmp_path_factory):
    """A result file with the ceilings of a V100 that a user stated."""
    folder = tmp_path_factory.mktemp("roofs")
    spec = folder / "roofs.toml"
    spec.write_text((DATA / "v100.toml").read_text().replace('name = "V100"\n', 'name = "V100"\nlaunch_seconds = 5e-6\n', 1))
    told("import", "ncu", DATA / "gpp_ncu_raw.csv", "--ceilings", spec, "-o", folder / "roofs.h5")
    return folder / "roofs.h5"


@pytest.fixture(scope="module")
def store(tmp_path_factory, launching, roofs):  # noqa: F811
    """Profiles the program with these words into a result file, and gives that with what was printed."""
    folder = tmp_path_factory.mktemp("stored")

    def of_words(name, *words, options=(), **environment):
        file = folder / f"{name}.h5"
        ended = plumbline("profile", "--gpu", f"--roofs={roofs}", "-o", file, *options, "--", launching, *words, STAND_IN_CUPTI_ALIKE="1", **environment)
        assert ended.returncode == 0, ended.stderr
        return file, ended.stderr

    return of_words


@pytest.fixture(scope="module")
def stored(store):
    return store("one", "mark=solve", "launch=axpy,10,1200", "unmark=solve", "launch=copy_rows,500,3", "copy=4000", "begin_capture", "launch=node,4",
                 "end_capture", "graph")


def shown(file):
    return json.loads(told("show", file, "--json"))


def profile_rows(document, kind):
    return {row["name"]: row for row in document["profile"]["rows"] if row["kind"] == kind}


def test_show_prints_the_kernels_as_they_were_printed(stored):
    file, printed = stored
    again = told("show", file)
    table = printed.strip("\n")
    assert table.startswith("Timed and counted on GPUs: ") and table in again, again


def test_a_kernel_is_a_row_and_a_case_with_all_its_launches(stored):
    document = shown(stored[0])
    kernels, cases = profile_rows(document, "kernel"), {row["case"]: row for row in document["rows"]}
    assert set(kernels) == {"axpy", "copy_rows", "node"}
    axpy = kernels["axpy"]
    assert (axpy["launches"], axpy["counted_launches"], axpy["chip"]) == (1200, 16, "GH100")
    case = cases[axpy["case"]]
    assert axpy["case"].startswith("program/launching/") and axpy["case"].endswith("/part=axpy/g1/cuda-sm_90")
    assert case["seconds"] == pytest.approx(12e-3) and axpy["seconds"] == pytest.approx(12e-3)
    assert axpy["share"] == pytest.approx(12000 / 13504)
    assert case["gflops"] == pytest.approx(axpy["gflops"]) and axpy["gflops"] > 0
    for level in ("L1", "L2", "mem"):
        assert case["levels"][level]["bytes"] == pytest.approx(axpy["levels"][level]["bytes"]), level
    assert (case["bound"], case["percent_of_roof"]) == (axpy["bound"], pytest.approx(axpy["percent_of_roof"])) and axpy["bound"]
    # 1200 launches of 5 us take longer than the kernels' FLOPs and bytes would at the roofs.
    assert case["time_roofline"]["launches"] == 1200 and case["time_roofline"]["overhead_seconds"] == pytest.approx(6e-3)
    assert axpy["overhead_seconds"] == pytest.approx(6e-3)
    node = kernels["node"]
    assert (node["flops"], node["status"], node["graph_launches"]) == (None, "unavailable", 1) and "CUDA graphs alone" in node["reason"]
    assert "variant=graph" in node["case"] and cases[node["case"]]["seconds"] == pytest.approx(4e-6)
    (whole,) = [row for row in document["profile"]["rows"] if row["kind"] == "total"]
    assert whole["launches"] == 1204 and whole["wall_seconds"] > 0 and "/part=whole/" in whole["case"]
    assert cases[whole["case"]]["seconds"] == pytest.approx(13.504e-3)
    assert profile_rows(document, "region")["solve"]["launches"] == 1200
    assert profile_rows(document, "copies")["copy host to device"]["bytes"] == 4000


def test_compare_tells_by_kernel_what_changed(stored, store):
    after, _ = store("after", "launch=axpy,10,1200", "launch=copy_rows,1000,3", "launch=new,1")
    document = json.loads(told("compare", stored[0], after, "--json"))
    parts = {row["name"]: row for row in document["rows"] if row["kind"] == "kernel"}
    assert (parts["axpy"]["verdict"], parts["axpy"]["launches_before"], parts["axpy"]["flops_before"]) == ("SAME", 1200, parts["axpy"]["flops_after"])
    assert (parts["copy_rows"]["verdict"], parts["copy_rows"]["slowdown"]) == ("SLOWER", pytest.approx(2))
    assert (parts["new"]["presence"], parts["node"]["presence"]) == ("came", "went")
    text = told("compare", stored[0], after)
    assert "copy_rows" in text and "launches" in text and "other commands" in text
    words = " ".join(text.split())
    assert "of the whole all of them: no interval" in words and "from start to end" not in words, "a whole is the sum of launches"


def test_expectations_of_a_kernel_are_judged(stored, tmp_path):
    (tmp_path / "mine.toml").write_text("""schema = "plumbline-expectations/1"
paper = "this test"

[[expectation]]
id = "share"
statement = "It takes most of the time"
where = "here"
rows.axpy = {kernel = "program/launching", params = {part = "axpy"}}
quantity = "share(axpy)"
least = 0.8

[[expectation]]
id = "seconds"
statement = "A launch takes ten microseconds"
where = "here"
rows.axpy = {kernel = "program/launching", params = {part = "axpy"}}
quantity = "seconds(axpy) / 1200"
about = 10e-6
within = 0.001
""")
    document = json.loads(told("expect", stored[0], "--own", "--expectations", tmp_path / "mine.toml", "--json"))
    assert {row["id"]: row["verdict"] for row in document["rows"]} == {"share": "confirmed", "seconds": "confirmed"}, document


def test_project_takes_the_kernels_that_have_a_roof_and_the_rest_is_the_hosts(roofs, launching, tmp_path):  # noqa: F811
    h5py, numpy = pytest.importorskip("h5py", reason="SKIP: python3-h5py is not installed"), pytest.importorskip("numpy")
    here = tmp_path / "here.h5"
    here.write_bytes(roofs.read_bytes())
    with h5py.File(here, "r+") as file:  # a node whose CPUs nobody asks for
        node, text = file["ceilings"][0]["node"], json.dumps({"caches": [], "cores": 1, "pus": 1, "numa_nodes": 1}).encode()
        del file["machine"]
        file["machine"] = numpy.array([(node, text)], dtype=[("node", f"S{len(node)}"), ("json", f"S{len(text)}")])
    ended = plumbline("profile", "--gpu", f"--roofs={here}", "-o", tmp_path / "k.h5", "--", launching, "launch=axpy,10,120", "launch=b,500,1",
                      STAND_IN_CUPTI_ALIKE="1")
    assert ended.returncode == 0, ended.stderr
    document = json.loads(told("project", tmp_path / "k.h5", "--to", here, "--json"))
    (row,) = document["rows"]
    groups = {group["group"]: group for group in row["groups"]}
    assert {"axpy", "b"} <= set(groups) and groups["axpy"]["bound"] == "L2"
    profiled = shown(tmp_path / "k.h5")["profile"]
    assert row["seconds"] == pytest.approx(profiled["wall_seconds"]), "from start to end"


def test_report_draws_the_kernels(stored, tmp_path):
    ended = plumbline("report", stored[0], "-o", tmp_path / "report", gpus_here=False)
    if ended.returncode == 2:
        pytest.skip("SKIP: " + ended.stderr.strip())
    assert ended.returncode == 0, ended.stderr
    assert list((tmp_path / "report").glob("profile-launching.*"))
    assert "Kernels of launching" in (tmp_path / "report" / "report.html").read_text()


def test_times_alone_are_a_result_file_too(store):
    file, printed = store("timed", "launch=a,3,2", options=["--time-only"])
    document = shown(file)
    row = profile_rows(document, "kernel")["a"]
    assert (row["launches"], row["flops"], row["reason"]) == (2, None, "nothing was counted: --time-only")
    assert document["profile"]["gpu_time_by"] == "activities" and printed.strip("\n") in told("show", file)


def test_a_kernel_that_is_called_whole_is_not_all_of_them(store):
    file, _ = store("whole", "launch=whole,3,2", "launch=a,1")
    document = shown(file)
    (total,) = [row for row in document["profile"]["rows"] if row["kind"] == "total"]
    assert profile_rows(document, "kernel")["whole"]["case"] != total["case"] and len({row["case"] for row in document["rows"]}) == 3


def test_an_earlier_result_is_not_replaced(launching, stored):  # noqa: F811
    ended = plumbline("profile", "--gpu", "-o", stored[0], "--", launching, "launch=a,1")
    assert ended.returncode == 2 and "would replace" in ended.stderr and ended.stdout == "", ended.stderr


def test_launches_are_of_gpus_alone():
    ended = plumbline("profile", "--launches", "3", "--", "/bin/true", gpus_here=False)
    assert ended.returncode == 2 and ended.stderr.splitlines() == [
        "plumbline: --launches says how many launches of each GPU kernel are counted: it goes with --gpu alone"]
