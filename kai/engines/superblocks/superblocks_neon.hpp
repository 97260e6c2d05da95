// f32 <- int8 in blocks of 256 x weights in super-blocks, with SMMLA or SDOT: what micro-kernels are made of.
//
// GEMM: tiles of 2, 4, 8 and 16 rows x 4 columns in assembly (superblocks_neon.inc). GEMV: templates, two panels of
// four columns at a time, which share the row.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/blocks/blocks_neon_tiles.hpp"
#include "kai/engines/superblocks/superblocks.hpp"

namespace kai {
namespace {

/// A pair of formats as the engine of blocks knows it.
template <const Format& RHS>
struct SuperPair {
    static constexpr Format kLhs = qsi8d256p, kRhs = RHS;
    static constexpr bool kBias = false;
};

static_assert(
    qsi8d256p.block_bytes({4, 8, 2}, 256) == 1104 && qsi6c16x256p.block_bytes({4, 8, 2}, 256) == 840,
    "LHS_BLOCK, RHS_BLOCK of the assembly");

/// GEMM with `tiles`.
template <const Format& RHS, class Acc>
KAI_INLINE void matmul_superblocks(
    const BlockTiles& tiles, size_t m, size_t n, size_t k, const void* lhs, const void* rhs, Dst<float> dst) {
    matmul_blocks<SuperPair<RHS>, Acc>(tiles, m, n, k / RHS.block, RHS.block, lhs, rhs, dst);
}

#if defined(__ARM_FEATURE_DOTPROD)
/// @name GEMV
/// @{

/// A format, and its K loop: the sums of a super-block of PANELS panels, times 2^kFraction. `row`, `columns` and
/// `scales` are the elements of a row, the elements and the scales of sub-blocks of the first panel.
struct SixBits {
    static constexpr const Format& kFormat = qsi6c16x256p;
    static constexpr int kFraction = 2;

    KAI_INLINE static void decode(const uint8_t* quad, int8x16_t v[4]) {
        const uint8x16_t mask = vdupq_n_u8(0xFC);
        const uint8x16_t a = vld1q_u8(quad), b = vld1q_u8(quad + 16), c = vld1q_u8(quad + 32);
        v[0] = vreinterpretq_s8_u8(vandq_u8(a, mask));
        v[1] = vreinterpretq_s8_u8(vandq_u8(b, mask));
        v[2] = vreinterpretq_s8_u8(vandq_u8(c, mask));
        v[3] = vreinterpretq_s8_u8(vshlq_n_u8(vsliq_n_u8(vsliq_n_u8(c, b, 2), a, 4), 2));
    }

    template <class Acc, int PANELS>
    KAI_INLINE static void sum(
        const uint8_t* row, const uint8_t* columns, const uint8_t* scales, size_t stride, int32x4_t sums[PANELS]) {
        for (size_t j = 0; j < Six::kSubs; ++j, row += Six::kSub, columns += Six::kQuad, scales += 4) {
            const auto lhs = Acc::load_lhs(row);
            KAI_UNROLL(4)
            for (int p = 0; p < PANELS; ++p) {
                int8x16_t v[4];
                decode(columns + p * stride, v);
                Acc acc;
                acc.start();
                acc.template mac<0>(lhs, v[0]);
                acc.template mac<1>(lhs, v[1]);
                acc.template mac<2>(lhs, v[2]);
                acc.template mac<3>(lhs, v[3]);
                const int8x8_t bytes = vreinterpret_s8_u32(vdup_n_u32(load<uint32_t>(scales + p * stride)));
                sums[p] = vmlaq_s32(sums[p], acc.sum(), vmovl_s16(vget_low_s16(vmovl_s8(bytes))));
            }
        }
    }
};

/// PANELS panels of a row.
template <class Rhs, class Acc, int PANELS>
KAI_INLINE void row_of_panels(const uint8_t* lhs, const uint8_t* rhs, size_t blocks, float32x4_t acc[PANELS]) {
    constexpr const Format& kFormat = Rhs::kFormat;
    constexpr size_t kLhsBlock = qsi8d256p.block_bytes(Acc::kLhs, 256), kRhsBlock = kFormat.block_bytes(Acc::kRhs, 256);
    const size_t stride = blocks * kRhsBlock;
    KAI_UNROLL(4)
    for (int p = 0; p < PANELS; ++p) {
        acc[p] = vdupq_n_f32(0);
    }
    for (; blocks > 0; --blocks, lhs += kLhsBlock, rhs += kRhsBlock) {
        int32x4_t sums[PANELS] = {};
        Rhs::template sum<Acc, PANELS>(
            lhs + qsi8d256p.block_head, rhs + 4 * kFormat.block_head, rhs + scale_of_sub(4, 0, 0), stride, sums);
        const float32x4_t lhs_scale = vdupq_n_f32(load<float>(lhs));
        KAI_UNROLL(4)
        for (int p = 0; p < PANELS; ++p) {
            const float32x4_t d = load_f16x4(rhs + p * stride);
            acc[p] = vfmaq_f32(acc[p], vmulq_f32(vcvtq_n_f32_s32(sums[p], Rhs::kFraction), d), lhs_scale);
        }
    }
}

/// `quads` panels of a row, to dst.
template <class Rhs, class Acc>
[[gnu::noinline]] void row_of_superblocks(
    const uint8_t* lhs, const uint8_t* rhs, size_t blocks, uint8_t* dst, size_t quads, float lo, float hi) {
    constexpr int kPanels = 2;
    const size_t stride = blocks * Rhs::kFormat.block_bytes(Acc::kRhs, 256);
    for (; quads >= kPanels; quads -= kPanels, rhs += kPanels * stride, dst += 16 * kPanels) {
        float32x4_t acc[kPanels];
        row_of_panels<Rhs, Acc, kPanels>(lhs, rhs, blocks, acc);
        KAI_UNROLL(4)
        for (int p = 0; p < kPanels; ++p) {
            store(dst + 16 * p, clamped(acc[p], lo, hi));
        }
    }
    for (; quads > 0; --quads, rhs += stride, dst += 16) {
        float32x4_t acc[1];
        row_of_panels<Rhs, Acc, 1>(lhs, rhs, blocks, acc);
        store(dst, clamped(acc[0], lo, hi));
    }
}

/// Rows one by one.
template <class Rhs, class Acc>
KAI_INLINE void rows_of_superblocks(size_t m, size_t n, size_t k, const void* lhs, const void* rhs, Dst<float> dst) {
    const size_t blocks = k / 256;
    const Rows rows = {
        m,
        n,
        4,
        bytes(lhs),
        qsi8d256p.stride(Acc::kLhs, k),
        bytes(rhs),
        Rhs::kFormat.stride(Acc::kRhs, k),
        dst.start,
        dst.stride,
        sizeof(float)};
    each_row(rows, [&](const uint8_t* row, const uint8_t* columns, uint8_t* to, size_t quads) {
        row_of_superblocks<Rhs, Acc>(row, columns, blocks, to, quads, dst.lo, dst.hi);
    });
}
/// @}
#endif

}  // namespace
}  // namespace kai

/// The tiles of an ISA for a format.
#define KAI_DECLARE_SUPER_TILES(LHS, RHS, ISA)                                          \
    kai::TileFn kai_tile_##LHS##_##RHS##_2x4_##ISA, kai_tile_##LHS##_##RHS##_4x4_##ISA, \
        kai_tile_##LHS##_##RHS##_8x4_##ISA, kai_tile_##LHS##_##RHS##_16x4_##ISA
#define KAI_SUPER_TILES(LHS, RHS, ISA, PAIRS)                                                                          \
    {                                                                                                                  \
        {kai_tile_##LHS##_##RHS##_4x4_##ISA, kai_tile_##LHS##_##RHS##_8x4_##ISA, kai_tile_##LHS##_##RHS##_16x4_##ISA}, \
            0, nullptr, 0, nullptr, PAIRS, {                                                                           \
            nullptr, kai_tile_##LHS##_##RHS##_2x4_##ISA                                                                \
        }                                                                                                              \
    }

/// The functions of a micro-kernel of the catalogue. The including file has kai::run<RHS, MR, KR>, which does the work.
#define KAI_DEFINE_MATMUL_SUPERBLOCKS(NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP)                                 \
    KAI_DEFINE_MATMUL_GETTERS_MULTIPLE(kai::RHS.block, NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP, sizeof(float)) \
    void kai_run_##NAME(                                                                                              \
        size_t m, size_t n, size_t k, const void* lhs, const void* rhs, float* dst, size_t stride_row,                \
        size_t stride_col, float lo, float hi) {                                                                      \
        kai::check_depth(k, kai::RHS.block);                                                                          \
        kai::check_output(stride_col, sizeof(float), lo, hi);                                                         \
        kai::run<kai::RHS, MR, KR>(m, n, k, lhs, rhs, kai::Dst<float>{dst, stride_row, lo, hi});                      \
    }
