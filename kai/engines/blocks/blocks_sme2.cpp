// int4, int8 or an RHS of indices in blocks with SME2: the micro-kernels. The work is in blocks_sme2_mopa_*.S,
// blocks_sme2_dot_*.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/blocks/blocks_sme.hpp"

#define KAI_ISA_sme2 KAI_LINES(KAI_DEFINE_MATMUL_BLOCKS_SME)
#include "kai/engines/blocks/blocks_families.inc"
#undef KAI_ISA_sme2

// What a nibble means comes with the arguments: with an f16 scale per block, the kernels are those of qsi4c32p.
extern "C" {
kai::SmeBlocksFn kai_kernel_matmul_clamp_f32_qsi8d32p1vlx4_qlu4c32p4vlx4scalebf16_1vlx4vl_sme2_mopa,
    kai_kernel_matmul_clamp_f32_qsi8d32p1x4_qlu4c32p4vlx4scalebf16_1x4vl_sme2_sdot,
    kai_kernel_matmul_clamp_f32_qsi8d32p1vlx4_qlu4c16p4vlx4_1vlx4vl_sme2_mopa,
    kai_kernel_matmul_clamp_f32_qsi8d32p1x4_qlu4c16p4vlx4_1x4vl_sme2_sdot;
}

namespace kai {
namespace {
template <const Format& RHS>
constexpr SmeBlocksFn* table_kernel(bool row) {
    if (&RHS == &qlu4c32ps1s0scalebf16) {
        return row ? kai_kernel_matmul_clamp_f32_qsi8d32p1x4_qlu4c32p4vlx4scalebf16_1x4vl_sme2_sdot
                   : kai_kernel_matmul_clamp_f32_qsi8d32p1vlx4_qlu4c32p4vlx4scalebf16_1vlx4vl_sme2_mopa;
    }
    if (&RHS == &qlu4c16ps1s0scalef16) {
        return row ? kai_kernel_matmul_clamp_f32_qsi8d32p1x4_qlu4c16p4vlx4_1x4vl_sme2_sdot
                   : kai_kernel_matmul_clamp_f32_qsi8d32p1vlx4_qlu4c16p4vlx4_1vlx4vl_sme2_mopa;
    }
    return row ? kai_kernel_matmul_clamp_f32_qsi8d32p1x4_qsi4c32p4vlx4_1x4vl_sme2_sdot
               : kai_kernel_matmul_clamp_f32_qsi8d32p1vlx4_qsi4c32p4vlx4_1vlx4vl_sme2_mopa;
}
}  // namespace
}  // namespace kai

#define KAI_DEFINE_MATMUL_TABLES_SME2(NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP) \
    KAI_DEFINE_MATMUL_TABLES_SME(                                                     \
        NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP, (kai::table_kernel<kai::RHS>((MR) == 1)))
#define KAI_ISA_sme2 KAI_LINES(KAI_DEFINE_MATMUL_TABLES_SME2)
#define KAI_UKERNEL KAI_LINE
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qlu4c32p/ukernels.def"
