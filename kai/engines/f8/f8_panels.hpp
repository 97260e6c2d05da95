// What the kernels for weights of 8-bit floating point share: operands, and parts of k.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arm_neon.h>

#include "kai/engines/core/getters.hpp"
#include "kai/engines/f8/f8_args.h"

namespace kai {
namespace {

using F8Bounds [[gnu::aligned(16)]] = float[2][4];

constexpr size_t kF8Columns = 12, kF8Group = 4;  // of a panel, unless it is one of SME; k that lie side by side

/// Operands and results of a call.
struct F8Problem {
    size_t m, n, k, bl;
    const uint8_t *lhs, *rhs;
    uint8_t* dst;
    size_t dst_stride;
    float lo, hi;
    size_t nr;  // columns of a panel

    /// Codes of bl k, then a scale for each column.
    KAI_INLINE size_t block_bytes() const {
        return nr * (bl + sizeof(float));
    }
    KAI_INLINE size_t bias_at() const {
        return k == 0 ? 0 : k / bl * block_bytes();
    }
    KAI_INLINE size_t panel_bytes() const {
        return bias_at() + nr * sizeof(float);
    }
    /// Sums of a part of k that is not the last one have no bounds.
    KAI_INLINE void get_bounds(F8Bounds& bounds, bool last = true) const {
        const float infinity = __builtin_inff();
        for (size_t i = 0; i < 4; ++i) {
            bounds[0][i] = last ? lo : -infinity, bounds[1][i] = last ? hi : infinity;
        }
    }
};

/// Some k from `at` on that are multiplied at once, at most `most`: whole blocks, or a part of one.
struct F8Part {
    size_t blocks, depth;  // depth: k of a block

    F8Part(const F8Problem& p, size_t at, size_t most) {
        const size_t in_block = at % p.bl, left = (p.k - at) / p.bl, fit = most / p.bl;
        blocks = fit == 0 ? 1 : left < fit ? left : fit;
        depth = fit != 0 ? p.bl : p.bl - in_block < most ? p.bl - in_block : most;
    }
    KAI_INLINE size_t groups() const {
        return depth / kF8Group;
    }
    KAI_INLINE size_t end(size_t at) const {
        return at + blocks * depth;
    }
};

/// k = 0: the results are the bias.
[[gnu::noinline]] void store_f8_bias(const F8Problem& p) {
    const float32x4_t lo = vdupq_n_f32(p.lo), hi = vdupq_n_f32(p.hi);
    for (size_t n = 0; n < p.n; n += 4) {
        const size_t columns = p.n - n < 4 ? p.n - n : 4;
        const uint8_t* bias = p.rhs + n / p.nr * p.panel_bytes() + n % p.nr * sizeof(float);
        const float32x4_t results = vminq_f32(vmaxq_f32(load<float32x4_t>(bias), lo), hi);
        for (size_t m = 0; m < p.m; ++m) {
            __builtin_memcpy(p.dst + m * p.dst_stride + n * sizeof(float), &results, columns * sizeof(float));
        }
    }
}

}  // namespace
}  // namespace kai

/// Getters and run function of a micro-kernel: RUN(problem, format). BLOCKS: BL, or RHS_BL if the LHS has no blocks.
#define KAI_DEFINE_F8(...) KAI_DEFINE_F8_OF(kai::kF8Group, __VA_ARGS__)
/// The same with panels in which GROUP k lie side by side.
#define KAI_DEFINE_F8_OF(GROUP, BLOCKS, RUN, FORMAT, NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP)          \
    KAI_DEFINE_MATMUL_GETTERS_##BLOCKS(NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP, sizeof(float))         \
        KAI_RUN_MATMUL_BL(NAME, void) {                                                                       \
        constexpr kai::PanelRows columns = NR;                                                                \
        static_assert(                                                                                        \
            columns.unit != kai_panel_rows::one || columns.count == kai::kF8Columns, "panels that are read"); \
        static_assert(KR == (GROUP) && SR == 1, "panels that are read");                                      \
        KAI_REQUIRE_ONE_ROW(M_STEP, m);                                                                       \
        kai::check_blocks(kai::RHS, k, bl);                                                                   \
        kai::check_output(dst_stride_col, sizeof(float), clamp_min, clamp_max);                               \
        if (m == 0 || n == 0) {                                                                               \
            return;                                                                                           \
        }                                                                                                     \
        const kai::F8Problem problem = {m,                                                                    \
                                        n,                                                                    \
                                        k,                                                                    \
                                        bl,                                                                   \
                                        kai::bytes(lhs),                                                      \
                                        kai::bytes(rhs),                                                      \
                                        kai::bytes(dst),                                                      \
                                        dst_stride_row,                                                       \
                                        clamp_min,                                                            \
                                        clamp_max,                                                            \
                                        columns.value()};                                                     \
        (k == 0 ? kai::store_f8_bias(problem) : RUN(problem, FORMAT));                                        \
    }
