"""A disassembly tells what compilers made of a loop: functions, their innermost loops and the instructions in them, by objdump (AT&T
syntax, or 64-bit Arm's)."""

import os
import re
import subprocess

OBJDUMP = os.environ.get("PLUMBLINE_OBJDUMP", "")


def objects_of(variable, isas):
    """The flavored objects that an environment variable lists, of these ISAs; none without objdump."""
    paths = os.environ.get(variable, "").split(":") if os.path.exists(OBJDUMP) else []
    return [path for path in paths if isa_of(path) in isas]


def isa_of(path):
    name = re.search(r"-([a-z0-9]+)\.o$", path)
    return name and name[1]


def disassembled(path):
    """The instructions (address, mnemonic, operands) by function."""
    text = subprocess.run([OBJDUMP, "-d", "--no-show-raw-insn", path], check=True, capture_output=True, text=True).stdout
    functions, current = {}, None
    for line in text.splitlines():
        if head := re.match(r"[0-9a-f]+ <(.+)>:", line):
            current = functions.setdefault(head[1], [])
        elif instruction := re.match(r"\s*([0-9a-f]+):\s+(\S+)\s*(.*)", line):
            current.append((int(instruction[1], 16), instruction[2], instruction[3]))
    return functions


JUMP = re.compile(r"j\w+|b(\.\w+)?|cbn?z|tbn?z")


def sweep_of(path, precision):
    """The instructions of the entry point of that precision."""
    functions = disassembled(path)
    return functions[next(f for f in functions if f.endswith("_" + precision))]


def inner_loops(instructions):
    """Bodies of backward jumps that contain no other backward jump's body."""
    index = {address: i for i, (address, _, _) in enumerate(instructions)}
    spans = []
    for i, (address, mnemonic, operands) in enumerate(instructions):
        target = re.search(r"\b([0-9a-f]+) <", operands) if JUMP.fullmatch(mnemonic) else None
        if target and int(target[1], 16) <= address and int(target[1], 16) in index:
            spans.append((index[int(target[1], 16)], i))
    inner = [s for s in spans if not any(t != s and s[0] <= t[0] and t[1] <= s[1] for t in spans)]
    return [instructions[a:b + 1] for a, b in inner]


def touches_memory(mnemonic, operands):
    return "(" in operands and not mnemonic.startswith("nop") and mnemonic != "lea"


def stores(mnemonic, operands):
    """Moves to memory; everything else that names memory loads."""
    return touches_memory(mnemonic, operands) and operands.endswith(")") and re.match(r"v?mov", mnemonic) is not None


def registers(loop):
    """The kinds of vector registers that are named: xmm, ymm, zmm."""
    return set(re.findall(r"%([xyz]mm)\d+", " ".join(operands for _, _, operands in loop)))
