"""A panel as plotly traces, as plain dictionaries: what the page and a notebook draw."""
import math

from .. import style
from ..roofline import NEXT_TO_NOTHING

MANY = 1500  # points from which on WebGL draws them
SYMBOLS = {"L1": "circle", "shared": "triangle-down", "L2": "square", "L3": "triangle-up", "mem": "diamond", "system": "cross"}
FORMS = {"hardware": "", "emulated": "-open", "model": "-open-dot"}  # filled: counted; hollow: simulated; with a dot: arithmetic alone
PLAIN, LARGEST, LEAST = 10.0, 46.0, 5.0  # px: a case without a share of any time; one that is all the time; the least that is seen
GRID = "#e4e4e4"


def figure(panel):
    """The whole panel as {"data": [...], "layout": {...}}; each trace's meta and customdata say what it is of."""
    kind = "scattergl" if sum(len(case["points"]) for case in panel.cases) > MANY else "scatter"
    ranges = _ranges(panel)
    data = list(_roof_traces(panel, ranges)) + list(_case_traces(panel, kind, ranges))
    return {"data": data, "layout": _layout(ranges)}


def _size(case):
    """The area tells the share of the time."""
    return PLAIN if case["share"] is None else max(LEAST, LARGEST * math.sqrt(case["share"]))


def _case_traces(panel, kind, ranges):
    joins, intervals, open_ends, points, flags = {}, {}, {}, {}, {}
    for number, case in enumerate(panel.cases):
        rate, precision = case["gflops"], case["precision"]
        for (a, _, from_, _, _), (b, _, to, _, _) in zip(case["points"], case["points"][1:]):
            _line(joins, (precision, a, b), number, (from_, to), rate)
        for level, low, ai, high, source in case["points"]:
            if not (low == ai == high):
                _line(intervals, (precision, level), number, (low or ai, high or ai), rate)
            if high is None:
                _line(open_ends, (precision, level), number, (ai, 10 ** ranges["x"][1]), rate)
            _mark(points, (precision, level, source), number, ai, rate, _size(case))
            if case["flag"] and case["bound"] in (level, "compute"):
                _mark(flags, (precision, level), number, ai, rate, _size(case) + 9)
    for (precision, a, b), lines in joins.items():
        yield _lines(kind, lines, {"role": "join", "precision": precision, "levels": [a, b]}, "#8a8a8a", 0.8, "solid", 0.55)
    for (precision, level), lines in intervals.items():
        yield _lines(kind, lines, {"role": "interval", "precision": precision, "level": level}, _color(level), 5, "solid", 0.35)
    for (precision, level), lines in open_ends.items():
        yield _lines(kind, lines, {"role": "interval", "precision": precision, "level": level}, _color(level), 1.5, "dot", 0.8)
    for (precision, level, source), marks in points.items():
        meta = {"role": "point", "precision": precision, "level": level, "source": source}
        symbol = SYMBOLS.get(level, "star") + FORMS.get(source, "")
        name = f"{style.level_name(level)}, {precision}, {style.BYTES_SOURCES.get(source, source)}"
        yield _marks(kind, marks, meta, name, {"symbol": symbol, "color": _color(level), "opacity": 0.9, "line": {"width": 1.6, "color": _color(level)}})
    for (precision, level), marks in flags.items():
        meta = {"role": "flag", "precision": precision, "level": level}
        yield _marks(kind, marks, meta, "above its roof", {"symbol": "circle-open", "color": "#222222", "line": {"width": 1.5, "color": "#222222"}})


def _line(lines, key, number, ends, rate):
    x, y, of = lines.setdefault(key, ([], [], []))
    x += [_short(ends[0]), _short(ends[1]), None]
    y += [_short(rate), _short(rate), None]
    of += [number] * 3


def _mark(marks, key, number, ai, rate, size):
    x, y, of, sizes = marks.setdefault(key, ([], [], [], []))
    for values, value in zip((x, y, of, sizes), (_short(ai), _short(rate), number, round(size, 1))):
        values.append(value)


def _short(value):
    return float(f"{value:.6g}")


def _lines(kind, lines, meta, color, width, dash, opacity):
    x, y, of = lines
    return {"type": kind, "mode": "lines", "x": x, "y": y, "customdata": of, "meta": meta, "line": {"color": color, "width": width, "dash": dash},
            "opacity": opacity, "hoverinfo": "skip", "showlegend": False, "connectgaps": False}


def _marks(kind, marks, meta, name, look):
    x, y, of, sizes = marks
    return {"type": kind, "mode": "markers", "x": x, "y": y, "customdata": of, "meta": meta, "name": name, "hoverinfo": "none",
            "marker": {**look, "size": sizes}, "showlegend": meta["role"] == "point"}


def _roof_traces(panel, ranges):
    tops = {}
    for roof in panel.roofs:
        if roof["kind"] == "peak":
            tops[roof["precision"]] = max(roof["value"], tops.get(roof["precision"], 0))
    fastest = max((roof["value"] for roof in panel.roofs if roof["kind"] == "bandwidth"), default=None)
    left, right = (10.0**end for end in ranges["x"])
    for roof in panel.roofs:
        if not fastest:
            return
        for precision, top in tops.items() if roof["kind"] == "bandwidth" else [(roof["precision"], roof["value"])]:
            for role, value in (("roof", roof["value"]), ("theory", roof["limit"])):
                if value:
                    x, y = _ends(roof, value, top, fastest, left, right)
                    yield _roof_line(roof, role, precision, value, x, y)


def _ends(roof, value, top, fastest, left, right):
    if roof["kind"] == "peak":
        begin = max(left / 100, value / fastest)
        return [begin, right * 100], [value, value]
    begin = min(left, top / value) / 100
    return [begin, top / value], [begin * value, top]


def _roof_line(roof, role, precision, value, x, y):
    meta = {**{key: roof[key] for key in ("kind", "level", "name", "matters", "label")}, "role": role, "precision": precision, "value": value}
    if role == "theory":
        unit = "GB/s" if roof["kind"] == "bandwidth" else "GFLOP/s"
        meta["label"] = f"{roof['name']} by documents {style.short(value)} {unit}"
    color = _color(roof["level"]) if roof["kind"] == "bandwidth" else "#222222"
    width, dash = (1.2, "dot") if role == "theory" else (2.0, "solid") if roof["matters"] else (1.1, "dash")
    return {"type": "scatter", "mode": "lines", "x": x, "y": y, "meta": meta, "line": {"color": color, "width": width, "dash": dash},
            "hoverinfo": "skip", "name": meta["label"], "showlegend": role == "roof" and roof["matters"], "visible": role == "roof" and roof["matters"]}


def _color(level):
    return style.level_look(level)[0]


def _ranges(panel):
    """The axes' ends, as logarithms: all cases, and the roofs that matter with their ridges."""
    intensities = [min(point[2], NEXT_TO_NOTHING) for case in panel.cases for point in case["points"]]
    rates = [case["gflops"] for case in panel.cases]
    shown = [roof for roof in panel.roofs if roof["matters"] and roof["precision"] in ("-", *panel.precisions[:1])]
    peaks, bandwidths = ([roof["value"] for roof in shown if roof["kind"] == kind] for kind in ("peak", "bandwidth"))
    top = max(peaks, default=max(rates, default=1.0))
    ridges = [top / value for value in bandwidths]
    left = min(min(intensities, default=0.05) / 1.6, min(ridges, default=1.0) / 10)
    right = max(max(ridges, default=1.0) * 6, max(intensities, default=1.0) * 2)
    bottom = min(min(rates, default=top / 30) / 2, min(peaks, default=top) / 3)
    return {"x": [math.log10(left), math.log10(right)], "y": [math.log10(bottom), math.log10(max(top, max(rates, default=top)) * 2.4)]}


def _layout(ranges):
    axis = {"type": "log", "tickformat": "~g", "gridcolor": GRID, "zeroline": False, "linecolor": "#222222", "ticks": "outside", "mirror": True,
            "showline": True, "automargin": True, "exponentformat": "none", "dtick": 1}
    x = {**axis, "range": ranges["x"], "title": {"text": "arithmetic intensity at each level (FLOP/byte)", "standoff": 8}}
    y = {**axis, "range": ranges["y"], "title": {"text": "performance (GFLOP/s)", "standoff": 8}}
    return {"xaxis": x, "yaxis": y, "margin": {"l": 70, "r": 16, "t": 12, "b": 52}, "hovermode": "closest", "dragmode": "zoom", "showlegend": False,
            "paper_bgcolor": "#ffffff", "plot_bgcolor": "#ffffff", "font": {"family": "system-ui, sans-serif", "size": 12, "color": "#222222"}}
