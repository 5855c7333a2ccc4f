"""The result file as pandas tables.

    from plumbline_analysis.load import load
    tables = load("quick.h5")
    tables["times"].groupby("case").seconds.median()
    tables["times"].attrs["units"]["seconds"]          # "s"
"""
import json
import os

import h5py
import pandas

from .errors import InputError
from .heaps import require_sound_heaps

SCHEMA = "plumbline/1"
TABLES = ("cases", "outcomes", "times", "counts", "model", "ceilings", "machine")
SINCE_THEN = ("remeasured",)  # tables that an older file lacks
COLUMN_FACTS = ("units", "long_name", "better")
MOST_INFLATED = 1032  # what deflate makes of a byte at most
FILTERS = {h5py.h5z.FILTER_DEFLATE, h5py.h5z.FILTER_SHUFFLE, h5py.h5z.FILTER_FLETCHER32}  # no other's library is looked for


def load(path):
    """Every table of the file as a DataFrame: text decoded, numbers as stored (an absent one is NaN).

    Each frame's .attrs hold "units", "long_name" and "better" (column -> text), "campaign" (TOML text) and "provenance".
    """
    if not os.path.exists(path):
        raise InputError(f"result file '{path}' does not exist; give one that plumbline run wrote")
    if not os.path.isfile(path):
        raise InputError(f"'{path}' is no file; give a result file that plumbline run wrote")
    try:
        with open(path, "rb") as image:
            require_sound_heaps(image.read())
        with h5py.File(path, "r") as file:
            _require_schema(file, path)
            facts = {"campaign": _text(file.attrs["campaign"]), "provenance": _parsed(_text(file.attrs["provenance"]))}
            return {name: _frame(_own_dataset(file, name), facts) for name in TABLES + tuple(name for name in SINCE_THEN if name in file)}
    except (OSError, KeyError, RuntimeError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise InputError(f"result file '{path}' cannot be read: {reason}; copy it again, or plumbline recover its journal") from error


def _require_schema(file, path):
    schema = _text(file.attrs.get("schema", ""))
    if not schema.startswith("plumbline/"):
        raise InputError(f"'{path}' is no plumbline result file (its schema is '{schema}'); give one that plumbline run wrote")
    if schema != SCHEMA:
        raise InputError(f"result file '{path}' has schema {schema} and this package reads {SCHEMA}; use a newer plumbline")


def _own_dataset(file, name):
    """A table of a file that anybody may have made: it lies in this file itself, which has bytes for its rows."""
    if not isinstance(file.get(name, getlink=True), h5py.HardLink):
        raise ValueError(f"'/{name}' is a link to somewhere else, or is missing")
    dataset = file[name]
    if dataset.is_virtual or dataset.external:
        raise ValueError(f"the rows of '/{name}' lie in other files")
    if dataset.dtype.hasobject:
        raise ValueError(f"'/{name}' has columns of varying length")
    has = min(dataset.id.get_storage_size(), os.path.getsize(file.filename))
    if dataset.nbytes > has * MOST_INFLATED:
        raise ValueError(f"'/{name}' says it has {len(dataset)} rows, in {has} bytes")
    made = dataset.id.get_create_plist()
    if not {made.get_filter(i)[0] for i in range(made.get_nfilters())} <= FILTERS:
        raise ValueError(f"the rows of '/{name}' went through a filter that is not read here")
    return dataset


def _frame(dataset, facts):
    rows = dataset[:]
    columns = {}
    for name in rows.dtype.names:
        values = rows[name]
        columns[name] = _texts(values) if values.dtype.kind == "S" else values
    frame = pandas.DataFrame(columns)
    frame.attrs.update(facts)
    for fact in COLUMN_FACTS:
        frame.attrs[fact] = {name: _text(dataset.attrs.get(f"{name}.{fact}", "")) for name in rows.dtype.names}
    return frame


def _texts(values):
    """A column of text also where it has no rows: an empty list alone would become numbers."""
    return pandas.Series([value.decode("utf-8", "replace") for value in values], dtype=object)


def _text(value):
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _parsed(text):
    try:
        return json.loads(text) if text else {}
    except ValueError:
        return {"text": text}
