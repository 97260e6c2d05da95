// The functions kai_run_<name> of micro-kernels and packers, one macro per signature that several share. Its name is
// that of the type in kai_fn_types.h, or in kai/ukernels/pack. A body follows: `KAI_RUN_MATMUL(NAME, float) { ... }`;
// parameters have the names that are here.
//
// T: what dst points to, as the family's header declares it; of packers, an element of the source.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/kai_fn_types.h"

/// kai_run_matmul_fn, kai_run_matmul_f32_fn
#define KAI_RUN_MATMUL(NAME, T)                                                                        \
    void kai_run_##NAME(                                                                               \
        size_t m, size_t n, size_t k, const void* lhs, const void* rhs, T* dst, size_t dst_stride_row, \
        size_t dst_stride_col, float clamp_min, float clamp_max)

/// kai_run_matmul_columns_fn
#define KAI_COLUMNS_MATMUL(NAME)                                                                                  \
    extern "C" [[gnu::visibility("hidden")]] kai_run_matmul_columns_fn kai_columns_##NAME;                        \
    void kai_columns_##NAME(                                                                                      \
        size_t m, size_t first, size_t n, size_t k, [[maybe_unused]] size_t bl, const void* lhs, const void* rhs, \
        void* dst, [[maybe_unused]] size_t dst_stride_row, [[maybe_unused]] size_t dst_stride_col,                \
        [[maybe_unused]] float clamp_min, [[maybe_unused]] float clamp_max, [[maybe_unused]] const int32_t* lut,  \
        [[maybe_unused]] const kai_matmul_requantize32_params* requantize)

/// kai_run_matmul_bl_fn, kai_run_matmul_bl_f32_fn
#define KAI_RUN_MATMUL_BL(NAME, T)                                                                                \
    void kai_run_##NAME(                                                                                          \
        size_t m, size_t n, size_t k, size_t bl, const void* lhs, const void* rhs, T* dst, size_t dst_stride_row, \
        size_t dst_stride_col, float clamp_min, float clamp_max)

/// kai_run_matmul_lut_f32_fn
#define KAI_RUN_MATMUL_LUT(NAME, T)                                                                    \
    void kai_run_##NAME(                                                                               \
        size_t m, size_t n, size_t k, const void* lhs, const void* rhs, T* dst, size_t dst_stride_row, \
        size_t dst_stride_col, float clamp_min, float clamp_max, const int32_t* lut)

/// kai_run_matmul_rows_fn
#define KAI_RUN_MATMUL_ROWS(NAME)                                                                                      \
    void kai_run_##NAME(                                                                                               \
        size_t m, size_t n, size_t k, const void* lhs, [[maybe_unused]] size_t lhs_stride, const void* rhs, void* dst, \
        [[maybe_unused]] size_t dst_stride_row, size_t dst_stride_col, float clamp_min, float clamp_max)

/// kai_run_matmul_plain_fn
#define KAI_RUN_MATMUL_PLAIN(NAME)                                                                            \
    void kai_run_##NAME(                                                                                      \
        size_t m, size_t n, size_t k, const void* lhs, size_t lhs_stride, const void* rhs, size_t rhs_stride, \
        void* dst, size_t dst_stride_row, size_t dst_stride_col, float clamp_min, float clamp_max)

/// kai_run_matmul_file_fn
#define KAI_RUN_MATMUL_FILE(NAME)                                                                     \
    void kai_run_##NAME(                                                                              \
        size_t m, size_t n, size_t k, const void* lhs, const void* rhs, size_t rhs_stride, void* dst, \
        size_t dst_stride_row, size_t dst_stride_col, float clamp_min, float clamp_max)

/// kai_run_matmul_qai8_fn
#define KAI_RUN_MATMUL_QAI8(NAME)                                                  \
    void kai_run_##NAME(                                                           \
        size_t m, size_t n, size_t k, const void* lhs, const void* rhs, void* dst, \
        [[maybe_unused]] size_t dst_stride_row, size_t dst_stride_col,             \
        const struct kai_matmul_requantize32_params* params)

/// kai_run_matmul_rows_static_fn
#define KAI_RUN_MATMUL_ROWS_STATIC(NAME)                                                              \
    void kai_run_##NAME(                                                                              \
        size_t m, size_t n, size_t k, const void* lhs, size_t lhs_stride, const void* rhs, void* dst, \
        size_t dst_stride_row, size_t dst_stride_col, const struct kai_matmul_requantize32_params* params)

/// kai_run_imatmul_fn
#define KAI_RUN_IMATMUL(NAME)                                                                                         \
    void kai_run_##NAME(                                                                                              \
        size_t m, size_t n, size_t k_chunk_count, size_t k_chunk_length, const void* lhs, const void* rhs, void* dst, \
        size_t dst_stride_row, float clamp_min, float clamp_max)

/// kai_run_imatmul_qai8_fn
#define KAI_RUN_IMATMUL_QAI8(NAME)                                                                                    \
    void kai_run_##NAME(                                                                                              \
        size_t m, size_t n, size_t k_chunk_count, size_t k_chunk_length, const void* lhs, const void* rhs, void* dst, \
        size_t dst_stride_row, const struct kai_matmul_requantize32_params* params)

/// kai_run_imatmul_rows_fn
#define KAI_RUN_IMATMUL_ROWS(NAME)                                                                            \
    void kai_run_##NAME(                                                                                      \
        size_t m, size_t n, size_t k_chunk_count, size_t k_chunk_length, const void* indirection_buffer,      \
        const void* pad_ptr, size_t lhs_ptr_offset, const void* rhs_packed, void* dst, size_t dst_stride_row, \
        float clamp_min, float clamp_max)

/// kai_run_imatmul_rows_qai8_fn
#define KAI_RUN_IMATMUL_ROWS_QAI8(NAME)                                                                       \
    void kai_run_##NAME(                                                                                      \
        size_t m, size_t n, size_t k_chunk_count, size_t k_chunk_length, const void* indirection_buffer,      \
        const void* pad_ptr, size_t lhs_ptr_offset, const void* rhs_packed, void* dst, size_t dst_stride_row, \
        const struct kai_matmul_requantize32_params* params)

/// kai_run_imatmul_rows_lowp_fn
#define KAI_RUN_IMATMUL_ROWS_LOWP(NAME)                                                                       \
    void kai_run_##NAME(                                                                                      \
        size_t m, size_t n, size_t k_chunk_count, size_t k_chunk_length, const void* indirection_buffer,      \
        const void* pad_ptr, size_t lhs_ptr_offset, const void* rhs_packed, void* dst, size_t dst_stride_row, \
        const struct kai_matmul_lowp_params* params)

// ---- Packers

/// kai_run_lhs_pack_bl_fn, kai_run_lhs_pack_bl_f32_fn
#define KAI_RUN_LHS_PACK_BL(NAME, T)                                                     \
    void kai_run_##NAME(                                                                 \
        size_t m, size_t k, size_t bl, size_t mr, [[maybe_unused]] size_t kr, size_t sr, \
        [[maybe_unused]] size_t m_idx_start, const T* lhs, size_t lhs_stride, void* lhs_packed)

/// kai_run_lhs_pack_rows_fn
#define KAI_RUN_LHS_PACK_ROWS(NAME)                                                                       \
    void kai_run_##NAME(                                                                                  \
        size_t m, size_t k, [[maybe_unused]] size_t bl, size_t mr, [[maybe_unused]] size_t kr, size_t sr, \
        const size_t* rows, const void* lhs, size_t lhs_stride, void* lhs_packed)

/// kai_run_rhs_pack_fn; PARAMS: what `params` points to, void or as kai_run_rhs_pack_qs8cx_i32_fn has it.
#define KAI_RUN_RHS_PACK(NAME, PARAMS)                                                                              \
    void kai_run_##NAME(                                                                                            \
        size_t num_groups, size_t n, size_t k, size_t nr, size_t kr, [[maybe_unused]] size_t sr, size_t rhs_stride, \
        const void* rhs, const void* bias, const void* scale, void* rhs_packed, size_t extra_bytes,                 \
        const PARAMS* params)

/// kai_run_rhs_pack_nxk_gguf_fn
#define KAI_RUN_RHS_PACK_NXK_GGUF(NAME)                                                                             \
    void kai_run_##NAME(                                                                                            \
        size_t num_groups, size_t n, size_t k, size_t nr, size_t kr, size_t sr, const void* rhs, size_t rhs_stride, \
        void* rhs_packed, size_t extra_bytes, const void* params)

/// kai_run_rhs_imatmul_pack_fn
#define KAI_RUN_RHS_IMATMUL_PACK(NAME)                                                                               \
    void kai_run_##NAME(                                                                                             \
        size_t n, size_t k_chunk_count, size_t k_chunk_length, size_t rhs_stride, const void* rhs, const void* bias, \
        void* rhs_packed)
