// Packers for depthwise convolution: filter and bias, in blocks of w channels. w: for SME, elements of a streaming
// vector; else those of 16 bytes.
//
//     block: | bias: w | tap (0, 0): w | tap (0, 1): w | ... |
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/kai_fn_types.h"

KAI_BEGIN_DECLARATIONS

/// Size of the packed filter and bias.
typedef size_t kai_get_rhs_dwconv_size_fn(size_t filter_height, size_t filter_width, size_t num_channels);

/// Packs a filter [height][width][num_channels] and its bias [num_channels] (NULL: zeros). Missing channels of the last
/// block become zero. No channels: nothing is read or written, pointers may be NULL.
/// @pre height = filter_height, width = filter_width.
typedef void kai_run_rhs_dwconv_pack_fn(
    size_t filter_height, size_t filter_width, size_t height, size_t width, size_t num_channels, const void* rhs,
    const void* bias, void* rhs_packed);

/// 32-bit elements. Copies bits.
kai_get_rhs_dwconv_size_fn kai_rhs_get_dst_size_dwconv_pack_x32p1vlx1b_x32_x32_sme;
kai_run_rhs_dwconv_pack_fn kai_run_rhs_dwconv_pack_x32p1vlx1b_x32_x32_sme;

kai_get_rhs_dwconv_size_fn kai_rhs_get_dst_size_dwconv_pack_x32p4x1b_x32_x32;
kai_run_rhs_dwconv_pack_fn kai_run_rhs_dwconv_pack_x32p4x1b_x32_x32;

/// 16-bit elements. Copies bits.
kai_get_rhs_dwconv_size_fn kai_rhs_get_dst_size_dwconv_pack_x16p1vlx1b_x16_x16_sme;
kai_run_rhs_dwconv_pack_fn kai_run_rhs_dwconv_pack_x16p1vlx1b_x16_x16_sme;
kai_get_rhs_dwconv_size_fn kai_rhs_get_dst_size_dwconv_pack_x16p8x1b_x16_x16;
kai_run_rhs_dwconv_pack_fn kai_run_rhs_dwconv_pack_x16p8x1b_x16_x16;

/// Packs an int8 filter [height][width][num_channels] in panels of nr channels:
///
///     | start: nr int32 | taps | scale: nr f32 |
///
/// Start: bias[c] - params->lhs_zero_point * sum of the channel's taps, wraps around. Taps: of each row of the filter
/// in groups of kr, | channel 0: kr taps | channel 1: kr taps | ...; the last group of a row ends with zeros. Scale:
/// scale[c] * params->scale_multiplier. Missing channels become zero.
///
/// @param filter_height, filter_width, num_channels, rhs, rhs_packed  As above.
/// @param bias    int32 per channel, or NULL for zeros: in units of input scale x filter scale.
/// @param scale   f32 per channel.
/// @param params  Zero point of the input; scale_multiplier: input scale / output scale.
typedef void kai_run_rhs_dwconv_pack_qs8cx_i32_fn(
    size_t filter_height, size_t filter_width, size_t num_channels, const void* rhs, const void* bias,
    const void* scale, void* rhs_packed, const struct kai_rhs_pack_qsi8cx_params* params);

/// nr: the bytes of a streaming vector; kr 1.
kai_get_rhs_dwconv_size_fn kai_rhs_get_dst_size_dwconv_pack_qsi8cxp4vlx1sb_qs8cx_f32_i32_sme;
kai_run_rhs_dwconv_pack_qs8cx_i32_fn kai_run_rhs_dwconv_pack_qsi8cxp4vlx1sb_qs8cx_f32_i32_sme;

/// nr 16, kr 1: taps in row-major order.
kai_get_rhs_dwconv_size_fn kai_rhs_get_dst_size_dwconv_pack_qsi8cxp16x1sb_qs8cx_f32_i32;
kai_run_rhs_dwconv_pack_qs8cx_i32_fn kai_run_rhs_dwconv_pack_qsi8cxp16x1sb_qs8cx_f32_i32;

/// nr 16, kr 4.
kai_get_rhs_dwconv_size_fn kai_rhs_get_dst_size_dwconv_pack_qsi8cxp16x4sb_qs8cx_f32_i32;
kai_run_rhs_dwconv_pack_qs8cx_i32_fn kai_run_rhs_dwconv_pack_qsi8cxp16x4sb_qs8cx_f32_i32;

KAI_END_DECLARATIONS
