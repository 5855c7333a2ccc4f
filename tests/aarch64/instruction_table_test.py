"""The inner loops of ert/peak and ert/stream on 64-bit Arm, as machine code: exactly the arithmetic and the accesses that the models count,
in NEON's registers (v) or SVE's (z). No emulator of ours counts there; this table stands in its place."""

import collections
import os
import re

import pytest

from disassembly import inner_loops, isa_of, objects_of, sweep_of

VECTOR_BYTES = {"neon": 16, "sve128": 16, "sve256": 32, "sve512": 64}
ISAS = tuple(VECTOR_BYTES)
PEAKS = objects_of("PLUMBLINE_PEAK_OBJECTS", ISAS)
STREAMS = objects_of("PLUMBLINE_STREAM_OBJECTS", ISAS)
DOTS = objects_of("PLUMBLINE_BF16DOT_OBJECTS", [isa + "bf16" for isa in ISAS])
PRECISIONS = ["fp64", "fp32"]

WIDE_CHAINS = 24
SCALAR_CHAINS, WIDE_SCALAR_CHAINS = 12, 24
DEEP = 3  # iterations a round
FORMS = {8: 4, 16: 1}  # of ert/stream's loops: vectors that a step takes, and how many forms take so many
PAGES = 4 * 128  # bytes that a step of one more form takes, which loads alone do not have

ARITHMETIC = re.compile(r"(fn?m(?:add|sub|la|ls|ad|sb)|fadd|fsub|fsubr|fmul)")
KINDS = {"fadd": "add", "fsub": "add", "fsubr": "add", "fmul": "mul"}
ACCESS = re.compile(r"(ld|st)(nt1[dw]|1[dw]|np|p|ur|r)")


def lanes(isa, precision):
    """The way in which operands of vectors name register and lanes: z0.d; v0.2d."""
    letter = "d" if precision == "fp64" else "s"
    return f"z.{letter}" if isa.startswith("sve") else f"v.{16 // (8 if letter == 'd' else 4)}{letter}"


def kinds_of_registers(operands):
    """The kinds of the registers without numbers, and without what governs (p0/m): z.d, v.2d, d, q."""
    return {re.sub(r"\d+(?=\.|$)", "", name, count=1) for name in re.findall(r"\b[zvdsqx]\d+(?:\.\d*[a-z])?", operands)}


def arithmetic(loop):
    """Registers, multiply-adds, additions and multiplications; None where the loop has no floating-point arithmetic."""
    count, registers = collections.Counter(), set()
    for _, mnemonic, operands in loop:
        if match := ARITHMETIC.fullmatch(mnemonic):
            count[KINDS.get(match[1], "fma")] += 1
            registers |= kinds_of_registers(operands)
    return (tuple(sorted(registers)), count["fma"], count["add"], count["mul"]) if count else None


def expected_arithmetic(isa, precision):
    vector, scalar = (lanes(isa, precision),), ("d" if precision == "fp64" else "s",)
    c, s, wide = WIDE_CHAINS, SCALAR_CHAINS, WIDE_SCALAR_CHAINS
    plain = [
        (vector, 2 * c, 0, 0),  # fma
        (vector, 0, 2 * c, 0),  # add
        (vector, 0, 0, 2 * c),  # mul
        (vector, 0, 2 * c, 2 * c),  # muladd
        (vector, 2 * c, 2 * c, 0),  # fmaadd: 3 steps of 2/3 c chains, 4 steps of 1/2 c
        (scalar, 2 * s, 0, 0),
        (scalar, 0, 2 * s, 0),
    ]
    deep = [(registers, *(DEEP * count for count in counts)) for registers, *counts in plain]
    return collections.Counter(plain + deep + [(vector, 0, c, c), (scalar, 2 * wide, 0, 0), (scalar, 0, 2 * wide, 0)])  # brief, wide


@pytest.mark.skipif(not PEAKS, reason="needs objdump and flavors for 64-bit Arm")
@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("path", PEAKS, ids=os.path.basename)
class TestPeakLoops:

    def loops(self, path, precision):
        return [(kinds, loop) for loop in inner_loops(sweep_of(path, precision)) if (kinds := arithmetic(loop))]

    def test_hold_exactly_the_modelled_arithmetic_in_full_vectors(self, path, precision):
        assert collections.Counter(kinds for kinds, _ in self.loops(path, precision)) == expected_arithmetic(isa_of(path), precision)

    def test_hold_nothing_else_but_two_instructions_of_the_loop(self, path, precision):
        for (_, fma, add, mul), loop in self.loops(path, precision):
            rest = [mnemonic for _, mnemonic, _ in loop if not ARITHMETIC.fullmatch(mnemonic)]
            # So no access to memory, and no copy of a register that an FMA would overwrite. In long rounds of scalars g++ lets some chains change
            # their registers and copies them back at the end: a twentieth of the round at most, which the contest of the forms weighs.
            copies = [mnemonic for mnemonic in rest if mnemonic == "fmov"]
            assert len(rest) - len(copies) <= 2
            assert len(copies) <= ((fma + add + mul) // 20 if fma + add + mul == DEEP * 2 * SCALAR_CHAINS else 0)


@pytest.mark.skipif(not DOTS, reason="needs objdump and flavors with bf16 dot products")
@pytest.mark.parametrize("path", DOTS, ids=os.path.basename)
def test_dot_products_fill_their_loop(path):
    loops = [loop for loop in inner_loops(sweep_of(path, "bf16")) if any(mnemonic == "bfdot" for _, mnemonic, _ in loop)]
    assert len(loops) == 1
    dots = [kinds_of_registers(operands) for _, mnemonic, operands in loops[0] if mnemonic == "bfdot"]
    assert dots == [{"v.4s", "v.8h"} if "neon" in isa_of(path) else {"z.s", "z.h"}] * (2 * WIDE_CHAINS)
    assert len(loops[0]) <= len(dots) + 2


# What a pattern does with each vector: loads, stores, non-temporal stores, additions, multiply-adds.
Vector = collections.namedtuple("Vector", "loads stores non_temporal add fma")
PATTERNS = {
    Vector(1, 0, 0, 0, 0),  # load
    Vector(0, 1, 0, 0, 0),  # store
    Vector(1, 1, 0, 0, 0),  # copy
    Vector(1, 1, 0, 1, 0),  # update
    Vector(2, 1, 0, 0, 1),  # triad
    Vector(2, 1, 0, 1, 0),  # loads2store1
    Vector(0, 0, 1, 0, 0),  # store_nt
    Vector(1, 0, 1, 0, 0),  # copy_nt
    Vector(2, 0, 1, 0, 1),  # triad_nt
}


def per_vector(loop):
    """The accesses of an unrolled loop of vectors to each, how many these are, and the registers that accesses name; None for any other loop."""
    count, registers = collections.Counter(), set()
    for _, mnemonic, operands in loop:
        if match := ARITHMETIC.fullmatch(mnemonic):
            count[KINDS.get(match[1], "fma")] += 1
        elif match := ACCESS.fullmatch(mnemonic):
            what = "loads" if match[1] == "ld" else "non_temporal" if match[2].startswith("n") else "stores"
            count[what] += 2 if match[2] == "p" else 1  # stnp: the two halves of one vector
            registers |= kinds_of_registers(operands.split("[")[0])
    vectors = min(count.values(), default=0)  # every pattern does something once with each
    if vectors < min(FORMS) or registers <= {"d", "x"} and not count["non_temporal"]:  # no vectors: what sums up the lanes of one
        return None
    assert all(n % vectors == 0 for n in count.values()), count
    return Vector(*(count[field] // vectors for field in Vector._fields)), vectors, registers


def expected_loops(isa):
    loops = collections.Counter()
    for vector in PATTERNS:
        for vectors, forms in FORMS.items():
            loops[vector, vectors] += forms
        if vector != Vector(1, 0, 0, 0, 0):
            loops[vector, PAGES // VECTOR_BYTES[isa]] += 1
    return loops


@pytest.mark.skipif(not STREAMS, reason="needs objdump and flavors for 64-bit Arm")
@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("path", STREAMS, ids=os.path.basename)
class TestStreamLoops:

    def loops(self, path, precision):
        return [found for loop in inner_loops(sweep_of(path, precision)) if (found := per_vector(loop))]

    def test_access_exactly_what_each_pattern_does(self, path, precision):
        assert collections.Counter((vector, vectors) for vector, vectors, _ in self.loops(path, precision)) == expected_loops(isa_of(path))

    def test_access_full_vectors(self, path, precision):
        for vector, _, registers in self.loops(path, precision):
            if isa_of(path) == "neon":
                assert registers == {"d"} if vector == (0, 0, 1, 0, 0) else registers <= {"q", "d"} and "q" in registers, vector
            else:
                assert registers <= {"z.d", "z.s"}, vector


def test_a_copied_register_would_be_noticed():
    loop = [(0, "mov", "v1.16b, v2.16b"), (4, "fmla", "v1.2d, v3.2d, v4.2d"), (8, "subs", "x0, x0, #0x1"), (12, "b.ne", "0 <f>")]
    kinds = arithmetic(loop)
    assert kinds == (("v.2d",), 1, 0, 0)
    assert len(loop) > sum(kinds[1:]) + 2


def test_halves_of_a_wider_vector_would_be_noticed():
    assert kinds_of_registers("z0.d, p0/m, z1.d, z2.d") == {"z.d"}
    assert kinds_of_registers("v0.2d, v1.2d, v2.2d") == {"v.2d"}
    assert lanes("sve256", "fp64") != lanes("neon", "fp64")
