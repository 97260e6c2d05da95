// f32 <- f32 x f32p with SVE, rows of the LHS at a stride or found through pointers: the formulas are in the interface
// headers, the work in float_sve.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/float/float_sve.hpp"

extern "C" {

kai::SvePanelFn kai_panel_f32_f32_f32p4vlx1_6x4vl_sve_mla;

#define KAI_DEFINE_MATMUL_SVE(NAME, LHS, RHS, NR, KR, SR, M_STEP, N_STEP, LHS_GETTER)                \
    KAI_DEFINE_MATMUL_GETTERS_ROWS(NAME, RHS, NR, KR, SR, M_STEP, N_STEP, LHS_GETTER, sizeof(float)) \
    KAI_RUN_MATMUL_ROWS(NAME) {                                                                      \
        kai::check_output(dst_stride_col, sizeof(float), clamp_min, clamp_max);                      \
        kai::run_sve_panels<float>(                                                                  \
            kai_panel_f32_f32_f32p4vlx1_6x4vl_sve_mla,                                               \
            {kai::plain_rows(k, lhs_stride), dst_stride_row, kai::load<uint32_t>(&clamp_min),        \
             kai::load<uint32_t>(&clamp_max), kai::is_bounded(clamp_min, clamp_max)},                \
            m, n, lhs, rhs, kai::RHS.stride({NR, KR, SR}, k), dst);                                  \
    }
#define KAI_ISA_sve KAI_LINES(KAI_DEFINE_MATMUL_SVE)
#define KAI_UKERNEL_ROWS KAI_LINE
#include "kai/ukernels/matmul/matmul_clamp_f32_f32_f32p/ukernels.def"

#define KAI_DEFINE_IMATMUL_SVE(NAME, LHS, RHS, NR, KR, SR, M_STEP, N_STEP)                                    \
    static_assert(M_STEP == kai::kSveTileRows, "blocks of the table");                                        \
    KAI_DEFINE_IMATMUL_GETTERS_ROWS(NAME, RHS, NR, KR, SR, M_STEP, N_STEP, sizeof(float))                     \
    KAI_RUN_IMATMUL_ROWS(NAME) {                                                                              \
        kai::check_bounds(clamp_min, clamp_max);                                                              \
        const kai::SveRows rows = kai::rows_of_table(k_chunk_count, k_chunk_length, pad_ptr, lhs_ptr_offset); \
        kai::run_sve_panels<float>(                                                                           \
            kai_panel_f32_f32_f32p4vlx1_6x4vl_sve_mla,                                                        \
            {rows, dst_stride_row, kai::load<uint32_t>(&clamp_min), kai::load<uint32_t>(&clamp_max),          \
             kai::is_bounded(clamp_min, clamp_max)},                                                          \
            m, n, indirection_buffer, rhs_packed,                                                             \
            kai::RHS.stride({NR, KR, SR}, kai::Chunks{k_chunk_count, k_chunk_length}), dst);                  \
    }
#undef KAI_ISA_sve
#define KAI_ISA_sve KAI_LINES(KAI_DEFINE_IMATMUL_SVE)
#define KAI_IMATMUL_ROWS KAI_LINE
#include "kai/ukernels/matmul/imatmul_clamp_f32_f32_f32p/ukernels.def"

}  // extern "C"
