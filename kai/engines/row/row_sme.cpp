// One row that is not packed, with SME: the formulas are in the interface headers, the work in row_sme.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/row/row_sme.hpp"
#include "kai/ukernels/matmul/matmul_clamp_f16_f16_f16p/kai_matmul_clamp_f16_f16_f16p_interface.h"
#include "kai/ukernels/matmul/matmul_clamp_f32_f32_f32p/kai_matmul_clamp_f32_f32_f32p_interface.h"

extern "C" {

#define KAI_UKERNEL_ROWS(ISA, ...) KAI_ISA_##ISA(__VA_ARGS__)

#define KAI_ISA_sme(...) KAI_DEFINE_MATMUL_ROW_FLOAT(true, 4, lhs_offset, __VA_ARGS__)
#include "kai/engines/core/other_isas.hpp"
#include "kai/ukernels/matmul/matmul_clamp_f32_f32_f32p/ukernels.def"
#undef KAI_ISA_sme

#define KAI_ISA_sme(...) KAI_DEFINE_MATMUL_ROW_FLOAT(false, 2, lhs_offset, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f16_f16_f16p/ukernels.def"

}  // extern "C"
