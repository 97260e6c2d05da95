// The rows that LHS packers read: their element types, where they lie, and where they go.
//
// Elements are read as f32, which is exact, and as bit patterns: maxima are found by comparing integers. That orders
// NaN and infinities in the same way on every host, takes half the instructions for 16-bit types, and needs no
// arithmetic on them.
//
// Code that runs once per element has the type as a template parameter (Elements). Code that runs once per row or
// block, and the scalar packers, take it as a value (SourceType), so that there is one copy of each.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/layout.hpp"

namespace kai {
namespace {

/// m rows, and the panel that the first one goes to.
struct LhsRows {
    size_t m, k, bl;  // bl: of formats with blocks
    Tile tile;
    size_t first_slot;  // of the panel
    const void* lhs;    // the first row
    size_t lhs_stride;  // bytes
    void* packed;
    const size_t* indices = nullptr;  // row i of the call is row indices[i] of lhs; NULL: row i

    KAI_INLINE const uint8_t* row(size_t i) const {
        return bytes(lhs, (indices != nullptr ? indices[i] : i) * lhs_stride);
    }
};

/// The place of a row: a slot of a panel.
struct RowPlace {
    uint8_t* panel;
    size_t slot;

    KAI_INLINE static RowPlace of_first(const LhsRows& p) {
        return {bytes(p.packed), p.first_slot};
    }
    /// Of the row `rows` further on, which is in this panel or the first of the next one, `stride` bytes on.
    KAI_INLINE void advance(const LhsRows& p, size_t rows, size_t stride) {
        slot += rows;
        if (slot == p.tile.rows) {
            slot = 0;
            panel += stride;
        }
    }
};

enum class SourceType { f32, f16, bf16 };

KAI_INLINE constexpr size_t size_of(SourceType type) {
    return type == SourceType::f32 ? 4 : 2;
}

/// The bit pattern at p.
KAI_INLINE uint32_t bits_at(SourceType type, const uint8_t* p) {
    return type == SourceType::f32 ? load<uint32_t>(p) : load<uint16_t>(p);
}
/// Without the sign: larger magnitudes are larger numbers.
KAI_INLINE uint32_t magnitude_at(SourceType type, const uint8_t* p) {
    return bits_at(type, p) & (type == SourceType::f32 ? 0x7FFFFFFFu : 0x7FFFu);
}
/// What a bit pattern stands for.
KAI_INLINE float value_of(SourceType type, uint32_t bits) {
    const auto half = static_cast<uint16_t>(bits);
    return type == SourceType::f32   ? load<float>(&bits)
           : type == SourceType::f16 ? kai_cast_f32_f16(half)
                                     : kai_cast_f32_bf16(half);
}
/// Element i of a row.
KAI_INLINE float value_at(SourceType type, const uint8_t* row, size_t i) {
    return value_of(type, bits_at(type, row + i * size_of(type)));
}

/// Four f32, and their bits. Compilers have vectors of 16 bytes on every host.
using FourFloats [[gnu::vector_size(16)]] = float;
using FourBits [[gnu::vector_size(16)]] = uint32_t;

#if defined(__aarch64__)

/// @name Vectors of bit patterns of 32 or 16 bits
/// @{
#define KAI_BIT_PATTERNS(BITS, LANES)                                                               \
    KAI_INLINE LANES largest(LANES a, LANES b) {                                                    \
        return vmaxq_u##BITS(a, b);                                                                 \
    }                                                                                               \
    KAI_INLINE LANES largest_signed(LANES a, LANES b) {                                             \
        return vreinterpretq_u##BITS##_s##BITS(                                                     \
            vmaxq_s##BITS(vreinterpretq_s##BITS##_u##BITS(a), vreinterpretq_s##BITS##_u##BITS(b))); \
    }                                                                                               \
    KAI_INLINE uint##BITS##_t largest_lane(LANES v) {                                               \
        return vmaxvq_u##BITS(v);                                                                   \
    }                                                                                               \
    KAI_INLINE uint##BITS##_t largest_lane_signed(LANES v) {                                        \
        return static_cast<uint##BITS##_t>(vmaxvq_s##BITS(vreinterpretq_s##BITS##_u##BITS(v)));     \
    }                                                                                               \
    KAI_INLINE LANES splat_bits(uint##BITS##_t bits) {                                              \
        return vdupq_n_u##BITS(bits);                                                               \
    }                                                                                               \
    KAI_INLINE LANES without_sign(LANES v) {                                                        \
        return vbicq_u##BITS(v, splat_bits(static_cast<uint##BITS##_t>(1u << (BITS - 1))));         \
    }
KAI_BIT_PATTERNS(32, uint32x4_t)
KAI_BIT_PATTERNS(16, uint16x8_t)
#undef KAI_BIT_PATTERNS
/// @}

/// Eight elements: 0 ... 3, 4 ... 7.
struct Eight {
    float32x4_t lo, hi;
};

/// A type of elements. Loaded: eight of them as they are in memory.
template <SourceType>
struct Elements;

template <>
struct Elements<SourceType::f32> {
    static constexpr size_t size = 4;
    using Lanes = uint32x4_t;
    using Loaded = Eight;

    KAI_INLINE static Loaded load8(const uint8_t* p) {
        return {vreinterpretq_f32_u8(vld1q_u8(p)), vreinterpretq_f32_u8(vld1q_u8(p + 16))};
    }
    KAI_INLINE static Eight values(Loaded v) {
        return v;
    }
    /// The values of a, b, c, d's largest lanes.
    KAI_INLINE static float32x4_t largest_of_each(Lanes a, Lanes b, Lanes c, Lanes d) {
        return vreinterpretq_f32_u32(vpmaxq_u32(vpmaxq_u32(a, b), vpmaxq_u32(c, d)));
    }
};

template <>
struct Elements<SourceType::f16> {
    static constexpr size_t size = 2;
    using Lanes = uint16x8_t;
    using Loaded = float16x8_t;

    KAI_INLINE static Loaded load8(const uint8_t* p) {
        return vreinterpretq_f16_u8(vld1q_u8(p));
    }
    KAI_INLINE static Eight values(Loaded v) {
        return {vcvt_f32_f16(vget_low_f16(v)), vcvt_high_f32_f16(v)};
    }
    KAI_INLINE static float32x4_t largest_of_each(Lanes a, Lanes b, Lanes c, Lanes d) {
        const uint16x8_t pairs = vpmaxq_u16(vpmaxq_u16(a, b), vpmaxq_u16(c, d));
        return vcvt_f32_f16(vreinterpret_f16_u16(vget_low_u16(vpmaxq_u16(pairs, pairs))));
    }
};

template <>
struct Elements<SourceType::bf16> {
    static constexpr size_t size = 2;
    using Loaded = uint16x8_t;

    KAI_INLINE static Loaded load8(const uint8_t* p) {
        return vreinterpretq_u16_u8(vld1q_u8(p));
    }
    /// ZIP with zero is a shift by 16 that more units can do.
    KAI_INLINE static Eight values(Loaded v) {
        const uint16x8_t zero = vdupq_n_u16(0);
        return {vreinterpretq_f32_u16(vzip1q_u16(zero, v)), vreinterpretq_f32_u16(vzip2q_u16(zero, v))};
    }
};

#endif

}  // namespace
}  // namespace kai
