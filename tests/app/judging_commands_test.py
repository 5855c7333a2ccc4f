"""show, score, ceilings and project on a result file whose every number is known (known_results.cpp), and on paper 004's projection."""
import csv
import io
import json
import os
import pathlib
import subprocess

import pytest

PLUMBLINE = os.environ["PLUMBLINE"]
GOLDEN = pathlib.Path(__file__).parent.parent / "golden"
CASE = "validation/triad/fp64/n=1000/r1t1/gcc12-O3-v3"


def plumbline(*words, code=0):
    done = subprocess.run([PLUMBLINE, *map(str, words)], capture_output=True, text=True)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout if code in (0, 4) else done.stderr


def document(*words, code=0):
    def no_constant(word):
        raise AssertionError(f"{word} is no JSON")

    return json.loads(plumbline(*words, "--json", code=code), parse_constant=no_constant)


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    path = tmp_path_factory.mktemp("results") / "known.h5"
    subprocess.run([os.environ["KNOWN_RESULTS"], path], check=True)
    return path


@pytest.fixture(scope="module")
def wrong_results(tmp_path_factory):
    path = tmp_path_factory.mktemp("results") / "wrong.h5"
    subprocess.run([os.environ["KNOWN_RESULTS"], path, "wrong"], check=True)
    return path


def test_show_places_a_case_by_its_counts_and_the_median_time(results):
    show = document("show", results)
    assert show["schema"] == "plumbline-show/1" and show["file"] == str(results)
    row = next(r for r in show["rows"] if r["case"] == CASE)
    assert row["seconds"] == 1e-6 and row["flops"] == 2000
    assert row["gflops"] == pytest.approx(2)
    assert row["levels"]["L1"] == {"bytes": 24000, "ai": pytest.approx(1 / 12), "ai_lo": pytest.approx(1 / 12), "ai_hi": pytest.approx(1 / 12)}
    assert row["levels"]["L2"]["bytes"] == 0 and row["levels"]["L2"]["ai"] is None
    assert row["bound"] == "L1" and row["percent_of_roof"] == pytest.approx(50)  # 24 of 48 GB/s
    assert row["join"] == "same" and row["bytes_source"] == "emulated" and row["status"] == "ok" and row["label"] == "triad n=1000"


def test_show_gives_a_case_that_did_not_run_a_status_and_a_reason_and_no_number(results):
    row = next(r for r in document("show", results)["rows"] if r["flavor"] == "gcc12-O3-v4")
    assert row["seconds"] is None and row["gflops"] is None and row["percent_of_roof"] is None
    assert row["status"] == "skipped" and row["reason"] == "no AVX-512 here"
    assert "no AVX-512 here" in plumbline("show", results)


def test_score_finds_the_arithmetic_and_succeeds(results):
    score = document("score", results)
    row = next(r for r in score["rows"] if r["case"] == CASE and r["counter"] == "emulated.flops.fp64")
    assert (row["measured"], row["exact_lo"], row["exact_hi"], row["ratio"], row["status"]) == (2000, 2000, 2000, 1, "ok")
    accesses = next(r for r in score["rows"] if r["case"] == CASE and r["counter"] == "accesses x 16 B" and r["convention"] == "paper")
    assert accesses["ratio"] == 0.5  # 750 accesses of 16 bytes for 24000
    assert {"counter", "quantity", "convention", "n", "bias", "min", "max", "cv", "grade", "reason"} <= score["counters"][0].keys()
    assert "equal the arithmetic" in plumbline("score", results)


def test_score_of_an_uncounted_case_is_null_with_a_reason(results):
    rows = [r for r in document("score", results)["rows"] if r["case"].endswith("v4")]
    assert rows and all(r["measured"] is None and r["ratio"] is None and r["status"] != "ok" and r["reason"] for r in rows)


def test_score_exits_4_when_an_exact_count_is_wrong(wrong_results):
    score = document("score", wrong_results, code=4)
    row = next(r for r in score["rows"] if r["case"] == CASE and r["counter"] == "emulated.flops.fp64")
    assert row["measured"] == 2001 and row["ratio"] == pytest.approx(1.0005)
    assert "FAILED" in plumbline("score", wrong_results, code=4)


def test_ceilings_name_the_levels_of_the_machine(results):
    rows = {row["name"]: row for row in document("ceilings", results)["rows"]}
    assert rows["FP64 vector FMA"]["value_gflops"] == 100 and rows["FP64 vector FMA"]["n"] == 2
    assert rows["L1 load"]["value_gbs"] == 48 and rows["mem load"]["value_gbs"] == 10
    assert rows["L2 load"]["value"] is None and rows["L2 load"]["status"] == "unavailable" and rows["L2 load"]["reason"]
    assert "L3 load" not in rows  # the machine has none


@pytest.mark.parametrize("command", ["show", "score", "ceilings"])
def test_csv_has_a_line_a_row(results, command):
    lines = list(csv.reader(io.StringIO(plumbline(command, results, "--csv"))))
    assert len(lines) == 1 + len(document(command, results)["rows"])
    assert len({len(line) for line in lines}) == 1


@pytest.mark.parametrize("command", ["show", "score", "ceilings"])
def test_tables_fit_120_columns(results, command):
    assert max(map(len, plumbline(command, results).splitlines())) <= 120


def test_a_filter_that_matches_nothing_says_what_there_is(results):
    assert "validation/triad" in plumbline("show", results, "--kernel", "proxies/*", code=2)
    assert "node0" in plumbline("show", results, "--node", "elsewhere", code=2)
    assert document("show", results, "--kernel", "*/triad")["rows"]


def test_an_unwritable_output_is_an_error(results):
    with open("/dev/full", "w") as full:
        done = subprocess.run([PLUMBLINE, "show", results], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1 and "standard output" in done.stderr


# ----------------------------------------------------------------------------------------------------------------- projection


def spec(path, name, node_gbs, numa_gbs, method, more=""):
    path.write_text(f'schema = "plumbline-spec/1"\nname = "{name}"\n{more}\n' + "".join(
        f'[[ceilings]]\nname = "mem"\nvalue = {value}\nunit = "GB/s"\nscope = "{scope}"\nmethod = "{method}"\n'
        for scope, value in (("node", node_gbs), ("numa", numa_gbs))))
    return path


@pytest.fixture
def setsm(tmp_path):
    golden = json.loads((GOLDEN / "setsm_projection.json").read_text())
    app = tmp_path / "setsm.toml"
    app.write_text(f'schema = "plumbline-app/1"\nname = "SETSM"\nrest_seconds = {golden["others_seconds"]}\n'
                   f'covered_fraction = {golden["covered_fraction"]}\n' +
                   "".join(f'[[groups]]\nname = "{g["name"]}"\nseconds = {g["seconds"]}\nkind = "{g["kind"]}"\n' for g in golden["groups"]))
    targets = []
    for i, t in enumerate(golden["targets"]):
        truth = f'measured_seconds = {t["measured_seconds"]}'
        targets += ["--to", spec(tmp_path / f"target{i}.toml", t["name"], t["dram_gbs_node"], t["dram_gbs_numa"], "STREAM", truth)]
    return golden, app, targets, tmp_path


def test_both_sets_of_projections_of_paper_004_are_reproduced(setsm):
    golden, app, targets, folder = setsm
    node = golden["source_node"]
    by_ert = spec(folder / "ert.toml", node["name"], node["ert_dram_gbs_node"], node["ert_dram_gbs_node"] / 4, "ERT")
    by_stream = spec(folder / "stream.toml", node["name"], node["dram_gbs_node"], node["dram_gbs_numa"], "STREAM")
    table_x = document("project", by_ert, "--app", app, *targets)
    assert [r["projected_seconds"] for r in table_x["rows"]] == pytest.approx([t["projected_seconds"] for t in golden["targets"]], abs=0.2)
    assert [r["speedup"] for r in table_x["rows"]] == pytest.approx([t["speedup"] for t in golden["targets"]], abs=0.006)
    assert [r["error_percent"] for r in table_x["rows"]] == pytest.approx([t["error_percent"] for t in golden["targets"]], abs=0.05)
    assert any("different methods" in note for note in table_x["notes"])
    with_stream = document("project", by_stream, "--app", app, *targets)
    assert [r["projected_seconds"] for r in with_stream["rows"]] == pytest.approx(golden["with_stream_figure"]["projected_seconds"], abs=0.2)
    assert not any("different methods" in note for note in with_stream["notes"])
    assert any("covered fraction" in note for note in with_stream["notes"])


def test_a_constant_rest_is_stated_and_keeps_its_seconds(setsm):
    golden, app, targets, folder = setsm
    same = spec(folder / "same.toml", "same", golden["source_node"]["dram_gbs_node"], golden["source_node"]["dram_gbs_numa"], "STREAM")
    row, = document("project", same, "--app", app, "--to", same, "--rest", "constant")["rows"]
    assert row["rest"] == "constant" and row["projected_seconds"] == pytest.approx(golden["total_seconds"], abs=0.01)


def test_a_result_file_can_be_either_side(results, setsm):
    _, app, _, folder = setsm
    target = spec(folder / "double.toml", "double", 20, 20, "STREAM")
    row, = document("project", results, "--app", app, "--to", target)["rows"]
    assert {g["from_value"] for g in row["groups"]} == {10}  # the measured memory bandwidth
    own, = document("project", results, "--to", results)["rows"]
    assert own["speedup"] == pytest.approx(1) and own["groups"][0]["group"] == CASE and own["groups"][0]["bound"] == "L1"


@pytest.mark.parametrize("text, words", [
    ('schema = "plumbline-spec/1"\nname = "x"\nnmae = 1\n', [":3:1:", "nmae"]),
    ('schema = "plumbline-spec/1"\nname = "x"\n', ["[[ceilings]]"]),
    ('schema = "plumbline-spec/1"\nname = "x"\n[[ceilings]]\nname = "mem"\nvalue = "fast"\n', [":5:9:", "value"]),
    ('schema = "plumbline-spec/1"\nname = \n', [":2:"]),
    ('schema = "plumbline-campaign/1"\n', ["plumbline-spec/1"]),
])
def test_a_wrong_spec_is_told_by_line_and_column(results, tmp_path, text, words):
    path = tmp_path / "wrong.toml"
    path.write_text(text)
    message = plumbline("project", results, "--to", path, code=2)
    assert all(word in message for word in words), message
    assert len(message.splitlines()) == 1


def test_a_bound_that_the_target_lacks_is_named(results, setsm):
    _, _, _, folder = setsm
    target = spec(folder / "mem_only.toml", "mem only", 20, 20, "STREAM")
    message = plumbline("project", results, "--to", target, code=2)
    assert "L1" in message and "mem only" in message
