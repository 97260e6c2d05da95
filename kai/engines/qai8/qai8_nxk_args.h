// Arguments of the tiles of low precision whose columns are not packed (qai8_nxk_neon_dotprod.cpp).
//
// SPDX-License-Identifier: Apache-2.0
#pragma once
// clang-format off

#include "kai/engines/core/fields.h"

#if !defined(__ASSEMBLER__)
namespace kai {
namespace {
using NxkColumns = const uint8_t*[16];
using NxkSums = int32_t[5][16];
}  // namespace
}  // namespace kai
#endif

/// 1 to 4 rows x up to 16 columns.
#define KAI_QAI8_NXK_ARGS(field)                                                                     \
    field(NxkColumns, 128, columns)      /* each of them; those that do not exist: any other */      \
    field(NxkSums, 320, sums)            /* [row][column]; the last ones are those of columns, of */ \
                                         /* tiles that make them */                                  \
    field(const uint8_t*, 8, lhs)        /* the first row */                                         \
    field(size_t, 8, lhs_stride)                                                                     \
    field(size_t, 8, whole)              /* k / 16 * 16 */                                           \
    field(const uint8_t*, 8, lhs_tail)   /* the last k % 16 of the rows, 16 bytes apart, padded */   \
                                         /* with zeros; NULL: there are none */                      \
    field(const uint8_t*, 8, rhs_tail)   /* of all 16 columns, in the same way */                    \
    field(size_t, 8, count)              /* of columns, > 0 */
KAI_OFFSETS(QAI8_NXK_ARGS, KAI_QAI8_NXK_ARGS)
