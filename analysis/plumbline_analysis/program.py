"""A profiled program: its functions, or its GPU kernels, by their part of the time, and where each lies under the roofs."""
import dataclasses
import os.path

from matplotlib.patches import Patch

from . import groups, roof_labels, roofline, style
from .judged import number

PARTS = ("function", "kernel")  # of a program on CPUs and on GPUs; regions and loops hold the same work once more
FUNCTIONS_A_FIGURE = 12
LEAST_SAMPLES = 10  # below it plumbline tells people no rate of a function
LEAST_BARS = 7  # that the height has room for: few bars are no taller
NO_BOUND = "#c8c8c8"
LONGEST_NAME = 34


def of(show):
    """The profile in a document of `plumbline show`, or None: its functions that samples met, or its GPU kernels, longest first."""
    profile = show.get("profile") or {}
    functions = [row for row in profile.get("rows") or [] if row.get("kind") in PARTS and number(row.get("share"))]
    if not functions:
        return None
    return {"name": os.path.basename((profile.get("command") or ["program"])[0]), "wall_seconds": profile.get("wall_seconds"),
            "parts": "kernels" if functions[0]["kind"] == "kernel" else "functions", "functions": sorted(functions, key=lambda row: -row["share"])}


def draw(profile, ceiling_rows, show_rows):
    """Bars on the left, a roofline on the right, with the same numbers. Without ceilings, or without a function that has FLOPs, bars alone."""
    functions = profile["functions"][:FUNCTIONS_A_FIGURE]
    cases = {row["case"]: row for row in show_rows}
    placed = [(position, row, cases[row["case"]]) for position, row in enumerate(functions, start=1) if _has_place(row, cases)]
    roofs, team = _roofs(ceiling_rows, placed)
    figure = style.figure(12.5, 6.0 if roofs else 4.8)
    bars = figure.add_axes((0.215, 0.13, 0.25, 0.77) if roofs else (0.30, 0.15, 0.55, 0.73))
    _draw_bars(bars, profile, functions)
    figure.text(0.012, 0.955, f"Where {profile['name']} spends its time, and what bounds it there", fontsize=11, fontweight="bold")
    if roofs:
        _draw_places(figure.add_axes((0.575, 0.13, 0.412, 0.77)), roofs, team, placed)
    return figure


def is_told(row):
    """Whether enough samples met a function; each launch of a kernel is timed."""
    return row["kind"] == "kernel" or (row.get("samples") or 0) >= LEAST_SAMPLES


def interval(row):
    """The share with the ends that samples leave open; a kernel's has none."""
    return row["share"], number(row.get("share_lo")) or row["share"], number(row.get("share_hi")) or row["share"]


def _has_place(row, cases):
    return bool(is_told(row) and number(row.get("gflops")) and row.get("case") in cases and _point(cases[row["case"]]))


def _point(case):
    """The level that bounds a case and its intensity there; of one that arithmetic bounds the outermost's that is told."""
    points = {name: ai for name, _, ai, _ in roofline.points_of(case)}
    level = case.get("bound") if case.get("bound") in points else max(points, key=style.level_order, default=None)
    return (level, points[level]) if level else None


def _roofs(ceiling_rows, placed):
    """The roofs of the team that most of the time is of, and that team."""
    time_of = {}
    for _, row, case in placed:
        key = (case["node"], groups.team(case), case.get("roof_precision") or case["precision"])
        time_of[key] = time_of.get(key, 0) + row["share"]
    for key in sorted(time_of, key=lambda key: -time_of[key]):
        roofs = groups.roofs_of(ceiling_rows, groups.Group(*key, []))
        if roofs:
            return roofs, key[1]
    return None, None


def look(row):
    """The colour of what bounds a function."""
    bound = row.get("bound")
    return style.INK if bound == "compute" else style.level_look(bound)[0] if bound else NO_BOUND


def _reach(row):
    if not is_told(row) or not row.get("bound"):
        return ""
    level = "arithmetic" if row["bound"] == "compute" else style.level_name(row["bound"])
    return f"  {row['percent_of_roof']:.0f} % of {level}"


def _draw_bars(axes, profile, functions):
    rest = profile["functions"][len(functions):]
    limit = min(100.0, 1.6 * 100 * max(interval(row)[2] for row in functions))
    for place, row in enumerate(functions):
        share, low, high = interval(row)
        less, more = 100 * (share - low), 100 * (high - share)
        axes.barh(place, 100 * row["share"], color=look(row), height=0.68, alpha=0.85)
        if high > low:
            axes.errorbar(100 * share, place, xerr=[[less], [more]], color="#777777", capsize=2.5, lw=1.0)
        is_long = high > 0.68 * limit / 100  # its words stand in the bar
        axes.text(0 if is_long else 100 * high, place, _reach(row), va="center", fontsize=8, color="white" if is_long else style.INK)
    names = [f"{style.shortened(row['name'], LONGEST_NAME)}  {position}" for position, row in enumerate(functions, start=1)]
    if rest:
        axes.barh(len(functions), 100 * sum(row["share"] for row in rest), color="white", edgecolor=style.FAINT, height=0.68)
        names.append(f"{len(rest)} other {profile['parts'][:-1]}{'s' if len(rest) > 1 else ''}")
    axes.set_yticks(range(len(names)), names, fontsize=8)
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(max(len(names), LEAST_BARS) - 0.4, -0.6)
    axes.set_xlim(0, limit)
    axes.set_title(f"at each bar: how much of the roof that bounds it the {profile['parts'][:-1]} reaches", loc="left", fontsize=8)
    axes.set_xlabel("part of the time of all kernels (%)" if profile["parts"] == "kernels" else "part of all samples (%), with its interval at 95 %")
    axes.grid(True, axis="x", color="#e6e6e6", lw=0.6)
    axes.set_axisbelow(True)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    bounds = list(dict.fromkeys(row.get("bound") or "" for row in functions))
    entries = [Patch(color=look({"bound": bound}), alpha=0.85, label=_bound_name(bound)) for bound in sorted(bounds, key=_bound_order)]
    axes.legend(handles=entries, loc="lower right", fontsize=8, frameon=False, title="bound by", title_fontsize=8)


def _bound_name(bound):
    return {"compute": "arithmetic", "": "not known"}.get(bound, style.level_name(bound))


def _bound_order(bound):
    return -1 if bound == "compute" else style.level_order(bound) if bound else len(style.LEVELS) + 1


def _peaks_that_matter(peaks, functions):
    """The highest peak of arithmetic, and those that bound a function: all of them leave no room for their names."""
    binding = {row.get("bound_ceiling") for row in functions}
    return [peak for index, peak in enumerate(peaks) if index == 0 or peak["name"] in binding]


def _draw_places(axes, roofs, team, placed):
    rows = [dict(case, levels={level: case["levels"][level] for level in [_point(case)[0]]}) for _, _, case in placed]
    roofs = dataclasses.replace(roofs, peaks=_peaks_that_matter(roofs.peaks, [row for _, row, _ in placed]))
    roofline.frame(axes, rows, roofs)
    axes.figure.canvas.draw()
    boxes = style.Boxes(axes.bbox.extents)
    others = False
    ends = []
    for position, row, case in placed:
        _, intensity = _point(case)
        own = groups.team(case) == team
        others = others or not own
        color, size = look(row), 5 + 16 * row["share"] ** 0.5
        axes.plot([intensity], [case["gflops"]], "o", ms=size, mec=color, mfc=color if own else "white", mew=1.4, alpha=0.9, zorder=5 - row["share"])
        x, y = axes.transData.transform((intensity, case["gflops"]))
        half = 0.5 * size * axes.figure.dpi / 72
        boxes.add(x - half, y - half, x + half, y + half)
        ends.append((position, x, y, half))
    roofline.draw_roofs(axes, roofs, boxes)
    roof_labels.ridges(axes, roofs, boxes)
    roof_labels.label(axes, roofs, boxes, beside=False)
    for position, x, y, half in ends:
        away = half + 7
        candidates = [(x + more * east, y + more * north, "center", "center") for more in (away, away + 10, away + 22)
                      for east, north in ((1, 0), (-1, 0), (0, 1), (0, -1), (0.7, 0.7), (-0.7, 0.7), (0.7, -0.7), (-0.7, -0.7))]
        style.place(axes, boxes, candidates, str(position), fontsize=8.5, fontweight="bold")
    axes.set_xlabel("arithmetic intensity (FLOP/byte) at the level that bounds it", fontsize=9)
    cores = team.replace("r1t", "") if team.startswith("r1t") else team
    words = "one GPU" if team == "GPU" else team if "GPU" in team else f"{cores} core{'' if cores == '1' else 's'}"
    told = f"roofs of {words}{'; ' + roofs.note if roofs.note else ''}; area: part of the time"
    axes.set_title(told + (f"; hollow: ran on another number of {'GPUs' if 'GPU' in team else 'cores'}" if others else ""), loc="left", fontsize=8)
