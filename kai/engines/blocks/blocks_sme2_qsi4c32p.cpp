// f32 <- qsi8d32p x qsi4c32p with SME2: the formula is in the interface header, the work in blocks_sme2_mopa_qsi4c32p.S
// and blocks_sme2_dot_qsi4c32p.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/blocks/blocks_sme.hpp"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qsi4c32p/kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_interface.h"

extern "C" {

#define KAI_ISA_sme2(...) KAI_DEFINE_MATMUL_BLOCKS_SME(kai::run_blocks, kai::kOffsetNibbles, float, float, __VA_ARGS__)
#include "kai/engines/core/other_isas.hpp"
#define KAI_UKERNEL(ISA, ...) KAI_ISA_##ISA(__VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qsi4c32p/ukernels.def"

}  // extern "C"
