// Blocks of any length with SMMLA.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/blocks/blocks_neon_long.hpp"

void kai_long_4x8_neon_i8mm(const kai::TileArgs* args, const kai::BlockOperands* of, size_t panels) {
    kai::long_panels<kai::MmlaRows, 4>(*args, *of, panels);
}
void kai_long_8x8_neon_i8mm(const kai::TileArgs* args, const kai::BlockOperands* of, size_t panels) {
    kai::long_panels<kai::MmlaRows, 8>(*args, *of, panels);
}
