// f32 K x N that is not packed, with SVE FMLA (plain_sve.inc).
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv8.2-a+sve
#define ELEMENT_BYTES 4
#include "kai/engines/asm/asm.h"
#include "kai/engines/plain/plain_sve.inc"

plain_panel kai_panel_f32_f32_f32kxn_6x4vl_sve_mla, 4, few=2, many=4
plain_panel kai_panel_f32_f32_f32kxn_6x3vl_sve_mla, 3
plain_panel kai_panel_f32_f32_f32kxn_6x2vl_sve_mla, 2
plain_panel kai_panel_f32_f32_f32kxn_6x1vl_sve_mla, 1
plain_panel_of_8 kai_panel_f32_f32_f32kxn_2x8vl_sve_mla
plain_panel_of_16 kai_panel_f32_f32_f32kxn_1x16vl_sve_mla
