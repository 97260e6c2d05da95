// Every form of kai/engines/asm/lut.inc with the lowest, the highest and other registers, and what a disassembler says
// of it. Not run: sme2_gas.cmake compares.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a
#include "kai/engines/asm/lut.inc"

    luti4_bytes 0, 0, 0, 0                  // luti4 v0.16b, { v0.16b }, v0[0]
    luti4_bytes 31, 31, 31, 1               // luti4 v31.16b, { v31.16b }, v31[1]
    luti4_bytes 4 + 1, 13, 2, 1             // luti4 v5.16b, { v13.16b }, v2[1]

    luti2_bytes 0, 0, 0, 0                  // luti2 v0.16b, { v0.16b }, v0[0]
    luti2_bytes 31, 31, 31, 3               // luti2 v31.16b, { v31.16b }, v31[3]
    luti2_bytes 4 + 1, 13, 2, 1             // luti2 v5.16b, { v13.16b }, v2[1]
    luti2_bytes 3, 14, 2, 2                 // luti2 v3.16b, { v14.16b }, v2[2]
