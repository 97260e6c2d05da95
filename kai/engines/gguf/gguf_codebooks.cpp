// Blocks of the codebook types to f32. All products are exact: d has 11 bits, 2 * sub-scale + 1 at most 5, a value 6.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/gguf/gguf_codebooks.hpp"

#include "kai/engines/gguf/gguf_codebooks.inc"

namespace kai {
namespace {

/// What the codes of a table stand for. Eight bytes, which a register holds.
constexpr int8_t kLevels1[8] = {-8, 0, 8};  // eighths
constexpr int8_t kLevels2[8] = {8, 25, 43};
constexpr int8_t kLevels3Xxs[8] = {4, 12, 20, 28, 36, 44, 52, 62};
constexpr int8_t kLevels3S[8] = {1, 3, 5, 7, 9, 11, 13, 15};

/// Eight weights: scale * (+-level of each code + shift).
struct Eight {
    uint32_t codes;  // that of weight 0 in the lowest bits
    unsigned signs;  // bit i: weight i is negative
    int shift;
    float scale;
};

/// f16 d of the block, times an odd number, over a power of two.
KAI_INLINE float scale_of_codes(const uint8_t* d, unsigned sub_scale, float step) {
    return kai_cast_f32_f16(load<uint16_t>(d)) * step * static_cast<float>(2 * sub_scale + 1);
}

KAI_INLINE unsigned nibble(const uint8_t* bytes, size_t i) {
    return bytes[i / 2] >> 4 * (i % 2) & 15;
}

/// Seven signs and an eighth, so that the number of negative weights is even.
KAI_INLINE unsigned even_signs(unsigned seven) {
    unsigned parity = seven ^ seven >> 4;
    parity ^= parity >> 2;
    parity ^= parity >> 1;
    return seven | (parity & 1) << 7;
}

/// Two lines of four codes.
KAI_INLINE uint32_t both(uint16_t first, uint16_t second) {
    return first | uint32_t{second} << 12;
}

/// @name Weights 8 * g to 8 * g + 7 of a block, g = 0..31. Four g share 32 weights.
/// @{
struct TypeIQ2_XXS {
    static constexpr unsigned bits = 2;
    static constexpr const int8_t* levels = kLevels2;
    static Eight eight(const uint8_t* block, size_t g) {
        const uint8_t* part = block + 2 + g / 4 * 8;  // four indices; four times seven signs and the sub-scale
        const auto word = load<uint32_t>(part + 4);
        return {
            kCodesIQ2_XXS[part[g % 4]], even_signs(word >> 7 * (g % 4) & 127), 0,
            scale_of_codes(block, word >> 28, 0.125F)};
    }
};
struct TypeIQ2_XS {
    static constexpr unsigned bits = 2;
    static constexpr const int8_t* levels = kLevels2;
    static Eight eight(const uint8_t* block, size_t g) {
        const auto word = load<uint16_t>(block + 2 + 2 * g);  // nine bits of index, seven of signs
        return {
            kCodesIQ2_XS[word & 511], even_signs(word >> 9), 0,
            scale_of_codes(block, nibble(block + 66, g / 2), 0.125F)};
    }
};
struct TypeIQ2_S {
    static constexpr unsigned bits = 2;
    static constexpr const int8_t* levels = kLevels2;
    static Eight eight(const uint8_t* block, size_t g) {
        const unsigned high = block[66 + g / 4] >> 2 * (g % 4) & 3;
        return {
            kCodesIQ2_S[block[2 + g] | high << 8], block[34 + g], 0,
            scale_of_codes(block, nibble(block + 74, g / 2), 0.125F)};
    }
};
struct TypeIQ3_XXS {
    static constexpr unsigned bits = 3;
    static constexpr const int8_t* levels = kLevels3Xxs;
    static Eight eight(const uint8_t* block, size_t g) {
        const auto word = load<uint32_t>(block + 66 + g / 4 * 4);
        return {
            both(kCodesIQ3_XXS[block[2 + 2 * g]], kCodesIQ3_XXS[block[3 + 2 * g]]),
            even_signs(word >> 7 * (g % 4) & 127), 0, scale_of_codes(block, word >> 28, 0.25F)};
    }
};
struct TypeIQ3_S {
    static constexpr unsigned bits = 3;
    static constexpr const int8_t* levels = kLevels3S;
    static Eight eight(const uint8_t* block, size_t g) {
        const unsigned high = block[66 + g / 4] >> 2 * (g % 4);
        return {
            both(kCodesIQ3_S[block[2 + 2 * g] | (high & 1) << 8], kCodesIQ3_S[block[3 + 2 * g] | (high >> 1 & 1) << 8]),
            block[74 + g], 0, scale_of_codes(block, nibble(block + 106, g / 4), 1)};
    }
};
struct TypeIQ1_S {
    static constexpr unsigned bits = 2;
    static constexpr const int8_t* levels = kLevels1;
    static Eight eight(const uint8_t* block, size_t g) {
        const unsigned word = load<uint16_t>(block + 34 + g / 4 * 2);  // four times three bits, sub-scale, shift
        return {
            kCodesIQ1[block[2 + g] | (word >> 3 * (g % 4) & 7) << 8], 0, word >> 15 != 0 ? -1 : 1,
            scale_of_codes(block, word >> 12 & 7, 0.125F)};
    }
};
struct TypeIQ1_M {
    static constexpr unsigned bits = 2;
    static constexpr const int8_t* levels = kLevels1;
    static Eight eight(const uint8_t* block, size_t g) {
        const uint8_t* words = block + 48;  // four of 16 bits: four sub-scales and a nibble of d each
        const unsigned word = load<uint16_t>(words + g / 8 * 2), high = nibble(block + 32, g);
        uint16_t d = 0;
        for (size_t i = 0; i < 4; ++i) {
            d = static_cast<uint16_t>(d | words[2 * i + 1] >> 4 << 4 * i);
        }
        return {
            kCodesIQ1[block[g] | (high & 7) << 8], 0, (high & 8) != 0 ? -1 : 1,
            scale_of_codes(bytes(&d), word >> 3 * (g % 8 / 2) & 7, 0.125F)};
    }
};
/// @}

#if defined(__aarch64__)

/// Eight weights: codes are shifted down in lanes of 32 bits, then look up their levels (TBL).
template <typename T>
KAI_INLINE void store_eight(uint8_t* dst, const Eight& e) {
    constexpr int bits = T::bits;
    constexpr int32_t shifts[8] = {0, -bits, -2 * bits, -3 * bits, -4 * bits, -5 * bits, -6 * bits, -7 * bits};
    constexpr uint8_t places[8] = {1, 2, 4, 8, 16, 32, 64, 128};
    const uint32x4_t codes = vdupq_n_u32(e.codes);
    const uint16x4_t low = vmovn_u32(vshlq_u32(codes, vld1q_s32(shifts)));
    const uint16x4_t high = vmovn_u32(vshlq_u32(codes, vld1q_s32(shifts + 4)));
    const uint8x8_t indices = vand_u8(vmovn_u16(vcombine_u16(low, high)), vdup_n_u8((1 << bits) - 1));
    const int8x8_t levels = vtbl1_s8(vld1_s8(T::levels), vreinterpret_s8_u8(indices));
    const int8x8_t negative = vreinterpret_s8_u8(vtst_u8(vdup_n_u8(static_cast<uint8_t>(e.signs)), vld1_u8(places)));
    const int8x8_t values =
        vadd_s8(vsub_s8(veor_s8(levels, negative), negative), vdup_n_s8(static_cast<int8_t>(e.shift)));
    const int16x8_t wide = vmovl_s8(values);
    store(dst, vmulq_n_f32(vcvtq_f32_s32(vmovl_s16(vget_low_s16(wide))), e.scale));
    store(dst + 16, vmulq_n_f32(vcvtq_f32_s32(vmovl_high_s16(wide)), e.scale));
}

#else

template <typename T>
KAI_INLINE void store_eight(uint8_t* dst, const Eight& e) {
    for (unsigned i = 0; i < 8; ++i, dst += sizeof(float)) {
        const int level = T::levels[e.codes >> T::bits * i & ((1U << T::bits) - 1)];
        const int value = (e.signs >> i & 1) != 0 ? -level : level;
        store(dst, e.scale * static_cast<float>(value + e.shift));
    }
}

#endif

template <typename T>
KAI_INLINE void dequantise_codebook(const uint8_t* src, size_t blocks, unsigned block_bytes, uint8_t* dst) {
    for (; blocks > 0; --blocks, src += block_bytes) {
        for (size_t g = 0; g < kCodebookWeights / 8; ++g, dst += 8 * sizeof(float)) {
            store_eight<T>(dst, T::eight(src, g));
        }
    }
}

}  // namespace
}  // namespace kai

#define KAI_DEFINE(TYPE)                                                               \
    void kai_gguf_dequantise_##TYPE(const uint8_t* src, size_t blocks, uint8_t* dst) { \
        kai::dequantise_codebook<kai::Type##TYPE>(src, blocks, kai::TYPE.bytes, dst);  \
    }
extern "C" {
KAI_GGUF_CODEBOOKS(KAI_DEFINE)
}
