# SPDX-License-Identifier: BSD-3-Clause
"""Writes functions of random instructions, in blocks that count their own executions, and what each block counts by the table."""

import collections
import random
import re

from forms import CONDITIONS, FORMS, GENERAL, LEAVES_FLAGS_UNDEFINED, events_of
from operands import filled
from sequences import BY_HAND, SEQUENCES

# How often a kind of instruction comes, by mode.
MODES = {
    "mixed": {"scalar": 6, "packed": 3, "fma": 2, "fma_scalar": 2, "move": 6, "logic": 3, "convert": 1, "integer": 2, "other": 1,
              "stack": 0.5, "mmx": 0.2, "x87": 0.3},
    "scalar": {"scalar": 6, "fma_scalar": 1, "move": 7, "logic": 2, "convert": 1},
    "no_avx": {"scalar": 4, "packed": 1, "move": 4, "logic": 2, "convert": 1, "integer": 2, "other": 1, "stack": 0.5, "x87": 0.3},
}
FORMS_OF_KIND = {(mode, kind): [f for f in FORMS if f.kind == kind and (mode != "no_avx" or not f.text.startswith(("v", "{vex3}")))]
                 for mode in MODES for kind in MODES[mode]}
SETS_FLAGS = [f for f in FORMS if f.text.startswith(("comi", "ucomi", "cmpq %", "testq %", "cmpl %", "ptest"))]
FLAGS_AGAIN = "testq %rax, %rcx"
MOST_BLOCKS = 64

# What lies where, from the state's begin (runner.c): registers, executions of blocks, memory.
GENERAL_AT, FLAGS_AT, BLOCKS_AT, MEMORY_AT = 512, 560, 1024, 2048

ENTRY = "\n".join(
    ["  pushq %rbx; pushq %r12; pushq %r15; pushq %rdi; movq %rdi, %r11", "  fninit; fldcw double_precision(%rip)"]
    + [f"  vmovupd {32 * k}(%r11), %ymm{k}" for k in range(16)]
    + [f"  movq {GENERAL_AT + 8 * k}(%r11), %{r}" for k, r in enumerate(GENERAL[64])]
    + [f"  movq $8, %r12; leaq {BLOCKS_AT}(%r11), %rdi; leaq {MEMORY_AT}(%r11), %rsi; testq %r11, %r11", ""])
EXIT = "\n".join(
    ["  pushfq; popq %r12; andq $0x8c5, %r12; popq %r11"]
    + [f"  movq %r12, {FLAGS_AT}(%r11)"]
    + [f"  movq %{r}, {GENERAL_AT + 8 * k}(%r11)" for k, r in enumerate(GENERAL[64])]
    + [f"  vmovupd %ymm{k}, {32 * k}(%r11)" for k in range(16)]
    + ["  fninit; vzeroupper; popq %r15; popq %r12; popq %rbx; ret", ""])


class Function:
    """Lines of code under way, and the events of each block."""

    def __init__(self, index, name):
        self.index, self.name, self.lines, self.blocks, self.open_labels, self.labels = index, name, [], [], [], 0
        self.begin_block()

    def write(self, text):
        self.lines.append("  " + text)
        self.blocks[-1].update(events_of(text))

    def begin_block(self):
        at = f"{8 * len(self.blocks)}(%rdi)"
        self.blocks.append(collections.Counter())
        for text in (f"movq {at}, %r15", "leaq 1(%r15), %r15", f"movq %r15, {at}"):
            self.write(text)

    def jump_if(self, condition, instructions):
        """A jump over that many of the instructions to come."""
        label = f".L{self.index}_{self.labels}"
        self.labels += 1
        self.write(f"j{condition} {label}")
        self.open_labels.append((label, instructions))
        self.begin_block()

    def next_instruction(self):
        """Sets the labels that are due."""
        due = [label for label, left in self.open_labels if left <= 0]
        self.open_labels = [(label, left - 1) for label, left in self.open_labels if left > 0]
        for label in due:
            self.lines.append(label + ":")
            self.begin_block()

    def finish(self):
        while self.open_labels:
            self.next_instruction()

    def assembly(self):
        return f"function_{self.index}:\n{ENTRY}" + "\n".join(self.lines) + "\n" + EXIT


def random_instructions(rng, mode, vectors):
    kind = rng.choices(list(MODES[mode]), MODES[mode].values())[0]
    if kind in SEQUENCES:
        return SEQUENCES[kind](rng)
    form = rng.choice(FORMS_OF_KIND[mode, kind])
    text = filled(form, rng, vectors)
    return [text, FLAGS_AGAIN] if LEAVES_FLAGS_UNDEFINED.match(form.text) else [text]


def random_function(rng, index, mode, length):
    vectors = rng.sample(range(16), rng.choice((2, 3, 4, 6, 16)))  # few: later instructions read what earlier ones wrote
    function = Function(index, f"{index}")
    for _ in range(length):
        function.next_instruction()
        if rng.random() < 0.08 and len(function.blocks) + len(function.open_labels) < MOST_BLOCKS - 2:
            if rng.random() < 0.7:
                function.write(filled(rng.choice(SETS_FLAGS), rng, vectors))
            function.jump_if(rng.choice(CONDITIONS), rng.randrange(1, 8))
        for text in random_instructions(rng, mode, vectors):
            function.write(text)
    function.finish()
    return function


def function_by_hand(index, name, code):
    function = Function(index, f'{index} "{name}"')
    for line in code.split("\n"):
        function.next_instruction()
        if re.fullmatch(r"j\w+", line.strip()):
            function.jump_if(line.strip()[1:], 1)
        elif line.strip():
            function.write(line.strip())
    function.finish()
    return function


def empty_function():
    """Entry and exit only: what all the others count besides."""
    function = Function(0, "empty")
    function.lines.clear()
    function.blocks.clear()
    return function


def functions_of(seed, mode, count, length=40):
    """The functions of one program: the empty one, those written by hand, then random ones."""
    rng = random.Random(f"{seed} {mode}")
    functions = [empty_function()]
    functions += [function_by_hand(k, name, code) for k, (name, code) in enumerate(BY_HAND.items(), 1)]
    return functions + [random_function(rng, len(functions) + k, mode, length) for k in range(count)]


def assembly(functions):
    text = [".text", *(f.assembly() for f in functions), ".section .rodata", "double_precision: .short 0x27f"]
    text += [f'name_{f.index}: .string "{f.index}"' for f in functions]
    text += ['.section .data.rel.ro, "aw"', ".balign 8", ".globl functions, n_functions", "functions:"]
    text += [f"  .quad function_{f.index}, name_{f.index}" for f in functions]
    return "\n".join([*text, f"n_functions: .quad {len(functions)}", '.section .note.GNU-stack, "", @progbits', ""])
