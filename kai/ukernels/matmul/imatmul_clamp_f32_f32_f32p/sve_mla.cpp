// f32 <- rows of f32 behind pointers x f32p with SVE: the formula is in the interface header, the work in
// ../matmul_clamp_f32_f32_f32p/sve_mla.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/src/matmul_tiles_sve.hpp"
#include "kai/ukernels/matmul/imatmul_clamp_f32_f32_f32p/kai_imatmul_clamp_f32_f32_f32p_interface.h"

extern "C" {

kai::SveTileFn kai_tile_f32_f32_f32p4vlx1_6x4vl_sve_mla;

#define KAI_ISA_sve(NAME, LHS, RHS, NR, KR, SR, M_STEP, N_STEP)                                                       \
    static_assert(M_STEP == kai::kSveTileRows, "blocks of the table");                                                \
    KAI_DEFINE_IMATMUL_GETTERS_ROWS(NAME, RHS, NR, KR, SR, M_STEP, N_STEP, sizeof(float))                             \
    void kai_run_##NAME(                                                                                              \
        size_t m, size_t n, size_t k_chunk_count, size_t k_chunk_length, const void* indirection_buffer,              \
        const void* pad_ptr, size_t lhs_ptr_offset, const void* rhs_packed, void* dst, size_t dst_stride_row,         \
        float clamp_min, float clamp_max) {                                                                           \
        kai::check_output(sizeof(float), sizeof(float), clamp_min, clamp_max);                                        \
        const kai::SveChunks chunks{k_chunk_length, k_chunk_length > 0 ? k_chunk_count : 0, pad_ptr, lhs_ptr_offset}; \
        kai::run_sve_table_tiles<float>(                                                                              \
            kai_tile_f32_f32_f32p4vlx1_6x4vl_sve_mla, {dst, dst_stride_row, clamp_min, clamp_max}, m, n, chunks,      \
            [&](size_t m0) { return static_cast<const void* const*>(indirection_buffer) + m0 * k_chunk_count; },      \
            rhs_packed, kai::RHS.stride({NR, KR, SR}, kai::Chunks{k_chunk_count, k_chunk_length}));                   \
    }
#define KAI_IMATMUL_ROWS(ISA, ...) KAI_ISA_##ISA(__VA_ARGS__)
#include "kai/ukernels/matmul/imatmul_clamp_f32_f32_f32p/ukernels.def"

}  // extern "C"
