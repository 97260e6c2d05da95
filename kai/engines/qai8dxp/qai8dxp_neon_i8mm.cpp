// The tiles of the qai8dxp GEMM with SMMLA (qai8dxp_neon_i8mm.S), per kind of RHS.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/qai8dxp/qai8dxp_neon.hpp"

extern "C" {
kai::GemmTileFn kai_sums_4x4_neon_i8mm, kai_sums_8x4_neon_i8mm, kai_sums_16x4_neon_i8mm;
kai::GemmTileFn kai_block_sums_4x4_neon_i8mm, kai_block_sums_8x4_neon_i8mm, kai_block_sums_16x4_neon_i8mm;
kai::FewFn kai_few_int8_2_neon_i8mm, kai_few_int8_4_neon_i8mm, kai_few_int8_8_neon_i8mm;
kai::FewFn kai_few_int4_2_neon_i8mm, kai_few_int4_4_neon_i8mm, kai_few_int4_8_neon_i8mm;
kai::FewFn kai_few_blocks_int4_2_neon_i8mm, kai_few_blocks_int4_4_neon_i8mm, kai_few_blocks_int4_8_neon_i8mm;
}

// SIX: for 5 and 6 rows; null where 4 and then 1 or 2 are faster than 8.
#define KAI_FEW(TWO, FOUR, SIX, EIGHT) \
    { TWO, TWO, FOUR, FOUR, SIX, SIX, EIGHT, EIGHT }

const kai::GemmTiles kai_tiles_int8_neon_i8mm{
    {kai_sums_4x4_neon_i8mm, kai_sums_8x4_neon_i8mm, kai_sums_16x4_neon_i8mm},
    nullptr,
    nullptr,
    8,
    KAI_FEW(kai_few_int8_2_neon_i8mm, kai_few_int8_4_neon_i8mm, nullptr, kai_few_int8_8_neon_i8mm),
    15};
const kai::GemmTiles kai_tiles_int4_neon_i8mm{
    {kai_sums_4x4_neon_i8mm, kai_sums_8x4_neon_i8mm, kai_sums_16x4_neon_i8mm},
    nullptr,
    kai_decode_int4_neon,
    8,
    KAI_FEW(kai_few_int4_2_neon_i8mm, kai_few_int4_4_neon_i8mm, kai_few_int4_8_neon_i8mm, kai_few_int4_8_neon_i8mm),
    16};
const kai::GemmTiles kai_tiles_int4_blocks_neon_i8mm{
    {kai_block_sums_4x4_neon_i8mm, kai_block_sums_8x4_neon_i8mm, kai_block_sums_16x4_neon_i8mm},
    nullptr,
    kai_decode_int4_neon,
    8,
    KAI_FEW(kai_few_blocks_int4_2_neon_i8mm, kai_few_blocks_int4_4_neon_i8mm, nullptr, kai_few_blocks_int4_8_neon_i8mm),
    24};
