// FMMLA of kai/engines/asm/fp8.inc with the lowest, the highest and other registers, and what a disassembler says of
// it: LLVM from 20 on. Not run: sme2_gas.cmake compares.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a
#include "kai/engines/asm/fp8.inc"

    fmmla_f8 0, 0, 0                        // fmmla v0.4s, v0.16b, v0.16b
    fmmla_f8 31, 31, 31                     // fmmla v31.4s, v31.16b, v31.16b
    fmmla_f8 8 + 6 * 2, 3, 16               // fmmla v20.4s, v3.16b, v16.16b
