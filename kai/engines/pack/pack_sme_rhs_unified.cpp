// RHS packers of K x N sources, and of int4 ones, for SME, unified API: panels of V = SVL / 32 columns, int4: 2 V. The
// work is in pack_sme_columns.S and pack_sme_qsi4.S; the panels are drawn in kai/engines/pack/pack_sme_columns.inc.
// Elements are copied (unsigned int4 becomes two's complement); with integers that have a scale per column
//
//     packed bias = bias + k_sum_scale * sum of the column (int32, wraps);  packed scale = scale * scale_global
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/pack/pack_sme_columns.hpp"
#include "kai/engines/pack/pack_unified.hpp"

namespace kai {
namespace {

/// Panels of one block. fields: as PackColumns has them.
KAI_INLINE void pack_panels(
    const UnifiedRhsPacker& packer, const kai_matmul_pack_rhs_uker_args* args, PackColumns kernel, const void* fields) {
    const auto& rhs = args->operand.rhs;
    const auto& packed = args->operand.rhs_packed;
    kernel(
        args->shape.n, args->shape.k, rhs.ptr, packer.source.kxn ? rhs.stride.k : rhs.stride.n, packed.ptr, fields, 1,
        packed.stride.n, 1);
}

/// K x N; elements and bias are copied.
[[gnu::noinline]] void pack_moves(
    const UnifiedRhsPacker& packer, const kai_matmul_pack_rhs_uker_args* args, PackColumns kernel) {
    check(packer, args);
    if (args->shape.n > 0) {
        pack_panels(packer, args, kernel, args->operand.bias_n.ptr);
    }
}

/// Integers with a scale per column. flip: see ColumnFields.
[[gnu::noinline]] void pack_integers(
    const UnifiedRhsPacker& packer, const kai_matmul_pack_rhs_uker_args* args, PackColumns kernel, uint8_t flip) {
    check(packer, args);
    if (args->shape.n == 0) {
        return;
    }
    if (!packer.source.kxn) {
        kai_commit_za();
    }
    const auto& operand = args->operand;
    const ColumnFields fields{
        operand.bias_n.ptr, operand.scale_n.ptr, load<int32_t>(operand.k_sum_scale_global.ptr),
        load<float>(operand.scale_global.ptr), flip};
    pack_panels(packer, args, kernel, &fields);
}

template <PackColumns kernel>
KAI_INLINE void run_moves(const UnifiedRhsPacker& packer, const kai_matmul_pack_rhs_uker_args* args) {
    pack_moves(packer, args, kernel);
}
template <PackColumns kernel, uint8_t flip = 0>
KAI_INLINE void run_integers(const UnifiedRhsPacker& packer, const kai_matmul_pack_rhs_uker_args* args) {
    pack_integers(packer, args, kernel, flip);
}

/// What flips both nibbles of a byte to two's complement.
constexpr uint8_t kSigned = 0, kUnsigned = 0x88;

}  // namespace
}  // namespace kai

KAI_DEFINE_RHS_PACK_API(
    matmul_pack_rhs_kxn_x32p4vsx1bx32_x32_x32_sme, kai::run_moves<kai_kernel_pack_columns_x32_sme>, kai::KxN<32>,
    kai::packed(kai::f32pbiasf32, VL(1), 1))
KAI_DEFINE_RHS_PACK_API(
    matmul_pack_rhs_kxn_x16p4vsx2bx16_x16_x16_sme, kai::run_moves<kai_kernel_pack_columns_x16_sme>, kai::KxN<16>,
    kai::packed(kai::f16pbiasf16, VL(1), 2))
KAI_DEFINE_RHS_PACK_API(
    matmul_pack_rhs_kxn_x8p4vsx4_x8_sme, kai::run_moves<kai_kernel_pack_columns_x8_sme>, kai::KxN<8>,
    kai::packed(kai::x8p, VL(1), 4))
KAI_DEFINE_RHS_PACK_API(
    matmul_pack_rhs_kxn_qsi8cxp4vsx4bi32sf32_qsi8_i32_f32_sme, kai::run_integers<kai_kernel_pack_columns_qsi8_sme>,
    kai::KxN<8>, kai::packed(kai::qsi8cxpbi32sf32, VL(1), 4))

#define KAI_RHS_PACK_QSI4(NAME, SOURCE, ...) \
    KAI_DEFINE_RHS_PACK_API(NAME, (__VA_ARGS__), kai::SOURCE, kai::packed(kai::qsi4cxpbi32sf32, VL(2), 4))

KAI_RHS_PACK_QSI4(
    matmul_pack_rhs_kxn_qsi4cxp8vsx4sf32bi32_qsi4cx_f32_i32_sme, KxN<4>,
    kai::run_integers<kai_kernel_pack_columns_qsi4_sme, kai::kSigned>)
KAI_RHS_PACK_QSI4(
    matmul_pack_rhs_kxn_qsi4cxp8vsx4sf32bi32_qsu4cx_f32_i32_sme, KxN<4>,
    kai::run_integers<kai_kernel_pack_columns_qsi4_sme, kai::kUnsigned>)
KAI_RHS_PACK_QSI4(
    matmul_pack_rhs_nxk_qsi4cxp8vsx4sf32bi32_qsi4cx_f32_i32_sme, NxK<4>,
    kai::run_integers<kai_kernel_pack_rows_qsi4_sme, kai::kSigned>)
KAI_RHS_PACK_QSI4(
    matmul_pack_rhs_nxk_qsi4cxp8vsx4sf32bi32_qsu4cx_f32_i32_sme, NxK<4>,
    kai::run_integers<kai_kernel_pack_rows_qsi4_sme, kai::kUnsigned>)
