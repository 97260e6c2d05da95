// Depthwise convolution of int8 with SDOT: a tile of 1 x 4 outputs, blocks of 16 channels.
//
//     dst[c] = low_byte(round(clamp(f32(bias[c] + sum of src * weight) * scale[c], lo, hi)) + zero)
//
// SDOT adds four products to a lane: here four neighbouring pixels of a channel, one row of the filter. So the bytes of
// four pixels, 16 channels each, are interleaved, pixel by pixel, with ZIPs: a pair of pixels first, two pairs then.
//
//     pixels 0 1    bytes c0 c0 c1 c1 ...        pair
//     pixels 0-3    bytes c0 c0 c0 c0 c1 ...     four vectors, 4 channels each
//
// The weights of an output stand where its pixels do: shifted by 8 bits for the next output. Zeros fill the rest.
//
//     v0 - v15    sums: channels 4 s to 4 s + 3 of output x are v[4 * x + s]
//     v16 - v23   weights of channels 4 s ... of a row: v[16 + s], others in v20 - v23
//     v24, v25    pixels; v30, v31, too, then four that are interleaved
//     v26 - v29   two pairs, in turn
//
// A panel of weights: 16 int32 to start with, rows of the filter with their taps padded to fours: [row][four taps][16
// channels][4], 16 scales.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+dotprod
#include "kai/engines/asm/asm.h"
#include "kai/engines/dwconv/dwconv_tiles_args.h"

args        .req x0
src         .req x1
dst         .req x2
weights     .req x3
in          .req x4                             // byte of the block in a pixel of the input
out         .req x5                             // the same of the output
blocks      .req x6
pointers    .req x7                             // to the next pixels of the tile
row         .req x8                             // weights of the row of the filter
pixel_0     .req x9                             // pointers to the pixels of a row
pixel_1     .req x10
pixel_2     .req x11
pixel_3     .req x12
pixel_4     .req x13
pixel_5     .req x14
pixel_6     .req x15
pixel_7     .req x16
pixel_8     .req x17
pixel_9     .req x19
pixel_10    .req x20
rows        .req w21

// The pointers to the next \count pixels: 6, 8, 9 or 11.
.macro load_pointers count
    ldp     pixel_0, pixel_1, [pointers]
    ldp     pixel_2, pixel_3, [pointers, #16]
    ldp     pixel_4, pixel_5, [pointers, #32]
    if_more \count, 6, ldp pixel_6, pixel_7, [pointers, #48]
    when    \count, 9, ldr pixel_8, [pointers, #64]
    when    \count, 11, ldp pixel_8, pixel_9, [pointers, #64]
    when    \count, 11, ldr pixel_10, [pointers, #80]
    add     pointers, pointers, #(8 * \count)
.endm
.macro load_pixels v, i, w, j
    ldr     q\v, [pixel_\i, in]
    ldr     q\w, [pixel_\j, in]
.endm
.macro load_first_pixels
    load_pixels 24, 0, 25, 1
    load_pixels 30, 2, 31, 3
.endm
// Pixels v<v> and v<w> become pair \pair, 0 or 1: v26, v27 or v28, v29.
.macro interleave pair, v, w
    .if \pair == 0
    zip1    v26.16b, v\v\().16b, v\w\().16b
    zip2    v27.16b, v\v\().16b, v\w\().16b
    .else
    zip1    v28.16b, v\v\().16b, v\w\().16b
    zip2    v29.16b, v\v\().16b, v\w\().16b
    .endif
.endm
.macro interleave_first_pixels
    interleave 0, 24, 25
    interleave 1, 30, 31
.endm

// `\dots s, v`, s = 0 to 3, with the pixels of pair \pair and of the one after it in v: channels 4 s to 4 s + 3.
.macro each_four pair, dots
    .if \pair == 0
    four_of v26, v27, v28, v29, \dots
    .else
    four_of v28, v29, v26, v27, \dots
    .endif
.endm
// The same, with registers named: \low, \next_low have channels 0-7, \high, \next_high 8-15. Clobbers v30, v31.
.macro four_of low, high, next_low, next_high, dots
    zip1    v30.8h, \low\().8h, \next_low\().8h
    zip2    v31.8h, \low\().8h, \next_low\().8h
    \dots   0, 30
    \dots   1, 31
    zip1    v30.8h, \high\().8h, \next_high\().8h
    zip2    v31.8h, \high\().8h, \next_high\().8h
    \dots   2, 30
    \dots   3, 31
.endm
.macro dot x, s, pixels, weight
    with_number dot_, (4 * \x + \s), \pixels, \weight
.endm
.macro dot_ sum, pixels, weight
    sdot    v\sum\().4s, v\pixels\().16b, v\weight\().16b
.endm

// ---- 3 x 3: the weights of a row stay in registers

.macro weights_of_3
    ldp     q16, q17, [row], #32
    ldp     q18, q19, [row], #32
.endm
// v20-v23 = the weights in v16-v19 of the next output.
.macro shifted_weights_of_3
    shl     v20.4s, v16.4s, #8
    shl     v21.4s, v17.4s, #8
    shl     v22.4s, v18.4s, #8
    shl     v23.4s, v19.4s, #8
.endm
.macro dot_3 x, s, pixels
    with_number dot_3_, (16 + \s), \x, \s, \pixels
.endm
.macro dot_3_ weight, x, s, pixels
    dot     \x, \s, \pixels, \weight
.endm
.macro dot_3_shifted x, s, pixels
    with_number dot_3_, (20 + \s), \x, \s, \pixels
.endm

.macro dots_3_s1_01 s, pixels
    dot_3   0, \s, \pixels
    dot_3_shifted 1, \s, \pixels
.endm
.macro dots_3_s1_23 s, pixels
    dot_3   2, \s, \pixels
    dot_3_shifted 3, \s, \pixels
.endm
// Sums += a row of the filter: outputs 0, 1 see pixels 0-3, outputs 2, 3 pixels 2-5. Clobbers v16-v31.
.macro row_3x3_s1
    load_pointers 6
    weights_of_3
    load_first_pixels
    shifted_weights_of_3
    interleave_first_pixels
    load_pixels 24, 4, 25, 5
    each_four 0, dots_3_s1_01
    interleave 0, 24, 25
    each_four 1, dots_3_s1_23
.endm

.irp x, 0, 1, 2, 3
.macro dots_3_s2_\x s, pixels
    dot_3   \x, \s, \pixels
.endm
.endr
// The same, stride 2: output x sees pixels 2 x and the three after it; the last one has no fourth.
.macro row_3x3_s2
    load_pointers 9
    weights_of_3
    load_first_pixels
    interleave_first_pixels
    load_pixels 24, 4, 25, 5
    each_four 0, dots_3_s2_0
    interleave 0, 24, 25
    load_pixels 24, 6, 25, 7
    each_four 1, dots_3_s2_1
    interleave 1, 24, 25
    ldr     q24, [pixel_8, in]
    each_four 0, dots_3_s2_2
    interleave 0, 24, 24
    each_four 1, dots_3_s2_3
.endm

// ---- 5 x 5: taps 0 to 3 of a row, tap 4 and zeros

// v16, v17 = both weights of channels 4 s to 4 s + 3.
.macro weights_of_5 s
    ldr     q16, [row, #(16 * \s)]
    ldr     q17, [row, #(64 + 16 * \s)]
.endm

// Pixels 0 to 3: output x begins at pixel x, so its weights are shifted by x pixels. Clobbers v16-v20.
.macro dots_5_s1_low s, pixels
    weights_of_5 \s
    shl     v18.4s, v16.4s, #8
    shl     v19.4s, v16.4s, #16
    shl     v20.4s, v16.4s, #24
    dot     0, \s, \pixels, 16
    dot     1, \s, \pixels, 18
    dot     2, \s, \pixels, 19
    dot     3, \s, \pixels, 20
.endm
// Pixels 4 to 7: tap 4, and what the shift took away. Clobbers v16-v20.
.macro dots_5_s1_high s, pixels
    weights_of_5 \s
    shl     v18.4s, v17.4s, #8
    shl     v19.4s, v17.4s, #16
    shl     v20.4s, v17.4s, #24
    sri     v18.4s, v16.4s, #24
    sri     v19.4s, v16.4s, #16
    sri     v20.4s, v16.4s, #8
    dot     0, \s, \pixels, 17
    dot     1, \s, \pixels, 18
    dot     2, \s, \pixels, 19
    dot     3, \s, \pixels, 20
.endm
// Sums += a row of the filter. Clobbers v16-v31.
.macro row_5x5_s1
    load_pointers 8
    load_first_pixels
    interleave_first_pixels
    load_pixels 24, 4, 25, 5
    each_four 0, dots_5_s1_low
    load_pixels 30, 6, 31, 7
    interleave_first_pixels
    each_four 0, dots_5_s1_high
    add     row, row, #128
.endm

// Output x begins at pixel 2 x; its last pixel is the first of the pair after the next.
.macro dots_5_s2_0 s, pixels
    weights_of_5 \s
    dot     0, \s, \pixels, 16
.endm
.macro dots_5_s2_2 s, pixels
    weights_of_5 \s
    dot     1, \s, \pixels, 16
.endm
.macro dots_5_s2_4 s, pixels
    weights_of_5 \s
    dot     2, \s, \pixels, 16
    dot     0, \s, \pixels, 17
.endm
.macro dots_5_s2_6 s, pixels
    weights_of_5 \s
    dot     3, \s, \pixels, 16
    dot     1, \s, \pixels, 17
.endm
// Pixels 8 to 11: tap 4 of output 2; tap 4 of output 3 is 2 pixels further on.
.macro dots_5_s2_8 s, pixels
    weights_of_5 \s
    shl     v18.4s, v17.4s, #16
    dot     2, \s, \pixels, 17
    dot     3, \s, \pixels, 18
.endm
// Sums += a row of the filter. Clobbers v16-v31.
.macro row_5x5_s2
    load_pointers 11
    load_first_pixels
    interleave_first_pixels
    load_pixels 24, 4, 25, 5
    each_four 0, dots_5_s2_0
    interleave 0, 24, 25
    load_pixels 24, 6, 25, 7
    each_four 1, dots_5_s2_2
    interleave 1, 24, 25
    load_pixels 24, 8, 25, 9
    each_four 0, dots_5_s2_4
    interleave 0, 24, 25
    ldr     q24, [pixel_10, in]
    each_four 1, dots_5_s2_6
    interleave 1, 24, 24
    each_four 0, dots_5_s2_8
    add     row, row, #128
.endm

// ---- results

// All sums start with what the panel has.
.macro start_sums
    ldp     q0, q1, [row]
    ldp     q2, q3, [row, #32]
    ldp     q4, q5, [row]
    ldp     q6, q7, [row, #32]
    ldp     q8, q9, [row]
    ldp     q10, q11, [row, #32]
    ldp     q12, q13, [row]
    ldp     q14, q15, [row, #32]
    add     row, row, #64
.endm

// `\op` for all sums; \more: the same register for each, or `scale`: v16 - v19.
.macro each_sum op, more
    .irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    \op     \i, \more
    .endr
.endm
.macro to_float i, more
    scvtf   v\i\().4s, v\i\().4s
.endm
.macro scale i, more
    with_number scale_, (16 + \i % 4), \i
.endm
.macro scale_ by, i
    fmul    v\i\().4s, v\i\().4s, v\by\().4s
.endm
.macro at_least i, bound
    fmax    v\i\().4s, v\i\().4s, \bound\().4s
.endm
.macro at_most i, bound
    fmin    v\i\().4s, v\i\().4s, \bound\().4s
.endm
// 1.5 * 2^23 is added: the low bytes are the sum, rounded to an integer.
.macro round i, by
    fadd    v\i\().4s, v\i\().4s, \by\().4s
.endm

// The low bytes of v<a> - v<d>, plus the zero point, in v<a>; halves first.
.macro halves a, b, c, d
    uzp1    v\a\().8h, v\a\().8h, v\b\().8h
    uzp1    v\c\().8h, v\c\().8h, v\d\().8h
.endm
.macro result_of b, a
    uzp1    v\a\().16b, v\a\().16b, v\b\().16b
.endm
.macro add_zero v
    add     v\v\().16b, v\v\().16b, v23.16b
.endm

// row: the scales. Output 0 is the last one: outputs that are not wanted have its pointer.
.macro store_results
    ldp     q16, q17, [row]
    ldp     q18, q19, [row, #32]
    add     pixel_0, args, #DWCONV_TILE_lo
    add     pixel_1, args, #DWCONV_TILE_zero
    ld2r    {v20.4s, v21.4s}, [pixel_0]
    ld1r    {v23.16b}, [pixel_1]
    movi    v22.4s, #0x4b, lsl #24
    orr     v22.4s, #0x40, lsl #16
    each_sum to_float
    each_sum scale
    each_sum at_least, v20
    each_sum at_most, v21
    each_sum round, v22
    ldp     pixel_0, pixel_1, [dst]
    ldp     pixel_2, pixel_3, [dst, #16]
    halves  12, 13, 14, 15
    halves  8, 9, 10, 11
    halves  4, 5, 6, 7
    halves  0, 1, 2, 3
    .irp i, 12, 8, 4, 0
    with_number result_of, (\i + 2), \i
    .endr
    .irp i, 12, 8, 4, 0
    add_zero \i
    .endr
    str     q12, [pixel_3, out]
    str     q8, [pixel_2, out]
    str     q4, [pixel_1, out]
    str     q0, [pixel_0, out]
.endm

// All blocks of channels of a tile; \row_of: the products of a row of the filter.
.macro dwconv_tile name, filter, row_of
func \name, hidden
    frame   d8-d15, x19-x21
    ldp     src, dst, [args, #DWCONV_TILE_src]
    ldp     weights, in, [args, #DWCONV_TILE_weights]
    ldp     out, blocks, [args, #DWCONV_TILE_dst_offset]
    mov     row, weights

KAI_LOCAL(\name\()_block):
    mov     pointers, src
    mov     rows, #\filter
    start_sums
KAI_LOCAL(\name\()_row):
    \row_of
    subs    rows, rows, #1
    b.ne    KAI_LOCAL(\name\()_row)
    store_results
    add     row, row, #64                       // the next panel
    add     in, in, #16
    add     out, out, #16
    subs    blocks, blocks, #1
    b.ne    KAI_LOCAL(\name\()_block)
    return
endfunc
.endm

dwconv_tile kai_kernel_dwconv_int8_3x3_s1_neon_dotprod, 3, row_3x3_s1
dwconv_tile kai_kernel_dwconv_int8_3x3_s2_neon_dotprod, 3, row_3x3_s2
dwconv_tile kai_kernel_dwconv_int8_5x5_s1_neon_dotprod, 5, row_5x5_s1
dwconv_tile kai_kernel_dwconv_int8_5x5_s2_neon_dotprod, 5, row_5x5_s2
