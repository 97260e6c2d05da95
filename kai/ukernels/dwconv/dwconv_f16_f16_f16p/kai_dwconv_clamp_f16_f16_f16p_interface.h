// Depthwise convolution, f16, channels innermost: 3 x 3, stride 1, a whole image per call; and, at the end, tiles of
// the output by tables of pointers.
//
//     dst[y][x][c] = clamp(bias[c] + sum over kx, ky of src[y + ky - top][x + kx - left][c] * filter[ky][kx][c])
//
// Taps outside the image are skipped. Fused f16 multiply-adds; the bounds of the clamp are converted to f16 first.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/kai_fn_types.h"

KAI_BEGIN_DECLARATIONS

/// Computes a whole image. Channels are contiguous.
///
/// @param src                First pixel of the input.
/// @param rhs_packed         Packed filter and bias (kai_rhs_dwconv_pack.h).
/// @param dst                First pixel of the output.
/// @param num_channels       Channels of input and output.
/// @param src_rows, src_cols Size of the input in pixels.
/// @param dst_rows, dst_cols Size of the output in pixels.
/// @param pad_left, pad_top  Padding; everything else outside src_rows x src_cols is padding as well.
/// @param in_stride_row, in_stride_col    Bytes from one row, one pixel of the input to the next; even.
/// @param out_stride_row, out_stride_col  The same of the output.
/// @param clamp_min, clamp_max            Bounds of the results.
///
/// No rows, columns or channels of the output: nothing is read or written, pointers may be NULL. `src` may also be NULL
/// if the input has no rows or columns.
/// @pre clamp_min <= clamp_max.
typedef void kai_dwconv_clamp_f16_f16_f16p_run_fn(
    const void* src, const void* rhs_packed, void* dst, size_t num_channels, size_t src_rows, size_t src_cols,
    size_t dst_rows, size_t dst_cols, size_t pad_left, size_t pad_top, size_t in_stride_row, size_t in_stride_col,
    size_t out_stride_row, size_t out_stride_col, float clamp_min, float clamp_max);

/// @name The functions of one micro-kernel, as a table
/// @{
typedef size_t (*kai_dwconv_clamp_f16_f16_f16p_depthfirst_get_filter_height_func_t)(void);
typedef size_t (*kai_dwconv_clamp_f16_f16_f16p_depthfirst_get_filter_width_func_t)(void);
typedef size_t (*kai_dwconv_clamp_f16_f16_f16p_depthfirst_get_dst_size_func_t)(
    size_t out_height, size_t out_width, size_t num_channels);
typedef kai_dwconv_clamp_f16_f16_f16p_run_fn* kai_dwconv_clamp_f16_f16_f16p_depthfirst_run_dwconv_func_t;

struct kai_dwconv_clamp_f16_f16_f16p_depthfirst_ukernel {
    kai_dwconv_clamp_f16_f16_f16p_depthfirst_get_filter_height_func_t get_filter_height;
    kai_dwconv_clamp_f16_f16_f16p_depthfirst_get_filter_width_func_t get_filter_width;
    kai_dwconv_clamp_f16_f16_f16p_depthfirst_get_dst_size_func_t get_dst_size;
    kai_dwconv_clamp_f16_f16_f16p_depthfirst_run_dwconv_func_t run_dwconv;
};
/// @}

/// FMLA in streaming mode.
size_t kai_get_filter_height_dwconv_clamp_f16_f16_f16p1vlx1b_3x3_s1_4x4_sme2_mla(void);
size_t kai_get_filter_width_dwconv_clamp_f16_f16_f16p1vlx1b_3x3_s1_4x4_sme2_mla(void);
size_t kai_get_dst_size_dwconv_clamp_f16_f16_f16p1vlx1b_3x3_s1_4x4_sme2_mla(
    size_t dst_height, size_t dst_width, size_t num_channels);
kai_dwconv_clamp_f16_f16_f16p_run_fn kai_run_dwconv_clamp_f16_f16_f16p1vlx1b_3x3_s1_4x4_sme2_mla;

/// @name By tables of pointers, with any strides, dilation and padding. Each product is added with one rounding, bias
/// first, taps in row-major order. Padding is multiplied like other pixels.
/// @{

/// FMLA: tiles of 2 x 4 outputs that share their inputs.
kai_run_dwconv_tiles_fn kai_run_dwconv_clamp_f16_f16_f16p8x1b_3x3_s1_2x4_neon_mla;
KAI_DECLARE_GETTERS(DWCONV_TILES, dwconv_clamp_f16_f16_f16p8x1b_3x3_s1_2x4_neon_mla)
kai_run_dwconv_tiles_fn kai_run_dwconv_clamp_f16_f16_f16p8x1b_3x3_s2_2x4_neon_mla;
KAI_DECLARE_GETTERS(DWCONV_TILES, dwconv_clamp_f16_f16_f16p8x1b_3x3_s2_2x4_neon_mla)
kai_run_dwconv_tiles_fn kai_run_dwconv_clamp_f16_f16_f16p8x1b_5x5_s1_2x4_neon_mla;
KAI_DECLARE_GETTERS(DWCONV_TILES, dwconv_clamp_f16_f16_f16p8x1b_5x5_s1_2x4_neon_mla)
kai_run_dwconv_tiles_fn kai_run_dwconv_clamp_f16_f16_f16p8x1b_5x5_s2_2x4_neon_mla;
KAI_DECLARE_GETTERS(DWCONV_TILES, dwconv_clamp_f16_f16_f16p8x1b_5x5_s2_2x4_neon_mla)
kai_run_dwconv_tiles_fn kai_run_dwconv_clamp_f16_f16_f16p8x1b_7x7_s1_2x4_neon_mla;
KAI_DECLARE_GETTERS(DWCONV_TILES, dwconv_clamp_f16_f16_f16p8x1b_7x7_s1_2x4_neon_mla)

/// FMLA: filters of any size, any channel multiplier.
kai_run_dwconv_tiles_fn kai_run_dwconv_clamp_f16_f16_f16p8x1b_1x4_neon_mla;
KAI_DECLARE_GETTERS(DWCONV_TILES, dwconv_clamp_f16_f16_f16p8x1b_1x4_neon_mla)

/// Portable C++: filters of any size, any channel multiplier.
kai_run_dwconv_tiles_fn kai_run_dwconv_clamp_f16_f16_f16p8x1b_1x4_portable;
KAI_DECLARE_GETTERS(DWCONV_TILES, dwconv_clamp_f16_f16_f16p8x1b_1x4_portable)
/// @}

KAI_END_DECLARATIONS
