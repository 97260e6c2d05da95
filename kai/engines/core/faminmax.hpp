// FAMAX, the larger of two magnitudes (FEAT_FAMINMAX), for C++: encoded, as GNU binutils before 2.43 and compilers for
// armv8-a lack it. Bits and fields: Arm A64 Instruction Set Architecture (DDI 0602). The test kleidiai_isa disassembles
// what comes of it.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arm_neon.h>

#include "kai/engines/core/base.hpp"

namespace kai {
namespace {

// Operands are printed as registers, v5; an encoding takes numbers. So each register is a symbol that has its number.
#if defined(__APPLE__)
#define KAI_NUMBER "Lkai_number_"
#else
#define KAI_NUMBER ".Lkai_number_"
#endif

/// Larger magnitudes of f32, bit patterns of them. A quiet NaN if one of the two is NaN.
KAI_INLINE uint32x4_t famax(uint32x4_t a, uint32x4_t b) {
    uint32x4_t d;
    __asm__(  // FAMAX Vd.4S, Vn.4S, Vm.4S: Vm 20:16, Vn 9:5, Vd 4:0
        ".irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, "
        "28, 29, 30, 31\n"
        ".set " KAI_NUMBER
        "v\\i, \\i\n"
        ".endr\n"
        ".inst 0x4ea0dc00 | " KAI_NUMBER "%2 << 16 | " KAI_NUMBER "%1 << 5 | " KAI_NUMBER "%0"
        : "=w"(d)
        : "w"(a), "w"(b));
    return d;
}
#undef KAI_NUMBER

}  // namespace
}  // namespace kai
