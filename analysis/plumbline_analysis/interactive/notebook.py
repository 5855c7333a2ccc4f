"""The roofline for a notebook: the page's traces as a figure of plotly, with the cards as its hover texts and the roofs in its legend."""
import html

from ..errors import InputError
from . import panels, traces


def roofline(tables, node=None, team=None, precision=None):
    """A plotly.graph_objects.Figure of the tables' file; `tables`: load.load()."""
    import plotly.graph_objects
    found = panels.panels_of(tables.judged("ceilings")["rows"], tables.judged("show"), tables.judged("score"))
    panel = next((panel for panel in found if node in (None, panel.node) and team in (None, panel.team)), None)
    if panel is None:
        there = ", ".join(f"{panel.node} {panel.team}" for panel in found) or "none"
        raise InputError(f"'{tables.path}' has no roofline of node {node or 'any'} and team {team or 'any'}; it has: {there}")
    if precision not in (None, *panel.precisions):
        raise InputError(f"'{tables.path}' has no case and no ceiling in {precision} there; it has: {', '.join(panel.precisions)}")
    return plotly.graph_objects.Figure(**spec(panel, precision or (panel.precisions or [None])[0]))


def spec(panel, precision):
    """Data and layout of plotly: the traces of one precision that are seen at first."""
    made = traces.figure(panel)
    cards = ["<br>".join(f"{html.escape(name)}: {html.escape(text)}" for name, text in case["card"]) for case in panel.cases]
    data = [trace for trace in made["data"] if trace["meta"]["precision"] == precision and trace.get("visible", True)]
    for trace in data:
        if trace["meta"]["role"] == "point":
            trace.update(hoverinfo="text", hovertext=[cards[number] for number in trace["customdata"]])
    strip = f"; {len(panel.strip)} cases took time and have no place here" if panel.strip else ""
    title = {"text": html.escape(f"Roofline   {panel.title} · {precision}{strip}"), "font": {"size": 14}, "x": 0.01, "xanchor": "left"}
    return {"data": data, "layout": {**made["layout"], "title": title, "showlegend": True, "height": 560, "margin": {"l": 70, "r": 16, "t": 44, "b": 52}}}
