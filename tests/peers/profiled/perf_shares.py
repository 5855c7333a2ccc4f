"""A program's time as perf says it: samples by file and symbol, of Linux's CPU clock in user mode as plumbline's own."""

import math
import re
import shutil
import subprocess

from programs import ProgramFailed

MOST_SHOWN = 0.05  # functions with less of the time are not compared one by one
PLACE = re.compile(r"\+0x([0-9a-f]+)$")


def why_not():
    if not shutil.which("perf"):
        return "perf is not installed (Debian: linux-perf)"
    done = subprocess.run(["perf", "record", "-q", "-e", "cpu-clock:u", "-o", "/dev/null", "true"], capture_output=True, text=True, check=False)
    return None if done.returncode == 0 else "perf record: " + (done.stderr.strip().splitlines() or ["no message"])[-1]


def sampled(ready, folder, environment):
    """Samples by file and symbol. An address stands for a symbol where the file has none."""
    data = folder / "perf.data"
    words = ["perf", "record", "-q", "-e", "cpu-clock:u", "-F", "991", "-o", data, "--", *ready.command]
    done = subprocess.run([str(word) for word in words], cwd=folder, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    if done.returncode != 0:
        raise ProgramFailed(f"perf record: exit code {done.returncode}")
    asked = ["perf", "report", "-i", data, "--stdio", "--no-children", "-q", "-s", "dso,sym", "-F", "sample,dso,sym", "-t", "|"]
    said = subprocess.run([str(word) for word in asked], capture_output=True, text=True, check=False).stdout
    found = {}
    for line in said.splitlines():
        cells = [cell.strip() for cell in line.split("|", 2)]
        if len(cells) == 3 and cells[0].isdigit():
            key = (cells[1], re.sub(r"^\[.\] ", "", cells[2]).strip())
            found[key] = found.get(key, 0) + int(cells[0])
    return found


def file_of(row):
    return (row["object"] or "???").rsplit("/", 1)[-1]


def shares_by_file(found):
    """Code in no file has several names with perf: [JIT], //anon, [unknown]."""
    whole, shares = sum(found.values()), {}
    for (file, _), samples in found.items():
        name = "???" if file.startswith(("[JIT", "//anon", "[unknown", "anon", "perf-")) else file
        shares[name] = shares.get(name, 0) + samples / whole
    return shares


def own_by_file(rows):
    shares = {}
    for row in rows:
        shares[file_of(row)] = shares.get(file_of(row), 0) + row["share"]
    return shares


def place_of(row):
    """The address where a function without a name begins; None where it has one."""
    found = PLACE.search(row["name"])
    return int(found[1], 16) if found else None


def share_of_function(row, rows, found):
    """perf's share of a function: by its name, or of the addresses from its begin to that of the next in its file."""
    whole, file, begin = sum(found.values()), file_of(row), place_of(row)
    if begin is None:
        return sum(samples for (dso, symbol), samples in found.items() if dso == file and symbol == row["name"]) / whole
    behind = [place for place in map(place_of, (other for other in rows if file_of(other) == file)) if place is not None and place > begin]
    end = min(behind, default=float("inf"))
    return sum(samples for (dso, symbol), samples in found.items()
               if dso == file and symbol.startswith("0x") and begin <= int(symbol, 16) < end) / whole


def differs(pair, samples):
    """Whether shares of so many samples each are farther apart than chance takes them (three sigma), and than five points."""
    middle = (pair["ours"] + pair["perf"]) / 2
    return abs(pair["ours"] - pair["perf"]) > 0.05 + 3 * math.sqrt(middle * (1 - middle) * sum(1 / max(1, n) for n in samples))


def compared(rows, found, samples):
    """Shares of files and of large functions by both, the largest difference of each kind, and the files that differ by more than chance."""
    theirs, ours = shares_by_file(found), own_by_file(rows)
    files = {file: {"ours": ours.get(file, 0), "perf": theirs.get(file, 0)} for file in sorted({*theirs, *ours})
             if max(ours.get(file, 0), theirs.get(file, 0)) >= MOST_SHOWN}
    functions = {row["name"]: {"ours": row["share"], "perf": share_of_function(row, rows, found)} for row in rows
                 if row["share"] >= MOST_SHOWN and row["name"] != "???"}
    return {"samples": sum(found.values()), "files": files, "functions": functions,
            "differing": [file for file, pair in files.items() if differs(pair, (samples, sum(found.values())))],
            "largest_file_difference": largest(files), "largest_function_difference": largest(functions)}


def largest(pairs):
    return max((abs(pair["ours"] - pair["perf"]) for pair in pairs.values()), default=0)
