"""Figures of strong and weak scaling say what the document says, and no text of them lies on another."""
import json
import pathlib
import subprocess
import sys

import pytest

for module in ("numpy", "matplotlib"):
    pytest.importorskip(module, reason=f"SKIP: python3-{module} is not installed")
import matplotlib  # noqa: E402

HERE = pathlib.Path(__file__).parent
ANALYSIS = HERE.parent.parent / "analysis"
sys.path[:0] = [str(ANALYSIS), str(HERE)]

import overlapping  # noqa: E402
from plumbline_analysis import scaling, style  # noqa: E402

CASE = "proxies/heat2d/fp64/n=1024/steps=4/r2t1/gcc12-O3-v3"


def row(kind, nodes):
    """An application that computes 10 ms on a node and spends 20 us a doubling on messages."""
    computing, messages = 0.01 / (nodes if kind == "strong" else 1), 2e-5 * nodes.bit_length()
    seconds = computing + messages
    shares = {"computing_share": 0.9 * computing / seconds, "waiting_share": 0.1 * computing / seconds, "exchanging_share": 0.4 * messages / seconds,
              "summing_share": 0.6 * messages / seconds}
    efficiency = (0.01 + 2e-5) / seconds / (nodes if kind == "strong" else 1)
    return {"case": CASE, "scaling": kind, "nodes": nodes, "ranks": 2 * nodes, "seconds": seconds, "seconds_lo": 0.9 * seconds, "seconds_hi": 1.2 * seconds,
            "efficiency": efficiency, **shares, "bound": "computing", "bound_phase": "update", "bound_ceiling": None}


def document(kinds=("strong", "weak"), most=14):
    rows = [row(kind, nodes) for kind in kinds for nodes in [2**power for power in range(most)]]
    held = [{"from": CASE.replace("r2", "r1"), "from_ranks": 1, "from_seconds": 0.008, "to": CASE, "scaling": "weak", "ranks": 2, "projected_seconds": 0.009,
             "projected_lo": 0.007, "projected_hi": 0.012, "measured_seconds": 0.01, "error_percent": -10.0, "is_inside": True, "remark": None}]
    return {"schema": "plumbline-project-scaling/1", "file": "a.h5", "rows": rows, "notes": [], "held": held,
            "applications": [{"case": CASE, "scaling": kind, "half_nodes": 90 if kind == "strong" else None, "most_nodes": None} for kind in kinds]}


def drawn(of):
    with matplotlib.rc_context(style.SETTINGS):
        [(name, title, figure)] = scaling.figures(of)
        assert name == "scaling-heat2d" and CASE in title
        return figure


def with_gid(axes, word):
    return [artist for artist in axes.get_children() if artist.get_gid() == word]


@pytest.mark.parametrize("kinds", [("strong", "weak"), ("weak",)])
@pytest.mark.parametrize("most", [1, 3, 14])
def test_no_text_lies_on_another(kinds, most):
    assert overlapping.faults(drawn(document(kinds, most))) == []


def test_lines_and_points_are_the_documents():
    figure = drawn(document())
    strong, weak = figure.axes[:2]
    [line] = with_gid(strong, "projected")
    assert list(line.get_xdata()) == [2 * 2**power for power in range(14)]
    assert line.get_ydata()[-1] == pytest.approx(row("strong", 2**13)["seconds"])
    [points] = with_gid(weak, "measured")
    assert list(zip(points.get_xdata(), points.get_ydata())) == [(1, 0.008), (2, 0.01)]
    assert not with_gid(strong, "measured")
    [half] = with_gid(figure.axes[4], "half")
    assert list(half.get_xdata()) == [180, 180], "ranks, two on a node"
    assert not with_gid(figure.axes[5], "half")
    [efficiency] = with_gid(figure.axes[3], "efficiency")
    assert efficiency.get_ydata()[0] == pytest.approx(1)


def test_the_size_where_communication_takes_half_is_a_point_and_no_step_of_the_curve():
    told = document()
    told["rows"].insert(7, row("strong", 90))
    figure = drawn(told)
    [line] = with_gid(figure.axes[0], "projected")
    assert list(line.get_xdata()) == [2 * 2**power for power in range(14)]
    [point] = with_gid(figure.axes[4], "computing there")
    assert list(point.get_xdata()) == [180] and point.get_ydata()[0] == pytest.approx(row("strong", 90)["computing_share"])


def test_legends_lie_beside_the_data():
    figure = drawn(document())
    figure.canvas.draw()
    legends = [(axes, axes.get_legend()) for axes in figure.axes if axes.get_legend()]
    assert len(legends) == 4
    for axes, legend in legends:
        assert legend.get_window_extent().y0 >= axes.get_window_extent().y1 - 1


def run(*words):
    done = subprocess.run([sys.executable, "-m", "plumbline_analysis", "scaling", *map(str, words)], capture_output=True, text=True, env={"PYTHONPATH": str(ANALYSIS)})
    return done.returncode, done.stdout, done.stderr


def test_the_command_writes_a_figure_an_application_or_says_why_not_in_one_line(tmp_path):
    (tmp_path / "scaling.json").write_text(json.dumps(document()))
    code, out, _ = run("--json", tmp_path / "scaling.json", "-o", tmp_path)
    assert code == 0 and out.split() == [f"{tmp_path}/scaling-heat2d.{kind}" for kind in ("png", "svg")]
    (tmp_path / "scaling.json").write_text("{}")
    for file in ("scaling.json", "none.json"):
        code, out, message = run("--json", tmp_path / file, "-o", tmp_path)
        assert code == 2 and not out and len(message.splitlines()) == 1 and file in message
