"""The inner loops of ert/peak and ert/bf16dot, as machine code: exactly the arithmetic that the model counts, and nothing that touches memory.
(Above v3 the emulator cannot count; this table stands in its place.)"""

import collections
import os
import re

import pytest

from disassembly import inner_loops, isa_of, objects_of, registers, sweep_of, touches_memory

LOOPS = [(path, precision) for path in objects_of("PLUMBLINE_PEAK_OBJECTS", ("v3", "v4", "v4fp16"))
         for precision in (["fp16"] if isa_of(path) == "v4fp16" else ["fp64", "fp32"])]
DOTS = objects_of("PLUMBLINE_BF16DOT_OBJECTS", ("v4bf16",))

# Vector instructions of one iteration by form: (multiply-adds, additions, multiplications) a chain, and the chains.
WIDE_CHAINS = {"v3": 12, "v4": 24, "v4fp16": 12}
FMAADD_CHAINS = {"v3": 12, "v4": 24, "v4fp16": 24}
SCALAR_CHAINS = 12
SUFFIX = {"fp64": "d", "fp32": "s", "fp16": "h"}


def expected_loops(isa, precision):
    """The multiset of inner loops of one precision: (suffix, multiply-adds, additions, multiplications)."""
    c, both, s = WIDE_CHAINS[isa], FMAADD_CHAINS[isa], SCALAR_CHAINS
    packed, scalar = "p" + SUFFIX[precision], "s" + SUFFIX[precision]
    return collections.Counter([
        (packed, 2 * c, 0, 0),  # fma
        (packed, 0, 2 * c, 0),  # add
        (packed, 0, 0, 2 * c),  # mul
        (packed, 0, 2 * c, 2 * c),  # muladd
        (packed, 2 * both, 2 * both, 0),  # fmaadd: 3 steps of 2/3 of them, 4 steps of 1/2
        (scalar, 2 * s, 0, 0),
        (scalar, 0, 2 * s, 0),
    ])


def arithmetic(loop):
    """(suffix, multiply-adds, additions, multiplications); None where the loop has no floating-point arithmetic."""
    kinds, suffixes = collections.Counter(), set()
    for _, mnemonic, _ in loop:
        if match := re.fullmatch(r"v(fn?m(?:add|sub)\d*|add|sub|mul)([ps][dsh])", mnemonic):
            kinds["fma" if match[1].startswith("f") else "mul" if match[1] == "mul" else "add"] += 1
            suffixes.add(match[2])
    if not suffixes:
        return None
    assert len(suffixes) == 1, suffixes
    return suffixes.pop(), kinds["fma"], kinds["add"], kinds["mul"]


def loops_of(path, precision):
    return [(arithmetic(loop), loop) for loop in inner_loops(sweep_of(path, precision)) if arithmetic(loop)]


@pytest.mark.skipif(not LOOPS, reason="needs objdump and flavors for x86-64-v3 or v4")
@pytest.mark.parametrize("path, precision", LOOPS, ids=lambda x: os.path.basename(x))
class TestPeakLoops:

    def test_hold_exactly_the_modelled_arithmetic(self, path, precision):
        found = collections.Counter(kinds for kinds, _ in loops_of(path, precision))
        assert found == expected_loops(isa_of(path), precision)

    def test_touch_no_memory(self, path, precision):
        for kinds, loop in loops_of(path, precision):
            assert not [i for i in loop if touches_memory(i[1], i[2])], kinds

    def test_use_the_widest_registers(self, path, precision):
        register = "ymm" if isa_of(path) == "v3" else "zmm"
        for (suffix, *_), loop in loops_of(path, precision):
            assert registers(loop) == {register if suffix.startswith("p") else "xmm"}

    def test_spend_at_most_two_instructions_on_the_loop(self, path, precision):
        for (_, fma, add, mul), loop in loops_of(path, precision):
            assert len(loop) <= fma + add + mul + 2


@pytest.mark.skipif(not DOTS, reason="needs objdump and a compiler that knows AVX512_BF16")
@pytest.mark.parametrize("path", DOTS, ids=os.path.basename)
def test_the_loop_of_bf16dot_is_dot_products_in_full_registers(path):
    loops = [loop for loop in inner_loops(sweep_of(path, "bf16")) if any(mnemonic == "vdpbf16ps" for _, mnemonic, _ in loop)]
    assert len(loops) == 1
    dots = [operands.split(",") for _, mnemonic, operands in loops[0] if mnemonic == "vdpbf16ps"]
    assert len(dots) == 2 * 24 and len(loops[0]) <= len(dots) + 2
    assert collections.Counter(collections.Counter(into for _, _, into in dots).values()) == {2: 24}  # 24 sums, twice each
    assert registers(loops[0]) == {"zmm"}
    assert not [i for i in loops[0] if touches_memory(i[1], i[2])]


def test_a_spilled_loop_would_be_noticed():
    assert touches_memory("vmovapd", "0x20(%rsp),%ymm3")
    assert not touches_memory("vfmadd213pd", "%ymm1,%ymm2,%ymm3")


def test_a_fused_loop_would_be_noticed():
    fused = [(0, "vfmadd213pd", "%ymm1,%ymm2,%ymm3"), (8, "dec", "%rax"), (16, "jne", "0 <f>")]
    assert arithmetic(fused) == ("pd", 1, 0, 0)
