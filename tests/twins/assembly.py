"""The blocks of a counted twin: as plumbline_twins wrote them, and as objdump reads the assembled object (Intel syntax, which gives the
size of every operand in memory)."""

import collections
import functools
import os
import re
import subprocess

TWINS = os.environ.get("PLUMBLINE_TWINS", "")
OBJDUMP = os.environ.get("PLUMBLINE_OBJDUMP", "")
COMPILER = os.environ.get("PLUMBLINE_TEST_GCC", "")

Access = collections.namedtuple("Access", "load store nt_store")
NOTHING = Access(0, 0, 0)
SIZES = {"BYTE": 1, "WORD": 2, "DWORD": 4, "QWORD": 8, "XMMWORD": 16, "YMMWORD": 32, "ZMMWORD": 64, "OWORD": 16}
REGISTER_BYTES = {"x": 16, "y": 32, "z": 64}


def plus(one, other):
    return Access(*(a + b for a, b in zip(one, other)))


def written_blocks(path):
    """Pairs of an Access and why it is unknown, or '', of a twin's assembly."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    why = dict(re.findall(r'^(\.Lplumbline_unknown\d+):\n\t\.asciz "(.*)"$', text, re.M))
    found = re.findall(r"^\t\.long (\d+),(\d+),(\d+),0\n\t\.quad (\S+)$", text.partition(".Lplumbline_blocks:\n")[2], re.M)
    return [(Access(*map(int, numbers)), why.get(unknown, "")) for *numbers, unknown in found]


def twin_of(text, folder):
    """The blocks that plumbline_twins writes for assembly."""
    source, twin = folder / "source.s", folder / "twin.s"
    source.write_text(text)
    subprocess.run([TWINS, source, twin, "table"], check=True)
    return written_blocks(twin)


@functools.lru_cache(maxsize=4)
def disassembled(path):
    """The instructions as (mnemonic, operands, relocation)."""
    text = subprocess.run([OBJDUMP, "-drw", "-M", "intel", "--no-show-raw-insn", path], check=True, capture_output=True, text=True).stdout
    instructions = []
    for line in text.splitlines():
        if found := re.match(r"\s*[0-9a-f]+:\s+(?:(?:rep|repz|notrack|cs|data16|lock|bnd) )*(\S+)\s*([^#\t]*)(?:#[^\t]*)?(?:\t[0-9a-f]+: (.*))?$", line):
            instructions.append((found[1], found[2].strip(), found[3] or ""))
    return instructions


def is_padding(mnemonic, operands):
    return mnemonic.startswith("nop") or mnemonic in ("data16", "cs") or (mnemonic == "xchg" and operands == "ax,ax")


def without_targets(mnemonic, operands):
    """The part of an instruction that is the same wherever the code lies."""
    return mnemonic, re.sub(r"\brip[+-]0x[0-9a-f]+", "rip", "" if re.match(r"j|call|loop", mnemonic) else operands)


COUNTS = re.compile(r"R_X86_64_PC32\t\.bss\.plumbline([+-]0x[0-9a-f]+)")
COUNTS_AT, TO_NEXT = 64, 4  # behind the saved register; from a displacement of 4 bytes to the next instruction


def blocks_of(instructions):
    """The twin's own instructions by block: {number: [instruction]}; and all of them in order."""
    blocks, inside, last = {}, None, ""
    every = []
    for mnemonic, operands, relocation in instructions:
        counting = COUNTS.match(relocation)
        if counting and mnemonic == "mov" and operands.startswith("rax,") and (at := int(counting[1], 16) + TO_NEXT - COUNTS_AT) >= 0:
            inside = blocks.setdefault(at // 8, [])
        is_count = counting or (operands == "rax,[rax+0x1]" and last)
        last = counting
        if is_count or is_padding(mnemonic, operands):
            continue
        every.append((mnemonic, operands))
        if inside is not None:
            inside.append((mnemonic, operands))
    return blocks, every


def gathered(mnemonic, operands, element):
    data = re.search(r"\b([xyz])mm\d+(?:\{k\d\})?(?:,|$)", operands)
    index = re.search(r"\[[^]]*([xyz])mm", operands)
    lanes = min(REGISTER_BYTES[data[1]] // element, REGISTER_BYTES[index[1]] // (8 if re.search(r"er(q|dq)", mnemonic) else 4))
    return lanes * element


READS_ALONE = re.compile(r"cmp|test|v?u?comis|i?mul$|i?div$|bt$|push|j|call|v?ptest|fld|ldmxcsr")
STORES_ALONE = re.compile(r"v?mov|v?p?extr|set|vcvtps2ph|v?p?scatter|kmov|stmxcsr|v?maskmov")


def access_of(mnemonic, operands):
    """The access by what objdump prints of the operand in memory, and by the manuals for those of the stack."""
    found = re.search(r"\b([XYZ]MMWORD|[DQO]?WORD|BYTE) (?:PTR|BCST) ", operands)
    if mnemonic.startswith(("nop", "prefetch", "lea ")) or (mnemonic == "lea"):
        return NOTHING
    own = {"call": Access(0, 8, 0), "push": Access(0, 8, 0), "ret": Access(8, 0, 0), "leave": Access(8, 0, 0), "pop": Access(8, 0, 0)}.get(mnemonic, NOTHING)
    if not found:
        return own
    size = SIZES[found[1]]
    if "gather" in mnemonic or "scatter" in mnemonic:
        size = gathered(mnemonic, operands, size)
    is_first = operands.split(" PTR ")[0].split(" BCST ")[0] == found[1]
    if re.match(r"v?movnt(?!dqa)", mnemonic):
        return Access(0, 0, size)
    if not is_first or READS_ALONE.match(mnemonic):
        return plus(own, Access(size, 0, 0))
    if STORES_ALONE.match(mnemonic) or mnemonic == "pop":
        return plus(own, Access(0, size, 0))
    return Access(size, size, 0)
