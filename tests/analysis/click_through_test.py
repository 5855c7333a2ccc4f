"""The page in a real browser without a window: each control does what it says, by mouse and by keyboard, and no text covers another."""
import json
import pathlib
import sys
import xml.etree.ElementTree

import pytest

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE.parent.parent / "analysis"), str(HERE)]

import browser  # noqa: E402

browser.require()

import synthetic  # noqa: E402
from plumbline_analysis import judged, load, page  # noqa: E402
from plumbline_analysis.interactive import document  # noqa: E402

WIDTHS = (1400, 900, 420)
TEXT_BOXES = (HERE / "text_boxes.js").read_text()
LABELS_ALONE = f"window.onlyTheRoofline = true, {TEXT_BOXES.strip()}"
CPUS = sorted((HERE.parent / "golden" / "cpus").glob("*.h5"))


def write_page(path, tables, said, against=None):
    interactive = document.parts(path.stem, tables, said, [], against)
    path.write_text(page.build(path.stem, [], said["ceilings"], said["show"], said["score"], tables["cases"].attrs, said["nodes"], interactive))
    return path


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The page and what is said of its file: cases above their roof, without FLOPs, of a profile, ceilings of CPUs that were measured once, and another
    file to hold it against."""
    folder = tmp_path_factory.mktemp("page")
    paths = synthetic.write(folder, many=True)
    said = {command: judged.read(paths[command], command) for command in ("ceilings", "show", "score", "nodes")}
    rows = said["show"]["rows"]
    rows[3].update(percent_of_roof=104.0, bound="L1", above_roof_reason="the samples spread as far")
    rows += [{**rows[7], "case": "proxies/cg/fp64/n=8/r1t1/gcc12-O3-v3", "kernel": "proxies/cg", "label": "cg n=8", "seconds": 4e-3},
             {**rows[7], "case": "proxies/cg/fp64/n=8/r1t1/gcc12-O3-v3#halo", "kernel": "proxies/cg", "label": "cg n=8 halo", "phase": "halo", "gflops": 0.0,
              "flops": 0.0, "seconds": 1e-3, "levels": {}}]
    said["show"]["profile"] = synthetic.profile(rows[:6])
    said["ceilings"]["rows"] += [{**row, "node": file.stem} for file in CPUS for row in load(file).judged("ceilings")["rows"]
                                 if row["ranks"] * row["threads"] == 1]
    other = [{**row, "gflops": row["gflops"] and 0.8 * row["gflops"]} for row in rows]
    against = {**said, "name": "before.h5", "show": {**said["show"], "rows": other}, "document": {"rows": []}}
    return write_page(folder / "report.html", load(paths["file"]), said, against), said


@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    one = browser.Browser(tmp_path_factory.mktemp("browser"))
    yield one
    one.close()


@pytest.fixture(scope="module")
def opened(chromium, made):
    chromium.open(made[0])
    return chromium


@pytest.fixture
def at(opened):
    """The page as it is when it was just opened."""
    opened.look()
    opened.resize(1280)
    opened.run("(() => { const roofline = window.plumbline.roofline; roofline.pins = []; roofline.drawPins(); roofline.other = roofline.twin(); "
               "Object.assign(roofline.state, {all: false, theory: false}); roofline.choosePanel(); })()")
    yield opened
    assert opened.troubles() == []


def points(at, where="!trace.meta.other"):
    return at.run(f"window.plumbline.roofline.plot.data.filter((trace) => trace.meta.role === 'point' && {where}).reduce((sum, trace) => sum + trace.x.length, 0)")


def place_of(at, level="mem"):
    """Pixels of the first point of a level in the window."""
    return json.loads(at.run(f"""(() => {{
      const plot = window.plumbline.roofline.plot, full = plot._fullLayout, box = plot.getBoundingClientRect();
      const trace = plot.data.find((one) => one.meta.role === "point" && one.meta.level === "{level}" && !one.meta.other);
      return JSON.stringify([box.left + full._size.l + full.xaxis.l2p(Math.log10(trace.x[0])), box.top + full._size.t + full.yaxis.l2p(Math.log10(trace.y[0]))]);
    }})()"""))


def settled(at, width):
    """Waits until all figures are as wide as the window lets them be."""
    at.resize(width)
    at.wait(f"document.documentElement.clientWidth <= {width} && [...document.querySelectorAll('.canvas')].every((plot) => Math.abs(plot._fullLayout.width - plot.clientWidth) < 2)")


def check(at, id):
    at.run(f"document.getElementById('{id}').click()")


def choose(at, id, value):
    at.run(f"(() => {{ const list = document.getElementById('{id}'); list.value = '{value}'; list.dispatchEvent(new Event('change')); }})()")


def test_levels_ceilings_and_filters_choose_what_is_drawn(at, made):
    all_points = points(at)
    assert all_points == sum(len(one["points"]) for one in json.loads(at.run("JSON.stringify(window.plumbline.roofline.panel.cases)")))
    check(at, "show-levels-L2")
    assert points(at, "trace.meta.level === 'L2'") == 0 and 0 < points(at) < all_points
    check(at, "show-levels-L2")
    assert points(at) == all_points
    drawn = "window.plumbline.roofline.plot.data.filter((trace) => trace.meta.role === '{}' && !trace.meta.other).length"
    roofs, theory = at.run(drawn.format("roof")), at.run(drawn.format("theory"))
    check(at, "show-all")
    assert at.run(drawn.format("roof")) > roofs and theory == 0
    choose(at, "choose-kernel", "validation/triad")
    kept = at.run("window.plumbline.roofline.stops.map((one) => window.plumbline.roofline.panel.cases[one.number].kernel)")
    assert set(kept) == {"validation/triad"} and len(kept) == sum(row["kernel"] == "validation/triad" and bool(row["gflops"]) for row in made[1]["show"]["rows"])
    choose(at, "choose-kernel", "proxies/cg")
    assert "cg n=8 halo" in at.run("document.getElementById('strip').textContent") and "25.0 %" in at.run("document.getElementById('strip').textContent")
    choose(at, "choose-phase", "-")
    assert at.run("document.getElementById('strip').textContent") == ""


def test_a_hover_opens_the_card_and_a_click_pins_it(at):
    at.run("window.plumbline.roofline.plot.scrollIntoView({block: 'center'})")
    x, y = place_of(at)
    at.move(x - 40, y - 40)
    at.move(x, y)
    at.wait("!document.getElementById('card').hidden")
    card = at.run("document.getElementById('card').innerText")
    for words in ("kernel", "AI memory", "GFLOP/s", "FLOP/byte"):
        assert words in card
    at.click(x, y)
    at.wait("document.querySelectorAll('#pinned tbody tr').length")
    at.run("window.plumbline.roofline.pin({panel: window.plumbline.roofline.other, number: 0})")
    assert at.run("[...document.querySelectorAll('#pinned tbody tr:first-child td')].map((cell) => cell.textContent)") == ["report", "before.h5"]
    assert at.run("document.querySelectorAll('#pinned tr.differs').length") > 0
    at.run("document.querySelector('.unpin').click()")
    assert at.run("document.querySelectorAll('#pinned thead th').length") == 1


def test_two_files_are_held_against_each_other(at):
    assert points(at, "trace.meta.other") == points(at) and "before.h5" in at.run("document.getElementById('roofline-note').textContent")
    choose(at, "choose-against", "")
    assert points(at, "trace.meta.other") == 0


def test_by_keyboard_alone(at):
    at.run("document.getElementById('choose-panel').focus()")
    seen = set()
    for _ in range(40):
        at.press("Tab")
        seen.add(at.run("document.activeElement.id || document.activeElement.textContent"))
        if at.run("document.activeElement.id") == "roofline":
            break
    assert {"choose-kernel", "show-levels-L1", "show-all", "zoom-in", "save-svg", "save-csv", "roofline"} <= seen
    assert at.run("getComputedStyle(document.activeElement).outlineStyle") == "solid", "what has the focus is seen"
    at.press("ArrowRight")
    first = at.run("document.getElementById('card').innerText")
    at.press("ArrowRight")
    assert first and at.run("document.getElementById('card').innerText") != first
    at.press("Enter")
    assert at.run("document.querySelectorAll('#pinned thead th').length") == 1
    at.press("Escape")
    assert at.run("document.getElementById('card').hidden")
    before = at.run("window.plumbline.roofline.plot.layout.xaxis.range[1] - window.plumbline.roofline.plot.layout.xaxis.range[0]")
    at.press("+")
    assert at.run("window.plumbline.roofline.plot.layout.xaxis.range[1] - window.plumbline.roofline.plot.layout.xaxis.range[0]") < 0.8 * before
    at.press("0")
    assert abs(at.run("window.plumbline.roofline.plot.layout.xaxis.range[1] - window.plumbline.roofline.plot.layout.xaxis.range[0]") - before) < 1e-9


def test_what_is_seen_is_saved_as_svg_and_csv(at, made):
    choose(at, "choose-kernel", "validation/dot")
    check(at, "save-csv")
    head, *lines = at.downloaded("roofline-n1-1-rank-of-1-thread.csv").splitlines()
    assert head.startswith("file,node,team,kernel,phase,case") and len(lines) == points(at) and all(",validation/dot," in line for line in lines)
    check(at, "save-svg")
    drawn = xml.etree.ElementTree.fromstring(at.downloaded("roofline-n1-1-rank-of-1-thread.svg"))
    assert drawn.tag.endswith("svg") and "GFLOP/s" in "".join(drawn.itertext())


def test_tables_are_sorted_filtered_and_saved(at, made):
    at.run("""(() => { window.tools = [...document.querySelectorAll("h2")].find((head) => head.textContent === "Kernels under the roofs").nextElementSibling;
                       while (!window.tools.matches(".tools")) window.tools = window.tools.nextElementSibling;
                       window.grid = window.tools.nextElementSibling.querySelector("table"); })()""")
    at.run("[...window.grid.tHead.querySelectorAll('button')].find((one) => one.textContent === 'gflops').click()")
    column = at.run("[...window.grid.tHead.rows[0].cells].findIndex((one) => one.textContent === 'gflops')")
    values = at.run(f"[...window.grid.tBodies[0].rows].map((row) => row.cells[{column}].textContent)")
    told = [float(value) for value in values if value]
    assert told == sorted(told) and values[: len(told)] == [value for value in values if value], "what is absent stands at the end"
    assert at.run(f"window.grid.tHead.rows[0].cells[{column}].getAttribute('aria-sort')") == "ascending"
    at.run("(() => { const words = window.tools.querySelector('input'); words.value = 'gcc12-O3 dot'; words.dispatchEvent(new Event('input')); })()")
    count = sum("gcc12-O3" in row["flavor"] and "dot" in row["label"] for row in made[1]["show"]["rows"])
    assert at.run("window.grid.tBodies[0].rows.length") == count and f"{count} of" in at.run("window.tools.querySelector('.count').textContent")
    at.run("window.tools.querySelector('.csv').click()")
    assert len(at.downloaded("kernels-under-the-roofs.csv").splitlines()) == count + 1


def test_everything_has_a_role_and_a_name(at):
    nameless = at.run("""[...document.querySelectorAll("button, select, input, [role=region], [role=application], [role=img]")].filter((one) =>
      !(one.getAttribute("aria-label") || one.labels?.length || one.textContent.trim() || one.alt)).map((one) => one.outerHTML.slice(0, 90))""")
    assert nameless == [] and at.run("document.documentElement.lang") == "en"
    assert at.run("document.querySelectorAll('main h2').length") > 5 and at.run("document.querySelectorAll('#chart-profile [role=img]').length") == 1


def test_dark_and_print_follow_the_reader(at):
    ground = "getComputedStyle(document.body).backgroundColor + ' ' + window.plumbline.roofline.plot.layout.paper_bgcolor"
    assert at.run(ground) == "rgb(255, 255, 255) #ffffff"
    at.look(scheme="dark")
    at.wait("window.plumbline.roofline.plot.layout.paper_bgcolor !== '#ffffff'")
    assert at.run(ground) == "rgb(21, 24, 29) #15181d"
    at.look(media="print", scheme="dark")
    at.run("dispatchEvent(new Event('beforeprint'))")
    assert at.run(ground) == "rgb(255, 255, 255) #ffffff" and at.run("getComputedStyle(document.querySelector('.controls')).display") == "none"
    at.run("dispatchEvent(new Event('afterprint'))")


@pytest.mark.parametrize("width", WIDTHS)
def test_no_text_covers_another(at, width):
    """The page is looked at as it opens, and under real ceilings of several CPUs, all of them and their limits by documents shown."""
    settled(at, width)
    assert at.run(TEXT_BOXES) == []
    assert at.run("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), "nothing is wider than the window"
    others = at.run("window.plumbline.roofline.panels.map((panel, index) => [panel.node, panel.number, index]).filter(([node, file]) => node !== 'n1' && !file)")
    assert len(others) == len(CPUS) >= 4
    check(at, "show-all"), check(at, "show-theory")
    for node, _, index in others:
        choose(at, "choose-panel", str(index))
        assert at.run(LABELS_ALONE) == [], node
        assert at.run("document.querySelectorAll('#roofline .annotation-text').length") >= 3, node
