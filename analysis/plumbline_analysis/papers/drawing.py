"""The counterparts are drawn here: under the roofs, in the planes of time, as bare ceilings, as bars."""
import dataclasses

from .. import groups, program, roofline, style
from ..family import planes, trajectories
from ..judged import is_gpu, number, team
from ..key import legend_entries
from .choosing import LADDER, Absent, choose, has_values, why_no_gpu
from .counterparts import PAPERS


def draw(one, documents):
    """Returns a figure and what stands in it for the paper's (or ""); raises Absent."""
    figure, stands_in = WAYS[one.how](one, documents)
    number_of = f"figure {one.figure}" if one.figure[0].isdigit() else f"the {one.figure}"
    figure.text(0.995, 0.004, f"counterpart of {number_of} of {PAPERS[one.paper][0]}", ha="right", va="bottom", fontsize=7, color="#777777")
    return figure, stands_in


def _sweep(one, documents):
    chosen = choose(one, documents)
    return _under_the_roofs(one, chosen), chosen.stands_in


def _steps(one, documents):
    chosen = choose(one, documents)
    for _, found in chosen.panels:
        for series in found:
            series.values = [LADDER[int(value)] for value in series.values]
    return _under_the_roofs(one, chosen), chosen.stands_in


def _by_accesses(one, documents):
    chosen = choose(one, documents)
    shown = [row for _, found in chosen.panels for series in found for row in series.rows]
    displaced = {row["case"]: row["displaced"] for row in documents["by_accesses"]["rows"] if number((row.get("displaced") or {}).get("ai"))}
    rows = [{**row, "displaced": displaced[row["case"]]} for row in shown if row["case"] in displaced][: groups.CASES_A_FIGURE]
    if not rows:
        raise Absent("no accesses to L1 were counted in these cases (the counting pass does)")
    return roofline.draw(chosen.group, chosen.roofs, rows), chosen.stands_in


def _under_the_roofs(one, chosen):
    panels = chosen.panels
    figure = style.figure(1.0 + 5.4 * len(panels), 5.6)
    width, height = figure.get_size_inches()
    shown = [row for _, found in panels for series in found for row in series.rows]
    for index, (title, found) in enumerate(panels):
        axes = figure.add_axes(((0.8 + 5.4 * index) / width, 0.95 / height, 4.75 / width, 3.6 / height))
        trajectories.panel(axes, chosen.roofs, shown, one.kernel, one.parameter, found, named=True, part=title)
    handles, names = legend_entries(shown, chosen.roofs)
    figure.legend(handles, names, loc="upper left", ncol=4 if len(panels) == 1 else len(names), frameon=False, fontsize=8, bbox_to_anchor=(0.01, 1 - 0.32 / height),
                  handletextpad=0.2, columnspacing=1.1)
    figure.text(0.012, 1 - 0.08 / height, f"{one.title}   {chosen.group.title}", va="top", fontsize=11, fontweight="bold")
    figure.supxlabel(roofline.X_WORDS, fontsize=9, y=0.3 / height)
    figure.supylabel(roofline.Y_WORDS, fontsize=9, x=0.12 / width)
    return figure


def _planes(one, documents):
    if one.kernel:
        chosen = choose(one, documents)
        shown = list({row["case"]: row for _, found in chosen.panels for series in found for row in series.rows}.values())[: groups.CASES_A_FIGURE]
        group, stands_in = groups.Group(chosen.group.node, chosen.group.team, chosen.group.precision, told_apart(shown)), chosen.stands_in
    else:
        found = sorted(groups.groups_of(documents["show"]["rows"])[0], key=lambda group: (not is_gpu(group.team), -len(group.rows)))
        group = next((group for group in found if planes.planes_of(group)), None)
        if group is None:
            raise Absent("no case has time, FLOPs, bytes and a roof of each")
        stands_in = "" if is_gpu(group.team) else why_no_gpu(documents["show"]["rows"])
    placed = planes.planes_of(group)
    if not placed:
        raise Absent("these cases have no place in the planes: bytes from one level, FLOPs, time and a roof of each are needed")
    return planes.draw(group, *placed), stands_in


def _mix(one, documents):
    """The kernel's fastest cases, under the roof that its mix of FMAs leaves."""
    found = [group for group in groups.groups_of([row for row in documents["show"]["rows"] if row["kernel"] == one.kernel and not row.get("phase")])[0]
             if any((row.get("fma_mix") or {}).get(row["precision"]) for row in group.rows)]
    for group in sorted(found, key=lambda group: (not is_gpu(group.team), -len(group.rows))):
        roofs = groups.roofs_of(documents["ceilings"]["rows"], group)
        if roofs:
            rows = sorted(group.rows, key=lambda row: -row["gflops"])[:4]
            stands_in = "" if is_gpu(group.team) else why_no_gpu(documents["show"]["rows"])
            return roofline.draw(group, roofs, rows, f"the {len(rows)} fastest cases of {one.kernel}"), stands_in
    raise Absent(f"no case of {one.kernel} with FMAs counted apart, time and ceilings; {why_no_gpu(documents['show']['rows'])}")


def _ceilings(one, documents):
    """Roofs without cases, of the largest team that has them: the peaks of all precisions."""
    rows = documents["ceilings"]["rows"]
    peaks = [row for row in rows if row["level"] == "compute" and row["status"] == "ok" and number(row["value"]) and is_gpu(team(row)) == one.on_gpu
             and "int8" not in row["precision"]]  # which are no FLOPs
    for node, of_team in sorted({(row["node"], team(row)) for row in peaks}, key=lambda key: (-sum((row["node"], team(row)) == key for row in peaks), key)):
        of_all = sorted((row for row in peaks if (row["node"], team(row)) == (node, of_team)), key=lambda row: -row["value"])
        roofs = groups.roofs_of(rows, groups.Group(node, of_team, of_all[0]["precision"], []))
        if roofs:
            group = groups.Group(node, of_team, "all precisions", [])
            return roofline.draw(group, dataclasses.replace(roofs, peaks=of_all), [], "ceilings alone", every=True, words=("Ceilings", *roofline.WORDS[1:])), ""
    raise Absent(f"no ceilings of a GPU in this file ({why_no_gpu(documents['show']['rows'])}): {one.campaign} measures them" if one.on_gpu
                 else f"no ceilings of CPUs in this file: {one.campaign} measures them")


def _times(one, documents):
    """Run times as bars, an implementation (variant and flavor) a bar, of the size that most of them ran."""
    rows = [row for row in documents["show"]["rows"] if row["kernel"] == one.kernel and not row.get("phase") and row["status"] == "ok" and number(row["seconds"])]
    on_gpu = [row for row in rows if is_gpu(team(row))]
    panels = [(title, [row for row in (on_gpu or rows) if has_values(row, wanted)]) for title, wanted in one.panels]
    panels = [(title, sorted(found, key=lambda row: row["seconds"])[:12]) for title, found in panels if found]
    if not panels:
        raise Absent(f"no case of {one.kernel} was timed: {one.campaign} has; {why_no_gpu(documents['show']['rows'])}")
    tallest = max(len(found) for _, found in panels)
    figure = style.figure(12.0, 1.5 + 0.36 * tallest)
    height = figure.get_figheight()
    for index, (title, found) in enumerate(panels):
        axes = figure.add_axes(((0.29 + 0.5 * index) if len(panels) == 2 else 0.36, 0.5 / height, 0.19 if len(panels) == 2 else 0.6, 1 - 1.2 / height))
        axes.barh(range(len(found)), [row["seconds"] for row in found], color=style.SERIES[index][0], height=0.68)
        axes.set_yticks(range(len(found)), [_two_lines(row) for row in told_apart(found)], fontsize=6.5)
        axes.invert_yaxis()
        axes.set_xscale("log")
        low, high = (pick(row["seconds"] for row in found) for pick in (min, max))
        axes.set_xlim(low / 3, high * 2)
        style.log_axis(axes.xaxis, style.seconds_text)
        axes.tick_params(axis="x", labelsize=7.5)
        axes.set_title(title, loc="left", fontsize=9)
    figure.text(0.012, 1 - 0.1 / height, one.title, va="top", fontsize=11, fontweight="bold")
    return figure, "" if on_gpu else why_no_gpu(documents["show"]["rows"])


def told_apart(rows):
    """The rows with labels that have what tells them apart alone, behind the kernel's name."""
    words = [row["label"].split() for row in rows]
    alike = set.intersection(*map(set, words)) if len(words) > 1 else set()
    return [{**row, "label": " ".join([own[0], *(word for word in own[1:] if word not in alike)])} for row, own in zip(rows, words)]


def _two_lines(row):
    """The flavor, and the parameters below it."""
    return f"{row['flavor']} {row['precision']}\n{style.shortened(row['label'].partition(' ')[2], 60)}"


def _program(one, documents):
    found = program.of(documents["show"])
    if not found:
        raise Absent(f"the file is of no profiled program ({one.campaign.removeprefix('none: ')} makes one)")
    if one.on_gpu and not any(is_gpu(team(row)) for row in documents["show"]["rows"]):
        raise Absent(f"the profiled program ran on no GPU ({why_no_gpu(documents['show']['rows'])})")
    return program.draw(found, documents["ceilings"]["rows"], documents["show"]["rows"]), ""


def _kwack2018(one, _):
    raise Absent(f"it takes three campaigns, not one: {one.campaign} measures and draws it")


WAYS = {"sweep": _sweep, "steps": _steps, "by_accesses": _by_accesses, "planes": _planes, "mix": _mix, "ceilings": _ceilings, "times": _times,
        "program": _program, "kwack2018": _kwack2018}
