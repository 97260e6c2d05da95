// The trampoline of checked_call, and the two support routines of the AAPCS64 for the lazy save of ZA, which compilers
// supply in newer runtimes.
//
// SPDX-License-Identifier: Apache-2.0
#if defined(__aarch64__)
    .arch   armv8-a+sve+sme
#include "kai/engines/asm/asm.h"

// Offsets in test::Call (checked_call.cpp compares them).
#define CALL_X           8
#define CALL_V          72
#define CALL_STACK     200
#define CALL_HAS_SME   216
#define CALL_TPIDR2    224
#define CALL_ZA_BEFORE 232
#define CALL_ZA_AFTER  240
#define CALL_RESULT    248
#define CALL_X18       256
#define CALL_D8        352
#define CALL_SP        416
#define CALL_FPCR      424  // before, after
#define CALL_SVCR      440  // SVCR, TPIDR2_EL0
#define CALL_CANARY    456
#define CALL_FPCR_MODE 464

#define SVCR       S3_3_C4_C2_2
#define TPIDR2_EL0 S3_3_C13_C0_5

// Address of `own` (the one place that the callee cannot have changed) in \x.
.macro address_of_own x
#if defined(__APPLE__)
    adrp    \x, own@PAGE
    add     \x, \x, own@PAGEOFF
#else
    adrp    \x, own
    add     \x, \x, :lo12:own
#endif
.endm

// Copies ZA row by row; \op is ldr or str, x16 the memory. Clobbers x14-x16.
.macro copy_za op
    mov     w15, #0
    rdsvl   x14, #1
0:
    \op     za[w15, 0], [x16]
    add     x16, x16, x14
    add     w15, w15, #1
    cmp     w15, w14
    b.lo    0b
.endm

// A function that gives way to another of the same name.
.macro weak_func name
    .p2align 4
    .weak   KAI_SYM(\name)
KAI_SYM(\name):
    hint    #34                                 // bti c
.endm

// void kai_test_call(struct Call* call)
func kai_test_call
    stp     x29, x30, [sp, #-192]!
    .cfi_adjust_cfa_offset 192
    stp     x18, x19, [sp, #16]
    stp     x20, x21, [sp, #32]
    stp     x22, x23, [sp, #48]
    stp     x24, x25, [sp, #64]
    stp     x26, x27, [sp, #80]
    str     x28, [sp, #96]
    stp     d8, d9, [sp, #112]
    stp     d10, d11, [sp, #128]
    stp     d12, d13, [sp, #144]
    stp     d14, d15, [sp, #160]
    mrs     x9, fpcr
    ldr     x10, [x0, #CALL_FPCR_MODE]
    str     x9, [sp, #104]
    orr     x9, x9, x10
    msr     fpcr, x9
    mrs     x9, fpcr                            // a CPU may lack a mode
    str     x9, [x0, #CALL_FPCR]

    // The caller's ZA, dormant.
    ldr     x10, [x0, #CALL_TPIDR2]
    cbz     x10, 1f
    smstart za
    ldr     x16, [x0, #CALL_ZA_BEFORE]
    copy_za ldr
    msr     TPIDR2_EL0, x10
1:
    // Arguments on the stack.
    ldp     x9, x10, [x0, #CALL_STACK]
    mov     x12, sp
    sub     x11, x12, x10, lsl #3
    mov     sp, x11
2:
    cbz     x10, 3f
    ldr     x13, [x9], #8
    str     x13, [x11], #8
    sub     x10, x10, #1
    b       2b
3:
    address_of_own x9
    mov     x13, sp
    stp     x0, x12, [x9]
    str     x13, [x9, #16]

    // Canaries.
    ldr     x10, [x0, #CALL_CANARY]
    .irp    n, 8, 9, 10, 11, 12, 13, 14, 15
    add     x9, x10, #(100 + \n)
    fmov    d\n, x9
    .endr
#if !defined(__APPLE__)
    add     x18, x10, #18
#endif
    .irp    n, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29
    add     x\n, x10, #\n
    .endr

    // Arguments in registers, garbage in the others.
    ldr     x16, [x0]
    add     x9, x0, #CALL_V
    ldp     q0, q1, [x9]
    ldp     q2, q3, [x9, #32]
    ldp     q4, q5, [x9, #64]
    ldp     q6, q7, [x9, #96]
    .irp    n, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    movi    v\n\().16b, #0xFF                   // NaNs
    .endr
    ldp     x2, x3, [x0, #CALL_X + 16]
    ldp     x4, x5, [x0, #CALL_X + 32]
    ldp     x6, x7, [x0, #CALL_X + 48]
    .irp    n, 8, 9, 10, 11, 12, 13, 14, 15, 17
    movn    x\n, #\n
    .endr
    ldp     x0, x1, [x0, #CALL_X]
    blr     x16

    // x10 = call, x12 = sp of this frame
    address_of_own x9
    ldp     x10, x12, [x9]
    ldr     x13, [x9, #16]
    mov     x11, sp
    sub     x11, x11, x13
    str     x11, [x10, #CALL_SP]
    mov     sp, x12
    str     x0, [x10, #CALL_RESULT]
    stp     x18, x19, [x10, #CALL_X18]
    stp     x20, x21, [x10, #CALL_X18 + 16]
    stp     x22, x23, [x10, #CALL_X18 + 32]
    stp     x24, x25, [x10, #CALL_X18 + 48]
    stp     x26, x27, [x10, #CALL_X18 + 64]
    stp     x28, x29, [x10, #CALL_X18 + 80]
    stp     d8, d9, [x10, #CALL_D8]
    stp     d10, d11, [x10, #CALL_D8 + 16]
    stp     d12, d13, [x10, #CALL_D8 + 32]
    stp     d14, d15, [x10, #CALL_D8 + 48]
    ldr     x11, [sp, #104]
    mrs     x9, fpcr
    str     x9, [x10, #CALL_FPCR + 8]
    msr     fpcr, x11

    ldr     x11, [x10, #CALL_HAS_SME]
    cbz     x11, 6f
    mrs     x9, SVCR
    mrs     x11, TPIDR2_EL0
    stp     x9, x11, [x10, #CALL_SVCR]
    ldr     x12, [x10, #CALL_TPIDR2]
    cbz     x12, 5f
    // The caller wants its ZA back: from the save buffer if TPIDR2_EL0 is 0, else ZA was not touched.
    smstop  sm
    cbnz    x11, 4f
    smstart za
    mov     x19, x10
    mov     x0, x12
    bl      KAI_SYM(__arm_tpidr2_restore)
    mov     x10, x19
    mov     x9, #2
4:
    tbz     x9, #1, 5f
    ldr     x16, [x10, #CALL_ZA_AFTER]
    copy_za str
5:
    msr     TPIDR2_EL0, xzr
    smstop
6:
    ldp     x18, x19, [sp, #16]
    ldp     x20, x21, [sp, #32]
    ldp     x22, x23, [sp, #48]
    ldp     x24, x25, [sp, #64]
    ldp     x26, x27, [sp, #80]
    ldr     x28, [sp, #96]
    ldp     d8, d9, [sp, #112]
    ldp     d10, d11, [sp, #128]
    ldp     d12, d13, [sp, #144]
    ldp     d14, d15, [sp, #160]
    ldp     x29, x30, [sp], #192
    .cfi_adjust_cfa_offset -192
    ret
endfunc

// void __arm_tpidr2_save(void): ZA into the buffer of the block that TPIDR2_EL0 points to.
weak_func __arm_tpidr2_save
    mrs     x16, TPIDR2_EL0
    cbz     x16, 1f
    ldr     x16, [x16]
    cbz     x16, 1f
    copy_za str
1:
    ret

// void __arm_tpidr2_restore(void* block)
weak_func __arm_tpidr2_restore
    ldr     x16, [x0]
    cbz     x16, 1f
    copy_za ldr
1:
    ret

    .bss
    .p2align 4
own:
    .skip   32      // call, sp of the frame, sp at the call
#endif
