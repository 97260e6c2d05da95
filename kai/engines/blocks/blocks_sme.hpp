// Matmul of rows in blocks (qsi8d32p) and an int4 or int8 RHS in blocks in streaming mode: what the C++ side hands to
// an assembly kernel, which does all rows and columns.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/blocks/blocks_sme_args.h"
#include "kai/engines/core/few_rows.hpp"
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

/// What the micro-kernels differ in.
struct BlocksSmeKernel {
    SmeBlocksFn* run;
    PackedSide lhs, rhs;
    const int32_t* table;  // values of nibbles; not used by int8 kernels
    size_t dst_shift;
};

[[gnu::noinline, maybe_unused]] void run_blocks_kernel(
    size_t m, size_t n, size_t k, size_t bl, const void* lhs, const void* rhs, void* dst, size_t dst_stride,
    const BlocksSmeKernel* kernel, float lo, float hi) {
    const size_t blocks = k / bl;
    run_blocks(
        kernel->run, {m, n, blocks, bl / 32, lhs, kernel->lhs.stride(k, blocks), rhs, kernel->rhs.stride(k, blocks),
                      dst, dst_stride, kernel->table, lo, hi, 0, kernel->dst_shift});
}

/// The values of nibbles, or of 2 bits, in the type of the elements of the LHS.
template <const Format& LHS, const Format& RHS>
constexpr const Table& nibbles = RHS.bits == 2    ? kOffsetTwoBits
                                 : LHS.bits == 16 ? kOffsetNibblesF16
                                                  : kOffsetNibbles;

/// The table at the start of a panel, for ZT0. any: there are rows and columns.
KAI_INLINE Table words_of(const void* panel, bool any) {
    Table words = {};
    for (size_t i = 0; any && i < 16; ++i) {
        words.values[i] = static_cast<const int8_t*>(panel)[i];
    }
    return words;
}

/// Few rows of SME2 by quarter-tile outer products: blocks_sme_mop4.inc. At most 8 are few: the sums of a pass are in
/// 16 vectors, 8 rows of 2 V columns.
[[gnu::noinline, maybe_unused]] void run_many_and_few(
    const BlockArgs& all, SmeBlocksFn* run_many, SmeBlocksFn* run_few) {
    const auto many = [&](const BlockArgs& args) { run_many(&args); };
    const auto few = [&](const BlockArgs& args) { run_few(&args); };
    run_many_and_few(all, size_t{1} << all.dst_shift, 8, many, few);
}

}  // namespace
}  // namespace kai

/// Getters and kai_run_NAME of a micro-kernel of the catalogue whose assembly is kai_kernel_NAME. Elements of the
/// output: T; its pointer is one to DST.
#define KAI_DEFINE_MATMUL_BLOCKS_SME(T, DST, NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP)               \
    KAI_DEFINE_MATMUL_GETTERS_BL(NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP, sizeof(T))                \
    extern "C" kai::SmeBlocksFn kai_kernel_##NAME;                                                         \
    KAI_RUN_MATMUL_BL(NAME, DST) {                                                                         \
        kai::check_blocks(k, bl);                                                                          \
        kai::check_output(dst_stride_col, sizeof(T), clamp_min, clamp_max);                                \
        KAI_REQUIRE_ONE_ROW(M_STEP, m);                                                                    \
        static constexpr kai::BlocksSmeKernel kernel = {                                                   \
            kai_kernel_##NAME, kai::PackedSide(kai::LHS, MR), kai::PackedSide(kai::RHS, NR),               \
            kai::nibbles<kai::LHS, kai::RHS>.values, sizeof(T) / 2};                                       \
        kai::run_blocks_kernel(m, n, k, bl, lhs, rhs, dst, dst_stride_row, &kernel, clamp_min, clamp_max); \
    }

/// What the micro-kernel NAME runs: its own assembly for many rows, that for few.
#define KAI_MANY_AND_FEW(NAME, RHS)                                                                                \
    extern "C" kai::SmeBlocksFn kai_kernel_blocks_many_##RHS##_sme2, kai_kernel_blocks_few_##RHS##_sme_mop4;       \
    extern "C" [[gnu::visibility("hidden")]] kai::SmeBlocksFn kai_kernel_##NAME;                                   \
    void kai_kernel_##NAME(const kai::BlockArgs* args) {                                                           \
        kai::run_many_and_few(*args, kai_kernel_blocks_many_##RHS##_sme2, kai_kernel_blocks_few_##RHS##_sme_mop4); \
    }
