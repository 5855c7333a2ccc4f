"""Plumbline's own ceilings: a campaign of [ceilings] alone, run and read back as a user would."""

import json
import os
import pathlib
import shutil
import time

from machine import ROOT
from programs import ProgramFailed, output_of


def find_plumbline():
    """PLUMBLINE=path, else the build's, else the one on PATH."""
    named = os.environ.get("PLUMBLINE")
    for path in [named] if named else [ROOT / "build" / "bin" / "plumbline", shutil.which("plumbline")]:
        if path and os.access(path, os.X_OK):
            return pathlib.Path(path).resolve()
    raise ProgramFailed(f"there is no plumbline at {named or 'build/bin/plumbline'}; build it (cmake --preset release && cmake --build build) or "
                        "name it: PLUMBLINE=path")


def campaign(mode, only=(), rounds=None):
    keys = [f'mode = "{mode}"']
    if only:
        keys.append(f"only = {json.dumps(list(only))}")
    if rounds is not None:
        keys.append(f"rounds = {rounds}")
    return 'schema = "plumbline-campaign/1"\nname = "peers"\ncounters = "none"\n\n[ceilings]\n' + "\n".join(keys) + "\n"


class Ours:
    def __init__(self, plumbline, folder):
        self.plumbline, self.folder = plumbline, pathlib.Path(folder)

    def ceilings(self, mode, only=(), rounds=None):
        """Rows of `plumbline ceilings --json`, and the seconds that the run took."""
        written, store = self.folder / "peers.toml", self.folder / "peers.h5"
        written.write_text(campaign(mode, only, rounds))
        start = time.monotonic()
        output_of([self.plumbline, "run", written, "-o", store, "--overwrite"], 600)
        seconds = time.monotonic() - start
        return json.loads(output_of([self.plumbline, "ceilings", store, "--json"], 60))["rows"], seconds


def of_team(rows, threads):
    return [row for row in rows if row["ranks"] == 1 and row["threads"] == threads and row["status"] == "ok"]


def row_of(rows, line, threads):
    """The row of a line of the comparison; None where plumbline has none. "FP64 vector FMA (v3)" is another ceiling."""
    for row in of_team(rows, threads):
        if row["level"] == line.level and row["pattern"] == line.pattern and row["precision"] == line.precision and "(" not in row["name"]:
            return row
    return None


def levels_of(rows):
    """The bytes by level that the loads of one core were found to have."""
    return {row["level"]: row.get("size_bytes") for row in of_team(rows, 1) if row["pattern"] == "load" and row["unit"] == "GB/s"}


def identity(row):
    """The name, with the precision where it does not stand there already, and the team."""
    precision = row["precision"]
    known = precision == "-" or row["name"].lower().startswith(precision)
    return f"{'' if known else precision + ' '}{row['name']}, {row['ranks']} x {row['threads']}"


def fractions_of(rows):
    """The parts of their limits that ceilings reach, by ceiling, of the rows that have one."""
    return {identity(row): row["fraction_of_limit"] for row in rows if row.get("fraction_of_limit") is not None}


def quick_values(rows):
    """The values that quick mode is for, arithmetic by FMA and the loads' levels, that full mode has too."""
    return {identity(row): row["value"] for row in rows
            if row["status"] == "ok" and row["value"] and row["pattern"] in ("fma", "load") and row["level"] != "vector"}
