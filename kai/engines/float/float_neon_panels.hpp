// Panels of SME of floats: words of 32 bits, an f32 or two f16 or bf16 that follow each other in k. And their products
// with rows that are not packed: what cores do that have no SME unit at hand, with the same packed RHS.
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

/// A matrix in panels: in front a bias for each row (column), if there is one, then word after word of all its rows.
struct WordPanels {
    const uint8_t* first;
    size_t width, bias_bytes, panel;  // rows; of the bias of a row; bytes from a panel to the next

    WordPanels(const void* packed, size_t rows, size_t bytes_of_bias, size_t words)
        : first(bytes(packed)),
          width(rows),
          bias_bytes(bytes_of_bias),
          panel(rows * (bytes_of_bias + words * sizeof(uint32_t))) {
    }
    KAI_INLINE const uint8_t* panel_of(size_t i) const {
        return first + i / width * panel;
    }
    /// Of row (column) i and those after it.
    KAI_INLINE const uint8_t* bias(size_t i) const {
        return panel_of(i) + i % width * bias_bytes;
    }
    /// The first words of row (column) i and those after it.
    KAI_INLINE const uint8_t* strip(size_t i) const {
        return panel_of(i) + width * bias_bytes + i % width * sizeof(uint32_t);
    }
    /// Bytes from a word to the next.
    KAI_INLINE size_t stride() const {
        return width * sizeof(uint32_t);
    }
};

/// dst: all rows of a strip.
struct StripOfPanel {
    void (*run)(const FloatGemmArgs*);
    size_t columns;
};
constexpr size_t kRowsOfStrip = 6, kWidestStrip = 32;

/// All rows of a strip of which only some columns exist: whole ones go to a buffer.
template <size_t dst_bytes>
KAI_INLINE void run_last_strip(const StripOfPanel& strip, size_t columns, FloatGemmArgs args) {
    uint8_t tile[kRowsOfStrip][kWidestStrip * dst_bytes];
    uint8_t* out = bytes(args.dst);
    const size_t out_stride = args.dst_stride;
    args.dst = tile, args.dst_stride = sizeof(tile[0]);
    for (size_t m = args.m; m > 0; m -= args.m) {
        args.m = m < kRowsOfStrip ? m : kRowsOfStrip;
        strip.run(&args);
        for (size_t i = 0; i < args.m; ++i, out += out_stride) {
            __builtin_memcpy(out, tile[i], columns * dst_bytes);
        }
        args.lhs = bytes(args.lhs, args.m * args.lhs_stride);
    }
}

/// m rows of row_bytes x n columns. nr: columns of a panel, a multiple of those of a strip.
template <size_t bias_bytes, size_t dst_bytes>
[[gnu::noinline]] void run_panels_of_sme(
    size_t m, size_t n, size_t row_bytes, const void* lhs, size_t lhs_stride, const void* rhs_packed, void* dst,
    size_t dst_stride, size_t nr, const StripOfPanel& strip, float clamp_min, float clamp_max) {
    if (m == 0) {
        return;
    }
    const WordPanels rhs(rhs_packed, nr, bias_bytes, (row_bytes + 3) / 4);
    FloatGemmArgs args;
    for (size_t i = 0; i < sizeof(args.bounds[0]); i += sizeof(float)) {
        store(args.bounds[0] + i, clamp_min);
        store(args.bounds[1] + i, clamp_max);
    }
    args.clamps = is_bounded(clamp_min, clamp_max);
    args.lhs = lhs, args.lhs_stride = lhs_stride;
    args.rhs_stride = rhs.stride();
    args.dst_stride = dst_stride;
    args.m = m, args.depth = row_bytes;
    args.narrow = dst_bytes == sizeof(uint16_t);
    const auto go_to = [&](size_t j) __attribute__((always_inline)) {
        args.bias = rhs.bias(j);
        args.panel = bias_bytes == sizeof(float) ? args.bias : rhs.strip(j);
        args.dst = bytes(dst, j * dst_bytes);
    };
    size_t j = 0;
    for (; n - j >= strip.columns; j += strip.columns) {
        go_to(j);
        strip.run(&args);
    }
    if (j != n) {
        go_to(j);
        run_last_strip<dst_bytes>(strip, n - j, args);
    }
}

}  // namespace
}  // namespace kai

/// What m may be, by the m_step of the catalogue.
#define KAI_CHECK_ONE_ROW(M) KAI_REQUIRE(__func__, (M) <= 1, many_rows, M)
#define KAI_CHECK_ANY_ROWS(M)

/// The functions of a micro-kernel; STRIP(m, nr): its strips; DST_BYTES: of an element.
#define KAI_DEFINE_MATMUL_PANELS_OF_SME(STRIP, DST_BYTES, NAME, LHS, RHS, NR, KR, SR, M_STEP, N_STEP, LHS_GETTER) \
    KAI_DEFINE_MATMUL_GETTERS_ROWS(NAME, RHS, NR, KR, SR, M_STEP, N_STEP, LHS_GETTER, DST_BYTES)                  \
    KAI_RUN_MATMUL_ROWS(NAME) {                                                                                   \
        kai::check_output(dst_stride_col, DST_BYTES, clamp_min, clamp_max);                                       \
        KAI_CHECK_##M_STEP(m);                                                                                    \
        const size_t nr = kai::PanelRows(NR).value_of_sme(), row_bytes = k * (kai::RHS.bits / 8);                 \
        kai::run_panels_of_sme<kai::RHS.panel_head, DST_BYTES>(                                                   \
            m, n, row_bytes, lhs, lhs_stride, rhs, dst, dst_stride_row, nr, STRIP(m, nr), clamp_min, clamp_max);  \
    }
