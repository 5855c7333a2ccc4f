"""The parameterized vector of the Empirical Roofline Toolkit: measured points under the fitted roof."""
import re

from . import style
from .groups import Group, bandwidth_text, roofs_of
from .judged import number, teams_of
from .roofline import draw_bare_roofs, frame

ELEMENT_BYTES = {"fp64": 8, "fp32": 4}


def sweeps_of(tables):
    """Pairs of a group without cases and its rows of /ceilings: k FLOPs between one load and one store of each element."""
    rows = tables["ceilings"]
    if "working_set_bytes" not in rows:
        return []
    rows = rows[(rows.level == "vector") & (rows.unit == "GFLOP/s") & (rows.status == "ok") & (rows.value > 0)]
    rows = rows[rows.precision.isin(list(ELEMENT_BYTES)) & rows.pattern.str.fullmatch(r"k=\d+")]
    parts = rows.groupby([rows.node, teams_of(rows), rows.precision])
    return [(Group(node, team, precision, []), part) for (node, team, precision), part in parts]


def draw(group, points, ceiling_rows):
    """Draws the points under their roof; None where that is not known."""
    roofs = roofs_of(ceiling_rows, group)
    if roofs is None:
        return None
    figure = style.figure(10.5, 5.6)
    axes = figure.add_axes((0.075, 0.11, 0.61, 0.80))
    flops = points.pattern.map(lambda pattern: int(re.sub(r"\D", "", pattern)))
    points = points.assign(intensity=flops / (2 * ELEMENT_BYTES[group.precision]))
    frame(axes, _as_cases(points), roofs)
    draw_bare_roofs(axes, roofs, width=1.6)
    for level, row in roofs.bandwidths.items():
        axes.plot([], [], "-", color=style.level_look(level)[0], label=f"roof: {bandwidth_text(row)}")
    axes.plot([], [], "-", color=style.INK, label=f"roof: {roofs.peaks[0]['name']} {style.short(roofs.top)} GFLOP/s")
    fused = next((peak for peak in roofs.peaks[1:] if peak.get("pattern") == "fma" and "(" not in peak["name"]), None)
    if fused:  # its loop is of FMAs alone, which the highest roof need not be
        first = min(fused["value"] / row["value"] for row in roofs.bandwidths.values())
        axes.plot([first, axes.get_xlim()[1]], [fused["value"]] * 2, "--", color=style.INK, lw=1.2, label=f"roof: {fused['name']} {style.short(fused['value'])} GFLOP/s",
                  gid="FMAs")
    for size, part in points.groupby("working_set_bytes"):
        color, marker = style.level_look(_level_of(size, roofs))
        middle = part.groupby("intensity").value.median()
        axes.plot(part.intensity, part.value, marker, ms=3, color=color, alpha=0.35, mew=0, zorder=3)
        axes.plot(middle.index, middle.values, ":", marker=marker, ms=6, lw=1.0, color=color, mec="white", mew=0.6, zorder=4,
                  label=f"{style.short_bytes(size)} in all (median)")
    axes.set_xlabel("arithmetic intensity: k FLOPs over one load and one store of an element (FLOP/byte)")
    axes.set_title(f"Points under the roof   {group.title}", loc="left", fontsize=11, fontweight="bold")
    axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False, fontsize=8, title=roofs.note or None, title_fontsize=7.5)
    return figure


def _as_cases(points):
    return [{"gflops": row.value, "levels": {"L1": {"ai": row.intensity}}} for row in points.itertuples()]


def _level_of(size, roofs):
    """The innermost level that the working set fits, as far as sizes were found."""
    for level, row in roofs.bandwidths.items():
        if level not in style.MEMORIES and number(row.get("size_bytes")) and size <= row["size_bytes"]:
            return level
    return list(roofs.bandwidths)[-1]
