// Matmul of rows in blocks (qsi8d32p) and an int4 or int8 RHS in blocks in streaming mode: what the C++ side hands to
// an assembly kernel, which does all rows and columns.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/blocks/blocks_args.h"
#include "kai/engines/core/getters.hpp"
#include "kai/engines/core/nibble_tables.hpp"

namespace kai {
namespace {

KAI_STRUCT(BlockArgs, KAI_BLOCK_ARGS);

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
/// means; int8 kernels do not look at it. Elements of the output: T; its pointer is one to DST.
#define KAI_DEFINE_MATMUL_BLOCKS_SME(TABLE, T, DST, NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP)         \
    KAI_DEFINE_MATMUL_GETTERS_BL(NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP, sizeof(T))                 \
    extern "C" kai::SmeBlocksFn kai_kernel_##NAME;                                                          \
    void kai_run_##NAME(                                                                                    \
        size_t m, size_t n, size_t k, size_t bl, const void* lhs_packed, const void* rhs_packed, DST* dst,  \
        size_t dst_stride_row, size_t dst_stride_col, float scalar_min, float scalar_max) {                 \
        kai::check_blocks(k, bl);                                                                           \
        kai::check_output(dst_stride_col, sizeof(T), scalar_min, scalar_max);                               \
        KAI_REQUIRE_ONE_ROW(M_STEP, m);                                                                     \
        const size_t lhs_stride = kai::LHS.stride({MR, KR, SR}, k, bl);                                     \
        const size_t rhs_stride = kai::RHS.stride({NR, KR, SR}, k, bl);                                     \
        kai::run_blocks(                                                                                    \
            kai_kernel_##NAME, {m, n, k / bl, bl / 32, lhs_packed, lhs_stride, rhs_packed, rhs_stride, dst, \
                                dst_stride_row, TABLE.values, scalar_min, scalar_max});                     \
    }
