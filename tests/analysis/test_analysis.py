"""The package that draws: reads what it is given, draws every figure, and says in one line what it cannot use."""
import html.parser
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

h5py = pytest.importorskip("h5py", reason="SKIP: python3-h5py is not installed")
numpy = pytest.importorskip("numpy", reason="SKIP: python3-numpy is not installed")
pandas = pytest.importorskip("pandas", reason="SKIP: python3-pandas is not installed")
matplotlib = pytest.importorskip("matplotlib", reason="SKIP: python3-matplotlib is not installed")

HERE = pathlib.Path(__file__).parent
PACKAGE = HERE.parent.parent / "analysis"
sys.path[:0] = [str(PACKAGE), str(HERE)]

import synthetic  # noqa: E402
from plumbline_analysis.__main__ import main  # noqa: E402
from plumbline_analysis import accuracy, bandwidth, boxes, cases, groups, history, judged, key, nodes, own_roofs, page, program, roof_labels, roofline, style, vector  # noqa: E402
from plumbline_analysis.errors import InputError  # noqa: E402
from plumbline_analysis.load import load  # noqa: E402
from plumbline_analysis.own_files import replacing  # noqa: E402


@pytest.fixture(scope="module")
def few(tmp_path_factory):
    return synthetic.write(tmp_path_factory.mktemp("few"), many=False)


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    return synthetic.write(tmp_path_factory.mktemp("many"), many=True)


def words_of_report(paths, output, *options):
    return ["report", paths["file"], "--show", paths["show"], "--ceilings", paths["ceilings"], "--score", paths["score"], "--nodes", paths["nodes"],
            "-o", str(output), *options]


def report(paths, output, environment=None, *options, **others):
    words = words_of_report({**paths, **others}, output, *options)
    return subprocess.run([sys.executable, "-B", "-m", "plumbline_analysis", *words], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": str(PACKAGE), **(environment or {})})


@pytest.fixture(scope="module")
def drawn(few, tmp_path_factory):
    """The report of few cases: how it ended, and its folder."""
    folder = tmp_path_factory.mktemp("drawn")
    return report(few, folder), folder


# ------------------------------------------------------------------------------------------------------------------ load


def test_load_gives_tables_with_text_numbers_and_units(few):
    tables = load(few["file"])
    assert set(tables) == {"cases", "outcomes", "times", "counts", "model", "ceilings", "machine"}
    assert tables["cases"].id[0] == "validation/triad/fp64/n=1/r1t1/gcc12-O0-v2"
    assert tables["times"].seconds.dtype == "float64" and len(tables["outcomes"]) == 0
    assert tables["times"].attrs["units"]["seconds"] == "s" and tables["times"].attrs["better"]["seconds"] == "lower"
    assert tables["times"].attrs["provenance"] == {"compiler": "gcc 12", "host": "n1"}
    assert "synthetic" in tables["times"].attrs["campaign"]


def test_load_refuses_missing_foreign_newer_and_truncated_files(few, tmp_path):
    (tmp_path / "letter.h5").write_text("no HDF5")
    with h5py.File(tmp_path / "foreign.h5", "w") as file:
        file["x"] = [1, 2]
    with h5py.File(tmp_path / "newer.h5", "w") as file:
        file.attrs["schema"] = "plumbline/2"
    (tmp_path / "cut.h5").write_bytes(pathlib.Path(few["file"]).read_bytes()[:3000])
    for name, word in (("missing.h5", "No such file"), ("letter.h5", "is not HDF5"), ("foreign.h5", "no plumbline result"),
                       ("newer.h5", "plumbline/2"), ("cut.h5", "cut short or damaged")):
        with pytest.raises(InputError, match=word) as refusal:
            load(str(tmp_path / name))
        assert "\n" not in str(refusal.value) and name in str(refusal.value)


def test_load_says_what_the_program_says_of_a_crafted_file(few, tmp_path):
    shutil.copy(few["file"], tmp_path / "crafted.h5")
    with h5py.File(tmp_path / "crafted.h5", "r+") as file:
        rows = file["times"][:]
        del file["times"]
        file.create_dataset("times", shape=(2_000_000_000,), dtype=rows.dtype, chunks=(4096,))
    with pytest.raises(InputError, match="'/times' says it has 2000000000 rows"):
        load(str(tmp_path / "crafted.h5"))


def test_load_outlives_a_file_that_crashes_the_library(few, tmp_path):
    shutil.copy(few["file"], tmp_path / "crafted.h5")
    with h5py.File(tmp_path / "crafted.h5", "r+") as file:
        file.attrs["campaign"] = "x" * 100
    synthetic.refer_to_nothing(tmp_path / "crafted.h5", 100)
    with pytest.raises(InputError, match="cut short or damaged") as refusal:
        load(str(tmp_path / "crafted.h5"))
    assert "\n" not in str(refusal.value)


def test_load_says_that_there_is_no_program_to_read_with(few, tmp_path, monkeypatch):
    monkeypatch.setenv("PLUMBLINE", str(tmp_path / "missing"))
    with pytest.raises(InputError, match="missing' cannot be started, which reads result files"):
        load(few["file"])
    monkeypatch.setenv("PLUMBLINE", "")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys.modules["plumbline_analysis.load"], "beside", lambda module: None)  # this checkout's build
    with pytest.raises(InputError, match="no program 'plumbline' is found"):
        load(few["file"])


def test_what_is_written_replaces_a_link_and_a_failure_leaves_what_was_there(tmp_path):
    (tmp_path / "another").write_text("kept")
    (tmp_path / "figure.png").symlink_to(tmp_path / "another")
    with replacing(str(tmp_path / "figure.png")) as file:
        file.write(b"new")
    assert (tmp_path / "another").read_text() == "kept" and (tmp_path / "figure.png").read_text() == "new"
    assert not (tmp_path / "figure.png").is_symlink()
    with pytest.raises(ZeroDivisionError), replacing(str(tmp_path / "figure.png")) as file:
        file.write(b"half")
        raise ZeroDivisionError
    assert (tmp_path / "figure.png").read_text() == "new" and len(list(tmp_path.iterdir())) == 2


# ------------------------------------------------------------------------------------------------------------------ the command


def test_the_page_has_the_conditions_in_which_a_gpus_counters_counted_and_no_such_table_without_them():
    row = {"node": "n1", "label": "triad n=1", "flavor": "cuda13-sm_90a", "seconds": 1e-3, "status": "ok"}
    at = {"clock_hz": 1.4e9, "timed_clock_hz": 1.98e9, "clock_ratio": 1.4 / 1.98, "seconds": 1.25e-3, "occupancy": 0.875}

    def built(*rows):
        return page.build("x.h5", [], {"rows": []}, {"rows": list(rows)}, {"rows": []}, {})

    _, told = built({**row, "counter_conditions": at}, row).split("Under the profiler of the GPU")
    table = told.split("</table>")[0]
    assert table.count("<tr>") == 2, "the heading and the one case that was counted"
    for cell in ("1.4e+09", "1.98e+09", "0.70707", "0.00125", "0.875"):
        assert f">{cell}<" in table
    assert "Under the profiler" not in built(row)
    assert "theoretical_occupancy" not in table, "an older file has none"
    of_one, of_several = {"least": 0.625, "most": 0.625}, {"least": 0.25, "most": 1.0}
    rows = built({**row, "theoretical_occupancy": of_one}, {**row, "theoretical_occupancy": of_several, "counter_conditions": at})
    under_roofs, told = rows.split("Under the profiler of the GPU")
    assert ">0.625<" in under_roofs and ">0.25 to 1<" in under_roofs and ">0.25 to 1<" in told.split("</table>")[0]


def test_report_writes_png_svg_and_one_page_that_needs_nothing_else(drawn):
    done, folder = drawn
    assert done.returncode == 0, done.stderr
    names = {pathlib.Path(line).name for line in done.stdout.split()}
    stems = {"roofline-n1-fp64-r1t1", "bandwidth-n1-r1t1", "vector-n1-fp64-r1t1", "accuracy"}
    assert names == {f"{stem}.{kind}" for stem in stems for kind in ("png", "svg")} | {"report.html"}
    for name in names:
        start = (folder / name).read_bytes()[:200]
        assert {"png": b"\x89PNG", "svg": b"<?xml", "html": b"<!doct"}[name.rsplit(".", 1)[-1]] in start
    page = (folder / "report.html").read_text()
    assert not re.findall(r'(?:src|href)="(?!data:)', page)
    assert page.count("data:image/svg+xml") == len(stems)
    assert "perf_event_paranoid is 4" not in page.split("<h2>Counters")[0] and "no AVX-512 here" in page

    class Balanced(html.parser.HTMLParser):
        stack = []

        def handle_starttag(self, tag, attributes):
            if tag not in ("meta", "img"):
                self.stack.append(tag)

        def handle_endtag(self, tag):
            assert self.stack.pop() == tag

    parser = Balanced()
    parser.feed(page)
    assert not parser.stack


def test_the_page_tells_which_node_is_worse_and_on_what_evidence(drawn):
    page = (drawn[1] / "report.html").read_text()
    sections = {part.split("</h2>")[0]: part for part in page.split("<h2>")[1:]}
    assert [title for title in sections if title.startswith("Nodes")] == [
        "Nodes", "Nodes: wrong results", "Nodes: suspicious at first", "Nodes: measured again", "Nodes: seen while they measured again"]
    assert sections["Nodes"].index("SLOWER") < sections["Nodes"].index("ALIKE") and "a node is named only where" in sections["Nodes"]
    assert "n3" in sections["Nodes: suspicious at first"] and "GB/s" in sections["Nodes: suspicious at first"]
    assert "ceiling/triad/r1t64/bytes=4294967296" in sections["Nodes: measured again"] and nodes.ALL in sections["Nodes: measured again"]
    assert "no quota is set" in sections["Nodes: seen while they measured again"] and "&lt;relative error 1&gt;" in page


def test_nodes_are_no_part_of_the_page_of_one_node(few, tmp_path):
    document = json.loads(pathlib.Path(few["nodes"]).read_text())
    document["rows"] = document["rows"][:1]
    (tmp_path / "nodes.json").write_text(json.dumps(document))
    assert report(few, tmp_path / "out", nodes=str(tmp_path / "nodes.json")).returncode == 0
    assert "<h2>Nodes" not in (tmp_path / "out" / "report.html").read_text()


def test_a_condition_is_a_number_or_why_it_is_not_known():
    *_, (title, columns, rows) = nodes.tables(synthetic.nodes())
    assert title == "Nodes: seen while they measured again" and columns == ("condition", "n3", "n1")
    assert rows == [{"condition": "cpu_quota_cores", "n3": 0.5, "n1": "no quota is set"},
                    {"condition": "temperature_celsius", "n3": "no sensor is visible here", "n1": "not observed"}]


def test_the_same_input_gives_the_same_svg(few, drawn, tmp_path):
    assert report(few, tmp_path).returncode == 0
    first = {svg.name: svg.read_bytes() for svg in drawn[1].glob("*.svg")}
    assert first and {svg.name: svg.read_bytes() for svg in tmp_path.glob("*.svg")} == first


def test_text_from_the_file_cannot_break_the_page(few, tmp_path):
    document = json.loads(pathlib.Path(few["show"]).read_text())
    for row in document["rows"]:
        row["label"] = "<script>alert(1)</script> $\\frac{$ & $x_1$"
    document["notes"] = ["<b>bold</b>"]
    (tmp_path / "show.json").write_text(json.dumps(document))
    done = report(few, tmp_path / "out", show=str(tmp_path / "show.json"))
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "out" / "report.html").read_text()
    assert "<script>" not in page and "<b>bold" not in page


def bad_inputs(few, folder):
    """Pairs of what is given instead and a word of the answer."""
    (folder / "letter").write_text("Dear reader")
    (folder / "other.json").write_text('{"schema": "plumbline-list/1", "rows": []}')
    (folder / "rows.json").write_text('{"schema": "plumbline-show/1", "rows": [{"case": "x"}]}')
    (folder / "list.json").write_text("[1, 2]")
    yield {"file": str(folder / "missing.h5")}, "No such file"
    yield {"file": str(folder / "letter")}, "is not HDF5"
    yield {"show": str(folder / "missing.json")}, "No such file"
    yield {"show": str(folder / "letter")}, "is no JSON"
    yield {"show": str(folder / "rows.json")}, "has no 'kernel'"
    yield {"ceilings": str(folder / "other.json")}, "plumbline-list/1"
    yield {"score": str(folder / "list.json")}, "schema None"


def test_bad_input_is_one_line_and_exit_2(few, tmp_path, capfd):
    for wrong, word in bad_inputs(few, tmp_path):
        code = main(words_of_report({**few, **wrong}, tmp_path / "out"))
        told = capfd.readouterr()
        assert code == 2, (wrong, told.err)
        assert told.err.count("\n") == 1 and word in told.err and told.out == "", (wrong, told.err)


def test_an_output_that_cannot_be_written_is_one_line_and_exit_1(few, tmp_path):
    (tmp_path / "file").write_text("x")
    done = report(few, tmp_path / "file" / "out")
    assert done.returncode == 1 and done.stderr.count("\n") == 1 and "cannot be written" in done.stderr


def test_a_missing_module_is_named_with_its_debian_package(few, tmp_path):
    (tmp_path / "pandas.py").write_text("raise ModuleNotFoundError(\"No module named 'pandas'\", name='pandas')\n")
    done = report(few, tmp_path / "out", {"PYTHONPATH": f"{tmp_path}:{PACKAGE}"})
    assert done.returncode == 1 and done.stderr.count("\n") == 1 and "apt install python3-pandas" in done.stderr


def without(few, folder, *absent):
    """A result file, and what the commands say of it, where the campaign had no "ceilings", "counts", "times" or (then all three) "cases"."""
    paths = {name: str(folder / pathlib.Path(path).name) for name, path in few.items()} | {"nodes": few["nodes"]}
    said = {command: json.loads(pathlib.Path(few[command]).read_text()) for command in ("show", "ceilings", "score")}
    emptied = {"ceilings": ["ceilings"], "counts": ["counts"], "times": ["times"], "cases": ["cases", "outcomes", "model"]}
    if "ceilings" in absent:
        said["ceilings"]["rows"] = []
    if "counts" in absent:
        for row in said["score"]["rows"]:
            row.update(ratio=None, measured=None, status="unavailable", reason="no counting pass")
        for row in said["show"]["rows"]:
            row.update(levels={})
    if "times" in absent:
        for row in said["show"]["rows"]:
            row.update(gflops=None, seconds=None, percent_of_roof=None, status="unavailable", reason="no timing pass")
    if "cases" in absent:
        said["show"]["rows"], said["score"]["rows"], said["score"]["counters"] = [], [], []
    shutil.copy(few["file"], paths["file"])
    with h5py.File(paths["file"], "a") as file:
        for table in (table for what in absent for table in emptied[what]):
            layout = file[table].dtype
            del file[table]
            file[table] = numpy.zeros(0, layout)
    for command, document in said.items():
        pathlib.Path(paths[command]).write_text(json.dumps(document))
    return paths


@pytest.mark.parametrize(
    "absent, drawn, left_out",
    [
        (("ceilings",), {"accuracy"}, ("roofline of n1 · fp64 · r1t1 (the file has no ceilings)", "bandwidth figure", "vector figure")),
        (("times", "ceilings"), {"accuracy"}, ("no timing pass", "roofline", "bandwidth figure", "vector figure")),
        (("counts", "ceilings"), set(), ("accuracy figure (nothing was counted: no counting pass)", "roofline", "bandwidth figure")),
        (("counts",), {"bandwidth-n1-r1t1", "vector-n1-fp64-r1t1"}, ("accuracy figure", "roofline")),
        (("cases", "times", "counts"), {"bandwidth-n1-r1t1", "vector-n1-fp64-r1t1"}, ("roofline (the file has no cases)", "accuracy figure")),
        (("cases", "times", "counts", "ceilings"), set(), ("roofline", "bandwidth figure", "vector figure", "accuracy figure")),
    ],
    ids=["no_ceilings", "count_only", "time_only", "no_counts", "ceilings_only", "empty"],
)
def test_what_a_file_holds_is_drawn_and_one_line_says_what_is_left_out(few, tmp_path, absent, drawn, left_out):
    done = report(without(few, tmp_path, *absent), tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert {path.stem for path in (tmp_path / "out").glob("*.png")} == drawn
    assert (tmp_path / "out" / "report.html").exists()
    assert done.stderr.count("\n") == 1 and done.stderr.startswith("left out: ")
    for word in left_out:
        assert word in done.stderr, done.stderr


def _series(what, node, row_class, state):
    points = [{"file": f"{day}.h5", "started_unix_ns": day * 86_400_000_000_000, "seconds": 1e-6 * (1 + day)} for day in range(3)]
    return {"what": what, "node": node, "class": row_class, "unit": "seconds", "state": state, "level_nights": 3, "level_seconds": 2e-6,
            "limit_lo_seconds": 1e-6, "limit_hi_seconds": 2.5e-6, "changes": [], "points": points}


def test_links_that_are_not_steady_share_a_figure_of_nights():
    latency = "ceiling/MPI link latency/r2t1"
    rows = [_series("a/case", "n1", "compute", "steady"), _series(latency, "n1 with n2", "link latency", "steady"),
            _series(latency, "n1 with n3", "link latency", "slow last night"), _series(latency, "n2 with n3", "link latency", "creeps up")]
    drawn = {name: figure for name, _, figure in history.figures(rows)}
    assert set(drawn) == {"history-n1", "history-links"}
    assert [axes.get_title(loc="left") for axes in drawn["history-links"].axes] == [f"{latency}, n1 with n3", f"{latency}, n2 with n3"]


def test_an_unforeseen_error_is_one_line_that_names_the_file_and_debug_shows_where(few, tmp_path):
    document = json.loads(pathlib.Path(few["show"]).read_text())
    document["rows"][0]["levels"] = "all"
    (tmp_path / "show.json").write_text(json.dumps(document))
    done = report(few, tmp_path / "out", show=str(tmp_path / "show.json"))
    assert done.returncode == 1 and done.stderr.count("\n") == 1, done.stderr
    assert few["file"] in done.stderr and "AttributeError" in done.stderr and "Traceback" not in done.stderr
    assert "Traceback" in report(few, tmp_path / "out", None, "--debug", show=str(tmp_path / "show.json")).stderr


# ------------------------------------------------------------------------------------------------------------------ figures


def roofline_of(paths):
    show, ceilings = judged.read(paths["show"], "show"), judged.read(paths["ceilings"], "ceilings")
    (group,), _ = groups.groups_of(show["rows"])
    rows, _ = groups.chosen(group.rows)
    with matplotlib.rc_context(style.SETTINGS):
        return roofline.draw(group, groups.roofs_of(ceilings["rows"], group), rows), rows


def roof_names(figure):
    """The names of all roofs: along the lines, and of arithmetic in the column beside the frame, whose lines are joined here."""
    beside = [text.get_text().replace("\n", " ").replace("\u00a0", " ") for text in figure.texts if text.get_gid() == "peak"]
    return [text.get_text() for text in figure.axes[0].texts] + beside


def profiled(paths, functions):
    """The judgements with a profile of so many functions, of different kernels."""
    show, ceilings = (json.loads(pathlib.Path(paths[name]).read_text()) for name in ("show", "ceilings"))
    rows = {row["kernel"]: row for row in show["rows"] if row["status"] == "ok" and row.get("percent_of_roof")}
    show["profile"] = synthetic.profile(list(rows.values())[:functions])
    return show, ceilings


def test_a_profile_is_bars_with_intervals_and_places_with_their_numbers(many):
    show, ceilings = profiled(many, 13)
    figure = program.draw(program.of(show), ceilings["rows"], show["rows"])
    bars, places = figure.axes
    names = [label.get_text() for label in bars.get_yticklabels()]
    assert len(names) == 13 and names[-1] == "1 other function" and names[0].endswith("  1")
    first = show["profile"]["rows"][1]
    assert bars.patches[0].get_width() == pytest.approx(100 * first["share"])
    (interval,) = bars.collections[0].get_segments()
    assert [x for x, _ in interval] == pytest.approx([100 * first["share_lo"], 100 * first["share_hi"]])
    assert any(text.get_text().strip().startswith(f"{first['percent_of_roof']:.0f} % of ") for text in bars.texts)
    assert bars.get_xlim()[1] <= 100 and abs(bars.get_ylim()[0] - bars.get_ylim()[1]) >= program.LEAST_BARS, "parts of a whole, and bars of a bar's height"
    assert {str(number) for number in range(1, 13)} <= {text.get_text() for text in places.texts}


def test_a_profile_without_ceilings_is_bars_alone_and_what_few_samples_met_has_no_place(few):
    show, ceilings = profiled(few, 2)
    assert len(program.draw(program.of(show), [], show["rows"]).axes) == 1
    for row in show["profile"]["rows"][1:]:
        row["samples"] = 9
    figure = program.draw(program.of(show), ceilings["rows"], show["rows"])
    assert len(figure.axes) == 1 and not any("%" in text.get_text() for text in figure.axes[0].texts)
    assert program.of({**show, "profile": None}) is None and program.of({"rows": []}) is None


def test_no_two_labels_of_a_roofline_overlap(many):
    figure, rows = roofline_of(many)
    figure.canvas.draw()
    renderer = figure.canvas.get_renderer()
    texts = [text for text in list(figure.axes[0].texts) + list(figure.texts) if text.get_text() and abs(text.get_rotation()) < 1]
    assert len(texts) > 2 * len(rows)
    boxes = [text.get_window_extent(renderer).shrunk(0.98, 0.9) for text in texts]
    for i, one in enumerate(boxes):
        assert 0 <= one.x0 and one.x1 <= figure.bbox.width and 0 <= one.y0 and one.y1 <= figure.bbox.height, texts[i]
        for j in range(i):
            assert not one.overlaps(boxes[j]), (texts[i].get_text(), texts[j].get_text())


def test_every_case_has_its_number_and_every_roof_its_value_and_spread(many):
    figure, rows = roofline_of(many)
    texts = roof_names(figure)
    assert {str(i) for i in range(1, len(rows) + 1)} <= set(texts)
    for label in ("L1 load 525 GB/s, CV 0.4 %", "mem load 40 GB/s, CV 3.4 %", "FP64 FMA+ADD: 189, CV 0.3 %"):
        assert label in texts


def test_what_a_mix_of_fmas_leaves_of_the_peak_is_a_dashed_roof_below_it(few, tmp_path):
    show = json.loads(pathlib.Path(few["show"]).read_text())
    for row, fraction in zip(show["rows"], (0.60, 0.61, 0.2, 1.0)):
        row["fma_mix"] = {row["precision"]: {"fraction": fraction, "ceiling": (1 + fraction) / 2, "source": "emulated"}}
        row["compute_roof_gflops"] = 189.0 * (1 + fraction) / 2
        row["roof_gflops"] = 10.0 if fraction == 0.2 else 189.0  # bandwidth is the lower roof there
    (tmp_path / "show.json").write_text(json.dumps(show))
    figure, rows = roofline_of({**few, "show": str(tmp_path / "show.json")})
    (roof,) = own_roofs.mix_roofs(rows, [])
    assert roof["value"] == pytest.approx(189.0 * 0.805 if len(rows) > 1 else 189.0 * 0.8, rel=0.01)
    assert any("mix of FMA fraction 0.6" in name for name in roof_names(figure))
    assert any(line.get_linestyle() == "--" and set(line.get_ydata()) == {roof["value"]} for line in figure.axes[0].lines)


def test_a_roof_by_occupancy_is_drawn_from_a_measured_basis_alone(few, tmp_path):
    show = json.loads(pathlib.Path(few["show"]).read_text())
    for row in show["rows"]:
        row["occupancy_roof"] = {"warps": 4.0, "most_warps": 64.0, "part": 0.3, "gflops": 56.7, "status": "ok", "reason": None}
    (tmp_path / "show.json").write_text(json.dumps(show))
    figure, rows = roofline_of({**few, "show": str(tmp_path / "show.json")})
    assert own_roofs.occupancy_roofs(rows, []) == [{"name": "at 4 of 64 warps", "value": 56.7}], "one for all cases that share it"
    assert any(name.startswith("at 4 of 64 warps") for name in roof_names(figure))
    assert any(line.get_linestyle() == "--" and set(line.get_ydata()) == {56.7} for line in figure.axes[0].lines)
    assert own_roofs.occupancy_roofs(rows, [{"value": 57.0}]) == [], "one within 2 % of a ceiling is that ceiling"
    for row in show["rows"]:
        row["occupancy_roof"] = {"warps": None, "most_warps": None, "part": None, "gflops": None, "status": "unavailable", "reason": "no rates by warps"}
    (tmp_path / "show.json").write_text(json.dumps(show))
    figure, rows = roofline_of({**few, "show": str(tmp_path / "show.json")})
    assert own_roofs.occupancy_roofs(rows, []) == []
    assert any("No roofs by occupancy: no rates by warps." in text.get_text().replace("\n", " ") for text in figure.findobj(matplotlib.text.Text))


def test_a_case_stands_under_the_nearest_team_and_the_figure_says_so(few):
    show, ceilings = judged.read(few["show"], "show"), judged.read(few["ceilings"], "ceilings")
    for row in show["rows"]:
        row["threads"] = 2
    (group,), _ = groups.groups_of(show["rows"])
    assert groups.roofs_of(ceilings["rows"], group).note == "ceilings of r1t1"
    double = [{**row, "threads": 2, "value": row["value"] and 2 * row["value"]} for row in ceilings["rows"]]
    roofs = groups.roofs_of(ceilings["rows"] + double, group)
    assert roofs.note == "" and roofs.top == 2 * 189.0


def test_a_case_on_two_gpus_stands_under_the_roofs_of_both_together(few):
    show, ceilings = judged.read(few["show"], "show"), judged.read(few["ceilings"], "ceilings")
    for row in show["rows"]:
        row.update(case=row["case"].replace("/r1t1/", "/g2/"), gpu="GPU, GPU1", gpus=2)
    (group,), _ = groups.groups_of(show["rows"])
    assert group.team == "GPU, GPU1"
    of_first = [{**row, "scope": "GPU", "name": "GPU " + row["name"]} for row in ceilings["rows"]]
    assert groups.roofs_of(ceilings["rows"] + of_first, group) is None, "what one of them can do is no roof over both, nor a CPU's"
    of_second = [{**row, "name": row["name"].replace("GPU ", "GPU1 "), "value": row["value"] and 3 * row["value"]} for row in of_first]
    roofs = groups.roofs_of(ceilings["rows"] + of_first + of_second, group)
    assert roofs.note == "" and roofs.top == 4 * 189.0


def test_title_and_legend_of_a_figure_with_one_panel_do_not_overlap(few):
    show, ceilings = judged.read(few["show"], "show"), judged.read(few["ceilings"], "ceilings")
    (group,), _ = groups.groups_of(show["rows"])
    group.rows[:] = [row for row in group.rows if row["kernel"] == group.rows[0]["kernel"]]
    figure = cases.draw(group, groups.roofs_of(ceilings["rows"], group))
    figure.canvas.draw()
    title, legend = figure._suptitle.get_window_extent(), figure.legends[0].get_window_extent()
    assert not title.overlaps(legend) and legend.x0 >= 0
    assert legend.y0 > figure.axes[0].title.get_window_extent().y1


def test_a_figure_numbers_all_cases_or_the_fastest_of_each_work_or_kernel():
    def rows(kernels, sizes, flavors):
        return [{"case": f"s/k{k}/fp64/n={n}/r1t1/f{f}", "kernel": f"s/k{k}", "gflops": 1.0 + f} for k in range(kernels) for n in range(sizes)
                for f in range(flavors)]

    for shape, count, word in (((2, 2, 3), 12, ""), ((2, 3, 3), 6, "6 of 18 cases: the fastest of each work"),
                               ((2, 9, 3), 2, "2 of 54 cases: the fastest of each kernel")):
        chosen, what = groups.chosen(rows(*shape))
        assert len(chosen) == count and what.startswith(word) and bool(what) == bool(word)
        assert word == "" or {row["gflops"] for row in chosen} == {3.0}
    wholes = rows(2, 9, 1)
    phases = [{**row, "case": row["case"] + "#norm", "phase": "norm", "gflops": 9.0} for row in wholes]
    assert [row["case"] for row in groups.chosen(phases + wholes)[0]] == ["s/k0/fp64/n=0/r1t1/f0", "s/k1/fp64/n=0/r1t1/f0"]


def test_peaks_side_by_side_share_a_label():
    def peak(name, value):
        return {"name": name, "value": value, "cv": 0.01}

    peaks = [peak("FP64 vector FMA", 123.0), peak("FP64 vector add", 61.7), peak("FP64 vector mul", 61.5), peak("FP64 scalar add", 8.3)]
    assert [text for _, text in roof_labels.peak_labels(peaks)] == [
        "FP64 vector FMA: 123 GFLOP/s, CV 1 %", "FP64 vector add: 61.7, mul: 61.5 GFLOP/s", "FP64 scalar add: 8.3 GFLOP/s, CV 1 %"]
    assert [at["value"] for at, _ in roof_labels.peak_labels(peaks)] == [123.0, 61.7, 8.3]
    peaks = [{"name": name, "value": value} for name, value in (
        ("mix of FMA fraction 0.07", 63.3), ("FP64 vector mul+add", 59.1), ("FP64 vector FMA", 59.0), ("mix of FMA fraction 0.83", 58.4))]  # fmt: skip
    assert [text for _, text in roof_labels.peak_labels(peaks)] == [
        "mix of FMA fraction 0.07: 63.3, FP64 vector mul+add: 59.1, FMA: 59, mix of FMA fraction 0.83: 58.4 GFLOP/s"
    ]


def test_nothing_counted_is_no_accuracy_figure_but_some_counted_is():
    absent = {"counter": "a", "quantity": "q", "case": "x", "ratio": None, "measured": None, "status": "unavailable"}
    counted = {**absent, "counter": "b", "ratio": 1.0, "status": "ok"}
    assert accuracy.lines_of({"rows": [absent]}) == []
    assert [line[0] for line, _ in accuracy.lines_of({"rows": [absent, counted]})] == ["b", "a"]


def test_a_functions_stray_flops_are_no_point(few):
    """Points of stray FLOPs would stretch the axes of what the program does over ten decades."""
    row = next(row for row in judged.read(few["show"], "show")["rows"] if row["status"] == "ok" and row["flops"])

    def function(part, flops):
        return {**row, "case": f"program/p/fp64/part={part}/r1t1/native", "kernel": "program/p", "flops": flops}

    rows = [function("whole", 1e9), function("solve", 0.9e9), function("print", 1e5), {**row, "flops": 1.0}]
    (group,), left_out = groups.groups_of(rows)
    assert [one["flops"] for one in group.rows] == [1e9, 0.9e9, 1.0]
    assert left_out == [("program/p/fp64/part=print/r1t1/native", "less than 0.1% of the program's FLOPs")]


def test_what_cannot_be_drawn_is_left_out_with_its_reason(few):
    show = judged.read(few["show"], "show")
    _, left_out = groups.groups_of(show["rows"])
    assert left_out == [("validation/triad/fp64/n=1/r1t1/gcc12-O3-v4", "no AVX-512 here")]


def test_levels_that_carry_next_to_nothing_do_not_stretch_the_axis():
    def level(ai):
        return {"ai": ai, "ai_lo": ai, "ai_hi": None}

    assert [point[0] for point in roofline.points_of({"levels": {"L1": level(1.0), "L3": level(5e6), "mem": level(None)}})] == ["L1"]
    assert [point[0] for point in roofline.points_of({"levels": {"L1": level(1e5), "L3": level(5e6)}})] == ["L1"]


def test_simulated_bytes_are_hollow_and_counted_ones_are_filled():
    figure = style.figure(2, 2)
    axes = figure.add_subplot()
    for source in ("hardware", "emulated"):
        style.draw_point(axes, 1, 1, "L1", source)
    filled, hollow = axes.lines
    assert filled.get_markerfacecolor() == style.LEVELS["L1"][0] and hollow.get_markerfacecolor() == "white"


def test_another_counters_bytes_are_crosses_beside_the_case_and_named(few, tmp_path):
    show = json.loads(pathlib.Path(few["show"]).read_text())
    for row in show["rows"]:
        ai = ((row["levels"] or {}).get("L2") or {}).get("ai")
        row["displaced"] = {"counter": "accesses x 16 B", "level": "L2", "ai": ai and ai / 5, "status": "ok"}
    (tmp_path / "show.json").write_text(json.dumps(show))
    figure, rows = roofline_of({**few, "show": str(tmp_path / "show.json")})
    crosses = [line.get_xdata()[0] for line in figure.axes[0].lines if line.get_gid() == "displaced"]
    assert crosses == [row["displaced"]["ai"] for row in rows if row["displaced"]["ai"]] and crosses
    assert any("accesses x 16 B" in text.get_text() for axes in figure.axes for text in axes.texts) or any(
        "accesses x 16 B" in text.get_text() for text in figure.texts)


def test_bandwidth_sweeps_and_vector_sweeps_are_found(few):
    tables, ceilings = load(few["file"]), judged.read(few["ceilings"], "ceilings")
    sweeps = bandwidth.sweeps_of(tables)
    assert set(sweeps) == {("n1", "r1t1")} and set(sweeps["n1", "r1t1"].pattern) == {"load", "triad", "nt store"}
    assert bandwidth.plateaus(ceilings["rows"], "n1", "r1t1") == {"L1": 48 * 1024, "L2": 2**20, "L3": 32 * 2**20}
    ((group, points),) = vector.sweeps_of(tables)
    assert (group.node, group.precision, len(points)) == ("n1", "fp64", 20)


def test_accuracy_puts_zero_and_the_impossible_at_the_edges():
    row = {"ratio": None, "measured": 0.0}
    assert accuracy.ratio_of(row) == 0.0
    assert accuracy.ratio_of({**row, "measured": 5.0}) == float("inf")
    assert accuracy.ratio_of({**row, "measured": None}) is None
    assert accuracy.ratio_of({"ratio": 1.2}) == 1.2


def test_flavors_are_grouped_by_optimization_level():
    cases = {"gcc12-O3-v3": "O3", "clang14-O0-v2": "O0", "asm-avx512": "other", "lib-openblas": "other", "cuda13-sm_90a": "other"}
    for flavor, level in cases.items():
        assert accuracy.flavor_level(f"validation/triad/fp64/n=1/r1t1/{flavor}") == level


def test_conventions_are_lines_of_their_own():
    entry = {"counter": "c", "quantity": "bytes.reg-L1"}
    rows = [{**entry, "convention": name, "case": "x", "ratio": 1.0, "status": "ok"} for name in ("flow", "paper")]
    assert len(accuracy.lines_of({"rows": rows})) == 2


def test_numbers_are_short_and_never_in_exponents_where_they_can_be_plain():
    assert [style.short(value) for value in (525.0, 0.0625, 1234.0, 999.7, 0)] == ["525", "0.0625", "1234", "1000", "0"]
    assert [style.short_bytes(value) for value in (48 * 1024, 2**20, 512, 1.5 * 2**30)] == ["48 KiB", "1 MiB", "512 B", "1.5 GiB"]


def accuracy_figure(*rows):
    """The figure of one counter, whose rows have these values beside the usual ones."""
    usual = {"counter": "c", "quantity": "q", "case": "k/fp64/n=1/r1t1/gcc12-O3-v3", "ratio": 1.0, "measured": 8.0,
             "exact_lo": 8.0, "exact_hi": 8.0, "status": "ok", "reason": None}
    score = {"rows": [{**usual, **row} for row in rows]}
    with matplotlib.rc_context(style.SETTINGS):
        figure = accuracy.draw(accuracy.lines_of(score), score)
    texts = [text.get_text() for text in figure.axes[0].texts + figure.texts]
    return figure, texts, [line for line in figure.axes[0].lines if line.get_marker() == "o"]


ZERO_TEST = {"measured": 0.0, "exact_lo": 0.0, "exact_hi": 0.0}
OPEN_TO_ZERO = {"measured": 2.0, "exact_lo": 0.0, "exact_hi": 9.0}


def test_cases_that_tell_nothing_are_words_and_not_dots_at_one():
    _, texts, dots = accuracy_figure(ZERO_TEST, ZERO_TEST, OPEN_TO_ZERO)
    assert not dots and "zero test 2/2, 1 cannot tell" in texts and "2/2" in texts
    _, texts, dots = accuracy_figure(ZERO_TEST, OPEN_TO_ZERO, {})
    assert [len(line.get_xdata()) for line in dots] == [1] and "1/1" in texts


def test_a_failed_zero_test_is_an_arrow_and_counts_as_failed():
    figure, texts, _ = accuracy_figure(ZERO_TEST, {**ZERO_TEST, "measured": 5.0, "ratio": None})
    assert "1/2" in texts and [line for line in figure.axes[0].lines if line.get_marker() == ">"]


def test_why_something_is_absent_stands_once_and_in_full_below_the_figure():
    reason = "the emulator decodes up to x86-64-v3: count this kernel's v3 flavor, which is long enough to be cut in the middle of a column"
    absent = {"ratio": None, "measured": None, "status": "unavailable", "reason": reason}
    _, texts, _ = accuracy_figure({}, absent, {**absent, "case": "other"}, {**absent, "counter": "d"})
    assert [text for text in texts if "emulator" in text] == [f"absent: {reason} (2 cases)"]
    assert texts.count("2") == 1 and texts.count("1") == 1  # in the column of each counter
    _, texts, _ = accuracy_figure({}, absent, {**absent, "reason": "no permission"})
    assert "2 ab" in texts and "absent b: no permission (1 case)" in texts


def test_the_columns_of_the_accuracy_figure_do_not_touch(few):
    score = judged.read(few["score"], "score")
    with matplotlib.rc_context(style.SETTINGS):
        figure = accuracy.draw(accuracy.lines_of(score), score)
    boxes = [text.get_window_extent(figure.canvas.get_renderer()) for text in figure.axes[0].texts if text.get_text()]
    for i, one in enumerate(boxes):
        assert 0 <= one.x0 and one.x1 <= figure.bbox.width
        assert not any(one.overlaps(other) for other in boxes[:i])


def machine_of(pus, cores, caches):
    facts = {"pus": pus, "cores": cores, "caches": [dict(zip(("level", "bytes", "shared_by_cpus"), cache)) for cache in caches]}
    return pandas.DataFrame({"node": ["n1"], "json": [json.dumps(facts)]})


def test_a_team_has_the_private_caches_of_its_cores_and_shares_the_others():
    caches = [(1, 48 << 10, 2), (2, 1 << 20, 2), (3, 32 << 20, 8)]  # two hardware threads a core, four cores in an L3
    for team, private, shared in (("r1t1", 1, 1), ("r2t2", 4, 1), ("r2t4", 8, 2)):
        sizes = bandwidth.cache_sizes(machine_of(32, 16, caches), "n1", team)
        assert sizes == {"L1": private * 48 << 10, "L2": private << 20, "L3": shared * 32 << 20}
    assert bandwidth.cache_sizes(machine_of(32, 16, caches), "another", "r1t1") == {}
    assert bandwidth.cache_sizes(pandas.DataFrame({"node": ["n1"], "json": ["{}"]}), "n1", "r1t1") == {}


def test_a_measured_plateau_is_not_taken_for_the_size_of_a_cache(few):
    points = bandwidth.sweeps_of(load(few["file"]))["n1", "r1t1"]
    with matplotlib.rc_context(style.SETTINGS):
        figure = bandwidth.draw("n1", "r1t1", points, {"L1": 48 << 10, "L2": 384 << 10}, {"L1": 48 << 10, "L2": 2 << 20, "L3": 1 << 40})
    texts = [text for text in figure.axes[0].texts if text.get_text()]
    assert {text.get_text() for text in texts} == {"L1 plateau to 48 KiB", "L2 plateau to 384 KiB", "L1 48 KiB (hwloc)", "L2 2 MiB (hwloc)"}
    boxes = [text.get_window_extent(figure.canvas.get_renderer()) for text in texts]
    assert not any(one.overlaps(other) for i, one in enumerate(boxes) for other in boxes[:i])


def with_fills(ceilings):
    """The judgement's ceilings, as where a triad's stores fetch the lines that they fill."""
    for row in ceilings["rows"]:
        if row["pattern"] == "triad" and row["level"] != "L1":
            row["traffic_gbs"] = row["value"] * 4 / 3
    return ceilings


def test_a_roof_with_write_allocate_says_so_and_the_note_gives_what_ceilings_prints(few):
    show, ceilings = judged.read(few["show"], "show"), with_fills(judged.read(few["ceilings"], "ceilings"))
    (group,), _ = groups.groups_of(show["rows"])
    with matplotlib.rc_context(style.SETTINGS):
        figure = roofline.draw(group, groups.roofs_of(ceilings["rows"], group), group.rows)
    labels = {text.get_text() for text in figure.axes[0].texts}
    assert "L2 triad 299 GB/s with write-allocate, CV 0.4 %" in labels and "L1 load 525 GB/s, CV 0.4 %" in labels
    beside = " ".join(text.get_text() for text in figure.texts)
    assert "without: L2 224, L3 101, memory 34.4" in beside


def test_symbols_of_the_legend_are_hollow_as_long_as_no_point_is_filled(few):
    show, ceilings = judged.read(few["show"], "show"), judged.read(few["ceilings"], "ceilings")
    (group,), _ = groups.groups_of(show["rows"])
    roofs = groups.roofs_of(ceilings["rows"], group)
    for sources, faces in ((["emulated"], "white"), (["emulated", "hardware"], style.LEVELS["L1"][0])):
        handles, _ = key.legend_entries([{**group.rows[0], "bytes_source": source} for source in sources], roofs)
        assert handles[0].get_markerfacecolor() == faces


def test_the_bands_of_a_line_are_the_limits_of_its_kind():
    row = {"node": "n", "measured": 1.0, "exact_lo": 1.0, "exact_hi": 1.0, "ratio": 1.0, "status": "ok", "reason": "", "case": "k/fp64/r1t1/gcc12-O3-v3"}
    rows = [{**row, "counter": counter, "quantity": quantity} for counter, quantity in (("f", "flops.fp64"), ("b", "bytes.L1-L2"))]
    score = {"rows": rows, "counters": []}
    figure = accuracy.draw(accuracy.lines_of(score), score)
    bands = {band.get_gid(): band.get_paths()[0].get_extents() for band in figure.axes[0].collections if band.get_gid()}
    for name, position, limit in (("flops.fp64 0.01", 0, 0.01), ("flops.fp64 0.02", 0, 0.02), ("bytes.L1-L2 0.05", 1, 0.05), ("bytes.L1-L2 0.15", 1, 0.15)):
        assert bands[name].x0 == pytest.approx(1 - limit) and bands[name].x1 == pytest.approx(1 + limit)
        assert bands[name].y0 < position < bands[name].y1
    assert len(bands) == 4


def test_each_level_is_drawn_by_the_source_of_its_own_bytes(few):
    show, ceilings = judged.read(few["show"], "show"), judged.read(few["ceilings"], "ceilings")
    (group,), _ = groups.groups_of(show["rows"])
    row = next(row for row in group.rows if row["levels"]["L2"]["ai"] and row["levels"]["mem"]["ai"])
    row["bytes_source"] = "mixed"
    for level, at in row["levels"].items():
        at["source"] = "hardware" if level == "mem" else "emulated"
    roofs = groups.roofs_of(ceilings["rows"], group)
    with matplotlib.rc_context(style.SETTINGS):
        figure = roofline.draw(group, roofs, [row])
    faces = {line.get_markeredgecolor(): line.get_markerfacecolor() for line in figure.axes[0].lines if line.get_marker() in "sD"}
    assert faces[style.LEVELS["L2"][0]] == "white" and faces[style.LEVELS["mem"][0]] == style.LEVELS["mem"][0]
    _, names = key.legend_entries([row], roofs)
    assert set(style.BYTES_SOURCES[source] for source in ("hardware", "emulated")) <= set(names)


@pytest.mark.parametrize("size", [7.0, 3.6])
def test_levels_in_one_place_are_one_inside_the_other_and_all_seen(size):
    axes = style.figure(8, 8).add_axes((0, 0, 1, 1))
    axes.set(xscale="log", yscale="log", xlim=(0.01, 100), ylim=(0.1, 10))
    points = [("L1", None, 1.0, None), ("L2", None, 1.0, None), ("L3", None, 1.001, None), ("mem", None, 20.0, None)]
    outer, middle, inner, alone = roofline.sizes_of(axes, points, 1.0, size)
    assert outer > middle > inner > 0 and alone == size
    assert outer - middle > 0.5 * size and middle - inner > 0.5 * size


# ------------------------------------------------------------------------------------------------------------------ box sizes


def smoother_tables(keep=lambda n: True):
    cases, model, shown = synthetic.smoother()
    kept = [case[0] for case in cases if keep(json.loads(case[-1])["n"])]
    frames = {name: pandas.DataFrame(rows, columns=[column.split(":")[0] for column in synthetic.LAYOUT[name].split()])
              for name, rows in (("cases", cases), ("model", model))}
    return {"cases": frames["cases"][frames["cases"].id.isin(kept)], "model": frames["model"][frames["model"].case.isin(kept)]}, shown


def box_figure(tables, shown):
    (chart,) = boxes.charts_of(tables, shown)
    with matplotlib.rc_context(style.SETTINGS):
        return chart, boxes.draw(chart)


def drawn_lines(axes, name):
    return [line for line in axes.lines if line.get_gid() == name]


def test_intensity_over_box_size_has_the_models_band_and_the_papers_law():
    chart, figure = box_figure(*smoother_tables())
    assert chart.slug == "gsrb-n1-fp64-r1t1" and chart.boundary == "L2-L3", "from memory comes nothing that could tell"
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["variant=fp", "variant=branch", "variant=stride2"]
    for axes, (variant, flops) in zip(figure.axes, synthetic.SMOOTHED.items()):
        exact = {n: (flops * n**3 / (1.25 * 64 * (n + 3) ** 3), flops * n**3 / (64 * (n + 3) ** 3)) for n in (16, 32, 64)}
        (low,), (high,), (law,) = (drawn_lines(axes, name) for name in ("low", "high", "law"))
        assert dict(zip(low.get_xdata(), low.get_ydata())) == pytest.approx({8: flops * 512 / (64 * 11**3), **{n: ends[0] for n, ends in exact.items()}})
        assert dict(zip(high.get_xdata(), high.get_ydata())) == pytest.approx({n: ends[1] for n, ends in exact.items()})
        (band,) = [part for part in axes.collections if part.get_gid() == "band"]
        corners = {(round(x, 3), round(y, 6)) for x, y in band.get_paths()[0].vertices}
        assert {(float(n), round(end, 6)) for n, ends in exact.items() for end in ends} <= corners
        assert len(drawn_lines(axes, "open")) == 1 and drawn_lines(axes, "open")[0].get_xdata()[0] == 8
        for n, value in zip(law.get_xdata(), law.get_ydata()):
            assert value == pytest.approx(flops / 56 * (n / (n + 4)) ** 3)
        assert (law.get_xdata()[0], law.get_xdata()[-1], law.get_linestyle()) == (pytest.approx(8), pytest.approx(64), "--")
        assert f"paper: {style.short(flops / 56)} × (n/(n+4))³" in {text.get_text() for text in axes.texts}


def test_counts_outside_of_the_models_band_are_seen_and_told():
    chart, figure = box_figure(*smoother_tables())
    sizes = {name: {size.n: size for size in panel} for name, panel in chart.panels.items()}
    outside = [(name, size.n) for name, panel in sizes.items() for size in panel.values() for value, _ in size.counted if not size.holds(value)]
    assert outside == [("variant=stride2", 64)]
    (value, source), = sizes["variant=stride2"][64].counted
    assert value == pytest.approx(synthetic.OUT_OF_BAND * sizes["variant=stride2"][64].low) and source == "emulated"
    dots = {line.get_xdata()[0]: line for line in figure.axes[2].lines if line.get_marker() == style.LEVELS["L3"][1] and line.get_gid() is None
            and line.get_markerfacecolor() == "white"}
    assert set(dots) == {16, 32, 64} and dots[64].get_ydata()[0] == pytest.approx(value)
    assert figure.axes[2].get_ylim()[0] < value < figure.axes[2].get_ylim()[1]
    (beyond,) = drawn_lines(figure.axes[2], "beyond")
    assert beyond.get_xdata()[0] == 8 and "no bytes" in {text.get_text() for text in figure.axes[2].texts}
    assert any("11 of 12 counted values in the model's interval" in text.get_text() for text in figure.texts)


def test_no_two_labels_of_a_figure_of_box_sizes_overlap():
    _, figure = box_figure(*smoother_tables())
    figure.canvas.draw()  # which puts the legend's words in place
    renderer = figure.canvas.get_renderer()
    texts = figure.texts + [text for axes in figure.axes for text in [*axes.texts, axes._left_title]] + figure.legends[0].get_texts()
    extents = [text.get_window_extent(renderer) for text in texts if text.get_text()]
    for i, one in enumerate(extents):
        assert 0 <= one.x0 and one.x1 <= figure.bbox.width and 0 <= one.y0 and one.y1 <= figure.bbox.height
        assert not any(one.overlaps(other) for other in extents[:i])


def test_the_title_of_a_figure_of_box_sizes_says_what_is_seen():
    tables, shown = smoother_tables()
    assert boxes.sentence(boxes.charts_of(tables, shown)[0]).startswith("Not every loop does more arithmetic for each byte from L3")
    tables, shown = smoother_tables(lambda n: n < 64)
    assert boxes.sentence(boxes.charts_of(tables, shown)[0]).startswith("Larger boxes do more arithmetic for each byte from L3")


def test_one_box_size_no_application_and_files_of_before_have_no_figure_of_box_sizes(few):
    assert boxes.charts_of(*smoother_tables(lambda n: n == 16)) == []
    assert boxes.charts_of(load(few["file"]), judged.read(few["show"], "show")["rows"]) == []
    tables, shown = smoother_tables()
    assert boxes.charts_of({**tables, "model": tables["model"].drop(columns="phase")}, shown) == []


def test_an_application_of_another_law_has_its_papers_values_joined():
    tables, shown = smoother_tables()
    paper = tables["model"].quantity == "paper.bytes"
    tables["model"].loc[paper, ["lo", "hi"]] = 1e6
    _, figure = box_figure(tables, shown)
    (law,) = drawn_lines(figure.axes[0], "law")
    assert list(law.get_ydata()) == pytest.approx([114.0 * n**3 / 1e6 for n in synthetic.SMOOTHER_SIZES])
    assert "the paper's counting" in {text.get_text() for text in figure.axes[0].texts}


def test_the_report_draws_box_sizes_where_the_file_has_them(few, tmp_path):
    cases, model, shown = synthetic.smoother()
    paths = {**few, "file": str(tmp_path / "boxes.h5"), "show": str(tmp_path / "show.json")}
    shutil.copy(few["file"], paths["file"])
    with h5py.File(paths["file"], "a") as file:
        for name, rows in (("cases", cases), ("model", model)):
            del file[name]
            file[name] = synthetic.table([column.split(":") for column in synthetic.LAYOUT[name].split()], rows)
    document = json.loads(pathlib.Path(few["show"]).read_text())
    pathlib.Path(paths["show"]).write_text(json.dumps({**document, "rows": document["rows"] + shown}))
    done = report(paths, tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out" / "boxes-gsrb-n1-fp64-r1t1.png").exists() and "box sizes" not in done.stderr
    done = report(few, tmp_path / "none")
    assert not list((tmp_path / "none").glob("boxes-*")) and "figure of box sizes (no application" in done.stderr


# ------------------------------------------------------------------------------------------------------------------ GPUs


def _gpu_ceiling(name, level, value, node="n1", precision="-"):
    unit = "GFLOP/s" if level == "compute" else "GB/s"
    return {"name": name, "precision": precision, "level": level, "pattern": "x", "ranks": 1, "threads": 1, "node": node, "value": value,
            "unit": unit, "status": "ok", "scope": "GPU"}


def test_cases_on_gpus_stand_under_their_own_gpus_roofs_and_no_cpus(few):
    cpu = json.loads(pathlib.Path(few["ceilings"]).read_text())["rows"]
    gpus = [_gpu_ceiling(f"{device} {name}", level, factor * value, precision=precision)
            for device, factor in (("GPU", 1.0), ("GPU1", 0.5))
            for name, level, value, precision in (("FP64 FMA", "compute", 30e3, "fp64"), ("mem load", "mem", 4e3, "-"))]
    row = json.loads(pathlib.Path(few["show"]).read_text())["rows"][0]
    on_gpus = [{**row, "case": "validation/triad/fp64/n=1/g1/cuda13-sm_90a", "gpu": gpu} for gpu in ("GPU", "GPU1", None)]
    found, _ = groups.groups_of([row, *on_gpus])
    assert [(group.team_name, len(group.rows)) for group in found] == [("one GPU", 2), ("GPU1", 1), ("r1t1", 1)]
    roofs = {group.team: groups.roofs_of(cpu + gpus, group) for group in found}
    assert (roofs["GPU"].top, roofs["GPU1"].top, roofs["GPU1"].bandwidths["mem"]["value"]) == (30e3, 15e3, 2e3)
    assert roofs["r1t1"].top < 1000 and not any(one.note for one in roofs.values())
    assert groups.roofs_of(cpu, found[0]) is None, "a CPU's ceilings are no roof of a GPU's case"
    assert groups.roofs_of(cpu + gpus[:2], found[1]).note == "ceilings of GPU"


def test_the_hosts_memory_is_a_level_of_a_gpus_roofline_and_no_cache():
    row = {"case": "validation/triad/fp64/n=1/g1/cuda13-sm_90a", "kernel": "validation/triad", "node": "n1", "precision": "fp64", "gpu": "GPU",
           "flavor": "cuda13-sm_90a", "ranks": 1, "threads": 1, "gflops": 5.0, "status": "ok", "reason": None, "bound": "system",
           "percent_of_roof": 80.0, "join": "model", "bytes_source": "model",
           "levels": {name: {"bytes": bytes, "ai": 2e6 / bytes, "ai_lo": 2e6 / bytes, "ai_hi": 2e6 / bytes, "source": "model"}
                      for name, bytes in (("L1", 24e6), ("mem", 8e6), ("system", 16e6))}}
    rows = [_gpu_ceiling("GPU FP64 FMA", "compute", 30e3, precision="fp64"), _gpu_ceiling("GPU mem load", "mem", 4e3),
            {**_gpu_ceiling("GPU from host, kernel, pinned", "system", 50.0), "size_bytes": 2**28},
            _gpu_ceiling("GPU from host, copy engine, pinned", "host-dev", 55.0)]
    (group,), _ = groups.groups_of([row])
    roofs = groups.roofs_of(rows, group)
    assert list(roofs.bandwidths) == ["mem", "system"] and roofs.ridge("system") == 600, "what a copy engine reaches is no roof"
    assert bandwidth.plateaus(rows, "n1", "GPU") == {}, "no working set fits the host's memory as it fits a cache"
    looks = list(style.LEVELS.values())
    assert len({color for color, _ in looks}) == len({marker for _, marker in looks}) == len(looks)
    texts = [text.get_text() for text in roofline.draw(group, roofs, group.rows).findobj(matplotlib.text.Text)]
    assert "host memory" in texts and any("80 % of the host memory roof" in text for text in texts)
    assert any(text.startswith("GPU from host, kernel, pinned 50 GB/s") for text in texts)


def test_sweeps_of_gpus_have_figures_of_their_own():
    names = ["load", "GPU load", "GPU1 load", "GPU1 copy"]
    rows = pandas.DataFrame({"name": names, "level": "sweep", "unit": "GB/s", "status": "ok", "working_set_bytes": 1e6, "value": 1.0, "ranks": 1,
                             "threads": 1, "node": "n1", "scope": ["", "GPU", "GPU", "GPU"]})
    assert {key: len(part) for key, part in bandwidth.sweeps_of({"ceilings": rows}).items()} == {("n1", "GPU"): 1, ("n1", "GPU1"): 2, ("n1", "r1t1"): 1}
    assert bandwidth.cache_sizes(pandas.DataFrame({"node": ["n1"], "json": ["{}"]}), "n1", "GPU1") == {}
