// The streaming packers of K x N sources (kai/engines/pack/pack_sme_columns.inc), as C++ calls them.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/sme_args.h"
#include "kai/engines/core/getters.hpp"

namespace kai {
namespace {

/// The parts of bias' = bias + sum_scale * sum and scale' = scale * multiplier.
struct ColumnFields {
    const void* bias;   // int32 [n]; NULL: zeros
    const void* scale;  // f32 [n]
    int32_t sum_scale;
    float multiplier;
    uint8_t flip = 0;  // int4: what makes two's complement of a byte of the source
};
static_assert(offsetof(ColumnFields, bias) == KAI_FIELDS_BIAS);
static_assert(offsetof(ColumnFields, scale) == KAI_FIELDS_SCALE);
static_assert(offsetof(ColumnFields, sum_scale) == KAI_FIELDS_SUM_SCALE);
static_assert(offsetof(ColumnFields, multiplier) == KAI_FIELDS_MULTIPLIER);
static_assert(offsetof(ColumnFields, flip) == KAI_FIELDS_FLIP);

/// Packs n >= 1 columns of a source of chunks * length rows, `stride` bytes apart; each chunk is padded to whole groups
/// on its own.
///
/// @param dst           The panels.
/// @param fields        ColumnFields of formats with a scale, else the bias, NULL: zeros.
/// @param blocks        Width of a panel in blocks: 1 or 2, x32 also 16.
/// @param panel_stride  Bytes from panel to panel, 0: the size of a panel.
using PackColumns = void(
    size_t n, size_t length, const void* src, size_t stride, void* dst, const void* fields, size_t blocks,
    size_t panel_stride, size_t chunks);

}  // namespace
}  // namespace kai

extern "C" {
kai::PackColumns kai_kernel_pack_columns_x32_sme;
kai::PackColumns kai_kernel_pack_columns_x16_sme;
kai::PackColumns kai_kernel_pack_columns_bf16_sme;
kai::PackColumns kai_kernel_pack_columns_x8_sme;  // no fields
kai::PackColumns kai_kernel_pack_columns_qsi8_sme;
kai::PackColumns kai_kernel_pack_columns_qsi4_sme;
kai::PackColumns kai_kernel_pack_rows_qsi4_sme;  // N x K source, one chunk; ZA is committed
}
