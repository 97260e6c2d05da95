// int4, int8 or an RHS of indices in blocks with SME2: the micro-kernels. The work is in blocks_sme2_mopa_*.S,
// blocks_sme2_dot_*.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/blocks/blocks_sme.hpp"

#define KAI_ISA_sme2 KAI_LINES(KAI_DEFINE_MATMUL_BLOCKS_SME)
#include "kai/engines/blocks/blocks_families.inc"
#undef KAI_ISA_sme2

/// The same for an RHS of indices whose table is in front of the blocks of each panel. The blocks of the assembly are
/// the runs of a column that have one scale.
#define KAI_DEFINE_MATMUL_TABLES_SME(NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP)                               \
    KAI_DEFINE_MATMUL_GETTERS_BL(NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP, sizeof(float))                    \
    extern "C" kai::SmeBlocksFn kai_kernel_##NAME;                                                                 \
    void kai_run_##NAME(                                                                                           \
        size_t m, size_t n, size_t k, size_t bl, const void* lhs_packed, const void* rhs_packed, float* dst,       \
        size_t dst_stride_row, size_t dst_stride_col, float scalar_min, float scalar_max) {                        \
        kai::check_blocks(kai::RHS, k, bl);                                                                        \
        kai::check_output(dst_stride_col, sizeof(float), scalar_min, scalar_max);                                  \
        KAI_REQUIRE_ONE_ROW(M_STEP, m);                                                                            \
        const size_t head = (NR)*kai::RHS.panel_head, runs = k / 32 * (kai::RHS.block_head / 2);                   \
        const size_t lhs_stride = kai::LHS.stride({MR, KR, SR}, k, 32);                                            \
        const size_t rhs_stride = kai::RHS.stride({NR, KR, SR}, k, 32);                                            \
        kai::run_blocks(                                                                                           \
            kai_kernel_##NAME,                                                                                     \
            {m, n, runs, 1, lhs_packed, lhs_stride, kai::bytes(rhs_packed, head), rhs_stride, dst, dst_stride_row, \
             kai::words_of(rhs_packed, m > 0 && n > 0).values, scalar_min, scalar_max, head});                     \
    }

// What a nibble means comes with the arguments: with an f16 scale per block, the kernels are those of qsi4c32p.
#define kai_kernel_matmul_clamp_f32_qsi8d32p1vlx4_qlu4c32p4vlx4_1vlx4vl_sme2_mopa \
    kai_kernel_matmul_clamp_f32_qsi8d32p1vlx4_qsi4c32p4vlx4_1vlx4vl_sme2_mopa
#define kai_kernel_matmul_clamp_f32_qsi8d32p1x4_qlu4c32p4vlx4_1x4vl_sme2_sdot \
    kai_kernel_matmul_clamp_f32_qsi8d32p1x4_qsi4c32p4vlx4_1x4vl_sme2_sdot

#define KAI_ISA_sme2 KAI_LINES(KAI_DEFINE_MATMUL_TABLES_SME)
#define KAI_UKERNEL KAI_LINE
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qlu4c32p/ukernels.def"
