// Packers whose source has its depth contiguous, for SME: LHS, LHS through a table of pointers, RHS of N x K. Panels of
// 2 V rows (unified API: V rows), V = SVL / 32, one after the other
//
//     | bias of all rows (RHS only) | depth group 0 of all rows | depth group 1 of all rows | ...
//
// A depth group is 32 bits: one f32, two of 16 bits, four of 8 bits. Missing rows of the last panel, their bias, and
// the missing part of a last group become zero. Bits are copied; f32 becomes bf16 (nearest, ties to even) where the
// name says so. The work is in pack_sme_rows.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/pack/pack_sme_rows.hpp"
#include "kai/engines/pack/pack_unified.hpp"
#include "kai/ukernels/pack/kai_lhs_pack.h"
#include "kai/ukernels/pack/kai_rhs_pack.h"

extern "C" {

kai::PackRowsFn kai_kernel_pack_rows_sme;
kai::PackRowsFn kai_kernel_pack_table_sme;
kai::PackRowsFn kai_kernel_pack_rows_bf16_sme;

KAI_DEFINE_LHS_PACK_ROWS_SME(lhs_pack_f32p2vlx1_f32_sme, f32p, 1, float, kai_kernel_pack_rows_sme, kai::no_start)
KAI_DEFINE_LHS_PACK_ROWS_SME(lhs_pack_x16p2vlx2_x16_sme, f16p, 2, uint16_t, kai_kernel_pack_rows_sme, kai::no_start)
KAI_DEFINE_LHS_PACK_ROWS_SME(lhs_pack_x8p2vlx4_x8_sme, x8p, 4, uint8_t, kai_kernel_pack_rows_sme, kai::no_start)
KAI_DEFINE_LHS_PACK_ROWS_SME(
    lhs_pack_bf16p2vlx2_f32_sme, bf16p, 2, float, kai_kernel_pack_rows_bf16_sme, kai::any_start)

KAI_DEFINE_LHS_IMATMUL_PACK_SME(lhs_imatmul_pack_x32p2vlx1_x32p_sme, f32p, 1, uint32_t, kai_kernel_pack_table_sme)
KAI_DEFINE_LHS_IMATMUL_PACK_SME(lhs_imatmul_pack_x16p2vlx2_x16p_sme, f16p, 2, uint16_t, kai_kernel_pack_table_sme)
KAI_DEFINE_LHS_IMATMUL_PACK_SME(lhs_imatmul_pack_x8p2vlx4_x8p_sme, x8p, 4, uint8_t, kai_kernel_pack_table_sme)

KAI_DEFINE_RHS_PACK_NXK_ROWS_SME(rhs_pack_nxk_f32p2vlx1biasf32_f32_f32_sme, f32pbiasf32, 1, float)
KAI_DEFINE_RHS_PACK_NXK_ROWS_SME(rhs_pack_nxk_x16p2vlx2b_x16_x16_sme, f16pbiasf16, 2, uint16_t)

}  // extern "C"

namespace kai {
namespace {

/// Panels of V rows of T.
template <const Format& format, typename T>
void pack_lhs(const kai_matmul_pack_lhs_uker_args* args) {
    const auto& [packed, lhs] = args->operand;
    pack_rows(
        kai_kernel_pack_rows_sme, {args->shape.m, {1, args->shape.k}, sizeof(T), lhs.ptr, lhs.stride.m, nullptr},
        {format, {VL(1), sizeof(uint32_t) / sizeof(T), 1}, packed.ptr, packed.stride.m});
}

/// Panels of V columns of T. The head, if the format has one, is the bias.
template <const Format& format, typename T>
void pack_rhs(const kai_matmul_pack_rhs_uker_args* args) {
    const auto& [n, k] = args->shape;
    const auto& rhs = args->operand.rhs;
    const auto& packed = args->operand.rhs_packed;
    const Panels panels = {format, {VL(1), sizeof(uint32_t) / sizeof(T), 1}, packed.ptr, packed.stride.n};
    pack_heads(n, args->operand.bias_n.ptr, panels);
    pack_rows(kai_kernel_pack_rows_sme, {n, {1, k}, sizeof(T), rhs.ptr, rhs.stride.n, nullptr}, panels);
}

}  // namespace
}  // namespace kai

KAI_DEFINE_LHS_PACK_API(
    matmul_pack_lhs_mxk_x32p4vsx1_x32_sme, (kai::pack_lhs<kai::f32p, uint32_t>), uint32_t,
    kai::packed(kai::f32p, VL(1), 1))
KAI_DEFINE_LHS_PACK_API(
    matmul_pack_lhs_mxk_x16p4vsx2_x16_sme, (kai::pack_lhs<kai::f16p, uint16_t>), uint16_t,
    kai::packed(kai::f16p, VL(1), 2))
KAI_DEFINE_LHS_PACK_API(
    matmul_pack_lhs_mxk_x8p4vsx4_x8_sme, (kai::pack_lhs<kai::x8p, uint8_t>), uint8_t, kai::packed(kai::x8p, VL(1), 4))
KAI_DEFINE_RHS_PACK_API(
    matmul_pack_rhs_nxk_x32p4vsx1bx32_x32_x32_sme, (kai::pack_rhs<kai::f32pbiasf32, uint32_t>), kai::NxK<32>,
    kai::packed(kai::f32pbiasf32, VL(1), 1))
KAI_DEFINE_RHS_PACK_API(
    matmul_pack_rhs_nxk_x8p4vsx4_x8_sme, (kai::pack_rhs<kai::x8p, uint8_t>), kai::NxK<8>,
    kai::packed(kai::x8p, VL(1), 4))
