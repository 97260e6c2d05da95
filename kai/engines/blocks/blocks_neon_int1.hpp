// Weights of 1 bit with tiles of SMMLA and SDOT (blocks_neon_int1_tile.inc), few rows by tables
// (blocks_neon_int1_rows.cpp).
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/blocks/blocks_neon_tiles.hpp"
#include "kai/engines/core/catalogue.hpp"

extern "C" {
/// dst = clamp(LHS x RHS), row by row. lhs: panels of mr rows, in groups of 8 k. rhs: panels of 16 columns.
[[gnu::visibility("hidden")]] void kai_matmul_int1_rows_neon(
    size_t mr, size_t m, size_t n, size_t k, size_t bl, const void* lhs, const void* rhs, void* dst, size_t dst_stride,
    float lo, float hi);
}

/// As KAI_DEFINE_MATMUL_BLOCKS, but up to ROWS rows are looked up: tiles of so few decode as much as they multiply. Not
/// for few columns: making the tables takes as long as 64 of them.
#define KAI_DEFINE_MATMUL_INT1(ROWS, NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP)                                \
    KAI_DEFINE_MATMUL_GETTERS_BL(NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP, sizeof(float))                     \
    KAI_RUN_MATMUL_BL(NAME, float) {                                                                                \
        kai::check_blocks(kai::RHS, k, bl);                                                                         \
        kai::check_output(dst_stride_col, sizeof(float), clamp_min, clamp_max);                                     \
        if (m <= (ROWS) && n >= kai::BlocksLimits::kTableColumns) {                                                 \
            return kai_matmul_int1_rows_neon(MR, m, n, k, bl, lhs, rhs, dst, dst_stride_row, clamp_min, clamp_max); \
        }                                                                                                           \
        static constexpr auto kernel = kai::kernel<kai::LHS, kai::RHS, MR, NR, KR, M_STEP, float>();                \
        kai::matmul_blocks(kernel, m, n, k, bl, lhs, rhs, dst, dst_stride_row, clamp_min, clamp_max);               \
    }
