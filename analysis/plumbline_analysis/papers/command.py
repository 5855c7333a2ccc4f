"""python3 -m plumbline_analysis paper FILE.h5 -o DIR: every counterpart that the file has data for, and the others with their reasons."""
import json
import os
import subprocess

import matplotlib

from .. import judged, style
from ..errors import InputError, OutputError
from ..load import program
from ..own_files import replacing
from ..report import save_all
from . import counterparts, drawing
from .choosing import Absent

ACCESSES = "accesses x 16 B"


def write(arguments):
    """Prints a line a figure; returns the paths written, and no notes: the lines say all."""
    folder = arguments.output or os.path.dirname(os.path.abspath(arguments.file))
    documents = read(arguments.file)
    told = []
    try:
        os.makedirs(folder, exist_ok=True)
        with matplotlib.rc_context(style.SETTINGS):
            saved = save_all(figures(documents, told), folder)
        target = os.path.join(folder, "papers.json")
        with replacing(target) as file:
            file.write((json.dumps({"schema": "plumbline-papers/1", "file": os.path.basename(arguments.file), "figures": told}, indent=1) + "\n").encode())
    except OSError as error:
        raise OutputError(f"'{error.filename or folder}' cannot be written: {error.strerror}; choose another folder with -o") from error
    for entry in told:
        print(as_line(entry))
    return [path for _, *paths in saved for path in paths] + [target], []


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


def as_line(entry):
    head = f"{entry['paper']} {entry['figure']:>6}  {entry['title']}: "
    if entry["reason"]:
        return f"{head}not drawn: {entry['reason']}"
    return f"{head}{entry['file']}" + (f" (of CPUs, where the paper has a GPU: {entry['stands_in']})" if entry["stands_in"] else "")
