"""A lint is a program: LINT.py SOURCE_DIRECTORY [MORE...] prints what breaks its rules, a line each, and ends with 1; else what is well."""

import pathlib
import sys


def run(complaints, well):
    """`complaints(root, *more)` yields a line for each breach."""
    broken = list(complaints(pathlib.Path(sys.argv[1]).resolve(), *sys.argv[2:]))
    print("\n".join(broken) or well)
    sys.exit(1 if broken else 0)
