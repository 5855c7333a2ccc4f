# SPDX-License-Identifier: BSD-3-Clause
"""Instructions that only make sense together (stack, MMX, x87), drawn at random, and functions written by hand."""

import re

from forms import GENERAL
from instruction_table import read_table
from operands import memory

MMX = sorted({text for text, _, setup in read_table()[0]
              if not setup and re.match(r"p\w+ .*%mm\d$", text) and not re.search(r"%[er]|\(|\$", text)})

# On small integers, at 53 bits of precision, so that the processor's 80-bit registers and Valgrind's doubles hold the same.
X87_UNARY = ("fchs", "fabs", "frndint")
X87_BINARY = ("fadd %st(1), %st", "fsub %st(1), %st", "fsubr %st, %st(1)", "fmul %st, %st(1)", "fdiv %st(1), %st", "fdivr %st, %st(1)",
              "fxch %st(1)", "fcomi %st(1), %st", "fucomi %st(1), %st", "fcmovbe %st(1), %st", "fcmovnu %st(1), %st")
X87_LAST = ("faddp %st, %st(1)", "fsubrp %st, %st(1)", "fmulp %st, %st(1)", "fdivp %st, %st(1)")


def stack(rng):
    return [f"pushq %{rng.choice(GENERAL[64])}", f"popq %{rng.choice(GENERAL[64])}"]


def mmx(rng):
    used = rng.sample(range(8), 2)
    computed = [re.sub(r"%mm\d", lambda m: f"%mm{rng.choice(used)}", rng.choice(MMX)) for _ in range(rng.randrange(1, 5))]
    return [*(f"movq {memory(rng, 1)}, %mm{r}" for r in used), *computed, f"movq %mm{used[0]}, {memory(rng, 1)}", "emms"]


def x87(rng):
    computed = [rng.choice(X87_BINARY if rng.random() < 0.7 else X87_UNARY) for _ in range(rng.randrange(4))]
    return [f"filds {memory(rng, 1)}", f"fildl {memory(rng, 1)}", *computed, rng.choice(X87_LAST),
            f"{rng.choice(('fstpl', 'fstps', 'fistpll'))} {memory(rng, 1)}"]


SEQUENCES = {"stack": stack, "mmx": mmx, "x87": x87}

# What was wrong once, or nearly so. A jump without a target passes over the next instruction.
BY_HAND = {
    "a scalar FMA keeps the upper part of its destination": """
        vfmadd213sd %xmm1, %xmm2, %xmm0
        movhlps %xmm0, %xmm3
        vunpckhpd %xmm0, %xmm0, %xmm4
        vfnmsub231ss %xmm5, %xmm6, %xmm7
        vshufps $0xf9, %xmm7, %xmm7, %xmm8
        vmovhpd %xmm7, 16(%rsi)
        vfmadd132sd 24(%rsi), %xmm9, %xmm10
        vextractf128 $1, %ymm10, %xmm11""",
    "negated FMAs on eight lanes before a conditional jump": """
        vfnmadd231ps %ymm1, %ymm2, %ymm3
        vfnmadd132ps 64(%rsi), %ymm4, %ymm5
        cmpq %rax, %rcx
        ja
        vfnmsub213ps %ymm3, %ymm5, %ymm6
        vfnmadd213ps %xmm7, %xmm8, %xmm9
        vucomisd %xmm1, %xmm2
        jp
        vfnmadd231ps %ymm6, %ymm6, %ymm10""",
    "FMAs whose operands are one register": """
        vfmadd231pd %ymm0, %ymm0, %ymm0
        vfmsub132ps %ymm1, %ymm1, %ymm1
        vfnmadd213sd %xmm2, %xmm2, %xmm2
        vfmaddsub231pd %xmm3, %xmm3, %xmm3
        vmovapd %ymm2, %ymm4""",
}
