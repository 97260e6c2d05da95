// Integer matmul on NEON: the pieces that kernels are built from.
//
// A kernel is a tile of panels x (4 rows x 4 columns), or a row, and three policies:
//
//     Acc   how a tile multiplies, and the order of its vectors: Mmla8, Dot4; for one row Dot4Row, Dot8Row
//     Rhs   how packed bytes become int8 operands: Int4, Int8
//     Sum   where integer sums start and how they become f32: ShortSum, LongSum
//
// How scales are applied depends on the pair of formats (blocks_neon_tiles.hpp).
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arm_neon.h>

#include "kai/engines/core/layout.hpp"

namespace kai {
namespace {

KAI_INLINE int8x16_t load_s8x16(const uint8_t* p) {
    return vreinterpretq_s8_u8(vld1q_u8(p));
}

/// Four f32 at any alignment.
KAI_INLINE float32x4_t load_f32x4(const uint8_t* p) {
    return vreinterpretq_f32_u8(vld1q_u8(p));
}

/// Four f16 at any alignment.
KAI_INLINE float32x4_t load_f16x4(const uint8_t* p) {
    return vcvt_f32_f16(vreinterpret_f16_u8(vld1_u8(p)));
}

KAI_INLINE float load_f16(const uint8_t* p) {
    return static_cast<float>(load<__fp16>(p));
}

/// @name Integer to float. The sums are 16 * S (Int8: S) and become S (FRACTION = 4 bits) or 16 * S (FRACTION = 0).
/// @{

/// |16 * S| <= 2^22, as in blocks of up to 256 (Int8: |S|, blocks of 32). A sum that starts at the bits of
/// C = 1.5 * 2^(23 - FRACTION), where floats are 2^-FRACTION apart, ends as the float C + S (or 16 * S): an exact
/// subtraction replaces the conversion, which costs two slots on many cores.
template <int FRACTION>
struct ShortSum {
    static constexpr float kStart = 1.5F * (1 << (23 - FRACTION));
};

/// Any block length below 2^17.
template <int FRACTION>
struct LongSum {
    KAI_INLINE static int32x4_t start() {
        return vdupq_n_s32(0);
    }
    KAI_INLINE static float32x4_t to_float(int32x4_t sum) {
        if constexpr (FRACTION == 0) {
            return vcvtq_f32_s32(sum);
        } else {
            return vcvtq_n_f32_s32(sum, FRACTION);
        }
    }
};
/// @}

/// RHS of signed nibbles: a byte becomes 16 times the weight of its low nibble and 16 times that of its high one.
struct Int4 {
    static constexpr int kBits = 4;

    KAI_INLINE static int8x16_t low(int8x16_t packed) {
        return vshlq_n_s8(packed, 4);
    }
    KAI_INLINE static int8x16_t high(int8x16_t packed) {
        return vandq_s8(packed, vdupq_n_s8(-16));
    }
    /// 64 bytes.
    KAI_INLINE static void decode(const uint8_t* p, size_t, int8x16_t low[4], int8x16_t high[4]) {
        KAI_UNROLL(16)
        for (int i = 0; i < 4; ++i) {
            const int8x16_t packed = load_s8x16(p + 16 * i);
            low[i] = Int4::low(packed);
            high[i] = Int4::high(packed);
        }
    }
};

/// RHS of indices of a table: a byte becomes what its low nibble selects and what its high one does.
KAI_INLINE void look_up(int8x16_t table, const uint8_t* p, int8x16_t low[4], int8x16_t high[4]) {
    KAI_UNROLL(16)
    for (int i = 0; i < 4; ++i) {
        const uint8x16_t packed = vld1q_u8(p + 16 * i);
        low[i] = vqtbl1q_s8(table, vandq_u8(packed, vdupq_n_u8(15)));
        high[i] = vqtbl1q_s8(table, vshrq_n_u8(packed, 4));
    }
}

/// RHS of int8: what stands in for high nibbles is the second half of a block, `apart` bytes from the first.
struct Int8 {
    static constexpr int kBits = 8;

    /// Twice 64 bytes.
    KAI_INLINE static void decode(const uint8_t* p, size_t apart, int8x16_t low[4], int8x16_t high[4]) {
        KAI_UNROLL(16)
        for (int i = 0; i < 4; ++i) {
            low[i] = load_s8x16(p + 16 * i);
            high[i] = load_s8x16(p + apart + 16 * i);
        }
    }
};

#ifdef __ARM_FEATURE_MATMUL_INT8
/// SMMLA on groups of 8 k. Vector 2i + j of a tile holds rows 2i, 2i + 1 of columns 2j, 2j + 1: r0c0 r0c1 r1c0 r1c1.
struct Mmla8 {
    static constexpr Tile kLhs{4, 16, 2}, kRhs{4, 16, 2};

    /// sums += 16 k: 64 bytes of a panel, four RHS vectors of 2 columns x 8 k.
    KAI_INLINE static void mac(int32x4_t sums[4], const uint8_t* lhs, const int8x16_t rhs[4]) {
        KAI_UNROLL(16)
        for (int g = 0; g < 2; ++g) {
            KAI_UNROLL(16)
            for (int i = 0; i < 2; ++i) {
                const int8x16_t l = load_s8x16(lhs + 32 * g + 16 * i);
                sums[2 * i] = vmmlaq_s32(sums[2 * i], l, rhs[2 * g]);
                sums[2 * i + 1] = vmmlaq_s32(sums[2 * i + 1], l, rhs[2 * g + 1]);
            }
        }
    }
    /// A value per row (column) in the order of vector v.
    KAI_INLINE static void spread_rows(float32x4_t x, float32x4_t out[4]) {
        out[0] = out[1] = vzip1q_f32(x, x);
        out[2] = out[3] = vzip2q_f32(x, x);
    }
    KAI_INLINE static void spread_columns(float32x4_t x, float32x4_t out[4]) {
        out[0] = out[2] = vcombine_f32(vget_low_f32(x), vget_low_f32(x));
        out[1] = out[3] = vcombine_f32(vget_high_f32(x), vget_high_f32(x));
    }
    static constexpr bool kPairs = true;  // how a tile is ordered: BlockTiles
};
#endif

#ifdef __ARM_FEATURE_DOTPROD
/// SDOT on groups of 4 k. Vector i of a tile holds row i.
struct Dot4 {
    static constexpr Tile kLhs{4, 8, 2}, kRhs{4, 8, 2};

    /// sums += 16 k: 64 bytes of a panel, four RHS vectors of 4 columns x 4 k.
    KAI_INLINE static void mac(int32x4_t sums[4], const uint8_t* lhs, const int8x16_t rhs[4]) {
        KAI_UNROLL(16)
        for (int g = 0; g < 4; ++g) {
            const int8x16_t l = load_s8x16(lhs + 16 * g);
            sums[0] = vdotq_laneq_s32(sums[0], rhs[g], l, 0);
            sums[1] = vdotq_laneq_s32(sums[1], rhs[g], l, 1);
            sums[2] = vdotq_laneq_s32(sums[2], rhs[g], l, 2);
            sums[3] = vdotq_laneq_s32(sums[3], rhs[g], l, 3);
        }
    }
    KAI_INLINE static void spread_rows(float32x4_t x, float32x4_t out[4]) {
        out[0] = vdupq_laneq_f32(x, 0);
        out[1] = vdupq_laneq_f32(x, 1);
        out[2] = vdupq_laneq_f32(x, 2);
        out[3] = vdupq_laneq_f32(x, 3);
    }
    KAI_INLINE static void spread_columns(float32x4_t x, float32x4_t out[4]) {
        out[0] = out[1] = out[2] = out[3] = x;
    }
    static constexpr bool kPairs = false;  // how a tile is ordered: BlockTiles
};

/// One row, SDOT on groups of 4 k. Lane c holds column c.
struct Dot4Row {
    static constexpr Tile kLhs{1, 8, 2}, kRhs{4, 8, 2};
    struct Lhs {
        int8x16_t k16;
    };
    KAI_INLINE static Lhs load_lhs(const uint8_t* p) {
        return {load_s8x16(p)};
    }

    int32x4_t sums;

    KAI_INLINE void start() {
        sums = vdupq_n_s32(0);
    }
    /// Vector V of four that hold 16 k: 4 columns x 4 k.
    template <int V>
    KAI_INLINE void mac(Lhs lhs, int8x16_t rhs) {
        sums = vdotq_laneq_s32(sums, rhs, lhs.k16, V);
    }
    KAI_INLINE int32x4_t sum() const {
        return sums;
    }
};

/// One row, SDOT on groups of 8 k. Vector j holds columns 2j, 2j + 1, two partial sums each.
struct Dot8Row {
    static constexpr Tile kLhs{1, 16, 2}, kRhs{4, 16, 2};
    struct Lhs {
        int8x16_t k8[2];  // 8 k, twice
    };
    KAI_INLINE static Lhs load_lhs(const uint8_t* p) {
        return {
            {vreinterpretq_s8_s64(vdupq_n_s64(load<int64_t>(p))),
             vreinterpretq_s8_s64(vdupq_n_s64(load<int64_t>(p + 8)))}};
    }

    int32x4_t sums[2];

    KAI_INLINE void start() {
        sums[0] = vdupq_n_s32(0);
        sums[1] = vdupq_n_s32(0);
    }
    /// Vector V of four that hold 16 k: 2 columns x 8 k.
    template <int V>
    KAI_INLINE void mac(const Lhs& lhs, int8x16_t rhs) {
        sums[V % 2] = vdotq_s32(sums[V % 2], rhs, lhs.k8[V / 2]);
    }
    KAI_INLINE int32x4_t sum() const {
        return vpaddq_s32(sums[0], sums[1]);
    }
};
#endif

/// @name Output
///
/// An element is a float or F16: the bits that a conversion to nearest, ties to even, gives.
/// @{
struct F16 {
    uint16_t bits;
};

/// How a function of the API takes its output.
template <class T>
struct Output {
    using Pointer = void*;
};
template <>
struct Output<float> {
    using Pointer = float*;
};

/// max, then min: NaN stays NaN.
KAI_INLINE float32x4_t clamped(float32x4_t x, float lo, float hi) {
    return vminq_f32(vmaxq_f32(x, vdupq_n_f32(lo)), vdupq_n_f32(hi));
}

/// Four elements at any alignment.
KAI_INLINE void store_four(float* dst, float32x4_t x) {
    store(dst, x);
}
KAI_INLINE void store_four(F16* dst, float32x4_t x) {
    store(dst, vcvt_f16_f32(x));
}
/// @}

}  // namespace
}  // namespace kai
