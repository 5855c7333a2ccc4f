"""The inner loops of ert/compiled, as each compiler made them: vectors of full width or scalars alone, and no pass fused with another.
(The emulator counts up to v3; this holds the machine code of v4 too.)"""

import os
import re

import pytest

from disassembly import disassembled, inner_loops, isa_of, objects_of, stores, touches_memory

OBJECTS = objects_of("PLUMBLINE_COMPILED_OBJECTS", ("v3", "v4"))
FORMS = ["fma", "add", "scalar_fma", "scalar_add"]  # of CompiledForm, in order

needs_objects = pytest.mark.skipif(not OBJECTS, reason="needs objdump and flavors for x86-64-v3 or v4")

ARITHMETIC = re.compile(r"v(fn?m(?:add|sub)\d*|add|sub|mul|div)([ps])([ds])")
WIDEST = {"v3": "ymm", "v4": "zmm"}


def passes(path):
    """The instructions of run_passes<form, k, Real>, by (form, k, precision)."""
    found = {}
    for name, instructions in disassembled(path).items():
        if match := re.match(r"_ZL?10run_passesIL12CompiledForm(\d)ELi(\d+)E([df])E", name):
            found[FORMS[int(match[1])], int(match[2]), "fp64" if match[3] == "d" else "fp32"] = instructions
    return found


def shape(loop):
    """The shape of a loop: arithmetic instructions, those that load, those that store; and ("p" or "s", register kind) of the arithmetic."""
    arithmetic = loads = written = 0
    used = set()
    for _, mnemonic, operands in loop:
        if match := ARITHMETIC.fullmatch(mnemonic):
            arithmetic += 1
            used.update((match[2], name) for name in re.findall(r"%([xyz]mm)\d+", operands))
        if stores(mnemonic, operands):
            written += 1
        elif touches_memory(mnemonic, operands):
            loads += 1
    return arithmetic, loads, written, used


def per_element(form, k):
    return k // 2 if form.endswith("fma") else k


def main_loops(instructions):
    """The inner loops that do arithmetic. (One that ends in an unconditional jump is a block that was moved behind its function.)"""
    loops = [loop for loop in inner_loops(instructions) if loop[-1][1] != "jmp"]
    return [s for s in map(shape, loops) if s[0]]


@needs_objects
@pytest.mark.parametrize("path", OBJECTS, ids=os.path.basename)
class TestCompiledLoops:

    def test_hold_every_form_and_k(self, path):
        expected = {(f, 2**i, p) for f in FORMS for i in range(9) for p in ("fp64", "fp32") if not (f.endswith("fma") and i == 0)}
        assert set(passes(path)) == expected

    def test_load_and_store_each_element_once_for_its_k_flops(self, path):
        for (form, k, precision), instructions in passes(path).items():
            loops = main_loops(instructions)
            assert loops, (form, k, precision)
            for arithmetic, loads, written, _ in loops:
                assert loads == written > 0, (form, k, precision, loads, written)
                assert arithmetic == written * per_element(form, k), (form, k, precision, arithmetic, written)

    def test_use_the_widest_registers_where_the_form_is_of_vectors(self, path):
        for (form, k, precision), instructions in passes(path).items():
            if not form.startswith("scalar"):
                assert any(("p", WIDEST[isa_of(path)]) in used for *_, used in main_loops(instructions)), (form, k, precision)

    def test_have_no_vector_arithmetic_where_the_form_is_scalar(self, path):
        for (form, k, precision), instructions in passes(path).items():
            if form.startswith("scalar"):
                packed = [i for i in instructions if (match := ARITHMETIC.fullmatch(i[1])) and match[2] == "p"]
                assert not packed, (form, k, precision, packed[0])


def test_a_jammed_loop_would_be_noticed():
    once = [(0, "vmovapd", "(%rax),%ymm0"), (1, "vaddpd", "%ymm1,%ymm0,%ymm0"), (2, "vmovapd", "%ymm0,(%rax)")]
    twice = once[:2] + [once[1]] + once[2:]
    assert shape(once)[:3] == (1, 1, 1) and shape(twice)[:3] == (2, 1, 1)


def test_a_load_inside_an_addition_is_a_load():
    assert shape([(0, "vaddsd", "(%rcx,%rax,8),%xmm1,%xmm0")]) == (1, 1, 0, {("s", "xmm")})
