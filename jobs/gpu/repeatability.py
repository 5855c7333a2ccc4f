"""The ceilings of several processes differ by so much: repeatability.py OUT.json CEILINGS.json...

Each CEILINGS.json is what `plumbline ceilings --json` printed. The spread of a ceiling is (highest - lowest) / median of its values; the goals
are those of goals.toml, of tensor cores and of all else. Prints a table; a goal that is missed is a finding, not a failure. Exit 1 where
there is nothing to compare.
"""

import json
import pathlib
import statistics
import sys

from goals import GOALS
from measured import ceilings_of_gpus


def compare(processes):
    """A row for each ceiling that every process has, those that differ most first."""
    rows = []
    for name in set.intersection(*map(set, processes)) if processes else ():
        values = [process[name]["value"] for process in processes]
        spread = (max(values) - min(values)) / statistics.median(values)
        goal = GOALS["run"]["tensor_spread" if processes[0][name]["precision"].startswith("tensor.") else "spread"]
        rows.append({"name": name, "unit": processes[0][name]["unit"], "values": values, "spread": spread, "goal": goal, "met": spread <= goal})
    return sorted(rows, key=lambda row: (-row["spread"], row["name"]))


def main():
    out, files = pathlib.Path(sys.argv[1]), [pathlib.Path(name) for name in sys.argv[2:]]
    processes = [ceilings_of_gpus(json.loads(file.read_text())["rows"]) for file in files]
    rows = compare(processes)
    everywhere = {row["name"] for row in rows}
    elsewhere = sorted(set().union(*processes) - everywhere)
    out.write_text(json.dumps({"processes": len(files), "rows": rows, "not_in_all": elsewhere}, indent=1) + "\n")
    for row in rows:
        print(f"{row['name']:40} {100 * row['spread']:6.2f} %  goal {100 * row['goal']:.0f} %  {'met' if row['met'] else 'MISSED'}")
    for name in elsewhere:
        print(f"{name:40} not found by every process")
    print(f"{sum(row['met'] for row in rows)} of {len(rows)} ceilings repeat within their goal, over {len(files)} processes")
    if not rows:
        print("NOTHING WAS MEASURED ON A GPU by every process: the notes above and plumbline doctor say why")
    return 0 if rows else 1


if __name__ == "__main__":
    sys.exit(main())
