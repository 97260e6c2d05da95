// Element types of the rows that LHS packers read.
//
// Elements are seen as f32, which is exact, and as bit patterns: largest values are found by comparing integers. That
// orders NaN and infinities in one way on every host, takes half the instructions for 16-bit types, and needs no
// arithmetic on them.
//
// What runs once per element has the type as a template parameter (SourceF32, ...); what runs once per row or block,
// and the scalar packers, have it as a value (SourceType), so that there is one of each.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/base.hpp"

namespace kai {
namespace {

#if defined(__aarch64__)
/// Eight elements: 0 ... 3, 4 ... 7.
struct Eight {
    float32x4_t lo, hi;
};

/// @name Vectors of bit patterns of 32 or 16 bits
/// @{
KAI_INLINE uint32x4_t largest(uint32x4_t a, uint32x4_t b) {
    return vmaxq_u32(a, b);
}
KAI_INLINE uint16x8_t largest(uint16x8_t a, uint16x8_t b) {
    return vmaxq_u16(a, b);
}
KAI_INLINE uint32x4_t largest_signed(uint32x4_t a, uint32x4_t b) {
    return vreinterpretq_u32_s32(vmaxq_s32(vreinterpretq_s32_u32(a), vreinterpretq_s32_u32(b)));
}
KAI_INLINE uint16x8_t largest_signed(uint16x8_t a, uint16x8_t b) {
    return vreinterpretq_u16_s16(vmaxq_s16(vreinterpretq_s16_u16(a), vreinterpretq_s16_u16(b)));
}
KAI_INLINE uint32_t largest_lane(uint32x4_t v) {
    return vmaxvq_u32(v);
}
KAI_INLINE uint16_t largest_lane(uint16x8_t v) {
    return vmaxvq_u16(v);
}
KAI_INLINE uint32_t largest_lane_signed(uint32x4_t v) {
    return static_cast<uint32_t>(vmaxvq_s32(vreinterpretq_s32_u32(v)));
}
KAI_INLINE uint16_t largest_lane_signed(uint16x8_t v) {
    return static_cast<uint16_t>(vmaxvq_s16(vreinterpretq_s16_u16(v)));
}
KAI_INLINE uint32x4_t splat_bits(uint32_t bits) {
    return vdupq_n_u32(bits);
}
KAI_INLINE uint16x8_t splat_bits(uint16_t bits) {
    return vdupq_n_u16(bits);
}
KAI_INLINE uint32x4_t without_sign(uint32x4_t v) {
    return vbicq_u32(v, vdupq_n_u32(0x80000000u));
}
KAI_INLINE uint16x8_t without_sign(uint16x8_t v) {
    return vbicq_u16(v, vdupq_n_u16(0x8000u));
}
/// @}
#endif

struct SourceF32 {
    static constexpr size_t size = 4;

#if defined(__aarch64__)
    using Lanes = uint32x4_t;
    /// Eight elements as they are in memory.
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
#endif
};

#if defined(__aarch64__)
/// Sources of 16 bits: {a, b, c, d}'s largest lanes.
KAI_INLINE uint16x4_t largest_of_each_16(uint16x8_t a, uint16x8_t b, uint16x8_t c, uint16x8_t d) {
    const uint16x8_t pairs = vpmaxq_u16(vpmaxq_u16(a, b), vpmaxq_u16(c, d));
    return vget_low_u16(vpmaxq_u16(pairs, pairs));
}
#endif

struct SourceF16 {
    static constexpr size_t size = 2;

#if defined(__aarch64__)
    using Lanes = uint16x8_t;
    using Loaded = float16x8_t;
    KAI_INLINE static Loaded load8(const uint8_t* p) {
        return vreinterpretq_f16_u8(vld1q_u8(p));
    }
    KAI_INLINE static Eight values(Loaded v) {
        return {vcvt_f32_f16(vget_low_f16(v)), vcvt_high_f32_f16(v)};
    }
    KAI_INLINE static float32x4_t largest_of_each(Lanes a, Lanes b, Lanes c, Lanes d) {
        return vcvt_f32_f16(vreinterpret_f16_u16(largest_of_each_16(a, b, c, d)));
    }
#endif
};

struct SourceBf16 {
    static constexpr size_t size = 2;

#if defined(__aarch64__)
    using Lanes = uint16x8_t;
    using Loaded = uint16x8_t;
    KAI_INLINE static Loaded load8(const uint8_t* p) {
        return vreinterpretq_u16_u8(vld1q_u8(p));
    }
    /// ZIP with zero is a shift by 16 that more units can do.
    KAI_INLINE static Eight values(Loaded v) {
        const uint16x8_t zero = vdupq_n_u16(0);
        return {vreinterpretq_f32_u16(vzip1q_u16(zero, v)), vreinterpretq_f32_u16(vzip2q_u16(zero, v))};
    }
#endif
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

#if defined(__aarch64__)
template <typename Source>
KAI_INLINE typename Source::Lanes lanes_at(const uint8_t* p) {
    return load<typename Source::Lanes>(p);
}
#endif

}  // namespace
}  // namespace kai
