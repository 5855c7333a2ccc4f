"""The hierarchical roofline: FLOP/s over arithmetic intensity at each memory level, under the measured ceilings."""
import dataclasses
import math

import numpy

from . import roof_labels, style
from .groups import interval, source_of
from .judged import number
from .key import draw_key
from .own_roofs import occupancy_note, own_roofs


NEXT_TO_NOTHING = 1000.0  # FLOP/byte: a level beyond carries next to nothing, as plumbline show has it
SMALLEST, LARGEST = 5.5, 12.0  # symbols in points
ABOVE_ROOF = 100.5  # percent, as plumbline show has it
NARROW = 10.0  # inches: below it the key stands under the figure


HEAD = "Roofline"
X_WORDS, Y_WORDS = "arithmetic intensity (FLOP per byte across each level's boundary)", "performance (GFLOP/s)"
WORDS = (HEAD, X_WORDS, Y_WORDS, "FLOP/byte")  # what stands over a figure and at its axes, and the unit of its points


def draw(group, roofs, rows, note="", size=(12.5, 7.2), every=False, strip=None, words=WORDS):
    """One figure with up to CASES_A_FIGURE numbered cases and their key. `every`: all peaks, not only those that say something of these
    cases. `strip`: kernels without FLOPs (without_flops.py). `words`: as WORDS, of a roofline of something else than FLOPs."""
    figure = style.figure(*size)
    frame_at, strip_at, key_at = _layout(size, bool(strip))
    axes = figure.add_axes(frame_at)
    frame(axes, rows, roofs)
    axes.set_xlabel(words[1])
    axes.set_ylabel(words[2])
    boxes = style.Boxes(axes.bbox.extents)
    for row in rows:
        _draw_displaced(axes, row, boxes)
    longest = max((number(row.get("seconds")) or 0.0 for row in rows), default=0.0)
    drawn = [_draw_case(axes, row, boxes, size_of_time(row, longest)) for row in rows]
    kept, others = (roofs.peaks, []) if every else roof_labels.that_matter(roofs.peaks, rows)
    # By height, so that labels of those that lie side by side become one.
    shown = dataclasses.replace(roofs, peaks=sorted(kept + own_roofs(rows, kept), key=lambda peak: -peak["value"]))
    draw_roofs(axes, shown, boxes)
    if not roofs.are_guides:
        roof_labels.ridges(axes, shown, boxes)
    for position, (row, ends) in enumerate(zip(rows, drawn), start=1):
        _number_case(axes, position, ends, boxes, style.FLAG if is_above(row) else style.INK)
    launches = [_draw_launch_roof(axes, row, boxes) for row in rows]
    unnamed = roof_labels.label(axes, shown, boxes, beside=True)
    axes.set_title(f"{words[0]}   {group.title}", loc="left", fontsize=11, fontweight="bold")
    if strip:
        strip.draw(figure.add_axes(strip_at))
    notes = [note, _displaced_note(rows), occupancy_note(rows), *_others_notes(unnamed, others),
             f"area of a symbol: time of a sweep, {style.seconds_text(longest)} the largest" if longest else "",
             "caps: the roof that a case's launches leave" if any(launches) else ""]
    draw_key(figure, rows, roofs, " · ".join(filter(None, notes)), key_at, 1 if size[0] >= NARROW else 2, words[3])
    return figure


def _layout(size, strip):
    """The places of frame, strip and key (left, bottom, width, height), in parts of the figure."""
    width, height = size
    left, beside, key, top = 0.8, 1.7, 3.95, 0.5
    bottom = 0.62 + (0.6 if strip else 0.0)
    if width < NARROW:
        low = height * 0.45
        places = [(left, low + bottom, width - left - beside, height - low - bottom - top), (left, low + 0.1, width - left - beside, 0.2),
                  (0.15, 0.1, width - 0.3, low - 0.2)]
    else:
        across = width - left - beside - key
        places = [(left, bottom, across, height - bottom - top), (left, 0.12, across, 0.2), (width - key + 0.05, 0.2, key - 0.15, height - 0.55)]
    return [(x / width, y / height, across / width, up / height) for x, y, across, up in places]


def size_of_time(row, longest):
    """A symbol's diameter in points: its area is in proportion to the time of a sweep, but that it must be seen."""
    return max(SMALLEST, LARGEST * math.sqrt((number(row.get("seconds")) or 0.0) / longest)) if longest else 7.0


def is_above(row):
    return (number(row.get("percent_of_roof")) or 0.0) >= ABOVE_ROOF


def _others_notes(unnamed, others):
    """Notes on roofs that have no name in the figure, or no line."""
    if unnamed:
        yield f"without a name for want of room: {', '.join(unnamed)}"
    if others:
        yield "not drawn, as no case here is under them (GFLOP/s): " + ", ".join(f"{peak['name']}: {style.short(peak['value'])}" for peak in others)


def _draw_launch_roof(axes, row, boxes):
    """A cap over a case: its FLOPs over the least time of all its launches (Wang et al. 2020, figure 2a), where that is its lowest roof.
    Returns whether it is."""
    overhead = number((row.get("time_roofline") or {}).get("overhead_seconds"))
    rate = row["flops"] / overhead / 1e9 if overhead else None
    if not rate or rate > (number(row.get("roof_gflops")) or math.inf) or rate < axes.get_ylim()[0]:
        return False
    points = points_of(row)
    left, right = points[0][2] / 1.3, points[-1][2] * 1.3
    axes.plot([left, left, right, right], [rate / 1.15, rate, rate, rate / 1.15], "-", color=style.OVERHEAD, lw=2.0, zorder=4, gid="launch roof")
    _take_line(axes, boxes, left, rate, right, rate, margin=3)
    launches = number(row["time_roofline"].get("launches")) or 1
    (x, y), (end, _) = _pixels(axes, left, rate), _pixels(axes, right, rate)
    places = [((x + end) / 2, y + 4, "center", "bottom"), (x - 4, y, "right", "center"), (end + 4, y, "left", "center"), ((x + end) / 2, y - 4, "center", "top")]
    style.place_free(axes, boxes, [(f"{style.short(launches)} launch{'es' if launches != 1 else ''}", places, 0.0)], fontsize=7, color=style.OVERHEAD)
    return True


def _number_case(axes, position, ends, boxes, color):
    """The case's number beside one of its ends; a leader where it had to go further."""
    (x0, y0), (x1, y1) = ends
    candidates = [place for away in (11, 20) for place in ((x1 + away, y1, "left", "center"), (x0 - away, y0, "right", "center"))]
    for away in (15, 22, 30, 40, 52, 66, 82, 100, 125):
        for turn in (0, 30, -30, 60, -60, 90, -90):
            east, north = away * math.cos(math.radians(turn)), away * math.sin(math.radians(turn))
            candidates += [(x1 + east, y1 + north, "center", "center"), (x0 - east, y0 + north, "center", "center")]
    label = style.place(axes, boxes, candidates, str(position), fontsize=8.5, fontweight="bold", color=color)
    box = label.get_window_extent()
    x, y = (box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2
    end = min(ends, key=lambda point: math.hypot(point[0] - x, point[1] - y))
    distance = math.hypot(end[0] - x, end[1] - y)
    if distance > 24:
        style.leader(axes, (x, y), end, from_=8 / distance, to=1 - 6 / distance)


def _displaced_note(rows):
    counters = {displaced["counter"] for displaced in map(displaced_of, rows) if displaced}
    return "".join(f"x: the case by {counter}." for counter in sorted(counters))


def frame(axes, rows, roofs):
    intensities = [value for row in rows for point in points_of(row) for value in point[1:] if value]
    intensities += [displaced["ai"] for displaced in map(displaced_of, rows) if displaced]
    ridges = [roofs.ridge(level) for level in roofs.bandwidths]
    rates = [row["gflops"] for row in rows] + [peak["value"] for peak in roofs.peaks]
    left = min(min(intensities, default=0.05) / 1.6, min(ridges) / 12)  # room for the label along the first roof
    right = max(max(ridges) * 6, min(max(intensities, default=1.0), NEXT_TO_NOTHING) * 2.5)
    bottom = min(min(rates) / 2.2, roofs.top / 200)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(left, right)
    axes.set_ylim(bottom, roofs.top * 2.6)
    style.log_axis(axes.xaxis)
    style.log_axis(axes.yaxis, style.powers if roofs.top > 2e4 else style.short)
    axes.set_xlabel(X_WORDS)
    axes.set_ylabel(Y_WORDS)
    axes.grid(True, which="major", color="#e6e6e6", lw=0.6, zorder=0)
    axes.set_axisbelow(True)


def _pixels(axes, x, y):
    return axes.transData.transform((x, y))


def _take_line(axes, boxes, x0, y0, x1, y1, margin=1.5):
    style.take_line(axes, boxes, (x0, y0), (x1, y1), margin)


def points_of(row):
    """Points (level, low, ai, high) by rising intensity; high is None where the interval is open.

    Beyond NEXT_TO_NOTHING only the innermost is kept, and only if it is the case's only one: it says where the case stands.
    """
    points = sorted(((name, *interval(level)) for name, level in row["levels"].items() if number(level.get("ai"))),
                    key=lambda point: (point[2], style.level_order(point[0])))
    return [point for point in points if point[2] <= NEXT_TO_NOTHING] or points[:1]


def displaced_of(row):
    """The place where another counter's bytes would put the case (`plumbline show --by`), or None."""
    displaced = row.get("displaced") or {}
    return displaced if number(displaced.get("ai")) else None


def _draw_displaced(axes, row, boxes):
    """A cross at the other counter's intensity, joined to the point of the same level."""
    displaced = displaced_of(row)
    start = number(((row["levels"] or {}).get(displaced["level"]) or {}).get("ai")) if displaced else None
    if not start:
        return
    color, _ = style.level_look(displaced["level"])
    axes.plot([start, displaced["ai"]], [row["gflops"]] * 2, "--", color=color, lw=1.0, zorder=3.2)
    axes.plot([displaced["ai"]], [row["gflops"]], "x", color=color, ms=7, mew=1.6, zorder=6, gid="displaced")
    _take_line(axes, boxes, start, row["gflops"], displaced["ai"], row["gflops"], margin=4)


def _draw_case(axes, row, boxes, symbol):
    """A case's points, one a level, all at its FLOP/s, joined; returns the pixel positions of its ends."""
    rate, points = row["gflops"], points_of(row)
    ends = [_pixels(axes, points[0][2], rate), _pixels(axes, points[-1][2], rate)]
    axes.plot([points[0][2], points[-1][2]], [rate, rate], "-", color=style.INK, lw=0.8, alpha=0.55, zorder=3)
    _take_line(axes, boxes, points[0][2], rate, points[-1][2], rate)
    for (name, low, ai, high), size in zip(points, sizes_of(axes, points, rate, symbol)):
        _draw_interval(axes, name, low, ai, high, rate, boxes)
        style.draw_point(axes, ai, rate, name, source_of(row, name), size, zorder=6 - size / 20)
        x, y = _pixels(axes, ai, rate)
        half = max(6.0, 0.5 * size * axes.figure.dpi / 72 + 1.5)
        boxes.add(x - half, y - half, x + half, y + half)
    return ends


def sizes_of(axes, points, rate, size):
    """Marker sizes: `size`, or one inside the other where levels share a place, as they do for a kernel that reuses nothing."""
    sizes, nest = [size] * len(points), []
    for index, point in enumerate(points):
        x = _pixels(axes, point[2], rate)[0]
        nest = [other for other in nest if abs(x - _pixels(axes, points[other][2], rate)[0]) < 0.72 * size] + [index]
        if len(nest) > 1:
            for depth, other in enumerate(sorted(nest, key=lambda other: style.level_order(points[other][0]))):
                sizes[other] = size * (0.65 + 0.65 * (len(nest) - 1 - depth))
    return sizes


def _draw_interval(axes, level, low, ai, high, rate, boxes):
    """A horizontal error bar; dotted to the frame where the interval is open (the caches may take all the traffic)."""
    color, _ = style.level_look(level)
    low = low or ai
    if low == ai and high == ai:
        return
    if high is None or high > axes.get_xlim()[1]:
        high = axes.get_xlim()[1]
        axes.plot([ai, high], [rate, rate], ":", color=color, lw=1.3, zorder=3.5)
        axes.plot([high], [rate], ">", color=color, ms=5, clip_on=False, zorder=3.6)
        axes.plot([low, ai], [rate, rate], "-", color=color, lw=2.6, alpha=0.45, solid_capstyle="butt", zorder=3.5)
    else:
        axes.plot([low, high], [rate, rate], "-", color=color, lw=2.6, alpha=0.45, solid_capstyle="butt", zorder=3.5)
        axes.plot([low, high], [rate, rate], "|", color=color, ms=8, mew=1.3, zorder=3.6)
    _take_line(axes, boxes, low, rate, high, rate, margin=3)


def draw_roofs(axes, roofs, boxes):
    """The lines of all roofs. Their names are written by roof_labels."""
    left, right = axes.get_xlim()
    bottom = axes.get_ylim()[0]
    for level, row in roofs.bandwidths.items():
        color, _ = style.level_look(level)
        value, start = row["value"], max(left, bottom / row["value"])
        high = axes.get_ylim()[1] if roofs.are_guides else roofs.top
        ridge = min(right, high / value)
        axes.plot([start, ridge], [start * value, ridge * value], "-", color=color, lw=1.8, zorder=2)
        _shade(axes, row, (start, ridge), lambda x, rate: x * rate, high, color)
        if not roofs.are_guides:
            axes.plot([ridge], [high], "o", ms=4.5, color=color, mec="white", mew=0.8, zorder=6, gid="ridge")
        _take_line(axes, boxes, start, start * value, ridge, ridge * value)
    first = min(roofs.ridge(level) for level in roofs.bandwidths)
    if roofs.are_guides:
        for peak in roofs.peaks:
            axes.plot([left, right], [peak["value"]] * 2, ls=(0, (2, 4)), color=style.FAINT, lw=0.9, zorder=1.5, gid="guide")
            _take_line(axes, boxes, left, peak["value"], right, peak["value"])
        return
    for peak in roofs.peaks:
        begin = max(left, first * peak["value"] / roofs.top)
        top = peak is roofs.peaks[0]
        axes.plot([begin, right], [peak["value"]] * 2, "-" if top else "--", color=style.INK, lw=1.8 if top else 1.0, zorder=2)
        if top:  # bands of all peaks would pile up; the others' labels say their spread
            _shade(axes, peak, (begin, right), lambda x, rate: rate + 0 * x, peak["value"], style.INK)
        _take_line(axes, boxes, begin, peak["value"], right, peak["value"])


def _shade(axes, row, x, rate_at, top, color):
    """The spread between the rounds, as a band that ends at the roof."""
    low, high = number(row.get("min")), number(row.get("max"))
    if low and high:
        x = numpy.geomspace(*x, 60)
        edges = [numpy.minimum(rate_at(x, value), top) for value in (low, high)]
        axes.fill_between(x, *edges, color=color, alpha=0.11, lw=0, zorder=1)


def draw_bare_roofs(axes, roofs, width=1.0):
    left, right = axes.get_xlim()
    for level, row in roofs.bandwidths.items():
        axes.plot([left, roofs.ridge(level)], [left * row["value"], roofs.top], "-", color=style.level_look(level)[0], lw=width, zorder=2)
    axes.plot([min(roofs.ridge(level) for level in roofs.bandwidths), right], [roofs.top] * 2, "-", color=style.INK, lw=width, zorder=2)
