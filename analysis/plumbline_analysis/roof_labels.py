"""The names of the roofs of a figure: beside the frame where there is room for them, else along the lines; none lies on another text."""
import itertools
import math
import os.path
import re
import textwrap

from . import style
from .groups import bandwidth_text

SIDE_BY_SIDE = 1.1  # the largest ratio of two peaks whose labels would lie on each other
MARGIN_CHARACTERS = 23  # in a line of the column beside the frame
SIZE = 8


def that_matter(peaks, rows):
    """The peaks that say something of these cases: the highest, those under which a case's arithmetic is, FMAs, and scalar ones where a case
    is scalar, or far below all others. Returns them and the others."""
    named = {row.get(key) for row in rows for key in ("compute_roof_ceiling", "bound_ceiling")}
    scalar = any("scalar" in (row.get("shortfall") or {}).get("limits", ()) for row in rows)
    fused = any(mix.get("fraction", 1) < 0.5 for row in rows for mix in (row.get("fma_mix") or {}).values())
    def matters(index, peak):
        pattern = peak.get("pattern", "")
        if index == 0 or peak["name"] in named or "pattern" not in peak:
            return True
        if "(v" in peak["name"]:
            return False
        return pattern == "fma" or scalar and pattern.startswith("scalar") or fused and pattern in ("add", "no fma")
    kept = [peak for index, peak in enumerate(peaks) if matters(index, peak)]
    return kept, [peak for peak in peaks if peak not in kept]


def spread(row):
    return f", CV {style.short(100 * row['cv'])} %" if isinstance(row.get("cv"), (int, float)) else ""


def label(axes, roofs, boxes, beside):
    """Writes the names of all roofs; `beside`: those of arithmetic stand to the right of the frame. Returns those for which there was no room."""
    left_out = _label_bandwidths(axes, roofs, boxes)
    return left_out + (_label_peaks_beside(axes, roofs) if beside else _label_peaks_inside(axes, roofs, boxes))


def ridges(axes, roofs, boxes):
    """The intensity at which each level's roof meets that of arithmetic; before all other names, so that they stand in their order."""
    for level in roofs.bandwidths:
        x, y = axes.transData.transform((roofs.ridge(level), roofs.top))
        candidates = [(x + sign * dx, y + dy, "center", "bottom") for dy in (6, 18, 30, 42) for dx in range(0, 60, 7) for sign in (1, -1)]
        style.place(axes, boxes, candidates, style.short(roofs.ridge(level)), fontsize=7.5, color=style.level_look(level)[0], fontweight="bold")


def _label_bandwidths(axes, roofs, boxes):
    left_out = []
    for level, row in roofs.bandwidths.items():
        texts = (bandwidth_text(row) + spread(row), bandwidth_text(row), f"{style.level_name(level)} {style.short(row['value'])} GB/s", style.level_name(level))
        options = [(text, *_along(axes, roofs, level, text)) for text in texts]
        placed = style.place_free(axes, boxes, options, fontsize=SIZE, color=style.level_look(level)[0])
        if placed is None or placed.get_text() == texts[-1]:
            left_out.append(texts[0])
    return left_out


def _along(axes, roofs, level, text):
    """Places along a level's diagonal, above the line, else below it; and the line's angle in degrees."""
    (left, _), (bottom, _) = axes.get_xlim(), axes.get_ylim()
    value, ridge = roofs.bandwidths[level]["value"], roofs.ridge(level)
    start = max(left, bottom / value)
    (a, b), (c, d) = axes.transData.transform((start, start * value)), axes.transData.transform((ridge, roofs.top))
    length = math.hypot(c - a, d - b)
    east, north = (c - a) / length, (d - b) / length
    room = length - style.text_width(axes, text, SIZE)
    candidates = []
    for away, vertical in ((8, "bottom"), (-8, "top")):
        for step in range(8, max(9, int(room)), 6):
            candidates.append((a + east * step - north * away, b + north * step + east * away, "left", vertical))
    return candidates, math.degrees(math.atan2(d - b, c - a))


# ------------------------------------------------------------------------------------------------------------------ arithmetic


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
        yield group[0], ", ".join(map(_names_and_values, kinds)) + " GFLOP/s" + (spread(group[0]) if len(group) == 1 else "")


def _names_and_values(peaks):
    """The peaks of one kind in words: what their names begin with alike is said once."""
    words = [peak["name"].split() for peak in peaks]
    shared = 0 if len(peaks) == 1 else len(os.path.commonprefix(words))
    # The one whose name is what all begin with comes first: behind another it would be a number alone.
    parts = sorted(((name[shared:], style.short(peak["value"])) for name, peak in zip(words, peaks)), key=lambda part: bool(part[0]))
    texts = [f"{' '.join(own)}: {value}" if own else f": {value}" for own, value in parts]
    return " ".join([*words[0][:shared], ", ".join(texts)]).replace(" : ", ": ")


def _label_peaks_beside(axes, roofs):
    """A column beside the frame, whose axis says the unit; each text at its line's height, or as near as the others leave room; a hair line joins the two."""
    figure, frame = axes.figure, axes.bbox
    scale = figure.dpi / 72
    line = SIZE * 1.25 * scale
    entries = [(axes.transData.transform((1, peak["value"]))[1], _wrapped(text)) for peak, text in peak_labels(roofs.peaks)]
    heights = [line * len(texts) + 4 * scale for _, texts in entries]
    middles = spread_out([y for y, _ in entries], heights, frame.y0, frame.y1 + 0.3 * line)
    for (y, texts), middle in zip(entries, middles):
        figure.text((frame.x1 + 15 * scale) / figure.bbox.width, middle / figure.bbox.height, "\n".join(texts), fontsize=SIZE, va="center", ha="left",
                    linespacing=1.1, gid="peak")
        style.segment(axes, (frame.x1 + scale, y), (frame.x1 + 12 * scale, middle))
    return []


def _wrapped(text):
    """Lines of a label, broken at no blank that holds a number to its name."""
    return textwrap.wrap(re.sub(r"CV (\S+) %", "CV\u00a0\\1\u00a0%", text.replace(" GFLOP/s", "")), MARGIN_CHARACTERS)


def spread_out(wanted, heights, low, high):
    """The middles of boxes of these heights, in falling order, as near to the wanted ones as they can be without touching."""
    middles, ceiling = [], high
    for want, height in zip(wanted, heights):
        middle = min(want, ceiling - height / 2)
        middles.append(middle)
        ceiling = middle - height / 2
    floor = low
    for index in reversed(range(len(middles))):
        middles[index] = max(middles[index], floor + heights[index] / 2)
        floor = middles[index] + heights[index] / 2
    return middles


def _label_peaks_inside(axes, roofs, boxes):
    left_out = []
    for peak, text in peak_labels(roofs.peaks):
        shorter = text.partition(", CV ")[0]
        options = [(words, _at_the_end(axes, roofs, peak, words), 0.0) for words in (text, shorter, shorter.removesuffix(" GFLOP/s"))]
        if style.place_free(axes, boxes, options, fontsize=SIZE) is None:
            left_out.append(text)
    return left_out


def _at_the_end(axes, roofs, peak, text):
    """Places over a peak's line, the nearest to its right end first, below it, and a row further away."""
    left, right = axes.get_xlim()
    first = min(roofs.ridge(level) for level in roofs.bandwidths)
    (begin, y), (end, _) = (axes.transData.transform((x, peak["value"])) for x in (max(left, first * peak["value"] / roofs.top), right))
    steps = range(6, max(7, int(end - begin - style.text_width(axes, text, SIZE))), 8)
    return [(end - dx, y + up, "right", vertical) for up, vertical in ((4, "bottom"), (-4, "top"), (17, "bottom"), (-17, "top")) for dx in steps]
