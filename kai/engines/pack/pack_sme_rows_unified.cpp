// Packers of the unified API whose source has its depth contiguous, for SME: LHS, RHS of N x K. Panels of V rows (bf16:
// 2 V), V = SVL / 32, at any stride; else as in pack_sme_rows.cpp.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/pack/pack_sme_rows.hpp"
#include "kai/engines/core/pack_unified.hpp"

extern "C" {
kai::PackRowsFn kai_kernel_pack_rows_sme;
}

namespace kai {
namespace {

constexpr Plain x8_nxk = {8, false}, bf16_nxk = {16, false};

constexpr kai_pack_rows_sme packer_of(const kai_panels& panels, size_t element_bytes) {
    return {kai_kernel_pack_rows_sme, panels, element_bytes};
}

[[gnu::noinline]] void pack_lhs(const UnifiedLhsPacker& packer, const kai_matmul_pack_lhs_uker_args* args) {
    check(packer, args);
    const auto& [packed, lhs] = args->operand;
    pack_rows(
        packer_of(packer.panels, packer.element_bytes),
        {args->shape.m, {1, args->shape.k}, lhs.ptr, lhs.stride.m, nullptr}, packed.ptr, packed.stride.m);
}
[[gnu::noinline]] void pack_rhs(const UnifiedRhsPacker& packer, const kai_matmul_pack_rhs_uker_args* args) {
    check(packer, args);
    const auto& [n, k] = args->shape;
    const auto& rhs = args->operand.rhs;
    const auto& packed = args->operand.rhs_packed;
    pack_columns(
        packer_of(packer.panels, packer.source.bits / 8), n, k, rhs.ptr, rhs.stride.n, args->operand.bias_n.ptr,
        packed.ptr, packed.stride.n);
}

}  // namespace
}  // namespace kai

KAI_DEFINE_LHS_PACK_API(
    matmul_pack_lhs_mxk_x32p4vsx1_x32_sme, kai::pack_lhs, uint32_t, kai::packed(kai::f32p, VL(1), 1))
KAI_DEFINE_LHS_PACK_API(
    matmul_pack_lhs_mxk_x16p4vsx2_x16_sme, kai::pack_lhs, uint16_t, kai::packed(kai::f16p, VL(1), 2))
// The same bytes as the SME packer: SME2, which the name allows, would gain nothing here.
KAI_DEFINE_LHS_PACK_API(
    matmul_pack_lhs_mxk_x16p4vsx2_x16_sme2, kai::pack_lhs, uint16_t, kai::packed(kai::f16p, VL(1), 2))
KAI_DEFINE_LHS_PACK_API(matmul_pack_lhs_mxk_x8p4vsx4_x8_sme, kai::pack_lhs, uint8_t, kai::packed(kai::x8p, VL(1), 4))
KAI_DEFINE_RHS_PACK_API(
    matmul_pack_rhs_nxk_x32p4vsx1bx32_x32_x32_sme, kai::pack_rhs, kai::f32_nxk, kai::packed(kai::f32pbiasf32, VL(1), 1))
KAI_DEFINE_RHS_PACK_API(
    matmul_pack_rhs_nxk_x8p4vsx4_x8_sme, kai::pack_rhs, kai::x8_nxk, kai::packed(kai::x8p, VL(1), 4))
KAI_DEFINE_RHS_PACK_API(
    matmul_pack_rhs_nxk_x16p8vsx2bx32_x16_x32_sme, kai::pack_rhs, kai::bf16_nxk,
    kai::packed(kai::bf16pbiasf32, VL(2), 2))
