// Depthwise convolution, f32, channels innermost: 3 x 3, stride 1, up to 4 rows of the output per call; and, at the
// end, tiles of the output by tables of pointers.
//
//     dst[y][x][c] = clamp(bias[c] + sum over kx, ky of src[y + ky - top][x + kx - left][c] * filter[ky][kx][c])
//
// Taps outside the image are skipped. One chain of fused multiply-adds that starts at the bias, kx ascending, then ky.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/kai_fn_types.h"

KAI_BEGIN_DECLARATIONS

/// Computes min(valid_dst_rows, 4) rows of the output, over their whole width and all channels. Rows have no gaps: the
/// sizes follow from the strides, channels = in_stride_col / 4, input width = in_stride_row / in_stride_col,
/// output width = dst_stride_row / dst_stride_col.
///
/// @param src               First existing row of the input that the call needs: max(0, y - top) for output row
///                          y (`get_src_offset`).
/// @param rhs_packed        Packed filter and bias (kai_rhs_dwconv_pack.h).
/// @param dst               Output row y, a multiple of m_step.
/// @param valid_input_rows  Rows from src to the end of the image.
/// @param valid_dst_rows    Rows of the output from y on.
/// @param pad_left          Columns of padding on the left; the padding on the right follows from the widths.
/// @param pad_top           Rows of padding above the input in this call: max(0, top - y).
/// @param pad_value         Must be 0.
/// @param in_stride_row, in_stride_col    Bytes from one row, one pixel of the input to the next.
/// @param dst_stride_row, dst_stride_col  The same of the output.
/// @param clamp_min, clamp_max            Bounds of the results.
///
/// No rows, columns or channels of the output: nothing is read or written, pointers may be NULL. `src` may also be NULL
/// if the input has no rows.
/// @pre in_stride_col = dst_stride_col; clamp_min <= clamp_max.
typedef void kai_dwconv_clamp_f32_f32_f32p_run_fn(
    const void* src, const void* rhs_packed, void* dst, size_t in_stride_row, size_t in_stride_col,
    size_t dst_stride_row, size_t dst_stride_col, size_t valid_input_rows, size_t valid_dst_rows, size_t pad_left,
    size_t pad_top, float pad_value, float clamp_min, float clamp_max);

/// @name The functions of one micro-kernel, as a table
/// @{
typedef size_t (*kai_dwconv_clamp_f32_f32_f32p_planar_get_m_step_func_t)(void);
typedef size_t (*kai_dwconv_clamp_f32_f32_f32p_planar_get_dst_offset_func_t)(size_t out_row_idx, size_t dst_stride_row);
typedef size_t (*kai_dwconv_clamp_f32_f32_f32p_planar_get_dst_size_func_t)(
    size_t out_height, size_t out_width, size_t num_channels);
typedef kai_dwconv_clamp_f32_f32_f32p_run_fn* kai_dwconv_clamp_f32_f32_f32p_planar_run_dwconv_func_t;

struct kai_dwconv_clamp_f32_f32_f32p_planar_ukernel {
    kai_dwconv_clamp_f32_f32_f32p_planar_get_m_step_func_t get_m_step;
    kai_dwconv_clamp_f32_f32_f32p_planar_get_dst_offset_func_t get_dst_offset;
    kai_dwconv_clamp_f32_f32_f32p_planar_get_dst_size_func_t get_dst_size;
    kai_dwconv_clamp_f32_f32_f32p_planar_run_dwconv_func_t run_dwconv;
};
/// @}

/// FMLA in streaming mode.
size_t kai_get_m_step_dwconv_clamp_f32_f32_f32p1vlx1b_3x3_s1_4xc_sme2_mla(void);
size_t kai_get_filter_height_dwconv_clamp_f32_f32_f32p1vlx1b_3x3_s1_4xc_sme2_mla(void);
size_t kai_get_filter_width_dwconv_clamp_f32_f32_f32p1vlx1b_3x3_s1_4xc_sme2_mla(void);
size_t kai_get_kr_dwconv_clamp_f32_f32_f32p1vlx1b_3x3_s1_4xc_sme2_mla(void);
size_t kai_get_dst_size_dwconv_clamp_f32_f32_f32p1vlx1b_3x3_s1_4xc_sme2_mla(
    size_t dst_height, size_t dst_width, size_t num_channels);
size_t kai_get_dst_offset_dwconv_clamp_f32_f32_f32p1vlx1b_3x3_s1_4xc_sme2_mla(
    size_t dst_row_idx, size_t dst_stride_row);
size_t kai_get_src_offset_dwconv_clamp_f32_f32_f32p1vlx1b_3x3_s1_4xc_sme2_mla(size_t in_row_idx, size_t in_stride_row);
kai_dwconv_clamp_f32_f32_f32p_run_fn kai_run_dwconv_clamp_f32_f32_f32p1vlx1b_3x3_s1_4xc_sme2_mla;

/// @name By tables of pointers, with any strides, dilation and padding. Each product is added with one rounding, bias
/// first, taps in row-major order. Padding is multiplied like other pixels.
/// @{

/// FMLA that adds to ZA: tiles of 2 x 4 outputs. Packed by kai_rhs_dwconv_pack_x32p1vlx1b_x32_x32_sme.
kai_run_dwconv_tiles_fn kai_run_dwconv_clamp_f32_f32_f32p1vlx1b_3x3_s1_2x4_sme2_mla;
KAI_DECLARE_GETTERS(DWCONV_TILES, dwconv_clamp_f32_f32_f32p1vlx1b_3x3_s1_2x4_sme2_mla)
kai_run_dwconv_tiles_fn kai_run_dwconv_clamp_f32_f32_f32p1vlx1b_3x3_s2_2x4_sme2_mla;
KAI_DECLARE_GETTERS(DWCONV_TILES, dwconv_clamp_f32_f32_f32p1vlx1b_3x3_s2_2x4_sme2_mla)
kai_run_dwconv_tiles_fn kai_run_dwconv_clamp_f32_f32_f32p1vlx1b_5x5_s1_2x4_sme2_mla;
KAI_DECLARE_GETTERS(DWCONV_TILES, dwconv_clamp_f32_f32_f32p1vlx1b_5x5_s1_2x4_sme2_mla)
kai_run_dwconv_tiles_fn kai_run_dwconv_clamp_f32_f32_f32p1vlx1b_5x5_s2_2x4_sme2_mla;
KAI_DECLARE_GETTERS(DWCONV_TILES, dwconv_clamp_f32_f32_f32p1vlx1b_5x5_s2_2x4_sme2_mla)

/// FMLA: tiles of 2 x 4 outputs that share their inputs.
kai_run_dwconv_tiles_fn kai_run_dwconv_clamp_f32_f32_f32p4x1b_3x3_s1_2x4_neon_mla;
KAI_DECLARE_GETTERS(DWCONV_TILES, dwconv_clamp_f32_f32_f32p4x1b_3x3_s1_2x4_neon_mla)
kai_run_dwconv_tiles_fn kai_run_dwconv_clamp_f32_f32_f32p4x1b_3x3_s2_2x4_neon_mla;
KAI_DECLARE_GETTERS(DWCONV_TILES, dwconv_clamp_f32_f32_f32p4x1b_3x3_s2_2x4_neon_mla)
kai_run_dwconv_tiles_fn kai_run_dwconv_clamp_f32_f32_f32p4x1b_5x5_s1_2x4_neon_mla;
KAI_DECLARE_GETTERS(DWCONV_TILES, dwconv_clamp_f32_f32_f32p4x1b_5x5_s1_2x4_neon_mla)
kai_run_dwconv_tiles_fn kai_run_dwconv_clamp_f32_f32_f32p4x1b_5x5_s2_2x4_neon_mla;
KAI_DECLARE_GETTERS(DWCONV_TILES, dwconv_clamp_f32_f32_f32p4x1b_5x5_s2_2x4_neon_mla)
kai_run_dwconv_tiles_fn kai_run_dwconv_clamp_f32_f32_f32p4x1b_7x7_s1_2x4_neon_mla;
KAI_DECLARE_GETTERS(DWCONV_TILES, dwconv_clamp_f32_f32_f32p4x1b_7x7_s1_2x4_neon_mla)

/// FMLA: filters of any size, any channel multiplier.
kai_run_dwconv_tiles_fn kai_run_dwconv_clamp_f32_f32_f32p4x1b_1x4_neon_mla;
KAI_DECLARE_GETTERS(DWCONV_TILES, dwconv_clamp_f32_f32_f32p4x1b_1x4_neon_mla)

/// Portable C++: filters of any size, any channel multiplier. On hosts without an instruction for fused multiply-add,
/// products are rounded as well.
kai_run_dwconv_tiles_fn kai_run_dwconv_clamp_f32_f32_f32p4x1b_1x4_portable;
KAI_DECLARE_GETTERS(DWCONV_TILES, dwconv_clamp_f32_f32_f32p4x1b_1x4_portable)
/// @}

KAI_END_DECLARATIONS
