// Depthwise convolution of f16 by tables of pointers. Tiles of a filter's size: dwconv_tiles.hpp, the work is in
// dwconv_neon_fp16_f16.S. Filters of any size: dwconv_neon_any.hpp.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/dwconv/dwconv_neon_any.hpp"
#include "kai/engines/dwconv/dwconv_tiles.hpp"

namespace kai {
namespace {

/// A panel: bias, then taps, 8 channels each.
struct AnyF16 {
    static constexpr size_t kElement = 2, kGroup = 4, kStart = 16, kTap = 16, kTaps = 1, kEnd = 0;
    static constexpr bool kSmall = true;
    using Sums = float16x8_t;
    float16x8_t lo, hi;

    KAI_INLINE AnyF16(float min, float max) : lo(all_of(min)), hi(all_of(max)) {
    }
    KAI_INLINE static float16x8_t all_of(float x) {
        return vreinterpretq_f16_u16(vdupq_n_u16(kai_cast_f16_f32(x)));
    }
    KAI_INLINE static uint8x16_t load_weights(const uint8_t* p) {
        return vld1q_u8(p);
    }
    KAI_INLINE static void start(const uint8_t* panel, float16x8_t& sum) {
        sum = vreinterpretq_f16_u8(vld1q_u8(panel));
    }
    KAI_INLINE static void add(const uint8x16_t (&x)[1], const uint8x16_t (&w)[1], float16x8_t& sum) {
        sum = vfmaq_f16(sum, vreinterpretq_f16_u8(x[0]), vreinterpretq_f16_u8(w[0]));
    }
    KAI_INLINE uint8x16_t results(float16x8_t sum, const uint8_t*) const {
        return vreinterpretq_u8_f16(vminq_f16(vmaxq_f16(sum, lo), hi));
    }
};

}  // namespace
}  // namespace kai

extern "C" {

#define KAI_ISA_neon_fp16 KAI_LINES(KAI_DEFINE_TILES)
#define KAI_DEFINE_TILES(NAME, LHS, RHS, NR, KR, FILTER, STRIDE, ...) \
    KAI_DEFINE_FILTER_##FILTER(NAME, LHS, RHS, NR, KR, FILTER, STRIDE, __VA_ARGS__)
#define KAI_DEFINE_FILTER_0(NAME, LHS, RHS, NR, KR, FILTER, STRIDE, ...) \
    KAI_DEFINE_ANY_DWCONV(kai::AnyF16, NAME, RHS, NR, __VA_ARGS__)
#define KAI_DEFINE_FILTER_3 KAI_DEFINE_FILTER
#define KAI_DEFINE_FILTER_5 KAI_DEFINE_FILTER
#define KAI_DEFINE_FILTER_7 KAI_DEFINE_FILTER
#define KAI_DEFINE_FILTER(NAME, LHS, RHS, NR, KR, FILTER, STRIDE, ...)                                              \
    KAI_DEFINE_DWCONV_TILES(                                                                                        \
        DwconvTile, kai_kernel_dwconv_f16_##FILTER##x##FILTER##_s##STRIDE##_neon_fp16, kai_cast_f16_f32, NAME, LHS, \
        RHS, NR, KR, FILTER, STRIDE, __VA_ARGS__)
#define KAI_DWCONV(...)
#define KAI_DWCONV_TILES KAI_LINE
#include "kai/ukernels/dwconv/dwconv_f16_f16_f16p/ukernels.def"

}  // extern "C"
