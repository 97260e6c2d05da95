// What C++ hands to the assembly of Winograd's transforms.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/fields.h"

// clang-format off
/// A row of each of 36 matrices as 4 x 4 pixels.
#define KAI_WINOGRAD_OUTPUT(field)                                                        \
    field(const char*, 8, products)    /* of the first matrix */                          \
    field(char* const*, 8, pixels)     /* row by row */                                   \
    field(const char*, 8, bias)        /* of the channels, f32 */                         \
    field(size_t, 8, stride)           /* bytes from one matrix to the next */            \
    field(size_t, 8, channels)         /* for assembly a multiple of four, not 0 */       \
    field(float, 4, lower) field(float, 4, upper) field(uint32_t, 4, bounded)  /* 0: there are no bounds */
// clang-format on
KAI_OFFSETS(WINOGRAD_OUTPUT, KAI_WINOGRAD_OUTPUT)
