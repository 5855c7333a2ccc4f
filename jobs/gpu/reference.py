"""One small file of what the parts found: reference.py RESULTS OUT.json

Holds the GPU's own facts, the ceilings, each counter's verdict, and where the known kernels lie. What a part has not left is null.
"""

import json
import pathlib
import sys

from counted import REFUSED, judge
from measured import ceilings_of_gpus, timed

# What of each table is kept: the name here, the part's file, the key of its rows, and the columns (None: all).
TABLES = {
    "ceilings": ("30-ceilings/ceilings.json", "rows", None),
    "repeatability": ("35-repeat/repeatability.json", "rows", None),
    "counters": ("40-validation/score.json", "counters", None),
    "cases": ("40-validation/show.json", "rows", ["case", "seconds", "gflops", "flops", "levels", "bound", "percent_of_roof", "status", "reason"]),
    "kernels": ("45-kernels/agreement.json", None, None),
    "ncu": ("50-ncu/agreement.json", None, None),
}


def table_of(results, file, key, columns):
    path = results / file
    if not path.exists():
        return None
    rows = json.loads(path.read_text())
    rows = rows if key is None else rows[key]
    return rows if columns is None else [{name: row.get(name) for name in columns} for row in rows]


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


def was_counted(results):
    """Or refused to this user, which is no failure."""
    documents = [results / "40-validation" / name for name in ("doctor.json", "score.json")]
    if not all(path.exists() for path in documents):
        print("part 40-validation has not counted")
        return False
    code, words = judge(*(json.loads(path.read_text()) for path in documents))
    print(words)
    return code in (0, REFUSED)


def main():
    results, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    found = {"schema": "plumbline-gpu-reference/1", "command": "bash jobs/test.sh --gpu", "gpu": gpu_facts(results)}
    found |= {name: table_of(results, *where) for name, where in TABLES.items()}
    missing = [name for name, value in found.items() if value is None]
    out.write_text(json.dumps(found, indent=1) + "\n")
    print(f"{out}: {out.stat().st_size} bytes" + (f"; missing: {', '.join(missing)}" if missing else ""))
    empty = [name for name, measured in (("ceilings", ceilings_of_gpus), ("cases", timed)) if not measured(found[name] or [])]
    if empty:
        print(f"nothing measured in: {', '.join(empty)}")
    return 1 if found["gpu"] is None or empty or not was_counted(results) else 0


if __name__ == "__main__":
    sys.exit(main())
