// RHS packers of K x N sources, and of int4 ones, for SME, unified API: panels of V = SVL / 32 columns, int4: 2 V. The
// work is in sme_pack_columns.S and sme_pack_qsi4.S; the panels are drawn in kai/asm/sme_pack_columns.inc. Weights are
// moved (unsigned int4 becomes two's complement); with integers
//
//     packed bias = bias + k_sum_scale * sum of the column (int32, wraps);  packed scale = scale * scale_global
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/src/pack_columns_sme.hpp"
#include "kai/src/unified_pack.hpp"

namespace kai {
namespace {

/// Of formats without scales: the bias alone.
template <const Format& format>
KAI_INLINE ColumnFields fields_of(const kai_matmul_pack_rhs_uker_args* args) {
    const auto& operand = args->operand;
    if (format.panel_tail == 0 || args->shape.n == 0) {
        return {operand.bias_n.ptr, nullptr, 0, 0.0F};
    }
    KAI_ASSUME_MSG(operand.k_sum_scale_global.ptr != nullptr, "k_sum_scale_global must not be NULL");
    KAI_ASSUME_MSG(operand.scale_n.ptr != nullptr, "scale_n must not be NULL");
    KAI_ASSUME_MSG(operand.scale_global.ptr != nullptr, "scale_global must not be NULL");
    return {
        operand.bias_n.ptr, operand.scale_n.ptr, load<int32_t>(operand.k_sum_scale_global.ptr),
        load<float>(operand.scale_global.ptr)};
}

/// flip: see Columns.
template <const Format& format, PackColumns kernel>
KAI_INLINE void pack_unified(const kai_matmul_pack_rhs_uker_args* args, size_t line_stride, uint8_t flip) {
    check_args(args);
    const auto& operand = args->operand;
    pack_columns<format, kernel>(
        {args->shape.n, 1, args->shape.k, operand.rhs.ptr, line_stride, flip},
        {operand.rhs_packed.ptr, operand.rhs_packed.stride.n, 1}, fields_of<format>(args));
}

template <const Format& format, PackColumns kernel, uint8_t flip = 0>
void run_kxn(const kai_matmul_pack_rhs_uker_config*, const kai_matmul_pack_rhs_uker_args* args) {
    pack_unified<format, kernel>(args, args->operand.rhs.stride.k, flip);
}

template <uint8_t flip>
void run_nxk_qsi4(const kai_matmul_pack_rhs_uker_config*, const kai_matmul_pack_rhs_uker_args* args) {
    kai_commit_za();
    pack_unified<qsi4cxpbi32sf32, kai_kernel_pack_rows_qsi4_sme>(args, args->operand.rhs.stride.n, flip);
}

/// Both nibbles of a byte: 8 more than the value, or not.
constexpr uint8_t kSigned = 0, kUnsigned = 0x88;

}  // namespace
}  // namespace kai

KAI_DEFINE_RHS_PACK_API(
    matmul_pack_rhs_kxn_x32p4vsx1bx32_x32_x32_sme, (kai::run_kxn<kai::f32pbiasf32, kai_kernel_pack_columns_x32_sme>),
    kai::KxN<32>, kai::packed(kai::f32pbiasf32, VL(1), 1))
KAI_DEFINE_RHS_PACK_API(
    matmul_pack_rhs_kxn_x16p4vsx2bx16_x16_x16_sme, (kai::run_kxn<kai::f16pbiasf16, kai_kernel_pack_columns_x16_sme>),
    kai::KxN<16>, kai::packed(kai::f16pbiasf16, VL(1), 2))
KAI_DEFINE_RHS_PACK_API(
    matmul_pack_rhs_kxn_x8p4vsx4_x8_sme, (kai::run_kxn<kai::x8p, kai_kernel_pack_columns_x8_sme>), kai::KxN<8>,
    kai::packed(kai::x8p, VL(1), 4))
KAI_DEFINE_RHS_PACK_API(
    matmul_pack_rhs_kxn_qsi8cxp4vsx4bi32sf32_qsi8_i32_f32_sme,
    (kai::run_kxn<kai::qsi8cxpbi32sf32, kai_kernel_pack_columns_qsi8_sme>), kai::KxN<8>,
    kai::packed(kai::qsi8cxpbi32sf32, VL(1), 4))

#define KAI_RHS_PACK_QSI4(NAME, SOURCE, ...) \
    KAI_DEFINE_RHS_PACK_API(NAME, (__VA_ARGS__), kai::SOURCE, kai::packed(kai::qsi4cxpbi32sf32, VL(2), 4))

KAI_RHS_PACK_QSI4(
    matmul_pack_rhs_kxn_qsi4cxp8vsx4sf32bi32_qsi4cx_f32_i32_sme, KxN<4>,
    kai::run_kxn<kai::qsi4cxpbi32sf32, kai_kernel_pack_columns_qsi4_sme, kai::kSigned>)
KAI_RHS_PACK_QSI4(
    matmul_pack_rhs_kxn_qsi4cxp8vsx4sf32bi32_qsu4cx_f32_i32_sme, KxN<4>,
    kai::run_kxn<kai::qsi4cxpbi32sf32, kai_kernel_pack_columns_qsi4_sme, kai::kUnsigned>)
KAI_RHS_PACK_QSI4(matmul_pack_rhs_nxk_qsi4cxp8vsx4sf32bi32_qsi4cx_f32_i32_sme, NxK<4>, kai::run_nxk_qsi4<kai::kSigned>)
KAI_RHS_PACK_QSI4(
    matmul_pack_rhs_nxk_qsi4cxp8vsx4sf32bi32_qsu4cx_f32_i32_sme, NxK<4>, kai::run_nxk_qsi4<kai::kUnsigned>)
