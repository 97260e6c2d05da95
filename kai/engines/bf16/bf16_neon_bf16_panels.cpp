// f32 <- bf16p x bf16p with BFMMLA and panels packed for SME, both sides: what cores do that have no SME unit at hand,
// with the same packed matrices. The results are, bit for bit, those of the BFMOPA kernels.
//
// A panel has pairs of k: a pair of each of its rows (columns), then the next pairs. BFMMLA takes two pairs of a row at
// once. So parts of both sides are rearranged on the stack, each for many products, and multiplied by tiles of 8 rows x
// 12 columns (bf16_neon_bf16_panels.S):
//
//     for each 96 columns, 48 rows
//         for each 256 k
//             rearrange rows; for each 12 columns: rearrange them, multiply
//
// Sums wait on the stack for the next part. Up to 256 k are one part: all columns pass by the same rows.
//
// One row: bf16_neon_bf16_panels_row.cpp.
//
// SPDX-License-Identifier: Apache-2.0
#include <arm_neon.h>

#include "kai/engines/core/getters.hpp"
#include "kai/engines/float/float_neon_panels.hpp"

extern "C" void kai_tile_bf16_8x12_neon_bf16(
    const void* start, size_t start_step, size_t groups, const void* lhs, const void* rhs, void* dst, size_t dst_stride,
    const void* bounds);

namespace kai {
namespace {

constexpr size_t kQuad = 4;  // rows or columns that lie side by side in a vector
constexpr size_t kTileRows = 8, kTileColumns = 12;
constexpr size_t kRows = 48, kColumns = 96, kPairs = 128;  // of a block; of k, in a part
constexpr size_t kTilesDown = kRows / kTileRows, kTilesAcross = kColumns / kTileColumns;

/// What is on the stack. Sums of a tile: for each pair of its rows, 2 x 2 for each pair of columns.
struct [[gnu::aligned(16)]] OnStack {
    uint16_t lhs[kTilesDown][2 * kPairs * kTileRows], rhs[2 * kPairs * kTileColumns];
    float sums[kTilesAcross][kTilesDown][kTileRows / 2][kTileColumns / 2][4];
    float bias[kTileColumns / 2][4];
    float edge[kTileRows][kTileColumns];
};

/// The pairs of k at `first` and `second`, 4 rows of each: the 4 k of each row side by side.
KAI_INLINE void rearrange_quad(uint32x4_t first, uint32x4_t second, uint8_t* to) {
    store(to, vzip1q_u32(first, second));
    store(to + 16, vzip2q_u32(first, second));
}

/// `count` rows from row `first` on, of the matrix that has `all`; rows that do not exist are some that do. The second
/// pair of the last 4 k may be missing.
template <size_t count>
KAI_INLINE void rearrange(const WordPanels& matrix, size_t first, size_t all, size_t pair, size_t pairs, void* out) {
    constexpr size_t kQuads = count / kQuad;
    const size_t stride = matrix.stride();
    const uint8_t* from[kQuads];
    for (size_t q = 0; q < kQuads; ++q) {
        const size_t row = first + q * kQuad;
        from[q] = matrix.strip(row < all ? row : first) + pair * stride;
    }
    uint8_t* to = bytes(out);
    const auto at = [&](size_t q, size_t i) __attribute__((always_inline)) {
        return load<uint32x4_t>(from[q] + i * stride);
    };
    for (; pairs >= 2; pairs -= 2, to += 32 * kQuads) {
        KAI_UNROLL(3)
        for (size_t q = 0; q < kQuads; ++q) {
            rearrange_quad(at(q, 0), at(q, 1), to + 32 * q);
            from[q] += 2 * stride;
        }
    }
    for (size_t q = 0; q < kQuads && pairs != 0; ++q) {
        rearrange_quad(at(q, 0), vdupq_n_u32(0), to + 32 * q);
    }
}

/// Operands and results of a call; k in pairs.
struct PairProblem {
    size_t m, n, words;
    WordPanels lhs, rhs;
    uint8_t* dst;
    size_t dst_stride;
    float32x4_t bounds[2];
};

/// The bias of 12 columns, as the sums of each pair of rows start.
KAI_INLINE void load_bias(const PairProblem& p, size_t n, float (&bias)[kTileColumns / 2][4]) {
    for (size_t c = 0; c < kTileColumns; c += kQuad) {
        const size_t column = n + c < p.n ? n + c : n;
        const auto x = load<float64x2_t>(p.rhs.bias(column));
        store(bytes(bias[c / 2]), vdupq_laneq_f64(x, 0));
        store(bytes(bias[c / 2 + 1]), vdupq_laneq_f64(x, 1));
    }
}

/// A part of k of one tile. sums: of the parts before, and of this one, if it is not the last.
KAI_INLINE void multiply_tile(
    const PairProblem& p, size_t m, size_t n, const uint16_t* lhs, OnStack& s, float* sums, size_t at, size_t pairs) {
    constexpr size_t kSumsOfPair = sizeof(s.sums[0][0][0]);
    const float* start = at == 0 ? s.bias[0] : sums;
    const size_t start_step = at == 0 ? 0 : kSumsOfPair, groups = (pairs + 1) / 2;
    if (at + pairs < p.words) {
        kai_tile_bf16_8x12_neon_bf16(start, start_step, groups, lhs, s.rhs, sums, 0, nullptr);
        return;
    }
    uint8_t* dst = p.dst + m * p.dst_stride + n * sizeof(float);
    const size_t rows = p.m - m, columns = p.n - n;
    if (rows >= kTileRows && columns >= kTileColumns) {
        kai_tile_bf16_8x12_neon_bf16(start, start_step, groups, lhs, s.rhs, dst, p.dst_stride, p.bounds);
        return;
    }
    kai_tile_bf16_8x12_neon_bf16(start, start_step, groups, lhs, s.rhs, s.edge, sizeof(s.edge[0]), p.bounds);
    for (size_t i = 0; i < kTileRows && i < rows; ++i, dst += p.dst_stride) {
        __builtin_memcpy(dst, s.edge[i], (columns < kTileColumns ? columns : kTileColumns) * sizeof(float));
    }
}

/// `rows` rows from m on, `columns` columns from n on.
KAI_INLINE void multiply_block(const PairProblem& p, size_t m, size_t rows, size_t n, size_t columns, OnStack& s) {
    size_t at = 0;
    do {
        const size_t pairs = p.words - at < kPairs ? p.words - at : kPairs;
        for (size_t i = 0; i < rows; i += kTileRows) {
            rearrange<kTileRows>(p.lhs, m + i, p.m, at, pairs, s.lhs[i / kTileRows]);
        }
        for (size_t j = 0; j < columns; j += kTileColumns) {
            rearrange<kTileColumns>(p.rhs, n + j, p.n, at, pairs, s.rhs);
            if (at == 0) {
                load_bias(p, n + j, s.bias);
            }
            for (size_t i = 0; i < rows; i += kTileRows) {
                float* sums = s.sums[j / kTileColumns % kTilesAcross][i / kTileRows][0][0];
                multiply_tile(p, m + i, n + j, s.lhs[i / kTileRows], s, sums, at, pairs);
            }
        }
        at += pairs;
    } while (at < p.words);
}

[[gnu::noinline]] void multiply_panels(const PairProblem& p) {
    OnStack s;
    const size_t widest = p.words <= kPairs ? p.n : kColumns;
    for (size_t n = 0; n < p.n; n += widest) {
        const size_t columns = p.n - n < widest ? p.n - n : widest;
        for (size_t m = 0; m < p.m; m += kRows) {
            multiply_block(p, m, p.m - m < kRows ? p.m - m : kRows, n, columns, s);
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
             {vdupq_n_f32(clamp_min), vdupq_n_f32(clamp_max)}});                             \
    }

extern "C" {

#define KAI_ISA_neon_bf16 KAI_LINES(KAI_DEFINE_MATMUL_BF16)
#define KAI_UKERNEL KAI_LINE
#include "kai/ukernels/matmul/matmul_clamp_f32_bf16p_bf16p/ukernels.def"

}  // extern "C"
