"""The family of rooflines: each figure says what the documents say, and no text of it lies on another."""
import datetime
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

for module in ("numpy", "pandas", "matplotlib"):
    pytest.importorskip(module, reason=f"SKIP: python3-{module} is not installed")
import matplotlib  # noqa: E402
import pandas  # noqa: E402

HERE = pathlib.Path(__file__).parent
GOLDEN = HERE.parent / "golden"
sys.path[:0] = [str(HERE.parent.parent / "analysis"), str(HERE)]

import overlapping  # noqa: E402
import synthetic_family as gpu  # noqa: E402
from plumbline_analysis import family, groups, own_roofs, projection, roof_labels, roofline, style, without_flops  # noqa: E402
from plumbline_analysis.family import heat, instructions, messages, nights, parameters, planes, trajectories  # noqa: E402
from plumbline_analysis.load import beside  # noqa: E402
from plumbline_analysis.papers import choosing, command, counterparts, drawing  # noqa: E402


@pytest.fixture(autouse=True)
def settings():
    with matplotlib.rc_context(style.SETTINGS):
        yield


def group_of(rows):
    (group,), _ = groups.groups_of(rows)
    return group


def with_gid(axes, word):
    return [artist for artist in axes.get_children() if (artist.get_gid() or "").startswith(word)]


# ------------------------------------------------------------------------------------------------------------------ time


@pytest.fixture(scope="module")
def drawn_planes():
    with matplotlib.rc_context(style.SETTINGS):
        level, placed, note = planes.planes_of(group_of(gpu.cases()))
        return level, placed, planes.draw(group_of(gpu.cases()), level, placed, note)


def test_a_case_of_each_region_is_drawn_as_what_bounds_it(drawn_planes):
    level, placed, figure = drawn_planes
    assert level == "mem" and len(placed) == 11, "kernels without FLOPs have no place"
    kernels = {"conv2d": "compute", "gsrb": "bandwidth", "lstm": "overhead"}
    assert all(one.complexity_region == kernels[one.row["kernel"].split("/")[1]] for one in placed)
    complexity, times, both = figure.axes[:3]
    for region, count in (("compute", 4), ("bandwidth", 3), ("overhead", 4)):
        assert len(with_gid(complexity, f"closed {region}")) == len(with_gid(both, f"closed {region}")) == count
    assert len(with_gid(times, "open")) == len(with_gid(both, "open")) == 11
    assert not with_gid(times, "open overhead"), "all of them took longer than their launches"


def test_the_boxes_edge_is_launches_times_overhead_and_times_peak_and_bandwidth(drawn_planes):
    complexity, times, both = drawn_planes[-1].axes[:3]
    launched = [launches * gpu.LAUNCH_SECONDS for launches in (1, 36, 68, 260)]

    def edges(axes):
        return [(box.get_x() + box.get_width(), box.get_y() + box.get_height()) for box in with_gid(axes, "overhead")]

    for x, y in edges(times):
        assert x == pytest.approx(y)
    assert [x for x, _ in edges(times)] == pytest.approx(launched)
    for axes in (complexity, both):
        assert [x for x, _ in edges(axes)] == pytest.approx([seconds * gpu.BANDWIDTHS["mem"] for seconds in launched])
        assert [y for _, y in edges(axes)] == pytest.approx([seconds * gpu.PEAK for seconds in launched])


def test_open_and_closed_symbols_of_a_case_have_the_same_intensity_and_their_gap_is_the_distance_from_the_roof(drawn_planes):
    _, placed, figure = drawn_planes
    for line, one in zip(with_gid(figure.axes[2], "performance"), placed):
        (closed_x, open_x), (closed_y, open_y) = line.get_data()
        assert open_y / open_x == pytest.approx(closed_y / closed_x) == pytest.approx(one.flops / one.bytes)
        at_roofs = max(one.flops / gpu.PEAK, one.bytes / gpu.BANDWIDTHS["mem"])
        assert open_x / closed_x == pytest.approx(one.row["seconds"] / at_roofs)


def test_cases_without_a_measured_overhead_have_no_box_and_the_figure_says_so():
    rows = gpu.cases()
    for row in rows:
        for key in ("launches", "overhead_seconds"):
            row.get("time_roofline", {}).pop(key, None)
    figure = planes.draw(group_of(rows), *planes.planes_of(group_of(rows)))
    assert not with_gid(figure.axes[0], "overhead") and not with_gid(figure.axes[1], "overhead")
    assert any("none was measured" in text.get_text().replace("\n", " ") for text in figure.texts)


def test_the_planes_say_whose_bytes_they_count_and_flag_what_is_above_its_roof():
    group = groups.groups_of([gpu.case("validation/triad", {"n": n}, 1e9, (1e10, 1e10, 1e10), efficiency) for n, efficiency in ((8, 0.7), (9, 1.2))])[0][0]
    level, placed, _ = planes.planes_of(group)
    figure = planes.draw(group, level, placed)
    flagged = [text.get_text() for text in figure.texts if text.get_color() == style.FLAG]
    assert len(flagged) == 1 and flagged[0].endswith("above its roof")
    assert [[text.get_text() for text in axes.texts if text.get_color() == style.FLAG] for axes in figure.axes] == [["1"]] * 3 or \
           [[text.get_text() for text in axes.texts if text.get_color() == style.FLAG] for axes in figure.axes] == [["2"]] * 3
    (caption,) = (text for text in figure.texts if text.get_text().startswith("bytes: what crosses"))
    assert caption.get_fontsize() >= 9 and "GB/s" in caption.get_text() and "GFLOP/s" in caption.get_text()


def test_no_place_in_the_planes_is_no_figure_and_a_note():
    notes = []
    rows = [{key: value for key, value in row.items() if key != "time_roofline"} for row in gpu.cases()]
    tables = {"ceilings": pandas.DataFrame(), "model": pandas.DataFrame()}
    figures = family.figures(tables, {"rows": []}, {"rows": rows}, {"rows": []}, None, notes)
    assert not list(figures), "without ceilings there are no roofs"
    assert any(note.startswith("time-based roofline") for note in notes)


def test_no_text_of_the_planes_lies_on_another(drawn_planes):
    assert overlapping.faults(drawn_planes[-1]) == []


# ------------------------------------------------------------------------------------------------------------------ hierarchical


def stored(name):
    """The ceilings that a CPU's golden file has, as `plumbline ceilings` prints them."""
    program = os.environ.get("PLUMBLINE")
    if not program:
        pytest.skip("SKIP: PLUMBLINE names no program to read the stored files with")
    done = subprocess.run([program, "ceilings", str(GOLDEN / "cpus" / f"{name}.h5"), "--json"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["rows"]


def cascade_lake(_):
    """Bandwidths in the middle of each level of the stored curve; two 512-bit pipes of FMAs at 3.1 GHz."""
    curve = json.loads((GOLDEN / "curves" / "cascade_lake_vm.json").read_text())
    edges = [0, *curve["levels"].values(), float("inf")]
    rows = []
    for level, low, high in zip(("L1", "L2", "L3", "mem"), edges, edges[1:]):
        inside = [max(samples) for size, *samples in curve["load_gbs"] if 2 * low < size <= high / 2]
        rows.append({"name": f"{level} load", "precision": "-", "level": level, "pattern": "load", "value": max(inside), "unit": "GB/s", "cv": 0.02})
    for words, flops in (("vector FMA", 32), ("FMA+add", 32), ("vector mul+add", 16), ("vector add", 16), ("vector mul", 16), ("scalar FMA", 4), ("scalar add", 2)):
        rows.append({"name": f"FP64 {words}", "precision": "fp64", "level": "compute", "pattern": words.replace("vector ", "").lower(), "value": 3.1 * flops,
                     "unit": "GFLOP/s", "cv": 0.003})
    return [{**row, "ranks": 1, "threads": 1, "node": "vm", "status": "ok", "scope": "core"} for row in rows]


MACHINES = {"zen5_vm": stored, "cascade_lake": cascade_lake, "granite_rapids_vm": stored, "gpu": lambda _: gpu.ceilings()["rows"]}
PRINT, REPORT, SCREEN = (7.5, 9.5), (12.5, 7.2), (16.0, 9.0)
# FLOPs a byte at L1; by how much less crosses into the next levels; of its roof.
SHAPES = [(0.06, 1.0, 0.9), (0.08, 1.3, 0.7), (0.125, 1.0, 0.5), (0.1, 2.5, 1.02), (0.2, 2.0, 0.3), (0.25, 1.5, 0.85), (0.7, 3.0, 0.9), (1.0, 4.0, 0.88),
          (1.2, 6.0, 0.8), (4.0, 3.0, 0.93), (8.0, 2.0, 0.95), (0.3, 1.0, 0.04), (0.31, 1.1, 0.041), (0.29, 1.2, 0.042), (16.0, 8.0, 0.97)]


def case_of(index, shape, roofs, on_gpu):
    intensity, growth, part = shape
    levels, rate, bound = {}, roofs.top, "compute"
    for step, (level, ceiling) in enumerate(roofs.bandwidths.items()):
        ai = intensity * growth**step
        levels[level] = {"bytes": 1e6 / ai, "ai": ai, "ai_lo": ai * (0.6 if index % 3 == 0 else 1), "ai_hi": ai, "source": "emulated"}
        if ai * ceiling["value"] < rate:
            rate, bound = ai * ceiling["value"], level
    limits = {"shortfall": {"limits": ["scalar"]}} if part < 0.5 else {}
    mix = {"fma_mix": {"fp64": {"fraction": 0.2 + 0.05 * index}}, "compute_roof_gflops": roofs.top * (0.6 + 0.025 * index)} if bound == "compute" else {}
    return {"case": f"validation/kernel{index}/fp64/n=1/{'g1' if on_gpu else 'r1t1'}/gcc12-O3-v4", "kernel": f"validation/kernel{index}",
            "label": f"kernel{index} with_a_parameter={index} another=2 gcc12-O3-v4", "flavor": "gcc12-O3-v4", "precision": "fp64", "gpu": "GPU",
            "ranks": 1, "threads": 1, "node": "g1" if on_gpu else "vm", "seconds": 1e-5 * 1.7**index, "flops": 1e6, "gflops": part * rate, "levels": levels,
            "bound": bound, "percent_of_roof": 100 * part, "roof_gflops": rate, "join": "same", "bytes_source": "emulated", "status": "ok", "reason": None,
            "above_roof_reason": "the samples of the ceiling spread as far" if part > 1 else None, **limits, **mix}


def roofline_on(machine, size=REPORT, **options):
    rows = MACHINES[machine](machine)
    team, node = ("GPU", "g1") if machine == "gpu" else ("r1t1", "vm")
    group = groups.Group(node, team, "fp64", [])
    roofs = groups.roofs_of(rows, group)
    group.rows[:] = [case_of(index, shape, roofs, machine == "gpu") for index, shape in enumerate(SHAPES)]
    strip = without_flops.Strip([("halo", 3e-5), ("ghosts@1", 1e-5), ("pad", 1e-7)], 1e-3)
    return roofline.draw(group, roofs, group.rows, "15 of 30 cases: the fastest of each kernel", size, strip=strip, **options), group, roofs


@pytest.mark.parametrize("size", [PRINT, REPORT, SCREEN], ids=["print", "report", "screen"])
@pytest.mark.parametrize("machine", MACHINES)
def test_no_text_of_a_roofline_lies_on_another_on_any_machine_at_any_size(machine, size):
    figure, _, _ = roofline_on(machine, size)
    assert overlapping.faults(figure) == []


def test_every_peak_on_demand_still_has_room_for_its_name():
    figure, _, roofs = roofline_on("granite_rapids_vm", every=True)
    assert overlapping.faults(figure) == []
    told = " ".join(text.get_text().replace("\n", " ") for text in figure.texts if text.get_gid() == "peak")
    assert all(style.short(peak["value"]) in told for peak in roofs.peaks)


def test_only_ceilings_that_say_something_of_the_cases_are_drawn_and_the_others_are_told():
    peaks = [{"name": name, "pattern": pattern, "value": value} for name, pattern, value in (
        ("FP64 FMA+add", "fma+add", 90.0), ("FP64 vector FMA", "fma", 60.0), ("FP64 vector FMA (v3)", "fma", 59.0), ("FP64 vector add", "add", 30.0),
        ("FP64 scalar FMA", "scalar fma", 15.0), ("FP64 scalar add", "scalar add", 7.0))]

    def kept(*rows):
        return [peak["name"].removeprefix("FP64 ") for peak in roof_labels.that_matter(peaks, rows)[0]]

    assert kept({}) == ["FMA+add", "vector FMA"]
    assert kept({"shortfall": {"limits": ["scalar"]}}) == ["FMA+add", "vector FMA", "scalar FMA", "scalar add"]
    assert kept({"fma_mix": {"fp64": {"fraction": 0.1}}}) == ["FMA+add", "vector FMA", "vector add"]
    assert kept({"compute_roof_ceiling": "FP64 vector FMA (v3)"}) == ["FMA+add", "vector FMA", "vector FMA (v3)"]
    figure, *_ = roofline_on("zen5_vm")
    assert any("no case here is under them" in text.get_text() for text in figure.texts)


def test_a_number_of_a_label_stands_behind_what_it_is_of():
    peaks = [{"name": "FP64 vector FMA (v3)", "value": 118.4}, {"name": "FP64 vector FMA", "value": 118.2}, {"name": "mix of FMA fraction 0.07", "value": 63.3}]
    assert [text for _, text in roof_labels.peak_labels(peaks)] == ["FP64 vector FMA: 118, (v3): 118 GFLOP/s", "mix of FMA fraction 0.07: 63.3 GFLOP/s"]


def test_names_beside_the_frame_stand_at_their_lines_and_never_touch():
    assert roof_labels.spread_out([90, 50, 10], [10, 10, 10], 0, 100) == [90, 50, 10]
    packed = roof_labels.spread_out([52, 51, 50, 2], [10, 10, 10, 10], 0, 100)
    assert all(above - below >= 10 for above, below in zip(packed, packed[1:])) and packed[-1] == 5


def test_a_symbols_area_is_its_time_and_a_case_above_its_roof_is_flagged():
    sizes = [roofline.size_of_time({"seconds": seconds}, 4.0) for seconds in (4.0, 2.0, 1.0, 1e-6)]
    assert sizes[0] == roofline.LARGEST and sizes[1] ** 2 == pytest.approx(sizes[0] ** 2 / 2) and sizes[2] == pytest.approx(sizes[0] / 2)
    assert sizes[3] == roofline.SMALLEST
    figure, group, _ = roofline_on("zen5_vm")
    flagged = [text.get_text() for text in figure.axes[0].texts if text.get_color() == style.FLAG]
    assert flagged == [str(index) for index, row in enumerate(group.rows, start=1) if row["percent_of_roof"] > 100]
    assert any(text.get_text().startswith("above its roof:") and text.get_color() == style.FLAG for text in figure.texts)


def test_launches_that_bind_a_case_are_a_roof_of_its_own():
    group = group_of(gpu.cases())
    roofs = groups.roofs_of(gpu.ceilings()["rows"], group)
    figure = roofline.draw(group, roofs, group.rows, strip=without_flops.strip_of(gpu.cases(), group))
    caps = with_gid(figure.axes[0], "launch roof")
    lstm = [row for row in group.rows if "lstm" in row["kernel"]]
    assert [max(cap.get_ydata()) for cap in caps] == pytest.approx([row["flops"] / row["time_roofline"]["overhead_seconds"] / 1e9 for row in lstm])
    assert any("% of the roof of its 36 launches" in text.get_text() for text in figure.texts)


def test_kernels_without_flops_have_a_strip_with_their_number_and_share():
    rows = gpu.cases()
    strip = without_flops.strip_of(rows, group_of(rows))
    assert strip.text().startswith("2 kernels without FLOPs: ")
    whole = sum(row["seconds"] for row in rows)
    assert strip.share == pytest.approx(sum(row["seconds"] for row in rows if not row["flops"]) / whole)
    whole_run = {**rows[-1], "case": "proxies/app/fp32/n=1/g1/f", "flops": 1e9, "seconds": 4.0}
    phases = [{**whole_run, "case": f"{whole_run['case']}#{name}", "phase": name, "flops": flops, "seconds": seconds, "kernel": "proxies/app"}
              for name, flops, seconds in (("solve", 1e9, 3.0), ("halo", 0.0, 1.0))]
    of_app = without_flops.strip_of([whole_run, *phases], groups.Group("g1", "GPU", "fp32", []))
    assert of_app.parts == [("app halo", 1.0)] and of_app.share == 0.25, "phases stand for their application"
    assert without_flops.strip_of([whole_run], groups.Group("g1", "GPU", "fp32", [])) is None


def test_the_judge_of_overlaps_sees_them_and_turned_texts_as_they_lie():
    figure = style.figure(4, 3)
    for x, y, text, angle in ((0.5, 0.5, "a long text that is turned", 40), (0.62, 0.42, "beside it", 0)):
        figure.text(x, y, text, rotation=angle, ha="center", va="center", rotation_mode="anchor")
    assert overlapping.faults(figure) == [], "their upright boxes overlap, they do not"
    figure.text(0.5, 0.5, "on it")
    figure.text(0.95, 0.1, "beyond the edge")
    assert overlapping.faults(figure) == [("on it", "a long text that is turned"), ("beyond the edge", "leaves the figure")]


# ------------------------------------------------------------------------------------------------------------------ instructions


def test_the_instruction_roofline_is_of_instructions_a_second_and_a_byte():
    _, group, roofs = roofline_on("zen5_vm")
    for index, row in enumerate(group.rows):
        row["instructions"] = {"all": 2e5, "floating_point": 5e4, "per_cycle": 2e5 / row["seconds"] / 4e9} if index < 4 else {}
    drawn = instructions.as_instructions(group.rows[0])
    assert drawn["gflops"] == pytest.approx(2e5 / group.rows[0]["seconds"] / 1e9)
    assert drawn["levels"]["L1"]["ai"] == pytest.approx(2e5 / group.rows[0]["levels"]["L1"]["bytes"]) and "25 % floating-point" in drawn["verdict"]
    figure = instructions.draw(group, roofs)
    assert overlapping.faults(figure) == []
    highest = max(row["instructions"]["per_cycle"] for row in group.rows[:4])
    marks = [text.get_text().split()[0] for text in figure.texts if text.get_gid() == "peak"]
    assert max(map(int, marks)) >= highest and "1" in marks
    guides = with_gid(figure.axes[0], "guide")
    assert len(guides) == len(marks) and with_gid(figure.axes[0], "ridge") == [] and {line.get_linestyle() for line in guides} == {"--"}, "no invented roof"
    assert figure.axes[0].get_ylabel() == instructions.WORDS[2] and not any("FLOP/byte" in text.get_text() for text in figure.texts)


def test_without_counted_instructions_there_is_no_instruction_roofline():
    _, group, roofs = roofline_on("gpu")
    assert instructions.draw(group, roofs) is None


# ------------------------------------------------------------------------------------------------------------------ ways


def test_a_series_is_of_cases_that_differ_in_one_parameter_alone():
    found = parameters.series_of(gpu.cases())
    told = {(one.kernel, one.parameter): one.values for one in found}
    assert told == {("proxies/conv2d", "images"): [16, 32, 64, 128], ("proxies/gsrb", "n"): [64, 128, 256], ("proxies/lstm", "sequence"): [16, 32, 64, 128]}
    case = {"case": "proxies/cg/fp64/n=16/planes=2/r1t1/gcc12-O3-v3#dot", "ranks": 1, "threads": 1, "precision": "fp64"}
    assert parameters.parameters_of(case) == {"n": 16.0, "planes": 2.0, "phase": "dot"}
    rows = [{**row, "case": row["case"].replace(f"n={n}", f"n={n}/planes={n}")} for row in gpu.cases() for n in (64, 128, 256) if f"n={n}/" in row["case"]]
    assert parameters.series_of(rows) == [] and len(parameters.series_of(rows, "n", 3, ("planes",))) == 1


def test_ways_are_paths_of_each_level_from_the_first_value_to_the_last():
    group = group_of(gpu.cases())
    figure = trajectories.draw(group, groups.roofs_of(gpu.ceilings()["rows"], group))
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["lstm over sequence", "conv2d over images", "gsrb over n"], "the longest way first"
    (way,) = with_gid(figure.axes[0], "way mem")
    lstm = sorted((row for row in group.rows if "lstm" in row["kernel"]), key=lambda row: row["flops"])
    assert list(way.get_xdata()) == pytest.approx([row["levels"]["mem"]["ai"] for row in lstm])
    assert list(way.get_ydata()) == pytest.approx([row["gflops"] for row in lstm])
    assert {"16", "128"} <= {text.get_text() for text in figure.axes[0].texts}
    assert overlapping.faults(figure) == []


def test_ways_over_teams_are_under_each_teams_own_roofs():
    rows = cascade_lake("")
    both = rows + [{**row, "ranks": 2, "value": 1.9 * row["value"]} for row in rows]
    (one,), (two,) = ([group_of_team(ranks, both)] for ranks in (1, 2))
    figure = trajectories.draw_teams([one, two], lambda group: groups.roofs_of(both, group))
    axes = figure.axes[0]
    assert axes.get_title(loc="left") == "triad over ranks" and "n=8" in axes.get_title(loc="right")
    (way,) = with_gid(axes, "way mem")
    assert list(way.get_ydata()) == [2.0, 3.8]
    flat = {round(line.get_ydata()[-1], 6) for line in axes.lines if len(line.get_ydata()) == 2 and line.get_ydata()[0] == line.get_ydata()[-1]}
    assert {99.2, 188.48} <= flat, "the highest roof of each team"
    assert overlapping.faults(figure) == []
    assert trajectories.draw_teams([one], lambda group: groups.roofs_of(both, group)) is None


def group_of_team(ranks, rows):
    group = groups.Group("vm", f"r{ranks}t1", "fp64", [])
    row = case_of(0, (0.1, 1.0, 0.5), groups.roofs_of(rows, group), False)
    group.rows.append({**row, "case": f"validation/triad/fp64/n=8/r{ranks}t1/f", "kernel": "validation/triad", "flavor": "f", "ranks": ranks, "gflops": 2.0 * (1.9 if ranks == 2 else 1)})
    return group


def slower(rows, factor, word=""):
    """The rows as they were in another night: cases with `word` in their names took `factor` times as long."""
    return [{**row, "seconds": row["seconds"] * factor, "gflops": row["gflops"] / factor} if word in row["case"] else row for row in rows]


def date_of(day):
    return datetime.datetime(2026, 11, day, tzinfo=datetime.timezone.utc)


def test_ways_over_nights_are_of_cases_that_moved_under_the_first_and_the_last_nights_roofs():
    roofs = gpu.ceilings()["rows"]
    lower = [{**row, "value": 0.8 * row["value"]} if row["level"] == "mem" else row for row in roofs]
    documents = [(date_of(1), gpu.cases(), roofs), (date_of(8), slower(gpu.cases(), 1.02), roofs), (date_of(15), slower(gpu.cases(), 1.25, "gsrb"), lower)]
    (way,) = nights.ways_of(documents)
    group, first, last, panels = way
    assert last.bandwidths["mem"]["value"] == pytest.approx(0.8 * first.bandwidths["mem"]["value"])
    assert [key for key, _ in panels] == 3 * [("proxies/gsrb", "nights")], "what moved by less than 5 % stands still"
    assert all(series.values == ["Nov 01", "Nov 08", "Nov 15"] and "n=" in series.fixed for _, (series,) in panels)
    figure = trajectories.draw_panels(panels, last, "nights", "told", [first])
    assert {"Nov 01", "Nov 15"} <= {text.get_text() for text in figure.axes[0].texts} and not overlapping.faults(figure)
    assert not list(nights.ways_of(documents[:2])), "two nights are no way"


def test_nights_that_are_read_are_the_first_the_last_those_of_changes_and_some_between():
    def row(files, changed=(), disturbed=()):
        points = [{"file": f"n{day:03}.h5", "started_unix_ns": day * 86400 * 10**9, "disturbed": day in disturbed} for day in files]
        return {"points": points, "changes": [{"first_file": f"n{day:03}.h5"} for day in changed]}

    read = [file for file, _ in nights.chosen([row(range(100), changed=(41, 77), disturbed=(0, 50))])]
    assert len(read) == nights.MOST_NIGHTS and read == sorted(read) and {"n001.h5", "n041.h5", "n077.h5", "n099.h5"} <= set(read)
    days = [int(file[1:4]) for file in read]
    assert max(later - day for day, later in zip(days, days[1:])) < 25, "the others are spread over all nights"
    assert [file for file, _ in nights.chosen([row(range(5), changed=(3,))])] == [f"n{day:03}.h5" for day in range(5)]
    assert len(nights.chosen([row(range(100), changed=range(20, 60))])) == nights.MOST_NIGHTS
    assert nights.chosen([]) == []


def test_a_folder_of_real_results_has_its_ways_over_nights(tmp_path):
    h5py = pytest.importorskip("h5py", reason="SKIP: python3-h5py is not installed")
    for day in range(3):
        path = tmp_path / f"n{day}.h5"
        shutil.copy(GOLDEN / "projecting/zen4_vm.h5", path)
        with h5py.File(path, "r+") as file:
            times, outcomes = file["times"][:], file["outcomes"][:]
            times["seconds"] *= 1 + 0.3 * day
            outcomes["started_unix_ns"] = (20_000 + 7 * day) * 86400 * 10**9
            times["session"] = outcomes["session"] = f"night-{day}".encode()
            file["times"][...], file["outcomes"][...] = times, outcomes
    (tmp_path / "n3.h5").write_text("no result file")
    points = [{"file": f"n{day}.h5", "started_unix_ns": (20_000 + 7 * day) * 86400 * 10**9} for day in range(4)]
    notes = []
    drawn = [name for name, _, _ in nights.figures(tmp_path, [{"what": "ceiling/mem load/r1t1", "points": points, "changes": []}], notes)]
    assert drawn and all(name.startswith("history-ways-") for name in drawn)
    assert len(notes) == 1 and "n3.h5" in notes[0]
    assert not list(nights.figures(tmp_path, [{"what": "case/a", "points": points, "changes": []}], notes)) and "ceilings" in notes[-1]


def test_a_mix_of_precisions_is_named_by_its_parts_and_has_a_roof_where_arithmetic_binds():
    row = {"case": "k", "precision": "fp32", "compute_mix": {"fp32": 0.7, "fp64": 0.295, "tensor.bf16": 0.005}, "compute_roof_gflops": 41.0, "roof_gflops": 41.0}
    assert own_roofs.mix_roofs([row], []) == [{"name": "mix of 70 % fp32, 30 % fp64", "value": 41.0}]
    assert own_roofs.mix_roofs([{**row, "roof_gflops": 20.0}], []) == [], "bandwidth binds"
    alone = {"compute_mix": {"fp32": 0.995, "fp64": 0.005}, "fma_mix": {"fp32": {"fraction": 0.5}}}
    assert own_roofs.mix_name({**row, **alone}) == "mix of FMA fraction 0.50"
    assert own_roofs.mix_name({**row, **alone, "fma_mix": {"fp32": {"fraction": 1.0}}}) == ""


# ------------------------------------------------------------------------------------------------------------------ messages


def test_messages_stand_under_their_latency_and_bandwidth():
    def row(name, pattern, value, unit, size):
        return {"name": f"MPI {name}", "level": "mpi", "pattern": pattern, "value": value, "unit": unit, "status": "ok", "working_set_bytes": size, "node": "n"}

    points = [row(f"one way {place}", "one way", bandwidth / (1 + half / size), "GB/s", size) for place, bandwidth, half in (("inside a node", 12.0, 2e3), ("between nodes", 20.0, 9e4))
              for size in (8.0, 512.0, 8192.0, 131072.0, 4194304.0)]
    ceilings = [row(f"latency {place}", "latency", seconds, "seconds", 8.0) for place, seconds in (("inside a node", 2e-7), ("between nodes", 2e-6))]
    ceilings += [row("one way inside a node", "one way", 12.0, "GB/s", 0.0), row("one way between nodes", "one way", 20.0, "GB/s", 0.0)]
    model = pandas.DataFrame([("proxies/cg/fp64/n=1/r2t1/f", quantity, value, "halo") for quantity, value in (("exchange.bytes", 8e4), ("exchange.messages", 4.0))],
                             columns=["case", "quantity", "lo", "phase"])
    tables = {"ceilings": pandas.DataFrame(points), "model": model}
    shown = [{"case": f"proxies/cg/fp64/n=1/{team}/f#halo", "kernel": "proxies/cg", "ranks": ranks, "seconds": 1e-4} for team, ranks in (("r2t1", 2), ("r1t1", 1))]
    curves, roofs, exchanges = messages.curves_of(tables), messages.roofs_of(ceilings), messages.exchanges_of(tables, shown)
    assert set(curves) == {("inside a node", "one way"), ("between nodes", "one way")} and roofs["between nodes"] == {"latency": 2e-6, "one way": 20.0}
    assert exchanges == [("cg halo", 2, 2e4, pytest.approx(0.8))], "one rank alone exchanges nothing"
    figure = messages.draw(curves, roofs, exchanges)
    (roof,), (single,) = (with_gid(figure.axes[0], f"{what} between nodes") for what in ("roof", "latency"))
    a_second = 1e9 * 20.0 / (1 + 9e4 / 8) / 8
    assert roof.get_xdata()[1] == pytest.approx(20e9 / a_second) and single.get_xdata()[1] == pytest.approx(20e9 * 2e-6)
    twice = {("between nodes", "both ways"): [(size, 1.9 * rate) for size, rate in curves["between nodes", "one way"]]}
    both = messages.draw(curves | twice, {**roofs, "between nodes": {**roofs["between nodes"], "both ways": 38.0}}, exchanges)
    (above,) = with_gid(both.axes[0], "roof both ways between nodes")
    assert above.get_ydata()[1] == 38.0 and above.get_xdata()[1] == pytest.approx(38e9 / (1.9 * a_second))
    assert roof.get_ydata()[1] == single.get_ydata()[1] == 20.0 and single.get_ydata()[0] == pytest.approx(single.get_xdata()[0] / 2e-6 / 1e9)
    assert overlapping.faults(figure) == []


# ------------------------------------------------------------------------------------------------------------------ heat maps


def test_cross_talk_is_darker_the_farther_a_weight_is_from_what_the_counter_claims():
    def flow(name, claimed, weight, told_apart=True):
        return {"quantity": f"bytes.L1-L2.{name}", "claimed": claimed, "weight": weight, "told_apart": told_apart}

    talk = {"status": "ok", "of": "bytes.L1-L2"}
    score = {"counters": [
        {"counter": "good", "cross_talk": {**talk, "flows": [flow("demand_read", True, 1.0), flow("write_back", False, 0.0)]}},
        {"counter": "deaf", "cross_talk": {**talk, "flows": [flow("demand_read", True, 0.4), flow("write_back", False, 0.9)]}},
        {"counter": "unknown", "cross_talk": {**talk, "flows": [flow("demand_read", True, 0.0, told_apart=False), flow("write_back", False, 0.0)]}},
        {"counter": "none", "cross_talk": {"status": "unavailable", "flows": []}}]}
    maps = heat.cross_talk_of(score)
    assert list(maps) == ["bytes.L1-L2"] and list(maps["bytes.L1-L2"][1]) == ["good", "deaf", "unknown"]
    figure = heat.draw_cross_talk(maps)
    axes = figure.axes[0]
    lightness = {(cell.get_x(), cell.get_y()): sum(cell.get_facecolor()[:3]) for cell in with_gid(axes, "cell")}
    assert lightness[0, 0] == lightness[1, 0] == lightness[1, 2] == 3.0 > lightness[0, 1] > lightness[1, 1]
    (untested,) = with_gid(axes, "untested")
    assert (untested.get_x(), untested.get_y()) == (0, 2) and untested.get_hatch() and len(axes.texts) == 5, "what no case tells has no number"
    assert {cell.get_y() // 1 for cell in with_gid(axes, "claimed")} == {0, 1, 2}
    assert overlapping.faults(figure) == []


def test_nodes_are_held_against_the_median_of_all_and_the_worse_one_is_named():
    ceilings = [{"name": name, "node": f"n{node}", "ranks": 1, "threads": 1, "value": value * (0.8 if (node, name) == (3, "mem load") else 1.0), "unit": unit, "status": "ok"}
                for name, value, unit in (("mem load", 40.0, "GB/s"), ("FP64 vector FMA", 100.0, "GFLOP/s"), ("half bandwidth", 9.0, "bytes")) for node in range(5)]
    shown = [{"case": "validation/triad/fp64/n=1/r1t1/f", "kernel": "validation/triad", "label": "triad n=1", "flavor": "f", "ranks": 1, "threads": 1, "node": f"n{node}",
              "seconds": 2.0 if node == 4 else 1.0, "status": "ok"} for node in range(5)]
    relative = heat.node_rows_of(ceilings, shown)
    assert list(relative) == ["triad n=1 f r1t1", "mem load r1t1", "FP64 vector FMA r1t1"], "those that differ most first; bytes are no rate"
    assert relative["mem load r1t1"]["n3"] == pytest.approx(0.8) and relative["triad n=1 f r1t1"]["n4"] == 0.5
    figure = heat.draw_nodes(relative, {"n3": "SLOWER", "n1": "ALIKE"})
    colors = {label.get_text(): label.get_color() for label in figure.axes[0].get_xticklabels()}
    assert colors["n3"] == style.FLAG and colors["n1"] != style.FLAG
    assert any(text.get_text() == "plumbline nodes says n3: slower" for text in figure.texts) and overlapping.faults(figure) == []
    assert heat.node_rows_of(ceilings[:1], []) == {}, "one node alone is held against none"


# ------------------------------------------------------------------------------------------------------------------ projection


def test_projected_against_measured_has_a_panel_a_kind_and_says_how_right_it_was():
    def pair(kind, ratio, inside, truth=1e-3):
        return {"kind": kind, "method": "ensemble", "projected_seconds": ratio * truth, "projected_lo": 0.8 * ratio * truth, "projected_hi": 1.2 * ratio * truth,
                "measured_seconds": truth, "is_inside": inside}

    rows = [pair("cores", 1.0 + 0.01 * index, True, 1e-6 * 10 ** (index % 4)) for index in range(9)] + [pair("conditions+cores+isa", 1.5, False), pair("isa", 0.7, None)]
    figure = projection.draw(rows)
    panels = {axes.get_title(loc="left"): axes for axes in figure.axes if axes.get_visible()}
    assert list(panels) == ["cores", "isa", "conditions + cores + isa"], "single ways to be unlike come first"
    assert panels["cores"].texts[0].get_text() == "9 pairs, median error 4.0 %\n9 of them inside"
    assert panels["isa"].texts[0].get_text().endswith("no intervals") and len(with_gid(panels["cores"], "pairs")[0].get_xdata()) == 9
    assert overlapping.faults(figure) == []
    assert not list(projection.figures([]))


# ------------------------------------------------------------------------------------------------------------------ papers

ONES = {one.name: one for one in counterparts.all_of_them()}


def documents(rows, ceilings):
    return {"show": {"rows": rows}, "ceilings": {"rows": ceilings}, "by_accesses": {"rows": []}}


def test_every_figure_of_the_papers_has_a_counterpart_with_a_way_to_draw_it():
    figures = {paper: {one.figure for one in ONES.values() if one.paper == paper} for paper in ("000", "001", "002", "003", "004")}
    assert figures["000"] == figures["002"] == {str(number) for number in range(1, 11)} and figures["003"] == {str(number) for number in range(1, 8)}
    assert figures["004"] == {"1", "2-8"} | {str(number) for number in (*range(10, 25),)} and figures["001"] == {"ladder"}
    assert all(one.how in drawing.WAYS for one in ONES.values()) and len(ONES) == len(counterparts.all_of_them())


def test_a_campaign_of_a_gpu_gives_the_papers_sweeps():
    of_gpu = documents(gpu.cases(), gpu.ceilings()["rows"])
    chosen = choosing.choose(ONES["paper000-figure8"], of_gpu)
    assert [(title, [series.values for series in panel]) for title, panel in chosen.panels] == [("forward", [[16, 32, 64, 128]])] and chosen.stands_in == ""
    figure, stands_in = drawing.draw(ONES["paper000-figure6"], of_gpu)
    assert stands_in == "" and figure.axes[0].get_title(loc="left") == "gsrb over n" and overlapping.faults(figure) == []
    assert any(text.get_text() == "counterpart of figure 6 of Yang, Kurth, Williams 2019" for text in figure.texts)
    figure, _ = drawing.draw(ONES["paper003-figure1"], of_gpu)
    names = " ".join(text.get_text() for text in figure.texts if text.get_gid() == "peak")
    assert "FP64 FMA" in names and "BF16 tensor" in names, "the peaks of all precisions"


def test_one_campaign_has_the_cases_of_every_figure_that_cpus_can_stand_in_for():
    done = subprocess.run([os.environ["PLUMBLINE"], "run", HERE.parent.parent / "jobs/campaigns/papers.toml", "--dry-run"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    ids = sorted(set(re.findall(r"(?:validation|proxies)/\S+/r1t1/[\w.-]+", done.stdout)))  # this CPU may not run all of them
    level = {"bytes": 1e6, "ai": 1.0, "ai_lo": 1.0, "ai_hi": 1.0, "source": "emulated"}
    rows = [{"case": case, "kernel": "/".join(case.split("/")[:2]), "label": case, "precision": case.split("/")[2], "flavor": case.split("/")[-1], "ranks": 1, "threads": 1,
             "gpus": 0, "node": "n1", "seconds": 1e-3, "gflops": 1.0, "flops": 1e6, "levels": {"L1": level}, "status": "ok", "reason": None} for case in ids]
    assert len(rows) > 60
    ceilings = [{**row, "name": row["name"].removeprefix("GPU "), "scope": "core", "node": "n1"} for row in gpu.ceilings()["rows"]]
    lacking = {name: absent for name, one in ONES.items() if one.how in ("sweep", "steps", "by_accesses") and (absent := _absence(one, documents(rows, ceilings)))}
    assert {name: why for name, why in lacking.items() if "lib-" not in str(ONES[name].panels)} == {}, "but for libraries that are not here"


def _absence(one, of_campaign):
    """The reason why a figure's cases are not there, or nothing."""
    try:
        choosing.choose(one, of_campaign)
    except choosing.Absent as absent:
        return str(absent)


def test_a_figure_whose_data_need_a_gpu_that_was_not_there_is_listed_with_that_reason():
    absent = "no NVIDIA GPU in this node"
    rows = [{**row, "status": "skipped", "reason": absent, "seconds": None, "gflops": None} for row in gpu.cases()]
    for name in ("paper000-figure6", "paper002-figure10", "paper000-figure1", "paper002-figure1", "paper000-figure3"):
        with pytest.raises(choosing.Absent, match=absent):
            drawing.draw(ONES[name], documents(rows, []))
    with pytest.raises(choosing.Absent, match=r"papers.toml, or of a GPU gpu_applications.toml, has; the campaign has no case on a GPU"):
        drawing.draw(ONES["paper000-figure2"], documents([], []))
    told = []
    assert not list(command.figures(documents(rows, []), told)) and len(told) == len(ONES)
    assert all(entry["reason"] and not entry["file"] for entry in told)
    lines = list(command.lines_of(told))
    assert any("not drawn" in line and ", for want of cases that" in line for line in command.lines_of([{**told[0], "reason": "no two cases of a that differ in n alone: b.toml has"}]))
    assert "Kwack et al. 2018" in lines[0] and lines[1] == f"drawn: 0 of {len(told)} figures"
    assert sum(line.startswith("not drawn: ") for line in lines) < len(told) / 2 and any(absent in line for line in lines)
    assert sum(line.startswith("  000 figure 1, ") for line in lines) == 1, "each figure once, under what it lacks"


def test_cpus_stand_in_for_a_gpu_that_was_not_there_and_the_list_says_so():
    rows = [{**row, "case": row["case"].replace("/g1/", "/r1t1/"), "gpu": None} for row in gpu.cases()]
    cpu = [{**row, "scope": "core", "name": row["name"].removeprefix("GPU ")} for row in gpu.ceilings()["rows"]]
    skipped = {**gpu.cases()[0], "status": "skipped", "reason": "no driver", "gflops": None, "seconds": None}
    chosen = choosing.choose(ONES["paper000-figure6"], documents([*rows, skipped], cpu))
    assert chosen.group.team == "r1t1" and chosen.stands_in == "no GPU: no driver"


def test_the_ladders_steps_are_in_their_order():
    rows = [{**case, "case": case["case"].replace("images=16", f"variant={name}")} for name in ("nodivide", "vector", "naive")
            for case in [{**gpu.case("proxies/gpp", {"images": 16}, 1e9, (1e8, 5e7, 1e7), 0.5)}]]
    (_, (series,)), = choosing.choose(ONES["paper001-figureladder"], documents(rows, gpu.ceilings()["rows"])).panels
    assert [choosing.LADDER[int(value)] for value in series.values] == ["naive", "vector", "nodivide"]


def test_a_file_that_is_not_there_is_one_line_and_exit_2(tmp_path):
    if not os.environ.get("PLUMBLINE"):
        pytest.skip("SKIP: PLUMBLINE names no program to read files with")
    done = subprocess.run([sys.executable, "-B", "-m", "plumbline_analysis", "paper", str(tmp_path / "missing.h5"), "-o", str(tmp_path / "out")],
                          capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(HERE.parent.parent / "analysis")})
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and "missing.h5" in done.stderr, done.stderr
    assert not (tmp_path / "out").exists()


def test_the_program_of_a_checkouts_build_and_of_an_installation_is_found(tmp_path):
    for module, program in (("analysis/plumbline_analysis/load.py", "build-ci/bin/plumbline"), ("prefix/share/plumbline/analysis/plumbline_analysis/load.py", "prefix/bin/plumbline")):
        assert beside(tmp_path / module) is None
        (tmp_path / program).parent.mkdir(parents=True)
        (tmp_path / program).touch()
        assert beside(tmp_path / module) == str(tmp_path / program)
