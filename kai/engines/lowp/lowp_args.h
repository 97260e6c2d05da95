// Arguments of the tiles of the low-precision kernels.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once
// clang-format off

#include "kai/engines/core/fields.h"

#if !defined(__ASSEMBLER__)
namespace kai {
namespace {
using LowpSums = int32_t[5][16];
}  // namespace
}  // namespace kai
#endif

/// Some rows x tiles of 4, 8 or 16 columns, side by side.
#define KAI_LOWP_TILE(field)                                                                          \
    field(LowpSums, 320, sums)           /* [row][column]; the last ones are those of columns, of */  \
                                         /* tiles that make them: of the bytes as they lie */         \
    field(Byte16, 16, lhs_flip)          /* what makes the bytes signed */                            \
    field(Byte16, 16, rhs_flip)          /* the same, and inverts the last 8; packed: not used */     \
    field(const uint8_t*, 8, lhs)        /* the first row */                                          \
    field(size_t, 8, lhs_stride)                                                                      \
    field(const uint8_t*, 8, rhs)        /* the first column, or the elements of its panel; moves */  \
                                         /* on with every tile */                                     \
    field(size_t, 8, rhs_stride)         /* to the next column, or the next panel */                  \
    field(const uint8_t*, 8, lhs_tail)   /* the last k % 16 of the rows, 16 bytes apart, padded so */ \
                                         /* that they count as zero; NULL: there are none */          \
    field(const uint8_t*, 8, rhs_tail)   /* of the columns, if they are not packed; moves on, too */  \
    field(size_t, 8, groups)             /* k / 16 */                                                 \
    field(size_t, 8, tiles)              /* > 0 */                                                    \
    field(int32_t*, 8, out)              /* sums of the first column */
KAI_OFFSETS(LOWP_TILE, KAI_LOWP_TILE)
