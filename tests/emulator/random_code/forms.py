# SPDX-License-Identifier: BSD-3-Clause
"""The random code is made of these instructions: rows of instructions.txt, each with what it counts there; no second table."""

import collections
import re
import typing

from instruction_table import read_table

# The general registers of the random code, by width; the others hold its addresses.
GENERAL = {64: ("rax", "rcx", "rdx", "rbx", "r8", "r9"), 32: ("eax", "ecx", "edx", "ebx", "r8d", "r9d"),
           16: ("ax", "cx", "dx", "bx", "r8w", "r9w"), 8: ("al", "cl", "dl", "bl", "r8b", "r9b")}
WIDTH = {name: width for width, names in GENERAL.items() for name in names} | {"r15": 64}
CONDITIONS = ("o", "no", "b", "ae", "e", "ne", "be", "a", "s", "ns", "p", "np", "l", "ge", "le", "g")
CONDITIONAL = re.compile(rf"^(j|set|cmov)({'|'.join(sorted(CONDITIONS, key=len, reverse=True))})(?=q? )")
ADDRESS = re.compile(r"[-\w]*\(%\w+(,%\w+,?\d?)*\)")

# Left out, and why: what does not give the same bits natively and under Valgrind itself (--tool=none).
LEFT_OUT = [
    (r"v?r(cp|sqrt)[ps]s ", "approximations, which each processor makes in its own way and Valgrind in another"),
    (r"(cpuid|rdtsc|xgetbv)$", "Valgrind's processor is another one"),
    (r"v?(ld|st)mxcsr ", "Valgrind raises no exception flags and ignores the rounding mode"),
    (r"fx(save|rstor)", "the image holds those flags and the instruction's address"),
    (r"(lahf|pushfq|popfq)$", "the auxiliary carry is undefined after logic; the trap flag must stay off"),
    (r"v?dpp[sd] ", "Valgrind adds the lanes in another order, which shows in the payloads of NaNs"),
    (r"lock cmpxchgl", "where it stores, Valgrind clears the upper half of rax"),
    (r"bs[fr]", "undefined for zero"),
    (r"vmovq %xmm\d+, %xmm", "of some registers the assembler makes an encoding (VEX.D6) that Valgrind 3.19 refuses"),
    (r"cvt\w*pi2p|cvt\w*p[sd]2pi|emms", "switch the x87 registers to MMX: sequences.py has MMX code that switches back"),
]
# Flags that these leave undefined must be set again before anybody reads them.
LEAVES_FLAGS_UNDEFINED = re.compile(r"(sh[lr]|sar|ro[lr]|rc[lr]|i?mul[lq]|bt[src]?[lq]|[lt]zcnt|andn[lq]|bls|bextr|bzhi|lock bt)")


class Form(typing.NamedTuple):
    text: str  # a row's instruction with the table's own registers
    events: dict
    kind: str  # what the weights of a mode name


def shape(text):
    """A shape is the same for all choices of registers, addresses, constants, conditions and labels."""
    text = CONDITIONAL.sub(r"\1CONDITION", re.sub(r"^(j\w+) .*$", r"\1 LABEL", text))
    text = ADDRESS.sub("MEMORY", text)
    text = re.sub(r"\$-?\w+", "CONSTANT", text)
    text = re.sub(r"%([xym]m+)\d+", r"\1", text)
    return re.sub(r"%(\w+)", lambda m: f"GENERAL{WIDTH[m[1]]}" if m[1] in WIDTH else m[0], text)


def kind_of(text, events):
    if any(e.endswith(".fma") for e in events):
        return "fma_scalar" if "fp_scalar" in events else "fma"
    for event, kind in (("fp_scalar", "scalar"), ("fp_instructions", "packed"), ("fp_convert", "convert"), ("fp_round", "convert"),
                        ("int_128", "logic"), ("int_256", "logic"), ("width.scalar", "move"), ("width.128", "move"),
                        ("width.256", "move"), ("int_scalar", "integer")):
        if event in events:
            return kind
    return "other"


def may_be_anywhere(text, setup):
    """Whether a row runs anywhere in a program: it needs no preparation, and its addresses are only the operand that we may choose."""
    if setup or re.search(r"[;:]|^\.byte|%(mm\d|st|fs|r1[01])|[xy]mm(8|9|1\d)", text):  # nor the rows that repeat others
        return False
    fixed_address = ADDRESS.search(text.replace("(%rdi)", "", 1))
    return not fixed_address and not any(re.match(pattern, text) for pattern, _ in LEFT_OUT)


def read_forms():
    """The forms to choose from, and the events of every shape of which all rows count the same."""
    forms, events_of = [], collections.defaultdict(list)
    rows, _ = read_table()
    for text, events, setup in rows:
        if ";" not in text or re.match(r"j\w+ 1f; 1:$", text):
            events_of[shape(text)].append(events)
        if may_be_anywhere(text, setup):
            forms.append(Form(text, events, kind_of(text, events)))
    return forms, {s: found[0] for s, found in events_of.items() if all(e == found[0] for e in found)}


FORMS, EVENTS_OF_SHAPE = read_forms()


def events_of(text):
    return EVENTS_OF_SHAPE[shape(text)]
