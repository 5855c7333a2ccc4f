"""show, score, ceilings and project on a result file whose every number is known (known_results.cpp), and on paper 004's projection."""
import csv
import io
import itertools
import json
import os
import pathlib
import re
import shutil
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


@pytest.fixture(scope="module")
def bare_results(tmp_path_factory):
    """A result file without ceilings."""
    path = tmp_path_factory.mktemp("results") / "bare.h5"
    subprocess.run([os.environ["KNOWN_RESULTS"], path, "bare"], check=True)
    return path


@pytest.fixture(scope="module")
def masked_results(tmp_path_factory):
    """Results of a CPU that is in no vendor's table; its FMAs are 15.2 FLOP a clock."""
    path = tmp_path_factory.mktemp("results") / "masked.h5"
    subprocess.run([os.environ["KNOWN_RESULTS"], path, "masked"], check=True)
    return path


@pytest.fixture(scope="module")
def open_results(tmp_path_factory):
    """The model leaves L1-L2 traffic between 16 and 32 kB, and one sample was taken of each ceiling."""
    path = tmp_path_factory.mktemp("results") / "open.h5"
    subprocess.run([os.environ["KNOWN_RESULTS"], path, "open"], check=True)
    return path


@pytest.mark.parametrize("option, value", [("--by", "nonsense"), ("--counters", "no.toml"), ("--convention", "ncu"), ("--google-benchmark", "times.json")])
def test_what_is_said_of_cases_is_refused_beside_the_nodes(results, tmp_path, option, value):
    done = subprocess.run([PLUMBLINE, "show", results, "--machine", option, value], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 2 and done.stdout == "" and f"{option} excludes --machine" in done.stderr and os.listdir(tmp_path) == [], done


@pytest.mark.parametrize("value", ["nan", "5%", "-1", "1e9"])
@pytest.mark.parametrize("words", [("nodes", "--threshold"), ("compare", "--threshold"), ("check", "--threshold"), ("nodes", "--false-alarms")])
def test_a_bound_that_is_no_number_within_its_range_is_refused(results, words, value):
    done = subprocess.run([PLUMBLINE, words[0], results, *([results] if words[0] == "compare" else []), words[1], value], capture_output=True, text=True)
    assert done.returncode == 2 and done.stdout == "" and f"'{value}' is not a number" in done.stderr and done.stderr.count("\n") == 1, done


def test_show_places_a_case_by_its_counts_and_the_median_time(results):
    show = document("show", results)
    assert show["schema"] == "plumbline-show/1" and show["file"] == str(results)
    row = next(r for r in show["rows"] if r["case"] == CASE)
    assert row["seconds"] == 1e-6 and row["flops"] == 2000
    assert row["gflops"] == pytest.approx(2)
    twelfth = pytest.approx(1 / 12)
    assert row["levels"]["L1"] == {"bytes": 24000, "bytes_lo": 24000, "bytes_hi": 24000, "ai": twelfth, "ai_lo": twelfth, "ai_hi": twelfth,
                                   "source": "emulated", "status": "ok", "reason": None}
    assert row["levels"]["L2"]["bytes"] == 0 and row["levels"]["L2"]["ai"] is None
    assert row["levels"]["L2"]["status"] == "unavailable" and row["levels"]["L2"]["reason"] == "no traffic across this boundary"
    assert row["bound"] == "L1" and row["percent_of_roof"] == pytest.approx(50)  # 24 of 48 GB/s
    assert row["join"] == "same" and row["bytes_source"] == "emulated" and row["status"] == "ok" and row["label"] == "triad n=1000"


def test_papis_presets_and_natives_are_scored_by_the_tables_claims(tmp_path):
    path = tmp_path / "papi.h5"
    subprocess.run([os.environ["KNOWN_RESULTS"], path, "papi"], check=True)
    score = document("score", path)
    rows = {row["counter"]: row for row in score["rows"] if row["case"] == CASE}
    assert rows["PAPI_FP_OPS"]["ratio"] == 1 and rows["PAPI_FP_OPS"]["quantity"] == "flops.fp64 + fp32"
    assert rows["papi flops.all"]["ratio"] == 1, "the native event has the name of a row of this CPU's table"
    assert rows["PAPI_L1_DCM x line"]["measured"] == 2000 * 128, "lines of the machine that counted"
    assert rows["PAPI_L1_DCA x 16 B"]["measured"] == 32000 and rows["PAPI_L1_DCA x 16 B"]["exact_hi"] == 24000
    changed, gone = (next(note for note in score["notes"] if f"'{event}" in note) for event in ("REQUESTS_TO_L2", "GONE"))
    assert "cpu 0x1234 (mine.toml:3)" in changed and "cpu 0xe060" in changed
    assert "cpu 0x99 (mine.toml:9)" in gone and "PLUMBLINE_EVENTS_PATH" in gone


def test_ceilings_that_were_asked_for_and_are_not_there_are_not_asked_for_again(bare_results, tmp_path):
    h5py = pytest.importorskip("h5py")
    assert "give the campaign a [ceilings] table" in " ".join(document("ceilings", bare_results)["notes"])
    asked = tmp_path / "asked.h5"
    shutil.copy(bare_results, asked)
    with h5py.File(asked, "r+") as file:
        text = file.attrs["campaign"]
        file.attrs["campaign"] = (text.decode() if isinstance(text, bytes) else text) + '\n[ceilings]\nmode = "quick"\n'
    assert "although its campaign has a [ceilings] table" in " ".join(document("ceilings", asked)["notes"])


def test_an_unfinished_run_is_named_where_its_file_is_asked_for(tmp_path):
    (tmp_path / "killed.journal").mkdir()
    (line,) = plumbline("score", tmp_path / "killed.h5", code=2).strip().splitlines()
    assert "plumbline recover" in line and "killed.journal" in line and "--resume" in line


def test_a_result_that_a_run_has_still_to_finish_is_told_by_every_command_that_reads_it(results, tmp_path):
    file = tmp_path / "partly.h5"
    shutil.copy(results, file)
    (tmp_path / "partly.journal").mkdir()
    for words in (("show", file), ("score", file), ("ceilings", file), ("compare", file, file), ("nodes", file), ("check", file, "--baseline", tmp_path),
                  ("history", tmp_path)):
        done = subprocess.run([PLUMBLINE, *map(str, words)], capture_output=True, text=True)
        told = " ".join((done.stdout + done.stderr).split())
        assert f"{file} is not whole: partly.journal beside it" in told and "--resume" in told, (words, told)
    assert "not whole" not in plumbline("show", results)


def test_an_interval_of_the_model_that_is_only_slack_binds_nothing(results):
    row = next(r for r in document("show", results)["rows"] if r["flavor"] == "gcc13-O3-v3")
    assert row["join"] == "model" and row["bound"] == "L1" and row["percent_of_roof"] == pytest.approx(50)
    assert row["levels"]["L2"]["bytes"] == 0 and row["levels"]["L2"]["reason"]


def test_the_table_marks_what_comes_from_an_interval(results, open_results):
    assert "~" not in plumbline("show", results)
    line = next(line for line in plumbline("show", open_results).splitlines() if "gcc13" in line)
    assert "~0.0833" in line and "~L2" in line  # 16 to 32 kB: AI 2/24 in the middle
    assert "* ~: from an interval" in plumbline("show", open_results)


def test_without_ceilings_a_case_is_ok_and_its_bound_says_why_there_is_none(bare_results):
    row = document("show", bare_results)["rows"][0]
    assert row["status"] == "ok" and row["bound"] is None and row["percent_of_roof"] is None
    assert row["bound_status"] == "unavailable" and row["bound_reason"] == "no ceilings in this file; run a campaign with [ceilings]"


PART_OF = {"interval": ("projected_lo", "projected_hi"), "bound": ("bound_ceiling", "roof_gflops", "percent_of_roof"), "size": ("size_bytes",), "traffic": ("traffic_gbs",),
           "size_lo": ("size_lo_bytes",), "size_hi": ("size_hi_bytes",), "topology": ("topology_bytes",), "clock": ("clock_hz",), "power": ("power_watts",),
           "limit": ("limit_gflops", "limit_gbs", "limit_seconds", "fraction_of_limit"),
           "partial_fma": ("partial_fma_gflops", "percent_of_partial_fma"),
           "compute_roof": ("compute_roof_gflops", "compute_roof_ceiling"),
           "measured": ("measured_seconds", "error_percent")}


def unexplained(value, where=""):
    """The keys whose null has neither the object's nor its own status and reason."""
    if isinstance(value, list):
        return [key for i, item in enumerate(value) for key in unexplained(item, f"{where}[{i}]")]
    if not isinstance(value, dict):
        return []
    if value.get("status", "ok") != "ok" and value.get("reason"):
        explained = value.keys()
    else:
        stems = [key.removesuffix("_status") for key in value if key.endswith("_status")]
        stems = [stem for stem in stems if value[stem + "_status"] != "ok" and value[stem + "_reason"]]
        explained = {*stems, *(key for stem in stems for key in PART_OF.get(stem, ()))}
    missing = [f"{where}.{key}" for key, v in value.items() if v is None and key not in explained and not key.endswith("reason")]
    return missing + [key for k, v in value.items() for key in unexplained(v, f"{where}.{k}")]


@pytest.mark.parametrize("command", ["show", "score", "ceilings"])
@pytest.mark.parametrize("file", ["results", "bare_results", "open_results"])
def test_every_null_stands_beside_a_status_and_a_reason(command, file, request):
    path = request.getfixturevalue(file)
    assert unexplained(document(command, path)) == []


def test_a_null_without_a_reason_would_be_found():
    assert unexplained({"rows": [{"x": None, "status": "ok", "reason": None}]}) == [".rows[0].x"]
    assert unexplained({"rows": [{"x": None, "x_status": "unavailable", "x_reason": None}]}) == [".rows[0].x"]


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


def test_score_sums_each_counter_up_over_the_cases_that_agree_in_the_properties_named(results):
    score = document("score", results, "--by", "kernel,level", "--by", "n")
    groups = [g for g in score["groups"] if g["counter"] == "accesses x 16 B" and g["convention"] == "paper"]
    assert [g["group"] for g in groups] == [{"kernel": "validation/triad", "level": "O3"}, {"n": "1000"}]
    for group in groups:
        assert (group["n"], group["mean"], group["geometric_mean"], group["cv"], group["measured_max"]) == (1, 0.5, 0.5, None, 12000)
    assert "groups" not in document("score", results)
    assert "no case has 'order'" in plumbline("score", results, "--json", "--by", "level,order", code=2)
    assert "requires --json" in plumbline("score", results, "--by", "level", code=2)


def test_score_derives_the_intensity_that_each_candidate_for_the_bytes_would_give(results):
    score = document("score", results)
    derived = next(r for r in score["intensities"] if r["counter"] == "accesses x 16 B")
    assert derived["case"] == CASE and derived["flops_per_byte"] == 2000 / 12000 and derived["exact"] == 2000 / 24000
    summary = next(r for r in score["intensity_counters"] if r["counter"] == "accesses x 16 B")
    assert (summary["n"], summary["min"], summary["geometric_mean"], summary["max"], summary["max_over_min"]) == (1, 2, 2, 2, 1)
    assert re.search(r"accesses x 16 B +1 +2\.000 +2\.000 +2\.000 +1\.000", plumbline("score", results))


def test_score_of_an_uncounted_case_is_null_with_a_reason(results):
    rows = [r for r in document("score", results)["rows"] if r["case"].endswith("v4")]
    assert rows and all(r["measured"] is None and r["ratio"] is None and r["status"] != "ok" and r["reason"] for r in rows)


def test_score_shows_all_evidence_of_one_counter_and_names_those_there_are_for_an_unknown_one(results):
    text = plumbline("score", results, "--counter", "emulated.flops.fp64")
    assert "emulated.flops.fp64" in text and "accesses x 16 B" not in text
    assert {row["counter"] for row in document("score", results, "--counter", "emulated.flops.fp64")["rows"]} == {"emulated.flops.fp64"}
    complaint = plumbline("score", results, "--counter", "emulated.flop", code=2)
    assert "--counter 'emulated.flop' was not scored" in complaint and "emulated.flops.fp64" in complaint


def test_choosing_without_a_graded_counter_is_refused_with_the_reasons(results, tmp_path):
    complaint = plumbline("score", results, "--choose", tmp_path / "set.toml", code=2)
    assert "no counter can be chosen" in complaint and "could tell" in complaint
    assert not (tmp_path / "set.toml").exists()


def test_score_exits_4_when_an_exact_count_is_wrong(wrong_results):
    score = document("score", wrong_results, code=4)
    row = next(r for r in score["rows"] if r["case"] == CASE and r["counter"] == "emulated.flops.fp64")
    assert row["measured"] == 2001 and row["ratio"] == pytest.approx(1.0005)
    assert "FAILED" in plumbline("score", wrong_results, code=4)


def test_ceilings_name_the_levels_of_the_machine(results):
    rows = {row["name"]: row for row in document("ceilings", results)["rows"]}
    assert rows["FP64 vector FMA"]["value_gflops"] == 100 and rows["FP64 vector FMA"]["n"] == 2
    assert rows["L1 load"]["value_gbs"] == 48 and rows["mem load"]["value_gbs"] == 10
    assert (rows["FP64 vector FMA"]["min_gflops"], rows["FP64 vector FMA"]["max_gflops"]) == (90, 100)
    for row in rows.values():
        unit = {"GFLOP/s": "gflops", "GB/s": "gbs"}[row["unit"]]
        assert all(row[f"{key}_{unit}"] == row[key] for key in ("value", "min", "median", "max"))
    assert rows["L1 triad"]["value"] is None and rows["L1 triad"]["status"] == "unavailable" and rows["L1 triad"]["reason"]
    assert rows["L1 load"]["size_bytes"] == pytest.approx(48 * 1024, rel=0.25)
    assert "L2 load" not in rows  # the topology names one, the sweep shows none


def test_a_limit_that_is_inferred_is_marked_and_one_that_is_not_has_a_reason(masked_results, results):
    rows = {row["name"]: row for row in document("ceilings", masked_results)["rows"]}
    fma, load = rows["FP64 vector FMA"], rows["L1 load"]
    assert fma["limit_basis"] == "inferred" and fma["fraction_of_limit"] == pytest.approx(0.95)
    assert fma["limit_source"] == "inferred: fp64 shows 15.2 of 16 operations a clock: two 256-bit instructions a clock"
    assert load["limit"] is None and load["limit_basis"] == "" and "tells no number of vectors" in load["limit_reason"]
    text = plumbline("ceilings", masked_results)
    line = next(line for line in text.splitlines() if line.startswith("FP64 vector FMA"))
    assert "~95.0 %" in line
    told = " ".join(text.split())
    assert "in no vendor's table" in told and "fp64 shows 15.2 of 16" in told
    assert {row["limit_basis"] for row in document("ceilings", results)["rows"]} == {""} and "~" not in plumbline("ceilings", results)


def test_the_ceilings_table_has_both_rates_where_stores_cause_fills(results):
    text = plumbline("ceilings", results)
    heading = next(line for line in text.splitlines() if "traffic" in line)
    column = slice(heading.index("best GB/s"), heading.index("traffic GB/s") + len("traffic GB/s"))
    assert next(line for line in text.splitlines() if line.startswith("mem triad"))[column].split() == ["9.000", "12.00"]  # 4/3
    assert next(line for line in text.splitlines() if line.startswith("mem load"))[column].split() == ["10.00"]
    assert "traffic_gbs" in text and "the rooflines are drawn with it" in " ".join(text.split())


@pytest.mark.parametrize("command, heading", [("show", "| kernel | case | sweep time | GFLOP/s | "), ("ceilings", "| ceiling | best GB/s | ")])
def test_markdown_has_the_columns_that_people_see(results, command, heading):
    lines = plumbline(command, results, "--markdown").splitlines()
    tables = [i for i, line in enumerate(lines) if line.startswith("| ---")]
    assert any(lines[i - 1].startswith(heading) for i in tables), lines
    for i in tables:
        assert len(lines[i - 1]) < 160
        rows = list(itertools.takewhile(lambda line: line.startswith("|"), lines[i + 1 :]))
        assert rows and all(row.replace("\\|", "").count("|") == lines[i].count("|") for row in rows)


def test_the_cases_of_a_kernel_on_a_node_stand_together():
    lines = plumbline("show", GOLDEN / "schema1_2026-11.h5").splitlines()
    above = [line for line in lines if re.fullmatch(r"\S+ on node\w", line)]
    assert len(above) > 2 and len(set(above)) == len(above)
    assert len([line for line in lines if re.match(r"  (fp|bf|int)\d+ .*r\d+t\d+", line)]) == len(document("show", GOLDEN / "schema1_2026-11.h5")["rows"])


def test_a_file_without_cases_says_so():
    ceilings = GOLDEN / "cpus/zen5_vm.h5"
    lines = plumbline("show", ceilings).splitlines()
    assert not any(line.startswith("case ") for line in lines)
    assert any("no cases in this file; 'plumbline ceilings" in line for line in lines), lines
    assert document("show", ceilings)["rows"] == []


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


@pytest.mark.parametrize("word", ["foo", "0", "1", ""])
def test_an_unknown_rest_is_told_in_one_line_with_the_words_that_are_allowed(setsm, word):
    _, app, targets, _ = setsm
    message = plumbline("project", targets[1], "--app", app, *targets, "--rest", word, code=2)
    assert message == f"plumbline: --rest is '{word}', but it must be constant or scaled\n"


def test_a_target_without_a_measured_time_says_so(results):
    projection = document("project", results, "--to", results)
    row, = projection["rows"]
    assert row["measured_seconds"] is None and row["error_percent"] is None
    assert row["measured_status"] == "unavailable" and "measured_seconds" in row["measured_reason"]
    assert unexplained(projection) == []
    assert all(group["from_gbs"] == group["from_value"] and group["to_gbs"] == group["to_value"] for group in row["groups"])


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


def test_a_wrong_target_leaves_the_others_and_is_told(results, setsm):
    _, _, _, folder = setsm
    lacking = spec(folder / "mem_only.toml", "mem only", 20, 20, "STREAM")
    missing = folder / "missing.toml"
    done = subprocess.run([PLUMBLINE, "project", results, "--to", lacking, "--to", results, "--to", missing, "--json"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (1, "")
    answer = json.loads(done.stdout)
    assert len(answer["rows"]) == 1 and answer["rows"][0]["speedup"] == pytest.approx(1)
    told = [note for note in answer["notes"] if "is left out: " in note]
    assert [note.split(" is left out: ")[0] for note in told] == [str(missing), str(lacking)]
    done = subprocess.run([PLUMBLINE, "project", results, "--to", lacking, "--to", results, "--csv"], capture_output=True, text=True)
    assert done.returncode == 1 and f"{lacking} is left out: " in done.stderr and len(done.stdout.splitlines()) > 1
    (message,) = plumbline("project", results, "--to", lacking, "--to", missing, code=2).splitlines()
    assert str(lacking) in message and str(missing) in message, "nothing is left to project onto"


README = GOLDEN.parent.parent / "harness" / "model" / "README.md"


def test_the_documented_projection_prints_what_the_documentation_shows(tmp_path):
    text = README.read_text()
    files = re.findall(r"^`(\w+\.toml)`,[^\n]*\n\n```toml\n(.*?)```", text, re.MULTILINE | re.DOTALL)
    assert [name for name, _ in files] == ["old.toml", "new.toml", "program.toml"]
    for name, content in files:
        (tmp_path / name).write_text(content)
    command, shown = re.search(r"```console\n\$ plumbline ([^\n]*)\n(.*?)```", text, re.DOTALL).groups()
    done = subprocess.run([PLUMBLINE, *command.split()], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == shown


def test_help_names_every_key_that_the_documentation_explains():
    words = set(re.findall(r"\w+", plumbline("project", "--help")))
    keys = {key for line in README.read_text().splitlines() if line.startswith("| `") for key in re.findall(r"`\[?\[?(\w+)\]?\]?`", line.split("|")[1])}
    assert {"ceilings", "groups", "covered_fraction", "measured_seconds"} <= keys <= words
    assert "harness/model/README.md" in plumbline("project", "--help")
