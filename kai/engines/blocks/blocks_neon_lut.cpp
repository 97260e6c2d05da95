// f32 <- qsi8d32p x qlu4c32p with LUTI4 and SDOT, one row (blocks_neon_lut_rows.S). Blocks that are not of 32: TBL.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/blocks/blocks_neon_tiles.hpp"
#include "kai/engines/core/catalogue.hpp"

extern "C" kai::RowFn kai_row_qsi8d32p1x8_qlu4c32p4x8_neon_lut;

namespace kai {
namespace {

template <>
constexpr RowFn* kRow<qlu4c32p, 16> = kai_row_qsi8d32p1x8_qlu4c32p4x8_neon_lut;

}  // namespace
}  // namespace kai

#define KAI_ISA_neon_lut KAI_LINES(KAI_DEFINE_MATMUL_BLOCKS)
#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, float, float, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qlu4c32p/ukernels.def"
