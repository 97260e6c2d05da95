// Every form of kai/engines/asm/sme_mop4.inc with the lowest, the highest and other registers, and what a disassembler
// says of it. Not run: sme2_gas.cmake compares.
//
// SPDX-License-Identifier: Apache-2.0
    .arch armv8-a+sme2
#include "kai/engines/asm/sme_mop4.inc"

    smop4a_pair 0, 0, 16                    // smop4a za0.s, z0.b, { z16.b, z17.b }
    smop4a_pair 3, 14, 30                   // smop4a za3.s, z14.b, { z30.b, z31.b }
    smop4a_pair 1, 2, 20                    // smop4a za1.s, z2.b, { z20.b, z21.b }
    fmop4a_pair_f32 0, 0, 16                // fmop4a za0.s, z0.s, { z16.s, z17.s }
    fmop4a_pair_f32 3, 14, 30               // fmop4a za3.s, z14.s, { z30.s, z31.s }
    fmop4a_pair_f32 1, 2, 20                // fmop4a za1.s, z2.s, { z20.s, z21.s }
    fmop4a_pair_f16 0, 0, 16                // fmop4a za0.s, z0.h, { z16.h, z17.h }
    fmop4a_pair_f16 3, 14, 30               // fmop4a za3.s, z14.h, { z30.h, z31.h }
    fmop4a_pair_f16 1, 2, 20                // fmop4a za1.s, z2.h, { z20.h, z21.h }
    bfmop4a_pair 0, 0, 16                   // bfmop4a za0.s, z0.h, { z16.h, z17.h }
    bfmop4a_pair 3, 14, 30                  // bfmop4a za3.s, z14.h, { z30.h, z31.h }
    bfmop4a_pair 1, 2, 20                   // bfmop4a za1.s, z2.h, { z20.h, z21.h }
    luti4_apart 16, 0                       // luti4 { z16.b, z24.b }, zt0, z0[0]
    luti4_apart 23, 31                      // luti4 { z23.b, z31.b }, zt0, z31[0]
    luti4_apart 17, 9                       // luti4 { z17.b, z25.b }, zt0, z9[0]
    luti2_apart 16, 0, 0                    // luti2 { z16.b, z24.b }, zt0, z0[0]
    luti2_apart 23, 31, 7                   // luti2 { z23.b, z31.b }, zt0, z31[7]
    luti2_apart 17, 9, 1                    // luti2 { z17.b, z25.b }, zt0, z9[1]
    smop4a_first_pair 0, 0, 16              // smop4a za0.s, { z0.b, z1.b }, z16.b
    smop4a_first_pair 3, 14, 30             // smop4a za3.s, { z14.b, z15.b }, z30.b
    smop4a_first_pair 1, 2, 20              // smop4a za1.s, { z2.b, z3.b }, z20.b
    fmop4a_first_pair_f32 0, 0, 16          // fmop4a za0.s, { z0.s, z1.s }, z16.s
    fmop4a_first_pair_f32 3, 14, 30         // fmop4a za3.s, { z14.s, z15.s }, z30.s
    fmop4a_first_pair_f32 1, 2, 20          // fmop4a za1.s, { z2.s, z3.s }, z20.s
    fmop4a_first_pair_f16 0, 0, 16          // fmop4a za0.s, { z0.h, z1.h }, z16.h
    fmop4a_first_pair_f16 3, 14, 30         // fmop4a za3.s, { z14.h, z15.h }, z30.h
    fmop4a_first_pair_f16 1, 2, 20          // fmop4a za1.s, { z2.h, z3.h }, z20.h
