# SPDX-License-Identifier: BSD-3-Clause
"""Runs one program of random code natively and under the tool, and says where bits or counts differ."""

import collections
import json
import os
import struct
import subprocess

from forms import GENERAL
from writer import BLOCKS_AT, FLAGS_AT, GENERAL_AT, MEMORY_AT

COMPILER = os.environ.get("PLUMBLINE_TEST_GCC", "gcc")
VALGRIND = os.environ.get("PLUMBLINE_VALGRIND", "valgrind")
HERE = os.path.dirname(os.path.abspath(__file__))
MARKER = os.path.join(HERE, "../../../harness/marker")
RUNS, STATE_BYTES = 12, 4096  # as in runner.c
TINY = ["--l1=192,3,64", "--l2=64,1,64", "--l3=640,5,64"]


class Setting(list):
    """The tool's options, and the runner's argument."""

    def __init__(self, options, how="marked"):
        super().__init__(options)
        self.how = how


# Ways to run under the tool, none of which may change a bit or a count above L1.
SETTINGS = {
    "counts only": Setting(["--caches=no"]),
    "default caches": Setting([]),
    "tiny caches": Setting(TINY),
    "tiny caches, prefetchers, half of L3": Setting([*TINY, "--prefetch=l1-next,l2-adjacent,l2-stream", "--l3-share=2"]),
    "a core": Setting(["--core=yes"]),
    "emptied caches": Setting(TINY, "cold"),
    "not counting": Setting(["--count-at-start=no"], "unmarked"),
}


class Broken(Exception):
    """The program could not be built or run."""


def build(text, folder):
    source, program = folder / "code.s", folder / "program"
    source.write_text(text)
    done = subprocess.run([COMPILER, "-O1", "-Wall", "-Wextra", "-Werror", f"-I{MARKER}",
                           f"{HERE}/runner.c", str(source), "-o", str(program)], capture_output=True, text=True, timeout=120)
    if done.returncode:
        raise Broken(done.stderr)
    return program


def states_of(command, out, how="marked", **environment):
    """The states that every run of every function left: registers, executions of blocks, memory."""
    done = subprocess.run([*command, str(out), how], capture_output=True, text=True, timeout=200, env=dict(os.environ, **environment))
    if done.returncode or done.stderr:
        raise Broken(f"{' '.join(map(str, command))} ended with {done.returncode}: {done.stderr}")
    return out.read_bytes()


def under_tool(program, setting, folder):
    """The states, and the counts of each function's region."""
    out = folder / "counts.json"
    states = states_of([VALGRIND, "-q", "--tool=plumbline", *setting, f"--out={out}", program], folder / "states", setting.how,
                       VALGRIND_LIB=os.environ["PLUMBLINE_VALGRIND_LIB"], LD_BIND_NOW="1")
    return states, {int(r["name"]): r["counts"] for r in json.loads(out.read_text())["regions"]}


def place(at):
    if at < GENERAL_AT:
        return f"ymm{at // 32} bits {at % 32 * 8} to {at % 32 * 8 + 63}"
    if at < FLAGS_AT:
        return GENERAL[64][(at - GENERAL_AT) // 8]
    if at < MEMORY_AT:
        return "flags" if at == FLAGS_AT else f"executions of block {(at - BLOCKS_AT) // 8}"
    return f"memory {at - MEMORY_AT}(%rsi)"


def first_difference(native, emulated):
    for at in range(0, STATE_BYTES, 8):
        wanted, found = (struct.unpack_from("<Q", s, at)[0] for s in (native, emulated))
        if wanted != found:
            return f"{place(at)}: natively {wanted:016x}, here {found:016x}"
    return ""


def differing_bits(functions, native, emulated):
    """A line for each function, of the first place in its first run that differs."""
    if len(native) != len(emulated):
        return [f"{len(emulated)} bytes of states, natively {len(native)}"]
    lines = []
    for f in functions:
        for run in range(f.index * RUNS, (f.index + 1) * RUNS):
            part = slice(run * STATE_BYTES, (run + 1) * STATE_BYTES)
            if native[part] != emulated[part]:
                lines.append(f"function {f.name} run {run % RUNS}, {first_difference(native[part], emulated[part])}")
                break
    return lines


def executions(function, states):
    """The number of times that each block ran, by its own counts."""
    sums = [0] * len(function.blocks)
    for run in range(function.index * RUNS, (function.index + 1) * RUNS):
        ran = struct.unpack_from(f"<{len(sums)}Q", states, run * STATE_BYTES + BLOCKS_AT)
        sums = [a + b for a, b in zip(sums, ran)]
    return sums


def differing_counts(functions, states, counts):
    """Events above L1 by function that are not the table's for the blocks that ran, besides entry and exit: {event: (counted, wanted)}."""
    differing = {}
    for f in functions[1:]:
        wanted = collections.Counter()
        for times, events in zip(executions(f, states), f.blocks):
            for event, n in events.items():
                wanted[event] += times * n
        above_l1 = [e for e in counts[0] if not e.startswith("bytes.L") and e != "core_cycles"]
        found = {e: counts[f.index][e] - counts[0][e] for e in above_l1}
        wrong = {e: (found[e], wanted[e]) for e in above_l1 if found[e] != wanted[e]}
        if wrong:
            differing[f.name] = wrong
    return differing


def dropped_loads(wrong, name, unoptimized):
    """Whether only loads are missing, and none without Valgrind's optimizer, which drops one whose value cannot matter (an `and` with
    what it knows to be zero): a limit that the tool's README names."""
    return set(wrong) <= {"loads", "bytes.reg-L1.load"} and all(n < wanted for n, wanted in wrong.values()) and name not in unoptimized


def count_differences(functions, native, counts, program, setting, folder):
    """The differences that are wrong, and those that are a known limit."""
    differing, wrong, known = differing_counts(functions, native, counts), [], []
    if differing:
        _, plain = under_tool(program, Setting([*setting, "--vex-iropt-level=0"], setting.how), folder)
        unoptimized = differing_counts(functions, native, plain)
    for name, events in differing.items():
        limit = dropped_loads(events, name, unoptimized)
        (known if limit else wrong).append(f"function {name}: (counted, wanted) {events}")
    return wrong, known


def bit_differences(functions, native, emulated, program, folder):
    bits = differing_bits(functions, native, emulated)
    if not bits:
        return []
    alone = differing_bits(functions, native, states_of([VALGRIND, "-q", "--tool=none", program], folder / "states"))
    return [line + (" (so also under --tool=none)" if line in alone else "") for line in bits]


def differences(functions, text, settings, folder):
    """All that is wrong, a line each, and then what is a known limit."""
    program = build(text, folder)
    native = states_of([program], folder / "states")
    all_wrong, all_known = [], []
    for name in settings:
        setting = SETTINGS[name]
        emulated, counts = under_tool(program, setting, folder)
        wrong, known = bit_differences(functions, native, emulated, program, folder), []
        if setting.how != "unmarked":
            more, known = count_differences(functions, native, counts, program, setting, folder)
            wrong += more
        elif counts:
            wrong.append("regions were counted")
        all_wrong += [f"{name}: {line}" for line in wrong]
        all_known += [f"{name}: {line}" for line in known]
    return all_wrong, all_known
