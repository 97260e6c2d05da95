// The tiles of the qai8dxp GEMM with SMMLA (matmul_qai8dxp_neon_i8mm.S), per kind of RHS.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/src/matmul_qai8dxp_neon.hpp"

extern "C" {
kai::GemmTileFn kai_sums_4x4_neon_i8mm, kai_sums_8x4_neon_i8mm, kai_sums_16x4_neon_i8mm;
kai::GemmTileFn kai_block_sums_4x4_neon_i8mm, kai_block_sums_8x4_neon_i8mm, kai_block_sums_16x4_neon_i8mm;
}

const kai::GemmTiles kai_tiles_int8_neon_i8mm{
    {kai_sums_4x4_neon_i8mm, kai_sums_8x4_neon_i8mm, kai_sums_16x4_neon_i8mm}, nullptr, nullptr, 8, {}, 0};
const kai::GemmTiles kai_tiles_int4_neon_i8mm{
    {kai_sums_4x4_neon_i8mm, kai_sums_8x4_neon_i8mm, kai_sums_16x4_neon_i8mm}, nullptr, kai_decode_int4_neon, 8, {}, 0};
const kai::GemmTiles kai_tiles_int4_blocks_neon_i8mm{
    {kai_block_sums_4x4_neon_i8mm, kai_block_sums_8x4_neon_i8mm, kai_block_sums_16x4_neon_i8mm},
    nullptr,
    kai_decode_int4_neon,
    8,
    {},
    0};
