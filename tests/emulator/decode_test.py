# SPDX-License-Identifier: BSD-3-Clause
"""The decoder against a disassembler: every opcode of the legacy, VEX and x87 maps under every prefix is named by objdump, and what
the name says must be what the decoder counts. Every floating-point instruction so found must be a row of instructions.txt."""

import os
import re
import shutil
import subprocess

import pytest

from instruction_table import parse_events, read_table
from instructions_test import COMPILER, assembly

DECODE_EVENTS = os.environ["PLUMBLINE_DECODE_EVENTS"]
SLOT = 32  # bytes from one instruction to the next; the rest is zero, which objdump passes over but for its last one to three
RESUME = b"\xf8"  # ends a slot: clc, or the operand of a last zero
MODRM = [mode | reg << 3 | rm for reg in range(8) for mode, rm in ((0xC0, 1), (0x00, 7))]

# Not of x86-64-v3: named by objdump (some with a stray suffix), refused by Valgrind, never run under the tool.
FOREIGN = re.compile(
    r"[lq]?(vpdp|vpmadd52|vcvtne)|v?gf2p8|v?sm[34]|sha(1|256|512)|vsha512|vbcstne|aes(enc|dec)(wide)?\d*kl|aesencwide|encodekey|loadiwkey|xstore|xcrypt|"
    r"montmul|xsha|ccs_|tile|tdp|ldtilecfg|sttilecfg|k(add|and|andn|mov|not|or|ortest|shift|test|unpck|xnor|xor|tile)|cmp\w+xadd|"
    r"vf(n?m(add|sub)|maddsub|msubadd)[ps][sd]$|vpermil2|vp?cmov|vpcom|vphadd\w+[wdq]q$|"
    r"(ext|insert)rq?$|extrq|insertq|movntss|movntsd|phe|xlock|rd(msr|pmc)list|pf|pi2f|pf2i|pavgusb|pmulhrw$|pswapd|femms|"
    r"bnd|wr(u?ss|msr)|urdmsr|uwrmsr|incssp|rdssp|saveprevssp|rstorssp|setssbsy|clrssbsy|sysexit|sysret|vm|inv|aesdecwide|xbegin|"
    r"(phaddw|psubw|paddw)\.bogus|getsec|enqcmd|movdir|hreset|senduipi|clui|stui|testui|uiret|ud[012]|jmpabs|"
    r"prefetchit|raoint|aadd|aand|aor|axor|salc|fn(eni|disi|setpm)|frs|ffreep|fstpnce|\(bad\)|cldemote|tpause|umwait|umonitor|ptwrite")
PREFIXES = re.compile(r"^((rex(\.\w+)?|data16|addr32|repz|repnz|rep|lock|bnd|notrack|cs|ds|es|ss|fs|gs|xacquire|xrelease|\{\w+\}) +)+")

X87_ARITHMETIC = [
    (re.compile(r"f(add|sub|subr)(p|s|l)?$"), "flops.x87.add", False), (re.compile(r"fmul(p|s|l)?$"), "flops.x87.mul", False),
    (re.compile(r"f(div|divr)(p|s|l)?$"), "flops.x87.div", False), (re.compile(r"fi(add|sub|subr)(s|l)$"), "flops.x87.add", True),
    (re.compile(r"fimul(s|l)$"), "flops.x87.mul", True), (re.compile(r"fi(div|divr)(s|l)$"), "flops.x87.div", True),
    (re.compile(r"fsqrt$"), "flops.x87.sqrt", False), (re.compile(r"fu?comi?p?p?(s|l)?\d?$|ftst$"), "fp_compare", False),
    (re.compile(r"ficomp?(s|l)$"), "fp_compare", True)]
X87_OTHER = re.compile(r"f(2xm1|yl2x|yl2xp1|ptan|patan|prem1?|sincos|scale|sin|cos|xtract)$")
X87_CONVERT = re.compile(r"fi(ld|st|stp|sttp)(s|l|ll)?$|fb(ld|stp)$")
X87_ANY = re.compile(r"f(?!xsave|xrstor|wait)\w+$")

BY_LANE = [
    (re.compile(r"(add|sub|hadd|hsub|addsub)(p[sd]|s[sd])$"), "add"), (re.compile(r"mul(p[sd]|s[sd])$"), "mul"),
    (re.compile(r"div(p[sd]|s[sd])$"), "div"), (re.compile(r"sqrt(p[sd]|s[sd])$"), "sqrt"),
    (re.compile(r"f(n?m(add|sub)|maddsub|msubadd)(132|213|231)(p[sd]|s[sd])$"), "fma"),
    (re.compile(r"(min|max)(p[sd]|s[sd])$"), "fp_min_max"), (re.compile(r"cmp\w*?(p[sd]|s[sd])$"), "fp_compare"),
    (re.compile(r"u?comi(s[sd])$"), "fp_compare"), (re.compile(r"(?:rcp|rsqrt)(p[sd]|s[sd])$"), "fp_approximate")]
VECTOR_INTEGER = re.compile(
    r"p(add|sub)u?s?[bwdq]$|p(add|sub)u?s[bw]$|pmul(l[wdq]|hu?w|u?dq|hrsw)$|pmadd(wd|ubsw)$|p(andn?|or|xor)$|pcmp(eq|gt)[bwdq]$|"
    r"p(min|max)[us][bwd]$|ps(ll|rl|ra)v?[wdq]$|pavg[bw]$|psadbw$|pabs[bwd]$|psign[bwd]$|ph(add|sub)s?[wd]$|phaddsw$|phminposuw$|"
    r"mpsadbw$|p?test(p[sd])?$|pclmul\w+$|aes(enc|dec)(last)?$|aesimc$|aeskeygenassist$|pcmp[ei]str[im][lq]?$|(andn?|or|xor)p[sd]$")
ONE_LANE_MOVE = re.compile(r"mov([ds]|q|ss|sd|[lh]p[sd]|hlps|lhps|q2dq|dq2q)$|p(ins|ext)r[bwdq]$|(insert|extract)ps$")
VECTOR_MOVE = re.compile(
    r"mov(u|a|nt)p[sd]$|mov(nt)?dq[au]?$|movnt(dqa?|q)$|mov(sl|sh|d)dup$|movddup$|lddqu$|(un)?pck?\w+$|unpck\w+$|shufp[sd]$|movmskp[sd]$|"
    r"p?blend(v?p[sd]|w|d|vb)$|pack\w+$|punpck\w+$|pshuf\w+$|palignr$|pmov(sx|zx)\w+$|pmovmskb$|ps(ll|rl)dq$|p?broadcast\w+$|"
    r"(insert|extract)[fi]128$|perm\w+$|p?maskmov\w+$|p?gather\w+$")
INTEGER = re.compile(
    r"(add|or|adc|sbb|and|sub|xor|cmp|test|not|neg|inc|dec|shl|sal|shr|sar|rol|ror|rcl|rcr|shld|shrd|mul|imul|div|idiv|bsf|bsr|popcnt|"
    r"lzcnt|tzcnt|bts?|btr|btc|andn|blsr|blsmsk|blsi|bextr|bzhi|shlx|shrx|sarx|pext|pdep|mulx|rorx|adcx|adox|crc32|xadd|cmpxchg|"
    r"cmpxchg8b|cmpxchg16b)[bwlq]*$")
PREFETCH = re.compile(r"prefetch(w|wt1|nta|t[012])?$")
JUMP_IF = re.compile(r"j(?!mp)\w+|loop(n?e)?[lq]?(,p[nt])?$")


def x87_events(name):
    events = {"width.x87": 1}
    for pattern, event, integer in X87_ARITHMETIC:
        if pattern.match(name):
            events |= {event: 1, "fp_instructions": 1, "fp_x87": 1}
            if integer:
                events["fp_convert"] = 1
            return events
    if X87_OTHER.match(name):
        events |= {"fp_instructions": 1, "fp_x87": 1}
    elif X87_CONVERT.match(name):
        events["fp_convert"] = 1
    elif name == "frndint":
        events["fp_round"] = 1
    return events


def conversion_lanes(name, bits):
    """0 for what is no conversion."""
    if re.match(r"cvtt?(s[sd])2(si|s[sd])[lq]?$|cvtsi2s[sd][lq]?$", name):
        return 1
    if re.match(r"cvtt?(pi2p[sd]|p[sd]2pi)$", name):
        return 2
    if re.match(r"cvt(dq2ps|t?ps2dq|ph2ps|ps2ph)", name):
        return bits // 32
    if re.match(r"cvt(ps2pd|pd2ps|dq2pd|t?pd2dq)[xy]?$", name):
        return bits // 64
    return 0


def vector_events(name, operands):
    """The events of a vector instruction; None for a name that no rule knows."""
    bits = 256 if "%ymm" in operands or name.endswith("y") and name.startswith("cvt") else 128
    width = f"width.{bits}"
    lanes_of = {"ps": bits // 32, "pd": bits // 64, "ss": 1, "sd": 1}
    for pattern, kind in BY_LANE:
        found = pattern.match(name)
        if not found:
            continue
        suffix = found.groups()[-1]
        precision = "fp64" if suffix.endswith("d") else "fp32"
        event = kind if kind.startswith("fp_") else f"flops.{precision}.{kind}"
        size = "scalar" if suffix.startswith("s") else str(bits)
        return {event: lanes_of[suffix], "fp_instructions": 1, f"fp_{size}": 1, f"width.{size}": 1}
    if name in ("dpps", "dppd"):
        precision, lanes = ("fp32", bits // 32) if name == "dpps" else ("fp64", 2)
        return {f"flops.{precision}.mul": lanes, f"flops.{precision}.add": lanes - bits // 128, "fp_instructions": 1, f"fp_{bits}": 1,
                width: 1}
    found = re.match(r"round(p[sd]|s[sd])$", name)
    if found:
        return {"fp_round": lanes_of[found.group(1)], "width.scalar" if found.group(1)[0] == "s" else width: 1}
    lanes = conversion_lanes(name, bits)
    if lanes:
        return {"fp_convert": lanes, "width.scalar" if lanes == 1 else width: 1}
    on_mmx = "%mm" in operands and "%xmm" not in operands
    if VECTOR_INTEGER.match(name):
        return {"int_instructions": 1, "int_mmx" if on_mmx else f"int_{bits}": 1, "width.mmx" if on_mmx else width: 1}
    if on_mmx:
        return {"width.mmx": 1}
    if ONE_LANE_MOVE.match(name):
        return {"width.scalar": 1}
    return {width: 1} if VECTOR_MOVE.match(name) else None


def named_events(name, operands):
    """The events of an instruction of this name by the manuals; None for a vector instruction without a rule."""
    if re.search(r"%[xy]?mm", operands) or re.match(r"v?cvtt?s[sd]2si", name):
        return vector_events(name.removeprefix("v"), operands)
    if X87_ANY.match(name):
        return x87_events(name)
    if PREFETCH.match(name):
        return {"prefetch_instructions": 1}
    if JUMP_IF.match(name):
        return {"branches": 1, "branches.conditional": 1}
    for pattern, event in ((r"l?call", "calls"), (r"jmp|ljmp", "branches.unconditional"), (r"ret[wlq]?$", "returns")):
        if re.match(pattern, name):
            return {"branches": 1, event: 1}
    if re.match(r"cmps[bwlq]$", name) and "%es" in operands:
        return {}
    if INTEGER.match(name):
        return {"int_instructions": 1, "int_scalar": 1}
    return {}


def legacy_codes():
    for prefix in ([], [0x66], [0xF3], [0xF2]):
        for rex in ([], [0x48]):
            for escape in ([0x0F], [0x0F, 0x38], [0x0F, 0x3A]):
                for opcode in range(256):
                    if escape == [0x0F] and opcode in (0x38, 0x3A, 0x0F):  # escapes; 3DNow!
                        continue
                    for modrm in MODRM:
                        yield prefix + rex + escape + [opcode, modrm]


def vex_codes():
    for opcode_map in (1, 2, 3):
        for w_l_pp in [w << 7 | wide << 2 | pp for w in (0, 1) for wide in (0, 1) for pp in range(4)]:
            for vvvv in (0x78, 0x68):  # none; register 2
                for opcode in range(256):
                    for modrm in MODRM:
                        yield [0xC4, 0xE0 | opcode_map, w_l_pp | vvvv, opcode, modrm]


def one_byte_codes():
    for rex in ([], [0x48]):
        for opcode in range(1, 256):
            if opcode in (0x0F, 0x9B, 0xC4, 0xC5, 0x62, 0x8F, 0xD5) or 0x40 <= opcode < 0x50 or 0xD8 <= opcode <= 0xDF:
                continue  # escapes, prefixes and x87; fwait, which objdump joins with what follows
            for modrm in MODRM:
                yield rex + [opcode, modrm]
    for opcode in range(0xD8, 0xE0):
        for modrm in [*range(0xC0, 0x100), *(7 | reg << 3 for reg in range(8))]:
            yield [opcode, modrm]


def disassembled(folder, codes):
    """Yields (code in hexadecimal, name, operands) for those that are instructions."""
    binary = folder / "codes.bin"
    binary.write_bytes(b"".join(bytes(code).ljust(SLOT - 1, b"\0") + RESUME for code in codes))
    text = subprocess.run(["objdump", "-D", "-w", "-b", "binary", "-m", "i386:x86-64", "-M", "suffix", str(binary)], check=True,
                          capture_output=True, text=True, timeout=100).stdout
    for line in text.splitlines():
        found = re.match(r" *([0-9a-f]+):\t([0-9a-f ]+?) *\t(.*)$", line)
        if not found or int(found.group(1), 16) % SLOT:
            continue
        if found.group(2).startswith(("f2", "f3")) and "%mm" in found.group(3) and "2" not in found.group(3).split()[0]:
            continue  # objdump ignores a prefix that makes the instruction invalid
        name, _, operands = PREFIXES.sub("", found.group(3)).partition(" ")
        yield found.group(2).replace(" ", ""), name.removesuffix(".s"), operands


def decoded(codes):
    done = subprocess.run([DECODE_EVENTS], input="\n".join(codes) + "\n", capture_output=True, text=True, check=True, timeout=60)
    return [{name: int(n) for name, n in (w.split("=") for w in line.split())} for line in done.stdout.splitlines()]


@pytest.fixture(scope="module")
def instructions(tmp_path_factory):
    if shutil.which("objdump") is None:
        pytest.skip("objdump (binutils) was not found")
    folder = tmp_path_factory.mktemp("decode")
    found = []
    for codes in (legacy_codes(), vex_codes(), one_byte_codes()):
        found += [i for i in disassembled(folder, codes) if not FOREIGN.match(i[1]) and "(bad)" not in i[2]]
    return found


def test_decoder_counts_what_the_disassembler_names(instructions, capsys):
    wrong, unknown = {}, {}
    for (code, name, operands), found in zip(instructions, decoded([i[0] for i in instructions])):
        wanted = named_events(name, operands)
        if wanted is None:
            unknown.setdefault(name, f"{code} {name} {operands}")
        elif found != wanted:
            wrong.setdefault((name, str(found)), f"{code} {name} {operands}: decoded {found}, by its name {wanted}")
    with capsys.disabled():
        names = {i[1] for i in instructions}
        print(f"\n  {len(instructions)} encodings of {len(names)} names, {len(wrong)} decoded otherwise, {len(unknown)} without rule", end="")
    assert not unknown, "\n".join(unknown.values())
    assert not wrong, "\n".join(wrong.values())


def is_floating_point(events):
    return events is not None and any(e.startswith(("flops.", "fp_")) for e in events)


def test_every_floating_point_instruction_is_a_row(instructions, tmp_path, capsys):
    if not COMPILER:
        pytest.skip("gcc was not found when this tree was configured")
    rows, refusable = read_table()
    (tmp_path / "rows.s").write_text(assembly(rows + refusable))
    subprocess.run([COMPILER, "-c", str(tmp_path / "rows.s"), "-o", str(tmp_path / "rows.o")], check=True, timeout=60)
    text = subprocess.run(["objdump", "-d", "-w", "-M", "suffix", str(tmp_path / "rows.o")], check=True, capture_output=True, text=True,
                          timeout=60).stdout
    tested = {PREFIXES.sub("", line.split("\t")[2]).split(" ")[0] for line in text.splitlines() if line.count("\t") == 2}
    wanted = {name for _, name, operands in instructions if is_floating_point(named_events(name, operands))}
    with capsys.disabled():
        print(f"\n  {len(wanted)} names of floating-point instructions, {len(wanted - tested)} without a row", end="")
    assert len(wanted) > 200
    assert not wanted - tested, sorted(wanted - tested)
