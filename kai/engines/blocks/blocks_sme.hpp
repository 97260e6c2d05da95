// Matmul of rows in blocks (qsi8d32p) and an int4 RHS in blocks in streaming mode: what the C++ side hands to an
// assembly kernel, which does all rows and columns.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/sme_args.h"
#include "kai/engines/core/getters.hpp"
#include "kai/engines/core/nibble_tables.hpp"

namespace kai {
namespace {

struct BlockArgs {
    size_t m, n;
    size_t blocks;  // of a row
    size_t chunks;  // of 32 values in a block
    const void* lhs;
    size_t lhs_stride;  // bytes from a panel to the next
    const void* rhs;
    size_t rhs_stride;
    void* dst;
    size_t dst_stride;
    const int32_t* table;  // what a nibble means, for ZT0
    float lo, hi;
};

static_assert(offsetof(BlockArgs, m) == KAI_BLOCK_ARGS_M);
static_assert(offsetof(BlockArgs, n) == KAI_BLOCK_ARGS_N);
static_assert(offsetof(BlockArgs, blocks) == KAI_BLOCK_ARGS_BLOCKS);
static_assert(offsetof(BlockArgs, chunks) == KAI_BLOCK_ARGS_CHUNKS);
static_assert(offsetof(BlockArgs, lhs) == KAI_BLOCK_ARGS_LHS);
static_assert(offsetof(BlockArgs, lhs_stride) == KAI_BLOCK_ARGS_LHS_STRIDE);
static_assert(offsetof(BlockArgs, rhs) == KAI_BLOCK_ARGS_RHS);
static_assert(offsetof(BlockArgs, rhs_stride) == KAI_BLOCK_ARGS_RHS_STRIDE);
static_assert(offsetof(BlockArgs, dst) == KAI_BLOCK_ARGS_DST);
static_assert(offsetof(BlockArgs, dst_stride) == KAI_BLOCK_ARGS_DST_STRIDE);
static_assert(offsetof(BlockArgs, table) == KAI_BLOCK_ARGS_TABLE);
static_assert(offsetof(BlockArgs, lo) == KAI_BLOCK_ARGS_LO);
static_assert(offsetof(BlockArgs, hi) == KAI_BLOCK_ARGS_HI);

using SmeBlocksFn = void(const BlockArgs*);

KAI_INLINE void run_blocks(SmeBlocksFn* kernel, const BlockArgs& args) {
    if (args.m == 0 || args.n == 0) {
        return;
    }
    kai_commit_za();
    kernel(&args);
}

}  // namespace
}  // namespace kai

/// Getters and kai_run_NAME of a micro-kernel of the catalogue whose assembly is kai_kernel_NAME. TABLE: what a nibble
/// means. Elements of the output: T; its pointer is one to DST.
#define KAI_DEFINE_MATMUL_BLOCKS_SME(TABLE, T, DST, NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP)                    \
    KAI_DEFINE_MATMUL_GETTERS_BL(NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP, sizeof(T))                            \
    extern "C" kai::SmeBlocksFn kai_kernel_##NAME;                                                                     \
    void kai_run_##NAME(                                                                                               \
        size_t m, size_t n, size_t k, size_t bl, const void* lhs_packed, const void* rhs_packed, DST* dst,             \
        size_t dst_stride_row, size_t dst_stride_col, float scalar_min, float scalar_max) {                            \
        kai::check_blocks(k, bl);                                                                                      \
        kai::check_output(dst_stride_col, sizeof(T), scalar_min, scalar_max);                                          \
        KAI_REQUIRE_ONE_ROW(M_STEP, m);                                                                                \
        const size_t lhs_stride = kai::LHS.stride({MR, KR, SR}, k, bl);                                                \
        const size_t rhs_stride = kai::RHS.stride({NR, KR, SR}, k, bl);                                                \
        kai::run_blocks(                                                                                               \
            kai_kernel_##NAME, {m, n, k / bl, bl / 32, lhs_packed, lhs_stride, rhs_packed, rhs_stride, dst,            \
                                dst_stride_row, TABLE.values, scalar_min, scalar_max});                                \
    }
