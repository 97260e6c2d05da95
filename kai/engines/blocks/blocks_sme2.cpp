// int4 or int8 RHS in blocks with SME2: the micro-kernels. The work is in blocks_sme2_mopa_<format>.S,
// blocks_sme2_dot_<format>.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/blocks/blocks_sme.hpp"

#define KAI_ISA_sme2 KAI_LINES(KAI_DEFINE_MATMUL_BLOCKS_SME)
#include "kai/engines/blocks/blocks_sme_families.inc"
