// f32 <- f32p x f32p with SME2: the formula is in the interface header, the work in sme2_mopa.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/src/getters.hpp"
#include "kai/ukernels/matmul/matmul_clamp_f32_f32p_f32p/kai_matmul_clamp_f32_f32p_f32p_interface.h"

extern "C" {

#define KAI_ISA_sme2(NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP)                                   \
    KAI_DEFINE_MATMUL_GETTERS(NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP, sizeof(float))           \
    void kai_kernel_##NAME(                                                                            \
        size_t m, size_t n, size_t k, const void* lhs_packed, const void* rhs_packed, void* dst,       \
        size_t dst_stride_row, float clamp_min, float clamp_max);                                      \
    void kai_run_##NAME(                                                                               \
        size_t m, size_t n, size_t k, const void* lhs_packed, const void* rhs_packed, void* dst,       \
        size_t dst_stride_row, size_t dst_stride_col, float clamp_min, float clamp_max) {              \
        kai::check_output(dst_stride_col, sizeof(float), clamp_min, clamp_max);                        \
        if (m == 0 || n == 0) {                                                                        \
            return;                                                                                    \
        }                                                                                              \
        kai_commit_za();                                                                               \
        kai_kernel_##NAME(m, n, k, lhs_packed, rhs_packed, dst, dst_stride_row, clamp_min, clamp_max); \
    }
#define KAI_UKERNEL(ISA, ...) KAI_ISA_##ISA(__VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_f32p_f32p/ukernels.def"

}  // extern "C"
