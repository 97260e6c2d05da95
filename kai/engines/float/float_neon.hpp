// The floating-point GEMM on NEON: LHS row-major, RHS in panels of nr columns preceded by their bias.
//
//     dst[i][j] = clamp(fma(lhs[i][k-1], rhs[k-1][j], ... fma(lhs[i][0], rhs[0][j], bias[j])))
//
// Each fma rounds to the type of the operands; bounds are converted to it first. Panels are the outer loop: one stays
// in the first-level cache while all rows pass. The loop over rows and the tile (6 rows x nr columns) are assembly
// (float_neon.inc), which stores whole panels only: results of a last panel with fewer columns go to a buffer
// first.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/float/float_args.h"
#include "kai/engines/core/getters.hpp"

namespace kai {
namespace {

using FloatBounds [[gnu::aligned(16)]] = uint8_t[2][16];
KAI_STRUCT(FloatGemmArgs, KAI_FLOAT_GEMM_ARGS);

using FloatGemmFn = void(const FloatGemmArgs*);

/// The work of a micro-kernel, and the columns of its panels. `few`, if not NULL, takes 1 to 3 rows after the last
/// whole tile: loads of halves pay off with 4 rows, since each of the RHS serves all of them.
struct FloatKernel {
    FloatGemmFn *run, *few;
    size_t columns;
};
constexpr size_t kRows = 6, kMostFewRows = 3;

/// A panel.
KAI_INLINE void run_panel(const FloatKernel& kernel, FloatGemmArgs& args) {
    const size_t few = kernel.few != nullptr ? args.m % kRows : 0;
    if (few == 0 || few > kMostFewRows) {
        kernel.run(&args);
        return;
    }
    FloatGemmArgs last = args;
    last.m = few;
    if (args.m > few) {
        const size_t rows = args.m - few;
        last.lhs = bytes(args.lhs, rows * args.lhs_stride), last.dst = bytes(args.dst, rows * args.dst_stride);
        FloatGemmArgs whole = args;
        whole.m = rows;
        kernel.run(&whole);
    }
    kernel.few(&last);
}

/// A clamp bound as an element.
template <size_t element_bytes>
KAI_INLINE void store_bound(uint8_t bound[16], float x) {
    for (size_t i = 0; i < 16; i += element_bytes) {
        if constexpr (element_bytes == 4) {
            store(bound + i, x);
        } else {
            store(bound + i, kai_cast_f16_f32(x));
        }
    }
}

/// The loop over panels of depth k. `args` has the LHS.
template <size_t element_bytes>
KAI_INLINE void run_panels(
    size_t m, size_t n, size_t k, const void* rhs_packed, void* dst, size_t dst_stride, const FloatKernel& kernel,
    float clamp_min, float clamp_max, FloatGemmArgs& args) {
    constexpr size_t kWidest = 64;
    store_bound<element_bytes>(args.bounds[0], clamp_min);
    store_bound<element_bytes>(args.bounds[1], clamp_max);
    args.clamps = is_bounded(clamp_min, clamp_max);
    args.panel = rhs_packed, args.rhs_stride = kernel.columns * element_bytes;
    args.dst = dst, args.dst_stride = dst_stride;
    args.m = m;
    for (; n >= kernel.columns; n -= kernel.columns) {
        run_panel(kernel, args);
        args.panel = bytes(args.panel, args.rhs_stride * (k + 1));
        args.dst = bytes(args.dst, args.rhs_stride);
    }
    if (n == 0) {
        return;
    }
    uint8_t tile[kRows][kWidest];
    uint8_t* out = bytes(args.dst);
    args.dst = tile;
    args.dst_stride = kWidest;
    for (; m > 0; m -= args.m) {
        args.m = m < kRows ? m : kRows;
        run_panel(kernel, args);
        for (size_t i = 0; i < args.m; ++i, out += dst_stride) {
            __builtin_memcpy(out, tile[i], n * element_bytes);
        }
        args.lhs = bytes(args.lhs, args.m * args.lhs_stride);
    }
}

/// The kernel takes the place of an argument of kai_run_* that is no longer needed.
template <size_t element_bytes>
[[gnu::noinline]] void run_float_gemm(
    size_t m, size_t n, size_t k, const void* lhs, size_t lhs_stride, const void* rhs_packed, void* dst,
    size_t dst_stride, const FloatKernel* kernel, float clamp_min, float clamp_max) {
    if (m == 0) {
        return;
    }
    FloatGemmArgs args;
    args.lhs = lhs, args.lhs_stride = lhs_stride, args.depth = k * element_bytes;
    run_panels<element_bytes>(m, n, k, rhs_packed, dst, dst_stride, *kernel, clamp_min, clamp_max, args);
}

}  // namespace
}  // namespace kai

/// The function that takes few rows instead of kai_kernel_NAME: KAI_FEW_ROWS_NAME is KAI_LINES(it), or not defined.
#define KAI_FEW_ROWS_OF(NAME) KAI_LINE_(KAI_FEW_ROWS_##NAME, KAI_RUNS_FEW_ROWS, ~)()
#define KAI_RUNS_FEW_ROWS() nullptr

/// The functions of a micro-kernel; the loop over rows is kai_kernel_NAME.
#define KAI_DEFINE_MATMUL_FLOAT_NEON(NAME, LHS, RHS, NR, KR, SR, M_STEP, N_STEP, LHS_GETTER)             \
    KAI_DEFINE_MATMUL_GETTERS_ROWS(NAME, RHS, NR, KR, SR, M_STEP, N_STEP, LHS_GETTER, kai::RHS.bits / 8) \
    void kai_kernel_##NAME(const kai::FloatGemmArgs*);                                                   \
    KAI_RUN_MATMUL_ROWS(NAME) {                                                                          \
        constexpr size_t kBytes = kai::RHS.bits / 8;                                                     \
        static constexpr kai::FloatKernel kernel = {kai_kernel_##NAME, KAI_FEW_ROWS_OF(NAME), NR};       \
        kai::check_output(dst_stride_col, kBytes, clamp_min, clamp_max);                                 \
        kai::run_float_gemm<kBytes>(                                                                     \
            m, n, k, lhs, lhs_stride, rhs, dst, dst_stride_row, &kernel, clamp_min, clamp_max);          \
    }
