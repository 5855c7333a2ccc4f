"""Ten thousand points stay fluid: a zoom takes at most half as long again as on a page of plotly's that has none, in the same browser."""
import pathlib
import statistics
import sys

import pytest

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE.parent.parent / "analysis"), str(HERE)]

import browser  # noqa: E402

browser.require()

import synthetic  # noqa: E402
from plumbline_analysis import judged, load, page  # noqa: E402
from plumbline_analysis.interactive import document  # noqa: E402

POINTS, VISITS, ROUNDS, MOST = 10_000, 2, 15, 1.5
browser.PATIENCE = 180  # seconds: without a GPU the first frame of so many takes long
EMPTY = """<!doctype html><html><head><meta charset="utf-8"></head><body><div id="plot" style="width:1200px;height:640px"></div><script type="text/javascript">{plotly}</script>
<script type="text/javascript">
Plotly.newPlot("plot", [{{x: [1], y: [1]}}], {{xaxis: {{type: "log"}}, yaxis: {{type: "log"}}}}, {{displayModeBar: false}}).then(() => {{
  window.zoomTo = (range) => Plotly.relayout("plot", {{"xaxis.range": range, "yaxis.range": range}}); document.documentElement.dataset.ready = "yes"; }});
</script></body></html>"""
# Milliseconds from the order to the frame that shows it, of zooms one after the other.
ZOOMS = """(async () => {{
  const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0))), times = [];
  for (let i = 0; i < {rounds} + 3; i++) {{
    await frame();
    const from = performance.now(), low = -1 - 0.03 * i;
    await window.zoomTo([low, low + 3]);
    await frame();
    times.push(performance.now() - from);
  }}
  return times.slice(3);
}})()"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("zoom")
    paths = synthetic.write(folder, many=True)
    said = {command: judged.read(paths[command], command) for command in ("ceilings", "show", "score", "nodes")}
    rows = [row for row in said["show"]["rows"] if row["gflops"] and len(row["levels"]) == 4 and row["levels"]["mem"]["ai"]]
    many = [{**rows[n % len(rows)], "case": f"case{n}", "gflops": rows[n % len(rows)]["gflops"] * (0.3 + 0.7 * ((n * 7919) % 1000) / 1000)} for n in range(POINTS // 4)]
    said["show"]["rows"] = many
    tables = load(paths["file"])
    interactive = document.parts("many", tables, said, [])
    (folder / "many.html").write_text(page.build("many", [], said["ceilings"], said["show"], said["score"], tables["cases"].attrs, said["nodes"], interactive))
    (folder / "empty.html").write_text(EMPTY.format(plotly=document.plotly_js().replace("</script", "<\\/script")))
    return folder


def test_ten_thousand_points_zoom_like_none(pages, tmp_path):
    one = browser.Browser(tmp_path)
    try:
        times = {"empty": [], "many": []}
        for name in ("empty", "many") * VISITS:
            one.open(pages / f"{name}.html")
            one.run("window.zoomTo = window.zoomTo || ((range) => window.plumbline.roofline.look({x: range, y: range}))")
            times[name] += one.run(ZOOMS.format(rounds=ROUNDS))
        drawn = one.run("window.plumbline.roofline.plot.data.filter((trace) => trace.meta.role === 'point').reduce((sum, trace) => sum + trace.x.length, 0)")
    finally:
        one.close()
    # The lower quartile, as others may be at work on the machine: they only make a zoom longer.
    quartiles = {name: statistics.quantiles(values, n=4)[0] for name, values in times.items()}
    print({name: round(value, 1) for name, value in quartiles.items()})
    assert drawn >= POINTS
    assert quartiles["many"] <= MOST * quartiles["empty"], times
