"""The inner loops of ert/peak, ert/bf16dot, ert/int8dot and ert/tiles, as machine code: exactly the arithmetic that the model counts, and nothing that touches memory.
(Above v3 the emulator cannot count; this table stands in its place.)"""

import collections
import os
import re

import pytest

from disassembly import inner_loops, isa_of, objects_of, registers, sweep_of, touches_memory

LOOPS = [(path, precision) for path in objects_of("PLUMBLINE_PEAK_OBJECTS", ("v3", "v4", "v4fp16"))
         for precision in (["fp16"] if isa_of(path) == "v4fp16" else ["fp64", "fp32"])]
DOTS = objects_of("PLUMBLINE_BF16DOT_OBJECTS", ("v4bf16",))
INT8_DOTS = objects_of("PLUMBLINE_INT8DOT_OBJECTS", ("v3vnni", "v4vnni"))
TILES = objects_of("PLUMBLINE_TILES_OBJECTS", ("v4amxbf16", "v4amxint8", "v4amxfp16"))

def short(parameter):
    """A short name: of an object its file's name; of none, where a list is empty, something too."""
    return os.path.basename(str(parameter))


# Vector instructions of one iteration by form: (multiply-adds, additions, multiplications) a chain, and the chains.
WIDE_CHAINS = {"v3": 12, "v4": 24, "v4fp16": 12}
FMAADD_CHAINS = {"v3": 12, "v4": 24, "v4fp16": 24}
SCALAR_CHAINS = 12
WIDE_SCALAR_CHAINS = {"v3": (), "v4": (24,), "v4fp16": (24,)}  # where there are registers for more
DEEP = 3  # iterations a round
SUFFIX = {"fp64": "d", "fp32": "s", "fp16": "h"}


def expected_loops(isa, precision):
    """The multiset of inner loops of one precision: (suffix, multiply-adds, additions, multiplications)."""
    c, both, s = WIDE_CHAINS[isa], FMAADD_CHAINS[isa], SCALAR_CHAINS
    packed, scalar = "p" + SUFFIX[precision], "s" + SUFFIX[precision]
    plain = [
        (packed, 2 * c, 0, 0),  # fma
        (packed, 0, 2 * c, 0),  # add
        (packed, 0, 0, 2 * c),  # mul
        (packed, 0, 2 * c, 2 * c),  # muladd
        (packed, 2 * both, 2 * both, 0),  # fmaadd: 3 steps of 2/3 of them, 4 steps of 1/2
        (scalar, 2 * s, 0, 0),
        (scalar, 0, 2 * s, 0),
    ]
    deep = [(suffix, *(DEEP * count for count in counts)) for suffix, *counts in plain]
    wide = [kinds for chains in WIDE_SCALAR_CHAINS[isa] for kinds in ((scalar, 2 * chains, 0, 0), (scalar, 0, 2 * chains, 0))]
    return collections.Counter(plain + deep + wide + [(packed, 0, c, c)])  # the last: muladd_brief


def arithmetic(loop):
    """Suffix, multiply-adds, additions and multiplications; None where the loop has no floating-point arithmetic."""
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
@pytest.mark.parametrize("path, precision", LOOPS, ids=short)
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
@pytest.mark.parametrize("path", DOTS, ids=short)
def test_the_loop_of_bf16dot_is_dot_products_in_full_registers(path):
    loops = [loop for loop in inner_loops(sweep_of(path, "bf16")) if any(mnemonic == "vdpbf16ps" for _, mnemonic, _ in loop)]
    assert len(loops) == 1
    dots = [operands.split(",") for _, mnemonic, operands in loops[0] if mnemonic == "vdpbf16ps"]
    assert len(dots) == 2 * 24 and len(loops[0]) <= len(dots) + 2
    assert collections.Counter(collections.Counter(into for _, _, into in dots).values()) == {2: 24}  # 24 sums, twice each
    assert registers(loops[0]) == {"zmm"}
    assert not [i for i in loops[0] if touches_memory(i[1], i[2])]


@pytest.mark.skipif(not INT8_DOTS, reason="needs objdump and a compiler that knows AVX512_VNNI or AVX-VNNI")
@pytest.mark.parametrize("path", INT8_DOTS, ids=short)
def test_the_loop_of_int8dot_is_dot_products_in_full_registers(path):
    chains, register = {"v3vnni": (12, "ymm"), "v4vnni": (24, "zmm")}[isa_of(path)]
    loops = [loop for loop in inner_loops(sweep_of(path, "int8")) if any("vpdpbusd" in instruction_of(i) for i in loop)]
    assert len(loops) == 1
    dots = [i[2].split()[-1].split(",") for i in loops[0] if "vpdpbusd" in instruction_of(i)]
    assert len(dots) == 2 * chains and len(loops[0]) <= len(dots) + 2
    assert collections.Counter(collections.Counter(into for _, _, into in dots).values()) == {2: chains}
    assert registers(loops[0]) == {register}
    assert not [i for i in loops[0] if touches_memory(i[1], i[2])]


def instruction_of(instruction):
    """Mnemonic and operands: objdump writes the prefix of `{vex} vpdpbusd` where a mnemonic is."""
    return f"{instruction[1]} {instruction[2]}"


# Which sum, by which tile of the left and of the right (ert/tiles.hpp), as the assembler's operands: right, left, sum.
PRODUCTS = [(0, 4, 6), (1, 4, 7), (2, 5, 6), (3, 5, 7), (0, 5, 7), (1, 5, 6), (2, 4, 7), (3, 4, 6)]
TILE_PRODUCT = {"v4amxbf16": "tdpbf16ps", "v4amxint8": "tdpbssd", "v4amxfp16": "tdpfp16ps"}


@pytest.mark.skipif(not TILES, reason="needs objdump and an assembler that knows AMX")
@pytest.mark.parametrize("path", TILES, ids=short)
class TestTileLoops:

    def test_hold_the_eight_products_and_nothing_else(self, path):
        loop = tile_loop(path)
        products = [operands for _, mnemonic, operands in loop if mnemonic == TILE_PRODUCT[isa_of(path)]]
        turns = len(products) // len(PRODUCTS)  # 2 by g++ 14, which unrolls the loop
        assert turns > 0 and products == turns * [f"%tmm{right},%tmm{left},%tmm{into}" for into, left, right in PRODUCTS]
        assert len(loop) <= len(products) + 2
        assert not [i for i in loop if i[1].startswith("tile") or touches_memory(i[1], i[2])]

    def test_load_the_operands_and_store_the_sums_once_a_block(self, path):
        moved = collections.Counter((i[1], re.search(r"%tmm\d", i[2])[0]) for i in tile_sweep(path) if i[1].startswith("tile") and "tmm" in i[2])
        assert moved == {("tileloadd", f"%tmm{tile}"): 1 for tile in (4, 5, 6, 7)} | {
            (word, f"%tmm{tile}"): 1 for word in ("tilezero", "tilestored") for tile in (0, 1, 2, 3)}

    def test_give_the_tiles_back(self, path):
        words = [mnemonic for _, mnemonic, _ in tile_sweep(path)]
        assert words.count("ldtilecfg") == words.count("tilerelease") == 1
        assert words.index("ldtilecfg") < min(words.index("tileloadd"), words.index("tilestored"))  # blocks may lie in any order behind it


def tile_sweep(path):
    return sweep_of(path, isa_of(path).removeprefix("v4amx"))


def tile_loop(path):
    loops = [loop for loop in inner_loops(tile_sweep(path)) if any(mnemonic.startswith("tdp") for _, mnemonic, _ in loop)]
    assert len(loops) == 1
    return loops[0]


def test_a_spilled_loop_would_be_noticed():
    assert touches_memory("vmovapd", "0x20(%rsp),%ymm3")
    assert not touches_memory("vfmadd213pd", "%ymm1,%ymm2,%ymm3")


def test_a_fused_loop_would_be_noticed():
    fused = [(0, "vfmadd213pd", "%ymm1,%ymm2,%ymm3"), (8, "dec", "%rax"), (16, "jne", "0 <f>")]
    assert arithmetic(fused) == ("pd", 1, 0, 0)
