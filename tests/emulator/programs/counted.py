# SPDX-License-Identifier: BSD-3-Clause
"""Whole programs under the tool: started, their JSON read."""

import json
import os
import subprocess

VALGRIND = os.environ["PLUMBLINE_VALGRIND"]
PROGRAMS = os.environ["PLUMBLINE_TEST_PROGRAMS"]
# One thread; the core type whose kernels the tests know.
ENVIRONMENT = dict(os.environ, VALGRIND_LIB=os.environ["PLUMBLINE_VALGRIND_LIB"], LD_BIND_NOW="1", OPENBLAS_CORETYPE="Haswell", OPENBLAS_NUM_THREADS="1",
                   LC_ALL="C")


def under_the_tool(*arguments):
    return [VALGRIND, "-q", "--tool=plumbline", "--fair-sched=yes", *map(str, arguments)]


def run(command, **options):
    done = subprocess.run([str(word) for word in command], env=ENVIRONMENT, capture_output=True, text=True, timeout=120, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def counted(folder, command, *options, **how):
    """The program's output, and its counts in total; counts only unless the options say otherwise."""
    out = folder / "counts.json"
    done = run(under_the_tool(*(options or ["--caches=no"]), f"--out={out}", *command), **how)
    return done.stdout, json.loads(out.read_text())["total"]


def difference(more, less):
    """The counts of the additional work of a longer run: start-up is in both."""
    return {event: more[event] - less[event] for event in more if more[event] is not None}


def flops(counts):
    """The operations by kind, of what is not zero."""
    return {event.removeprefix("flops."): count for event, count in counts.items() if event.startswith("flops.") and count}
