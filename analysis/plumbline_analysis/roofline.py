"""The hierarchical roofline: FLOP/s over arithmetic intensity at each memory level, under the measured ceilings."""
import dataclasses
import itertools
import math
import os.path

import numpy

from . import style
from .groups import bandwidth_text, interval, source_of
from .judged import number
from .key import draw_key


NEXT_TO_NOTHING = 1000.0  # FLOP/byte: a level beyond carries next to nothing, as plumbline show has it
SIDE_BY_SIDE = 1.1  # the largest ratio of two peaks whose labels would lie on each other


def draw(group, roofs, rows, note=""):
    """One figure with up to CASES_A_FIGURE numbered cases and their key beside it."""
    figure = style.figure(12.5, 7.2)
    axes = figure.add_axes((0.065, 0.10, 0.60, 0.82))
    frame(axes, rows, roofs)
    figure.canvas.draw()
    boxes = style.Boxes(axes.bbox.extents)
    for row in rows:
        _draw_displaced(axes, row, boxes)
    drawn = [_draw_case(axes, row, boxes) for row in rows]
    # By height, so that labels of those that lie side by side become one.
    peaks = sorted(roofs.peaks + own_roofs(rows, roofs.peaks), key=lambda peak: -peak["value"])
    draw_roofs(axes, dataclasses.replace(roofs, peaks=peaks), boxes)
    for position, (row, ends) in enumerate(zip(rows, drawn), start=1):
        _number_case(axes, position, ends, boxes)
    axes.set_title(f"Roofline   {group.title}", loc="left", fontsize=11, fontweight="bold")
    draw_key(figure, rows, roofs, " ".join(filter(None, [note, _displaced_note(rows), _occupancy_note(rows)])))
    return figure


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
    style.log_axis(axes.yaxis)
    axes.set_xlabel("arithmetic intensity at each level (FLOP per byte across the level's boundary towards the core)")
    axes.set_ylabel("performance (GFLOP/s)")
    axes.grid(True, which="major", color="#e6e6e6", lw=0.6, zorder=0)
    axes.set_axisbelow(True)


def _pixels(axes, x, y):
    return axes.transData.transform((x, y))


def _take_line(axes, boxes, x0, y0, x1, y1, margin=1.5):
    (a, b), (c, d) = _pixels(axes, x0, y0), _pixels(axes, x1, y1)
    steps = max(1, int(math.hypot(c - a, d - b) / 8))
    for i in range(steps):
        p, q = i / steps, (i + 1) / steps
        boxes.add(a + (c - a) * p - margin, b + (d - b) * p - margin, a + (c - a) * q + margin, b + (d - b) * q + margin)


def points_of(row):
    """Points (level, low, ai, high) by rising intensity; high is None where the interval is open.

    Beyond NEXT_TO_NOTHING only the innermost is kept, and only if it is the case's only one: it says where the case stands.
    """
    points = sorted(((name, *interval(level)) for name, level in row["levels"].items() if number(level.get("ai"))),
                    key=lambda point: (point[2], style.level_order(point[0])))
    return [point for point in points if point[2] <= NEXT_TO_NOTHING] or points[:1]


def mix_roofs(rows, peaks):
    """The roof of a case's own mix of FMAs, sums and products, where that is its lowest.

    As `plumbline show --json` has it (older documents: what equation 7 of Yang et al. 2019 leaves of the peak); one within 2 % of a ceiling
    or of another such roof is not drawn.
    """
    found = {}
    for row in rows:
        value, mix = number(row.get("compute_roof_gflops", row.get("partial_fma_gflops"))), (row.get("fma_mix") or {}).get(row["precision"])
        if not value or not mix or mix["fraction"] >= 1 or value > 1.000001 * (number(row.get("roof_gflops")) or 0):
            continue
        if all(abs(value / other - 1) > 0.02 for other in [*found, *(peak["value"] for peak in peaks)]):
            found[value] = {"name": f"mix of FMA fraction {mix['fraction']:.2f}", "value": value}
    return [found[value] for value in sorted(found, reverse=True)]


def occupancy_roofs(rows, peaks):
    """The roof of arithmetic at a case's measured occupancy, as `plumbline show --json` has it.

    One that takes off less than 2 %, or lies within 2 % of a ceiling or of another such roof, is not drawn.
    """
    found = {}
    for row in rows:
        roof = row.get("occupancy_roof") or {}
        value, part = number(roof.get("gflops")), number(roof.get("part"))
        if value and part and part < 0.98 and all(abs(value / other - 1) > 0.02 for other in [*found, *(peak["value"] for peak in peaks)]):
            found[value] = {"name": f"at {style.short(roof['warps'])} of {style.short(roof['most_warps'])} warps", "value": value}
    return [found[value] for value in sorted(found, reverse=True)]


def own_roofs(rows, peaks):
    """The roofs that are of single cases: by their mix of FMAs, and by their occupancy."""
    mixes = mix_roofs(rows, peaks)
    return mixes + occupancy_roofs(rows, peaks + mixes)


def _occupancy_note(rows):
    """Says why no roof by occupancy is drawn, where counters of a GPU counted but nothing measured tells what it allows."""
    roofs = [row["occupancy_roof"] for row in rows if row.get("occupancy_roof")]
    if not roofs or any(number(roof.get("gflops")) for roof in roofs):
        return ""
    return f"No roofs by occupancy: {roofs[0]['reason']}."


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


def _draw_case(axes, row, boxes):
    """A case's points, one a level, all at its FLOP/s, joined; returns the pixel positions of its ends."""
    rate, points = row["gflops"], points_of(row)
    ends = [_pixels(axes, points[0][2], rate), _pixels(axes, points[-1][2], rate)]
    axes.plot([points[0][2], points[-1][2]], [rate, rate], "-", color=style.INK, lw=0.8, alpha=0.55, zorder=3)
    _take_line(axes, boxes, points[0][2], rate, points[-1][2], rate)
    for (name, low, ai, high), size in zip(points, sizes_of(axes, points, rate, 7.0)):
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
    left, right = axes.get_xlim()
    bottom = axes.get_ylim()[0]
    for level, row in roofs.bandwidths.items():
        color, _ = style.level_look(level)
        value, ridge = row["value"], roofs.ridge(level)
        start = max(left, bottom / value)
        axes.plot([start, ridge], [start * value, roofs.top], "-", color=color, lw=1.8, zorder=2)
        _shade(axes, row, (start, ridge), lambda x, rate: x * rate, roofs.top, color)
        axes.plot([ridge], [roofs.top], "o", ms=4.5, color=color, mec="white", mew=0.8, zorder=6)
        _take_line(axes, boxes, start, start * value, ridge, roofs.top)
    first = min(roofs.ridge(level) for level in roofs.bandwidths)
    for peak in roofs.peaks:
        begin = max(left, first * peak["value"] / roofs.top)
        top = peak is roofs.peaks[0]
        axes.plot([begin, right], [peak["value"]] * 2, "-" if top else "--", color=style.INK, lw=1.8 if top else 1.0, zorder=2)
        if top:  # bands of all peaks would pile up; the others' labels say their spread
            _shade(axes, peak, (begin, right), lambda x, rate: rate + 0 * x, peak["value"], style.INK)
        _take_line(axes, boxes, begin, peak["value"], right, peak["value"])
    _label_ridges(axes, roofs, boxes)
    _label_peaks(axes, roofs, boxes)
    _label_bandwidths(axes, roofs, boxes)


def _shade(axes, row, x, rate_at, top, color):
    """The spread between the rounds, as a band that ends at the roof."""
    low, high = number(row.get("min")), number(row.get("max"))
    if low and high:
        x = numpy.geomspace(*x, 60)
        edges = [numpy.minimum(rate_at(x, value), top) for value in (low, high)]
        axes.fill_between(x, *edges, color=color, alpha=0.11, lw=0, zorder=1)


def _spread(row):
    return f", CV {style.short(100 * row['cv'])} %" if isinstance(row.get("cv"), (int, float)) else ""


def _label_ridges(axes, roofs, boxes):
    for level in roofs.bandwidths:
        x, y = _pixels(axes, roofs.ridge(level), roofs.top)
        candidates = [(x + dx, y + dy, "center", "bottom") for dy in (6, 18, 30) for dx in (0, 14, -14, 28, -28)]
        style.place(axes, boxes, candidates, style.short(roofs.ridge(level)), fontsize=7.5, color=style.level_look(level)[0], fontweight="bold")


def peak_labels(peaks):
    """The labels of peaks: of each the peak whose line it stands at, and its text. Those one after the other that lie side by side share one."""
    together = []
    for peak in peaks:
        if together and 1 <= together[-1][0]["value"] / peak["value"] <= SIDE_BY_SIDE:
            together[-1].append(peak)
        else:
            together.append([peak])
    for group in together:
        kinds = [list(kind) for _, kind in itertools.groupby(group, lambda peak: peak["name"].split()[0])]
        spread = _spread(group[0]) if len(group) == 1 else ""
        yield group[0], ", ".join(map(_names_and_values, kinds)) + " GFLOP/s" + spread


def _names_and_values(peaks):
    """The peaks of one kind in words: what their names begin with alike is said once."""
    words = [peak["name"].split() for peak in peaks]
    shared = 0 if len(peaks) == 1 else len(os.path.commonprefix(words))
    texts = [" ".join([*name[shared:], style.short(peak["value"])]) for name, peak in zip(words, peaks)]
    return " ".join([*words[0][:shared], ", ".join(texts)])


def _label_peaks(axes, roofs, boxes):
    left, right = axes.get_xlim()
    first = min(roofs.ridge(level) for level in roofs.bandwidths)
    for peak, text in peak_labels(roofs.peaks):
        (begin, y), (end, _) = (_pixels(axes, x, peak["value"]) for x in (max(left, first * peak["value"] / roofs.top), right))
        room = end - begin - style.text_width(axes, text, 8)
        candidates = []
        for dx in range(6, max(7, int(room)), 12):
            candidates += [(end - dx, y + 4, "right", "bottom"), (end - dx, y - 4, "right", "top")]  # above the line, else below it
        row = (y + 17, "right", "bottom") if peak is roofs.peaks[0] else (y - 17, "right", "top")  # else a row further away
        candidates += [(end - dx, *row) for dx in range(6, max(7, int(room)), 12)]
        style.place(axes, boxes, candidates, text, fontsize=8)


def _label_bandwidths(axes, roofs, boxes):
    left, bottom = axes.get_xlim()[0], axes.get_ylim()[0]
    for level, row in roofs.bandwidths.items():
        value, ridge = row["value"], roofs.ridge(level)
        start = max(left, bottom / value)
        (a, b), (c, d) = _pixels(axes, start, start * value), _pixels(axes, ridge, roofs.top)
        length = math.hypot(c - a, d - b)
        east, north = (c - a) / length, (d - b) / length
        text = bandwidth_text(row) + _spread(row)
        room = length - style.text_width(axes, text, 8)
        candidates = []
        for away, vertical in ((5, "bottom"), (-5, "top")):  # above the line, else below it
            for step in range(8, max(9, int(room)), 8):
                candidates.append((a + east * step - north * away, b + north * step + east * away, "left", vertical))
        style.place(axes, boxes, candidates, text, math.degrees(math.atan2(d - b, c - a)), fontsize=8, color=style.level_look(level)[0])


def _number_case(axes, position, ends, boxes):
    """The case's number beside one of its ends; a leader where it had to go further."""
    (x0, y0), (x1, y1) = ends
    candidates = [place for away in (11, 20) for place in ((x1 + away, y1, "left", "center"), (x0 - away, y0, "right", "center"))]
    for away in (15, 22, 30, 40, 52):
        for turn in (0, 30, -30, 60, -60, 90, -90):
            east, north = away * math.cos(math.radians(turn)), away * math.sin(math.radians(turn))
            candidates += [(x1 + east, y1 + north, "center", "center"), (x0 - east, y0 + north, "center", "center")]
    label = style.place(axes, boxes, candidates, str(position), fontsize=8.5, fontweight="bold")
    box = label.get_window_extent()
    x, y = (box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2
    end = min(ends, key=lambda point: math.hypot(point[0] - x, point[1] - y))
    distance = math.hypot(end[0] - x, end[1] - y)
    if distance > 24:
        style.leader(axes, (x, y), end, from_=8 / distance, to=1 - 6 / distance)


def draw_bare_roofs(axes, roofs, width=1.0):
    left, right = axes.get_xlim()
    for level, row in roofs.bandwidths.items():
        axes.plot([left, roofs.ridge(level)], [left * row["value"], roofs.top], "-", color=style.level_look(level)[0], lw=width, zorder=2)
    axes.plot([min(roofs.ridge(level) for level in roofs.bandwidths), right], [roofs.top] * 2, "-", color=style.INK, lw=width, zorder=2)
