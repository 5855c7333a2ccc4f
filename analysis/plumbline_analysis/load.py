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

SCHEMA = "plumbline/1"
TABLES = ("cases", "outcomes", "times", "counts", "model", "ceilings", "machine")
SINCE_THEN = ("remeasured",)  # tables that an older file lacks
COLUMN_FACTS = ("units", "long_name", "better")


def load(path):
    """Every table of the file as a DataFrame: text decoded, numbers as stored (an absent one is NaN).

    Each frame's .attrs hold "units", "long_name" and "better" (column -> text), "campaign" (TOML text) and "provenance".
    """
    if not os.path.exists(path):
        raise InputError(f"result file '{path}' does not exist; give one that plumbline run wrote")
    try:
        with h5py.File(path, "r") as file:
            _require_schema(file, path)
            facts = {"campaign": _text(file.attrs["campaign"]), "provenance": _parsed(_text(file.attrs["provenance"]))}
            return {name: _frame(file[name], facts) for name in TABLES + tuple(name for name in SINCE_THEN if name in file)}
    except (OSError, KeyError, RuntimeError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise InputError(f"result file '{path}' cannot be read: {reason}; copy it again, or plumbline recover its journal") from error


def _require_schema(file, path):
    schema = _text(file.attrs.get("schema", ""))
    if not schema.startswith("plumbline/"):
        raise InputError(f"'{path}' is no plumbline result file (its schema is '{schema}'); give one that plumbline run wrote")
    if schema != SCHEMA:
        raise InputError(f"result file '{path}' has schema {schema} and this package reads {SCHEMA}; use a newer plumbline")


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
