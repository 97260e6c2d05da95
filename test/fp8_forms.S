// Every form of kai/engines/asm/fp8.inc with the lowest, the highest and other registers, and what a disassembler says
// of it. Not run: sme2_gas.cmake compares.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a
#include "kai/engines/asm/fp8.inc"

    fdot_lane 0, 0, 0, 0                    // fdot v0.4s, v0.16b, v0.4b[0]
    fdot_lane 31, 31, 31, 3                 // fdot v31.4s, v31.16b, v31.4b[3]
    fdot_lane 8 + 3 * 5, 4, 1, 1            // fdot v23.4s, v4.16b, v1.4b[1]
    fdot_lane 10, 2, 17, 2                  // fdot v10.4s, v2.16b, v17.4b[2]

    fmopa_f8 0, 0, 0                        // fmopa za0.s, p0/m, p0/m, z0.b, z0.b
    fmopa_f8 3, 31, 31                      // fmopa za3.s, p0/m, p0/m, z31.b, z31.b
    fmopa_f8 1, 2, 16                       // fmopa za1.s, p0/m, p0/m, z2.b, z16.b
