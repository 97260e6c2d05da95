// int4 or int8 RHS in blocks with SME: the micro-kernels. The work is in
// blocks_sme_mopa_symmetric.S, blocks_sme_dot_symmetric.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/blocks/blocks_sme.hpp"

#define KAI_ISA_sme KAI_LINES(KAI_DEFINE_MATMUL_BLOCKS_SME)
#include "kai/engines/blocks/blocks_families.inc"
