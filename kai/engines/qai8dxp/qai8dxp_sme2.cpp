// qai8dxp with SME2: the micro-kernels. The work is in qai8dxp_sme2_mopa.S, blocks_sme2_mopa_qai8dxp.S; few rows with
// quarter-tile outer products, where the CPU has them: qai8dxp_sme_mop4.S, blocks_sme_mop4_qai8dxp.S; one row at a
// time: qai8dxp_sme2_row.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/core/few_rows.hpp"
#include "kai/engines/qai8dxp/qai8dxp_sme.hpp"

namespace kai {
namespace {

/// most: of the rows that are few.
[[gnu::noinline]] void run_many_and_few(
    const Problem& all, const Table* table, const size_t (&steps)[3], size_t most, Qai8dxpSmeFn* run_many,
    Qai8dxpSmeFn* run_few) {
    const auto many = [&](const Problem& p) { run_many(&p, table, steps[0], steps[1], steps[2]); };
    const auto few = [&](const Problem& p) { run_few(&p, table, steps[0], steps[1], steps[2]); };
    run_many_and_few(all, element_bytes(all.out), most, many, few);
}

}  // namespace
}  // namespace kai

/// What run_qai8dxp_sme calls for the micro-kernel NAME. MOST: of the rows that are few.
#define KAI_MANY_AND_FEW(NAME, RHS, MOST)                                                                             \
    extern "C" kai::Qai8dxpSmeFn kai_kernel_qai8dxp_many_##RHS##_sme2, kai_kernel_qai8dxp_few_##RHS##_sme_mop4;       \
    extern "C" [[gnu::visibility("hidden")]] kai::Qai8dxpSmeFn kai_kernel_##NAME;                                     \
    void kai_kernel_##NAME(const kai::Problem* p, const kai::Table* table, size_t steps, size_t part, size_t parts) { \
        kai::run_many_and_few(                                                                                        \
            *p, table, {steps, part, parts}, MOST, kai_kernel_qai8dxp_many_##RHS##_sme2,                              \
            kai_kernel_qai8dxp_few_##RHS##_sme_mop4);                                                                 \
    }

KAI_MANY_AND_FEW(matmul_clamp_f32_qai8dxp1vlx8_qsi4cxp4vlx8_1vlx4vl_sme2_mopa, int4, SIZE_MAX)
KAI_MANY_AND_FEW(matmul_clamp_f16_qai8dxp1vlx8_qsi4cxp4vlx8_1vlx4vl_sme2_mopa, int4, SIZE_MAX)
KAI_MANY_AND_FEW(matmul_clamp_f32_qai8dxp1vlx4_qsi8cxp4vlx4_1vlx4vl_sme2_mopa, int8, SIZE_MAX)
KAI_MANY_AND_FEW(matmul_clamp_f16_qai8dxp1vlx4_qsi8cxp4vlx4_1vlx4vl_sme2_mopa, int8, SIZE_MAX)
KAI_MANY_AND_FEW(matmul_clamp_f32_qai8dxp1vlx4_qsu2cxp4vlx4_1vlx4vl_sme2_mopa, int2, SIZE_MAX)
KAI_MANY_AND_FEW(matmul_clamp_f32_qai8dxp1vlx4_qsi4c32p4vlx4_1vlx4vl_sme2_mopa, blocks, 8)

#define KAI_ISA_sme2 KAI_LINES(KAI_DEFINE_MATMUL_QAI8DXP_SME)
#include "kai/engines/qai8dxp/qai8dxp_families.inc"
