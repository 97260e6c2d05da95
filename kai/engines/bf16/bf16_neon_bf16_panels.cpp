// f32 <- bf16p x bf16p with BFMMLA and panels packed for SME, both sides: what cores do that have no SME unit at hand,
// with the same packed matrices. The results are, bit for bit, those of the BFMOPA kernels.
//
// A panel has pairs of k: a pair of each of its rows (columns), then the next pairs. BFMMLA takes two pairs of a row at
// once. So parts of both sides are rearranged on the stack, each for many products, and multiplied by tiles of 8 rows x
// 12 columns (bf16_neon_bf16_panels.S), which add to sums on the stack:
//
//     for each 96 columns, 48 rows
//         for each 256 k
//             rearrange rows; for each 12 columns: rearrange them, multiply
//         results to dst
//
// One row: bf16_neon_bf16_panels_row.cpp.
//
// SPDX-License-Identifier: Apache-2.0
#include <arm_neon.h>

#include "kai/engines/core/getters.hpp"
#include "kai/engines/float/float_pair_panels.hpp"

extern "C" void kai_add_tile_bf16_8x12_neon_bf16(float* sums, const void* lhs, size_t groups, const void* rhs);

namespace kai {
namespace {

constexpr size_t kQuad = 4;  // rows or columns that are rearranged at once
constexpr size_t kTileRows = 8, kTileColumns = 12;
constexpr size_t kRows = 48, kColumns = 96, kGroups = 64;  // of 4 k
constexpr size_t kTilesDown = kRows / kTileRows, kTilesAcross = kColumns / kTileColumns;

/// What is on the stack.
struct [[gnu::aligned(16)]] OnStack {
    uint16_t lhs[kTilesDown][kGroups * kTileRows * 4], rhs[kGroups * kTileColumns * 4];
    float sums[kTilesDown][kTilesAcross][kTileColumns / 2][kTileRows / 2][4];
};

/// Two pairs of k of 4 rows.
KAI_INLINE void rearrange_quad(uint32x4_t first, uint32x4_t second, uint8_t* to) {
    store(to, vzip1q_u32(first, second));
    store(to + 16, vzip2q_u32(first, second));
}

/// 4 rows, `pairs` of k, to groups that are `pitch` bytes apart; the second pair of the last group may be missing.
KAI_INLINE void rearrange_4(const uint8_t* from, size_t stride, size_t pairs, uint8_t* to, size_t pitch) {
    const auto at = [&](size_t pair) { return load<uint32x4_t>(from + pair * stride); };
    for (; pairs >= 4; pairs -= 4, from += 4 * stride, to += 2 * pitch) {
        const uint32x4_t a = at(0), b = at(1), c = at(2), d = at(3);
        rearrange_quad(a, b, to);
        rearrange_quad(c, d, to + pitch);
    }
    for (; pairs >= 2; pairs -= 2, from += 2 * stride, to += pitch) {
        rearrange_quad(at(0), at(1), to);
    }
    if (pairs != 0) {
        rearrange_quad(at(0), vdupq_n_u32(0), to);
    }
}

/// `count` rows from row `first` on, of the matrix that has `all`; rows that do not exist are some that do.
template <size_t count>
KAI_INLINE void rearrange(const PairPanels& matrix, size_t first, size_t all, size_t pair, size_t pairs, void* to) {
    constexpr size_t kRowBytes = 4 * sizeof(uint16_t);
    for (size_t i = 0; i < count; i += kQuad) {
        const uint8_t* from = matrix.strip(first + i < all ? first + i : first) + pair * matrix.stride();
        rearrange_4(from, matrix.stride(), pairs, bytes(to, i * kRowBytes), count * kRowBytes);
    }
}

/// The sums of a tile start at the bias of its columns.
KAI_INLINE void start_tile(
    float (&sums)[kTileColumns / 2][kTileRows / 2][4], const PairPanels& rhs, size_t n, size_t all) {
    for (size_t c = 0; c < kTileColumns / 2; ++c) {
        const size_t column = n + 2 * c < all ? n + 2 * c : n;
        const auto two = vld1_f32(reinterpret_cast<const float*>(rhs.panel_of(column)) + column % rhs.width);
        for (size_t p = 0; p < kTileRows / 2; ++p) {
            vst1q_f32(sums[c][p], vcombine_f32(two, two));
        }
    }
}

/// A row of a tile, clamped; NaN stays NaN, and is the default one already.
KAI_INLINE void store_4(uint8_t* dst, float32x4_t sums, size_t columns, float32x4_t lo, float32x4_t hi) {
    const float32x4_t x = vminq_f32(vmaxq_f32(sums, lo), hi);
    if (columns >= 4) {
        store(dst, x);
    } else {
        __builtin_memcpy(dst, &x, columns * sizeof(float));
    }
}

/// The rows and columns of a tile that exist.
KAI_INLINE void store_tile(
    const float (&sums)[kTileColumns / 2][kTileRows / 2][4], size_t rows, size_t columns, uint8_t* dst,
    size_t dst_stride, float32x4_t lo, float32x4_t hi) {
    for (size_t i = 0; i < kTileRows && i < rows; i += 2) {
        for (size_t j = 0; j < kTileColumns && j < columns; j += 4) {
            const auto a = vreinterpretq_f64_f32(vld1q_f32(sums[j / 2][i / 2])),
                       b = vreinterpretq_f64_f32(vld1q_f32(sums[j / 2 + 1][i / 2]));
            uint8_t* to = dst + i * dst_stride + j * sizeof(float);
            store_4(to, vreinterpretq_f32_f64(vzip1q_f64(a, b)), columns - j, lo, hi);
            if (i + 1 < rows) {
                store_4(to + dst_stride, vreinterpretq_f32_f64(vzip2q_f64(a, b)), columns - j, lo, hi);
            }
        }
    }
}

/// Operands and results of a call; k in pairs.
struct PairProblem {
    size_t m, n, words;
    PairPanels lhs, rhs;
    uint8_t* dst;
    size_t dst_stride;
    float32x4_t lo, hi;
};

/// 48 rows from m on, 96 columns from n on, or those that are left.
KAI_INLINE void multiply_block(const PairProblem& p, size_t m, size_t n, OnStack& s) {
    const size_t rows = p.m - m < kRows ? p.m - m : kRows, columns = p.n - n < kColumns ? p.n - n : kColumns;
    for (size_t i = 0; i < rows; i += kTileRows) {
        for (size_t j = 0; j < columns; j += kTileColumns) {
            start_tile(s.sums[i / kTileRows][j / kTileColumns], p.rhs, n + j, p.n);
        }
    }
    for (size_t at = 0, pairs = 0; at < p.words; at += pairs) {
        pairs = p.words - at < 2 * kGroups ? p.words - at : 2 * kGroups;
        const size_t groups = (pairs + 1) / 2;
        for (size_t i = 0; i < rows; i += kTileRows) {
            rearrange<kTileRows>(p.lhs, m + i, p.m, at, pairs, s.lhs[i / kTileRows]);
        }
        for (size_t j = 0; j < columns; j += kTileColumns) {
            rearrange<kTileColumns>(p.rhs, n + j, p.n, at, pairs, s.rhs);
            for (size_t i = 0; i < rows; i += kTileRows) {
                float* sums = s.sums[i / kTileRows][j / kTileColumns][0][0];
                kai_add_tile_bf16_8x12_neon_bf16(sums, s.lhs[i / kTileRows], groups, s.rhs);
            }
        }
    }
    for (size_t i = 0; i < rows; i += kTileRows) {
        for (size_t j = 0; j < columns; j += kTileColumns) {
            uint8_t* dst = p.dst + (m + i) * p.dst_stride + (n + j) * sizeof(float);
            const auto& sums = s.sums[i / kTileRows][j / kTileColumns];
            store_tile(sums, rows - i, columns - j, dst, p.dst_stride, p.lo, p.hi);
        }
    }
}

[[gnu::noinline]] void multiply_panels(const PairProblem& p) {
    OnStack s;
    for (size_t n = 0; n < p.n; n += kColumns) {
        for (size_t m = 0; m < p.m; m += kRows) {
            multiply_block(p, m, n, s);
        }
    }
}

}  // namespace
}  // namespace kai

#define KAI_DEFINE_MATMUL_BF16(NAME, LHS, RHS, MR, NR, ...) \
    KAI_OF_SME(NR, KAI_DEFINE_MATMUL_BF16_PANELS, NAME, LHS, RHS, MR, NR, __VA_ARGS__)
#define KAI_DEFINE_MATMUL_BF16_PANELS(NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP)        \
    KAI_DEFINE_MATMUL_GETTERS(NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP, sizeof(float)) \
    KAI_RUN_MATMUL(NAME, void) {                                                             \
        kai::check_output(dst_stride_col, sizeof(float), clamp_min, clamp_max);              \
        const size_t words = (k + 1) / 2, mr = kai::PanelRows(MR).value_of_sme(),            \
                     nr = kai::PanelRows(NR).value_of_sme();                                 \
        kai::multiply_panels(                                                                \
            {m,                                                                              \
             n,                                                                              \
             words,                                                                          \
             {lhs, mr, 0, words},                                                            \
             {rhs, nr, sizeof(float), words},                                                \
             kai::bytes(dst),                                                                \
             dst_stride_row,                                                                 \
             vdupq_n_f32(clamp_min),                                                         \
             vdupq_n_f32(clamp_max)});                                                       \
    }

extern "C" {

#define KAI_ISA_neon_bf16 KAI_LINES(KAI_DEFINE_MATMUL_BF16)
#define KAI_UKERNEL KAI_LINE
#include "kai/ukernels/matmul/matmul_clamp_f32_bf16p_bf16p/ukernels.def"

}  // extern "C"
