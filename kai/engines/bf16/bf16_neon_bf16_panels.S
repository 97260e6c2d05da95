// The tile of bf16_neon_bf16_panels.cpp: a part of k of 8 rows x 12 columns, with BFMMLA. Sums of the parts before stay
// as the registers hold them.
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv8.2-a+bf16
#include "kai/engines/bf16/bf16_neon_bf16_groups.inc"

// void kai_tile_bf16_8x12_neon_bf16(const void* start, size_t start_step, size_t groups, const void* lhs,
//     const void* rhs, void* dst, size_t dst_stride, const void* bounds)
// start: the sums before this part, 6 vectors a pair of rows, pairs start_step bytes apart. bounds: two vectors, and
// dst is 8 rows of results, dst_stride bytes apart; or NULL: dst is sums, as start. dst may be start.
start       .req x0
start_step  .req x1
dst         .req x5
dst_stride  .req x6
bounds      .req x12

// Sums of row pair p = those at start.
.macro load_sums p
    ldp     qS\p\()_0, qS\p\()_1, [start]
    ldp     qS\p\()_2, qS\p\()_3, [start, #32]
    ldp     qS\p\()_4, qS\p\()_5, [start, #64]
    add     start, start, start_step
.endm
.macro store_sums p
    stp     qS\p\()_0, qS\p\()_1, [dst, #96 * \p]
    stp     qS\p\()_2, qS\p\()_3, [dst, #96 * \p + 32]
    stp     qS\p\()_4, qS\p\()_5, [dst, #96 * \p + 64]
.endm

func kai_tile_bf16_8x12_neon_bf16, hidden
    frame   d8-d15
    mov     bounds, x7
    mov     lhs, x3
    mov     rhs, x4
    load_sums 0
    load_sums 1
    load_sums 2
    load_sums 3
    all_groups
    cbz     bounds, 5f
    ldp     qlow, qhigh, [bounds]
    mov     out_stride, dst_stride
    mov     even, dst
    add     odd, dst, out_stride
    clamp   0, 1
    store_4_rows_f32 0, 1
    clamp   2, 3
    store_4_rows_f32 2, 3
    return
5:  store_sums 0
    store_sums 1
    store_sums 2
    store_sums 3
    return
endfunc
