"""The other interactive figures: a program's functions, bandwidth over the working set, what counters are worth. Each is a title, what it shows
in a sentence, and plotly's data and layout."""
from .. import bandwidth, style
from ..judged import number
from ..program import _bound_name, look, of
from .traces import GRID

MOST_FUNCTIONS, MOST_COUNTERS = 25, 60
SYMBOLS = ("circle", "diamond", "square", "triangle-down", "triangle-up", "cross", "x")


def charts(tables, ceilings, show, score):
    """All that the file has rows for."""
    found = [_profile(show), _accuracy(score)]
    found[1:1] = [_bandwidth(node, team, points, ceilings["rows"]) for (node, team), points in sorted(bandwidth.sweeps_of(tables).items())]
    return [chart for chart in found if chart]


def _chart(name, title, says, data, x, y, height, margin=None):
    axis = {"gridcolor": GRID, "zeroline": False, "linecolor": "#222222", "automargin": True, "ticks": "outside"}
    layout = {"xaxis": {**axis, **x}, "yaxis": {**axis, **y}, "height": height, "margin": {"l": 60, "r": 16, "t": 12, "b": 50, **(margin or {})},
              "hovermode": "closest", "paper_bgcolor": "#ffffff", "plot_bgcolor": "#ffffff", "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
              "font": {"family": "system-ui, sans-serif", "size": 12, "color": "#222222"}}
    return {"name": name, "title": title, "says": says, "figure": {"data": data, "layout": layout}}


def _profile(show):
    profile = of(show)
    if not profile:
        return None
    rows = profile["functions"][:MOST_FUNCTIONS]
    data = []
    for bound in dict.fromkeys(row.get("bound") or "" for row in rows):
        own = [row for row in rows if (row.get("bound") or "") == bound]
        data.append({"type": "bar", "orientation": "h", "name": f"bound by {_bound_name(bound)}", "y": [row["name"] for row in own],
                     "x": [100 * row["share"] for row in own], "marker": {"color": look({"bound": bound})},
                     "error_x": {"type": "data", "symmetric": False, "array": [100 * ((row.get("share_hi") or row["share"]) - row["share"]) for row in own],
                                 "arrayminus": [100 * (row["share"] - (row.get("share_lo") or row["share"])) for row in own], "color": "#8a8a8a", "thickness": 1},
                     "text": [_reach(row) for row in own], "textposition": "none", "hovertemplate": "%{y}<br>%{x:.1f} % of the time<br>%{text}<extra></extra>"})
    names = [row["name"] for row in rows]
    rest = len(profile["functions"]) - len(rows)
    of_what = "the time of all kernels" if profile["parts"] == "kernels" else "all samples, with its interval at 95 %"
    says = f"Part of {of_what}{f'; {rest} others are left out' if rest > 0 else ''}."
    return _chart("profile", f"Where {profile['name']} spends its time", says, data, {"title": {"text": "part of the time (%)"}, "rangemode": "tozero"},
                  {"categoryorder": "array", "categoryarray": names[::-1]}, 110 + 24 * len(rows))


def _reach(row):
    if not number(row.get("percent_of_roof")) or not row.get("bound"):
        return "no bound is known"
    return f"{style.short(row['percent_of_roof'])} % of the {_bound_name(row['bound'])} roof"


def _bandwidth(node, team, points, ceiling_rows):
    data = []
    for index, ((pattern, precision), part) in enumerate(points.groupby(["pattern", "precision"])):
        middle = part.groupby("working_set_bytes").value.median()
        color = style.SERIES[index % len(style.SERIES)][0]
        data.append({"type": "scatter", "mode": "lines+markers", "name": pattern if precision in ("-", "") else f"{pattern} {precision}",
                     "x": [float(size) for size in middle.index], "y": [float(f"{value:.5g}") for value in middle.values],
                     "line": {"color": color, "width": 1.5}, "marker": {"symbol": SYMBOLS[index % len(SYMBOLS)], "size": 6, "color": color},
                     "text": [style.short_bytes(size) for size in middle.index], "hovertemplate": "%{text}: %{y:.4g} GB/s<extra>%{fullData.name}</extra>"})
    sizes = sorted(set(points.working_set_bytes))
    ticks = [4.0**power for power in range(4, 24) if sizes[0] / 2 <= 4.0**power <= sizes[-1] * 2]
    reaches = bandwidth.plateaus(ceiling_rows, node, team)
    told = ", ".join(f"{style.level_name(level)} to {style.short_bytes(size)}" for level, size in reaches.items())
    says = "Median of the rounds." + (f" Measured plateaus (dashed): {told}." if told else "")
    chart = _chart("bandwidth", f"Bandwidth over the working set, {node}, {team}", says, data,
                   {"type": "log", "tickvals": ticks, "ticktext": [style.short_bytes(tick) for tick in ticks], "title": {"text": "working set of the whole team"}},
                   {"type": "log", "title": {"text": "bandwidth (GB/s)"}, "tickformat": "~g", "dtick": "D2"}, 420)
    chart["figure"]["layout"]["shapes"] = [
        {"type": "line", "x0": size, "x1": size, "yref": "paper", "y0": 0, "y1": 1, "line": {"color": style.level_look(level)[0], "dash": "dash", "width": 1.2}}
        for level, size in reaches.items()]
    return chart


def _accuracy(score):
    entries = [entry for entry in score.get("counters", []) if number(entry.get("bias")) and number(entry.get("min")) and number(entry.get("max"))][:MOST_COUNTERS]
    if not entries:
        return None
    data = []
    for index, grade in enumerate(sorted({entry.get("grade") or "-" for entry in entries})):
        own = [entry for entry in entries if (entry.get("grade") or "-") == grade]
        color = style.SERIES[index % len(style.SERIES)][0]
        data.append({"type": "scatter", "mode": "markers", "name": "not graded" if grade == "-" else f"grade {grade}", "y": [_counter_name(entry) for entry in own],
                     "x": [entry["bias"] for entry in own], "marker": {"symbol": SYMBOLS[index % len(SYMBOLS)], "size": 9, "color": color},
                     "error_x": {"type": "data", "symmetric": False, "array": [entry["max"] - entry["bias"] for entry in own],
                                 "arrayminus": [entry["bias"] - entry["min"] for entry in own], "color": color, "thickness": 1.2},
                     "text": [f"bias {style.short(entry['bias'])}, {style.short(entry['min'])} to {style.short(entry['max'])}, {entry['n']} cases"
                              f"<br>{entry.get('reason') or ''}" for entry in own],
                     "hovertemplate": "%{y}<br>%{text}<extra>%{fullData.name}</extra>"})
    names = list(dict.fromkeys(_counter_name(entry) for entry in entries))
    chart = _chart("accuracy", "What the counters are worth", "Measured over exact: the mean of the cases, and the least and the most of them; 1 is right.", data,
                   {"type": "log", "title": {"text": "measured / exact"}, "tickformat": "~g", "dtick": 1},
                   {"categoryorder": "array", "categoryarray": names[::-1]}, 130 + 19 * len(names))
    chart["figure"]["layout"]["shapes"] = [{"type": "line", "x0": 1, "x1": 1, "yref": "paper", "y0": 0, "y1": 1, "line": {"color": "#222222", "width": 1}}]
    return chart


def _counter_name(entry):
    return entry["counter"] if entry["counter"].endswith(entry["quantity"]) else f"{entry['counter']} as {entry['quantity']}"
