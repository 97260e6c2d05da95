// Packers of the RHS of floating-point micro-kernels without SVE or SME: kr = 1, bias of the type of the elements.
// The layout is in pack_rhs_float.hpp.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/src/pack_rhs_float_neon.hpp"
#include "kai/ukernels/pack/kai_rhs_pack.h"

namespace kai {
namespace {

KAI_INLINE void check_rhs_float(
    [[maybe_unused]] size_t num_groups, [[maybe_unused]] bool nr_is_right, [[maybe_unused]] size_t kr,
    [[maybe_unused]] size_t sr, [[maybe_unused]] const void* scale, [[maybe_unused]] size_t extra_bytes,
    [[maybe_unused]] const void* params) {
    KAI_ASSERT_MSG(num_groups == 1, "num_groups must be 1");
    KAI_ASSERT_MSG(nr_is_right, "nr must be that of the packed format");
    KAI_ASSERT_MSG(kr == 1 && sr == 1, "kr and sr must be 1");
    KAI_ASSERT_MSG(scale == nullptr, "scale must be NULL");
    KAI_ASSERT_MSG(extra_bytes == 0, "extra_bytes must be 0");
    KAI_ASSERT_MSG(params == nullptr, "params must be NULL");
}

}  // namespace
}  // namespace kai

#define KAI_DEFINE_RUN(NAME, NR, ELEMENT, SOURCE)                                                                   \
    void kai_run_##NAME(                                                                                            \
        size_t num_groups, size_t n, size_t k, [[maybe_unused]] size_t nr, size_t kr, size_t sr, size_t rhs_stride, \
        const void* rhs, const void* bias, const void* scale, void* rhs_packed, size_t extra_bytes,                 \
        const void* params) {                                                                                       \
        kai::check_rhs_float(num_groups, nr == NR, kr, sr, scale, extra_bytes, params);                             \
        kai::pack_rhs_float<ELEMENT, NR, kai::SOURCE>(n, k, rhs_stride, rhs, bias, rhs_packed);                     \
    }
#define KAI_DEFINE_KXN(NAME, FORMAT, NR, ELEMENT)                             \
    KAI_DEFINE_RHS_PACK_GETTERS_KXN(NAME, FORMAT, NR, 1, 1, ELEMENT, ELEMENT) \
    KAI_DEFINE_RUN(NAME, NR, ELEMENT, SourceKxNFloat)
#define KAI_DEFINE_NXK(NAME, FORMAT, NR, ELEMENT)                    \
    KAI_DEFINE_RHS_PACK_GETTERS_NXK(NAME, FORMAT, NR, 1, 1, ELEMENT) \
    KAI_DEFINE_RUN(NAME, NR, ELEMENT, SourceNxKFloat)

extern "C" {

KAI_DEFINE_KXN(rhs_pack_kxn_f32p8x1biasf32_f32_f32_neon, f32pbiasf32, 8, uint32_t)
KAI_DEFINE_KXN(rhs_pack_kxn_x32p16x1b_x32_x32_neon, f32pbiasf32, 16, uint32_t)
KAI_DEFINE_NXK(rhs_pack_nxk_x32p16x1bx32_x32_x32_neon, f32pbiasf32, 16, uint32_t)
KAI_DEFINE_KXN(rhs_pack_kxn_f16p16x1biasf16_f16_f16_neon, f16pbiasf16, 16, uint16_t)
KAI_DEFINE_KXN(rhs_pack_kxn_x16p32x1b_x16_x16_neon, f16pbiasf16, 32, uint16_t)
KAI_DEFINE_NXK(rhs_pack_nxk_x16p32x1bx16_x16_x16_neon, f16pbiasf16, 32, uint16_t)

}  // extern "C"
