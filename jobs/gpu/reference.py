"""One small file of what the parts found: reference.py RESULTS OUT.json, or reference.py --anew PLUMBLINE KEPT

Holds how each part went, the GPU's own facts, the ceilings, each counter's verdict and its ratios to arithmetic, where the known kernels and
the applications lie, and what of the papers holds. What a part has not left is null.

--anew: a later program may judge otherwise: KEPT/reference.json gets what that PLUMBLINE says of the result files beside it; all else stays.
"""

import datetime
import json
import pathlib
import re
import subprocess
import sys

from counted import REFUSED, judge, obstacle
from measured import ceilings_of_gpus, timed

CEILING = ["name", "scope", "level", "precision", "value", "unit", "median", "min", "max", "n", "cv", "clock_hz", "sample", "sample_seconds", "power_watts", "limit", "fraction_of_limit",
           "limit_source", "size_bytes", "method", "status", "reason"]
RATIO = ["counter", "quantity", "case", "measured", "exact_lo", "exact_hi", "ratio"]
PLACE = ["case", "seconds", "gflops", "flops", "levels", "bound", "percent_of_roof", "status", "reason"]
EXPECTATION = ["id", "source", "expected_lo", "expected_hi", "measured", "verdict", "reason", "by", "comparisons"]
# What of each table is kept: the name here, the part's file, the key of its rows, and the columns (None: all).
TABLES = {
    "gpus": ("30-ceilings/ceilings.json", "gpus", None),
    "ceilings": ("30-ceilings/ceilings.json", "rows", CEILING),
    "repeatability": ("35-repeat/repeatability.json", "rows", None),
    "counters": ("40-validation/score.json", "counters", ["counter", "quantity", "n", "bias", "min", "max", "cv", "zero_tests", "zero_failures", "grade", "reason"]),
    "ratios": ("40-validation/score.json", "rows", RATIO),
    "cases": ("40-validation/show.json", "rows", PLACE),
    "kernels": ("45-kernels/agreement.json", None, None),
    "ncu": ("50-ncu/agreement.json", None, None),
    "applications": ("55-applications/show.json", "rows", PLACE),
    "expectations": ("55-applications/expect.json", "rows", EXPECTATION),
    "torch": ("60-others/agreement.json", None, None),
}
# Which command tells a table of which kept result files.
JUDGED = {"gpus": ("ceilings", ["ceilings"]), "ceilings": ("ceilings", ["ceilings"]), "counters": ("score", ["validation"]), "ratios": ("score", ["validation"]),
          "cases": ("show", ["validation"]), "applications": ("show", ["papers"]), "expectations": ("expect", ["ceilings", "validation", "papers"])}


def table_of(results, file, key, columns):
    path = results / file
    if not path.exists():
        return None
    rows = json.loads(path.read_text())
    rows = rows if key is None else rows.get(key)
    return rows if rows is None else columns_of(rows, columns)


def told_anew(plumbline, kept, table):
    """The rows of a table as this program tells them of the kept result files; None where there are none."""
    command, names = JUDGED[table]
    files = [kept / f"{name}.h5" for name in names if (kept / f"{name}.h5").exists()]
    if not files:
        return None
    chosen = ["--counters", kept / "counters.toml"] if table == "cases" and (kept / "counters.toml").exists() else []
    ended = subprocess.run([plumbline, command, *files, *chosen, "--json"], capture_output=True, text=True, check=False)
    if ended.returncode not in ((0, 3) if command == "expect" else (0,)):
        raise RuntimeError(f"plumbline {command} ended with {ended.returncode}: {ended.stderr.strip()}")
    _, key, columns = TABLES[table]
    return columns_of(json.loads(ended.stdout)[key], columns)


def columns_of(rows, columns):
    """Columns of rows; of scores those by the contract's flows, not a paper's bytes; of a case's those that were counted; of what papers say
    what is decided."""
    if columns is None:
        return rows
    if columns is EXPECTATION:
        rows = [row for row in rows if row["verdict"] != "not_measurable"]
    return [{name: row.get(name) for name in columns} for row in rows
            if row.get("convention", "flow") == "flow" and not (columns is RATIO and row["measured"] is None)]


def with_numbered_words(rows):
    """A table whose long words come again and again, as {"words": {column: [...]}, "rows": [[number or value, ...]]}; rows_of() undoes it."""
    words = {name: sorted({row[name] for row in rows}) for name in RATIO if rows and isinstance(rows[0][name], str)}
    numbers = {name: {word: i for i, word in enumerate(all_words)} for name, all_words in words.items()}
    return {"columns": RATIO, "words": words, "rows": [[numbers[name][row[name]] if name in words else row[name] for name in RATIO] for row in rows]}


def rows_of(table):
    return [{name: table["words"][name][value] if name in table["words"] else value for name, value in zip(table["columns"], row)} for row in table["rows"]]


def load(path):
    """A reference file as its tables."""
    found = json.loads(pathlib.Path(path).read_text())
    if found.get("ratios") is not None:
        found["ratios"] = rows_of(found["ratios"])
    return found


def parts(results):
    """The parts: how each went and, of those that took one go, in how many seconds; what was skipped or is not done, and why."""
    found = {ended.parent.name: {"how": json.loads(ended.read_text())["how"], "seconds": None} for ended in sorted(results.glob("[0-9]*/ended.json"))}
    for done in sorted(results.glob("[0-9]*/done")):
        _, how = done.read_text().splitlines()[:2]
        took = re.fullmatch(r"passed, (\d+) s", how)
        found[done.parent.name] = {"how": "passed" if took else how, "seconds": int(took[1]) if took else None}
    return found or None


def gpu_facts(results):
    """Lines "name : value" of nvidia-smi -q that do not change while a job runs."""
    wanted = ("Driver Version", "CUDA Version", "Product Name", "Product Architecture", "VBIOS Version", "Total", "Max Customer Boost Clocks")
    path = results / "10-facts/nvidia-smi.txt"
    if not path.exists():
        return None
    facts = {}
    for line in path.read_text().splitlines():
        name, colon, value = line.partition(" : ")
        if colon and name.strip() in wanted:
            facts.setdefault(name.strip(), value.strip())
    return facts


def counting(results):
    """Whether the counters could be read, and the exact refusal."""
    path = results / "40-validation/doctor.json"
    if not path.exists():
        return None
    status, reason = obstacle(json.loads(path.read_text())) or ("ok", None)
    return {"status": status, "reason": reason}


def was_counted(results):
    """Whether it was counted, or refused to this user, which is no failure."""
    documents = [results / "40-validation" / name for name in ("doctor.json", "score.json")]
    if not all(path.exists() for path in documents):
        print("part 40-validation has not counted")
        return False
    code, words = judge(*(json.loads(path.read_text()) for path in documents))
    print(words)
    return code in (0, REFUSED)


def with_a_line_a_row(document):
    """JSON that differs by lines where a number does, and is no larger than it has to be."""
    def text(value):
        if isinstance(value, dict) and "rows" in value:
            return "{" + ", ".join(f"{json.dumps(name)}: {text(part)}" for name, part in value.items()) + "}"
        return json.dumps(value) if not isinstance(value, list) else "[\n  " + ",\n  ".join(map(json.dumps, value)) + "]" if value else "[]"
    return "{\n" + ",\n".join(f" {json.dumps(name)}: {text(value)}" for name, value in document.items()) + "}\n"


def write(found, out):
    """Replaces the file as a whole."""
    fresh = out.with_name(out.name + ".new")
    fresh.write_text(with_a_line_a_row(found if found["ratios"] is None else found | {"ratios": with_numbered_words(found["ratios"])}))
    fresh.replace(out)


def judge_anew(plumbline, kept):
    try:
        told = {table: told_anew(plumbline, kept, table) for table in JUDGED}
    except RuntimeError as failure:
        print(f"{kept}/reference.json stays as it is: {failure}")
        return 1
    write(load(kept / "reference.json") | {table: rows for table, rows in told.items() if rows is not None}, kept / "reference.json")
    return 0


def main():
    if sys.argv[1] == "--anew":
        return judge_anew(sys.argv[2], pathlib.Path(sys.argv[3]))
    results, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    found = {"schema": "plumbline-gpu-reference/1", "command": "bash jobs/test.sh --gpu", "date": datetime.date.today().isoformat(),
             "parts": parts(results), "gpu": gpu_facts(results), "counting": counting(results)}
    found |= {name: table_of(results, *where) for name, where in TABLES.items()}
    missing = [name for name, value in found.items() if value is None]
    write(found, out)
    print(f"{out}: {out.stat().st_size} bytes" + (f"; missing: {', '.join(missing)}" if missing else ""))
    empty = [name for name, measured in (("ceilings", ceilings_of_gpus), ("cases", timed)) if not measured(found[name] or [])]
    if empty:
        print(f"nothing measured in: {', '.join(empty)}")
    return 1 if found["gpu"] is None or empty or not was_counted(results) else 0


if __name__ == "__main__":
    sys.exit(main())
