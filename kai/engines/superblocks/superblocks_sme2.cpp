// f32 <- int8 in blocks of 256 x weights in super-blocks with SME2: the micro-kernels. The work is in
// superblocks_sme2_mopa_<format>.S, superblocks_sme2_dot_<format>.S; few rows of some formats with quarter-tile outer
// products, where the CPU has them: superblocks_sme_mop4_<format>.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/blocks/blocks_sme.hpp"
#include "kai/engines/core/catalogue.hpp"

namespace kai {
namespace {

/// Sub-blocks of a super-block. Its head is d and an int8 scale of each; without a table, of four or five bits, it is d
/// and dmin, a minimum and a scale of each; of two bits, both share a byte.
constexpr size_t sub_blocks_of(const Format& format) {
    return format.table || format.bits % 3 == 0 ? format.block_head - 2
           : format.bits == 2                   ? format.block_head - 4
                                                : (format.block_head - 4) / 2;
}

}  // namespace
}  // namespace kai

#define KAI_DEFINE_MATMUL_SUPERBLOCKS_SME(NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP)                             \
    KAI_DEFINE_MATMUL_GETTERS_MULTIPLE(kai::RHS.block, NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP, sizeof(float)) \
    extern "C" kai::SmeBlocksFn kai_kernel_##NAME;                                                                    \
    KAI_RUN_MATMUL(NAME, float) {                                                                                     \
        kai::check_depth(k, kai::RHS.block);                                                                          \
        kai::check_output(dst_stride_col, sizeof(float), clamp_min, clamp_max);                                       \
        KAI_REQUIRE_ONE_ROW(M_STEP, m);                                                                               \
        constexpr size_t sub_block = kai::RHS.block / kai::sub_blocks_of(kai::RHS);                                   \
        const size_t head = (NR)*kai::RHS.panel_head, lhs_stride = kai::LHS.stride({MR, KR, SR}, k);                  \
        const size_t rhs_stride = kai::RHS.stride({NR, KR, SR}, k);                                                   \
        const kai::Table table = kai::words_of(rhs, kai::RHS.table && m > 0 && n > 0);                                \
        kai::run_blocks(                                                                                              \
            kai_kernel_##NAME, {m, n, k / sub_block, 1, lhs, lhs_stride, kai::bytes(rhs, head), rhs_stride, dst,      \
                                dst_stride_row, table.values, clamp_min, clamp_max, head});                           \
    }

KAI_MANY_AND_FEW(matmul_clamp_f32_qsi8d256p1vlx4_qau4c32x256p4vlx4_1vlx4vl_sme2_mopa, qau4c32x256p4vlx4)
KAI_MANY_AND_FEW(matmul_clamp_f32_qsi8d256p1vlx4_qlu4c32x256p4vlx4_1vlx4vl_sme2_mopa, qlu4c32x256p4vlx4)

extern "C" {

#define KAI_ISA_sme2 KAI_LINES(KAI_DEFINE_MATMUL_SUPERBLOCKS_SME)
#define KAI_UKERNEL KAI_LINE
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d16x256p_qau2c16x256p/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d256p_qau4c32x256p/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d256p_qau5c32x256p/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d256p_qlu4c32x256p/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d256p_qsi3c16x256p/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d256p_qsi6c16x256p/ukernels.def"

}  // extern "C"
