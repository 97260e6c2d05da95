// Packers of f32p (LHS) and f32pbiasf32 (RHS) for SME: panels of 2 V rows, V = SVL / 32, one after the other
//
//     | bias: 2 V (RHS only) | k = 0: 2 V elements | k = 1: 2 V elements | ...
//
// Rows that the last panel lacks become zero, and so does their bias. Bits are moved, never converted.
// The work is in sme_pack_x32.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/src/getters.hpp"
#include "kai/src/pack_getters.hpp"
#include "kai/ukernels/pack/kai_lhs_pack.h"
#include "kai/ukernels/pack/kai_rhs_pack.h"

namespace kai {
namespace {

KAI_INLINE void check_rhs(
    [[maybe_unused]] size_t num_groups, [[maybe_unused]] size_t nr, [[maybe_unused]] size_t kr,
    [[maybe_unused]] size_t sr, [[maybe_unused]] const void* scale, [[maybe_unused]] size_t extra_bytes,
    [[maybe_unused]] const void* params) {
    KAI_ASSERT_MSG(num_groups == 1, "num_groups must be 1");
    KAI_ASSERT_MSG(nr == VL(2), "nr must be two vectors of 32-bit elements");
    KAI_ASSERT_MSG(kr == 1 && sr == 1, "kr and sr must be 1");
    KAI_ASSERT_MSG(scale == nullptr, "scale must be NULL");
    KAI_ASSERT_MSG(extra_bytes == 0, "extra_bytes must be 0");
    KAI_ASSERT_MSG(params == nullptr, "params must be NULL");
}

}  // namespace
}  // namespace kai

extern "C" {

void kai_kernel_pack_rows_x32_sme(
    size_t rows, size_t k, const void* src, size_t stride, void* dst, const void* bias, size_t has_head);

KAI_DEFINE_LHS_PACK_GETTERS(lhs_pack_f32p2vlx1_f32_sme, f32p)
KAI_DEFINE_RHS_PACK_GETTERS_NXK(rhs_pack_nxk_f32p2vlx1biasf32_f32_f32_sme, f32pbiasf32, VL(2), 1, 1, float)

void kai_run_lhs_pack_f32p2vlx1_f32_sme(
    size_t m, size_t k, [[maybe_unused]] size_t mr, [[maybe_unused]] size_t kr, [[maybe_unused]] size_t sr,
    [[maybe_unused]] size_t m_idx_start, const void* lhs, size_t lhs_stride, void* lhs_packed) {
    KAI_ASSERT_MSG(mr == VL(2), "mr must be two vectors of 32-bit elements");
    KAI_ASSERT_MSG(kr == 1 && sr == 1, "kr and sr must be 1");
    KAI_ASSERT_MSG(m_idx_start == 0, "m_idx_start must be 0: move the pointers instead");
    if (m == 0 || k == 0) {
        return;
    }
    kai_commit_za();
    kai_kernel_pack_rows_x32_sme(m, k, lhs, lhs_stride, lhs_packed, nullptr, false);
}

void kai_run_rhs_pack_nxk_f32p2vlx1biasf32_f32_f32_sme(
    size_t num_groups, size_t n, size_t k, size_t nr, size_t kr, size_t sr, size_t rhs_stride, const void* rhs,
    const void* bias, const void* scale, void* rhs_packed, size_t extra_bytes, const void* params) {
    kai::check_rhs(num_groups, nr, kr, sr, scale, extra_bytes, params);
    if (n == 0) {
        return;
    }
    kai_commit_za();
    kai_kernel_pack_rows_x32_sme(n, k, rhs, rhs_stride, rhs_packed, bias, true);
}

}  // extern "C"
