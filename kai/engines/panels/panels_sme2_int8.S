// int8 of two packed sides with SME2: those of the classic names (pair), of the unified API (split), and with an RHS of
// nibbles (pair_nibbles) or of 2-bit codes (pair_codes).
//
//     acc[m][n] = bias + sum over k of lhs[m][k] * rhs[k][n]             int32, wraps around
//
// SMOPA, four k at a time. What becomes of the sums: panels_sme_int8.inc.
//
// SPDX-License-Identifier: Apache-2.0
    .arch   armv9-a+sme2
#include "kai/engines/asm/asm.h"
#include "kai/engines/asm/sme2_vectors.inc"
#include "kai/engines/panels/panels_sme_int8.inc"

// ---- arrangements of panels_sme.inc with a table in ZT0. A depth group of the RHS is one vector:
//
//     pair_nibbles  signed nibbles, the lower one first
//     pair_codes    codes of 2 bits in panels of 4 V columns; a step has the lower half of the vector. What follows it
//                   is read, too

.equ panels_pair_nibbles, 1
.equ lhs_group_pair_nibbles, 2
.equ rhs_group_pair_nibbles, 1
.macro load_2_pair_nibbles set, first
    of_L\set load_words_4, lhs0, (\first * 2)
    of_R\set load_and_decode_2, luti4, \first
.endm
.macro load_1_pair_nibbles
    of_Le   load_upper_words, lhs0, 0
    of_Re   load_and_decode_1, luti4
.endm

.equ panels_pair_codes, 1
.equ lhs_group_pair_codes, 2
.equ rhs_group_pair_codes, 1
.macro load_2_pair_codes set, first
    of_L\set load_words_4, lhs0, (\first * 2)
    of_R\set load_and_decode_2, luti2, \first
.endm
.macro load_1_pair_codes
    of_Le   load_upper_words, lhs0, 0
    of_Re   load_and_decode_1, luti2
.endm

// z\v0-z\v3 = values of depth groups \first and \first + 1 from rhs0 on, a vector of nibbles or codes each.
.macro load_and_decode_2 v0, v1, v2, v3, luti, first
    load_words_2 \v2, \v3, rhs0, \first
    \luti   {z\v0\().b-z\v1\().b}, zt0, z\v2[0]
    \luti   {z\v2\().b-z\v3\().b}, zt0, z\v3[0]
.endm
// z\v0, z\v1 = values of depth group 0.
.macro load_and_decode_1 v0, v1, v2, v3, luti
    load_words_1 \v0, rhs0
    \luti   {z\v0\().b-z\v1\().b}, zt0, z\v0[0]
.endm

// ---- parts

    multiply_part pair_s8_sme2, pair, smopa, b
    multiply_part split_s8_sme2, split, smopa, b
    multiply_part pair_nibbles_sme2, pair_nibbles, smopa, b
    multiply_part pair_codes_sme2, pair_codes, smopa, b
    store_part qai8_sme2, qai8
