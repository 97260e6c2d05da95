// Depthwise convolution of int8, quantised statically: pixels asymmetric with one zero point, filter symmetric with a
// scale per channel; tiles of the output by tables of pointers, with any strides, dilation and padding.
//
//     acc = bias[c] + sum over ky, kx of src[y + ky][x + kx][c] * filter[ky][kx][c]
//     t = round(f32(acc) * scale[c]), to nearest, ties to even
//     dst[y][x][c] = clamp(saturate32(t) + output_zero_point)
//
// acc is int32 and wraps around. The packed bias[c] includes the term of the input's zero point
// (kai_rhs_dwconv_pack.h): pixels of padding hold that zero point. Scales are numbers, not NaN.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/kai_fn_types.h"

KAI_BEGIN_DECLARATIONS

/// SMLALL that adds to ZA: tiles of 1 x 4 outputs.
kai_run_dwconv_tiles_qai8_fn kai_run_dwconv_clamp_qai8_qai8_qsi8cxp4vlx1bi32sf32_3x3_s1_1x4_sme2_mlal;
KAI_DECLARE_GETTERS(DWCONV_TILES, dwconv_clamp_qai8_qai8_qsi8cxp4vlx1bi32sf32_3x3_s1_1x4_sme2_mlal)
kai_run_dwconv_tiles_qai8_fn kai_run_dwconv_clamp_qai8_qai8_qsi8cxp4vlx1bi32sf32_3x3_s2_1x4_sme2_mlal;
KAI_DECLARE_GETTERS(DWCONV_TILES, dwconv_clamp_qai8_qai8_qsi8cxp4vlx1bi32sf32_3x3_s2_1x4_sme2_mlal)
kai_run_dwconv_tiles_qai8_fn kai_run_dwconv_clamp_qai8_qai8_qsi8cxp4vlx1bi32sf32_5x5_s1_1x4_sme2_mlal;
KAI_DECLARE_GETTERS(DWCONV_TILES, dwconv_clamp_qai8_qai8_qsi8cxp4vlx1bi32sf32_5x5_s1_1x4_sme2_mlal)
kai_run_dwconv_tiles_qai8_fn kai_run_dwconv_clamp_qai8_qai8_qsi8cxp4vlx1bi32sf32_5x5_s2_1x4_sme2_mlal;
KAI_DECLARE_GETTERS(DWCONV_TILES, dwconv_clamp_qai8_qai8_qsi8cxp4vlx1bi32sf32_5x5_s2_1x4_sme2_mlal)

/// SDOT: tiles of 1 x 4 outputs. Taps of a row of the filter are packed in fours.
kai_run_dwconv_tiles_qai8_fn kai_run_dwconv_clamp_qai8_qai8_qsi8cxp16x4bi32sf32_3x3_s1_1x4_neon_dotprod;
KAI_DECLARE_GETTERS(DWCONV_TILES, dwconv_clamp_qai8_qai8_qsi8cxp16x4bi32sf32_3x3_s1_1x4_neon_dotprod)
kai_run_dwconv_tiles_qai8_fn kai_run_dwconv_clamp_qai8_qai8_qsi8cxp16x4bi32sf32_3x3_s2_1x4_neon_dotprod;
KAI_DECLARE_GETTERS(DWCONV_TILES, dwconv_clamp_qai8_qai8_qsi8cxp16x4bi32sf32_3x3_s2_1x4_neon_dotprod)
kai_run_dwconv_tiles_qai8_fn kai_run_dwconv_clamp_qai8_qai8_qsi8cxp16x4bi32sf32_5x5_s1_1x4_neon_dotprod;
KAI_DECLARE_GETTERS(DWCONV_TILES, dwconv_clamp_qai8_qai8_qsi8cxp16x4bi32sf32_5x5_s1_1x4_neon_dotprod)
kai_run_dwconv_tiles_qai8_fn kai_run_dwconv_clamp_qai8_qai8_qsi8cxp16x4bi32sf32_5x5_s2_1x4_neon_dotprod;
KAI_DECLARE_GETTERS(DWCONV_TILES, dwconv_clamp_qai8_qai8_qsi8cxp16x4bi32sf32_5x5_s2_1x4_neon_dotprod)

/// SMULL and SMLAL, for Armv8.0: tiles of 1 x 4 outputs.
kai_run_dwconv_tiles_qai8_fn kai_run_dwconv_clamp_qai8_qai8_qsi8cxp16x1bi32sf32_3x3_s1_1x4_neon_mlal;
KAI_DECLARE_GETTERS(DWCONV_TILES, dwconv_clamp_qai8_qai8_qsi8cxp16x1bi32sf32_3x3_s1_1x4_neon_mlal)
kai_run_dwconv_tiles_qai8_fn kai_run_dwconv_clamp_qai8_qai8_qsi8cxp16x1bi32sf32_3x3_s2_1x4_neon_mlal;
KAI_DECLARE_GETTERS(DWCONV_TILES, dwconv_clamp_qai8_qai8_qsi8cxp16x1bi32sf32_3x3_s2_1x4_neon_mlal)
kai_run_dwconv_tiles_qai8_fn kai_run_dwconv_clamp_qai8_qai8_qsi8cxp16x1bi32sf32_5x5_s1_1x4_neon_mlal;
KAI_DECLARE_GETTERS(DWCONV_TILES, dwconv_clamp_qai8_qai8_qsi8cxp16x1bi32sf32_5x5_s1_1x4_neon_mlal)
kai_run_dwconv_tiles_qai8_fn kai_run_dwconv_clamp_qai8_qai8_qsi8cxp16x1bi32sf32_5x5_s2_1x4_neon_mlal;
KAI_DECLARE_GETTERS(DWCONV_TILES, dwconv_clamp_qai8_qai8_qsi8cxp16x1bi32sf32_5x5_s2_1x4_neon_mlal)

/// The same: filters of any size, any channel multiplier.
kai_run_dwconv_tiles_qai8_fn kai_run_dwconv_clamp_qai8_qai8_qsi8cxp16x1bi32sf32_1x4_neon_mlal;
KAI_DECLARE_GETTERS(DWCONV_TILES, dwconv_clamp_qai8_qai8_qsi8cxp16x1bi32sf32_1x4_neon_mlal)

/// Portable C++: filters of any size, any channel multiplier.
kai_run_dwconv_tiles_qai8_fn kai_run_dwconv_clamp_qai8_qai8_qsi8cxp16x1bi32sf32_1x4_portable;
KAI_DECLARE_GETTERS(DWCONV_TILES, dwconv_clamp_qai8_qai8_qsi8cxp16x1bi32sf32_1x4_portable)

KAI_END_DECLARATIONS
