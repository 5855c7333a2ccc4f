#!/usr/bin/env python3
"""real_nights.py PLUMBLINE FOLDER: each night of a folder (result files whose names are in order) held against those before it, as JSON.

The nights of tests/golden/night_real.json: `mpiexec -n 2 plumbline run quick -o FOLDER/night-NN.h5`, ten times, on two cores beside builds.
"""
import collections
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile


def checked(plumbline, night, before):
    done = subprocess.run([plumbline, "check", night, "--baseline", before, "--allow-missing", "--json"], capture_output=True, text=True)
    found = json.loads(done.stdout)
    return {"nights_before": found["nights"], "exit": done.returncode, "rows": dict(collections.Counter(row["verdict"] for row in found["rows"])),
            "slower": [[row["what"], round(row["slowdown"], 2)] for row in found["rows"] if row["verdict"] == "SLOWER"][:5]}


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    plumbline, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    nights = sorted(folder.glob("*.h5"))
    rows = []
    with tempfile.TemporaryDirectory() as before:
        for last, night in zip(nights, nights[1:]):
            shutil.copy(last, before)
            rows.append(checked(plumbline, night, before))
    print(json.dumps({"command": f"tests/history/real_nights.py {plumbline} {folder}", "false_exits": sum(row["exit"] == 3 for row in rows),
                      "checks": len(rows)})[:-1] + ',\n"rows": [\n' + ",\n".join(map(json.dumps, rows)) + "\n]}")


if __name__ == "__main__":
    main()
