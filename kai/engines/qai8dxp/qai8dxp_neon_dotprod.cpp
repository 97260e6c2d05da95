// The tiles of the qai8dxp GEMM with SDOT (qai8dxp_neon_dotprod.S), per kind of RHS.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/qai8dxp/qai8dxp_neon.hpp"

extern "C" {
kai::GemmTileFn kai_sums_4x4_neon_dotprod, kai_sums_8x4_neon_dotprod, kai_sums_16x4_neon_dotprod,
    kai_sums_12x8_neon_dotprod;
kai::GemmTileFn kai_block_sums_4x4_neon_dotprod, kai_block_sums_8x4_neon_dotprod, kai_block_sums_16x4_neon_dotprod;
kai::FewFn kai_few_int8_1_neon_dotprod, kai_few_int8_2_neon_dotprod, kai_few_int8_3_neon_dotprod,
    kai_few_int8_4_neon_dotprod, kai_few_int8_8_neon_dotprod;
kai::FewFn kai_few_int4_1_neon_dotprod, kai_few_int4_2_neon_dotprod, kai_few_int4_3_neon_dotprod,
    kai_few_int4_4_neon_dotprod, kai_few_int4_8_neon_dotprod;
kai::FewFn kai_few_int2_1_neon_dotprod, kai_few_int2_2_neon_dotprod, kai_few_int2_3_neon_dotprod,
    kai_few_int2_4_neon_dotprod, kai_few_int2_8_neon_dotprod;
kai::FewFn kai_few_blocks_int4_1_neon_dotprod, kai_few_blocks_int4_2_neon_dotprod, kai_few_blocks_int4_3_neon_dotprod,
    kai_few_blocks_int4_4_neon_dotprod, kai_few_blocks_int4_8_neon_dotprod;
}

const kai::GemmTiles kai_tiles_int8_neon_dotprod{
    {kai_sums_4x4_neon_dotprod, kai_sums_8x4_neon_dotprod, kai_sums_16x4_neon_dotprod},
    kai_sums_12x8_neon_dotprod,
    nullptr,
    4,
    {kai_few_int8_1_neon_dotprod, kai_few_int8_2_neon_dotprod, kai_few_int8_3_neon_dotprod, kai_few_int8_4_neon_dotprod,
     nullptr, nullptr, nullptr, kai_few_int8_8_neon_dotprod},
    20};
const kai::GemmTiles kai_tiles_int4_neon_dotprod{
    {kai_sums_4x4_neon_dotprod, kai_sums_8x4_neon_dotprod, kai_sums_16x4_neon_dotprod},
    kai_sums_12x8_neon_dotprod,
    kai_decode_int4_neon,
    4,
    {kai_few_int4_1_neon_dotprod, kai_few_int4_2_neon_dotprod, kai_few_int4_3_neon_dotprod, kai_few_int4_4_neon_dotprod,
     nullptr, nullptr, nullptr, kai_few_int4_8_neon_dotprod},
    16};
const kai::GemmTiles kai_tiles_int2_neon_dotprod{
    {kai_sums_4x4_neon_dotprod, kai_sums_8x4_neon_dotprod, kai_sums_16x4_neon_dotprod},
    kai_sums_12x8_neon_dotprod,
    kai_decode_int2_neon,
    4,
    {kai_few_int2_1_neon_dotprod, kai_few_int2_2_neon_dotprod, kai_few_int2_3_neon_dotprod, kai_few_int2_4_neon_dotprod,
     nullptr, nullptr, nullptr, kai_few_int2_8_neon_dotprod},
    16};
const kai::GemmTiles kai_tiles_int4_blocks_neon_dotprod{
    {kai_block_sums_4x4_neon_dotprod, kai_block_sums_8x4_neon_dotprod, kai_block_sums_16x4_neon_dotprod},
    nullptr,
    kai_decode_int4_neon,
    4,
    {kai_few_blocks_int4_1_neon_dotprod, kai_few_blocks_int4_2_neon_dotprod, kai_few_blocks_int4_3_neon_dotprod,
     kai_few_blocks_int4_4_neon_dotprod, nullptr, nullptr, nullptr, kai_few_blocks_int4_8_neon_dotprod},
    24};
