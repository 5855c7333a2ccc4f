"""Trajectories: how a kernel moves under the roofs as one of its parameters grows, a panel a kernel and parameter."""
import dataclasses
import math

from .. import roof_labels, roofline, style
from ..groups import source_of
from ..key import legend_entries
from .parameters import series_of

PANELS = 9
SERIES_A_PANEL = 3
LARGER = "a larger symbol: a larger value"


def panels_of(rows):
    """The panels of a group: (kernel, parameter) and its longest series, those that move farthest first."""
    panels = {}
    for series in series_of([row for row in rows if not row.get("phase")]):
        if series.parameter not in ("ranks", "threads"):  # other teams stand under other roofs
            panels.setdefault((series.kernel, series.parameter), []).append(series)
    ordered = sorted(panels.items(), key=lambda panel: -max(_way(series) for series in panel[1]))
    return [(key, sorted(found, key=lambda series: (-len(series.rows), -_rate(series)))[:SERIES_A_PANEL]) for key, found in ordered[:PANELS]]


def _rate(series):
    return max(row["gflops"] for row in series.rows)


def _way(series):
    """The length of a series' way in decades, by its points farthest out."""
    places = places_of(series)
    return sum(math.dist(one, other) for one, other in zip(places, places[1:]))


def places_of(series):
    """The point farthest out of each case, in decades."""
    return [(math.log10(points[-1][2]), math.log10(row["gflops"])) for row in series.rows if (points := roofline.points_of(row))]


def draw(group, roofs):
    """The figure; None where the group has no series."""
    return draw_panels(panels_of(group.rows), roofs, f"Ways under the roofs   {group.title}", LARGER)


def draw_teams(found, roofs_of):
    """Ways over ranks and threads: the cases of one node and precision, whose teams stand under roofs of their own. `found`: the groups of
    the teams; `roofs_of`: the roofs of a group. None where no case ran on two teams."""
    roofs = [(group, own) for group in found if (own := roofs_of(group)) and not own.note]
    rows = [row for group, _ in roofs for row in group.rows if not row.get("phase")]
    panels = {}
    for parameter in ("ranks", "threads"):
        for series in series_of(rows, parameter, least=2):
            panels.setdefault((series.kernel, parameter), []).append(series)
    chosen = sorted(panels.items(), key=lambda one: -max(_way(series) for series in one[1]))[:PANELS]
    if not chosen:
        return None
    largest = max((own for _, own in roofs), key=lambda own: own.top)
    group = found[0]
    return draw_panels([(key, sorted(series, key=lambda one: -_rate(one))[:1]) for key, series in chosen], largest, f"Ways over teams   {group.node} · {group.precision}",
                       f"{LARGER}; thin: smaller teams' roofs", [own for _, own in roofs if own is not largest])


def draw_panels(panels, roofs, title, told, others=()):
    """A figure of panels, each (kernel, parameter) and its series, under `roofs`; `told`: what symbols and lines say; `others`: roofs in thin
    lines. None where there is no panel."""
    if not panels:
        return None
    columns = min(3, len(panels))
    lines = math.ceil(len(panels) / columns)
    figure = style.figure(max(8.2, 4.1 * columns + 0.7), 3.3 * lines + 1.05)
    width, height = figure.get_size_inches()
    shown = [row for _, found in panels for series in found for row in series.rows]
    for index, ((kernel, parameter), found) in enumerate(panels):
        across, down = index % columns, index // columns
        one, up = (width - 0.75) / columns, (height - 1.15) / lines
        axes = figure.add_axes(((0.75 + across * one) / width, (height - 0.8 - (down + 1) * up + 0.3) / height, (one - 0.5) / width, (up - 0.62) / height))
        panel(axes, roofs, shown, kernel, parameter, found)
        for other in others:
            roofline.draw_bare_roofs(axes, other, width=0.5)
    handles, names = legend_entries(shown, roofs)
    figure.legend(handles, names, loc="upper right", ncol=len(names), frameon=False, fontsize=8.5, bbox_to_anchor=(0.995, 1 - 0.36 / height),
                  handletextpad=0.2, columnspacing=1.1)
    figure.text(0.012, 1 - 0.1 / height, title, va="top", fontsize=11, fontweight="bold")
    figure.text(0.012, 1 - 0.42 / height, told, va="top", fontsize=8, color="#555555")
    figure.supxlabel(roofline.X_WORDS, fontsize=9, y=0.1 / height)
    figure.supylabel(roofline.Y_WORDS, fontsize=9, x=0.12 / width)
    return figure


def panel(axes, roofs, shown, kernel, parameter, found, named=False, part=""):
    """One panel: the series of a kernel over a parameter, in the frame that `shown` rows need; `named`: with the roofs' names; `part`: the word for
    which of its cases these are."""
    roofline.frame(axes, shown, roofs)
    axes.set_xlabel("")
    axes.set_ylabel("")
    axes.tick_params(labelsize=7.5)
    boxes = style.Boxes(axes.bbox.extents)
    roofline.draw_bare_roofs(axes, roofs)
    for level, row in roofs.bandwidths.items():
        style.take_line(axes, boxes, *((x, x * row["value"]) for x in (axes.get_xlim()[0], roofs.ridge(level))))
    letters = [f" {letter}" for letter in "abc"] if named and len(found) > 1 else [""] * len(found)
    ends = []
    for series, letter in zip(found, letters):
        ends += [(f"{parameter}={exact}{letter}" if named else value, place) for value, exact, place in _draw_series(axes, boxes, series, joined=named)]
    for value, place in ends:
        style.number_near(axes, boxes, value, axes.transData.transform(place), nearest=9, fontsize=7.5)
    if named:
        highest = dataclasses.replace(roofs, peaks=roofs.peaks[:1])
        roof_labels.ridges(axes, highest, boxes)
        roof_labels.label(axes, highest, boxes, beside=False)
    title = f"{kernel.rsplit('/', 1)[-1]} over {parameter}{', ' * bool(part)}{part}"
    axes.set_title(title, fontsize=9, loc="left")
    told = found[0].fixed if len(found) == 1 else f"{len(found)} series"
    if any(letters):
        told = ", ".join(f"{letter.strip()}: {_own_words(series, found)}" for series, letter in zip(found, letters))
    axes.set_title(_as_room_allows(axes, told, axes.bbox.width - style.text_width(axes, title, 9) - 12), fontsize=7, loc="right", color="#555555")


def _as_room_allows(axes, text, room):
    """The text, its middle left out where it is longer than `room` pixels."""
    wide = style.text_width(axes, text, 7)
    return text if wide <= room else style.shortened(text, max(3, int(len(text) * room / wide) - 1))


def _own_words(series, found):
    """The words of what is fixed in a series, without what is fixed alike in all of them."""
    words = [set(one.fixed.split()) for one in found]
    return " ".join(word for word in series.fixed.split() if word not in set.intersection(*words))


def _draw_series(axes, boxes, series, joined=False):
    """A path a level, an arrow where it ends; returns the first and the last value, rounded and exact, with the place of each. `joined`: a hair
    line through the levels of each case."""
    levels = {}
    for row in series.rows if joined else ():
        points = roofline.points_of(row)
        axes.plot([points[0][2], points[-1][2]] if points else [], [row["gflops"]] * (2 if points else 0), "-", color=style.INK, lw=0.7, alpha=0.45, zorder=2.5, gid="case")
    for step, row in enumerate(series.rows):
        for name, _, ai, _ in roofline.points_of(row):
            levels.setdefault(name, []).append((ai, row["gflops"], 3.0 + 4.0 * step / (len(series.rows) - 1), source_of(row, name)))
    for name, path in levels.items():
        color, _ = style.level_look(name)
        axes.plot([x for x, *_ in path], [y for _, y, *_ in path], "-", color=color, lw=1.0, alpha=0.8, zorder=3, gid=f"way {name}")
        for x, y, size, source in path:
            style.draw_point(axes, x, y, name, source, size)
            at = axes.transData.transform((x, y))
            boxes.add(at[0] - 4, at[1] - 4, at[0] + 4, at[1] + 4)
    ends = [(series.values[index], row, roofline.points_of(row)) for index, row in ((0, series.rows[0]), (-1, series.rows[-1]))]
    return [(*_value_words(value), (points[-1][2], row["gflops"])) for value, row, points in ends if points]


def _value_words(value):
    """A parameter's value rounded, and exact."""
    return (style.powers(value).replace(" ", ""), f"{value:.12g}") if isinstance(value, (int, float)) else (value, value)
