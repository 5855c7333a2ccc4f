"""Bandwidth over the working set: the sweep's raw points, how far each plateau was measured to reach, and what the topology says."""
import json
import math

from . import style
from .judged import is_gpu, number, team, teams_of


def sweeps_of(tables):
    """The rows of /ceilings that are points of a bandwidth sweep, by (node, team)."""
    rows = tables["ceilings"]
    if "working_set_bytes" not in rows:
        return {}
    rows = rows[(rows.level == "sweep") & (rows.unit == "GB/s") & (rows.status == "ok") & (rows.working_set_bytes > 0) & (rows.value > 0)]
    if "form" in rows:  # a curve is of one loop; the winners of contests have a few points beside it
        rows = rows[rows.form == ""]
    return {key: part for key, part in rows.groupby([rows.node, teams_of(rows)])}


def plateaus(ceiling_rows, node, team_name):
    """The bytes by level that each cache was measured to reach for this team, by the level's fastest pattern."""
    fastest = {}
    for row in ceiling_rows:
        if (row["node"], team(row)) == (node, team_name) and row["level"] in style.LEVELS and row["level"] not in style.MEMORIES and number(row["value"]):
            if row["level"] not in fastest or row["value"] > fastest[row["level"]]["value"]:
                fastest[row["level"]] = row
    return {level: row["size_bytes"] for level, row in fastest.items() if number(row.get("size_bytes"))}


def cache_sizes(machines, node, team_name):
    """The bytes by level of hwloc's caches of the node, as many as the team's cores have at the least (as the harness counts them)."""
    if is_gpu(team_name):
        return {}
    workers = math.prod(int(part) for part in team_name[1:].split("t"))
    sizes = {}
    for text in machines[machines.node == node].json:
        facts = json.loads(text)
        cpus = workers * max(1, (number(facts.get("pus")) or 1) // (number(facts.get("cores")) or 1))
        for cache in facts.get("caches") or []:
            sizes[f"L{cache['level']}"] = cache["bytes"] * math.ceil(cpus / max(1, cache["shared_by_cpus"]))
    return sizes


def draw(node, team_name, points, reaches, sizes):
    """`reaches`: plateaus(); `sizes`: cache_sizes()."""
    figure = style.figure(10.5, 5.8)
    axes = figure.add_axes((0.075, 0.11, 0.72, 0.775))
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    names = sorted(points[["pattern", "precision"]].drop_duplicates().itertuples(index=False, name=None))
    for index, (pattern, precision) in enumerate(names):
        color, marker = style.SERIES[index % len(style.SERIES)]
        part = points[(points.pattern == pattern) & (points.precision == precision)]
        axes.plot(part.working_set_bytes, part.value, marker, ms=3, color=color, alpha=0.35, mew=0, zorder=3)
        middle = part.groupby("working_set_bytes").value.median()
        label = pattern if precision in ("-", "") else f"{pattern} {precision}"
        axes.plot(middle.index, middle.values, "-", marker=marker, ms=4.2, lw=1.4, color=color, label=label, zorder=4)
    _limits(axes, points)
    _mark(axes, sizes, 18, "{level} {size} (hwloc)", lambda _: "#777777", {"lw": 0.7, "ls": "-"})
    _mark(axes, reaches, 4, "{level} plateau to {size}", lambda level: style.level_look(level)[0], {"lw": 1.2, "ls": (0, (5, 3))})
    axes.set_xlabel("working set of the whole team (bytes)")
    axes.set_ylabel("bandwidth (GB/s)")
    axes.set_title(f"Bandwidth over working set   {node} · {team_name}", loc="left", fontsize=11, fontweight="bold", pad=34)
    axes.grid(True, which="major", color="#e6e6e6", lw=0.6)
    axes.set_axisbelow(True)
    axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False, title="pattern\n(line: median of rounds)", title_fontsize=8, alignment="left")
    return figure


def _limits(axes, points):
    axes.set_xlim(points.working_set_bytes.min() / 1.5, points.working_set_bytes.max() * 1.5)
    axes.set_ylim(points.value.min() / 1.5, points.value.max() * 1.4)
    style.log_axis(axes.yaxis)
    style.byte_axis(axes.xaxis)


def _mark(axes, sizes, height, words, color_of, line):
    """A line at each size, its name in a row above the frame, where no curve runs."""
    axes.figure.canvas.draw()
    top = axes.bbox.y1 + height * axes.figure.dpi / 100
    boxes = style.Boxes((0, 0, axes.figure.bbox.width, axes.figure.bbox.height))
    for level, size in sorted(sizes.items(), key=lambda item: item[1]):
        left, right = axes.get_xlim()
        if not left < size < right:
            continue
        axes.axvline(size, color=color_of(level), zorder=2, **line)
        x = axes.transData.transform((size, 1.0))[0]
        candidates = [(x + sign * shift, top, "center", "bottom") for shift in range(0, 121, 6) for sign in (1, -1)]
        text = words.format(level=level, size=style.short_bytes(size))
        style.place(axes, boxes, candidates, text, fontsize=8, color=color_of(level), fontweight="bold")
