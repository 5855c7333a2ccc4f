# SPDX-License-Identifier: BSD-3-Clause
"""Every row of instructions.txt under the tool: each event of the table exactly as the row says, and nothing besides."""

import os
import signal
import subprocess

import pytest

from instruction_table import NON_TEMPORAL, read_table

HERE = os.path.dirname(__file__)
VALGRIND = os.environ["PLUMBLINE_VALGRIND"]
VALGRIND_LIB = os.environ["PLUMBLINE_VALGRIND_LIB"]
EMULATOR = os.environ["PLUMBLINE_EMULATOR_DIR"]
COMPILER = os.environ.get("PLUMBLINE_TEST_GCC")
REPETITIONS = 10

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
