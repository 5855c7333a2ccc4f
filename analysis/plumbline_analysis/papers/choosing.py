"""The cases of a campaign that a figure of a paper takes: on a GPU as there, else on CPUs, else none, with the reason."""
from dataclasses import dataclass

from .. import groups
from ..family.parameters import parameters_of, series_of
from ..judged import is_gpu, team

LADDER = ("naive", "vector", "blocked", "nodivide")  # GPP's steps, in their order (proxies/README.md)
SERIES_A_PANEL = 3


class Absent(Exception):
    """The campaign has no data for a figure; says why."""


@dataclass
class Chosen:
    """The cases and roofs that a figure is drawn from."""

    group: groups.Group
    roofs: groups.Roofs
    panels: list        # (title, series)
    stands_in: str = ""  # why it is of CPUs where the paper has a GPU


def has_values(row, wanted):
    """Whether a case has these parameters, or this flavor."""
    own = {**parameters_of(row), "flavor": row.get("flavor")}
    return all(own.get(name) in (values if isinstance(values, tuple) else (values,)) for name, values in wanted.items())


def why_no_gpu(show_rows):
    """The reason why nothing ran on a GPU: what a skipped case says, else that none was asked for."""
    asked = [row for row in show_rows if is_gpu(team(row))]
    if any(row["status"] == "ok" for row in asked):
        return "the campaign has no such case on a GPU"
    reasons = sorted({row["reason"] for row in asked if row.get("reason")})
    return f"no GPU: {reasons[0]}" if reasons else "the campaign has no case on a GPU"


def candidates(one, show_rows):
    """The groups of cases of the figure's kernel that stand under one roof, as a whole: a GPU's first where the paper's is of a GPU."""
    rows = [row for row in show_rows if row["kernel"] == one.kernel and not row.get("phase")] if one.kernel else [row for row in show_rows if not row.get("phase")]
    found, _ = groups.groups_of(rows)
    return sorted((group for group in found if one.on_gpu or not is_gpu(group.team)), key=lambda group: (is_gpu(group.team) != one.on_gpu, -len(group.rows)))


def choose(one, documents, least=2):
    """The group whose panels have the most cases; raises Absent."""
    rows = documents["show"]["rows"]
    found = []
    for group in candidates(one, rows):
        panels = [(title, series) for title, wanted in one.panels if (series := _series(one, [row for row in group.rows if has_values(row, wanted)], least))]
        roofs = groups.roofs_of(documents["ceilings"]["rows"], group) if panels else None
        if roofs:
            found.append(Chosen(group, roofs, panels))
    if not found:
        raise Absent(_why(one, rows))
    on_gpu = [chosen for chosen in found if is_gpu(chosen.group.team)]
    best = max(on_gpu or found, key=lambda chosen: sum(len(series.rows) for _, panel in chosen.panels for series in panel))
    best.stands_in = why_no_gpu(rows) if one.on_gpu and not on_gpu else ""
    return best


def _series(one, rows, least):
    if one.how == "steps":
        rows = [{**row, "case": row["case"].replace(f"variant={name}", f"variant={step}")} for step, name in enumerate(LADDER) for row in rows
                if parameters_of(row).get("variant") == name]
    return series_of(rows, one.parameter or None, least, one.ignored)[:SERIES_A_PANEL]


def _why(one, rows):
    of_kernel = [row for row in rows if row["kernel"] == one.kernel]
    gpu = f"; {why_no_gpu(rows)}" if one.on_gpu else ""
    if not of_kernel:
        return f"the campaign has no {one.kernel}: {one.campaign} has{gpu}"
    if not any(row["status"] == "ok" for row in of_kernel):
        return f"{one.kernel}: {next((row['reason'] for row in of_kernel if row.get('reason')), 'no case was measured')}"
    wanted = " ".join(f"{name}={value if isinstance(value, str) else value[0]}" for _, facts in one.panels for name, value in facts.items())
    return f"no two cases of {one.kernel} {wanted}".rstrip() + f" that differ in {one.parameter} alone and have FLOPs, bytes, time and ceilings: {one.campaign} has{gpu}"
