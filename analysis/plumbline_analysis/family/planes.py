"""The time-based roofline of Wang et al. 2020: the plane of complexity, the plane of times, and both in one view with closed and open symbols.

Where a case lies, and in which region, is what `plumbline show --json` says (`time_roofline`); nothing is classified here.
"""
import math

from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Polygon, Rectangle

from .. import style
from ..key import folded
from .placed import planes_of  # noqa: F401  (the callers' one door)

# What bounds a case, its colour and its symbol.
REGIONS = {"compute": ("#0072B2", "o", "compute"), "bandwidth": ("#D55E00", "s", "bandwidth"), "overhead": (style.OVERHEAD, "^", "launch overhead")}
TINTS = {"compute": "#E3EFF7", "bandwidth": "#FBEBDF", "overhead": "#E2E2E2"}
BOXES_DRAWN = 4  # boxes of more different overheads would hide the planes


def draw(group, level, placed, note=""):
    """One figure: three planes, and the key beside them."""
    figure = style.figure(12.5, 10.6)
    complexity = figure.add_axes((0.07, 0.56, 0.40, 0.375))
    times = figure.add_axes((0.565, 0.56, 0.40, 0.375))
    both = figure.add_axes((0.07, 0.06, 0.40, 0.375))
    draw_complexity(complexity, placed, level)
    draw_times(times, placed)
    draw_both(both, placed, level)
    _draw_key(figure, placed, note)
    figure.text(0.012, 0.981, f"Time-based roofline   {group.title}", fontsize=12, fontweight="bold")
    figure.text(0.012, 0.962, _caption(placed, level), fontsize=9)
    return figure


def _caption(placed, level):
    """The level whose bytes are counted, and the rates by which work is time."""
    least, most = (pick(one.peak for one in placed) / 1e9 for pick in (min, max))
    peaks = f"{style.short(most)} GFLOP/s" if most < 1.02 * least else f"{style.short(least)} to {style.short(most)} GFLOP/s"
    return (f"bytes: what crosses the boundary of {style.level_name(level)} towards the core, and back, at {style.short(placed[0].bandwidth / 1e9)} GB/s; "
            f"FLOPs at each case's own roof of arithmetic, {peaks}")


# ------------------------------------------------------------------------------------------------------------------ complexity


def draw_complexity(axes, placed, level):
    """FLOPs over bytes: what each case has to do, whatever it takes."""
    _complexity_frame(axes, placed, level, [(one.bytes, one.flops) for one in placed])
    boxes = _boxes(axes, {pick(one.balance for one in placed) for pick in (min, max)})
    for one in placed:
        _symbol(axes, boxes, one.bytes, one.flops, one.complexity_region, closed=True)
    _numbers(axes, boxes, [(one.position, one.bytes, one.flops) for one in placed], _above(placed))
    _label_balance(axes, boxes, placed)
    _label_boxes(axes, boxes, placed, lambda one: (one.overhead * one.bandwidth, one.overhead * one.peak))
    axes.set_title("Complexity: what has to be done", loc="left", fontsize=9.5)


def _complexity_frame(axes, placed, level, points):
    corners = [(one.overhead * one.bandwidth, one.overhead * one.peak) for one in placed if one.overhead]
    _log_frame(axes, [x for x, _ in points + corners], [y for _, y in points + corners])
    axes.set_xlabel(f"bandwidth complexity: bytes from {style.level_name(level)}")
    axes.set_ylabel("computational complexity: FLOPs")
    _tint(axes, max(one.balance for one in placed), min(one.balance for one in placed))
    _diagonals(axes)
    _draw_boxes(axes, placed, lambda one: (one.overhead * one.bandwidth, one.overhead * one.peak))


def _tint(axes, highest, lowest):
    """Shades what is bound by arithmetic and by bytes; between the least and the greatest balance of the cases it is open."""
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    axes.add_patch(Polygon([(left, left * highest), (right, right * highest), (right, top * 1e3), (left, top * 1e3)], fc=TINTS["compute"], lw=0,
                           zorder=0.1, gid="compute"))
    axes.add_patch(Polygon([(left, left * lowest), (right, right * lowest), (right, bottom / 1e3), (left, bottom / 1e3)], fc=TINTS["bandwidth"],
                           lw=0, zorder=0.1, gid="bandwidth"))
    for balance in {highest, lowest}:
        axes.plot([left, right], [left * balance, right * balance], "-", color=style.INK, lw=1.5 if highest < 1.02 * lowest else 1.0, zorder=2,
                  gid="balance", scalex=False, scaley=False)
    axes.set_xlim(left, right)
    axes.set_ylim(bottom, top)


def _diagonals(axes):
    """Hair lines of equal intensity."""
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    for power in range(math.ceil(math.log10(bottom / right)), math.floor(math.log10(top / left)) + 1):
        axes.plot([left, right], [left * 10.0**power, right * 10.0**power], ":", color=style.FAINT, lw=0.6, zorder=1, scalex=False, scaley=False)


def distinct_overheads(placed):
    """One case for each box: those whose corners differ by 5 % or more; of many the least, the greatest and some between."""
    found = []
    for one in sorted((one for one in placed if one.overhead), key=lambda one: one.overhead * one.peak):
        if not found or one.overhead * one.peak > 1.05 * found[-1].overhead * found[-1].peak:
            found.append(one)
    step = max(1.0, (len(found) - 1) / (BOXES_DRAWN - 1))
    return found if len(found) <= BOXES_DRAWN else [found[round(step * i)] for i in range(BOXES_DRAWN)]


def _draw_boxes(axes, placed, corner):
    """A frame for each overhead; only the least, in which every case waits for its launches, is shaded."""
    (left, _), (bottom, _) = axes.get_xlim(), axes.get_ylim()
    for index, one in enumerate(distinct_overheads(placed)):
        x, y = corner(one)
        axes.add_patch(Rectangle((left / 10, bottom / 10), x - left / 10, y - bottom / 10, fc=TINTS["overhead"] if index == 0 else "none",
                                 ec=REGIONS["overhead"][0], lw=1.0, ls="--", zorder=1.5, gid="overhead"))


def _label_boxes(axes, boxes, placed, corner):
    for one in distinct_overheads(placed):
        x, y = axes.transData.transform(corner(one))
        text = f"{style.short(one.launches)} launch{'es' if one.launches != 1 else ''}: {style.seconds_text(one.overhead)}"
        candidates = [(x - 4 - dx, y + dy, "right", vertical) for dx in (0, 20, 50, 90) for dy, vertical in ((-4, "top"), (4, "bottom"), (-17, "top"))]
        candidates += [(x + 5, y - dy, "left", "top") for dy in (0, 14, 28)]
        style.place(axes, boxes, candidates, text, fontsize=7.5, color=REGIONS["overhead"][0])


def _label_balance(axes, boxes, placed):
    least, most = (pick(one.balance for one in placed) for pick in (min, max))
    value = style.short(most) if most < 1.02 * least else f"{style.short(least)} to {style.short(most)}"
    _along_diagonal(axes, boxes, most, f"balance {value} FLOP/byte")


def _along_diagonal(axes, boxes, slope, text):
    """Text along a line y = slope * x, where there is room beside it."""
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    start, end = max(left, bottom / slope), min(right, top / slope)
    if end <= start:
        return
    (a, b), (c, d) = (axes.transData.transform((x, x * slope)) for x in (start, end))
    length, angle = math.hypot(c - a, d - b), math.atan2(d - b, c - a)
    room = length - style.text_width(axes, text, 8)
    candidates = []
    for away, vertical in ((-31, "top"), (-18, "top"), (-5, "top"), (31, "bottom"), (18, "bottom"), (5, "bottom")):
        for step in range(6, max(7, int(room)), 10):
            candidates.append((a + math.cos(angle) * step - math.sin(angle) * away, b + math.sin(angle) * step + math.cos(angle) * away, "left", vertical))
    style.place(axes, boxes, candidates[::-1], text, math.degrees(angle), fontsize=8)


# ------------------------------------------------------------------------------------------------------------------ times


def draw_times(axes, placed):
    """Compute time over bandwidth time: the greater is the run time."""
    values = [value for one in placed for value in (one.bandwidth_seconds, one.compute_seconds, one.overhead) if value]
    _log_frame(axes, values, values)
    axes.set_xlabel("bandwidth time")
    axes.set_ylabel("compute time")
    for axis in (axes.xaxis, axes.yaxis):
        style.log_axis(axis, style.seconds_text)
    _tint(axes, 1.0, 1.0)
    boxes = _boxes(axes, {1.0})
    _draw_boxes(axes, placed, lambda one: (one.overhead, one.overhead))
    _isochrones(axes)
    for one in placed:
        _symbol(axes, boxes, one.bandwidth_seconds, one.compute_seconds, one.time_region, closed=False)
    _numbers(axes, boxes, [(one.position, one.bandwidth_seconds, one.compute_seconds) for one in placed], _above(placed))
    _label_boxes(axes, boxes, placed, lambda one: (one.overhead, one.overhead))
    axes.set_title("Time: what it took, and for what   (grey corners: equal run time)", loc="left", fontsize=9.5)


def _isochrones(axes):
    """Lines of equal run time, which is the greater of both times."""
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    for power in range(math.floor(math.log10(max(left, bottom))), math.ceil(math.log10(min(right, top)))):
        value = 10.0**power
        axes.plot([left, value, value], [value, value, bottom], "-", color=style.FAINT, lw=0.7, zorder=1, scalex=False, scaley=False, gid="isochrone")


# ------------------------------------------------------------------------------------------------------------------ both


def draw_both(axes, placed, level):
    """Closed: complexity. Open: what the time would have sufficed for at the roofs. The nearer the two, the nearer to the roof."""
    opened = [(one.bandwidth_seconds * one.bandwidth, one.compute_seconds * one.peak) for one in placed]
    _complexity_frame(axes, placed, level, [(one.bytes, one.flops) for one in placed] + opened)
    boxes = _boxes(axes, {pick(one.balance for one in placed) for pick in (min, max)})
    for one, (x, y) in zip(placed, opened):
        axes.plot([one.bytes, x], [one.flops, y], "-", color=REGIONS[one.complexity_region][0], lw=1.2, alpha=0.6, zorder=3, gid="performance")
        _symbol(axes, boxes, x, y, one.time_region, closed=False)
        _symbol(axes, boxes, one.bytes, one.flops, one.complexity_region, closed=True)
    _numbers(axes, boxes, [(one.position, one.bytes, one.flops) for one in placed], _above(placed))
    _label_balance(axes, boxes, placed)
    _label_boxes(axes, boxes, placed, lambda one: (one.overhead * one.bandwidth, one.overhead * one.peak))
    _time_axes(axes, placed)
    axes.set_title("Both: the gap is the distance from these two roofs", loc="left", fontsize=9.5, pad=30)


def _time_axes(axes, placed):
    """Secondary axes in seconds: bytes over bandwidth, FLOPs over the highest roof of arithmetic among the cases."""
    bandwidth, peak = placed[0].bandwidth, max(one.peak for one in placed)
    for side, scale, words in (("top", bandwidth, f"bandwidth time at {style.short(bandwidth / 1e9)} GB/s"),
                               ("right", peak, f"compute time at {style.short(peak / 1e9)} GFLOP/s")):
        make = axes.secondary_xaxis if side == "top" else axes.secondary_yaxis
        second = make(side, functions=(lambda value, s=scale: value / s, lambda value, s=scale: value * s))
        axis, limits = (second.xaxis, axes.get_xlim()) if side == "top" else (second.yaxis, axes.get_ylim())
        (second.set_xlim if side == "top" else second.set_ylim)(*(limit / scale for limit in limits))
        style.log_axis(axis, style.seconds_text)
        axis.set_label_text(words, fontsize=8)
        second.tick_params(labelsize=7.5)


# ------------------------------------------------------------------------------------------------------------------ parts


def _log_frame(axes, xs, ys):
    axes.set_xscale("log")
    axes.set_yscale("log")
    for values, limit in ((xs, axes.set_xlim), (ys, axes.set_ylim)):
        margin = 2.5 if max(values) / min(values) > 30 else 6.0
        limit(min(values) / margin, max(values) * margin)
    style.log_axis(axes.xaxis)
    style.log_axis(axes.yaxis)
    for axis, (low, high) in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
        if high > 2e5:
            style.log_axis(axis, style.powers)
    axes.set_axisbelow(True)


def _boxes(axes, slopes):
    """The lines y = slope * x take their places first."""
    boxes = style.Boxes(axes.bbox.extents)
    for slope in slopes:
        style.take_line(axes, boxes, *((x, slope * x) for x in axes.get_xlim()))
    return boxes


def _above(placed):
    return {one.position for one in placed if one.is_above}


def _symbol(axes, boxes, x, y, region, closed):
    color, marker, _ = REGIONS[region]
    axes.plot([x], [y], marker, ms=7, mec=color, mfc=color if closed else "white", mew=1.4, zorder=5 if closed else 4.5,
              gid=("closed " if closed else "open ") + region)
    at = axes.transData.transform((x, y))
    boxes.add(at[0] - 7, at[1] - 7, at[0] + 7, at[1] + 7)


def _numbers(axes, boxes, points, flagged):
    """The cases' numbers; those of cases above their roof are flagged."""
    for position, x, y in points:
        label = style.number_near(axes, boxes, position, axes.transData.transform((x, y)))
        if position in flagged:
            label.set_color(style.FLAG)


def _draw_key(figure, placed, note):
    x, y, advance = 0.565, 0.468, 0.0142
    present = [region for region in REGIONS if any(region in (one.complexity_region, one.time_region) for one in placed)]
    symbols = [style.handle(*REGIONS[region][:2]) for region in present] + [Line2D([], [], ls="none", marker="o", ms=7, mec=style.INK, mfc="white", mew=1.3)]
    names = [f"bound by {REGIONS[region][2]}" for region in present] + ["open: by its time; closed: by what it has to do"]
    figure.legend(symbols, names, loc="upper left", bbox_to_anchor=(x - 0.008, y + 0.012), ncol=2, frameon=False, fontsize=8, handletextpad=0.3,
                  columnspacing=1.2, borderaxespad=0)
    y -= 0.05
    lines = []
    for one in placed:
        label = folded(f"{one.row.get('label') or one.row['case']} {one.row.get('flavor') or ''}", 60)
        lines.append((str(one.position), label[0] + ("…" if len(label) > 1 else ""), style.INK, 8.0))
        lines.append(("", _verdict(one), style.FLAG if one.is_above else "#555555", 7.5))
    closing = [note,
               "" if any(one.overhead for one in placed) else "no box of launch overhead: none was measured for these cases"]
    for text in folded(" · ".join(filter(None, closing)), 78):
        lines.append((None, text, "#555555", 7.0))
    advance = min(advance, (y - 0.02) / len(lines))
    scale = min(1.0, advance / 0.0138)
    for position, text, color, size in lines:
        figure.text(x, y, position or "", fontsize=size * scale, fontweight="bold", va="top")
        figure.text(x if position is None else x + 0.022, y, text, fontsize=size * scale, color=color, va="top")
        y -= advance


def _verdict(one):
    words = REGIONS[one.complexity_region][2]
    spent, least = one.seconds
    return f"{style.seconds_text(spent)}, at the roofs {style.seconds_text(least)}: {words}{', above its roof' if one.is_above else ''}"
