"""Whether anything was measured on a GPU: measured.py CEILINGS.json|SHOW.json

The document is what `plumbline ceilings --json` or `plumbline show --json` printed. Prints how many ceilings of GPUs, or cases, were measured;
exit 1 where none was, as where nvidia-smi answers but CUDA starts nothing: `plumbline run` says that in notes and ends well, for on a machine
without GPUs that is right.
"""

import json
import pathlib
import sys


def ceilings_of_gpus(rows):
    """The ceilings that were measured, by name."""
    return {row["name"]: row for row in rows if row.get("scope") == "GPU" and row["status"] == "ok"}


def timed(rows):
    """The cases with a time."""
    return [row for row in rows if row.get("seconds")]


def main():
    rows = json.loads(pathlib.Path(sys.argv[1]).read_text())["rows"]
    found = len(ceilings_of_gpus(rows)) + len(timed(rows))
    print(f"measured on GPUs: {found}" if found else "NOTHING WAS MEASURED ON A GPU: the notes above and plumbline doctor say why")
    return 0 if found else 1


if __name__ == "__main__":
    sys.exit(main())
