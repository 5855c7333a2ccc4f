#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Random code, natively and under the tool: every bit and every count the same. Run it with the environment of ctest's
emulator.random_code, or name the build:

    python3 tests/emulator/random_code/random_code.py --build build-ci --seeds 1-300

A program that differs is kept, with its assembly, in the folder that --keep names."""

import argparse
import itertools
import os
import pathlib
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))  # instruction_table.py

from compare import COMPILER, SETTINGS, Broken, differences
from writer import MODES, assembly, functions_of

SKIPPED = 77
NEEDED = {"avx2", "fma", "bmi1", "bmi2", "f16c", "movbe", "abm", "aes", "pclmulqdq", "adx", "3dnowprefetch"}


def missing():
    """The words for what this machine lacks, or nothing."""
    if not shutil.which(COMPILER):
        return "gcc was not found"
    with open("/proc/cpuinfo", encoding="utf-8") as lines:
        flags = next((line for line in lines if line.startswith("flags")), "").split()
    absent = sorted(NEEDED - set(flags))
    return f"this processor has no {', '.join(absent)}" if absent else ""


def parse_range(text):
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seeds", type=parse_range, default="1", metavar="FROM-TO")
    parser.add_argument("--functions", type=int, default=40, help="random functions of each program")
    parser.add_argument("--modes", nargs="+", default=list(MODES), choices=list(MODES))
    parser.add_argument("--settings", nargs="+", default=list(SETTINGS), choices=list(SETTINGS), help="ways to run under the tool")
    parser.add_argument("--build", help="the build folder that holds the tool")
    parser.add_argument("--keep", help="a folder for programs that differ")
    return parser.parse_args()


def check(seed, mode, arguments):
    """The differences that are wrong, a line each; and those that are a known limit."""
    functions = functions_of(seed, mode, arguments.functions)
    with tempfile.TemporaryDirectory() as folder:
        try:
            wrong, known = differences(functions, assembly(functions), arguments.settings, pathlib.Path(folder))
        except Broken as reason:
            wrong, known = [str(reason)], []
        if wrong and arguments.keep:
            shutil.copytree(folder, os.path.join(arguments.keep, f"{mode}-{seed}"), dirs_exist_ok=True)
    return wrong, known


def main():
    arguments = parse_arguments()
    if arguments.build:
        os.environ["PLUMBLINE_VALGRIND_LIB"] = os.path.join(os.path.abspath(arguments.build), "lib/plumbline/valgrind")
    reason = missing()
    if reason:
        print(f"SKIP: {reason}")
        return SKIPPED
    all_wrong, all_known = 0, 0
    for seed, mode in itertools.product(arguments.seeds, arguments.modes):
        wrong, known = check(seed, mode, arguments)
        all_wrong, all_known = all_wrong + len(wrong), all_known + len(known)
        for line in wrong + ["loads that Valgrind drops, " + line for line in known]:
            print(f"seed {seed} {mode}: {line}", flush=True)
    print(f"{len(arguments.seeds)} seeds, modes {', '.join(arguments.modes)}, {arguments.functions} random functions each: "
          f"{all_wrong} differences, {all_known} with loads that Valgrind drops")
    return 1 if all_wrong else 0


if __name__ == "__main__":
    sys.exit(main())
