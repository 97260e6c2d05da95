// One row that is not packed, with SME: the formulas are in the interface headers, the work in row_sme.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/row/row_sme.hpp"

extern "C" {

#define KAI_ISA_sme KAI_LINES(KAI_DEFINE_MATMUL_ROW_FLOAT)
#define KAI_UKERNEL_ROWS(ISA, ...) KAI_LINE(ISA, true, 4, 4, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_f32_f32p/ukernels.def"
#undef KAI_UKERNEL_ROWS
#define KAI_UKERNEL_ROWS(ISA, ...) KAI_LINE(ISA, false, 2, 2, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f16_f16_f16p/ukernels.def"
#undef KAI_UKERNEL_ROWS
#define KAI_UKERNEL_ROWS(ISA, ...) KAI_LINE(ISA, false, 2, 4, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_f16_f16p/ukernels.def"

}  // extern "C"
