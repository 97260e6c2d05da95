// Blocks of any length with SDOT.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/blocks/blocks_neon_long.hpp"

/// One row, whose groups of GROUP k stand together, x panels of NR columns.
#define KAI_DEFINE_LONG_ROW(NR, GROUP)                                                                                \
    void kai_long_row_##NR##x##GROUP##_neon_dotprod(                                                                  \
        const uint8_t* lhs, const uint8_t* rhs, size_t rhs_stride, void* dst, size_t quads, size_t blocks, float lo,  \
        float hi, size_t bl, const kai::BlockOperands* of) {                                                          \
        kai::long_row<kai::DotRow<GROUP>, NR>(lhs, rhs, rhs_stride, kai::bytes(dst), quads, blocks, lo, hi, bl, *of); \
    }
KAI_DEFINE_LONG_ROW(4, 4)
KAI_DEFINE_LONG_ROW(4, 8)
KAI_DEFINE_LONG_ROW(8, 4)
KAI_DEFINE_LONG_ROW(8, 8)

void kai_long_4x4_neon_dotprod(const kai::TileArgs* args, const kai::BlockOperands* of, size_t panels) {
    kai::long_panels<kai::DotRows, 4>(*args, *of, panels);
}
