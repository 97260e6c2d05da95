// Known answers for kai_cycles.py: loops whose cycle count follows from the published latency and throughput of one
// instruction (test.py). _start calls every function once; measure one with --symbol NAME. Those for SME come last
// and run only if the program got an argument.
//
//   clang-19 --target=aarch64-linux-gnu -nostdlib -static -fuse-ld=lld -Wl,--no-relax known_answers.S -o known_answers
//
// SPDX-License-Identifier: Apache-2.0

        .arch   armv9-a+i8mm+bf16+sme2
        .text

// 24 independent accumulators: limited by the issue rate
.macro  INDEP name, insn, d, s
        .globl  \name
        .type   \name, %function
\name:  mov     x0, #200
1:
        \insn   v0.\d, v30.\s, v31.\s
        \insn   v1.\d, v30.\s, v31.\s
        \insn   v2.\d, v30.\s, v31.\s
        \insn   v3.\d, v30.\s, v31.\s
        \insn   v4.\d, v30.\s, v31.\s
        \insn   v5.\d, v30.\s, v31.\s
        \insn   v6.\d, v30.\s, v31.\s
        \insn   v7.\d, v30.\s, v31.\s
        \insn   v8.\d, v30.\s, v31.\s
        \insn   v9.\d, v30.\s, v31.\s
        \insn   v10.\d, v30.\s, v31.\s
        \insn   v11.\d, v30.\s, v31.\s
        \insn   v12.\d, v30.\s, v31.\s
        \insn   v13.\d, v30.\s, v31.\s
        \insn   v14.\d, v30.\s, v31.\s
        \insn   v15.\d, v30.\s, v31.\s
        \insn   v16.\d, v30.\s, v31.\s
        \insn   v17.\d, v30.\s, v31.\s
        \insn   v18.\d, v30.\s, v31.\s
        \insn   v19.\d, v30.\s, v31.\s
        \insn   v20.\d, v30.\s, v31.\s
        \insn   v21.\d, v30.\s, v31.\s
        \insn   v22.\d, v30.\s, v31.\s
        \insn   v23.\d, v30.\s, v31.\s
        subs    x0, x0, #1
        b.ne    1b
        ret
        .size   \name, . - \name
.endm

// every instruction accumulates into the same register: limited by the accumulate latency
.macro  CHAIN name, insn, d, s
        .globl  \name
        .type   \name, %function
\name:  mov     x0, #200
1:
        .rept   24
        \insn   v0.\d, v30.\s, v31.\s
        .endr
        subs    x0, x0, #1
        b.ne    1b
        ret
        .size   \name, . - \name
.endm

// every result is a multiplicand of the next instruction: limited by the full latency
.macro  FULL name, insn, d, s
        .globl  \name
        .type   \name, %function
\name:  mov     x0, #200
1:
        .rept   12
        \insn   v0.\d, v1.\s, v31.\s
        \insn   v1.\d, v0.\s, v31.\s
        .endr
        subs    x0, x0, #1
        b.ne    1b
        ret
        .size   \name, . - \name
.endm

        INDEP   smmla_indep, smmla, 4s, 16b
        CHAIN   smmla_chain, smmla, 4s, 16b
        FULL    smmla_full, smmla, 4s, 16b
        INDEP   sdot_indep, sdot, 4s, 16b
        CHAIN   sdot_chain, sdot, 4s, 16b
        INDEP   fmla_indep, fmla, 4s, 4s
        CHAIN   fmla_chain, fmla, 4s, 4s
        FULL    fmla_full, fmla, 4s, 4s
        INDEP   fmlah_indep, fmla, 8h, 8h
        INDEP   bfmmla_indep, bfmmla, 4s, 8h
        CHAIN   bfmmla_chain, bfmmla, 4s, 8h
        INDEP   smull_indep, smull, 8h, 8b
        INDEP   smlal_indep, smlal, 4s, 4h
        INDEP   mla_indep, mla, 8h, 8h

// as fmla_indep, but SVE
        .globl  fmla_sve_indep
        .type   fmla_sve_indep, %function
fmla_sve_indep:
        mov     x0, #200
1:
        .irp    n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23
        fmla    z\n\().s, p0/m, z30.s, z31.s
        .endr
        subs    x0, x0, #1
        b.ne    1b
        ret
        .size   fmla_sve_indep, . - fmla_sve_indep

// as sdot_indep, by lane
        .globl  sdot_lane_indep
        .type   sdot_lane_indep, %function
sdot_lane_indep:
        mov     x0, #200
1:
        .irp    n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23
        sdot    v\n\().4s, v30.16b, v31.4b[1]
        .endr
        subs    x0, x0, #1
        b.ne    1b
        ret
        .size   sdot_lane_indep, . - sdot_lane_indep

// int8 products of Armv8.0: pairs of lanes are added into 32 bits, after one product of each lane, or after two
        .macro  PRODUCTS name, two
        .globl  \name
        .type   \name, %function
\name:  mov     x0, #200
1:
        .irp    to, v16.8h, v17.8h, v18.8h, v19.8h, v20.8h, v21.8h, v22.8h, v23.8h
        smull   \to, v30.8b, v31.8b
        .endr
        .if \two
        .irp    to, v16.8h, v17.8h, v18.8h, v19.8h, v20.8h, v21.8h, v22.8h, v23.8h
        smlal2  \to, v30.16b, v31.16b
        .endr
        .endif
        sadalp  v0.4s, v16.8h
        sadalp  v1.4s, v17.8h
        sadalp  v2.4s, v18.8h
        sadalp  v3.4s, v19.8h
        sadalp  v4.4s, v20.8h
        sadalp  v5.4s, v21.8h
        sadalp  v6.4s, v22.8h
        sadalp  v7.4s, v23.8h
        subs    x0, x0, #1
        b.ne    1b
        ret
        .size   \name, . - \name
        .endm

        PRODUCTS smull_sadalp, 0
        PRODUCTS smull_smlal_sadalp, 1

// 8 independent 16-byte loads and 8 multiplies per iteration
        .globl  load_bound
        .type   load_bound, %function
load_bound:
        adrp    x1, data
        add     x1, x1, :lo12:data
        mov     x0, #400
1:      ldp     q0, q1, [x1]
        ldp     q2, q3, [x1, #32]
        ldp     q4, q5, [x1, #64]
        ldp     q6, q7, [x1, #96]
        smmla   v16.4s, v0.16b, v1.16b
        smmla   v17.4s, v2.16b, v3.16b
        subs    x0, x0, #1
        b.ne    1b
        ret
        .size   load_bound, . - load_bound

        .globl  smopa_indep
        .type   smopa_indep, %function
smopa_indep:
        smstart
        ptrue   p0.b
        mov     x0, #200
1:      smopa   za0.s, p0/m, p0/m, z0.b, z2.b
        smopa   za1.s, p0/m, p0/m, z0.b, z3.b
        smopa   za2.s, p0/m, p0/m, z1.b, z2.b
        smopa   za3.s, p0/m, p0/m, z1.b, z3.b
        subs    x0, x0, #1
        b.ne    1b
        smstop
        ret
        .size   smopa_indep, . - smopa_indep

        .globl  smopa_chain
        .type   smopa_chain, %function
smopa_chain:
        smstart
        ptrue   p0.b
        mov     x0, #200
1:      .rept   4
        smopa   za0.s, p0/m, p0/m, z0.b, z2.b
        .endr
        subs    x0, x0, #1
        b.ne    1b
        smstop
        ret
        .size   smopa_chain, . - smopa_chain

        .globl  fmopa_indep
        .type   fmopa_indep, %function
fmopa_indep:
        smstart
        ptrue   p0.b
        mov     x0, #200
1:      fmopa   za0.s, p0/m, p0/m, z0.s, z2.s
        fmopa   za1.s, p0/m, p0/m, z0.s, z3.s
        fmopa   za2.s, p0/m, p0/m, z1.s, z2.s
        fmopa   za3.s, p0/m, p0/m, z1.s, z3.s
        subs    x0, x0, #1
        b.ne    1b
        smstop
        ret
        .size   fmopa_indep, . - fmopa_indep

// 4 pairs of loads, and nothing that waits
        .globl  pairs_bound
        .type   pairs_bound, %function
pairs_bound:
        adrp    x1, data
        add     x1, x1, :lo12:data
        mov     x0, #400
1:      ldp     q0, q1, [x1]
        ldp     q2, q3, [x1, #32]
        ldp     q4, q5, [x1, #64]
        ldp     q6, q7, [x1, #96]
        subs    x0, x0, #1
        b.ne    1b
        ret
        .size   pairs_bound, . - pairs_bound

// 18 instructions of all kinds, in groups of three: limited by the width of the core, not by a unit
        .globl  width_bound
        .type   width_bound, %function
width_bound:
        adrp    x1, data
        add     x1, x1, :lo12:data
        mov     x0, #200
1:      eor     v0.16b, v30.16b, v31.16b
        ldr     q16, [x1]
        add     x2, x1, #1
        eor     v1.16b, v30.16b, v31.16b
        ldr     q17, [x1, #16]
        add     x3, x1, #2
        eor     v2.16b, v30.16b, v31.16b
        ldr     q18, [x1, #32]
        add     x4, x1, #3
        eor     v3.16b, v30.16b, v31.16b
        ldr     q19, [x1, #48]
        add     x5, x1, #4
        eor     v4.16b, v30.16b, v31.16b
        eor     v5.16b, v30.16b, v31.16b
        add     x6, x1, #5
        add     x7, x1, #6
        subs    x0, x0, #1
        b.ne    1b
        ret
        .size   width_bound, . - width_bound

        .globl  _start
        .type   _start, %function
_start: ldr     x20, [sp]
        .irp    f, smmla_indep, smmla_chain, smmla_full, sdot_indep, sdot_chain, fmla_indep, fmla_chain, fmla_full
        bl      \f
        .endr
        .irp    f, fmla_sve_indep, sdot_lane_indep, fmlah_indep, bfmmla_indep, bfmmla_chain
        bl      \f
        .endr
        .irp    f, load_bound, pairs_bound, width_bound
        bl      \f
        .endr
        .irp    f, smull_indep, smlal_indep, mla_indep, smull_sadalp, smull_smlal_sadalp
        bl      \f
        .endr
        cmp     x20, #1
        b.le    1f
        bl      smopa_indep
        bl      smopa_chain
        bl      fmopa_indep
1:      mov     x0, #0
        mov     x8, #93
        svc     #0

        .bss
        .balign 64
data:   .space  128
