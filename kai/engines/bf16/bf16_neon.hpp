// bf16 matmul with NEON, both sides packed. The kernels of matmul_bf16p_neon_{mmla,dot}.S do all rows and columns.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/getters.hpp"

namespace kai {
namespace {

/// m, n: not 0. groups: of 4 k, the last one padded; 0 is fine. lo, hi: clamp bounds.
using Bf16pFn = void(
    size_t m, size_t n, size_t groups, const void* lhs, const void* rhs, void* dst, size_t dst_stride, float lo,
    float hi);

}  // namespace
}  // namespace kai

/// Getters and run function of a micro-kernel whose elements have ELEMENT_BYTES.
#define KAI_DEFINE_MATMUL_BF16P(ELEMENT_BYTES, NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP)                   \
    KAI_DEFINE_MATMUL_GETTERS(NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP, ELEMENT_BYTES)                     \
    kai::Bf16pFn kai_kernel_##NAME;                                                                              \
    void kai_run_##NAME(                                                                                         \
        size_t m, size_t n, size_t k, const void* lhs_packed, const void* rhs_packed, void* dst,                 \
        size_t dst_stride_row, size_t dst_stride_col, float clamp_min, float clamp_max) {                        \
        KAI_REQUIRE_ONE_ROW(M_STEP, m);                                                                          \
        kai::check_output(dst_stride_col, ELEMENT_BYTES, clamp_min, clamp_max);                                  \
        if (m == 0 || n == 0) {                                                                                  \
            return;                                                                                              \
        }                                                                                                        \
        kai_kernel_##NAME(m, n, (k + 3) / 4, lhs_packed, rhs_packed, dst, dst_stride_row, clamp_min, clamp_max); \
    }
