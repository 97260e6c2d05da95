// Assembly dialect of this library: GNU syntax for ELF, Mach-O and COFF.
//
// A file starts with its `.arch`, then includes this. `func name` ... `endfunc` is a function of the public or internal
// interface; internal ones (`func name, hidden`) are not visible outside the library. Each is a section of its own, so
// that linkers drop what a program does not use: a function ends with a return and reaches others by `bl` and `b` only.
// kai_part_* are parts of several functions, which call them by `bl` within their own frames: what such a function
// saves, its parts may change. x16 and x17 do not survive the call: a linker veneer may change them.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

// KAI_SYM: the linker's name of a function. KAI_LOCAL: a label that is in no symbol table.
#if defined(__APPLE__)
#define KAI_SYM(name) KAI_SYM_OF(name)  // the argument may be a macro
#define KAI_SYM_OF(name) _##name
#define KAI_LOCAL(name) L##name
#else
#define KAI_SYM(name) name
#define KAI_LOCAL(name) .L##name
#endif

// `alias count, x3`: .req for SME2 sources and what they include, so that macros of sme2_gas.inc know the name.
.macro alias name, register
    \name  .req \register
#if defined(KAI_SME2_GAS)
    kai_alias_ \name, \register
#endif
.endm

// `reg sum_0, 4`: sum_0 is v4, qsum_0 q4, dsum_0 d4. Names can be built from macro parameters, as registers can:
// `S\p\()_aa.4s`. To redefine a name, `unreg sum_0` first. Several in a row: `regs first, sum_0, sum_1`.
// GNU as keeps its own meaning of b0, H1, p2, Z3 and the like, in either case, and only warns: write B_0.
.macro reg name, number
    \name   .req v\number
    q\name  .req q\number
    d\name  .req d\number
.endm
.macro unreg name, rest:vararg
    .unreq  \name
    .unreq  q\name
    .unreq  d\name
    .ifnb \rest
    unreg   \rest
    .endif
.endm
.macro regs first, names:vararg
    kai_name_in_turn_ reg, \first, \names
.endm

// The same for SVE: `zreg sum_0, 4`: sum_0 is z4; vsum_0, qsum_0 and dsum_0 are its first 128 and 64 bits.
.macro zreg name, number
    \name   .req z\number
    v\name  .req v\number
    q\name  .req q\number
    d\name  .req d\number
.endm
.macro zregs first, names:vararg
    kai_name_in_turn_ zreg, \first, \names
.endm

.macro kai_name_in_turn_ what, first, names:vararg
    .set    KAI_LOCAL(next_register), \first
    .irp name, \names
    with_number kai_name_, (KAI_LOCAL(next_register)), \what, \name
    .set    KAI_LOCAL(next_register), KAI_LOCAL(next_register) + 1
    .endr
.endm
.macro kai_name_ number, what, name
    \what   \name, \number
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
    .set    KAI_LOCAL(frame_saved), 0
    hint    #34                                 // bti c
.endm

// A hidden function that is an alias of another.
.macro same_func name, other
func \name, hidden
    b       KAI_SYM(\other)
endfunc
.endm

// `frame d8-d15, x19-x24, space=64` saves registers that belong to the caller; `return` restores them and returns. CFI
// is right after each of the instructions. Code after a `return` is within the frame again. A function that saves
// nothing may `return` as well; `ret` is for subroutines that a function calls by `bl`.
//
//     d8-dN, dN-d15, x19-xN    up to three ranges
//     x29                      frame record: saves x29 and x30, x29 points to it; CFI no longer depends on sp
//     space=N                  N bytes at sp, a multiple of 16
//
// SME: `frame d8-d15`, then smstart; smstop, then `return`: changes of streaming mode clobber vectors. The caller has
// run kai_commit_za; `smstart sm`, `smstop sm` leave ZA alone.
// From sp + N on, two registers per slot of 16 bytes. frame_saved has a bit for each of d8-d15, x19-x30 and:
#define KAI_FRAME_RECORD 0x100000

.macro frame range0, range1, range2, space=0
    kai_frame_add_ \range0
    kai_frame_add_ \range1
    kai_frame_add_ \range2
    .set KAI_LOCAL(frame_size), 0
    kai_each_saved_ kai_count_
    kai_each_saved_ kai_save_
    .if KAI_LOCAL(frame_saved) & KAI_FRAME_RECORD
    mov     x29, sp
    .cfi_def_cfa_register x29
    .endif
    .set KAI_LOCAL(frame_space), \space
    .if \space
    sub     sp, sp, #\space
    .if !(KAI_LOCAL(frame_saved) & KAI_FRAME_RECORD)
    .cfi_adjust_cfa_offset \space
    .endif
    .endif
.endm

.macro return
    .if KAI_LOCAL(frame_saved)
    .cfi_remember_state
    .if KAI_LOCAL(frame_space)
    add     sp, sp, #KAI_LOCAL(frame_space)
    .endif
    .cfi_def_cfa sp, KAI_LOCAL(frame_size)
    kai_each_saved_ kai_restore_
    kai_each_saved_ kai_restore_last_
    ret
    .cfi_restore_state
    .else
    ret
    .endif
.endm

.macro kai_frame_add_ range
    .ifnb \range
    .set KAI_LOCAL(frame_before), KAI_LOCAL(frame_saved)
    .ifc \range, x29
    .set KAI_LOCAL(frame_saved), KAI_LOCAL(frame_saved) | (3 << 18) | KAI_FRAME_RECORD
    .endif
    .irp n, 8, 9, 10, 11, 12, 13, 14, 15
    .ifc \range, d8-d\n
    .set KAI_LOCAL(frame_saved), KAI_LOCAL(frame_saved) | ((2 << (\n - 8)) - 1)
    .endif
    .ifc \range, d\n-d15
    .set KAI_LOCAL(frame_saved), KAI_LOCAL(frame_saved) | (0x100 - (1 << (\n - 8)))
    .endif
    .endr
    .irp n, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 30
    .ifc \range, x19-x\n
    .set KAI_LOCAL(frame_saved), KAI_LOCAL(frame_saved) | (((2 << (\n - 19)) - 1) << 8)
    .endif
    .endr
    .if KAI_LOCAL(frame_saved) == KAI_LOCAL(frame_before)
    .error "frame: what is \range?"
    .endif
    .endif
.endm

// \do p, a, b for two registers that are both saved, \do r, a for one (STP, STR). frame_at: their slot.
.macro kai_each_saved_ do
    .set KAI_LOCAL(frame_at), 0
    .if KAI_LOCAL(frame_saved) & KAI_FRAME_RECORD
    kai_saved_ \do, 18, x29, x30
    .endif
    kai_saved_ \do, 0, d8, d9
    kai_saved_ \do, 2, d10, d11
    kai_saved_ \do, 4, d12, d13
    kai_saved_ \do, 6, d14, d15
    kai_saved_ \do, 8, x19, x20
    kai_saved_ \do, 10, x21, x22
    kai_saved_ \do, 12, x23, x24
    kai_saved_ \do, 14, x25, x26
    kai_saved_ \do, 16, x27, x28
    .if !(KAI_LOCAL(frame_saved) & KAI_FRAME_RECORD)
    kai_saved_ \do, 18, x29, x30
    .endif
.endm

.macro kai_saved_ do, bit, first, second
    .if (KAI_LOCAL(frame_saved) >> \bit) & 3
    .if ((KAI_LOCAL(frame_saved) >> \bit) & 3) == 3
    \do     p, \first, \second
    .elseif ((KAI_LOCAL(frame_saved) >> \bit) & 3) == 2
    \do     r, \second
    .else
    \do     r, \first
    .endif
    .set KAI_LOCAL(frame_at), KAI_LOCAL(frame_at) + 16
    .endif
.endm

.macro kai_count_ p, registers:vararg
    .set KAI_LOCAL(frame_size), KAI_LOCAL(frame_size) + 16
.endm

.macro kai_save_ p, registers:vararg
    .if KAI_LOCAL(frame_at)
    st\p     \registers, [sp, #KAI_LOCAL(frame_at)]
    .else
    st\p     \registers, [sp, #-KAI_LOCAL(frame_size)]!
    .cfi_def_cfa_offset KAI_LOCAL(frame_size)
    .endif
    .set KAI_LOCAL(frame_register), KAI_LOCAL(frame_at)
    .irp r, \registers
    .cfi_rel_offset \r, KAI_LOCAL(frame_register)
    .set KAI_LOCAL(frame_register), KAI_LOCAL(frame_register) + 8
    .endr
.endm

.macro kai_restore_ p, registers:vararg
    .if KAI_LOCAL(frame_at)
    ld\p     \registers, [sp, #KAI_LOCAL(frame_at)]
    .irp r, \registers
    .cfi_restore \r
    .endr
    .endif
.endm

.macro kai_restore_last_ p, registers:vararg
    .if !KAI_LOCAL(frame_at)
    ld\p     \registers, [sp], #KAI_LOCAL(frame_size)
    .irp r, \registers
    .cfi_restore \r
    .endr
    .cfi_def_cfa_offset 0
    .endif
.endm

// `\what N, \rest`, N the value of \n, an expression in parentheses: for names of registers. Clang nests
// macros 20 deep: this takes two, and mnemonics of sme2_gas.inc up to four.
.macro with_number what, n, rest:vararg
    .set KAI_LOCAL(number), \n
    .altmacro
    kai_with_number_ \what, %KAI_LOCAL(number), \rest
.endm

.macro kai_with_number_ what, n, rest:vararg
    .noaltmacro
    \what   \n, \rest
.endm

// One instruction: `when i, 3, insn` if i is 3, `if_more count, 3, insn` if there are more than 3.
.macro when i, is, insn:vararg
    .if \i == \is
    \insn
    .endif
.endm
.macro if_more count, than, insn:vararg
    .if \count > \than
    \insn
    .endif
.endm

// Implements KAI_OFFSETS of core/fields.h. \fields: NAME, BYTES, NAME, BYTES ...
.macro kai_offsets_ prefix, fields:vararg
    .set \prefix, 0
    .set KAI_LOCAL(is_name), 1
    .irp field, \fields
    .if KAI_LOCAL(is_name)
    .set \prefix\()_\field, \prefix
    .else
    .set \prefix, \prefix + \field
    .endif
    .set KAI_LOCAL(is_name), !KAI_LOCAL(is_name)
    .endr
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
