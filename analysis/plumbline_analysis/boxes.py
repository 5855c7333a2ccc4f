"""Intensity over box size: what an application does for each byte, counted and by the model, beside the law of the paper that it comes from."""
import json
import math
import re
from dataclasses import dataclass

import numpy
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullLocator

from . import style
from .groups import Group
from .judged import number, team
from .key import folded

GHOSTS = 4  # cells: boxes of Yang, Kurth, Williams 2019 are so much wider with their ghost cells, two on each side
CROWDED = 9  # box sizes: from so many on the axis has powers of two alone
BEYOND = 3.0  # times the highest law: what lies further up stands at the edge as an arrow, and as a number beside it
COUNTED = ("hardware", "emulated")


@dataclass
class Size:
    """The intensities of the cases of one box size, FLOP/byte. `high` is None where no traffic can be ruled out."""

    n: int
    law: float  # by the paper's counting
    low: float
    high: float
    counted: list  # (intensity, source of the bytes); infinite where nothing crossed

    def holds(self, intensity):
        return self.low * 0.999999 <= intensity <= (self.high or math.inf) * 1.000001


@dataclass
class Chart:
    """The panels of one figure: cases of one kernel that share node, team and precision."""

    kernel: str
    group: Group
    boundary: str  # "L3-mem", which the bytes cross
    phases: list
    panels: dict  # the other parameters -> sizes, growing

    @property
    def slug(self):
        return f"{self.kernel.rsplit('/', 1)[-1]}-{self.group.slug}"

    @property
    def level(self):
        return self.boundary.split("-")[1]

    def sizes(self):
        return [size for sizes in self.panels.values() for size in sizes]


def charts_of(tables, show_rows):
    """The charts of all applications that state their paper's bytes at two sizes n or more, each a sum over the phases that state them."""
    amounts, phases = _stated(tables["model"])
    shown = {}
    for row in show_rows:
        case = row["case"].removesuffix(f"#{row.get('phase', '')}")
        if row.get("phase") in phases.get(case, ()):
            shown.setdefault((case, row["node"]), []).append(row)
    for (case, _), rows in shown.items():
        rows.sort(key=lambda row: phases[case].index(row["phase"]))
    parameters = dict(zip(tables["cases"].id, tables["cases"].params))
    found = {}
    for (case, node), rows in shown.items():
        words = json.loads(parameters.get(case) or "{}")
        whole = len(rows) == len(phases[case])
        if whole and isinstance(n := words.pop("n", None), int) and number(amounts[case].get("paper.flops", (0,))[0]):
            key = (rows[0]["kernel"], node, team(rows[0]), rows[0]["precision"])
            found.setdefault(key, []).append((n, words, amounts[case], rows))
    charts = (_chart(key, cases) for key, cases in sorted(found.items(), key=lambda item: item[0]))
    return [chart for chart in charts if chart.panels]


def _stated(model):
    """The model's amounts (lo, hi) by case and quantity, summed over the phases that state the paper's bytes, and these phases by case."""
    if "phase" not in model:
        return {}, {}
    rows = model[model.phase != ""]
    stated = rows[rows.quantity == "paper.bytes"][["case", "phase"]]
    amounts, phases = {}, {}
    for case, phase in stated.itertuples(index=False):
        phases.setdefault(case, []).append(phase)
    for case, quantity, low, high in rows.merge(stated)[["case", "quantity", "lo", "hi"]].itertuples(index=False):
        sums = amounts.setdefault(case, {})
        before = sums.get(quantity, (0.0, 0.0))
        sums[quantity] = (before[0] + low, before[1] + high)
    return amounts, phases


def _chart(key, cases):
    kernel, node, team_name, precision = key
    boundary = _boundary([(n, amounts) for n, _, amounts, _ in cases])
    told = {name for _, words, _, _ in cases for name in words if len({json.dumps(other.get(name)) for _, other, _, _ in cases}) > 1}
    panels = {}
    for n, words, amounts, rows in cases:
        name = ", ".join(f"{word}={value}" for word, value in words.items() if word in told)
        panels.setdefault(name, {}).setdefault(n, []).append((amounts, rows))
    drawn = {name: [_size(n, same, boundary) for n, same in sorted(by_n.items())] for name, by_n in panels.items() if boundary and len(by_n) > 1}
    phases = list(dict.fromkeys(row["phase"] for *_, rows in cases for row in rows))
    return Chart(kernel, Group(node, team_name, precision, [row for *_, rows in cases for row in rows]), boundary, phases, drawn)


def _boundary(sizes):
    """The outermost boundary that data of two box sizes surely cross: where caches hold all of them no law can be seen. Else the outermost."""
    crossing = {}
    for n, amounts in sizes:
        for quantity, (least, _) in amounts.items():
            if (found := re.fullmatch(r"bytes\.(\w+-(\w+))", quantity)) and found[2] in style.LEVELS:
                crossing.setdefault(found[1], set()).update({n} if least > 0 else ())
    boundaries = sorted(crossing, key=lambda boundary: -style.level_order(boundary.split("-")[1]))
    return next((boundary for boundary in boundaries if len(crossing[boundary]) > 1), (boundaries or [None])[0])


def _size(n, same, boundary):
    """`same`: the amounts and shown rows of all cases of this size; the interval is what any of them leaves open."""
    lows, highs, counted = [], [], []
    for amounts, rows in same:
        flops = [sum(both[end] for quantity, both in amounts.items() if quantity.startswith("flops.") and quantity.count(".") == 1) for end in (0, 1)]
        least, most = amounts.get(f"bytes.{boundary}", (0.0, 0.0))
        lows.append(flops[0] / most if most else math.inf)
        highs.append(flops[1] / least if least else None)
        counted += _counted(rows, boundary.split("-")[1])
    paper = same[0][0]
    return Size(n, paper["paper.flops"][0] / paper["paper.bytes"][0], min(lows), None if None in highs else max(highs), counted)


def _counted(rows, level):
    """One intensity over all phases, or none where one of them was not counted."""
    ats = [row["levels"].get(level, {}) for row in rows]
    known = all(at.get("source") in COUNTED and isinstance(at.get("bytes"), (int, float)) for at in ats)
    if not known or not all(number(row.get("flops")) for row in rows):
        return []
    bytes_moved = sum(at["bytes"] for at in ats)
    source = max((at["source"] for at in ats), key=COUNTED.index)  # simulated where a part of it is
    return [(sum(row["flops"] for row in rows) / bytes_moved if bytes_moved > 0 else math.inf, source)]


def limit_of(sizes):
    """The paper's intensity of boxes without ghost cells where the law (n / (n + 4))^3 holds for all sizes, else None."""
    limits = [size.law * ((size.n + GHOSTS) / size.n) ** 3 for size in sizes]
    return limits[0] if max(limits) / min(limits) < 1.001 else None


def draw(chart):
    columns = min(3, len(chart.panels))
    lines = math.ceil(len(chart.panels) / columns)
    width = max(7.5, 3.6 * columns + 0.8)
    title = folded(sentence(chart), int(11 * width))
    top = 0.85 + 0.2 * len(title)  # inches: title, what is drawn, legend
    height = 3.0 * lines + top + 0.55
    figure = style.figure(width, height)
    grid = figure.subplots(lines, columns, sharex=True, sharey=True, squeeze=False)
    figure.subplots_adjust(left=0.75 / width, right=1 - 0.15 / width, bottom=0.6 / height, top=1 - (top + 0.15) / height, wspace=0.07, hspace=0.2)
    for axes in grid.flat[: len(chart.panels)]:
        _frame(axes, chart.sizes())
    for index in range(len(chart.panels), lines * columns):
        grid.flat[index].set_visible(False)
        grid.flat[index - columns].tick_params(labelbottom=True)
    figure.canvas.draw()
    for axes, (name, sizes) in zip(grid.flat, chart.panels.items()):
        _panel(axes, sizes, chart.level)
        axes.set_title(name or chart.kernel, fontsize=9, loc="left")
    figure.text(0.01, 1 - 0.1 / height, "\n".join(title), va="top", fontsize=11, fontweight="bold")
    figure.text(0.01, 1 - (0.17 + 0.2 * len(title)) / height, _what(chart), va="top", color="#555555", fontsize=8.5)
    handles, names = _legend(chart)
    figure.legend(handles, names, loc="upper left", bbox_to_anchor=(0.004, 1 - (0.36 + 0.2 * len(title)) / height), ncol=2 if columns == 1 else 4,
                  frameon=False, fontsize=8.5, handletextpad=0.4, columnspacing=1.4, borderaxespad=0)
    figure.supxlabel("box size n (cells of a side; ghost cells not counted)", fontsize=9, y=0.1 / height)
    figure.supylabel(f"arithmetic intensity (FLOP/byte across {chart.boundary})", fontsize=9, x=0.1 / width, y=0.5 + (0.45 - top) / 2 / height)
    return figure


def sentence(chart):
    """The title says what is seen: by counts where there are some, else by the least of the model, and only of boxes that no cache surely holds."""
    ends = []
    for sizes in chart.panels.values():
        told = [[value for value, _ in size.counted if math.isfinite(value)] or [size.low] for size in sizes if size.high]
        ends += [(max(told[0]), min(told[-1]))] if len(told) > 1 else []
    level = style.level_name(chart.level)
    if not ends:
        return f"Caches may hold these boxes: what comes from {level} says nothing of their size"
    has_ghosts = all(map(limit_of, chart.panels.values()))
    if all(last > first for first, last in ends):
        return f"Larger boxes do more arithmetic for each byte from {level}" + (": fewer of the bytes are ghost cells" if has_ghosts else "")
    but = ", though fewer are ghost cells" if has_ghosts else ""
    return f"Not every loop does more arithmetic for each byte from {level} in larger boxes{but}"


def _what(chart):
    phases = chart.phases if len(chart.phases) < 4 else [*chart.phases[:2], f"{len(chart.phases) - 2} others"]
    parts = [f"{chart.kernel}, {' and '.join(phases)}", chart.group.title]
    inside = [size.holds(value) for size in chart.sizes() for value, _ in size.counted]
    if inside:
        parts.append(f"{sum(inside)} of {len(inside)} counted values in the model's interval")
    return " · ".join(parts)


def _frame(axes, sizes):
    values = [value for size in sizes for value in (size.law, size.low, size.high, *(value for value, _ in size.counted))]
    top = BEYOND * max(size.law for size in sizes)
    inside = [value for value in map(number, values) if value and value <= top]
    ns = sorted({size.n for size in sizes})
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xlim(ns[0] / 1.4, ns[-1] * 1.4)
    axes.set_ylim(min(inside) / 1.5, max(inside) * 1.7)
    style.log_axis(axes.yaxis)
    axes.xaxis.set_major_locator(FixedLocator(ns) if len(ns) < CROWDED else LogLocator(base=2))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: style.short(value)))
    axes.grid(True, which="major", color="#e6e6e6", lw=0.6)
    axes.set_axisbelow(True)


def _panel(axes, sizes, level):
    color, _ = style.level_look(level)
    boxes = style.Boxes(axes.bbox.extents)
    closed = [size for size in sizes if size.high]
    seen = [size for size in sizes if size.low <= axes.get_ylim()[1]]
    _edge(axes, boxes, seen, [size.low for size in seen], color, "low")
    axes.fill_between([size.n for size in closed], [size.low for size in closed], [size.high for size in closed], color=color, alpha=0.25, lw=0,
                      zorder=1, gid="band")
    _edge(axes, boxes, closed, [size.high for size in closed], color, "high")
    for size in sizes:
        _interval(axes, size, color, boxes)
    x, law = _law(sizes)
    axes.plot(x, law, "--", color=style.INK, lw=1.3, zorder=3, gid="law")
    _take(axes, boxes, x, law)
    for size in sizes:
        for value, source in size.counted:
            _point(axes, boxes, size, value, source, level)
    _name_law(axes, boxes, sizes)


def _edge(axes, boxes, sizes, values, color, name):
    """One side of the band."""
    axes.plot([size.n for size in sizes], values, "-", color=color, lw=0.9, zorder=2, gid=name)
    for one, other, low, high in zip(sizes, sizes[1:], values, values[1:]):
        _take(axes, boxes, numpy.geomspace(one.n, other.n, 30), numpy.geomspace(low, high, 30))


def _interval(axes, size, color, boxes):
    """A bar at one size, dotted to the frame where the interval is open."""
    top = axes.get_ylim()[1]
    if size.high is None:
        axes.plot([size.n] * 2, [min(size.low, top), top], ":", color=color, lw=1.3, zorder=2, gid="open")
        axes.plot([size.n], [top], "^", color=color, ms=5, clip_on=False, zorder=2)
    else:
        axes.plot([size.n] * 2, [size.low, size.high], "-", color=color, lw=2.6, alpha=0.45, solid_capstyle="butt", zorder=2)
    ends = [end for end in (size.low, size.high) if end and end <= top]
    axes.plot([size.n] * len(ends), ends, "_", color=color, ms=8, mew=1.3, zorder=2)
    _take(axes, boxes, [size.n] * 20, numpy.geomspace(min(size.low, top), min(size.high or top, top), 20))


def _law(sizes):
    limit = limit_of(sizes)
    if limit is None:
        return [size.n for size in sizes], [size.law for size in sizes]
    x = numpy.geomspace(sizes[0].n, sizes[-1].n, 60)
    return x, limit * (x / (x + GHOSTS)) ** 3


def _point(axes, boxes, size, value, source, level):
    """One counted value; what lies above the axis stands at its edge as an arrow, and as a number beside it."""
    top = axes.get_ylim()[1]
    if value <= top:
        style.draw_points(axes, [size.n], [value], level, source, 6.5, zorder=5)
        _take(axes, boxes, [size.n], [value], margin=6)
        return
    color, _ = style.level_look(level)
    x, y = axes.transData.transform((size.n, top))
    below = axes.transData.inverted().transform((x, y - 14))[1]
    axes.plot([size.n], [below], "^", ms=8, mec=color, mfc=style.face(color, source), mew=1.3, zorder=5, gid="beyond")
    boxes.add(x - 6, y - 20, x + 6, y)
    candidates = [(x + side * 9, y - 13 - down, alignment, "center") for down in (0, 12, 24, 36) for side, alignment in ((1, "left"), (-1, "right"))]
    text = style.short(value) if math.isfinite(value) else "no bytes"
    style.place(axes, boxes, candidates, text, fontsize=7.5)


def _take(axes, boxes, x, y, margin=2):
    """Labels keep off what is drawn at these places."""
    for a, b in axes.transData.transform(numpy.column_stack([x, y])):
        boxes.add(a - margin, b - margin, a + margin, b + margin)


def _name_law(axes, boxes, sizes):
    """The law's words where nothing else is: above its line or below, from its end on."""
    limit = limit_of(sizes)
    text = "the paper's counting" if limit is None else f"paper: {style.short(limit)} × (n/(n+4))³"
    x, law = _law(sizes)
    places = axes.transData.transform(numpy.column_stack([x, law]))[::-1]
    candidates = [(a, b + away, side, "bottom" if away > 0 else "top") for away in (8, -8, 20, -20, 34, -34, 50, -50, 70, -70)
                  for a, b in places[::3] for side in ("right", "center", "left")]
    style.place(axes, boxes, candidates, text, fontsize=8, fontweight="bold")


def _legend(chart):
    color, marker = style.level_look(chart.level)
    sources = [source for source in COUNTED if any(source == other for size in chart.sizes() for _, other in size.counted)]
    handles = [style.handle(color, marker, source) for source in sources]
    handles += [Patch(facecolor=color, alpha=0.4, edgecolor=color), Line2D([], [], ls="--", color=style.INK, lw=1.3)]
    names = [style.BYTES_SOURCES[source] for source in sources]
    names += ["the model's interval: cache lines touched", "the paper's counting: cells with ghost cells"]
    if any(size.high is None for size in chart.sizes()):
        handles.append(Line2D([], [], ls=":", color=color, lw=1.3, marker="^", ms=5))
        names.append("open: a cache may hold it all")
    return handles, names
