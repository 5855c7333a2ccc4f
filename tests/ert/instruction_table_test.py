"""The inner loops of ert/peak, as machine code: exactly the arithmetic that the model counts, and nothing that touches memory.
(Above v3 the emulator cannot count; this table stands in its place.)"""

import collections
import os
import re

import pytest

from disassembly import inner_loops, isa_of, objects_of, registers, sweep_of, touches_memory

OBJECTS = objects_of("PLUMBLINE_PEAK_OBJECTS", ("v3", "v4"))

needs_objects = pytest.mark.skipif(not OBJECTS, reason="needs objdump and flavors for x86-64-v3 or v4")

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


def loops_of(path, precision):
    return [(arithmetic(loop), loop) for loop in inner_loops(sweep_of(path, precision)) if arithmetic(loop)]


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
            assert registers(loop) == {register if suffix.startswith("p") else "xmm"}

    def test_spend_at_most_two_instructions_on_the_loop(self, path, precision):
        for (_, fma, add, mul), loop in loops_of(path, precision):
            assert len(loop) <= fma + add + mul + 2


def test_a_spilled_loop_would_be_noticed():
    assert touches_memory("vmovapd", "0x20(%rsp),%ymm3")
    assert not touches_memory("vfmadd213pd", "%ymm1,%ymm2,%ymm3")


def test_a_fused_loop_would_be_noticed():
    fused = [(0, "vfmadd213pd", "%ymm1,%ymm2,%ymm3"), (8, "dec", "%rax"), (16, "jne", "0 <f>")]
    assert arithmetic(fused) == ("pd", 1, 0, 0)
