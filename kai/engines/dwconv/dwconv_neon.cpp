// Depthwise convolution of f32 with FMLA by tables of pointers. Tiles of a filter's size: dwconv_tiles.hpp, the work is
// in dwconv_neon_f32.S. Filters of any size: dwconv_neon_any.hpp.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/dwconv/dwconv_neon_any.hpp"
#include "kai/engines/dwconv/dwconv_tiles.hpp"

namespace kai {
namespace {

/// A panel: bias, then taps, 4 channels each.
struct AnyF32 {
    static constexpr size_t kElement = 4, kGroup = 4, kStart = 16, kTap = 16, kTaps = 1, kEnd = 0;
    static constexpr bool kSmall = true;
    using Sums = float32x4_t;
    float32x4_t lo, hi;

    KAI_INLINE AnyF32(float min, float max) : lo(vdupq_n_f32(min)), hi(vdupq_n_f32(max)) {
    }
    KAI_INLINE static uint8x16_t load_weights(const uint8_t* p) {
        return vld1q_u8(p);
    }
    KAI_INLINE static void start(const uint8_t* panel, float32x4_t& sum) {
        sum = load_f32x4(panel);
    }
    KAI_INLINE static void add(const uint8x16_t (&x)[1], const uint8x16_t (&w)[1], float32x4_t& sum) {
        sum = vfmaq_f32(sum, vreinterpretq_f32_u8(x[0]), vreinterpretq_f32_u8(w[0]));
    }
    KAI_INLINE uint8x16_t results(float32x4_t sum, const uint8_t*) const {
        return vreinterpretq_u8_f32(vminq_f32(vmaxq_f32(sum, lo), hi));
    }
};

}  // namespace
}  // namespace kai

extern "C" {

#define KAI_ISA_neon KAI_LINES(KAI_DEFINE_TILES)
#define KAI_DEFINE_TILES(NAME, LHS, RHS, NR, KR, FILTER, STRIDE, ...) \
    KAI_DEFINE_FILTER_##FILTER(NAME, LHS, RHS, NR, KR, FILTER, STRIDE, __VA_ARGS__)
#define KAI_DEFINE_FILTER_0(NAME, LHS, RHS, NR, KR, FILTER, STRIDE, ...) \
    KAI_DEFINE_ANY_DWCONV(kai::AnyF32, NAME, RHS, NR, __VA_ARGS__)
#define KAI_DEFINE_FILTER_3 KAI_DEFINE_FILTER
#define KAI_DEFINE_FILTER_5 KAI_DEFINE_FILTER
#define KAI_DEFINE_FILTER_7 KAI_DEFINE_FILTER
#define KAI_DEFINE_FILTER(NAME, LHS, RHS, NR, KR, FILTER, STRIDE, ...)                                              \
    KAI_DEFINE_DWCONV_TILES(                                                                                        \
        DwconvTile, kai_kernel_dwconv_f32_##FILTER##x##FILTER##_s##STRIDE##_neon, kai::bits_of_f32, NAME, LHS, RHS, \
        NR, KR, FILTER, STRIDE, __VA_ARGS__)
#define KAI_DWCONV(...)
#define KAI_DWCONV_TILES KAI_LINE
#include "kai/ukernels/dwconv/dwconv_f32_f32_f32p/ukernels.def"

}  // extern "C"
