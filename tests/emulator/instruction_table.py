# SPDX-License-Identifier: BSD-3-Clause
"""Reads instructions.txt: every instruction form with its registers filled in, and the events that it counts."""

import itertools
import os
import re

TABLE = os.path.join(os.path.dirname(__file__), "instructions.txt")
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
