// f32 <- f32 x f32, neither packed, K x N, with SVE: the work is in plain_sve.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/plain/plain_sve.hpp"

extern "C" {

kai::PlainSveFn kai_panel_f32_f32_f32kxn_1x16vl_sve_mla, kai_panel_f32_f32_f32kxn_2x8vl_sve_mla,
    kai_panel_f32_f32_f32kxn_6x4vl_sve_mla, kai_panel_f32_f32_f32kxn_6x3vl_sve_mla,
    kai_panel_f32_f32_f32kxn_6x2vl_sve_mla, kai_panel_f32_f32_f32kxn_6x1vl_sve_mla;

#define KAI_DEFINE_MATMUL_PLAIN_SVE(NAME, LHS, RHS, M_STEP, N_STEP)                                           \
    KAI_DEFINE_MATMUL_GETTERS_PLAIN(NAME, RHS, M_STEP, N_STEP)                                                \
    void kai_run_##NAME(                                                                                      \
        size_t m, size_t n, size_t k, const void* lhs, size_t lhs_stride, const void* rhs, size_t rhs_stride, \
        void* dst, size_t dst_stride_row, size_t dst_stride_col, float clamp_min, float clamp_max) {          \
        kai::check_output(dst_stride_col, sizeof(float), clamp_min, clamp_max);                               \
        kai::run_sve_kxn<sizeof(float)>(                                                                      \
            {kai_panel_f32_f32_f32kxn_1x16vl_sve_mla, kai_panel_f32_f32_f32kxn_2x8vl_sve_mla,                 \
             kai_panel_f32_f32_f32kxn_6x4vl_sve_mla, kai_panel_f32_f32_f32kxn_6x3vl_sve_mla,                  \
             kai_panel_f32_f32_f32kxn_6x2vl_sve_mla, kai_panel_f32_f32_f32kxn_6x1vl_sve_mla},                 \
            {lhs, lhs_stride, rhs, rhs_stride, dst, dst_stride_row, m, n, k, kai::load<uint32_t>(&clamp_min), \
             kai::load<uint32_t>(&clamp_max)},                                                                \
            SVE(1));                                                                                          \
    }
#define KAI_ISA_sve KAI_LINES(KAI_DEFINE_MATMUL_PLAIN_SVE)
#define KAI_UKERNEL_PLAIN KAI_LINE
#include "kai/ukernels/matmul/matmul_clamp_f32_f32_f32kxn/ukernels.def"

}  // extern "C"
