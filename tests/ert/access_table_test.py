"""The inner loops of ert/stream and ert/chase, as machine code: every load and store that the model counts, and no other access, in each
form of a loop."""

import collections
import os
import re

import pytest

from disassembly import inner_loops, isa_of, objects_of, registers, stores, sweep_of, touches_memory

STREAMS = objects_of("PLUMBLINE_STREAM_OBJECTS", ("v2", "v3", "v4"))
CHASES = objects_of("PLUMBLINE_CHASE_OBJECTS", ("v2", "v3", "v4"))
NO_OBJECTS = "needs objdump and flavors for x86-64"
WIDEST = {"v2": "xmm", "v3": "ymm", "v4": "zmm"}

# What a pattern does with each vector: loads, stores, non-temporal stores, additions, multiplications, multiply-adds.
Vector = collections.namedtuple("Vector", "loads stores non_temporal add mul fma")


def expected_vectors(isa):
    add, mul, fma = (1, 1, 0) if isa == "v2" else (0, 0, 1)  # b + s c
    return {
        Vector(1, 0, 0, 0, 0, 0),  # load
        Vector(0, 1, 0, 0, 0, 0),  # store
        Vector(1, 1, 0, 0, 0, 0),  # copy
        Vector(1, 1, 0, 1, 0, 0),  # update
        Vector(2, 1, 0, add, mul, fma),  # triad
        Vector(2, 1, 0, 1, 0, 0),  # loads2store1
        Vector(0, 0, 1, 0, 0, 0),  # store_nt
        Vector(1, 0, 1, 0, 0, 0),  # copy_nt
        Vector(2, 0, 1, add, mul, fma),  # triad_nt
    }


def per_vector(loop, suffix):
    """The accesses of an unrolled loop of vectors to each; None for a loop of single elements."""
    count = collections.Counter()
    for _, mnemonic, operands in loop:
        if arithmetic := re.fullmatch(r"v?(fn?m(?:add|sub)\d*|add|sub|mul)" + suffix, mnemonic):
            count["fma" if arithmetic[1].startswith("f") else "mul" if arithmetic[1] == "mul" else "add"] += 1
        if re.match(r"v?movnt", mnemonic):
            count["non_temporal"] += 1
        elif touches_memory(mnemonic, operands) and not mnemonic.startswith("prefetch"):
            count["stores" if stores(mnemonic, operands) else "loads"] += 1
    vectors = max(count["stores"] + count["non_temporal"], count["loads"] if not count["stores"] + count["non_temporal"] else 0)
    if vectors < 8:
        return None
    assert all(n % vectors == 0 for n in count.values()), count
    return Vector(*(count[field] // vectors for field in Vector._fields))


def pages_of(loop):
    """Pages that the loop's accesses are apart in."""
    displacements = [re.match(r"(?:%\w+,)?(-?0x[0-9a-f]+)?\(", operands) for _, mnemonic, operands in loop if touches_memory(mnemonic, operands)]
    return {int(found[1] or "0", 16) // 4096 for found in displacements if found}


def form_of(loop, vectors):
    """The form of ert/stream that a loop of so many vectors a step is, as far as its instructions tell."""
    mnemonics = [mnemonic for _, mnemonic, _ in loop]
    accesses = [operands for _, mnemonic, operands in loop if touches_memory(mnemonic, operands)]
    if any(mnemonic.startswith("prefetch") for mnemonic in mnemonics):
        return "ahead"
    if len(pages_of(loop)) >= 4:
        return "paged"
    if any(re.fullmatch(r"v?paddq", mnemonic) for mnemonic in mnemonics):
        return "adding"
    if all(re.search(r"\(%\w+,%\w+", operands) for operands in accesses):
        return "indexed"
    if not any(re.search(r"\(%\w+,%\w+", operands) for operands in accesses):
        return "deep" if vectors == 16 else "bumped"
    return "other"


def vectors_of(loop):
    accesses = [(m, o) for _, m, o in loop if touches_memory(m, o) and not m.startswith("prefetch")]
    stored = sum(stores(m, o) or m.lstrip("v").startswith("movnt") for m, o in accesses)
    return stored or len(accesses)


@pytest.mark.skipif(not STREAMS, reason=NO_OBJECTS)
@pytest.mark.parametrize("precision", ["fp64", "fp32"])
@pytest.mark.parametrize("path", STREAMS, ids=os.path.basename)
class TestStreamLoops:

    def loops(self, path, precision):
        suffix = "p" + precision.replace("fp64", "d").replace("fp32", "s")
        return [(vector, loop) for loop in inner_loops(sweep_of(path, precision)) if (vector := per_vector(loop, suffix))]

    def test_access_exactly_what_each_pattern_does(self, path, precision):
        # a compiler may make a loop twice, for many passes of it and for few
        assert {vector for vector, _ in self.loops(path, precision)} == expected_vectors(isa_of(path))

    def test_use_the_widest_registers(self, path, precision):
        for vector, loop in self.loops(path, precision):
            assert registers(loop) == {WIDEST[isa_of(path)]}, vector

    def test_have_every_form_of_each_pattern(self, path, precision):
        forms = {}
        for vector, loop in self.loops(path, precision):
            forms.setdefault(vector, set()).add(form_of(loop, vectors_of(loop)))
        for vector, found in forms.items():
            wanted = {"indexed", "bumped", "deep", "ahead"}
            if vector == Vector(1, 1, 0, 1, 0, 0):
                wanted.remove("indexed")  # an update's only array: gcc makes a pointer of it
            if vector == Vector(0, 0, 1, 0, 0, 0):
                wanted.remove("ahead")  # there is nothing to ask for
            assert wanted <= found, (vector, found)
            if vector.stores + vector.non_temporal:
                assert "paged" in found, (vector, found)
            elif not vector.stores:
                assert "adding" in found, found

    def test_loads_that_do_not_add_leave_nothing_but_registers(self, path, precision):
        # what is loaded into a register stays there until the next step: every register once
        for vector, loop in self.loops(path, precision):
            if vector != Vector(1, 0, 0, 0, 0, 0) or form_of(loop, vectors_of(loop)) == "adding":
                continue
            targets = [re.search(r"%([xyz]mm\d+)$", operands)[1] for _, mnemonic, operands in loop
                       if touches_memory(mnemonic, operands) and not mnemonic.startswith("prefetch")]
            assert len(targets) in (8, 16) and len(set(targets)) == len(targets), targets

    def test_move_and_fill_by_string_instructions_too(self, path, precision):
        whole = [(mnemonic, operands) for _, mnemonic, operands in sweep_of(path, precision)]
        for name in (r"movsb\b", r"stos\s+%al"):
            assert any(mnemonic == "rep" and re.match(name, operands) for mnemonic, operands in whole), name


@pytest.mark.skipif(not CHASES, reason=NO_OBJECTS)
@pytest.mark.parametrize("path", CHASES, ids=os.path.basename)
def test_a_chase_is_loads_from_where_the_load_before_led(path):
    chases = 0
    for loop in inner_loops(sweep_of(path, "fp64")):
        hops = [re.fullmatch(r"\((%\w+)\),(%\w+)", operands) for _, mnemonic, operands in loop if mnemonic == "mov" and "(" in operands]
        if len(hops) < 8:
            continue
        assert len(hops) % 8 == 0 and None not in hops
        for before, hop in zip([hops[-1]] + hops, hops):
            assert hop[1] == before[2]
        assert len(loop) <= len(hops) + 3, loop  # the count of steps
        chases += 1
    assert chases != 0


def test_an_elided_store_would_be_noticed():
    copied = [(8 * i, "vmovups", "(%rax),%zmm0" if i % 2 == 0 else "%zmm0,(%rdx)") for i in range(16)]
    assert per_vector(copied, "pd") == Vector(1, 1, 0, 0, 0, 0)
    with pytest.raises(AssertionError):
        per_vector(copied + [(128, "vmovups", "0x40(%rax),%zmm0")], "pd")


def test_a_cached_store_in_place_of_a_non_temporal_one_would_be_noticed():
    assert per_vector([(8 * i, "vmovntps", "%ymm0,(%rdx)") for i in range(8)], "pd") == Vector(0, 0, 1, 0, 0, 0)
    assert per_vector([(8 * i, "vmovups", "%ymm0,(%rdx)") for i in range(8)], "pd") == Vector(0, 1, 0, 0, 0, 0)
