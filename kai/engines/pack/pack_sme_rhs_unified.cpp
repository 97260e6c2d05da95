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

/// Panels of one block. line_stride: of the source.
KAI_INLINE void pack_panels(
    PackColumns kernel, const kai_matmul_pack_rhs_uker_args* args, size_t line_stride, const void* fields) {
    const auto& operand = args->operand;
    kernel(
        args->shape.n, args->shape.k, operand.rhs.ptr, line_stride, operand.rhs_packed.ptr, fields, 1,
        operand.rhs_packed.stride.n, 1);
}

/// K x N; elements and bias are copied.
template <PackColumns kernel>
void run_moves(const kai_matmul_pack_rhs_uker_args* args) {
    if (args->shape.n > 0) {
        pack_panels(kernel, args, args->operand.rhs.stride.k, args->operand.bias_n.ptr);
    }
}

/// Integers with a scale per column. flip: see ColumnFields.
KAI_INLINE void pack_integers(
    PackColumns kernel, const kai_matmul_pack_rhs_uker_args* args, size_t line_stride, uint8_t flip) {
    if (args->shape.n == 0) {
        return;
    }
    const auto& operand = args->operand;
    const ColumnFields fields{
        operand.bias_n.ptr, operand.scale_n.ptr, load<int32_t>(operand.k_sum_scale_global.ptr),
        load<float>(operand.scale_global.ptr), flip};
    pack_panels(kernel, args, line_stride, &fields);
}

template <PackColumns kernel, uint8_t flip = 0>
void run_integers(const kai_matmul_pack_rhs_uker_args* args) {
    pack_integers(kernel, args, args->operand.rhs.stride.k, flip);
}

template <uint8_t flip>
void run_nxk_qsi4(const kai_matmul_pack_rhs_uker_args* args) {
    if (args->shape.n > 0) {
        kai_commit_za();
    }
    pack_integers(kai_kernel_pack_rows_qsi4_sme, args, args->operand.rhs.stride.n, flip);
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
KAI_RHS_PACK_QSI4(matmul_pack_rhs_nxk_qsi4cxp8vsx4sf32bi32_qsi4cx_f32_i32_sme, NxK<4>, kai::run_nxk_qsi4<kai::kSigned>)
KAI_RHS_PACK_QSI4(
    matmul_pack_rhs_nxk_qsi4cxp8vsx4sf32bi32_qsu4cx_f32_i32_sme, NxK<4>, kai::run_nxk_qsi4<kai::kUnsigned>)
