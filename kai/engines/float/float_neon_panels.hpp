// Rows of floats that are not packed times panels of SME: what cores do that have no SME unit at hand, with the same
// packed RHS. An f32 or a pair of bf16 is a word of 32 bits. A panel, nr columns wide: a bias of f32 for each column,
// then, word after word of the rows, those of all columns.
//
// A function multiplies a strip of 32, 16 or 8 columns of a panel. Vectors of 128 bits make panels of 8 columns.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/getters.hpp"
#include "kai/engines/float/float_args.h"

namespace kai {
namespace {

using FloatBounds [[gnu::aligned(16)]] = uint8_t[2][16];
KAI_STRUCT(FloatGemmArgs, KAI_FLOAT_GEMM_ARGS);

/// dst: all rows of a strip, f32.
struct StripOfPanel {
    void (*run)(const FloatGemmArgs*);
    size_t columns;
};
constexpr size_t kRowsOfStrip = 6, kWidestStrip = 32;

/// All rows of a strip of which only some columns exist: whole ones go to a buffer.
KAI_INLINE void run_last_strip(const StripOfPanel& strip, size_t columns, FloatGemmArgs args) {
    float tile[kRowsOfStrip][kWidestStrip];
    uint8_t* out = bytes(args.dst);
    const size_t out_stride = args.dst_stride;
    args.dst = tile, args.dst_stride = sizeof(tile[0]);
    for (size_t m = args.m; m > 0; m -= args.m) {
        args.m = m < kRowsOfStrip ? m : kRowsOfStrip;
        strip.run(&args);
        for (size_t i = 0; i < args.m; ++i, out += out_stride) {
            __builtin_memcpy(out, tile[i], columns * sizeof(float));
        }
        args.lhs = bytes(args.lhs, args.m * args.lhs_stride);
    }
}

/// m rows of row_bytes x n columns. nr: columns of a panel, a multiple of those of a strip.
[[gnu::noinline]] void run_panels_of_sme(
    size_t m, size_t n, size_t row_bytes, const void* lhs, size_t lhs_stride, const void* rhs_packed, void* dst,
    size_t dst_stride, size_t nr, const StripOfPanel& strip, float clamp_min, float clamp_max) {
    if (m == 0) {
        return;
    }
    FloatGemmArgs args;
    for (size_t i = 0; i < sizeof(args.bounds[0]); i += sizeof(float)) {
        store(args.bounds[0] + i, clamp_min);
        store(args.bounds[1] + i, clamp_max);
    }
    args.lhs = lhs, args.lhs_stride = lhs_stride;
    args.panel = rhs_packed, args.rhs_stride = nr * sizeof(float);
    args.dst = dst, args.dst_stride = dst_stride;
    args.m = m, args.depth = row_bytes;
    const size_t line = strip.columns * sizeof(float), words = (row_bytes + 3) / 4;
    for (size_t first = 0;; n -= strip.columns) {
        if (n < strip.columns) {
            break;
        }
        strip.run(&args);
        first += strip.columns;
        const bool ends = first == nr;  // the bias of the next panel follows the last word
        args.panel = bytes(args.panel, ends ? line + words * args.rhs_stride : line);
        args.dst = bytes(args.dst, line);
        first = ends ? 0 : first;
    }
    if (n != 0) {
        run_last_strip(strip, n, args);
    }
}

}  // namespace
}  // namespace kai

/// What m may be, by the m_step of the catalogue.
#define KAI_CHECK_ONE_ROW(M) KAI_REQUIRE(__func__, (M) <= 1, many_rows, M)
#define KAI_CHECK_ANY_ROWS(M)

/// The functions of a micro-kernel; STRIP(nr, M_STEP): its strips, ELEMENT: of the LHS.
#define KAI_DEFINE_MATMUL_PANELS_OF_SME(STRIP, ELEMENT, NAME, LHS, RHS, NR, KR, SR, M_STEP, N_STEP, LHS_GETTER)    \
    KAI_DEFINE_MATMUL_GETTERS_ROWS(NAME, RHS, NR, KR, SR, M_STEP, N_STEP, LHS_GETTER, sizeof(float))               \
    KAI_RUN_MATMUL_ROWS(NAME) {                                                                                    \
        kai::check_output(dst_stride_col, sizeof(float), clamp_min, clamp_max);                                    \
        KAI_CHECK_##M_STEP(m);                                                                                     \
        const size_t nr = kai::PanelRows(NR).value_of_sme();                                                       \
        kai::run_panels_of_sme(                                                                                    \
            m, n, k*(ELEMENT), lhs, lhs_stride, rhs, dst, dst_stride_row, nr, STRIP(m, nr), clamp_min, clamp_max); \
    }
