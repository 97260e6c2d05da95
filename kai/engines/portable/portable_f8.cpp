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

struct PortableF8 {
    bool is_e4m3;  // or E5M2
    const Format* rhs_format;
    size_t m, n, k, bl;
    const uint8_t *lhs, *rhs;
    uint8_t* dst;
    size_t dst_stride;
    float lo, hi;
};

/// A chunk of a panel: four columns of k.
using Weights = float[kVectors][kChunk][4];

#if defined(__aarch64__)

/// Four codes of E4M3 as f32. In an f16 sign, exponent and fraction mean 2^-8 of what they mean here. NaN becomes 480:
/// the scale of its block is NaN.
KAI_INLINE float32x4_t from_e4m3(int16x4_t codes) {
    const int16x4_t shifted = vand_s16(vshl_n_s16(codes, 7), vdup_n_s16(static_cast<int16_t>(0xBFFF)));
    return vmulq_n_f32(vcvt_f32_f16(vreinterpret_f16_s16(shifted)), 0x1p8F);
}
/// Four codes of E5M2.
KAI_INLINE float32x4_t from_e5m2(int16x4_t codes) {
    return vcvt_f32_f16(vreinterpret_f16_s16(vshl_n_s16(codes, 8)));
}

template <bool E4M3>
KAI_INLINE void decode_with_neon(const uint8_t* codes, size_t count, Weights& weights) {
    const auto decoded = [](int16x4_t x) { return E4M3 ? from_e4m3(x) : from_e5m2(x); };
    for (size_t i = 0; i < count; i += kGroup) {
        for (size_t v = 0; v < kVectors; ++v, codes += 16) {
            const int8x16_t x = vreinterpretq_s8_u8(vld1q_u8(codes));
            const int16x8_t lo = vmovl_s8(vget_low_s8(x)), hi = vmovl_high_s8(x);
            const float32x4x4_t columns = {
                {decoded(vget_low_s16(lo)), decoded(vget_high_s16(lo)), decoded(vget_low_s16(hi)),
                 decoded(vget_high_s16(hi))}};
            vst4q_f32(weights[v][i], columns);
        }
    }
}

/// `count` k of a panel.
KAI_INLINE void decode(bool is_e4m3, const uint8_t* codes, size_t count, Weights& weights) {
    (is_e4m3 ? decode_with_neon<true> : decode_with_neon<false>)(codes, count, weights);
}

#else

constexpr F8Values kE4M3(f8e4m3), kE5M2(f8e5m2);

/// `count` k of a panel.
KAI_INLINE void decode(bool is_e4m3, const uint8_t* codes, size_t count, Weights& weights) {
    const float* values = is_e4m3 ? kE4M3.of : kE5M2.of;
    for (size_t i = 0; i < count; i += kGroup) {
        for (size_t c = 0; c < kColumns; ++c) {
            for (size_t j = 0; j < kGroup; ++j) {
                weights[c / 4][i + j][c % 4] = values[*codes++];
            }
        }
    }
}

#endif

using Results = float[kRows][kColumns];

/// Four elements of a row as f32.
KAI_INLINE Vec load_bf16(const uint8_t* p) {
    UnsignedBits bits = {};
    for (size_t j = 0; j < kGroup; ++j) {
        bits[j] = static_cast<uint32_t>(load<uint16_t>(p + j * sizeof(uint16_t))) << 16;
    }
    return load<Vec>(&bits);
}
/// c + a * b, where a * b is exact unless it is subnormal.
KAI_INLINE Vec multiply_add(Vec a, Vec b, Vec c) {
    return kHasFma ? fma_instruction(a, b, c) : a * b + c;
}

/// sums += lhs x weights, of `rows` rows of a panel of the LHS, the first one at `lhs`.
template <size_t rows>
KAI_INLINE void multiply(const uint8_t* lhs, const Weights& weights, size_t count, float (*sums)[kColumns]) {
    Vec sum[rows][kVectors];
    for (size_t r = 0; r < rows; ++r) {
        for (size_t v = 0; v < kVectors; ++v) {
            sum[r][v] = load<Vec>(sums[r] + 4 * v);
        }
    }
    for (size_t i = 0; i < count; i += kGroup, lhs += kPanelRows * kGroup * sizeof(uint16_t)) {
        Vec x[rows];
        for (size_t r = 0; r < rows; ++r) {
            x[r] = load_bf16(lhs + r * kGroup * sizeof(uint16_t));
        }
        KAI_UNROLL(4)
        for (size_t j = 0; j < kGroup; ++j) {
            for (size_t v = 0; v < kVectors; ++v) {
                const Vec w = load<Vec>(weights[v][i + j]);
                for (size_t r = 0; r < rows; ++r) {
                    sum[r][v] = multiply_add(Vec{x[r][j], x[r][j], x[r][j], x[r][j]}, w, sum[r][v]);
                }
            }
        }
    }
    for (size_t r = 0; r < rows; ++r) {
        for (size_t v = 0; v < kVectors; ++v) {
            store(sums[r] + 4 * v, sum[r][v]);
        }
    }
}

/// results += scales * (lhs x codes), for the block of k0; `rows` from that of `lhs` on.
KAI_INLINE void add_block(
    const PortableF8& p, const uint8_t* lhs, size_t lhs_stride, size_t rows, size_t k0, const uint8_t* codes,
    Results& results) {
    Results sums = {};
    for (size_t i = 0; i < p.bl; i += kChunk) {
        const size_t count = p.bl - i < kChunk ? p.bl - i : kChunk;
        Weights weights;
        decode(p.is_e4m3, codes + i * kColumns, count, weights);
        const uint8_t* from = lhs + (k0 + i) * kPanelRows * sizeof(uint16_t);
        constexpr size_t kTogether = 4;  // which divides a panel
        for (size_t r = 0; r < rows;) {
            const uint8_t* row = from + r / kPanelRows * lhs_stride + r % kPanelRows * kGroup * sizeof(uint16_t);
            const bool four = rows - r >= kTogether;
            (four ? multiply<kTogether> : multiply<1>)(row, weights, count, sums + r);
            r += four ? kTogether : 1;
        }
    }
    float scales[kColumns];
    __builtin_memcpy(scales, codes + p.bl * kColumns, sizeof(scales));
    for (size_t r = 0; r < rows; ++r) {
        fused(sums[r], scales, results[r], kColumns);
    }
}

void run_f8(const PortableF8& p) {
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

#define KAI_DEFINE_PORTABLE(IS_E4M3, NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP)                                   \
    KAI_DEFINE_MATMUL_GETTERS_RHS_BL(NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP, sizeof(float))                    \
    KAI_RUN_MATMUL_BL(NAME, void) {                                                                                    \
        static_assert(                                                                                                 \
            MR == kai::kPanelRows && NR == kai::kColumns && KR == kai::kGroup && SR == 1, "panels that run_f8 reads"); \
        kai::check_blocks(kai::RHS, k, bl);                                                                            \
        kai::check_output(dst_stride_col, sizeof(float), clamp_min, clamp_max);                                        \
        const kai::PortableF8 problem = {                                                                              \
            IS_E4M3,         &kai::RHS,      m,         n,        k, bl, kai::bytes(lhs), kai::bytes(rhs),             \
            kai::bytes(dst), dst_stride_row, clamp_min, clamp_max};                                                    \
        kai::run_f8(problem);                                                                                          \
    }
#define KAI_ISA_any KAI_LINES(KAI_DEFINE_PORTABLE)
#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, true, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_bf16p_f8e4m3c32p/ukernels.def"
#undef KAI_UKERNEL
#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, false, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_bf16p_f8e5m2c32p/ukernels.def"
#undef KAI_UKERNEL

}  // extern "C"
