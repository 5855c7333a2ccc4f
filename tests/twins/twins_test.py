"""plumbline_twins, the program that writes the counted twins of flavored objects: what it says that each instruction loads and stores, held
against objdump and against the table of instructions that the emulator is proved by."""

import os
import subprocess
import sys

import pytest

sys.path.append(os.path.join(os.path.dirname(__file__), "../emulator"))

import assembly  # noqa: E402
import instruction_table  # noqa: E402
from assembly import Access  # noqa: E402

OBJECTS = [path for path in os.environ.get("PLUMBLINE_COUNTED_OBJECTS", "").split(":") if path]
RETURN = Access(8, 0, 0)

needs_objdump = pytest.mark.skipif(not os.path.exists(assembly.OBJDUMP), reason="needs objdump")

# Above x86-64-v3, where the emulator's table ends.
BEYOND_V3 = """vmovupd (%rdi), %zmm1
vmovupd %zmm1, 64(%rdi)
vmovdqu16 (%rdi), %zmm1
vmovdqa64 %zmm1, (%rdi)
vmovntps %zmm1, (%rdi)
vaddpd (%rdi), %zmm1, %zmm2
vaddpd (%rdi){1to8}, %zmm1, %zmm2
vaddps (%rdi){1to16}, %zmm1, %zmm2
vaddps (%rdi){1to4}, %xmm1, %xmm2
vfmadd231pd (%rdi){1to8}, %zmm1, %zmm2
vfmadd213sd (%rdi), %xmm1, %xmm2
vfnmadd231ps (%rdi), %zmm1, %zmm2
vpaddq (%rdi), %zmm1, %zmm2
vpminsd (%rdi), %zmm1, %zmm2
vpermt2pd (%rdi), %zmm1, %zmm2
vpternlogd $1, (%rdi), %zmm1, %zmm2
vbroadcastsd (%rdi), %zmm1
vbroadcastf64x4 (%rdi), %zmm1
vbroadcastf32x4 (%rdi), %zmm1
vpbroadcastw (%rdi), %zmm1
vinsertf64x4 $1, (%rdi), %zmm1, %zmm2
vextractf64x4 $1, %zmm1, (%rdi)
vextractf32x4 $1, %zmm1, (%rdi)
vpmovzxdq (%rdi), %zmm1
vpmovzxwd (%rdi), %zmm1
vpsllq (%rdi), %zmm1, %zmm2
vpsllq $3, (%rdi), %zmm1
vpsllvq (%rdi), %zmm1, %zmm2
vcvtps2pd (%rdi), %zmm1
vcvtpd2ps (%rdi), %ymm1
vcvtdq2pd (%rdi), %zmm1
vcmpltpd (%rdi), %zmm1, %k1
vmovddup (%rdi), %zmm1
vaddph (%rdi), %zmm1, %zmm2
vdpbf16ps (%rdi), %zmm1, %zmm2
vmovsh (%rdi), %xmm1
vmovw (%rdi), %xmm1
kmovw (%rdi), %k1
kmovq %k1, (%rdi)""".splitlines()

# Text that does not tell the bytes: said, not guessed.
UNTOLD = """vmovupd (%rdi), %zmm1{%k1}{z}
vmovupd %zmm1, (%rdi){%k1}
vmaskmovpd (%rdi), %ymm1, %ymm2
vpgatherqq (%rdi,%zmm4), %zmm5{%k1}
rep stosq
rep movsb
fldl (%rdi)
xsave (%rdi)
call elsewhere
call *%rax""".splitlines()


def program_of(instructions):
    """Each in a block of its own, which a return ends."""
    return "\t.text\n" + "".join(f"f{i}:\n\t{text}\n\tret\n" for i, text in enumerate(instructions))


def differing(instructions, wanted, folder):
    found = assembly.twin_of(program_of(instructions), folder)
    assert len(found) == len(instructions)
    return [(text, access, why, right) for text, (access, why), right in zip(instructions, found, wanted) if why or access != right]


def test_every_form_that_the_emulator_is_proved_by_moves_what_its_table_says(tmp_path):
    def wanted(events):
        return assembly.plus(RETURN, [events.get("bytes.reg-L1." + flow, 0) for flow in ("load", "store", "nt_store")])

    rows = [(text, wanted(events)) for text, events, _ in instruction_table.read_table()[0]
            if not any(word in text for word in (";", "f:", "1f", "call", "ret", "jmp")) and (events.keys() & {"loads", "stores"})]
    assert len(rows) > 1000
    found = assembly.twin_of(program_of([text for text, _ in rows]), tmp_path)
    told = [(text, access, right) for (text, right), (access, why) in zip(rows, found) if not why]
    assert [row for row in told if row[1] != row[2]] == []
    assert len(told) > len(rows) / 2  # of what compilers make of loops all is told: the objects below


@needs_objdump
@pytest.mark.skipif(not assembly.COMPILER, reason="needs a compiler that assembles")
def test_forms_above_v3_move_what_objdump_says(tmp_path):
    source, target = tmp_path / "forms.s", tmp_path / "forms.o"
    source.write_text(program_of(BEYOND_V3))
    if subprocess.run([assembly.COMPILER, "-c", source, "-o", target], capture_output=True, check=False).returncode:
        pytest.skip("this assembler does not know AVX-512 FP16 and BF16")
    sizes = [assembly.access_of(*i[:2]) for i in assembly.disassembled(target) if i[0] not in ("ret",) and not assembly.is_padding(*i[:2])]
    assert len(sizes) == len(BEYOND_V3)
    assert differing(BEYOND_V3, [assembly.plus(RETURN, size) for size in sizes], tmp_path) == []


def test_what_the_text_does_not_tell_is_unknown(tmp_path):
    found = assembly.twin_of(program_of(UNTOLD), tmp_path)
    assert [text for text, (_, why) in zip(UNTOLD, found) if not why] == []


def test_a_gather_under_a_full_mask_is_known_and_uses_it_up(tmp_path):
    gather = "vpgatherqq (%rdi,%zmm4), %zmm5{%k1}"
    full, spent, other = assembly.twin_of(program_of([f"kxnorw %k0, %k0, %k1\n\t{gather}", f"kxnorw %k0, %k0, %k1\n\t{gather}\n\t{gather}",
                                                      f"kxnorw %k0, %k2, %k1\n\t{gather}"]), tmp_path)
    assert full == (Access(8 + 64, 0, 0), "")
    assert spent[1] and other[1]


BROADCAST = "vbroadcastss 56(%r9), %zmm0 {%k1}"


@pytest.mark.parametrize("before", ["movw $-21846, %ax\n\tkmovd %eax, %k1", "movb $-86, %r10b\n\tkmovd %r10d, %k1", "movl $1, %esi\n\tkmovw %esi, %k1",
                                    "kxnorw %k0, %k0, %k1"])
def test_an_element_that_goes_to_one_lane_at_least_is_loaded(before, tmp_path):
    assert assembly.twin_of(program_of([f"{before}\n\t{BROADCAST}"]), tmp_path) == [(Access(8 + 4, 0, 0), "")]


@pytest.mark.parametrize("before", ["kmovd %eax, %k1", "xorl %eax, %eax\n\tkmovd %eax, %k1", "movw $-21846, %ax\n\tincl %eax\n\tkmovd %eax, %k1",
                                    "movl $0, %eax\n\tkmovd %eax, %k1", "movl $65536, %eax\n\tkmovd %eax, %k1", "movl $256, %eax\n\tkmovb %eax, %k1",
                                    "movl $1, %ebx\n\tkmovd %eax, %k1", "movl $mask, %eax\n\tkmovd %eax, %k1", "movb $1, %ah\n\tkmovd %eax, %k1",
                                    "movl $1, %eax\n\tkmovd %eax, %k1\n\tkshiftrw $1, %k1, %k1"])
def test_under_a_mask_that_may_take_no_lane_it_is_unknown(before, tmp_path):
    assert assembly.twin_of(program_of([f"{before}\n\t{BROADCAST}"]), tmp_path)[0][1] == BROADCAST


def test_other_loads_under_a_known_mask_are_unknown(tmp_path):
    masked = "vmovups (%rdi), %zmm0 {%k1}"
    assert assembly.twin_of(program_of([f"movl $3, %eax\n\tkmovd %eax, %k1\n\t{masked}"]), tmp_path)[0][1] == masked


def test_blocks_begin_at_labels_and_behind_jumps(tmp_path):
    blocks = assembly.twin_of("""\t.text
\t.globl f
f:
\tmovq (%rdi), %rax
.L2:
\taddq %rax, (%rsi)
\tdecq %rdx
\tjne .L2
\tmovl %eax, (%rdi)
\tjmp f
""", tmp_path)
    assert blocks == [(Access(8, 0, 0), ""), (Access(8, 8, 0), ""), (Access(0, 4, 0), "")]
    assert "f_counted:" in (tmp_path / "twin.s").read_text()


def test_code_that_is_hidden_from_the_reader_makes_all_blocks_unknown(tmp_path):
    blocks = assembly.twin_of("\t.text\nf:\n\tmovq (%rdi), %rax\n\t.rept 3\n\tmovq (%rdi), %rax\n\t.endr\n\tret\n", tmp_path)
    assert [why for _, why in blocks] == [".rept"]


TILE_MOVES = ("ldtilecfg", "tileloadd", "tilestored")


def has_tiles(path):
    return "-v4amx" in os.path.basename(path)


def halved(paths):
    """About half of the objects (KERNEL.FLAVOR.counted.o), of every kernel and in every flavor; the others with --full."""
    places, flavors = {}, set()  # of each kernel its number and how many of its objects were met
    for path in paths:
        kernel, flavor = os.path.basename(path).removesuffix(".counted.o").split(".", 1)
        number, met = places.get(kernel, (len(places), 0))
        is_one = flavor not in flavors or (number + met) % 2 == 0
        places[kernel] = number, met + 1
        flavors.add(flavor)
        yield pytest.param(path, marks=[] if is_one else [pytest.mark.whole])


@needs_objdump
@pytest.mark.parametrize("path", list(halved(OBJECTS)), ids=os.path.basename, scope="class")  # one object after the other, disassembled once
class TestTwin:

    def test_holds_the_instructions_of_the_timed_object(self, path):
        _, twin = assembly.blocks_of(assembly.disassembled(path))
        _, timed = assembly.blocks_of(assembly.disassembled(path.replace(".counted.o", ".o")))
        assert len(timed) > 10
        assert [assembly.without_targets(*i) for i in twin] == [assembly.without_targets(*i) for i in timed]

    def test_moves_in_each_block_what_objdump_says(self, path):
        blocks, every = assembly.blocks_of(assembly.disassembled(path))
        written = assembly.written_blocks(path.removesuffix(".o") + ".s")
        assert sorted(blocks) == list(range(len(written))) and sum(map(len, blocks.values())) == len(every)
        for number, (access, why) in enumerate(written):
            if has_tiles(path) and any(mnemonic in TILE_MOVES for mnemonic, *_ in blocks[number]):
                assert why.split()[0] in TILE_MOVES, "how many bytes a tile has stands in its configuration, not in the code"
                continue
            if why.startswith("rep "):
                continue  # how often a register says
            total = assembly.NOTHING
            for instruction in blocks[number]:
                total = assembly.plus(total, assembly.access_of(*instruction))
            assert not why and total == access, (number, why, blocks[number])
