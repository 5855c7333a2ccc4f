"""Ways over nights: how cases of a folder of nightly results move under the roofs, which may themselves have moved."""
import datetime
import math
import os

from .. import groups
from ..errors import InputError
from ..load import Tables
from ..own_files import slug
from .parameters import Series
from .trajectories import PANELS, draw_panels, places_of

MOST_NIGHTS = 12  # that are read again: the first and the last one, those where a level changed, others at even distances
LEAST_NIGHTS = 3
LEAST_WAY = math.log10(1.05)  # decades from the first night's place: what stays nearer stands still


def figures(folder, rows, notes):
    """Yields (file name, title, figure), one a cluster, node, precision and team. `rows`: those of `plumbline history FOLDER --json`."""
    if not any(row["what"].startswith("ceiling/") for row in rows):
        notes.append("ways over nights (no night measured ceilings)")
        return
    clusters = {row.get("cluster") or "" for row in rows}
    drawn = 0
    for cluster in sorted(clusters):
        of_cluster = chosen([row for row in rows if (row.get("cluster") or "") == cluster])
        nights = [(date, *documents) for file, date in of_cluster if (documents := _documents(os.path.join(folder, file), notes))]
        where = f" of {cluster or 'an unnamed cluster'}" if len(clusters) > 1 else ""
        for group, first, last, panels in ways_of(nights):
            title = f"Ways over nights   {group.title}{where}"
            figure = draw_panels(panels, last, title, "larger: later; thin: the first night's roofs", [first])
            drawn += 1
            yield "history-ways-" + slug(f"{group.slug}{where}"), title, figure
    if not drawn:
        notes.append(f"ways over nights (no case that has its place under the roofs on {LEAST_NIGHTS} nights moved by 5 %)")


def chosen(rows):
    """The nights that are read, (file, date) in their order. Those that were disturbed are none of them."""
    started = {point["file"]: point["started_unix_ns"] for row in rows for point in row["points"] if not point.get("disturbed")}
    files = sorted(started, key=started.get)
    wanted = {change["first_file"] for row in rows for change in row["changes"]} & started.keys()
    wanted = set(sorted(wanted, key=started.get)[-(MOST_NIGHTS - 2):]) | {*files[:1], *files[-1:]}
    others = [file for file in files if file not in wanted]
    room = min(MOST_NIGHTS - len(wanted), len(others))
    wanted |= {others[(2 * index + 1) * len(others) // (2 * room)] for index in range(room)}
    return [(file, datetime.datetime.fromtimestamp(started[file] / 1e9, tz=datetime.timezone.utc)) for file in files if file in wanted]


def _documents(path, notes):
    """The rows of `plumbline show` and of `plumbline ceilings` for a night; None, and a note why, where it cannot be read."""
    try:
        return [Tables(path, {}).judged(command)["rows"] for command in ("show", "ceilings")]
    except InputError as error:
        notes.append(f"a night of the ways over nights ({error})")
        return None


def ways_of(nights):
    """Yields, for each node, precision and team, its group, the first night's roofs, the last night's, and the panels. `nights`: date, rows of show,
    rows of ceilings."""
    together = {}
    for date, show_rows, ceiling_rows in nights:
        for group in groups.groups_of(show_rows)[0]:
            roofs = groups.roofs_of(ceiling_rows, group)
            together.setdefault((group.node, group.precision, group.team), []).append((date, group, roofs))
    for _, of_group in sorted(together.items()):
        with_roofs = [roofs for _, _, roofs in of_group if roofs]
        panels = _panels(of_group)
        if with_roofs and panels:
            yield of_group[-1][1], with_roofs[0], with_roofs[-1], panels


def _panels(of_group):
    """The cases that moved farthest, each a panel; phases are no series of their own, and what stood still is none."""
    by_case = {}
    for date, group, _ in of_group:
        for row in group.rows:
            if not row.get("phase"):
                by_case.setdefault(row["case"], []).append((date, row))
    moved = []
    for found in by_case.values():
        last = found[-1][1]
        words = last.get("label", last["case"]).removeprefix(f"{last['kernel'].rsplit('/', 1)[-1]} ")
        series = Series(last["kernel"], "nights", f"{words} {last.get('flavor') or ''}", [row for _, row in found], [f"{date:%b %d}" for date, _ in found])
        if len(found) >= LEAST_NIGHTS and _reach(series) >= LEAST_WAY:
            moved.append(series)
    return [((series.kernel, "nights"), [series]) for series in sorted(moved, key=_reach, reverse=True)[:PANELS]]


def _reach(series):
    """The longest distance of a case from its place in the first night, in decades."""
    first, *others = places_of(series) or [()]
    return max((math.dist(first, other) for other in others), default=0.0)
