// The LHS of products of FP8: f32 quantised to E4M3, block by block.
//
//     scale = the least power of 2 from 2^-126 on with |x| <= 448 * scale for all x of the block
//     code = E4M3(x / scale), to nearest, ties to even
//
// A power of 2, as it rounds nothing. Infinities and NaN become NaN; an infinity counts as 2^128 for the scale.
//
//     | k = 0 - 3: 4 codes of row 0, 4 of row 1, ... | ... to the end of a block | mr f32 scales |       each block
//
// With another kr: kr codes of row 0, kr of row 1, ...
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/core/f8.hpp"
#include "kai/engines/core/pack_getters.hpp"
#include "kai/engines/core/pack_lhs_rules.hpp"
#include "kai/engines/pack/pack_lhs_source.hpp"
#include "kai/ukernels/pack/kai_lhs_pack.h"

namespace kai {
namespace {

constexpr size_t kGroup = 4;
constexpr LhsRules kRules = {f8e4m3d32p, 0, 0, 1, true, 32, 0};

/// The rules for `run`.
KAI_INLINE void check(Tile t, const char* function, size_t k, size_t bl) {
    check_multiple("kr", t.kr, kGroup, function);
    check_lhs_call(kRules, t, function, k, bl);
}

/// The exponent of the scale: -126 to 120. count: a multiple of 4.
[[gnu::noinline]] int exponent_for(const uint8_t* x, size_t count) {
    constexpr uint32_t kInfinity = 0x7F800000, kOf448 = 0x600000;  // fraction
    FourBits mosts = {};
    for (size_t i = 0; i < count; i += kGroup) {
        const FourBits magnitude = load<FourBits>(x + i * sizeof(float)) & 0x7FFFFFFF;
        const FourBits number = magnitude <= kInfinity ? magnitude : mosts;
        mosts = number > mosts ? number : mosts;
    }
    uint32_t most = 0;
    for (size_t j = 0; j < kGroup; ++j) {
        most = mosts[j] > most ? mosts[j] : most;
    }
    const int exponent = static_cast<int>(most >> 23) - 127 - 8 + ((most & 0x7FFFFF) > kOf448 ? 1 : 0);
    return exponent < -126 ? -126 : exponent;
}

/// The codes of four numbers whose magnitudes are at most 448, or of infinities or NaN, a byte each.
KAI_INLINE uint32_t e4m3(FourFloats x) {
    using FourCodes [[gnu::vector_size(4)]] = uint8_t;
    constexpr uint32_t kSmallestNormal = (127 - 6) << 23, kLargest = 0x43E00000;
    constexpr float kUlpOfSubnormals = 0x1p14F;  // the ulp of numbers from 2^14 on is 2^-9
    constexpr uint32_t kItsBits = (127 + 14) << 23;
    const auto bits = load<FourBits>(&x);
    const FourBits magnitude = bits & 0x7FFFFFFF;
    const FourBits normal = ((magnitude + 0x7FFFF + (magnitude >> 20 & 1)) >> 20) - (120 << 3);
    const FourFloats sum = load<FourFloats>(&magnitude) + kUlpOfSubnormals;
    const FourBits subnormal = load<FourBits>(&sum) - kItsBits, nan = {0x7F, 0x7F, 0x7F, 0x7F};
    const FourBits number = magnitude < kSmallestNormal ? subnormal : normal;
    const FourBits codes = (magnitude > kLargest ? nan : number) | (bits >> 24 & 0x80);
    const auto bytes_of_codes = __builtin_convertvector(codes, FourCodes);
    return load<uint32_t>(&bytes_of_codes);
}

/// A block of a row: kr codes, and kr more `step` bytes on, ...
[[gnu::noinline]] void quantise_block(const uint8_t* x, size_t bl, float by, uint8_t* to, size_t kr, size_t step) {
    for (size_t i = 0; i < bl; i += kr, to += step) {
        for (size_t j = 0; j < kr; j += kGroup, x += kGroup * sizeof(float)) {
            store(to + j, e4m3(load<FourFloats>(x) * by));
        }
    }
}

[[gnu::noinline]] void pack_rows(const LhsRows& p) {
    RowPlace to = RowPlace::of_first(p);
    const size_t mr = p.tile.rows, kr = p.tile.kr;
    const size_t panel = f8e4m3d32p.stride(p.tile, p.k, p.bl), block = mr * (p.bl + sizeof(float));
    for (size_t i = 0; i < p.m; ++i, to.advance(p, 1, panel)) {
        const uint8_t* row = p.row(i);
        uint8_t* at = to.panel;
        for (size_t k = 0; k < p.k; k += p.bl, at += block) {
            const uint8_t* x = row + k * sizeof(float);
            const int exponent = exponent_for(x, p.bl);
            quantise_block(x, p.bl, power_of_2(-exponent), at + to.slot * kr, kr, mr * kr);
            store(at + mr * p.bl + to.slot * sizeof(float), power_of_2(exponent));
        }
    }
}

}  // namespace
}  // namespace kai

KAI_DEFINE_LHS_PACK_GETTERS_BL(lhs_quant_pack_f8e4m3d32p_f32, kRules)
KAI_RUN_LHS_PACK_BL(lhs_quant_pack_f8e4m3d32p_f32, void) {
    kai::check({mr, kr, sr}, __func__, k, bl);
    const void* first = kai::bytes(lhs, m_idx_start * lhs_stride);
    kai::pack_rows({m, k, bl, {mr, kr, sr}, m_idx_start % mr, first, lhs_stride, lhs_packed});
}
KAI_RUN_LHS_PACK_ROWS(lhs_quant_pack_f8e4m3d32p_f32_rows) {
    kai::check({mr, kr, sr}, __func__, k, bl);
    kai::pack_rows({m, k, bl, {mr, kr, sr}, 0, lhs, lhs_stride, lhs_packed, rows});
}
