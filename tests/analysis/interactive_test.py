"""The interactive page: one file that needs nothing else, whose summary says in words what its figures show, and what is missing."""
import base64
import gzip
import json
import math
import os
import pathlib
import re
import subprocess
import sys

import pytest

for module in ("h5py", "numpy", "pandas", "matplotlib", "plotly"):
    pytest.importorskip(module, reason=f"SKIP: python3-{module} is not installed")

HERE = pathlib.Path(__file__).parent
PACKAGE = HERE.parent.parent / "analysis"
GOLDEN = HERE.parent / "golden"
sys.path[:0] = [str(PACKAGE), str(HERE)]

import synthetic  # noqa: E402
from plumbline_analysis import groups, judged, load, page, report  # noqa: E402
from plumbline_analysis.errors import InputError  # noqa: E402
from plumbline_analysis.interactive import charts, document, notebook, panels, profiled, summary, traces  # noqa: E402

MOST_BYTES = 8_000_000


def read(paths):
    return {command: judged.read(paths[command], command) for command in ("ceilings", "show", "score", "nodes")}


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    return synthetic.write(tmp_path_factory.mktemp("many"), many=True)


@pytest.fixture(scope="module")
def said(many):
    return read(many)


@pytest.fixture(scope="module")
def built(many, said):
    """The page of a campaign with about as many cases as quick's, and what was left out."""
    notes = []
    tables = load(many["file"])
    interactive = document.parts("synthetic.h5", tables, said, notes)
    return page.build("synthetic.h5", [], said["ceilings"], said["show"], said["score"], tables["cases"].attrs, said["nodes"], interactive), notes


def unpacked(text, name):
    found = re.search(rf'id="{name}">([^<]+)<', text)
    return gzip.decompress(base64.b64decode(found.group(1))).decode()


def panel_of(said):
    (panel,) = panels.panels_of(said["ceilings"]["rows"], said["show"], said["score"])
    return panel


# ------------------------------------------------------------------------------------------------------------------ the page


def test_the_page_is_one_file_of_at_most_eight_megabytes_with_plotly_and_the_data_inside(built, said):
    text, notes = built
    assert len(text.encode()) < MOST_BYTES - page.STILL_BYTES, "with all still figures that may be inside it stays below the limit"
    assert "plotly.js v" in unpacked(text, "plumbline-plotly")[:200] and not re.findall(r'(?:src|href)="(?!data:)', text)
    data = json.loads(unpacked(text, "plumbline-data"))
    (file,) = data["files"]
    assert [panel["title"] for panel in file["panels"]] == ["n1 · 1 rank of 1 thread"]
    assert {chart["name"] for chart in data["charts"]} == {"bandwidth", "accuracy"} and notes == []
    placed = [row for row in said["show"]["rows"] if row["gflops"]]
    assert len(file["panels"][0]["cases"]) == len(placed)


def test_the_summary_comes_first_and_answers_five_questions(built):
    text, _ = built
    questions = re.findall(r"<h3>([^<]+)</h3>", text)
    assert questions == ["What was measured", "How well", "What bounds what", "What is missing", "What to do next"]
    assert text.index("<h3>What was measured") < text.index('id="interactive"') < text.index("<h2>Ceilings")


def test_the_summary_counts_what_the_documents_say(said, many):
    answers = dict(summary.sections(summary.facts_of("x.h5", load(many["file"])), said, ["some figure (a reason)"]))
    rows = said["show"]["rows"]
    assert any(f"{len(rows)} cases of {len({row['kernel'] for row in rows})} kernels" in one for one in answers["What was measured"])
    bounds = [row["bound"] for row in rows if row["gflops"]]
    assert f"{bounds.count('mem')} are bounded by memory bandwidth" in answers["What bounds what"][0]
    assert "Left out: some figure (a reason)." in answers["What is missing"]
    told = " ".join(answers["How well"])
    trusted = sum(entry["grade"] == "A" and entry["convention"] == "flow" for entry in said["score"]["counters"])
    assert "1 case skipped: no AVX-512 here (1)." in told and f"{trusted} can be trusted as they are (grade A)" in told
    assert "Wrong result: validation/dot on n4" in told and "look at n3" in told
    assert any("Take n3 out of service" in one for one in answers["What to do next"])


def test_a_failure_an_unfinished_run_and_a_disturbed_one_lead_to_advice():
    row = {"case": "a/b", "kernel": "a", "node": "n", "precision": "fp64", "ranks": 1, "threads": 1, "gflops": None, "status": "failed", "reason": "out of memory", "levels": {}}
    said = {"show": {"rows": [row], "notes": []}, "ceilings": {"rows": [], "notes": ["disturbed run, n: 4 of 5 samples"]}, "score": {"rows": []}, "nodes": {"rows": []}}
    answers = dict(summary.sections({"file": "x.h5", "campaign_name": "quick"}, said, []))
    assert "1 case failed or could not be measured: out of memory (1)." in answers["How well"]
    assert answers["What bounds what"] == ["Nothing can be said: the file has no ceilings."]
    advice = " ".join(answers["What to do next"])
    for words in ("plumbline run quick -o x.h5 --resume", "[ceilings]", "quiet node"):
        assert words in advice


def test_the_notes_above_a_table_explain_columns_that_it_has(said):
    ceilings = {**said["ceilings"], "rows": [{**row, "traffic_gbs": 9.0, "fraction_of_limit": 0.5} for row in said["ceilings"]["rows"]],
                "notes": ["how, behind the semicolon: a loop", "disturbed: 1 of 9 ceilings, marked !, spread more", "reaches: the largest working set"]}
    rows = [{**row, "shortfall": {"limits": ["unoptimized", "waiting"]}} for row in said["show"]["rows"]]
    text = page.build("x.h5", [], ceilings, {**said["show"], "rows": rows, "notes": ["~: from an interval", "AI: arithmetic intensity"]}, said["score"], {})
    heads = re.findall(r"<th[^>]*>([^<]*)</th>", text)
    assert {"best", "traffic (GB/s)", "reaches (bytes)", "of limit (%)", "how", "AI L1", "of roof (%)", "limited also by", "bytes by"} <= set(heads)
    for words in ("marked !", "behind the semicolon", "~: from"):
        assert words not in text
    assert "O0 code, waiting" in text and ">50<" in text and "reaches: the largest" in text


def test_a_whole_and_its_phases_are_never_counted_together():
    ok = {"kernel": "proxies/cg", "node": "n", "precision": "fp64", "ranks": 1, "threads": 1, "gflops": 2.0, "flops": 1e6, "status": "ok", "reason": None, "levels": {"L1": {"ai": 1.0}},
          "bound": "L1", "percent_of_roof": 20.0, "shortfall": {"limits": ["unoptimized", "waiting"]}}
    halo = {"case": "proxies/cg#halo", "phase": "halo", "gflops": None, "flops": 0.0, "levels": {}, "bound": None, "percent_of_roof": None}
    rows = [{**ok, "case": "proxies/cg"}, {**ok, "case": "proxies/cg#smooth", "phase": "smooth"}, {**ok, **halo}]
    assert list(report._left_out_notes(groups.groups_of(rows)[1])) == ["1 phase without FLOPs (it is listed apart, under the rooflines)"]
    note = "disturbed run, n: 5 of 9 samples were disturbed (4 shared their core with another hardware thread, 1 lost their CPU for a while, 2 had a slow clock)"
    said = {"show": {"rows": rows, "notes": []}, "ceilings": {"rows": [], "notes": [note]}, "score": {"rows": []}, "nodes": {"rows": []}}
    answers = {question: " ".join(found) for question, found in summary.sections({"file": "x.h5"}, said, [])}
    assert "1 case of 1 kernel" in answers["What was measured"] and "and 2 phases of the applications" in answers["What was measured"]
    assert "Of 1 case under the roofs" in answers["What bounds what"] and "Of 1 phase under the roofs" in answers["What bounds what"]
    assert "more than one may hold" in answers["What bounds what"] and "without optimization (1)" in answers["What bounds what"]
    assert "some for more than one reason: 4 shared" in answers["How well"]


def test_of_a_profile_functions_alone_are_counted_and_what_was_cut_or_scaled_comes_first(said):
    own = [row for row in said["show"]["rows"] if row["gflops"]][:3]
    rows = [{**row, "case": f"program/p/part={index}", "kernel": "program/p", "flops": 1e9} for index, row in enumerate(own)]
    rows.append({**rows[0], "case": "program/p/part=whole/r1t1"})
    profile = {**synthetic.profile(rows[:2]), "window": "region:solve", "work_scale": 8.0}
    show = {"rows": rows, "notes": [], "profile": profile}
    ceilings = {**said["ceilings"], "notes": ["disturbed run, n: 4 of 5 samples were disturbed"]}
    answers = dict(summary.sections({"file": "p.h5", "campaign_name": "quick"}, {"show": show, "ceilings": ceilings, "score": {"rows": []}, "nodes": {"rows": []}},
                                    ["figure of box sizes (no application)"]))
    first = " ".join(answers["What was measured"])
    for words in ("region:solve (--window)", "smaller input times 8 (--scale-work)", "The roofs are of campaign 'quick'", "The roofs, measured apart"):
        assert words in first
    assert answers["What bounds what"][0].startswith("Of 2 functions under the roofs")
    assert "known of 2 of 2 functions" in answers["How well"][0] and answers["How well"][1].startswith("When the roofs were measured")
    assert "--roofs=measure" in answers["What to do next"][0] and answers["What is missing"] == ["Nothing that a campaign of this kind gives."]


def test_files_of_different_campaigns_are_told_from_those_of_different_nodes(said):
    untold = {"rows": [{"what": "a", "node": "n1", "verdict": None, "status": "unavailable", "reason": "no such case"}]}
    other = {command: said[command] for command in ("show", "ceilings")}
    moved = {command: {"rows": [{**row, "node": "n9"} for row in other[command]["rows"]]} for command in other}
    for against, words in ((other, "of different campaigns"), (moved, "of different nodes")):
        answers = dict(summary.sections({"file": "x.h5"}, said, [], {"name": "y.h5", "document": untold, **against}))
        assert words in answers["Against y.h5"][0]


def test_without_plotly_the_page_keeps_its_summary_and_says_what_is_left_out(many, said, monkeypatch):
    monkeypatch.setattr(document, "plotly_js", lambda: None)
    notes = []
    _, lead, end = document.parts("x.h5", load(many["file"]), said, notes)
    assert notes == ["interactive figures (python3-plotly is not installed)"] and notes[0] in lead and end == ""


@pytest.mark.parametrize("command", ["show", "ceilings", "score"])
def test_a_table_of_a_newer_version_is_left_out_and_the_rest_is_drawn(many, tmp_path, command):
    newer = tmp_path / f"{command}.json"
    newer.write_text(json.dumps({"schema": f"plumbline-{command}/2", "rows": [{"new": 1}]}))
    notes = []
    assert judged.read(str(newer), command, notes)["rows"] == []
    assert len(notes) == 1 and f"plumbline-{command}/2" in notes[0] and "update" in notes[0]
    with pytest.raises(InputError):
        judged.read(str(newer), command)


def changed(said, command, **values):
    """The documents, each row of one of them with other values."""
    return {**said, command: {**said[command], "rows": [{**row, **values} for row in said[command]["rows"]]}}


def test_no_ceilings_no_times_no_finite_intensity_still_give_a_page(many, said):
    placed = sum(bool(row["gflops"]) for row in said["show"]["rows"])
    for now, cases, strip in (({**said, "ceilings": {**said["ceilings"], "rows": []}}, placed, 0),
                              (changed(said, "show", gflops=None, seconds=None), 0, 0),
                              (changed(said, "show", levels={}), 0, placed)):
        _, lead, end = document.parts("x.h5", load(many["file"]), now, [])
        (panel,) = json.loads(unpacked(end, "plumbline-data"))["files"][0]["panels"]
        assert len(panel["cases"]) == cases and len(panel["strip"]) == strip and "What is missing" in lead
        assert {one["why"] for one in panel["strip"]} <= {"no arithmetic intensity"}


@pytest.mark.parametrize("name", ["schema1_2026-11", "profile_2026-11", "cpus/granite_rapids_vm"])
def test_files_of_before_have_the_same_page(name, tmp_path):
    plumbline = os.environ.get("PLUMBLINE")
    if not plumbline:
        pytest.skip("SKIP: no PLUMBLINE names the program that reads files")
    file = str(GOLDEN / f"{name}.h5")
    tables = load(file)
    said = {command: tables.judged(command) for command in ("ceilings", "show", "score", "nodes")}
    _, lead, end = document.parts("x.h5", tables, said, [])
    data = json.loads(unpacked(end, "plumbline-data"))
    assert data["files"][0]["panels"] and lead.count("<h3>") == 5
    if "granite" in name:
        roofs = [trace["meta"] for trace in data["files"][0]["panels"][0]["figure"]["data"] if trace["meta"]["role"] == "roof"]
        assert {"FP64 vector FMA", "L1 load"} <= {meta["name"] for meta in roofs}


# ------------------------------------------------------------------------------------------------------------------ the roofline's traces


def test_each_point_is_of_its_case_and_its_area_is_its_share_of_the_time(said):
    show = {**said["show"], "profile": synthetic.profile([row for row in said["show"]["rows"] if row["gflops"]][:3])}
    panel = panel_of({**said, "show": show})
    shares = [case["share"] for case in panel.cases if case["share"]]
    assert len(shares) == 3
    for trace in traces.figure(panel)["data"]:
        if trace["meta"]["role"] != "point":
            continue
        for x, y, number, size in zip(trace["x"], trace["y"], trace["customdata"], trace["marker"]["size"]):
            case = panel.cases[number]
            ai = {level: ai for level, _, ai, _, _ in case["points"]}[trace["meta"]["level"]]
            assert math.isclose(x, ai, rel_tol=1e-5) and math.isclose(y, case["gflops"], rel_tol=1e-5)
            expected = traces.PLAIN if case["share"] is None else max(traces.LEAST, traces.LARGEST * math.sqrt(case["share"]))
            assert abs(size - expected) < 0.06


def test_points_above_their_roof_are_ringed_and_their_card_says_why(said):
    rows = [dict(row) for row in said["show"]["rows"] if row["gflops"]]
    rows[5].update(percent_of_roof=104.0, bound="L1", bound_ceiling="L1 load", roof_gflops=1.0, above_roof_reason="the ceiling's samples spread as far")
    panel = panel_of({**said, "show": {**said["show"], "rows": rows}})
    flags = [trace for trace in traces.figure(panel)["data"] if trace["meta"]["role"] == "flag"]
    (number,) = {number for trace in flags for number in trace["customdata"]}
    card = dict(panel.cases[number]["card"])
    assert card["above its roof"] == "the ceiling's samples spread as far" and card["of its roof"].startswith("104 % of L1 load")


def test_the_card_names_levels_intervals_counters_and_grades(said):
    card = dict(next(case for case in panel_of(said).cases if "stencil5" in case["kernel"] and "O3" in case["flavor"])["card"])
    assert {"kernel", "case", "built", "ran on", "time", "performance", "AI L1", "AI memory"} <= set(card)
    assert " to " in card["AI memory"], "an interval"
    assert "simulated" in card["AI L2"] and "GFLOP/s" in card["performance"]


def test_kernels_without_flops_are_in_the_strip_with_their_share_of_the_time():
    base = {"kernel": "proxies/cg", "precision": "fp64", "flavor": "f", "ranks": 1, "threads": 1, "node": "n1", "status": "ok", "reason": None}
    levels = {"L1": {"bytes": 1.0, "ai": 0.5, "ai_lo": 0.5, "ai_hi": 0.5}}
    rows = [{**base, "case": "proxies/cg/r1t1/f", "gflops": 1.0, "seconds": 4e-3, "levels": levels},
            {**base, "case": "proxies/cg/r1t1/f#halo", "phase": "halo", "gflops": 0.0, "seconds": 1e-3, "levels": {}}]
    panel = panel_of({"ceilings": {"rows": []}, "show": {"rows": rows}, "score": {}})
    (one,) = panel.strip
    assert one["share"] == 0.25 and one["phase"] == "halo" and one["why"] == "no FLOPs" and len(panel.cases) == 1


def test_ceilings_that_no_point_needs_wait_until_they_are_asked_for(said):
    made = traces.figure(panel_of(said))["data"]
    roofs = {trace["meta"]["name"]: trace for trace in made if trace["meta"]["role"] == "roof"}
    assert roofs["FP64 FMA+ADD"]["visible"] and not roofs["FP64 scalar add"]["visible"]
    assert roofs["L1 load"]["visible"] and not roofs["L1 triad"]["visible"], "of a level the fastest pattern"


def test_many_points_are_drawn_by_webgl(said):
    row = next(row for row in said["show"]["rows"] if row["gflops"] and len(row["levels"]) == 4)
    few, thousands = ({**said, "show": {**said["show"], "rows": [{**row, "case": f"{row['case']}{n}"} for n in range(count)]}} for count in (10, 1000))
    kinds = [{trace["type"] for trace in traces.figure(panel_of(one))["data"] if trace["meta"]["role"] == "point"} for one in (few, thousands)]
    assert kinds == [{"scatter"}, {"scattergl"}]


def test_a_profile_is_a_figure_of_its_own(said, many):
    show = {**said["show"], "profile": synthetic.profile([row for row in said["show"]["rows"] if row["gflops"]][:5])}
    found = {chart["name"]: chart for chart in charts.charts(load(many["file"]), said["ceilings"], show, said["score"])}
    assert sum(len(trace["x"]) for trace in found["profile"]["figure"]["data"]) == 5 and "heat3d" in found["profile"]["title"]


def test_two_files_are_panels_of_one_page_and_sentences_of_its_summary(said, many):
    verdicts = [{"what": "a", "node": "n1", "verdict": "SLOWER", "slowdown": 1.5, "status": "ok"}, {"what": "b", "node": "n1", "verdict": "SAME", "slowdown": 1.0, "status": "ok"},
                {"what": "c", "node": "n1", "verdict": None, "status": "unavailable", "reason": "before.h5 has no such case"}]
    against = {"name": "before.h5", "document": {"rows": verdicts}, **{command: said[command] for command in ("show", "ceilings", "score")}}
    _, lead, end = document.parts("after.h5", load(many["file"]), said, [], against)
    assert [file["name"] for file in json.loads(unpacked(end, "plumbline-data"))["files"]] == ["after.h5", "before.h5"]
    assert "Against before.h5" in lead and "1 slower, 1 the same" in lead and "a on n1, 1.5 times the time" in lead
    assert "1 row cannot be compared: before.h5 has no such case (1)." in lead


# ------------------------------------------------------------------------------------------------------------------ notebooks


def test_a_notebooks_figure_has_the_same_traces_with_cards_as_hover_texts(said):
    plotly = pytest.importorskip("plotly.graph_objects")
    panel = panel_of(said)
    figure = plotly.Figure(**notebook.spec(panel, "fp64"))
    points = [trace for trace in figure.data if trace.meta["role"] == "point"]
    assert points and all(len(trace.hovertext) == len(trace.x) and "GFLOP/s" in trace.hovertext[0] for trace in points)
    assert sum(len(trace.x) for trace in points) == sum(len(case["points"]) for case in panel.cases)


def test_the_notebook_of_the_package_runs(tmp_path):
    """The cells are run one after the other, as Jupyter does it."""
    plumbline, notebook_file = os.environ.get("PLUMBLINE"), HERE.parent.parent / "jobs" / "notebooks" / "roofline.ipynb"
    if not plumbline:
        pytest.skip("SKIP: no PLUMBLINE names the program that reads files")
    cells = json.loads(notebook_file.read_text())["cells"]
    assert all(not cell.get("outputs") and cell.get("execution_count") is None for cell in cells), "kept without outputs"
    source = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    script = source + "\nassert type(figure).__module__.startswith('plotly') and len(figure.data) > 3\n"
    done = subprocess.run([sys.executable, "-B", "-c", script], capture_output=True, text=True, cwd=tmp_path,
                          env={**os.environ, "PYTHONPATH": str(PACKAGE), "RESULTS": str(GOLDEN / "schema1_2026-11.h5")})
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("percent_of_roof, sentence", [
    (20.0, "Begin with hash: 75 % of the time, at 20 % of what L1 bandwidth allows."),
    (0.3, "Begin with hash: 75 % of the time, which no measured ceiling explains: L1 bandwidth, which comes nearest, takes less than 1 % of it."),
])
def test_the_function_to_begin_with_is_named_with_what_bounds_it(percent_of_roof, sentence):
    row = {"kind": "function", "name": "hash", "share": 0.75, "bound": "L1", "percent_of_roof": percent_of_roof}
    other = {**row, "name": "other", "share": 0.2}
    assert list(profiled.slowest({"profile": {"rows": [other, row]}})) == [sentence]
    shortfall = (pathlib.Path(__file__).resolve().parents[2] / "harness/model/placement/shortfall.hpp").read_text()
    assert f"explained_from = {profiled.EXPLAINED_FROM};" in shortfall, "the program and the page draw one line"
