// f16 K x N that is not packed, with SVE FMLA (plain_sve.inc): every step is rounded to f16.
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv8.2-a+sve
#define ELEMENT_BYTES 2
#include "kai/engines/asm/asm.h"
#include "kai/engines/plain/plain_sve.inc"

plain_panel kai_panel_f16_f16_f16kxn_6x8vl_sve_mla, 4, few=2, many=4
plain_panel kai_panel_f16_f16_f16kxn_6x6vl_sve_mla, 3
plain_panel kai_panel_f16_f16_f16kxn_6x4vl_sve_mla, 2
plain_panel kai_panel_f16_f16_f16kxn_6x2vl_sve_mla, 1
plain_panel_of_8 kai_panel_f16_f16_f16kxn_2x16vl_sve_mla
plain_panel_of_16 kai_panel_f16_f16_f16kxn_1x32vl_sve_mla
