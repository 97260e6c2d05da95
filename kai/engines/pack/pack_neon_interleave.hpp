// Four columns, 16 bytes of each, to the order of a panel: NEON building blocks of the RHS packers.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/base.hpp"

#if defined(__aarch64__)

namespace kai {
namespace {

/// @name ZIP1 and ZIP2 of lanes of `group` bytes
/// @{
#define KAI_ZIP(NAME)                                                                                      \
    template <size_t group>                                                                                \
    KAI_INLINE uint8x16_t NAME(uint8x16_t a, uint8x16_t b) {                                               \
        if constexpr (group == 1) {                                                                        \
            return v##NAME##q_u8(a, b);                                                                    \
        } else if constexpr (group == 2) {                                                                 \
            return vreinterpretq_u8_u16(v##NAME##q_u16(vreinterpretq_u16_u8(a), vreinterpretq_u16_u8(b))); \
        } else if constexpr (group == 4) {                                                                 \
            return vreinterpretq_u8_u32(v##NAME##q_u32(vreinterpretq_u32_u8(a), vreinterpretq_u32_u8(b))); \
        } else {                                                                                           \
            return vreinterpretq_u8_u64(v##NAME##q_u64(vreinterpretq_u64_u8(a), vreinterpretq_u64_u8(b))); \
        }                                                                                                  \
    }
KAI_ZIP(zip1)
KAI_ZIP(zip2)
#undef KAI_ZIP
/// @}

/// The sources of four neighbouring places of a panel.
struct FourColumns {
    const uint8_t* at[4];
};

/// From 16 bytes of each of four columns: the groups of place 0 of all columns, those of place 1, and so on.
template <size_t group>
KAI_INLINE void interleave(const uint8x16_t v[4], uint8x16_t out[4]) {
    if constexpr (group == 16) {
        KAI_UNROLL(4)
        for (size_t c = 0; c < 4; ++c) {
            out[c] = v[c];
        }
    } else if constexpr (group == 8) {
        out[0] = zip1<8>(v[0], v[1]);
        out[1] = zip1<8>(v[2], v[3]);
        out[2] = zip2<8>(v[0], v[1]);
        out[3] = zip2<8>(v[2], v[3]);
    } else {
        const uint8x16_t even[2] = {zip1<group>(v[0], v[2]), zip2<group>(v[0], v[2])};  // columns 0, 2
        const uint8x16_t odd[2] = {zip1<group>(v[1], v[3]), zip2<group>(v[1], v[3])};   // columns 1, 3
        out[0] = zip1<group>(even[0], odd[0]);
        out[1] = zip2<group>(even[0], odd[0]);
        out[2] = zip1<group>(even[1], odd[1]);
        out[3] = zip2<group>(even[1], odd[1]);
    }
}

/// The first `vectors` vectors of `interleave`: the groups of one place are side by side, `group_step` bytes from place
/// to place. Returns the place after the last one.
template <size_t group, size_t vectors = 4>
KAI_INLINE uint8_t* store_groups(const uint8x16_t out[4], uint8_t* dst, size_t group_step) {
    KAI_UNROLL(4)
    for (size_t i = 0; i < vectors; ++i) {
        if constexpr (group == 16) {
            store(dst + 16 * i, out[i]);
        } else if constexpr (group == 1) {
            const uint32x4_t places = vreinterpretq_u32_u8(out[i]);
            store(dst, vgetq_lane_u32(places, 0));
            store(dst + group_step, vgetq_lane_u32(places, 1));
            store(dst + 2 * group_step, vgetq_lane_u32(places, 2));
            store(dst + 3 * group_step, vgetq_lane_u32(places, 3));
            dst += 4 * group_step;
        } else if constexpr (group == 2) {
            store(dst, vget_low_u8(out[i]));
            store(dst + group_step, vget_high_u8(out[i]));
            dst += 2 * group_step;
        } else if constexpr (group == 4) {
            store(dst, out[i]);
            dst += group_step;
        } else if (i % 2 == 0) {
#if defined(__clang__)
            store(dst, out[i]);
            store(dst + 16, out[i + 1]);
#else
            const uint8x16x2_t place = {{out[i], out[i + 1]}};
            vst1q_u8_x2(dst, place);  // GCC 12 makes no STP of two stores
#endif
            dst += group_step;
        }
    }
    return group == 16 ? dst + group_step : dst;
}

}  // namespace
}  // namespace kai

#endif
