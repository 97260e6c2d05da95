// RHS packers of the unified API for SME, of K x N sources and of int4 ones: panels of V columns (bf16 and int4: 2 V),
// V = SVL / 32, at any stride. Elements are copied, except for unsigned int4, which becomes two's complement. Else as
// in pack_sme_columns.cpp; the work is in pack_sme_columns.S and pack_sme_qsi4.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/pack/pack_sme_columns.hpp"
#include "kai/engines/core/pack_unified.hpp"

extern "C" {
kai::PackColumns kai_kernel_pack_columns_x32_sme, kai_kernel_pack_columns_x16_sme;
kai::PackColumns kai_kernel_pack_columns_x16_wide_bias_sme;
kai::PackColumns kai_kernel_pack_columns_x8_sme;  // no fields
kai::PackColumns kai_kernel_pack_columns_qsi8_sme, kai_kernel_pack_columns_qsi4_sme;
kai::PackColumns kai_kernel_pack_rows_qsi4_sme;  // N x K source, one chunk; ZA is committed
}

namespace kai {
namespace {

constexpr Plain x8_kxn = {8, true}, bf16_kxn = {16, true}, qsi4_kxn = {4, true}, qsi4_nxk = {4, false};

/// fields, blocks: as PackColumns has them; stride: of the source.
KAI_INLINE void pack_panels(
    const kai_matmul_pack_rhs_uker_args* args, PackColumns kernel, const void* fields, size_t blocks, size_t stride) {
    const auto& packed = args->operand.rhs_packed;
    kernel(args->shape.n, args->shape.k, args->operand.rhs.ptr, stride, packed.ptr, fields, blocks, packed.stride.n, 1);
}

/// check where panels scale with the vectors of SME.
KAI_INLINE void check_sme(const UnifiedRhsPacker& packer, const kai_matmul_pack_rhs_uker_args* args) {
    check(packer, args, packer.panels.count * VL(1));
}

/// K x N; elements and bias are copied. Panels are as wide in blocks as in V.
[[gnu::noinline]] void pack_moves(
    const UnifiedRhsPacker& packer, const kai_matmul_pack_rhs_uker_args* args, PackColumns kernel) {
    check_sme(packer, args);
    if (args->shape.n > 0) {
        pack_panels(args, kernel, args->operand.bias_n.ptr, packer.panels.count, args->operand.rhs.stride.k);
    }
}

/// Integers with a scale per column. flip: see ColumnFields.
[[gnu::noinline]] void pack_integers(
    const UnifiedRhsPacker& packer, const kai_matmul_pack_rhs_uker_args* args, PackColumns kernel, uint8_t flip) {
    check_sme(packer, args);
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
    pack_panels(args, kernel, &fields, 1, packer.source.kxn ? operand.rhs.stride.k : operand.rhs.stride.n);
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

/// RUN: run_moves or run_integers, with what follows the kernel.
#define KAI_RHS_PACK_PANELS(NAME, SOURCE, FORMAT, NR, KR, RUN, KERNEL, ...)           \
    KAI_DEFINE_RHS_PACK_API(                                                          \
        NAME, (kai::RUN<kai_kernel_pack_##KERNEL##_sme, ##__VA_ARGS__>), kai::SOURCE, \
        kai::packed(kai::FORMAT, VL(NR), KR))
#define KAI_RHS_PACK_QSI4(NAME, SOURCE, KERNEL, FLIP) \
    KAI_RHS_PACK_PANELS(NAME, SOURCE, qsi4cxpbi32sf32, 2, 4, run_integers, KERNEL, kai::FLIP)

KAI_RHS_PACK_PANELS(matmul_pack_rhs_kxn_x32p4vsx1bx32_x32_x32_sme, f32_kxn, f32pbiasf32, 1, 1, run_moves, columns_x32)
KAI_RHS_PACK_PANELS(matmul_pack_rhs_kxn_x16p4vsx2bx16_x16_x16_sme, f16_kxn, f16pbiasf16, 1, 2, run_moves, columns_x16)
KAI_RHS_PACK_PANELS(matmul_pack_rhs_kxn_x8p4vsx4_x8_sme, x8_kxn, x8p, 1, 4, run_moves, columns_x8)
KAI_RHS_PACK_PANELS(
    matmul_pack_rhs_kxn_qsi8cxp4vsx4bi32sf32_qsi8_i32_f32_sme, x8_kxn, qsi8cxpbi32sf32, 1, 4, run_integers,
    columns_qsi8)
KAI_RHS_PACK_PANELS(
    matmul_pack_rhs_kxn_x16p8vsx2bx32_x16_x32_sme, bf16_kxn, bf16pbiasf32, 2, 2, run_moves, columns_x16_wide_bias)
KAI_RHS_PACK_QSI4(matmul_pack_rhs_kxn_qsi4cxp8vsx4sf32bi32_qsi4cx_f32_i32_sme, qsi4_kxn, columns_qsi4, kSigned)
KAI_RHS_PACK_QSI4(matmul_pack_rhs_kxn_qsi4cxp8vsx4sf32bi32_qsu4cx_f32_i32_sme, qsi4_kxn, columns_qsi4, kUnsigned)
KAI_RHS_PACK_QSI4(matmul_pack_rhs_nxk_qsi4cxp8vsx4sf32bi32_qsi4cx_f32_i32_sme, qsi4_nxk, rows_qsi4, kSigned)
KAI_RHS_PACK_QSI4(matmul_pack_rhs_nxk_qsi4cxp8vsx4sf32bi32_qsu4cx_f32_i32_sme, qsi4_nxk, rows_qsi4, kUnsigned)
