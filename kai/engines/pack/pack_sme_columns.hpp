// The streaming packers of K x N sources (kai/engines/pack/pack_sme_columns.inc), as C++ calls them.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/pack/pack_args.h"
#include "kai/engines/core/getters.hpp"

namespace kai {
namespace {

KAI_STRUCT(ColumnFields, KAI_COLUMN_FIELDS);
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
