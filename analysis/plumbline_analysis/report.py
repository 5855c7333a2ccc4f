"""The report: reads the file and the judgements, draws every figure that they allow, writes PNG, SVG and one HTML page."""
import contextlib
import os

import matplotlib

from . import accuracy, bandwidth, boxes, cases, dark, family, groups, judged, page, program, roofline, style, vector, without_flops
from .errors import OutputError
from .interactive import document
from .load import load
from .own_files import replacing, slug


def write(arguments):
    """Returns the paths written, the page last, and notes about what could not be drawn."""
    tables = load(arguments.file)
    notes = []
    said = {command: judged.read(getattr(arguments, command), command, notes) for command in ("ceilings", "show", "score")}
    said["nodes"] = judged.read(arguments.nodes, "nodes", notes) if arguments.nodes else None
    ceilings, show, score, nodes = said.values()
    against = _against(arguments, notes)
    facts = tables["cases"].attrs
    with drawing_into(arguments.output):
        figures = save_all(_figures(tables, ceilings, show, score, nodes, notes, arguments.all_roofs), arguments.output, arguments.dark)
        target = os.path.join(arguments.output, "report.html")
        name = os.path.basename(arguments.file)
        interactive = document.parts(name, tables, said, notes, against)
        text = page.build(name, [(title, svg) for title, _, svg in figures], ceilings, show, score, facts, nodes, interactive)
        with replacing(target) as file:
            file.write(text.encode())
    return [path for _, *paths in figures for path in paths] + [target], notes


def _against(arguments, notes):
    """The documents about the other file, where two are compared, else None."""
    if not arguments.against:
        return None
    said = {command: judged.read(getattr(arguments, f"against_{command}"), command, notes) for command in ("ceilings", "show", "score")}
    return {"name": os.path.basename(arguments.against), "document": judged.read(arguments.compare, "compare", notes), **said}


@contextlib.contextmanager
def drawing_into(folder):
    """Draws with the settings of all figures into a folder, which is made where it is not there; what cannot be written there is one line."""
    try:
        os.makedirs(folder, exist_ok=True)
        with matplotlib.rc_context(style.SETTINGS):
            yield
    except OSError as error:
        raise OutputError(f"'{error.filename or folder}' cannot be written: {error.strerror}; choose another folder with -o") from error


def save_all(figures, folder, is_dark=False):
    """Writes each (file name, title, figure) as PNG and SVG; returns (title, path of the PNG, path of the SVG) of each."""
    saved = []
    for name, title, figure in figures:
        if is_dark:
            dark.darken(figure)
        png, svg = (os.path.join(folder, f"{name}.{kind}") for kind in ("png", "svg"))
        with replacing(png) as file:
            figure.savefig(file, format="png", dpi=150)
        with replacing(svg) as file:
            figure.savefig(file, format="svg", metadata={"Date": None})
        saved.append((title, png, svg))
    return saved


def _figures(tables, ceilings, show, score, nodes, notes, all_roofs):
    """Yields (file name, title, figure)."""
    profile = program.of(show)
    if profile:
        yield f"profile-{slug(profile['name'])}", f"{profile['parts'].capitalize()} of {profile['name']}", program.draw(profile, ceilings["rows"], show["rows"])
    yield from _rooflines(ceilings["rows"], show["rows"], notes, all_roofs)
    yield from family.figures(tables, ceilings, show, score, nodes, notes)
    sweeps = bandwidth.sweeps_of(tables)
    for (node, team), points in sorted(sweeps.items()):
        reaches, sizes = bandwidth.plateaus(ceilings["rows"], node, team), bandwidth.cache_sizes(tables["machine"], node, team)
        figure = bandwidth.draw(node, team, points, reaches, sizes)
        yield f"bandwidth-{slug(node)}-{team}", f"Bandwidth over working set, {node}, {team}", figure
    if not sweeps:
        notes.append("bandwidth figure (the file has no bandwidth sweep)")
    vectors = vector.sweeps_of(tables)
    for group, points in vectors:
        figure = vector.draw(group, points, ceilings["rows"])
        if figure:
            yield f"vector-{group.slug}", f"Points under the roof, {group.title}", figure
        else:
            notes.append(f"vector figure of {group.title} (no ceilings of this node and precision)")
    if not vectors:
        notes.append("vector figure (the file has no vector sweep)")
    charts = boxes.charts_of(tables, show["rows"])
    for chart in charts:
        yield f"boxes-{chart.slug}", f"Intensity over box size, {chart.kernel}, {chart.group.title}", boxes.draw(chart)
    if not charts:
        notes.append("figure of box sizes (no application states its paper's bytes at two sizes n)")
    lines = accuracy.lines_of(score)
    for number, first in enumerate(range(0, len(lines), accuracy.ROWS_A_FIGURE), start=1):
        name = "accuracy" if len(lines) <= accuracy.ROWS_A_FIGURE else f"accuracy-{number}"
        part = "" if name == "accuracy" else f"   part {number}"
        yield name, "Counter accuracy", accuracy.draw(lines[first : first + accuracy.ROWS_A_FIGURE], score, part)
    if not lines and profile and not score["rows"]:
        notes.append("accuracy figure (what a program should count is not known exactly: a campaign's cases tell how good the counters are)")
    elif not lines:
        reasons = sorted({row.get("reason") or row["status"] for row in score["rows"]})
        notes.append(f"accuracy figure (nothing was counted{': ' if reasons else ''}{_few(reasons)})")


def _rooflines(ceiling_rows, show_rows, notes, all_roofs):
    found, left_out = groups.groups_of(show_rows)
    roofless = []
    for group in found:
        roofs = groups.roofs_of(ceiling_rows, group)
        if roofs is None:
            roofless.append(group.title)
            continue
        chosen, note = groups.chosen(group.rows)
        pages = [chosen[i : i + groups.CASES_A_FIGURE] for i in range(0, len(chosen), groups.CASES_A_FIGURE)]
        for number, rows in enumerate(pages, start=1):
            name = f"roofline-{group.slug}" + (f"-{number}" if len(pages) > 1 else "")
            yield name, f"Roofline, {group.title}", roofline.draw(group, roofs, rows, note, every=all_roofs, strip=without_flops.strip_of(show_rows, group))
        if len(group.rows) > len(chosen):
            yield f"cases-{group.slug}", f"All cases, {group.title}", cases.draw(group, roofs)
    notes += _left_out_notes(left_out)
    if roofless:
        reason = "no ceilings of this node and precision" if ceiling_rows else "the file has no ceilings"
        notes.append(f"roofline of {_few(roofless)} ({reason})")
    if not found:
        notes.append(f"roofline ({'no case has both FLOP/s and an arithmetic intensity' if show_rows else 'the file has no cases'})")


def _left_out_notes(left_out):
    """Notes on cases without a place: those that do no arithmetic, of which nothing is missing, apart from those that lack something."""
    for noun, is_phase in (("phase", True), ("case", False)):
        amount = sum(reason == groups.WITHOUT_FLOPS and ("#" in case) == is_phase for case, reason in left_out)
        if amount:
            yield f"{amount} {noun}{'s' if amount > 1 else ''} without FLOPs ({'they are' if amount > 1 else 'it is'} listed apart, under the rooflines)"
    for noun, is_program in (("part of the program", True), ("case", False)):
        lacking = [reason for case, reason in left_out if reason != groups.WITHOUT_FLOPS and case.startswith("program/") == is_program]
        if lacking:
            first, _, rest = noun.partition(" ")
            yield f"{len(lacking)} {first}{'s' if len(lacking) > 1 else ''}{' ' * bool(rest)}{rest} ({_few(sorted(set(lacking)))})"


def _few(texts):
    return ", ".join(texts[:3]) + (f" and {len(texts) - 3} more" if len(texts) > 3 else "")
