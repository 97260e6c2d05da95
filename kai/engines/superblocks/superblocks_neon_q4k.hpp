// f32 <- qsi8d256p x super-blocks of 4 or 5 bits on NEON: tiles and rows in assembly, the loops of blocks_neon.cpp.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/blocks/blocks_neon_tiles.hpp"

namespace kai {
namespace {

constexpr size_t kSuperBlock = 256;

/// For store_tiles: how sums of a panel are ordered, and that there is no bias.
template <bool PAIRS>
struct Sums {
    static constexpr bool kPairs = PAIRS, kBias = false;
};

/// Panels of MR rows and groups of KR / 2 k by tiles; MR = 1 by ROW.
template <const Format& RHS, bool PAIRS, size_t MR, size_t KR>
KAI_INLINE void matmul_superblocks(
    const BlockTiles& tiles, RowFn* row, size_t m, size_t n, size_t k, const void* lhs, const void* rhs,
    Dst<float> dst) {
    constexpr Tile kLhs = {MR, KR, 2}, kRhs = {4, KR, 2};
    const size_t blocks = k / kSuperBlock, rhs_stride = RHS.stride(kRhs, k);
    if constexpr (MR == 1) {
        const Rows rows{m,          n,          4,         bytes(lhs), qsi8d256p.stride(kLhs, k),
                        bytes(rhs), rhs_stride, dst.start, dst.stride, sizeof(float)};
        matmul_some_rows(row, rows, blocks, dst.lo, dst.hi, kSuperBlock, 0);
    } else {
        const BlocksProblem problem{
            m,
            n,
            blocks,
            kSuperBlock,
            bytes(lhs),
            bytes(rhs),
            qsi8d256p.stride(kLhs, k),
            rhs_stride,
            qsi8d256p.block_bytes(kLhs, kSuperBlock),
            RHS.block_bytes(kRhs, kSuperBlock),
            4,
            nullptr,
            false,
            dst.start,
            dst.stride,
            sizeof(float),
            dst.lo,
            dst.hi,
            &tiles,
            store_tiles<Sums<PAIRS>, Sums<PAIRS>, float>};
        kai_matmul_blocks_neon(&problem);
    }
}

}  // namespace
}  // namespace kai

/// The functions of a micro-kernel of the catalogue. The including file has kai::run<RHS, MR, KR>.
#define KAI_DEFINE_MATMUL_SUPERBLOCKS(NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP)                      \
    KAI_DEFINE_MATMUL_GETTERS_MULTIPLE(256, NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP, sizeof(float)) \
    void kai_run_##NAME(                                                                                   \
        size_t m, size_t n, size_t k, const void* lhs, const void* rhs, float* dst, size_t stride_row,     \
        size_t stride_col, float lo, float hi) {                                                           \
        kai::check_depth(k, 256);                                                                          \
        kai::check_output(stride_col, sizeof(float), lo, hi);                                              \
        kai::run<kai::RHS, MR, KR>(m, n, k, lhs, rhs, kai::Dst<float>{dst, stride_row, lo, hi});           \
    }
