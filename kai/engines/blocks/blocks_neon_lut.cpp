// f32 <- qsi8d32p x indices of a table with LUTI4 and SDOT, one row (blocks_neon_lut_rows.S); blocks that are not of
// 32: TBL. The same of 2 bits with LUTI2, blocks of any length (blocks_neon_lut_int2_row.S).
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/blocks/blocks_neon_tiles.hpp"
#include "kai/engines/core/catalogue.hpp"

extern "C" kai::RowFn kai_row_qsi8d32p1x8_qlu4c32p4x8_neon_lut, kai_row_qsi8d32p1x8_qsi2c32p4x8_neon_lut;

namespace kai {
namespace {

template <>
constexpr RowFn* kRow<qlu4c32p, 16> = kai_row_qsi8d32p1x8_qlu4c32p4x8_neon_lut;
template <>
constexpr RowFn* kRow<qsi2c32p, 16> = kai_row_qsi8d32p1x8_qsi2c32p4x8_neon_lut;

}  // namespace
}  // namespace kai

#define KAI_ISA_neon_lut KAI_LINES(KAI_DEFINE_MATMUL_BLOCKS)
#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, float, float, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qlu4c32p/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qsi2c32p/ukernels.def"
