// f32 <- f32 x f32, neither packed, with FMLA.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/plain/plain_neon.hpp"

extern "C" kai::FloatGemmFn kai_panel_f32_f32_f32kxn_6x16_neon_mla;

namespace kai {
namespace {

struct F32 {
    using Element = float;
    using Vector = float32x4_t;
    using Half = float32x2_t;
    static constexpr FloatGemmFn* kPanel = kai_panel_f32_f32_f32kxn_6x16_neon_mla;

    KAI_INLINE static Element element(float x) {
        return x;
    }
    KAI_INLINE static Vector spread(Element x) {
        return vdupq_n_f32(x);
    }
    KAI_INLINE static Vector widened(Half x) {
        return vcombine_f32(x, vdup_n_f32(0));
    }
    KAI_INLINE static Vector first(Element x) {
        return vsetq_lane_f32(x, Vector{}, 0);
    }
    KAI_INLINE static Vector fma(Vector acc, Vector x, Vector y) {
        return vfmaq_f32(acc, x, y);
    }
    KAI_INLINE static Vector clamp(Vector x, Vector lo, Vector hi) {
        return vminq_f32(vmaxq_f32(x, lo), hi);
    }
    /// The sums of the lanes of each vector.
    template <size_t vectors>
    KAI_INLINE static void add_lanes(Vector (&sums)[vectors / 4], const Vector (&x)[vectors]) {
        KAI_UNROLL(16)
        for (size_t v = 0; v < vectors; v += 4) {
            sums[v / 4] = vpaddq_f32(vpaddq_f32(x[v], x[v + 1]), vpaddq_f32(x[v + 2], x[v + 3]));
        }
    }
};

}  // namespace
}  // namespace kai

extern "C" {

#define KAI_DEFINE_MATMUL_PLAIN_F32(...) KAI_DEFINE_MATMUL_PLAIN_NEON(kai::F32, __VA_ARGS__)
#define KAI_ISA_neon KAI_LINES(KAI_DEFINE_MATMUL_PLAIN_F32)
#define KAI_UKERNEL_PLAIN KAI_LINE
#include "kai/ukernels/matmul/matmul_clamp_f32_f32_f32kxn/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_f32_f32nxk/ukernels.def"

}  // extern "C"
