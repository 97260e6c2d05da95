// Packers for depthwise convolution: filter and bias, in blocks of w channels, w = elements of a streaming vector.
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

/// 16-bit elements. Copies bits.
kai_get_rhs_dwconv_size_fn kai_rhs_get_dst_size_dwconv_pack_x16p1vlx1b_x16_x16_sme;
kai_run_rhs_dwconv_pack_fn kai_run_rhs_dwconv_pack_x16p1vlx1b_x16_x16_sme;

KAI_END_DECLARATIONS
