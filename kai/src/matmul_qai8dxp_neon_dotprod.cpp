// The tiles of the qai8dxp GEMM with SDOT (matmul_qai8dxp_neon_dotprod.S), per kind of RHS.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/src/matmul_qai8dxp_neon.hpp"

extern "C" {
kai::GemmTileFn kai_sums_4x4_neon_dotprod, kai_sums_8x4_neon_dotprod, kai_sums_16x4_neon_dotprod,
    kai_sums_12x8_neon_dotprod;
kai::GemmTileFn kai_block_sums_4x4_neon_dotprod, kai_block_sums_8x4_neon_dotprod, kai_block_sums_16x4_neon_dotprod;
}

const kai::GemmTiles kai_tiles_int8_neon_dotprod{
    {kai_sums_4x4_neon_dotprod, kai_sums_8x4_neon_dotprod, kai_sums_16x4_neon_dotprod},
    kai_sums_12x8_neon_dotprod,
    nullptr,
    4,
    {},
    0};
const kai::GemmTiles kai_tiles_int4_neon_dotprod{
    {kai_sums_4x4_neon_dotprod, kai_sums_8x4_neon_dotprod, kai_sums_16x4_neon_dotprod},
    kai_sums_12x8_neon_dotprod,
    kai_decode_int4_neon,
    4,
    {},
    0};
const kai::GemmTiles kai_tiles_int2_neon_dotprod{
    {kai_sums_4x4_neon_dotprod, kai_sums_8x4_neon_dotprod, kai_sums_16x4_neon_dotprod},
    kai_sums_12x8_neon_dotprod,
    kai_decode_int2_neon,
    4,
    {},
    0};
const kai::GemmTiles kai_tiles_int4_blocks_neon_dotprod{
    {kai_block_sums_4x4_neon_dotprod, kai_block_sums_8x4_neon_dotprod, kai_block_sums_16x4_neon_dotprod},
    nullptr,
    kai_decode_int4_neon,
    4,
    {},
    0};
