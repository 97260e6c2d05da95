// f16 K x N that is not packed, with SVE FMLA (plain_sve.inc): every step is rounded to f16.
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv8.2-a+sve
#define ELEMENT_BYTES 2
#include "kai/engines/asm/asm.h"
#include "kai/engines/plain/plain_sve.inc"

plain_panel kai_plain_kxn_f16_6x4_sve, 4, few=2, many=4
plain_panel kai_plain_kxn_f16_6x3_sve, 3
plain_panel kai_plain_kxn_f16_6x2_sve, 2
plain_panel kai_plain_kxn_f16_6x1_sve, 1
plain_panel_of_8 kai_plain_kxn_f16_2x8_sve
plain_panel_of_16 kai_plain_kxn_f16_1x16_sve
