// Every form of kai/engines/asm/sme2_gas.inc with the lowest, the highest and other operands, and forms of the same
// mnemonics that the file leaves to the assembler. Not run: sme2_gas.cmake compares the bytes that assemblers make of
// it.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a+sme2
#include "kai/engines/asm/asm.h"

    alias   low, x2
    alias   high, x30
    alias   vector, z15

    .irp n, -16, -14, -2, 0, 2, 14
    ld1b    {z0.b-z1.b}, pn8/z, [x0, #\n, mul vl]
    ld1w    {z30.s-z31.s}, pn15/z, [sp, #\n, mul vl]
    ld1h    {z0.h-z1.h}, pn8/z, [x0, #\n, mul vl]
    ld1h    {z30.h-z31.h}, pn15/z, [high, #\n, mul vl]
    st1h    {z0.h-z1.h}, pn8, [x0, #\n, mul vl]
    st1h    {z30.h-z31.h}, pn15, [high, #\n, mul vl]
    st1w    {z0.s-z1.s}, pn8, [x0, #\n, mul vl]
    st1w    {z30.s-z31.s}, pn15, [sp, #\n, mul vl]
    st1w    {z0.s, z8.s}, pn8, [x0, #\n, mul vl]
    st1w    {z7.s, z15.s}, pn15, [high, #\n, mul vl]
    st1w    {z16.s, z24.s}, pn9, [sp, #\n, mul vl]
    st1w    {z23.s, z31.s}, pn10, [low, #\n, mul vl]
    st1b    {z0.b-z1.b}, pn8, [x0, #\n, mul vl]
    st1b    {z30.b-z31.b}, pn15, [sp, #\n, mul vl]
    ld1b    {z0.b, z8.b}, pn8/z, [x0, #\n, mul vl]
    ld1b    {z23.b, z31.b}, pn15/z, [high, #\n, mul vl]
    .endr
    .irp n, -32, -28, -4, 0, 4, 28
    ld1b    {z0.b-z3.b}, pn8/z, [x0, #\n, mul vl]
    ld1b    {z28.b-z31.b}, pn15/z, [x30, #\n, mul vl]
    ld1w    {z0.s-z3.s}, pn9/z, [low, #\n, mul vl]
    ld1w    {z28.s-z31.s}, pn14/z, [high, #\n, mul vl]
    st1w    {z0.s-z3.s}, pn8, [x0, #\n, mul vl]
    st1w    {z28.s-z31.s}, pn15, [sp, #\n, mul vl]
    st1h    {z0.h-z3.h}, pn8, [x0, #\n, mul vl]
    st1h    {z28.h-z31.h}, pn15, [high, #\n, mul vl]
    ld1b    {z0.b, z4.b, z8.b, z12.b}, pn8/z, [x0, #\n, mul vl]
    ld1b    {z19.b, z23.b, z27.b, z31.b}, pn15/z, [high, #\n, mul vl]
    .endr
    .irp n, 0, 1, 7
    ld1w    {z4.s-z7.s}, pn8/z, [low, 4 * \n, mul vl]
    .endr
    ld1b    {z14.b-z15.b}, pn8/z, [x0]
    ld1b    {z12.b-z15.b}, pn8/z, [sp]
    ld1w    {z14.s-z15.s}, pn8/z, [low]
    ld1w    {z12.s-z15.s}, pn8/z, [high]
    st1w    {z14.s-z15.s}, pn10, [low]
    st1w    {z12.s-z15.s}, pn8, [low]
    st1w    {z5.s, z13.s}, pn11, [high]
    ld1b    {z16.b, z24.b}, pn9/z, [low]
    ld1b    {z16.b, z20.b, z24.b, z28.b}, pn9/z, [low]
    st1b    {z14.b-z15.b}, pn10, [low]
    st1h    {z12.h-z15.h}, pn10, [low]
    // the assembler's own
    ld1b    {z1.b}, p7/z, [low, #-8, mul vl]
    ld1b    {z1.h}, p0/z, [x0, x1]
    ld1h    {z31.h}, p7/z, [sp, #-8, mul vl]
    ld1h    {z1.s}, p0/z, [high]
    ld1w    {z1.s}, p0/z, [high]
    ld1w    {z1.s}, p0/z, [low, #7, mul vl]
    ld1w    {za1h.s[w12, 3]}, p0/z, [low, high, lsl #2]
    st1b    {z31.b}, p7, [sp, #-8, mul vl]
    st1h    {z31.h}, p7, [sp, #-8, mul vl]
    st1h    {z31.s}, p7, [high]
    st1w    {z31.s}, p7, [sp, #-8, mul vl]
    st1w    {za3v.s[w15, 0]}, p7, [x0]

    ldr     zt0, [x0]
    ldr     zt0, [sp]
    ldr     zt0, [high]
    ldr     x0, [low]
    ldr     w0, [low, #8]
    ldr     d0, [x0, low, lsl #3]
    ldr     x1, [sp], #16
    ldr     z0, [x0, #1, mul vl]
    ldr     za[w12, 0], [x0]

    .irp t, b, h, s, d
    ptrue   pn8.\t
    ptrue   pn15.\t
    ptrue   p0.\t
    whilelo pn8.\t, x0, xzr, vlx2
    whilelo pn15.\t, xzr, high, vlx4
    whilelo pn9.\t, low, x0, vlx4
    whilelo p1.\t, low, high
    .endr
    ptrue   p15.s, vl4
    whilelo p0.s, w0, w1

    .irp i, 0, 1, 2, 3
    luti4   {z0.b-z1.b}, zt0, z0[\i]
    luti4   {z30.b-z31.b}, zt0, z31[\i]
    luti4   {z30.h-z31.h}, zt0, z16[\i]
    luti4   {z30.s-z31.s}, zt0, z16[\i]
    luti2   {z0.h-z3.h}, zt0, z31[\i]
    luti2   {z28.b-z31.b}, zt0, z0[\i]
    sdot    za.s[w8, 0, vgx4], {z0.b-z3.b}, z0.b[\i]
    sdot    za.s[w11, 7, vgx4], {z28.b-z31.b}, z15.b[\i]
    sdot    za.s[w9, 2, vgx4], {z16.b-z19.b}, z4.b[\i]
    usdot   za.s[w8, 0, vgx4], {z0.b-z3.b}, z0.b[\i]
    usdot   za.s[w11, 7, vgx4], {z28.b-z31.b}, z15.b[\i]
    fdot    za.s[w8, 0, vgx4], {z0.h-z3.h}, z0.h[\i]
    fdot    za.s[w11, 7, vgx4], {z28.h-z31.h}, z15.h[\i]
    bfdot   za.s[w8, 0, vgx4], {z0.h-z3.h}, z0.h[\i]
    bfdot   za.s[w11, 7, vgx4], {z28.h-z31.h}, z15.h[\i]
    bfdot   za.s[w9, 2, vgx4], {z16.h-z19.h}, z4.h[\i]
    fmla    za.s[w8, 0, vgx4], {z0.s-z3.s}, z0.s[\i]
    fmla    za.s[w11, 7, vgx4], {z28.s-z31.s}, z15.s[\i]
    fmls    za.s[w9, 2, vgx4], {z16.s-z19.s}, z4.s[\i]
    .endr
    fdot    za.s[w8, 0, vgx4], {z0.h-z3.h}, z0.h
    fdot    za.s[w11, 7, vgx4], {z28.h-z31.h}, z15.h
    fdot    za.s[w9, 2, vgx4], {z16.h-z19.h}, z4.h
    .irp i, 0, 1, 2, 3, 4, 5, 6, 7
    luti2   {z0.b-z1.b}, zt0, z31[\i]
    luti2   {z30.b-z31.b}, zt0, z0[\i]
    luti2   {z16.s-z17.s}, zt0, z8[\i]
    luti4   z0.b, zt0, z31[\i]
    luti4   z31.b, zt0, z0[\i]
    luti2   z0.b, zt0, z31[\i]
    luti2   z31.b, zt0, z0[\i]
    .endr
    sdot    z0.s, z1.b, z2.b
    sdot    z0.s, z1.b, z2.b[3]

    .irp i, 0, 1, 2, 3
    .irp w, 12, 13, 14, 15
    mova    {z0.s-z3.s}, za\i\()h.s[w\w, 0:3]
    mova    {z28.s-z31.s}, za\i\()v.s[w\w, 0:3]
    mova    z31.s, p7/m, za\i\()h.s[w\w, 3]
    mova    za\i\()v.s[w\w, 1], p0/m, z0.s
    mova    za\i\()h.s[w\w, 0:3], {z0.s-z3.s}
    mova    za\i\()v.s[w\w, 0:3], {z28.s-z31.s}
    .endr
    .endr

    .irp w, 12, 13, 14, 15
    .irp o, 0:1, 2:3, 4:5, 6:7, 8:9, 10:11, 12:13, 14:15
    mova    {z0.b-z3.b}, za0h.b[w12, 0:3]
    mova    {z28.b-z31.b}, za0v.b[w15, 12:15]
    mova    {z8.b-z11.b}, za0h.b[w13, 4:7]
    mova    {z8.b-z11.b}, za0h.b[w14, 8:11]
    mova    {z0.b-z1.b}, za0h.b[w\w, \o]
    mova    {z30.b-z31.b}, za0v.b[w\w, \o]
    .endr
    mova    z31.b, p7/m, za0h.b[w\w, 3]
    .endr

    .irp t, b, h, s, d
    zip     {z0.\t-z1.\t}, z31.\t, vector.\t
    zip     {z30.\t-z31.\t}, z0.\t, z31.\t
    uzp     {z0.\t-z1.\t}, z31.\t, vector.\t
    uzp     {z30.\t-z31.\t}, z0.\t, z31.\t
    uzp     {z0.\t-z3.\t}, {z28.\t-z31.\t}
    uzp     {z28.\t-z31.\t}, {z0.\t-z3.\t}
    .endr

    .irp t, h, s, d
    fmax    {z0.\t-z3.\t}, {z0.\t-z3.\t}, z15.\t
    fmin    {z28.\t-z31.\t}, {z28.\t-z31.\t}, z0.\t
    fmax    {z0.\t-z1.\t}, {z0.\t-z1.\t}, z15.\t
    fmin    {z30.\t-z31.\t}, {z30.\t-z31.\t}, z0.\t
    fmin    {z16.\t-z19.\t}, {z16.\t-z19.\t}, vector.\t
    fmax    z0.\t, p0/m, z0.\t, vector.\t
    fmin    z0.\t, p0/m, z0.\t, #0.0
    smax    {z0.\t-z3.\t}, {z0.\t-z3.\t}, z15.\t
    smin    {z28.\t-z31.\t}, {z28.\t-z31.\t}, z0.\t
    sclamp  {z0.\t-z3.\t}, z31.\t, vector.\t
    sclamp  {z28.\t-z31.\t}, z0.\t, z31.\t
    sclamp  z0.\t, z31.\t, z1.\t
    smax    z0.\t, p0/m, z0.\t, vector.\t
    smin    z0.\t, z0.\t, #-1
    .endr
    fclamp  {z0.s-z3.s}, z31.s, vector.s
    fclamp  {z28.s-z31.s}, z0.s, z31.s
    fmax    v0.4s, v1.4s, v2.4s
    fmin    s0, s1, s2

    scvtf   {z0.s-z3.s}, {z28.s-z31.s}
    scvtf   {z28.s-z31.s}, {z0.s-z3.s}
    fcvtzs  {z0.s-z3.s}, {z28.s-z31.s}
    fcvtzs  {z28.s-z31.s}, {z0.s-z3.s}
    frintn  {z0.s-z3.s}, {z28.s-z31.s}
    frintn  {z28.s-z31.s}, {z0.s-z3.s}
    fcvtzs  z0.s, p0/m, z31.s
    frintn  z0.s, p0/m, vector.s
    scvtf   z0.s, p0/m, z31.s
    scvtf   s0, w1
    scvtf   v0.4s, v1.4s

    fcvt    z0.h, {z30.s-z31.s}
    fcvt    z31.h, {z0.s-z1.s}
    fcvt    vector.h, {z14.s-z15.s}
    fcvt    z0.h, p0/m, z31.s
    fcvt    vector.s, p7/m, vector.h
    fcvt    h0, s1

    bfcvt   z0.h, {z30.s-z31.s}
    bfcvt   z31.h, {z0.s-z1.s}
    bfcvt   vector.h, {z14.s-z15.s}
    bfcvt   z0.h, p0/m, z31.s
    bfcvt   h0, s1

    fcvtn   z0.h, {z30.s-z31.s}
    fcvtn   z31.h, {z0.s-z1.s}
    fcvtn   vector.h, {z14.s-z15.s}
    fcvtn   v0.4h, v1.4s

    bfcvtn  z0.h, {z30.s-z31.s}
    bfcvtn  z31.h, {z0.s-z1.s}
    bfcvtn  v0.4h, v1.4s

    ld1w    {z30.s-z31.s}, pn15/z, [x0, x30, lsl #2]
    ld1w    {z0.s-z3.s}, pn8/z, [sp, x0, lsl #2]
    st1h    {z28.h-z31.h}, pn15, [x0, high, lsl #1]
    st1w    {z0.s-z1.s}, pn8, [x30, x0, lsl #2]
    st1w    {z30.s-z31.s}, pn15, [low, x30, lsl #2]

    .irp w, 8, 9, 10, 11
    mova    za.d[w\w, 0, vgx4], {z28.d-z31.d}
    mova    za.d[w\w, 7, vgx4], {z0.d-z3.d}
    mova    za.d[w\w, 0, vgx2], {z30.d-z31.d}
    mova    za.d[w\w, 7, vgx2], {z0.d-z1.d}
    mova    {z28.d-z31.d}, za.d[w\w, 0, vgx4]
    mova    {z0.d-z3.d}, za.d[w\w, 7, vgx4]
    mova    {z30.d-z31.d}, za.d[w\w, 0, vgx2]
    mova    {z0.d-z1.d}, za.d[w\w, 7, vgx2]
    fmla    za.s[w\w, 0, vgx2], {z30.s-z31.s}, {z0.s-z1.s}
    fmls    za.s[w\w, 7, vgx2], {z0.s-z1.s}, {z30.s-z31.s}
    fsub    za.s[w\w, 0, vgx4], {z28.s-z31.s}
    fsub    za.s[w\w, 7, vgx4], {z0.s-z3.s}
    fmla    za.s[w\w, 0, vgx4], {z0.s-z3.s}, z15.s
    fmla    za.s[w\w, 1, vgx4], {z1.s-z4.s}, z14.s
    smlall  za.s[w\w, 0:3, vgx4], {z0.b-z3.b}, z15.b
    smlall  za.s[w\w, 4:7, vgx4], {z28.b-z31.b}, z0.b
    smlall  za.s[w\w, 0:3, vgx4], {z5.b-z8.b}, z9.b
    fmla    za.s[w\w, 6, vgx4], {z27.s-z30.s}, z1.s
    fmla    za.s[w\w, 7, vgx4], {z28.s-z31.s}, z0.s
    fmla    za.s[w\w, 0, vgx4], {z28.s-z31.s}, {z0.s-z3.s}
    fmls    za.s[w\w, 7, vgx4], {z0.s-z3.s}, vector.s
    fmls    za.s[w\w, 1, vgx4], {z0.s-z3.s}, {z28.s-z31.s}
    .endr
    fmla    z0.s, p0/m, z1.s, vector.s
    fmla    z0.s, z1.s, z7.s[3]
    fmls    z0.s, p0/m, z1.s, z2.s
    fmls    v0.4s, v1.4s, v2.s[3]
    fsub    z0.s, z1.s, vector.s
    fsub    v0.4s, v1.4s, v2.4s
    fsub    s0, s1, s2
