// Packers whose source has its depth contiguous, for SME: LHS, LHS through a table of pointers, RHS of N x K. Panels of
// 2 V rows, V = SVL / 32, one after the other
//
//     | bias of all rows (RHS only) | depth group 0 of all rows | depth group 1 of all rows | ...
//
// A depth group is 32 bits: one f32, two of 16 bits, four of 8 bits. Missing rows of the last panel, their bias, and
// the missing part of a last group become zero. Bits are copied; f32 becomes bf16 (nearest, ties to even) where the
// name says so. The work is in pack_sme_rows.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/core/pack_rhs_checks.hpp"
#include "kai/engines/pack/pack_sme_rows.hpp"
#include "kai/ukernels/pack/kai_lhs_pack.h"
#include "kai/ukernels/pack/kai_rhs_pack.h"

extern "C" {
kai::PackRowsFn kai_kernel_pack_rows_sme;
kai::PackRowsFn kai_kernel_pack_table_sme;
kai::PackRowsFn kai_kernel_pack_rows_bf16_sme;
}

namespace kai {
namespace {

/// Panels of 2 V columns in chunks, with bias.
[[gnu::noinline]] void pack_column_chunks(
    const kai_pack_rows_sme& packer, size_t n, Chunks chunks, const void* rhs, size_t rhs_stride, const void* bias,
    void* packed) {
    const size_t group = packer.panels.k_multiple;
    const size_t stored = chunks.count * ((chunks.length + group - 1) / group * group);
    pack_heads(packer.panels, n, bias, packed, kai_panels_stride(stored, 0, &packer.panels));
    pack_rows(packer, {n, chunks, rhs, rhs_stride, nullptr}, packed, 0);
}

/// Rows through a table of pointers.
[[gnu::noinline]] void pack_table(
    size_t m, size_t chunks, size_t length, const void* const* lhs_ptrs, size_t lhs_ptr_offset, const void* pad_ptr,
    void* lhs_packed, const kai_pack_rows_sme& packer) {
    pack_rows(packer, {m, {chunks, length}, lhs_ptrs, lhs_ptr_offset, pad_ptr}, lhs_packed, 0);
}

}  // namespace
}  // namespace kai

/// An LHS packer: chunks of SOURCE found through a table of pointers to panels of 2 V rows.
#define KAI_DEFINE_LHS_IMATMUL_PACK_SME(NAME, FORMAT, KR, SOURCE)                                                   \
    KAI_DEFINE_LHS_IMATMUL_PACK_GETTERS(NAME, FORMAT, VL(2), KR, 1)                                                 \
    void kai_run_##NAME(                                                                                            \
        size_t m, size_t k_chunk_count, size_t k_chunk_length, const void* const* lhs_ptrs, size_t lhs_ptr_offset,  \
        const void* pad_ptr, void* lhs_packed) {                                                                    \
        static constexpr kai_pack_rows_sme packer = {kai_kernel_pack_table_sme, kai_panels_##NAME, sizeof(SOURCE)}; \
        kai::pack_table(m, k_chunk_count, k_chunk_length, lhs_ptrs, lhs_ptr_offset, pad_ptr, lhs_packed, packer);   \
    }

/// An RHS packer: N x K elements of SOURCE, and bias of the same type, to panels of 2 V columns.
#define KAI_DEFINE_RHS_PACK_NXK_ROWS_SME(NAME, FORMAT, KR, SOURCE)                                                 \
    KAI_DEFINE_RHS_PACK_GETTERS_NXK(NAME, FORMAT, VL(2), KR, 1, SOURCE)                                            \
    KAI_RHS_VECTORS_RUN(                                                                                           \
        NAME, 8 * sizeof(SOURCE), false, false, VL(2), KR, sr, void,                                               \
        static constexpr kai_pack_rows_sme packer = {kai_kernel_pack_rows_sme, kai_panels_##NAME, sizeof(SOURCE)}; \
        kai::pack_columns(packer, n, k, rhs, rhs_stride, bias, rhs_packed);)

/// The same for chunks, which follow each other in a row.
#define KAI_DEFINE_RHS_PACK_NXK_CHUNKS_SME(NAME, FORMAT, KR, SOURCE)                                                   \
    KAI_DEFINE_RHS_IMATMUL_PACK_GETTERS_NXK(NAME, FORMAT, VL(2), KR, 1, SOURCE)                                        \
    KAI_RUN_RHS_IMATMUL_PACK(NAME) {                                                                                   \
        KAI_CHECK_RHS_CHUNKS(                                                                                          \
            8 * sizeof(SOURCE), false, false, n, k_chunk_count * k_chunk_length, rhs, rhs_stride, rhs_packed, nullptr, \
            nullptr)                                                                                                   \
        static constexpr kai_pack_rows_sme packer = {kai_kernel_pack_rows_sme, kai_panels_##NAME, sizeof(SOURCE)};     \
        kai::pack_column_chunks(packer, n, {k_chunk_count, k_chunk_length}, rhs, rhs_stride, bias, rhs_packed);        \
    }

extern "C" {

// Whether a getter uses the caller's mr differs from packer to packer, for compatibility.
KAI_DEFINE_LHS_PACK_ROWS_SME(
    lhs_pack_f32p2vlx1_f32_sme, f32p, 1, float, kai_kernel_pack_rows_sme, m_idx_start, VL(2),
    KAI_DEFINE_LHS_PACKED_GETTERS_OF_PANELS(lhs_pack_f32p2vlx1_f32_sme))
KAI_DEFINE_LHS_PACK_ROWS_SME(
    lhs_pack_x16p2vlx2_x16_sme, f16p, 2, uint16_t, kai_kernel_pack_rows_sme, m_idx_start, mr,
    KAI_DEFINE_LHS_PACKED_GETTERS(K, lhs_pack_x16p2vlx2_x16_sme, f16p))
KAI_DEFINE_LHS_PACK_ROWS_SME(
    lhs_pack_x8p2vlx4_x8_sme, x8p, 4, uint8_t, kai_kernel_pack_rows_sme, m_idx_start, mr,
    KAI_DEFINE_LHS_PACKED_GETTERS(K, lhs_pack_x8p2vlx4_x8_sme, x8p))
KAI_DEFINE_LHS_PACK_ROWS_SME(
    lhs_pack_bf16p2vlx2_f32_sme, bf16p, 2, float, kai_kernel_pack_rows_bf16_sme, 0, VL(2),
    KAI_DEFINE_LHS_PACKED_GETTERS_OF_PANELS(lhs_pack_bf16p2vlx2_f32_sme))

KAI_DEFINE_LHS_IMATMUL_PACK_SME(lhs_imatmul_pack_x32p2vlx1_x32p_sme, f32p, 1, uint32_t)
KAI_DEFINE_LHS_IMATMUL_PACK_SME(lhs_imatmul_pack_x16p2vlx2_x16p_sme, f16p, 2, uint16_t)
KAI_DEFINE_LHS_IMATMUL_PACK_SME(lhs_imatmul_pack_x8p2vlx4_x8p_sme, x8p, 4, uint8_t)

KAI_DEFINE_RHS_PACK_NXK_ROWS_SME(rhs_pack_nxk_f32p2vlx1biasf32_f32_f32_sme, f32pbiasf32, 1, float)
KAI_DEFINE_RHS_PACK_NXK_ROWS_SME(rhs_pack_nxk_x16p2vlx2b_x16_x16_sme, f16pbiasf16, 2, uint16_t)
KAI_DEFINE_RHS_PACK_NXK_CHUNKS_SME(imatmul_pack_rhs_nxk_x16p2vlx2bx16_x16_x16_sme, f16pbiasf16, 2, uint16_t)

}  // extern "C"
