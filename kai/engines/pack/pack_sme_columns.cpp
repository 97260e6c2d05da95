// RHS packers of K x N sources, and of int4 ones, for SME: panels of 2 or 16 V columns, V = SVL / 32; unified API: V,
// int4: 2 V. The work is in pack_sme_columns.S and pack_sme_qsi4.S; the panels are drawn in
// kai/engines/pack/pack_sme_columns.inc. Elements are copied, except for f32 sources of bf16, rounded to nearest even,
// and unsigned int4, which becomes two's complement. With integers that have a scale per column
//
//     packed bias = bias + sum_scale * sum of the column (int32, wraps);  packed scale = scale * multiplier
//
// where sum_scale is -lhs_zero_point or k_sum_scale_global, multiplier is scale_multiplier or scale_global.
//
// `imatmul` packers: the source has k_chunk_count * k_chunk_length rows; each chunk is padded to whole groups alone.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/pack/pack_args.h"
#include "kai/engines/pack/pack_getters.hpp"
#include "kai/engines/pack/pack_sme_rows.hpp"
#include "kai/engines/pack/pack_unified.hpp"
#include "kai/ukernels/pack/kai_rhs_pack.h"

namespace kai {
namespace {

KAI_STRUCT(ColumnFields, KAI_COLUMN_FIELDS);
/// Packs n >= 1 columns of a source of chunks * length rows, `stride` bytes apart; each chunk is padded to whole groups
/// on its own.
///
/// @param dst           The panels.
/// @param fields        ColumnFields of formats with a scale, else the bias, NULL: zeros.
/// @param blocks        Width of a panel in blocks: 1 or 2, x32 also 16.
/// @param panel_stride  Bytes from panel to panel, 0: the size of a panel.
using PackColumns = void(
    size_t n, size_t length, const void* src, size_t stride, void* dst, const void* fields, size_t blocks,
    size_t panel_stride, size_t chunks);

}  // namespace
}  // namespace kai

extern "C" {
kai::PackColumns kai_kernel_pack_columns_x32_sme, kai_kernel_pack_columns_x16_sme, kai_kernel_pack_columns_bf16_sme;
kai::PackColumns kai_kernel_pack_columns_x16_wide_bias_sme;
kai::PackColumns kai_kernel_pack_columns_x8_sme;  // no fields
kai::PackColumns kai_kernel_pack_columns_qsi8_sme, kai_kernel_pack_columns_qsi4_sme;
kai::PackColumns kai_kernel_pack_rows_qsi4_sme;  // N x K source, one chunk; ZA is committed
}

namespace kai {
namespace {

constexpr Plain x8_kxn = {8, true}, bf16_kxn = {16, true}, qsi4_kxn = {4, true}, qsi4_nxk = {4, false};

/// Panels of 2 V columns.
KAI_INLINE void pack_int8(
    size_t n, size_t chunks, size_t length, const void* rhs, size_t stride, const void* bias, const void* scale,
    void* packed, const struct kai_rhs_pack_qsi8cx_params* params) {
    if (n == 0) {
        return;
    }
    const uint32_t zero_point = static_cast<uint32_t>(params->lhs_zero_point);
    const ColumnFields fields{bias, scale, static_cast<int32_t>(0U - zero_point), params->scale_multiplier};
    kai_kernel_pack_columns_qsi8_sme(n, length, rhs, stride, packed, &fields, 2, 0, chunks);
}

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

// Panels of NR vectors, by kai_kernel_pack_columns_KERNEL_sme.
#define KAI_RHS_PACK_COLUMNS(NAME, FORMAT, KERNEL, NR, KR, ELEMENT)                \
    KAI_DEFINE_RHS_PACK_GETTERS_KXN(NAME, FORMAT, VL(NR), KR, 1, ELEMENT, ELEMENT) \
    KAI_RHS_VECTORS_RUN(                                                           \
        NAME, 8 * sizeof(ELEMENT), true, false, VL(NR), KR, sr, void,              \
        if (n > 0) { kai_kernel_pack_columns_##KERNEL##_sme(n, k, rhs, rhs_stride, rhs_packed, bias, NR, 0, 1); })

#define KAI_RHS_PACK_CHUNKS(NAME, FORMAT, KERNEL, NR, KR, ELEMENT)                                                     \
    KAI_DEFINE_RHS_IMATMUL_PACK_GETTERS(NAME, FORMAT, VL(NR), KR, 1, ELEMENT, ELEMENT)                                 \
    KAI_RUN_RHS_IMATMUL_PACK(NAME) {                                                                                   \
        KAI_CHECK_RHS_CHUNKS(                                                                                          \
            8 * sizeof(ELEMENT), true, false, n, k_chunk_count * k_chunk_length, rhs, rhs_stride, rhs_packed, nullptr, \
            nullptr)                                                                                                   \
        if (n > 0) {                                                                                                   \
            kai_kernel_pack_columns_##KERNEL##_sme(                                                                    \
                n, k_chunk_length, rhs, rhs_stride, rhs_packed, bias, NR, 0, k_chunk_count);                           \
        }                                                                                                              \
    }

extern "C" {

KAI_RHS_PACK_COLUMNS(rhs_pack_kxn_f32p2vlx1biasf32_f32_f32_sme, f32pbiasf32, x32, 2, 1, float)
KAI_RHS_PACK_COLUMNS(rhs_pack_kxn_f32p16vlx1b_f32_f32_sme, f32pbiasf32, x32, 16, 1, float)
KAI_RHS_PACK_COLUMNS(rhs_pack_kxn_x16p2vlx2b_x16_x16_sme, f16pbiasf16, x16, 2, 2, uint16_t)
KAI_RHS_PACK_COLUMNS(rhs_pack_kxn_bf16p2vlx2b_f32_x32_sme, bf16pbiasf32, bf16, 2, 2, float)
KAI_RHS_PACK_CHUNKS(rhs_imatmul_pack_kxn_x32p2vlx1b_x32_x32_sme, f32pbiasf32, x32, 2, 1, float)
KAI_RHS_PACK_CHUNKS(rhs_imatmul_pack_kxn_x16p2vlx2b_x16_x16_sme, f16pbiasf16, x16, 2, 2, uint16_t)

KAI_DEFINE_RHS_PACK_GETTERS_KXN(
    rhs_pack_kxn_qsi8cxp2vlx4sb_qs8cx_f32_i32_sme, qsi8cxpbi32sf32, VL(2), 4, 1, int8_t, int32_t)
KAI_DEFINE_RHS_PACK_SCALE_OFFSET(rhs_pack_kxn_qsi8cxp2vlx4sb_qs8cx_f32_i32_sme)
KAI_DEFINE_RHS_IMATMUL_PACK_GETTERS(
    rhs_imatmul_pack_kxn_qsi8cxp2vlx4sb_qs8cx_f32_i32_sme, qsi8cxpbi32sf32, VL(2), 4, 1, int8_t, int32_t)
KAI_DEFINE_RHS_PACK_SCALE_OFFSET(rhs_imatmul_pack_kxn_qsi8cxp2vlx4sb_qs8cx_f32_i32_sme)

KAI_RHS_VECTORS_RUN(rhs_pack_kxn_qsi8cxp2vlx4sb_qs8cx_f32_i32_sme, 8, true, true, VL(2), 4, sr,
                    struct kai_rhs_pack_qsi8cx_params,
                    kai::pack_int8(n, 1, k, rhs, rhs_stride, bias, scale, rhs_packed, params);)

void kai_run_rhs_imatmul_pack_kxn_qsi8cxp2vlx4sb_qs8cx_f32_i32_sme(
    size_t n, size_t k_chunk_count, size_t k_chunk_length, size_t rhs_stride_row, const void* rhs, const void* bias,
    const void* scale, void* rhs_packed, const struct kai_rhs_pack_qsi8cx_params* params) {
    KAI_CHECK_RHS_CHUNKS(
        8, true, true, n, k_chunk_count * k_chunk_length, rhs, rhs_stride_row, rhs_packed, scale, params)
    kai::pack_int8(n, k_chunk_count, k_chunk_length, rhs, rhs_stride_row, bias, scale, rhs_packed, params);
}

}  // extern "C"

/// Unified API. RUN: run_moves or run_integers, with what follows the kernel.
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
