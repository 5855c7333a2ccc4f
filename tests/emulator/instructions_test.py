# SPDX-License-Identifier: BSD-3-Clause
"""Every row of instructions.txt under the tool: each event of the table exactly as the row says, and nothing besides."""

import itertools
import os
import re
import signal
import subprocess

import pytest

HERE = os.path.dirname(__file__)
VALGRIND = os.environ["PLUMBLINE_VALGRIND"]
VALGRIND_LIB = os.environ["PLUMBLINE_VALGRIND_LIB"]
EMULATOR = os.environ["PLUMBLINE_EMULATOR_DIR"]
COMPILER = os.environ.get("PLUMBLINE_TEST_GCC")
TABLE = os.path.join(HERE, "instructions.txt")
REPETITIONS = 10

LOW, HIGH = 0, 8  # registers 0 to 7, or 8 to 15 with an index register
GENERAL = {"R8": ("%cl", "%r9b"), "R16": ("%cx", "%r9w"), "R32": ("%ecx", "%r9d"), "R64": ("%rcx", "%r9")}
MEMORY = {LOW: "(%rdi)", HIGH: "32(%r10,%r11)"}
MASKS = {
    "MASKD": "vpcmpeqd %xmm{r}, %xmm{r}, %xmm{r}; vpsrldq $4, %xmm{r}, %xmm{r}; vpxor %ymm3, %ymm3, %ymm3",
    "MASKQ": "vpcmpeqd %ymm{r}, %ymm{r}, %ymm{r}; vpsrldq $8, %xmm{r}, %xmm4; vinserti128 $1, %xmm4, %ymm{r}, %ymm{r};"
             "vpxor %ymm3, %ymm3, %ymm3",
    "NOMASK": "vpxor %xmm{r}, %xmm{r}, %xmm{r}; vpxor %ymm3, %ymm3, %ymm3",
}
WIDTHS = {"fp_scalar": "width.scalar", "fp_128": "width.128", "fp_256": "width.256", "fp_x87": "width.x87",
          "int_128": "width.128", "int_256": "width.256", "int_mmx": "width.mmx"}
BRANCHES = {"branches.conditional", "branches.unconditional", "calls", "returns"}
NON_TEMPORAL = ["bytes.reg-L1.nt_store", "bytes.L1-L2.nt_store", "bytes.L2-L3.nt_store", "bytes.L3-mem.nt_store"]
ALTERNATIVE = re.compile(r"\b(X|Y|MM|R8|R16|R32|R64)/M(\d+)\b")


def add(events, name, n):
    events[name] = events.get(name, 0) + n


def add_named(events, name, n):
    add(events, name, n)
    if name in WIDTHS:
        add(events, WIDTHS[name], n)
    if name.startswith("fp_") and name in WIDTHS:
        add(events, "fp_instructions", n)
    if name.startswith("int_") and name != "int_instructions":
        add(events, "int_instructions", n)
    if name in BRANCHES:
        add(events, "branches", n)


def parse_events(text):
    events = {"instructions": 1}
    plain = re.search(r"\binstructions=", text)  # several instructions: the row names every event itself
    for word in text.split():
        name, _, number = word.partition("=")
        n = int(number or 1)
        if name in ("load", "store"):
            add(events, name + "s", 1)
            add(events, "bytes.reg-L1." + name, n)
        elif name == "nt":
            add(events, "stores", 1)
            for flow in NON_TEMPORAL:
                add(events, flow, n)
        elif plain:
            events[name] = n
        else:
            add_named(events, name, n)
    return events


def with_registers(text, bank):
    for mask, code in MASKS.items():
        text = re.sub(rf"\b{mask} y(\d)", lambda m, code=code: code.format(r=int(m.group(1)) + bank), text)
    text = re.sub(r"(?<![%\w])x(\d)\b", lambda m: f"%xmm{int(m.group(1)) + bank}", text)
    text = re.sub(r"(?<![%\w])y(\d)\b", lambda m: f"%ymm{int(m.group(1)) + bank}", text)
    text = re.sub(r"(?<![%\w])m(\d)\b", lambda m: f"%mm{m.group(1)}", text)
    return re.sub(r"(?<![%\w/])M\b", MEMORY[bank], text)


def register_of(kind, bank):
    if kind in GENERAL:
        return GENERAL[kind][bank == HIGH]
    return {"X": "x1", "Y": "y1", "MM": "m1"}[kind]


def braces(text):
    pieces = re.split(r"\{([^}]*,[^}]*)\}", text)
    choices = [p.split(",") if i % 2 else [p] for i, p in enumerate(pieces)]
    return ["".join(c) for c in itertools.product(*choices)]


def forms(instruction, events, setup):
    """A row's instructions with their registers and memory operands filled in."""
    marked = with_registers(instruction, LOW) != instruction or ALTERNATIVE.search(instruction)
    for bank in (LOW, HIGH) if marked else (LOW,):
        filled_setup = with_registers(setup, bank)
        alternative = ALTERNATIVE.search(instruction)
        if not alternative:
            yield with_registers(instruction, bank), events, filled_setup
            continue
        kind, bytes_loaded = alternative.groups()
        in_register = ALTERNATIVE.sub(register_of(kind, bank), instruction)
        yield with_registers(in_register, bank), events, filled_setup
        yield with_registers(ALTERNATIVE.sub("M", instruction), bank), events + " load=" + bytes_loaded, filled_setup


def read_table():
    """The rows as (instruction, events, setup), and those that Valgrind may refuse."""
    rows, refusable, common = [], [], ""
    with open(TABLE, encoding="utf-8") as lines:
        for line in lines:
            line = line.rstrip()
            if not line or line.startswith("#"):
                continue
            if line.startswith("@setup"):
                common = line.removeprefix("@setup").strip()
                continue
            fields = [f.strip() for f in re.split(r"\s:(?=\s|$)", line.removeprefix("~"))] + ["", ""]
            setup = "; ".join(s for s in (common, fields[2]) if s)
            for instruction in braces(fields[0]):
                table = refusable if line.startswith("~") else rows
                table += [(i, parse_events(e), s) for i, e, s in forms(instruction, fields[1], setup)]
    return rows, refusable


PROLOGUE = """  push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15
  mov %rsp, %r12; sub $256, %rsp
  lea memory_under_test(%rip), %rdi; mov %rdi, %r10; lea 1024(%rdi), %rsi; xor %r11d, %r11d; xor %edx, %edx
  mov $1, %eax; mov $1, %ecx; mov $1, %r9d
"""
EPILOGUE = """1: mov %r12, %rsp; pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx
  fninit; vzeroupper; cld; ret
"""


def function(name, code):
    return f"{name}:\n{PROLOGUE}" + f"  {code}\n" * REPETITIONS + EPILOGUE


def assembly(rows):
    text = [".text", "empty:", PROLOGUE + EPILOGUE]
    pairs = [".section .data.rel.ro, \"aw\"", ".globl pairs, n_pairs", "pairs:"]
    for k, (instruction, _, setup) in enumerate(rows):
        text.append(function(f"measured_{k}", f"{setup}; {instruction}"))
        if setup:
            text.append(function(f"empty_{k}", setup))
        pairs.append(f"  .quad measured_{k}, " + (f"empty_{k}" if setup else "empty"))
    return "\n".join(text + pairs + [f"n_pairs: .quad {len(rows)}", '.section .note.GNU-stack, "", @progbits', ""])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    if not COMPILER:
        pytest.skip("gcc was not found when this tree was configured")
    return tmp_path_factory.mktemp("instructions")


def built(folder, name, rows):
    source, executable = folder / f"{name}.s", folder / name
    source.write_text(assembly(rows))
    subprocess.run([COMPILER, "-O1", "-no-pie", "-I" + EMULATOR, os.path.join(HERE, "instructions.c"), str(source), "-o", str(executable)],
                   check=True, timeout=120)
    return executable


def counted(executable, *options):
    environment = dict(os.environ, VALGRIND_LIB=VALGRIND_LIB, LD_BIND_NOW="1")
    done = subprocess.run([VALGRIND, "-q", "--tool=plumbline", *options, str(executable)], env=environment, capture_output=True,
                          text=True, timeout=200)
    results = []
    for line in done.stdout.splitlines():
        _, *words = line.split()
        results.append({name: int(n) for name, n in (w.split("=") for w in words)})
    return results, done


def differences(row, found, simulated):
    instruction, events, _ = row
    wanted = {name: n * REPETITIONS for name, n in events.items() if n and (simulated or name not in NON_TEMPORAL[1:])}
    wrong = {n: (found.get(n, 0), wanted.get(n, 0)) for n in {*found, *wanted} if found.get(n, 0) != wanted.get(n, 0)}
    return [f"{instruction}: (counted, wanted) {wrong}"] if wrong else []


@pytest.mark.parametrize("option", ["--caches=yes", "--caches=no", "--host-fma=no"])
def test_every_instruction_counts_what_the_manual_says(folder, option, capsys):
    rows, _ = read_table()
    results, done = counted(built(folder, "rows", rows), option)
    assert done.returncode == 0, f"died at {rows[len(results)][0]}:\n{done.stderr}"
    assert len(results) == len(rows)
    wrong = [d for row, found in zip(rows, results) for d in differences(row, found, option != "--caches=no")]
    with capsys.disabled():
        print(f"\n  {len(rows)} instruction forms, {option}: {len(wrong)} wrong", end="")
    assert not wrong, "\n".join(wrong)


def test_what_valgrind_refuses_is_refused_or_right(folder, capsys):
    _, refusable = read_table()
    wrong, refused = [], []
    for k, row in enumerate(refusable):
        results, done = counted(built(folder, f"refusable_{k}", [row]), "--caches=yes")
        if done.returncode == -signal.SIGILL and not results:
            refused.append(row[0])
            continue
        assert done.returncode == 0, done.stderr
        wrong += differences(row, results[0], True)
    with capsys.disabled():
        print(f"\n  refused by Valgrind: {', '.join(refused)}", end="")
    assert not wrong, "\n".join(wrong)
