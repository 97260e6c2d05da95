// Packers whose source has its depth contiguous, for SME: LHS, LHS behind a table of pointers, RHS of N x K. Panels of
// 2 V rows, V = SVL / 32, one after the other
//
//     | bias: 2 V (RHS only) | depth group 0 of 2 V rows | depth group 1 of 2 V rows | ...
//
// A depth group is 32 bits: one f32, two of 16 bits, four of 8 bits. Rows that the last panel lacks, their bias, and
// what a last group lacks become zero. Bits are moved; f32 becomes bf16 (nearest, ties to even) where the name says so.
// The work is in sme_pack_rows.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/src/pack_rows_sme.hpp"
#include "kai/ukernels/pack/kai_lhs_pack.h"
#include "kai/ukernels/pack/kai_rhs_pack.h"

extern "C" {

kai::PackRowsFn kai_kernel_pack_rows_sme;
kai::PackRowsFn kai_kernel_pack_table_sme;
kai::PackRowsFn kai_kernel_pack_rows_bf16_sme;

KAI_DEFINE_LHS_PACK_ROWS_SME(lhs_pack_f32p2vlx1_f32_sme, f32p, 1, float, kai_kernel_pack_rows_sme)
KAI_DEFINE_LHS_PACK_ROWS_SME(lhs_pack_x16p2vlx2_x16_sme, f16p, 2, uint16_t, kai_kernel_pack_rows_sme)
KAI_DEFINE_LHS_PACK_ROWS_SME(lhs_pack_x8p2vlx4_x8_sme, x8p, 4, uint8_t, kai_kernel_pack_rows_sme)
KAI_DEFINE_LHS_PACK_ROWS_SME(lhs_pack_bf16p2vlx2_f32_sme, bf16p, 2, float, kai_kernel_pack_rows_bf16_sme)

KAI_DEFINE_LHS_IMATMUL_PACK_SME(lhs_imatmul_pack_x32p2vlx1_x32p_sme, f32p, 1, uint32_t, kai_kernel_pack_table_sme)
KAI_DEFINE_LHS_IMATMUL_PACK_SME(lhs_imatmul_pack_x16p2vlx2_x16p_sme, f16p, 2, uint16_t, kai_kernel_pack_table_sme)
KAI_DEFINE_LHS_IMATMUL_PACK_SME(lhs_imatmul_pack_x8p2vlx4_x8p_sme, x8p, 4, uint8_t, kai_kernel_pack_table_sme)

KAI_DEFINE_RHS_PACK_NXK_ROWS_SME(rhs_pack_nxk_f32p2vlx1biasf32_f32_f32_sme, f32pbiasf32, 1, float)
KAI_DEFINE_RHS_PACK_NXK_ROWS_SME(rhs_pack_nxk_x16p2vlx2b_x16_x16_sme, f16pbiasf16, 2, uint16_t)

}  // extern "C"
