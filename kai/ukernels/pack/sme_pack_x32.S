// Packs 32-bit words into panels of 2 V rows (V = SVL / 32 words): formats f32p and f32pbiasf32.
//
//     panel[word x][row r] = source row r, word x          after a head of 2 V words of bias for an RHS
//
// kai_kernel_pack_rows_x32_sme transposes rows of words through ZA tiles (LHS; RHS of N x K). While one pair of tiles
// (za0, za1 or za2, za3) is filled with the next V words of 2 V rows, the other pair is drained.
// Rows and columns that the last panel lacks become zero.
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv8-a+sme
#include "kai/asm/asm.h"
#include "kai/asm/sme_pack.inc"

left        .req x0                             // rows (columns) of the product, from this panel on
k           .req x1
src         .req x2                             // first row (column) of the panel
stride      .req x3                             // bytes from a source row to the next
dst         .req x4
bias        .req x5                             // of the panel, or 0
has_head    .req x6
v           .req x7                             // V
height      .req x8                             // 2 V
half        .req x9                             // V source rows in bytes / 4
chunk       .req x10                            // first row of the panel, at the words that are filled in next
row         .req x11
words       .req x13                            // of k left, from the last filled words on
count       .req x14

// void kai_kernel_pack_rows_x32_sme(
//     size_t rows, size_t k, const void* src, size_t stride, void* dst, const void* bias, size_t has_head)
// rows >= 1. With has_head each panel opens with the bias (NULL: zeros).

// The next words of a full panel -> a pair of tiles. With two pairs, the second is drained of V depths meanwhile.
// Clobbers p0, row, w12.
.macro fill lo, hi, from_lo, from_hi
    whilelo p0.s, xzr, words
    mov     row, chunk
    addvl   chunk, chunk, #1
    mov     w12, #0
1:  fill_4_rows \lo, \hi, row, stride, half
    .ifnb \from_lo
    drain_depths 4, \from_lo, \from_hi, dst, v
    .endif
    add     w12, w12, #4
    cmp     x12, v
    b.lo    1b
.endm

// The first \depths (1 ... V, a register) depths of a pair of tiles -> dst. Clobbers \depths, w12.
.macro drain lo, hi, depths
    mov     w12, #0
    subs    \depths, \depths, #4
    b.lo    2f
1:  drain_depths 4, \lo, \hi, dst, v
    add     w12, w12, #4
    subs    \depths, \depths, #4
    b.hs    1b
2:  adds    \depths, \depths, #4
    b.eq    4f
3:  drain_depths 1, \lo, \hi, dst, v
    add     w12, w12, #1
    subs    \depths, \depths, #1
    b.ne    3b
4:
.endm

// \rows (1 ... V, a register) rows from row on -> the first slices of a tile. Clobbers \rows, w12; advances row.
.macro fill_some tile, rows
    mov     w12, #0
    subs    \rows, \rows, #4
    b.lo    2f
1:  fill_rows 4, \tile, row, stride
    add     w12, w12, #4
    subs    \rows, \rows, #4
    b.hs    1b
2:  adds    \rows, \rows, #4
    b.eq    4f
3:  fill_rows 1, \tile, row, stride
    add     w12, w12, #1
    subs    \rows, \rows, #1
    b.ne    3b
4:
.endm

// The next words of a panel that lacks rows -> dst, by way of a pair of tiles. Clobbers p0, row, count, w12.
.macro pack_some_rows lo, hi
    whilelo p0.s, xzr, words
    mov     row, chunk
    addvl   chunk, chunk, #1
    cmp     left, v
    csel    count, left, v, lo
    fill_some \lo, count
    subs    count, left, v
    b.ls    5f
    fill_some \hi, count
5:  cmp     words, v
    csel    count, words, v, lo
    drain   \lo, \hi, count
.endm

func kai_kernel_pack_rows_x32_sme, hidden
    sme_enter
    cntw    v
    lsl     height, v, #1
    lsr     half, v, #2
    mul     half, half, stride
    ptrue   p1.s

KAI_LOCAL(panel):
    cbz     has_head, KAI_LOCAL(body)
    panel_head bias, dst, left, v
KAI_LOCAL(body):
    cbz     k, KAI_LOCAL(next)
    mov     chunk, src
    mov     words, k
    cmp     left, height
    b.lo    KAI_LOCAL(part)

    fill    za0, za1
KAI_LOCAL(full):
    cmp     words, v
    b.ls    KAI_LOCAL(last01)
    sub     words, words, v
    fill    za2, za3, za0, za1
    cmp     words, v
    b.ls    KAI_LOCAL(last23)
    sub     words, words, v
    fill    za0, za1, za2, za3
    b       KAI_LOCAL(full)
KAI_LOCAL(last01):
    drain   za0, za1, words
    b       KAI_LOCAL(next)
KAI_LOCAL(last23):
    drain   za2, za3, words

KAI_LOCAL(next):
    madd    src, height, stride, src
    subs    left, left, height
    b.hi    KAI_LOCAL(panel)
    b       KAI_LOCAL(end)

KAI_LOCAL(part): // the last panel, when it lacks rows: their slices stay zero
    zero    {za}
KAI_LOCAL(part_chunks):
    pack_some_rows za0, za1
    subs    words, words, v
    b.ls    KAI_LOCAL(end)
    pack_some_rows za2, za3
    subs    words, words, v
    b.hi    KAI_LOCAL(part_chunks)

KAI_LOCAL(end):
    sme_leave
    ret
endfunc
