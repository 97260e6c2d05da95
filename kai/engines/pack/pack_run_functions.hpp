// Heads of kai_run_<name> for signatures that several packers share, one macro per signature, named like its type in
// kai/ukernels/pack. A body follows, `KAI_RUN_RHS_PACK_NXK_GGUF(NAME) { ... }`, and uses the parameter names below.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>

/// kai_run_lhs_pack_bl_fn, kai_run_lhs_pack_bl_f32_fn. T: an element of the source.
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
