// f16 <- f16 x f16, neither packed, with FMLA: every step is rounded to f16.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/plain/plain_neon.hpp"

extern "C" kai::FloatGemmFn kai_panel_f16_f16_f16kxn_6x32_neon_mla;

namespace kai {
namespace {

struct F16 {
    using Element = float16_t;
    using Vector = float16x8_t;
    using Half = float16x4_t;
    static constexpr FloatGemmFn* kPanel = kai_panel_f16_f16_f16kxn_6x32_neon_mla;

    KAI_INLINE static Element element(float x) {
        const uint16_t bits = kai_cast_f16_f32(x);
        return load<Element>(&bits);
    }
    KAI_INLINE static Vector spread(Element x) {
        return vdupq_n_f16(x);
    }
    KAI_INLINE static Vector widened(Half x) {
        return vcombine_f16(x, vdup_n_f16(0));
    }
    KAI_INLINE static Vector first(Element x) {
        return vsetq_lane_f16(x, Vector{}, 0);
    }
    KAI_INLINE static Vector first_two(uint32_t x) {
        return vreinterpretq_f16_u32(vsetq_lane_u32(x, vdupq_n_u32(0), 0));
    }
    KAI_INLINE static Vector fma(Vector acc, Vector x, Vector y) {
        return vfmaq_f16(acc, x, y);
    }
    KAI_INLINE static Vector clamp(Vector x, Vector lo, Vector hi) {
        return vminq_f16(vmaxq_f16(x, lo), hi);
    }
    /// The sums of the lanes of each vector; of 4 vectors in the lower half.
    template <size_t vectors>
    KAI_INLINE static void add_lanes(Vector (&sums)[1], const Vector (&x)[vectors]) {
        Vector halves[2];
        KAI_UNROLL(16)
        for (size_t v = 0; v < vectors; v += 4) {
            halves[v / 4] = vpaddq_f16(vpaddq_f16(x[v], x[v + 1]), vpaddq_f16(x[v + 2], x[v + 3]));
        }
        sums[0] = vpaddq_f16(halves[0], halves[vectors / 4 - 1]);
    }
};

}  // namespace
}  // namespace kai

extern "C" {

#define KAI_DEFINE_MATMUL_PLAIN_F16(...) KAI_DEFINE_MATMUL_PLAIN_NEON(kai::F16, __VA_ARGS__)
#define KAI_ISA_neon_fp16 KAI_LINES(KAI_DEFINE_MATMUL_PLAIN_F16)
#define KAI_UKERNEL_PLAIN KAI_LINE
#include "kai/ukernels/matmul/matmul_clamp_f16_f16_f16kxn/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f16_f16_f16nxk/ukernels.def"

}  // extern "C"
