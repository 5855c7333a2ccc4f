"""python3 -m plumbline_analysis paper FILE.h5 -o DIR: every counterpart that the file has data for, and the others with their reasons."""
import json
import os
import subprocess

from .. import judged
from ..errors import InputError
from ..load import program
from ..own_files import replacing
from ..report import drawing_into, save_all
from . import counterparts, drawing
from .choosing import Absent

ACCESSES = "accesses x 16 B"
LACKS, ALL_NEEDED = ("no two cases", "the campaign has no "), " and have FLOPs, bytes, time and ceilings"  # as choosing.py words what a figure lacks


def write(arguments):
    """Returns the lines that say which figures are drawn and what the others lack, and the paths written; and no notes: the lines say all."""
    folder = arguments.output or os.path.dirname(os.path.abspath(arguments.file))
    documents = read(arguments.file)
    told = []
    with drawing_into(folder):
        saved = save_all(figures(documents, told), folder)
        target = os.path.join(folder, "papers.json")
        with replacing(target) as file:
            file.write((json.dumps({"schema": "plumbline-papers/1", "file": os.path.basename(arguments.file), "figures": told}, indent=1) + "\n").encode())
    return [*lines_of(told), *(path for _, *paths in saved for path in paths), target], []


def read(path):
    """The documents that plumbline prints of the file; also where cases would lie by accesses to L1."""
    return {"show": _said(path, "show"), "ceilings": _said(path, "ceilings"), "by_accesses": _said(path, "show", "--by", ACCESSES)}


def _said(path, command, *options):
    done = subprocess.run([program(), command, path, *options, "--json"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        if options:
            return {"rows": []}  # no such counter was counted in this file
        raise InputError((done.stderr.strip().splitlines() or [f"plumbline {command} ended with {done.returncode}"])[-1].removeprefix("plumbline: "))
    return judged.checked(json.loads(done.stdout), command, path)


def figures(documents, told):
    """Yields (file name, title, figure); `told` gets an entry for each figure of the papers, drawn or not."""
    for one in counterparts.all_of_them():
        entry = {"paper": one.paper, "figure": one.figure, "title": one.title, "file": None, "stands_in": None, "reason": None}
        told.append(entry)
        try:
            figure, stands_in = drawing.draw(one, documents)
        except Absent as absent:
            entry["reason"] = str(absent)
            continue
        entry.update(file=one.name, stands_in=stands_in or None)
        yield one.name, one.title, figure


def lines_of(told):
    """The papers; the figures drawn; and the others by what would give them, with what each lacks."""
    yield "papers: " + "; ".join(f"{paper} {who}, {what}" for paper, (who, what) in counterparts.PAPERS.items())
    drawn = [entry for entry in told if not entry["reason"]]
    yield f"drawn: {len(drawn)} of {len(told)} figures" + (":" if drawn else "")
    for entry in drawn:
        yield f"  {_figure(entry)}: {entry['file']}" + (" (of CPUs, where the paper has a GPU)" if entry["stands_in"] else "")
    for reason in dict.fromkeys(entry["stands_in"] for entry in drawn if entry["stands_in"]):
        yield f"  (of CPUs, as {reason})"
    reasons = {}
    for entry in told:
        if entry["reason"]:
            lack, _, advice = entry["reason"].rpartition(": ") if entry["reason"].startswith(LACKS) else ("", "", entry["reason"])
            reasons.setdefault(advice, []).append((entry, lack.replace(ALL_NEEDED, "")))
    for advice, entries in reasons.items():
        yield f"not drawn: {len(entries)}{', for want of cases that' if entries[0][1] else ':'} {advice}"
        for entry, lack in entries:
            yield f"  {_figure(entry)}" + (f": {lack}" if lack else "")
    if any(ALL_NEEDED in (entry["reason"] or "") for entry in told):
        yield "a case counts here if it has FLOPs, bytes, time and ceilings"


def _figure(entry):
    return f"{entry['paper']} figure {entry['figure']}, {entry['title']}" if entry["figure"][0].isdigit() else f"{entry['paper']} {entry['title']}"
