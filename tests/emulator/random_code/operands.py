# SPDX-License-Identifier: BSD-3-Clause
"""An instruction form with registers, constants and a memory operand drawn at random, such that any processor does the same."""

import re

from forms import CONDITIONAL, CONDITIONS, GENERAL, WIDTH

INDEX = 8  # what the index register r12 holds
HOT = (0, 8, 16, 24, 32, 40, 48, 56, 64)  # offsets that many share, so that loads meet the stores before them
FAR = 900  # the memory of the random code is larger by what an instruction may reach beyond this offset

# Constants may be any byte, but for these: those of the table stay where Valgrind takes only some or the events depend on them.
KEPT = re.compile(r"v?(round|dpp|pcmp[ei]str|pclmul|aeskeygen|cvtps2ph|perm2)|movabs")
CONSTANTS = [(2, r"v(insert|extract)[fi]128"), (128, r"(add|or|adc|sbb|and|sub|xor|cmp|test|lock|mov|imul)")]
# An operand in memory of which the constant selects nothing is not counted as a load: it shall select something: (and, or, mnemonic)
SELECTS_MEMORY = [(0xFF, 1, r"v?p?blend"), (0x0F, 0, r"v?palignr"), (0xF0, 0, r"v?insertps")]

UNALIGNED_SSE = re.compile(r"movup|movdqu|lddqu|pcmpistri")
ALIGNED_AVX = re.compile(r"vmov(ap|dqa|nt)")


def accessed(events):
    return max(events.get("bytes.reg-L1." + how, 0) for how in ("load", "store", "nt_store"))


def alignment(form):
    """The least that the instruction demands; also of locked ones, of which a processor may trap those that cross a line."""
    n, text = accessed(form.events), form.text
    if "cmpxchg16b" in text:
        return 16
    if text.startswith(("lock", "xchg", "cmpxchg", "xadd")):
        return n
    if text.startswith("v"):
        return n if ALIGNED_AVX.match(text) else 1
    return n if n == 16 and not UNALIGNED_SSE.match(text) else 1


def memory(rng, align):
    offset = rng.choice((*HOT, rng.randrange(FAR), rng.randrange(FAR)))
    if rng.random() < 0.25:
        offset += rng.choice((1, 3, 4, 7))
    offset -= offset % align
    scales = [s for s in (2, 4, 8) if INDEX * s % align == 0]
    return f"{offset}(%rsi,%r12,{rng.choice(scales)})" if rng.random() < 0.3 else f"{offset}(%rsi)"


def constant(rng, text, old):
    if KEPT.match(text):
        return old
    if int(old[1:], 0) > 0xFF:
        return f"${rng.randrange(1 << 31)}"
    n = rng.randrange(next((most for most, mnemonic in CONSTANTS if re.match(mnemonic, text)), 256))
    kept, added = next(((k, a) for k, a, mnemonic in SELECTS_MEMORY if "(" in text and re.match(mnemonic, text)), (0xFF, 0))
    return f"${n & kept | added}"


def filled(form, rng, vectors):
    """form's text with registers out of `vectors` (numbers) for the vector registers."""
    text = re.sub(r"\$\w+", lambda m: constant(rng, form.text, m[0]), form.text)
    text = CONDITIONAL.sub(lambda m: m[1] + rng.choice(CONDITIONS), text)
    mask = re.match(r"(blendvp[sd]|pblendvb) %xmm0", text)  # always that register
    head = mask.end() if mask else re.match(r"(sh|ro|rc|sar)\w* %cl,|", text).end()
    rest = re.sub(r"%([xy]mm)\d+", lambda m: f"%{m[1]}{rng.choice(vectors)}", text[head:])
    rest = re.sub(r"%(\w+)", lambda m: f"%{rng.choice(GENERAL[WIDTH[m[1]]])}" if m[1] in WIDTH else m[0], rest)
    return re.sub(r"\d*\(%rdi\)", lambda m: memory(rng, alignment(form)), text[:head] + rest)
