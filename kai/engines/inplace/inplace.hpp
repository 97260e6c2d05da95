// Products with rows of a GGUF file in place: shared by all such kernels.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/getters.hpp"

namespace kai {
namespace {

/// dst = clamp(LHS x RHS). Strides are in bytes.
struct InplaceProblem {
    size_t m, n, k;
    const uint8_t *lhs, *rhs;
    size_t rhs_stride;
    void* dst;
    size_t dst_stride;
    float lo, hi;
};

}  // namespace
}  // namespace kai

/// A micro-kernel and its getters: kai::run_<RHS> computes. The blocks of the LHS have the length of the file's.
#define KAI_DEFINE_MATMUL_FILE(NAME, LHS, RHS, MR, KR, SR, M_STEP, N_STEP)                                     \
    KAI_DEFINE_MATMUL_STEPS(NAME, M_STEP, N_STEP)                                                              \
    KAI_DEFINE_SIZE(mr, NAME, MR)                                                                              \
    KAI_DEFINE_SIZE(kr, NAME, KR)                                                                              \
    KAI_DEFINE_SIZE(sr, NAME, SR)                                                                              \
    KAI_DEFINE_MATMUL_DST(NAME, M_STEP, N_STEP, sizeof(float))                                                 \
    size_t kai_get_lhs_packed_offset_##NAME(size_t m_idx, size_t k) {                                          \
        kai::check_depth(k, kai::RHS.block);                                                                   \
        KAI_REQUIRE_MULTIPLE(m_idx, "mr", MR);                                                                 \
        return kai::LHS.offset({MR, KR, SR}, m_idx, k, kai::RHS.block);                                        \
    }                                                                                                          \
    size_t kai_get_rhs_offset_##NAME(size_t n_idx, size_t rhs_stride) {                                        \
        KAI_REQUIRE_MULTIPLE(n_idx, "n_step", N_STEP);                                                         \
        return n_idx * rhs_stride;                                                                             \
    }                                                                                                          \
    KAI_RUN_MATMUL_FILE(NAME) {                                                                                \
        kai::check_depth(k, kai::RHS.block);                                                                   \
        kai::check_output(dst_stride_col, sizeof(float), clamp_min, clamp_max);                                \
        const kai::InplaceProblem problem = {                                                                  \
            m, n, k, kai::bytes(lhs), kai::bytes(rhs), rhs_stride, dst, dst_stride_row, clamp_min, clamp_max}; \
        kai::run_##RHS(problem);                                                                               \
    }
