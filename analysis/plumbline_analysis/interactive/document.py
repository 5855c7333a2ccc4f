"""The parts that make the page interactive: the summary, the data and the scripts, packed so that one file needs nothing else.

plotly.js and the data are compressed, and the browser unpacks them; where it cannot, or runs no scripts, the figures of page.py are there.
"""
import base64
import gzip
import html
import json
import pathlib

from . import charts, panels, summary, traces

HERE = pathlib.Path(__file__).parent
SCRIPTS = ("labels.js", "tables.js", "roofline.js", "page.js")


def plotly_js():
    """The text of plotly.js that python3-plotly has inside, or None."""
    try:
        from plotly.offline import get_plotlyjs
        return get_plotlyjs()
    except (ImportError, OSError):
        return None


def parts(name, tables, judged, notes, against=None):
    """The page's style, the head of its body, and the end of its body. `judged`: command -> document; `notes`: what is left out, which this may add to;
    `against`: {"name", "show", "ceilings", "score", "document"} of the other file, where two are compared."""
    script = plotly_js()
    if script is None:
        notes.append("interactive figures (python3-plotly is not installed)")
    lead = _summary(summary.sections(summary.facts_of(name, tables), judged, notes, against))
    style = (HERE / "page.css").read_text(encoding="utf-8")
    if script is None:
        return style, lead, ""
    data = {"files": [_file(name, judged)] + ([_file(against["name"], against)] if against else []),
            "charts": charts.charts(tables, judged["ceilings"], judged["show"], judged["score"])}
    end = [_packed("plumbline-data", json.dumps(data, separators=(",", ":"), allow_nan=False)), _packed("plumbline-plotly", script)]
    end += ['<script type="text/javascript">\n' + (HERE / one).read_text(encoding="utf-8") + "</script>" for one in SCRIPTS]
    return style, lead + '<div id="interactive" hidden></div>', "\n".join(end)


def _file(name, judged):
    found = panels.panels_of(judged["ceilings"]["rows"], judged["show"], judged["score"])
    return {"name": name, "panels": [_panel(panel) for panel in found]}


def _panel(panel):
    cases = [{key: case[key] for key in ("kernel", "phase", "label", "flavor", "precision", "gflops", "share", "flag", "points", "card")} for case in panel.cases]
    return {"title": panel.title, "node": panel.node, "team": panel.team, "note": panel.note, "levels": panel.levels, "precisions": panel.precisions,
            "cases": cases, "strip": panel.strip, "figure": traces.figure(panel)}


def _summary(sections):
    parts = []
    for question, answers in sections:
        items = "".join(f"<li>{html.escape(answer)}</li>" for answer in answers)
        parts.append(f'<section class="answer"><h3>{html.escape(question)}</h3><ul>{items}</ul></section>')
    return '<section class="summary" aria-label="Summary">' + "".join(parts) + "</section>"


def _packed(name, text):
    """Compressed text that a browser unpacks by itself (DecompressionStream); the same text gives the same bytes."""
    data = base64.b64encode(gzip.compress(text.encode(), 4, mtime=0)).decode("ascii")
    return f'<script type="application/octet-stream" id="{name}">{data}</script>'
