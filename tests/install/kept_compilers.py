#!/usr/bin/env python3
"""kept_compilers.py [FILE]: prints tests/golden/compilers.json, what compilers.sh came to, as the table in README.md beside this file."""

import json
import pathlib
import sys

KEPT = pathlib.Path(__file__).resolve().parents[1] / "golden" / "compilers.json"
SUITES = {"bookworm": "Debian 12", "trixie": "Debian 13", "sid": "Debian sid", "experimental": "sid, fmt of experimental"}
COMMAND = "bash tests/install/compilers.sh --suite SUITE [--syntax] --json tests/golden/compilers.json DIR COMPILER"


def order(row):
    """The order is by suite, family and age; the whole program comes before its files alone."""
    return list(SUITES).index(row["suite"]), row["compiler"].startswith("clang"), int(row["compiler"].rpartition("-")[2]), row["form"]


def kept_with(kept, suite, libraries, row):
    """The file's content with this row, in the place of an earlier one of the same suite, compiler and form."""
    row = {"suite": suite, **row}
    others = [other for other in kept.get("rows", []) if order(other) != order(row)]
    of_suites = {**kept.get("libraries", {}), suite: libraries}
    return {"command": COMMAND, "libraries": {name: of_suites[name] for name in SUITES if name in of_suites}, "rows": sorted([*others, row], key=order)}


def write(path, kept):
    """A row is a line."""
    rows = ",\n".join("  " + json.dumps(row) for row in kept["rows"])
    libraries = ",\n".join(f"  {json.dumps(suite)}: {json.dumps(found)}" for suite, found in kept["libraries"].items())
    path.write_text(f'{{\n "command": {json.dumps(kept["command"])},\n "libraries": {{\n{libraries}\n }},\n "rows": [\n{rows}\n ]\n}}\n', encoding="utf-8")


def compilers_of(kept, suite, form):
    return ", ".join(row["compiler"].replace("-", " ") for row in kept["rows"] if (row["suite"], row["form"], row["ok"]) == (suite, form, True))


def table(kept):
    lines = ["| system | program built by | files checked by | fmt | HDF5 | MPICH | Valgrind | hwloc |", "| --- | --- | --- | --- | --- | --- | --- | --- |"]
    for suite in (suite for suite in SUITES if suite in kept["libraries"]):
        versions = [kept["libraries"][suite][name] for name in ("fmt", "hdf5", "mpich", "valgrind", "hwloc")]
        lines.append("| " + " | ".join([SUITES[suite], compilers_of(kept, suite, "program"), compilers_of(kept, suite, "syntax"), *versions]) + " |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(table(json.loads(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else KEPT).read_text(encoding="utf-8"))))
