// f16 and f32 <- f16 x f16 with sums in f32 on NEON, neither side packed: rows of the LHS, and rows of the RHS, K x N
// or N x K.
//
//     dst[i][j] = clamp(sum over k of lhs[i][k] * rhs[k][j])        products are exact in f32; no bias; then to dst
//
// K x N: each element is one chain of fma that starts at +0, k ascending. 32 columns are the assembly of packed panels
// (float_widened.inc, or float_in_f32.hpp), fewer are done here.
// N x K: lane l of a sum takes k = l, 4 + l, 8 + l, ..., then of the last k % 4 first two, then one, from lane 0 on;
// lanes 0 and 1, 2 and 3 are added, then both results. A tile is 6 rows x 4 columns of such sums. These are the bits of
// matmul_clamp_f32_f32_f32nxk.
//
// Edges: as plain_neon.hpp.
//
// T multiplies: plain_neon_fhm.cpp by FMLAL, plain_neon_f16.cpp by FCVTL and FMLA.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#if !defined(__clang__)
#pragma GCC optimize("no-schedule-insns")  // scheduling loads all rows first, and spills
#endif

#include <arm_neon.h>

#include "kai/engines/core/getters.hpp"
#include "kai/engines/float/float_widened.hpp"
#include "kai/engines/plain/plain_nxk.hpp"

namespace kai {
namespace {

/// A call. Pointers are those of its first row and column, strides in bytes.
struct WidenedPlain {
    size_t m, n, k;
    const uint8_t* lhs;
    size_t lhs_stride;
    const uint8_t* rhs;
    size_t rhs_stride;
    uint8_t* dst;
    size_t dst_stride;
    float lo, hi;
};

constexpr size_t kHalf = sizeof(uint16_t);

/// 1, 2 or 4 elements; zeros follow.
template <size_t count>
KAI_INLINE float16x4_t load_halves(const uint8_t* from) {
    if constexpr (count == 4) {
        return load<float16x4_t>(from);
    } else if constexpr (count == 2) {
        return vreinterpret_f16_u32(vset_lane_u32(load<uint32_t>(from), vdup_n_u32(0), 0));
    } else {
        return vreinterpret_f16_u16(vset_lane_u16(load<uint16_t>(from), vdup_n_u16(0), 0));
    }
}

/// `count` of 4 sums, clamped, to dst.
template <size_t dst_bytes>
KAI_INLINE void store_sums(uint8_t* dst, float32x4_t sums, size_t count, float lo, float hi) {
    const float32x4_t clamped = vminq_f32(vmaxq_f32(sums, vdupq_n_f32(lo)), vdupq_n_f32(hi));
    if constexpr (dst_bytes == sizeof(float)) {
        store_elements(dst, clamped, count);
    } else {
        store_elements(dst, vcvt_f16_f32(clamped), count);
    }
}

// ---- K x N

/// Up to 4 rows from row i on x 4, 2 or 1 columns from column j on.
template <size_t dst_bytes, size_t columns>
KAI_INLINE void kxn_few(const WidenedPlain& p, size_t i, size_t j) {
    constexpr size_t kRows = 4;
    const size_t count = p.m - i < kRows ? p.m - i : kRows;
    const uint8_t *a[kRows], *b = p.rhs + j * kHalf;
    row_starts(a, p.lhs + i * p.lhs_stride, p.lhs_stride, count);
    float32x4_t sums[kRows] = {};
    for (size_t k = 0; k < p.k; ++k, b += p.rhs_stride) {
        const float32x4_t x = vcvt_f32_f16(load_halves<columns>(b));
        KAI_UNROLL(16)
        for (size_t r = 0; r < kRows; ++r) {
            sums[r] = vfmaq_n_f32(sums[r], x, vgetq_lane_f32(vcvt_f32_f16(load_halves<1>(a[r] + k * kHalf)), 0));
        }
    }
    uint8_t* dst = p.dst + i * p.dst_stride + j * dst_bytes;
    for (size_t r = 0; r < count; ++r, dst += p.dst_stride) {
        store_sums<dst_bytes>(dst, sums[r], columns, p.lo, p.hi);
    }
}

/// All rows of columns j, ...
template <size_t dst_bytes, size_t columns>
[[gnu::noinline]] void kxn_few_columns(const WidenedPlain& p, size_t j) {
    for (size_t i = 0; i < p.m; i += 4) {
        kxn_few<dst_bytes, columns>(p, i, j);
    }
}

template <class T, size_t dst_bytes>
KAI_INLINE void run_kxn(const WidenedPlain& p) {
    constexpr bool to_f32 = dst_bytes == sizeof(float);
    constexpr size_t kColumns = 32;
    alignas(16) static constexpr uint16_t kNoBias[kColumns] = {};
    WidenedArgs args;
    spread(args.bounds[0], p.lo);
    spread(args.bounds[1], p.hi);
    args.bias = args.bias_1 = kNoBias, args.rhs_stride = p.rhs_stride;
    args.lhs = p.lhs, args.lhs_stride = p.lhs_stride, args.dst_stride = p.dst_stride;
    args.m = p.m, args.depth = p.k;
    for (size_t j = 0; p.n >= kColumns && j < p.n;) {
        const size_t rest = p.n - j;
        j = rest < kColumns ? p.n - kColumns : j;  // the last columns overlap the ones before, with the same bits
        args.columns = p.rhs + j * kHalf, args.columns_1 = p.rhs + (j + kColumns) * kHalf;
        args.dst = p.dst + j * dst_bytes;
        const bool in_f32 = T::kTiles.run != nullptr && most_in_f32(p.m, T::kTiles) != 0;
        const bool two = rest >= 2 * kColumns && (in_f32 || (p.m == 1 && T::kRow[to_f32] != nullptr));
        const size_t columns = two ? 2 * kColumns : kColumns;
        if (in_f32) {
            run_in_f32<dst_bytes>(&args, columns, T::kTiles);
        } else {
            (two ? T::kRow : T::kPanel)[to_f32](&args);
        }
        j += columns;
    }
    if (p.n >= kColumns) {
        return;
    }
    size_t j = 0;
    for (; p.n - j >= 4; j += 4) {
        kxn_few_columns<dst_bytes, 4>(p, j);
    }
    if (p.n - j >= 2) {
        kxn_few_columns<dst_bytes, 2>(p, j);
        j += 2;
    }
    if (p.n - j == 1) {
        kxn_few_columns<dst_bytes, 1>(p, j);
    }
}

// ---- N x K

/// sums += rows x columns, `count` elements of each.
template <size_t count, size_t rows, size_t columns>
KAI_INLINE void nxk_few(
    float32x4_t (&sums)[rows][columns], const uint8_t* const (&a)[rows], const uint8_t* const (&b)[columns],
    size_t at) {
    float32x4_t x[columns];
    KAI_UNROLL(16)
    for (size_t c = 0; c < columns; ++c) {
        x[c] = vcvt_f32_f16(load_halves<count>(b[c] + at));
    }
    KAI_UNROLL(16)
    for (size_t r = 0; r < rows; ++r) {
        const float32x4_t y = vcvt_f32_f16(load_halves<count>(a[r] + at));
        KAI_UNROLL(16)
        for (size_t c = 0; c < columns; ++c) {
            sums[r][c] = vfmaq_f32(sums[r][c], x[c], y);
        }
    }
}

/// Up to `rows` rows from row i on x `columns` columns from column j on.
template <class T, size_t dst_bytes, size_t rows, size_t columns>
void nxk_tile(const WidenedPlain& p, size_t i, size_t j) {
    const size_t count = p.m - i < rows ? p.m - i : rows, width = p.n - j < columns ? p.n - j : columns;
    const uint8_t *a[rows], *b[columns];
    row_starts(a, p.lhs + i * p.lhs_stride, p.lhs_stride, count);
    row_starts(b, p.rhs + j * p.rhs_stride, p.rhs_stride, width);
    float32x4_t sums[rows][columns];
    KAI_UNROLL(16)
    for (size_t r = 0; r < rows; ++r) {
        KAI_UNROLL(16)
        for (size_t c = 0; c < columns; ++c) {
            sums[r][c] = vdupq_n_f32(0);
        }
    }
    size_t at = 0;
    const size_t depth = p.k * kHalf;
    for (; depth - at >= T::kStep; at += T::kStep) {
        T::add(sums, a, b, at);
    }
    if ((depth - at) / kHalf >= 4) {
        nxk_few<4>(sums, a, b, at);
        at += 4 * kHalf;
    }
    if ((depth - at) / kHalf >= 2) {
        nxk_few<2>(sums, a, b, at);
        at += 2 * kHalf;
    }
    if (depth != at) {
        nxk_few<1>(sums, a, b, at);
    }
    uint8_t* dst = p.dst + i * p.dst_stride + j * dst_bytes;
    KAI_UNROLL(16)
    for (size_t r = 0; r < rows; ++r) {
        if (r < count) {
            KAI_UNROLL(16)
            for (size_t c = 0; c < columns; c += 4) {
                const float32x4_t all =
                    vpaddq_f32(vpaddq_f32(sums[r][c], sums[r][c + 1]), vpaddq_f32(sums[r][c + 2], sums[r][c + 3]));
                if (c < width) {
                    store_sums<dst_bytes>(dst + c * dst_bytes, all, width - c < 4 ? width - c : 4, p.lo, p.hi);
                }
            }
        }
        dst += p.dst_stride;
    }
}

template <class T, size_t dst_bytes>
KAI_INLINE void run_nxk(const WidenedPlain& p) {
    const auto tile = [](auto& p, auto rows, auto columns, size_t i, size_t j) __attribute__((always_inline)) {
        nxk_tile<T, dst_bytes, rows, columns>(p, i, j);
    };
    nxk_tiles(p, tile);
}

}  // namespace
}  // namespace kai

/// The functions of a micro-kernel. T multiplies.
#define KAI_DEFINE_MATMUL_PLAIN_WIDENED(T, DST_BYTES, NAME, LHS, RHS, M_STEP, N_STEP)       \
    KAI_DEFINE_MATMUL_GETTERS_PLAIN_TO(NAME, RHS, M_STEP, N_STEP, DST_BYTES)                \
    KAI_RUN_MATMUL_PLAIN(NAME) {                                                            \
        kai::check_output(dst_stride_col, DST_BYTES, clamp_min, clamp_max);                 \
        if (m == 0) {                                                                       \
            return;                                                                         \
        }                                                                                   \
        const kai::WidenedPlain gemm = {m,                                                  \
                                        n,                                                  \
                                        k,                                                  \
                                        kai::bytes(lhs),                                    \
                                        lhs_stride,                                         \
                                        kai::bytes(rhs),                                    \
                                        rhs_stride,                                         \
                                        kai::bytes(dst),                                    \
                                        dst_stride_row,                                     \
                                        clamp_min,                                          \
                                        clamp_max};                                         \
        kai::RHS.kxn ? kai::run_kxn<T, DST_BYTES>(gemm) : kai::run_nxk<T, DST_BYTES>(gemm); \
    }
