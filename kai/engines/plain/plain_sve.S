// f32 K x N that is not packed, with SVE FMLA (plain_sve.inc).
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv8.2-a+sve
#define ELEMENT_BYTES 4
#include "kai/engines/asm/asm.h"
#include "kai/engines/plain/plain_sve.inc"

plain_panel kai_plain_kxn_f32_6x4_sve, 4, few=2, many=4
plain_panel kai_plain_kxn_f32_6x3_sve, 3
plain_panel kai_plain_kxn_f32_6x2_sve, 2
plain_panel kai_plain_kxn_f32_6x1_sve, 1
plain_panel_of_8 kai_plain_kxn_f32_2x8_sve
plain_panel_of_16 kai_plain_kxn_f32_1x16_sve
