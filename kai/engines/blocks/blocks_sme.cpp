// int4 or int8 RHS in blocks with SME: the micro-kernels. The work is in
// blocks_sme_mopa_symmetric.S, blocks_sme_dot_symmetric.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/blocks/blocks_sme.hpp"
#include "kai/engines/core/catalogue.hpp"

#define KAI_ISA_sme KAI_LINES(KAI_DEFINE_MATMUL_BLOCKS_SME)
#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, float, float, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qsi4c32p/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qsi8c32p/ukernels.def"
