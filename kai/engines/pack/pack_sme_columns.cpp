// RHS packers of K x N sources for SME: panels of 2 or 16 V columns, V = SVL / 32. The work is in pack_sme_columns.S;
// the panels are drawn in kai/engines/pack/pack_sme_columns.inc. Elements are copied, except for f32 sources of bf16,
// rounded to nearest even. With integers that have a scale per column
//
//     packed bias = bias + sum_scale * sum of the column (int32, wraps);  packed scale = scale * multiplier
//
// where sum_scale is -lhs_zero_point or k_sum_scale_global, multiplier is scale_multiplier or scale_global.
//
// `imatmul` packers: the source has k_chunk_count * k_chunk_length rows; each chunk is padded to whole groups alone.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/core/pack_getters.hpp"
#include "kai/engines/core/pack_rhs_checks.hpp"
#include "kai/engines/pack/pack_sme_columns.hpp"
#include "kai/ukernels/pack/kai_rhs_pack.h"

extern "C" {
kai::PackColumns kai_kernel_pack_columns_x32_sme, kai_kernel_pack_columns_x16_sme, kai_kernel_pack_columns_bf16_sme;
kai::PackColumns kai_kernel_pack_columns_qsi8_sme;
}

namespace kai {
namespace {

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
