// Few rows of the qai8dxp GEMM with SMMLA, int8, a scale per channel (qai8dxp_neon_i8mm_few.inc has the formula):
// tiles of 2, 4, 6 or 8 rows. SMMLA multiplies 2 rows x 8 k by 8 k x 2 columns: rows and columns a = 0 1, b = 2 3.
//
// Operands are loaded where their registers become free, for in-order cores. Unscheduled, a step of 32 k is, for each
// of its four groups of 8 k: load A and B, then the SMMLA of the picture. The last step loads 32 bytes after the last k
// of a panel and of a quad: fields.
//
// Sets e and o of operands, v16 - v31: even and odd groups of 8 k. Other registers: qai8dxp_neon_few.S and
// qai8dxp_neon_i8mm_few.inc.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8.2-a+i8mm
#include "kai/engines/asm/asm.h"
#include "kai/engines/qai8dxp/qai8dxp_neon_i8mm_few.inc"

// ---- 2 or 4 rows x 2 quads
//
//                | Be0_a Be0_b   Be1_a Be1_b       B: v16 - v19; Bo: v20 - v23
//        --------+----------------------------
//          Ae_a  | S0_aa S0_ab   S1_aa S1_ab       Ae: v24, v25; Ao: v26, v27
//          Ae_b  | S0_ba S0_bb   S1_ba S1_bb       2 rows: without this line

    regs    16, Be0_a, Be0_b, Be1_a, Be1_b, Bo0_a, Bo0_b, Bo1_a, Bo1_b, Ae_a, Ae_b, Ao_a, Ao_b

// 8 k with set `set`; loads the other set from byte `next`.
.macro flat_8k set, other, next
    ldp     qB\other\()0_a, qB\other\()0_b, [rhs0, #\next]
    smmla   S0_aa.4s, A\set\()_a.16b, B\set\()0_a.16b
    smmla   S0_ab.4s, A\set\()_a.16b, B\set\()0_b.16b
    ldp     qB\other\()1_a, qB\other\()1_b, [rhs1, #\next]
    .if rows > 2
    ldp     qA\other\()_a, qA\other\()_b, [lhs0, #\next]
    smmla   S0_ba.4s, A\set\()_b.16b, B\set\()0_a.16b
    smmla   S0_bb.4s, A\set\()_b.16b, B\set\()0_b.16b
    .else
    ldr     qA\other\()_a, [lhs0, #\next]
    .endif
    smmla   S1_aa.4s, A\set\()_a.16b, B\set\()1_a.16b
    smmla   S1_ab.4s, A\set\()_a.16b, B\set\()1_b.16b
    .if rows > 2
    smmla   S1_ba.4s, A\set\()_b.16b, B\set\()1_a.16b
    smmla   S1_bb.4s, A\set\()_b.16b, B\set\()1_b.16b
    .endif
.endm

// A tile of 2 or 4 rows; then kai_part_finish_<size>, as of all tiles here.
.macro flat_tile count, size
func kai_part_few_int8_\size\()_neon_i8mm, hidden
    .set    rows, \count
    few_begin
    ldr     steps_left, [args, #FEW_ARGS_depth]
    ldp     qBe0_a, qBe0_b, [rhs0]
    ldp     qAe_a, qAe_b, [lhs0]
    ldp     qBe1_a, qBe1_b, [rhs1]
    each_sum zero, S
    cbz     steps_left, 4f
3:  // 32 k
    flat_8k e, o, 32
    flat_8k o, e, 64
    subs    steps_left, steps_left, #1
    flat_8k e, o, 96
    flat_8k o, e, 128
    add     rhs0, rhs0, #128
    add     rhs1, rhs1, #128
    add     lhs0, lhs0, #128
    b.ne    3b
4:
    b       KAI_SYM(kai_part_finish_\size\()_neon_i8mm)
endfunc
.endm
    flat_tile 2, 2x8
    flat_tile 4, 4x8
    unreg   Be0_a, Be0_b, Be1_a, Be1_b, Bo0_a, Bo0_b, Bo1_a, Bo1_b, Ae_a, Ae_b, Ao_a, Ao_b

// ---- 6 or 8 rows x a quad
//
//                | Be_a  Be_b        Be: v16, v17; Bo: v20, v21
//        --------+------------
//          A0_a  | S0_aa S0_ab       panel 0: v24, v25
//          A0_b  | S0_ba S0_bb
//          A1_a  | S1_aa S1_ab       panel 1: v26, v27
//          A1_b  | S1_ba S1_bb       6 rows: without this line

    regs    16, Be_a, Be_b
    regs    20, Bo_a, Bo_b
    regs    24, A0_a, A0_b, A1_a, A1_b

// 8 k with B<set>; loads B<other> and A from byte `next`.
.macro tall_8k set, other, next
    ldp     qB\other\()_a, qB\other\()_b, [rhs0, #\next]
    smmla   S0_aa.4s, A0_a.16b, B\set\()_a.16b
    smmla   S0_ab.4s, A0_a.16b, B\set\()_b.16b
    ldr     qA0_a, [lhs0, #\next]
    smmla   S0_ba.4s, A0_b.16b, B\set\()_a.16b
    smmla   S0_bb.4s, A0_b.16b, B\set\()_b.16b
    ldr     qA0_b, [lhs0, #\next + 16]
    smmla   S1_aa.4s, A1_a.16b, B\set\()_a.16b
    smmla   S1_ab.4s, A1_a.16b, B\set\()_b.16b
    .if rows > 6
    smmla   S1_ba.4s, A1_b.16b, B\set\()_a.16b
    smmla   S1_bb.4s, A1_b.16b, B\set\()_b.16b
    .endif
    load_last_panel A1_a, A1_b, \next
.endm

// A tile of 6 or 8 rows.
.macro tall_tile count, size
func kai_part_few_int8_\size\()_neon_i8mm, hidden
    .set    rows, \count
    few_begin
    ldr     steps_left, [args, #FEW_ARGS_depth]
    ldp     qBe_a, qBe_b, [rhs0]
    ldp     qA0_a, qA0_b, [lhs0]
    load_last_panel A1_a, A1_b, 0
    each_sum zero, S
    cbz     steps_left, 4f
3:  // 32 k
    tall_8k e, o, 32
    tall_8k o, e, 64
    subs    steps_left, steps_left, #1
    tall_8k e, o, 96
    tall_8k o, e, 128
    add     rhs0, rhs0, #128
    add     lhs1, lhs1, #128
    add     lhs0, lhs0, #128
    b.ne    3b
4:
    b       KAI_SYM(kai_part_finish_\size\()_neon_i8mm)
endfunc
.endm
    tall_tile 6, 6x4
    tall_tile 8, 8x4
    unreg   Be_a, Be_b, Bo_a, Bo_b, A0_a, A0_b, A1_a, A1_b

// ---- 2 or 4 rows x 4 quads: with 4 rows, 40 loads for 64 SMMLA; two quads need 24 for 32
//
//                | B0_a  B0_b    B1_a  B1_b    B2_a  B2_b    B3_a  B3_b       B: v16 - v23
//        --------+----------------------------------------------------
//          Ae_a  | S0_aa S0_ab   S1_aa S1_ab   F0_aa F0_ab   F1_aa F1_ab      Ae: v24, v25; Ao: v26, v27
//          Ae_b  | S0_ba S0_bb   S1_ba S1_bb   F0_ba F0_bb   F1_ba F1_bb      2 rows: without this line
//
//   rhs2, rhs3   x2, x5    the third and fourth quad

rhs2 .req x2
rhs3 .req x5
    regs    16, B0_a, B0_b, B1_a, B1_b, B2_a, B2_b, B3_a, B3_b, Ae_a, Ae_b, Ao_a, Ao_b

// 8 k of a quad: sums += A<set> * its B; then reloads its B from byte `next`.
.macro wide_quad quad, sums, set, next
    smmla   \sums\()_aa.4s, A\set\()_a.16b, B\quad\()_a.16b
    smmla   \sums\()_ab.4s, A\set\()_a.16b, B\quad\()_b.16b
    .if rows > 2
    smmla   \sums\()_ba.4s, A\set\()_b.16b, B\quad\()_a.16b
    smmla   \sums\()_bb.4s, A\set\()_b.16b, B\quad\()_b.16b
    .endif
    ldp     qB\quad\()_a, qB\quad\()_b, [rhs\quad, #\next]
.endm
// 8 k with A<set>; loads A<other> and B from byte `next`.
.macro wide_8k set, other, next
    .if rows > 2
    ldp     qA\other\()_a, qA\other\()_b, [lhs0, #\next]
    .else
    ldr     qA\other\()_a, [lhs0, #\next]
    .endif
    wide_quad 0, S0, \set, \next
    wide_quad 1, S1, \set, \next
    wide_quad 2, F0, \set, \next
    wide_quad 3, F1, \set, \next
.endm

// A tile of 2 or 4 rows x 4 quads.
.macro wide_tile count, size
func kai_part_few_int8_\size\()_neon_i8mm, hidden
    .set    rows, \count
    few_begin
    add     rhs2, x19, x24
    ldr     steps_left, [args, #FEW_ARGS_depth]
    add     rhs3, rhs2, x23
    ldp     qAe_a, qAe_b, [lhs0]
    ldp     qB0_a, qB0_b, [rhs0]
    ldp     qB1_a, qB1_b, [rhs1]
    ldp     qB2_a, qB2_b, [rhs2]
    ldp     qB3_a, qB3_b, [rhs3]
    each_sum zero, S
    each_sum zero, F
    cbz     steps_left, 4f
3:  // 32 k
    wide_8k e, o, 32
    subs    steps_left, steps_left, #1
    wide_8k o, e, 64
    wide_8k e, o, 96
    wide_8k o, e, 128
    add     lhs0, lhs0, #128
    add     rhs0, rhs0, #128
    add     rhs1, rhs1, #128
    add     rhs2, rhs2, #128
    add     rhs3, rhs3, #128
    b.ne    3b
4:
    b       KAI_SYM(kai_part_finish_\size\()_neon_i8mm)
endfunc
.endm
    wide_tile 2, 2x16
    wide_tile 4, 4x16
    unreg   B0_a, B0_b, B1_a, B1_b, B2_a, B2_b, B3_a, B3_b, Ae_a, Ae_b, Ao_a, Ao_b

// ---- 6 or 8 rows x 2 quads: 32 loads for 64 SMMLA; one quad needs 24 for 32
//
//                | Be0_a Be0_b   Be1_a Be1_b       Be: v16 - v19; Bo: v20 - v23
//        --------+----------------------------
//         Ae0_a  | S0_aa S0_ab   F0_aa F0_ab       panel 0: Ae v24, v25; Ao v28, v29
//         Ae0_b  | S0_ba S0_bb   F0_ba F0_bb
//         Ae1_a  | S1_aa S1_ab   F1_aa F1_ab       panel 1: Ae v26, v27; Ao v30, v31
//         Ae1_b  | S1_ba S1_bb   F1_ba F1_bb       6 rows: without this line

    regs    16, Be0_a, Be0_b, Be1_a, Be1_b, Bo0_a, Bo0_b, Bo1_a, Bo1_b
    regs    24, Ae0_a, Ae0_b, Ae1_a, Ae1_b, Ao0_a, Ao0_b, Ao1_a, Ao1_b

// 8 k of two rows of panel p, a or b.
.macro square_rows p, two, set
    smmla   S\p\()_\two\()a.4s, A\set\()\p\()_\two\().16b, B\set\()0_a.16b
    smmla   S\p\()_\two\()b.4s, A\set\()\p\()_\two\().16b, B\set\()0_b.16b
    smmla   F\p\()_\two\()a.4s, A\set\()\p\()_\two\().16b, B\set\()1_a.16b
    smmla   F\p\()_\two\()b.4s, A\set\()\p\()_\two\().16b, B\set\()1_b.16b
.endm
// 8 k with set `set`; loads the other set from byte `next`.
.macro square_8k set, other, next
    ldp     qB\other\()0_a, qB\other\()0_b, [rhs0, #\next]
    square_rows 0, a, \set
    ldp     qB\other\()1_a, qB\other\()1_b, [rhs1, #\next]
    square_rows 0, b, \set
    ldp     qA\other\()0_a, qA\other\()0_b, [lhs0, #\next]
    square_rows 1, a, \set
    load_last_panel A\other\()1_a, A\other\()1_b, \next
    if_more rows, 6, square_rows 1, b, \set
.endm

// A tile of 6 or 8 rows x 2 quads.
.macro square_tile count, size
func kai_part_few_int8_\size\()_neon_i8mm, hidden
    .set    rows, \count
    few_begin
    ldr     steps_left, [args, #FEW_ARGS_depth]
    ldp     qBe0_a, qBe0_b, [rhs0]
    ldp     qBe1_a, qBe1_b, [rhs1]
    ldp     qAe0_a, qAe0_b, [lhs0]
    load_last_panel Ae1_a, Ae1_b, 0
    each_sum zero, S
    each_sum zero, F
    cbz     steps_left, 4f
3:  // 32 k
    square_8k e, o, 32
    square_8k o, e, 64
    subs    steps_left, steps_left, #1
    square_8k e, o, 96
    square_8k o, e, 128
    add     lhs0, lhs0, #128
    add     lhs1, lhs1, #128
    add     rhs0, rhs0, #128
    add     rhs1, rhs1, #128
    b.ne    3b
4:
    b       KAI_SYM(kai_part_finish_\size\()_neon_i8mm)
endfunc
.endm
    square_tile 6, 6x8
    square_tile 8, 8x8
