// bf16 x 8-bit floating point in blocks, in portable C++.
//
//     sum = fma(lhs[k], rhs[k], sum)           for each k of a block, from 0 on; the product is exact
//     result = fma(sum, scale, result)         for each block, from the bias on
//
// A chunk of up to 64 k of a panel is decoded once for up to 32 rows; a row keeps its sums and results in between.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/core/f8.hpp"
#include "kai/engines/core/getters.hpp"
#include "kai/engines/portable/portable.hpp"

namespace kai {
namespace {

constexpr size_t kColumns = 12, kVectors = kColumns / 4;  // of a panel of the RHS
constexpr size_t kPanelRows = 8;                          // of the LHS
constexpr size_t kGroup = 4;                              // k of a row or column side by side
constexpr size_t kChunk = 64, kRows = 32;

constexpr F8Values kE4M3(f8e4m3), kE5M2(f8e5m2);

struct F8Problem {
    const F8Values* values;
    const Format* rhs_format;
    size_t m, n, k, bl;
    const uint8_t *lhs, *rhs;
    uint8_t* dst;
    size_t dst_stride;
    float lo, hi;
};

/// `count` k of a panel as weights[k][column].
KAI_INLINE void decode(const F8Values& values, const uint8_t* codes, size_t count, float (*weights)[kColumns]) {
    for (size_t i = 0; i < count; i += kGroup, weights += kGroup) {
        for (size_t c = 0; c < kColumns; ++c) {
            for (size_t j = 0; j < kGroup; ++j) {
                weights[j][c] = values.of[*codes++];
            }
        }
    }
}

/// sums += lhs x weights, of a row of a panel.
KAI_INLINE void multiply(const uint8_t* lhs, const float (*weights)[kColumns], size_t count, float* sums) {
    Vec sum[kVectors];
    for (size_t v = 0; v < kVectors; ++v) {
        sum[v] = load<Vec>(sums + 4 * v);
    }
    for (size_t i = 0; i < count; ++i) {
        const size_t at = i / kGroup * kPanelRows * kGroup + i % kGroup;
        const float x = kai_cast_f32_bf16(load<uint16_t>(lhs + at * sizeof(uint16_t)));
        for (size_t v = 0; v < kVectors; ++v) {
            sum[v] += Vec{x, x, x, x} * load<Vec>(weights[i] + 4 * v);
        }
    }
    for (size_t v = 0; v < kVectors; ++v) {
        store(sums + 4 * v, sum[v]);
    }
}

using Results = float[kRows][kColumns];

/// results += scales * (lhs x codes), for the block of k0; `rows` from that of `lhs` on.
KAI_INLINE void add_block(
    const F8Problem& p, const uint8_t* lhs, size_t lhs_stride, size_t rows, size_t k0, const uint8_t* codes,
    Results& results) {
    Results sums = {};
    for (size_t i = 0; i < p.bl; i += kChunk) {
        const size_t count = p.bl - i < kChunk ? p.bl - i : kChunk;
        float weights[kChunk][kColumns];
        decode(*p.values, codes + i * kColumns, count, weights);
        const uint8_t* from = lhs + (k0 + i) * kPanelRows * sizeof(uint16_t);
        for (size_t r = 0; r < rows; ++r) {
            const size_t in_panel = r % kPanelRows * kGroup * sizeof(uint16_t);
            multiply(from + r / kPanelRows * lhs_stride + in_panel, weights, count, sums[r]);
        }
    }
    float scales[kColumns];
    __builtin_memcpy(scales, codes + p.bl * kColumns, sizeof(scales));
    for (size_t r = 0; r < rows; ++r) {
        fused(sums[r], scales, results[r], kColumns);
    }
}

void run_f8(const F8Problem& p) {
    const size_t lhs_stride = bf16p.stride({kPanelRows, kGroup, 1}, p.k);
    const size_t rhs_stride = p.rhs_format->stride({kColumns, kGroup, 1}, p.k, p.bl);
    const size_t block = kColumns * (p.bl + sizeof(float));
    const uint8_t* panel = p.rhs;
    for (size_t n0 = 0; n0 < p.n; n0 += kColumns, panel += rhs_stride) {
        const size_t columns = p.n - n0 < kColumns ? p.n - n0 : kColumns;
        const uint8_t* bias = panel + rhs_stride - kColumns * sizeof(float);
        for (size_t m0 = 0; m0 < p.m; m0 += kRows) {
            const size_t rows = p.m - m0 < kRows ? p.m - m0 : kRows;
            const uint8_t* lhs = p.lhs + m0 / kPanelRows * lhs_stride;
            Results results;
            for (size_t r = 0; r < rows; ++r) {
                __builtin_memcpy(results[r], bias, sizeof(results[r]));
            }
            for (size_t k0 = 0; k0 < p.k; k0 += p.bl) {
                add_block(p, lhs, lhs_stride, rows, k0, panel + k0 / p.bl * block, results);
            }
            for (size_t i = 0; i < rows * columns; ++i) {
                const size_t r = i / columns, c = i % columns;
                uint8_t* dst = p.dst + (m0 + r) * p.dst_stride + (n0 + c) * sizeof(float);
                store(dst, clamped(results[r][c], p.lo, p.hi));
            }
        }
    }
}

}  // namespace
}  // namespace kai

extern "C" {

#define KAI_DEFINE_PORTABLE(VALUES, NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP)                                    \
    KAI_DEFINE_MATMUL_GETTERS_RHS_BL(NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP, sizeof(float))                    \
    KAI_RUN_MATMUL_BL(NAME, void) {                                                                                    \
        static_assert(                                                                                                 \
            MR == kai::kPanelRows && NR == kai::kColumns && KR == kai::kGroup && SR == 1, "panels that run_f8 reads"); \
        kai::check_blocks(kai::RHS, k, bl);                                                                            \
        kai::check_output(dst_stride_col, sizeof(float), clamp_min, clamp_max);                                        \
        const kai::F8Problem problem = {                                                                               \
            &kai::VALUES,    &kai::RHS,      m,         n,        k, bl, kai::bytes(lhs), kai::bytes(rhs),             \
            kai::bytes(dst), dst_stride_row, clamp_min, clamp_max};                                                    \
        kai::run_f8(problem);                                                                                          \
    }
#define KAI_ISA_any KAI_LINES(KAI_DEFINE_PORTABLE)
#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, kE4M3, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_bf16p_f8e4m3c32p/ukernels.def"
#undef KAI_UKERNEL
#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, kE5M2, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_bf16p_f8e5m2c32p/ukernels.def"
#undef KAI_UKERNEL

}  // extern "C"
