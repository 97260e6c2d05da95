// Assembly dialect of this library: GNU syntax for ELF, Mach-O and COFF.
//
// A file starts with its `.arch`, then includes this. `func name` ... `endfunc` is a function of the public or internal
// interface; internal ones (`func name, hidden`) are not visible outside the library. Each is a section of its own, so
// that linkers drop what a program does not use: a function ends with a return, and reaches others by `bl` and `b` alone.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

// KAI_SYM: a function as the linker knows it. KAI_LOCAL: a label that no symbol table has.
#if defined(__APPLE__)
#define KAI_SYM(name) _##name
#define KAI_LOCAL(name) L##name
#else
#define KAI_SYM(name) name
#define KAI_LOCAL(name) .L##name
#endif

// `alias count, x3`: .req for SME2 sources and what they include, so that the macros of sme2_gas.inc know the name as well.
.macro alias name, register
    \name  .req \register
#if defined(KAI_SME2_GAS)
    kai_alias_ \name, \register
#endif
.endm

.macro func name, visibility=public
    .macro endfunc
        .cfi_endproc
#if defined(__ELF__)
        .size KAI_SYM(\name), . - KAI_SYM(\name)
#endif
        .purgem endfunc
    .endm
#if defined(__ELF__)
    .section .text.\name, "ax", %progbits
#else
    .text
#endif
    .p2align 4
    .globl KAI_SYM(\name)
#if defined(__ELF__)
    .type KAI_SYM(\name), %function
    .ifc \visibility, hidden
        .hidden KAI_SYM(\name)
    .endif
#elif defined(__APPLE__)
    .ifc \visibility, hidden
        .private_extern KAI_SYM(\name)
    .endif
#endif
KAI_SYM(\name):
    .cfi_startproc
    hint    #34                                 // bti c
.endm

// Into streaming mode with ZA enabled. Saves d8-d15, which streaming mode changes clobber. The caller has run
// kai_commit_za. Clobbers nothing else but sp. `sme_enter sm` leaves ZA alone: whatever the caller has there stays.
.macro sme_enter what
    stp     d8, d9, [sp, #-64]!
    .cfi_adjust_cfa_offset 64
    stp     d10, d11, [sp, #16]
    stp     d12, d13, [sp, #32]
    stp     d14, d15, [sp, #48]
    smstart \what
.endm

// Back: streaming mode and ZA off (`sm`: streaming mode only), d8-d15 as they were.
.macro sme_leave what
    smstop  \what
    ldp     d10, d11, [sp, #16]
    ldp     d12, d13, [sp, #32]
    ldp     d14, d15, [sp, #48]
    ldp     d8, d9, [sp], #64
    .cfi_adjust_cfa_offset -64
.endm

#if defined(__ELF__)
// No executable stack; all indirect entries have landing pads (BTI).
    .section .note.GNU-stack, "", %progbits
    .pushsection .note.gnu.property, "a", %note
    .p2align 3
    .long   4, 16, 5
    .asciz  "GNU"
    .long   0xc0000000, 4, 1, 0
    .popsection
    .text
#elif defined(__APPLE__)
    .subsections_via_symbols
#endif
