// The tile of bf16_neon_bf16_panels.cpp: sums += 8 rows x 12 columns, with BFMMLA. Sums stay as the registers hold them
// until all k are done.
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv8.2-a+bf16
#include "kai/engines/bf16/bf16_neon_bf16_groups.inc"

// `ldp` or `stp` of all S.
.macro sums insn
    \insn   qS0_0, qS1_0, [x0]
    \insn   qS2_0, qS3_0, [x0, #32]
    \insn   qS0_1, qS1_1, [x0, #64]
    \insn   qS2_1, qS3_1, [x0, #96]
    \insn   qS0_2, qS1_2, [x0, #128]
    \insn   qS2_2, qS3_2, [x0, #160]
    \insn   qS0_3, qS1_3, [x0, #192]
    \insn   qS2_3, qS3_3, [x0, #224]
    \insn   qS0_4, qS1_4, [x0, #256]
    \insn   qS2_4, qS3_4, [x0, #288]
    \insn   qS0_5, qS1_5, [x0, #320]
    \insn   qS2_5, qS3_5, [x0, #352]
.endm

// void kai_add_tile_bf16_8x12_neon_bf16(float sums[6][4][4], const void* lhs, size_t groups, const void* rhs)
// sums[c][p]: rows 2 p and 2 p + 1 x columns 2 c and 2 c + 1.
func kai_add_tile_bf16_8x12_neon_bf16, hidden
    frame   d8-d15
    mov     lhs, x1
    mov     rhs, x3
    sums    ldp
    all_groups
    sums    stp
    return
endfunc
