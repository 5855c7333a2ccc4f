"""The inner loops of ert/peak, as machine code: exactly the arithmetic that the model counts, and nothing that touches memory.
(Above v3 the emulator cannot count; this table stands in its place.)"""

import collections
import os
import re
import subprocess

import pytest

OBJDUMP = os.environ.get("PLUMBLINE_OBJDUMP", "")
OBJECTS = [path for path in os.environ.get("PLUMBLINE_PEAK_OBJECTS", "").split(":") if re.search(r"-v[34]\.o$", path)]

needs_objects = pytest.mark.skipif(not OBJECTS or not os.path.exists(OBJDUMP), reason="needs objdump and flavors for x86-64-v3 or v4")

# Vector instructions of one iteration by form: (multiply-adds, additions, multiplications) a chain, and the chains.
WIDE_CHAINS = {"v3": 12, "v4": 24}
SCALAR_CHAINS = 12


def expected_loops(isa, precision):
    """The multiset of inner loops of one precision: (suffix, multiply-adds, additions, multiplications)."""
    c, s = WIDE_CHAINS[isa], SCALAR_CHAINS
    packed, scalar = ("pd", "sd") if precision == "fp64" else ("ps", "ss")
    return collections.Counter([
        (packed, 2 * c, 0, 0),  # fma
        (packed, 0, 2 * c, 0),  # add
        (packed, 0, 0, 2 * c),  # mul
        (packed, 0, 2 * c, 2 * c),  # muladd
        (packed, 2 * c, 2 * c, 0),  # fmaadd: 3 steps of 2/3 c chains, 4 steps of 1/2 c
        (scalar, 2 * s, 0, 0),
        (scalar, 0, 2 * s, 0),
    ])


def disassembled(path):
    """{function: [(address, mnemonic, operands)]}"""
    text = subprocess.run([OBJDUMP, "-d", "--no-show-raw-insn", path], check=True, capture_output=True, text=True).stdout
    functions, current = {}, None
    for line in text.splitlines():
        if head := re.match(r"[0-9a-f]+ <(.+)>:", line):
            current = functions.setdefault(head[1], [])
        elif instruction := re.match(r"\s*([0-9a-f]+):\s+(\S+)\s*(.*)", line):
            current.append((int(instruction[1], 16), instruction[2], instruction[3]))
    return functions


def inner_loops(instructions):
    """Bodies of backward jumps that contain no other backward jump's body."""
    index = {address: i for i, (address, _, _) in enumerate(instructions)}
    spans = []
    for i, (address, mnemonic, operands) in enumerate(instructions):
        target = re.match(r"([0-9a-f]+)", operands) if mnemonic.startswith("j") else None
        if target and int(target[1], 16) <= address and int(target[1], 16) in index:
            spans.append((index[int(target[1], 16)], i))
    inner = [s for s in spans if not any(t != s and s[0] <= t[0] and t[1] <= s[1] for t in spans)]
    return [instructions[a:b + 1] for a, b in inner]


def arithmetic(loop):
    """(suffix, multiply-adds, additions, multiplications); None where the loop has no floating-point arithmetic."""
    kinds, suffixes = collections.Counter(), set()
    for _, mnemonic, _ in loop:
        if match := re.fullmatch(r"v(fn?m(?:add|sub)\d*|add|sub|mul)([ps][ds])", mnemonic):
            kinds["fma" if match[1].startswith("f") else "mul" if match[1] == "mul" else "add"] += 1
            suffixes.add(match[2])
    if not suffixes:
        return None
    assert len(suffixes) == 1, suffixes
    return suffixes.pop(), kinds["fma"], kinds["add"], kinds["mul"]


def touches_memory(mnemonic, operands):
    return "(" in operands and not mnemonic.startswith("nop") and mnemonic != "lea"


def loops_of(path, precision):
    functions = disassembled(path)
    name = next(f for f in functions if f.endswith("_" + precision))
    return [(arithmetic(loop), loop) for loop in inner_loops(functions[name]) if arithmetic(loop)]


def isa_of(path):
    return re.search(r"-(v[34])\.o$", path)[1]


@needs_objects
@pytest.mark.parametrize("precision", ["fp64", "fp32"])
@pytest.mark.parametrize("path", OBJECTS, ids=os.path.basename)
class TestPeakLoops:

    def test_hold_exactly_the_modelled_arithmetic(self, path, precision):
        found = collections.Counter(kinds for kinds, _ in loops_of(path, precision))
        assert found == expected_loops(isa_of(path), precision)

    def test_touch_no_memory(self, path, precision):
        for kinds, loop in loops_of(path, precision):
            assert not [i for i in loop if touches_memory(i[1], i[2])], kinds

    def test_use_the_widest_registers(self, path, precision):
        register = {"v3": "ymm", "v4": "zmm"}[isa_of(path)]
        for (suffix, *_), loop in loops_of(path, precision):
            used = set(re.findall(r"%([xyz]mm)\d+", " ".join(operands for _, _, operands in loop)))
            assert used == {register if suffix.startswith("p") else "xmm"}

    def test_spend_at_most_two_instructions_on_the_loop(self, path, precision):
        for (_, fma, add, mul), loop in loops_of(path, precision):
            assert len(loop) <= fma + add + mul + 2


def test_a_spilled_loop_would_be_noticed():
    assert touches_memory("vmovapd", "0x20(%rsp),%ymm3")
    assert not touches_memory("vfmadd213pd", "%ymm1,%ymm2,%ymm3")


def test_a_fused_loop_would_be_noticed():
    fused = [(0, "vfmadd213pd", "%ymm1,%ymm2,%ymm3"), (8, "dec", "%rax"), (16, "jne", "0 <f>")]
    assert arithmetic(fused) == ("pd", 1, 0, 0)
