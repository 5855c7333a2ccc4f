"""One HTML page that needs nothing else: the summary and the interactive figures first, the still ones, the tables, the provenance at the end."""
import base64
import html
import json
import os.path

from . import nodes as like_nodes
from .judged import number
from .style import LEVELS

STILL_BYTES = 3_000_000  # of still figures inside the page; beyond them they lie beside it
CEILINGS = ("node", "name", "precision", "level", "pattern", "ranks", "threads", "value", "unit", "min", "median", "max", "n", "cv", "traffic_gbs",
            "size_bytes", "percent_of_limit", "status", "reason", "method")
SHOW = ("node", "label", "flavor", "precision", "ranks", "threads", "seconds", "gflops", *(f"ai_{level}" for level in LEVELS), "bound", "percent_of_roof",
        "limits", "join", "bytes_source", "theoretical_occupancy", "status", "reason", "case")
# Heads as the notes above the tables call them; other columns have their own names.
HEADS = {"value": "best", "traffic_gbs": "traffic (GB/s)", "size_bytes": "reaches (bytes)", "percent_of_limit": "of limit (%)", "method": "how",
         "percent_of_roof": "of roof (%)", "limits": "limited also by", "bytes_source": "bytes by", **{f"ai_{level}": f"AI {level}" for level in LEVELS}}
LIMITS = {"unoptimized": "O0 code", "scalar": "scalar arithmetic", "core": "its core"}  # as the notes of plumbline show name them
OF_TERMINALS = ("~: ", "how, behind the semicolon")  # notes on marks that plumbline's own tables have and these have not
CONDITIONS = ("node", "label", "flavor", "clock_hz", "timed_clock_hz", "clock_ratio", "seconds", "occupancy", "theoretical_occupancy")
COUNTERS = ("counter", "quantity", "grade", "n", "bias", "min", "max", "cv", "reason")


def build(name, figures, ceilings, show, score, facts, nodes=None, interactive=("", "", "")):
    """`figures`: [(title, path of the SVG)]; `facts`: {"provenance":..., "campaign":...}; `nodes`: as `plumbline nodes --json` has it; `interactive`:
    what document.parts() gives. Returns the page's text."""
    style, lead, end = interactive
    parts = [f"<h1>Plumbline: {html.escape(name)}</h1>", lead, *_still(figures, bool(end))]
    for index, (title, columns, rows) in enumerate(like_nodes.tables(nodes) if nodes else []):
        parts += _section(title, nodes if index == 0 else {}, columns, rows)
    limits = [{**row, "percent_of_limit": 100 * row["fraction_of_limit"] if number(row.get("fraction_of_limit")) else None} for row in ceilings["rows"]]
    parts += _section("Ceilings", ceilings, CEILINGS, limits, HEADS)
    rows = [{**row, **_placed(row), "theoretical_occupancy": _theoretical(row)} for row in show["rows"]]
    parts += _section("Kernels under the roofs", show, SHOW, rows, HEADS)
    counted = [{**row, **row["counter_conditions"]} for row in rows if row.get("counter_conditions")]
    if counted:
        parts += _section("Under the profiler of the GPU: clock, time and occupancy while counting", {}, CONDITIONS, counted)
    counters = score.get("counters", [])
    parts += _section("Counters", score, COUNTERS, counters if any(counter.get("grade") or counter.get("n") for counter in counters) else [])
    parts.append("<h2>Campaign</h2><pre>" + html.escape(facts.get("campaign", "")) + "</pre>")
    provenance = json.dumps(facts.get("provenance", {}), indent=1, ensure_ascii=False)
    parts.append("<h2>Provenance</h2><pre>" + html.escape(provenance) + "</pre>")
    meta = '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
    head = f'<!doctype html><html lang="en"><head>{meta}<title>Plumbline: {html.escape(name)}</title><style>{style}</style></head>'
    return head + "<body>\n<main>\n" + "\n".join(parts) + "\n</main>\n" + end + "</body></html>\n"


def _still(figures, folded):
    """The figures as pictures, folded away where interactive ones stand above. Those that would make the page too large are named only."""
    inside, beside, size = [], [], 0
    for title, svg in figures:
        with open(svg, "rb") as file:
            data = base64.b64encode(file.read()).decode("ascii")
        size += len(data)
        if size > STILL_BYTES:
            beside.append(f"<li>{html.escape(title)}: {html.escape(os.path.basename(svg))}</li>")
        else:
            inside.append(f'<figure><img alt="{html.escape(title, quote=True)}" src="data:image/svg+xml;base64,{data}"></figure>')
    if beside:
        inside.append('<p class="notes">These lie beside this page:</p><ul class="notes">' + "".join(beside) + "</ul>")
    if folded and figures:
        return [f"<details><summary>{len(figures)} still figures, for papers and slides</summary>", *inside, "</details>"]
    return inside


def _placed(row):
    """A case's intensity at each level, and what limits it beside its roof."""
    limits = ", ".join(LIMITS.get(limit, limit) for limit in (row.get("shortfall") or {}).get("limits", []))
    return {"limits": limits, **{f"ai_{level}": number(((row.get("levels") or {}).get(level) or {}).get("ai")) for level in LEVELS}}


def _theoretical(row):
    """The part of its room for warps that a multiprocessor fills: a number, or the least and the most of several kernels."""
    at = row.get("theoretical_occupancy") or {}
    return at.get("least") if at.get("least") == at.get("most") else f"{at['least']:.5g} to {at['most']:.5g}"


def _section(title, document, columns, rows, heads=None):
    parts = [f"<h2>{title}</h2>"]
    notes = [note if isinstance(note, str) else json.dumps(note) for note in document.get("notes", [])]
    notes = [note.replace(", marked !,", "") for note in notes if not note.startswith(OF_TERMINALS)]
    if notes:
        parts.append('<ul class="notes">' + "".join(f"<li>{html.escape(note)}</li>" for note in notes) + "</ul>")
    parts.append(_table(columns, rows, heads or {}) if rows else "<p>none</p>")
    return parts


def _table(columns, rows, heads):
    used = [column for column in columns if any(row.get(column) not in (None, "") for row in rows)]
    numeric = {column for column in used if all(isinstance(row.get(column), (int, float, type(None))) for row in rows)}
    klass = {column: ' class="n"' if column in numeric else "" for column in used}
    head = "".join(f"<th{klass[column]}>{html.escape(heads.get(column, column))}</th>" for column in used)
    body = "".join("<tr>" + "".join(f"<td{klass[column]}>{_cell(row.get(column))}</td>" for column in used) + "</tr>" for row in rows)
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _cell(value):
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.5g}"
    return html.escape(str(value))
