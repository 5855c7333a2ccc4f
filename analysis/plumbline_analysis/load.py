"""The result file as pandas tables, and its roofline.

    from plumbline_analysis import load
    tables = load("quick.h5")
    tables.roofline()                                  # a figure of plotly
    tables["times"].groupby("case").seconds.median()
    tables["times"].attrs["units"]["seconds"]          # "s"

Anybody may have made a file, and the HDF5 library crashes on some, so that nothing here looks into one: the program does (`plumbline tables`),
in a process that may do nothing else, and sends what it found (harness/store/table_stream.hpp).
"""
import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess

import numpy
import pandas

from . import judged
from .errors import InputError

COLUMN_FACTS = ("units", "long_name", "better")
HEAD_BYTES = 9  # of a frame: what it is, and its length
MOST_INFLATED, HEADS = 1032, 1 << 20  # what deflate makes of a byte at most; bytes beside the rows


class Tables(dict):
    """Tables by name, and what the program says of their file."""

    def __init__(self, path, tables):
        super().__init__(tables)
        self.path = path

    def judged(self, command):
        """The document of `plumbline COMMAND FILE --json` for ceilings, show, score or nodes."""
        done = subprocess.run([program(), command, self.path, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            return judged.checked(json.loads(done.stdout), command, self.path)
        except ValueError as error:
            raise InputError(" ".join(done.stderr.split()) or f"plumbline {command} said nothing of '{self.path}'") from error

    def roofline(self, node=None, team=None, precision=None):
        """The interactive hierarchical roofline as a figure of plotly: of that node, team (r1t1, GPU) and precision, else of those with most cases."""
        from .interactive import notebook
        return notebook.roofline(self, node, team, precision)


def load(path):
    """Every table of the file as a DataFrame: text decoded, numbers as stored (an absent one is NaN).

    Each frame's .attrs hold "units", "long_name" and "better" (column -> text), "campaign" (TOML text) and "provenance".
    """
    texts, blocks, heads = {}, {}, {}
    name = None
    for what, data in _frames(os.fspath(path)):
        if what == b"t":
            key, _, value = data.partition(b"\n")
            texts[key.decode()] = value.decode("utf-8", "replace")
        elif what == b"h":
            head = json.loads(data)
            name = head["table"]
            heads[name], blocks[name] = head["columns"], []
        elif what == b"r":
            blocks[name].append(data)
    facts = {"campaign": texts["campaign"], "provenance": _parsed(texts["provenance"])}
    return Tables(os.fspath(path), {name: _frame(columns, b"".join(blocks[name]), facts) for name, columns in heads.items()})


def program():
    """The plumbline that reads: who calls this names it, else it is the one that this package came with, else the one on PATH."""
    named = os.environ.get("PLUMBLINE") or beside(pathlib.Path(__file__).absolute()) or shutil.which("plumbline")
    if not named:
        raise InputError("no program 'plumbline' is found, which reads result files: put it on PATH, or name it in PLUMBLINE")
    return named


def beside(module):
    """The program that an installation (PREFIX/share/plumbline/analysis/plumbline_analysis) has beside this module, or a checkout's build."""
    folders = [module.parents[4] / "bin"] if len(module.parents) > 4 else []
    folders += [module.parents[2] / build / "bin" for build in ("build", "build-ci")]
    return next((str(folder / "plumbline") for folder in folders if (folder / "plumbline").is_file()), None)


def _frames(path):
    """Yields (what, bytes) of each frame, to the end of the stream."""
    try:
        reader = subprocess.Popen([program(), "tables", "--", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    except OSError as error:
        raise InputError(f"'{program()}' cannot be started, which reads result files: {error.strerror}; name another in PLUMBLINE") from error
    left = MOST_INFLATED * (os.path.getsize(path) if os.path.exists(path) else 0) + HEADS
    with reader, reader.stdout as stream, contextlib.ExitStack() as at_the_end:
        at_the_end.callback(reader.kill)  # it has sent all, or is not believed
        while len(head := stream.read(HEAD_BYTES)) == HEAD_BYTES:
            left -= int.from_bytes(head[1:], "little")
            if left < 0:
                raise _damaged(path, "it has more rows than a file of its size can have")
            what, data = head[:1], stream.read(int.from_bytes(head[1:], "little"))
            if what == b".":
                return
            if what == b"d":
                raise _damaged(path, data.decode("utf-8", "replace"))
            if what == b"e":
                raise InputError(data.decode("utf-8", "replace").partition(" ")[2])
            yield what, data
        reader.wait()
    raise _damaged(path, _how_it_ended(reader.returncode))


def _how_it_ended(code):
    if code in (-signal.SIGXCPU, -signal.SIGALRM):
        return "its reader came to no end"
    return f"it crashes the HDF5 library: {signal.strsignal(-code)}" if code < 0 else f"its reader ended with exit code {code}"


def _damaged(path, why):
    return InputError(f"result file '{path}' is cut short or damaged ({' '.join(why.split())}); copy it again, or plumbline recover its journal")


def _frame(columns, packed, facts):
    rows = numpy.frombuffer(packed, dtype=[(column["name"], column["type"]) for column in columns])
    values = {name: _texts(rows[name]) if rows.dtype[name].kind == "S" else rows[name].copy() for name in rows.dtype.names}
    frame = pandas.DataFrame(values)
    frame.attrs.update(facts)
    for fact in COLUMN_FACTS:
        frame.attrs[fact] = {column["name"]: column[fact] for column in columns}
    return frame


def _texts(values):
    """A column of text also where it has no rows: an empty list alone would become numbers."""
    return pandas.Series([value.decode("utf-8", "replace") for value in values], dtype=object)


def _parsed(text):
    try:
        return json.loads(text) if text else {}
    except ValueError:
        return {"text": text}
