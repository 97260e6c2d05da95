// qai8dxp with SME2: the micro-kernels. The work is in qai8dxp_sme2_mopa.S, blocks_sme2_mopa_qai8dxp.S; one row at a
// time: qai8dxp_sme2_row.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/qai8dxp/qai8dxp_sme.hpp"

#define KAI_ISA_sme2 KAI_LINES(KAI_DEFINE_MATMUL_QAI8DXP_SME)
#include "kai/engines/qai8dxp/qai8dxp_families.inc"
