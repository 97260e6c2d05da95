// Packs f32 rows as bf16 into panels of 32-bit words, two k a word: see kai/engines/pack/pack_sme_rows.inc.
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv8-a+sme2
#include "kai/engines/asm/asm.h"
#include "kai/engines/pack/pack_sme_rows.inc"

// pn8: the elements of the job.
.macro bf16_words
    lsr     t, rest, #2
    whilelo pn8.s, xzr, t, vlx2
.endm

.macro bf16_load_row z0, z1, row
    ld1w    {z\z0\().s-z\z1\().s}, pn8/z, [\row]
    add     \row, \row, stride
.endm

// BFCVT puts the first vector in the low half of its result, BFCVTN in the even elements. They alternate, each with its
// preparation before it, since they run in different units.
.macro bf16_load count, row, tile, whole
    bf16_load_row 0, 1, \row
    .if \count == 1
    bfcvt   z0.h, {z0.s-z1.s}
    mova    za\tile\()h.s[w13, 0], p1/m, z0.s
    .else
    bf16_load_row 2, 3, \row
    bf16_load_row 4, 5, \row
    bf16_load_row 6, 7, \row
    bfcvt   z0.h, {z0.s-z1.s}
    uzp     {z2.s-z3.s}, z2.s, z3.s
    bfcvtn  z1.h, {z2.s-z3.s}
    bfcvt   z2.h, {z4.s-z5.s}
    uzp     {z6.s-z7.s}, z6.s, z7.s
    bfcvtn  z3.h, {z6.s-z7.s}
    mova    za\tile\()h.s[w13, 0:3], {z0.s-z3.s}
    .endif
.endm

.macro bf16_whole no
.endm

    pack_rows kai_kernel_pack_rows_bf16_sme2, bf16, 3, strided
