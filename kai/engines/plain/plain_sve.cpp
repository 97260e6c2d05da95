// f32 <- f32 x f32, neither packed, K x N, with SVE: the work is in plain_sve.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/plain/plain_sve.hpp"

extern "C" {

KAI_PLAIN_SVE_PANELS(
    kai_panel_f32_f32_f32kxn_1x16vl_sve_mla, kai_panel_f32_f32_f32kxn_2x8vl_sve_mla,
    kai_panel_f32_f32_f32kxn_6x4vl_sve_mla, kai_panel_f32_f32_f32kxn_6x3vl_sve_mla,
    kai_panel_f32_f32_f32kxn_6x2vl_sve_mla, kai_panel_f32_f32_f32kxn_6x1vl_sve_mla)

#define KAI_DEFINE_MATMUL_PLAIN_F32(...) KAI_DEFINE_MATMUL_PLAIN_SVE(kai::bits_of, __VA_ARGS__)
#define KAI_ISA_sve KAI_LINES(KAI_DEFINE_MATMUL_PLAIN_F32)
#define KAI_UKERNEL_PLAIN KAI_LINE
#include "kai/ukernels/matmul/matmul_clamp_f32_f32_f32kxn/ukernels.def"

}  // extern "C"
