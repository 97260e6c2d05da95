// f16 x f16 with sums in f32 on NEON: LHS row-major, RHS in panels of 32 columns preceded by their bias.
//
//     dst[i][j] = clamp(fma(lhs[i][k-1], rhs[k-1][j], ... fma(lhs[i][0], rhs[0][j], bias[j])))     f32, then to dst
//
// Panels are the outer loop: one stays in the nearest cache while all rows pass. The loop over rows and the tile are
// assembly (float_widened.inc), which stores whole panels only: results of a last panel with fewer columns go to a
// buffer first. One row may take two panels at a time; many rows may be multiplied in f32 (float_in_f32.hpp).
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/float/float_in_f32.hpp"

namespace kai {
namespace {

using WidenedFn = void(const WidenedArgs*);

/// The work of a micro-kernel. row: one row times two panels; tiles: for many rows. NULL if no faster.
struct WidenedKernel {
    WidenedFn *run, *row;
    F32Tiles tiles;
};

/// A bound in every lane.
KAI_INLINE void spread(uint8_t (&lanes)[16], float x) {
    for (size_t i = 0; i < 16; i += 4) {
        store(lanes + i, x);
    }
}

/// The loop over panels. dst_bytes: of an element; in_f32: whether the kernel has f32 tiles.
template <size_t dst_bytes, bool in_f32>
[[gnu::noinline]] void run_widened(
    size_t m, size_t n, size_t k, const void* lhs, size_t lhs_stride, const void* rhs_packed, void* dst,
    size_t dst_stride, const WidenedKernel* kernel, float clamp_min, float clamp_max) {
    constexpr size_t kColumns = 32, kLine = kColumns * sizeof(uint16_t), kRows = 6;
    if (m == 0) {
        return;
    }
    const size_t panel = kLine * (k + 1), width = kColumns * dst_bytes;
    WidenedArgs args;
    spread(args.bounds[0], clamp_min);
    spread(args.bounds[1], clamp_max);
    args.bias = rhs_packed, args.columns = bytes(rhs_packed, kLine), args.rhs_stride = kLine;
    args.lhs = lhs, args.lhs_stride = lhs_stride;
    args.dst = dst, args.dst_stride = dst_stride;
    args.m = m, args.depth = k;
    const auto next = [&](WidenedArgs & args, size_t panels) __attribute__((always_inline)) {
        args.bias = bytes(args.bias, panels * panel), args.columns = bytes(args.columns, panels * panel);
        args.dst = bytes(args.dst, panels * width);
    };
    const auto two_panels = [&](WidenedArgs & args) __attribute__((always_inline)) {
        args.bias_1 = bytes(args.bias, panel), args.columns_1 = bytes(args.columns, panel);
    };
    const size_t rows_in_f32 = in_f32 ? most_in_f32(m, kernel->tiles) : 0;
    if (rows_in_f32 != 0) {
        WidenedArgs of = args;
        of.m = rows_in_f32;
        for (size_t j = 0; j < n; j += 2 * kColumns, next(of, 2)) {
            two_panels(of);
            run_in_f32<dst_bytes>(&of, n - j < 2 * kColumns ? n - j : 2 * kColumns, kernel->tiles);
        }
        m -= rows_in_f32;
        if (m == 0) {
            return;
        }
        args.lhs = bytes(args.lhs, rows_in_f32 * lhs_stride), args.dst = bytes(args.dst, rows_in_f32 * dst_stride);
        args.m = m;
    }
    if (m == 1 && kernel->row != nullptr) {
        for (; n >= 2 * kColumns; n -= 2 * kColumns, next(args, 2)) {
            two_panels(args);
            kernel->row(&args);
        }
    }
    for (; n >= kColumns; n -= kColumns, next(args, 1)) {
        kernel->run(&args);
    }
    if (n == 0) {
        return;
    }
    uint8_t tile[kRows][kColumns * dst_bytes];
    uint8_t* out = bytes(args.dst);
    args.dst = tile;
    args.dst_stride = sizeof(tile[0]);
    for (; m > 0; m -= args.m) {
        args.m = m < kRows ? m : kRows;
        kernel->run(&args);
        for (size_t i = 0; i < args.m; ++i, out += dst_stride) {
            __builtin_memcpy(out, tile[i], n * dst_bytes);
        }
        args.lhs = bytes(args.lhs, args.m * lhs_stride);
    }
}

}  // namespace
}  // namespace kai

/// The functions of a micro-kernel, whose assembly is kai_kernel_NAME; ROW, TILES: as in WidenedKernel.
#define KAI_DEFINE_MATMUL_WIDENED(ROW, TILES, DST_BYTES, NAME, LHS, RHS, NR, KR, SR, M_STEP, N_STEP, LHS_GETTER) \
    KAI_DEFINE_MATMUL_GETTERS_ROWS(NAME, RHS, NR, KR, SR, M_STEP, N_STEP, LHS_GETTER, DST_BYTES)                 \
    void kai_kernel_##NAME(const kai::WidenedArgs*);                                                             \
    KAI_RUN_MATMUL_ROWS(NAME) {                                                                                  \
        static constexpr kai::WidenedKernel kernel = {kai_kernel_##NAME, ROW, TILES};                            \
        kai::check_output(dst_stride_col, DST_BYTES, clamp_min, clamp_max);                                      \
        kai::run_widened<DST_BYTES, TILES.run != nullptr>(                                                       \
            m, n, k, lhs, lhs_stride, rhs, dst, dst_stride_row, &kernel, clamp_min, clamp_max);                  \
    }
