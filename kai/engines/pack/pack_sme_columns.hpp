// Packers of K x N sources in streaming mode: what the C++ side hands to pack_sme_columns.S, pack_sme_qsi4.S.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/getters.hpp"
#include "kai/engines/pack/pack_args.h"

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
