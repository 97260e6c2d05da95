// What C++ hands to the assembly of attention.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/fields.h"

// clang-format off
/// The exponentials of two rows, a and b (or twice the same): block_neon.hpp.
#define KAI_POWERS(field)                                                                                             \
    field(Float4, 16, c2) field(Float4, 16, c1) field(Float4, 16, c0)  /* of the polynomial, four times each */       \
    field(Byte16, 16, ones)                                            /* bf16 */                                     \
    field(Float4, 16, offset_a) field(Float4, 16, offset_b)            /* C - M, four times */                        \
    field(float, 4, scale_a) field(float, 4, scale_b) field(float, 4, c3) field(float, 4, lower_a)                     \
    field(float, 4, lower_b)
// clang-format on
KAI_OFFSETS(POWERS, KAI_POWERS)
#if !defined(__ASSEMBLER__)
namespace kai::attention {
namespace {
KAI_STRUCT(Powers, KAI_POWERS);
}  // namespace
}  // namespace kai::attention
#endif
