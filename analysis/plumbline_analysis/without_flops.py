"""Kernels without FLOPs have no place under a roof: a strip of their own says how many there are, and what part of the time they take."""
from dataclasses import dataclass

from . import style
from .judged import number, team

LEAST_SHARE = 0.0005  # of the time: less is not worth a strip


@dataclass
class Strip:
    """The time that a figure's team spends outside of arithmetic: (name, seconds), longest first, of so many seconds in all."""

    parts: list
    whole: float

    @property
    def share(self):
        return sum(seconds for _, seconds in self.parts) / self.whole

    def text(self):
        kernels = len(self.parts)
        return f"{kernels} kernel{'s' if kernels > 1 else ''} without FLOPs: {style.short(100 * self.share)} % of the time of all"

    def draw(self, axes):
        """A bar that is all their time, with the names of those that have room."""
        axes.set_axis_off()
        total, at = sum(seconds for _, seconds in self.parts), 0.0
        axes.set_xlim(0, total)
        axes.set_ylim(0, 1)
        axes.set_title(self.text(), loc="left", fontsize=8, pad=3)
        for index, (name, seconds) in enumerate(self.parts):
            axes.barh(0.5, seconds, left=at, height=1, color="#d9d9d9" if index % 2 == 0 else "#c2c2c2", ec="white", lw=0.6, gid="without FLOPs")
            room = axes.bbox.width * seconds / total
            words = f"{name} {style.short(100 * seconds / self.whole)} %"
            if style.text_width(axes, words, 7) + 6 < room:
                axes.text(at + seconds / 2, 0.46, words, fontsize=7, ha="center", va="center")
            at += seconds


def strip_of(show_rows, group):
    """The strip of a group's node, team and precision; None where there are no such kernels. Phases stand for their application."""
    rows = [row for row in show_rows if row["status"] == "ok" and number(row["seconds"]) and row["node"] == group.node and team(row) == group.team
            and (row.get("roof_precision") or row["precision"]) == group.precision]
    of_phases = {row["case"].split("#")[0] for row in rows if "#" in row["case"]}
    leaves = [row for row in rows if "#" in row["case"] or row["case"] not in of_phases]
    seconds = {}
    for row in leaves:
        if row["flops"] == 0:
            name = f"{row['kernel'].rsplit('/', 1)[-1]} {row['phase']}" if row.get("phase") else row.get("label") or row["kernel"]
            seconds[name] = seconds.get(name, 0.0) + row["seconds"]
    whole = sum(row["seconds"] for row in leaves)
    if not seconds or sum(seconds.values()) < LEAST_SHARE * whole:
        return None
    return Strip(sorted(seconds.items(), key=lambda part: -part[1]), whole)
