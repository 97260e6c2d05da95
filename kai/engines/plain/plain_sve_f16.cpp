// f16 <- f16 x f16, neither packed, K x N, with SVE: the work is in plain_sve_f16.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/plain/plain_sve.hpp"

extern "C" {

KAI_PLAIN_SVE_PANELS(
    kai_panel_f16_f16_f16kxn_1x32vl_sve_mla, kai_panel_f16_f16_f16kxn_2x16vl_sve_mla,
    kai_panel_f16_f16_f16kxn_6x8vl_sve_mla, kai_panel_f16_f16_f16kxn_6x6vl_sve_mla,
    kai_panel_f16_f16_f16kxn_6x4vl_sve_mla, kai_panel_f16_f16_f16kxn_6x2vl_sve_mla)

#define KAI_DEFINE_MATMUL_PLAIN_F16(...) KAI_DEFINE_MATMUL_PLAIN_SVE(kai_cast_f16_f32, __VA_ARGS__)
#define KAI_ISA_sve KAI_LINES(KAI_DEFINE_MATMUL_PLAIN_F16)
#define KAI_UKERNEL_PLAIN KAI_LINE
#include "kai/ukernels/matmul/matmul_clamp_f16_f16_f16kxn/ukernels.def"

}  // extern "C"
