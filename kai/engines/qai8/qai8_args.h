// Arguments of the tiles of static int8 (qai8_neon.hpp).
//
// SPDX-License-Identifier: Apache-2.0
#pragma once
// clang-format off

#include "kai/engines/core/fields.h"

/// Panels of 16 columns, and for each of them tiles of the same number of rows. k is read from the rows as they lie, 16
/// at a time, then from what is packed or copied.
#define KAI_QAI8_ARGS(field)                                                                                    \
    field(Byte16, 16, zero)                /* the zero point: int32 if exact, else int16 */                     \
    field(Byte16, 16, rounds)              /* f32: 1.5 * 2^23, plus the zero point unless adds_zero */          \
    field(Byte16, 16, lo)                  /* bounds of results, int8 */                                        \
    field(Byte16, 16, hi)                                                                                       \
    field(const uint8_t*, 8, lhs)          /* the first row, or its pointers */                                 \
    field(size_t, 8, lhs_stride)                                                                                \
    field(size_t, 8, last_lhs_stride)      /* of the last tile, to its last row; 0: one row twice */            \
    field(size_t, 8, steps)                /* of 16 k */                                                        \
    field(const uint8_t*, 8, packed)       /* the other k of the first tile */                                  \
    field(size_t, 8, packed_stride)        /* to those of the next tile */                                      \
    field(size_t, 8, groups)               /* of 8 k (SMMLA) or 4 k (SDOT) */                                   \
    field(size_t, 8, tiles)                /* > 0 */                                                            \
    field(const uint8_t*, 8, rhs)          /* the elements of the first panel */                                \
    field(size_t, 8, rhs_stride)           /* from panel to panel, of scales, too */                            \
    field(size_t, 8, panels)               /* > 0 */                                                            \
    field(const uint8_t*, 8, starts)       /* of the sums of the first panel, 16 int32 */                       \
    field(const uint8_t*, 8, scales)       /* 16 f32 */                                                         \
    field(uint8_t*, 8, dst)                                                                                     \
    field(size_t, 8, dst_stride)                                                                                \
    field(size_t, 8, last_dst_stride)      /* as last_lhs_stride */                                             \
    field(size_t, 8, starts_stride)        /* from panel to panel */                                            \
    field(size_t, 8, dst_width)            /* bytes of 16 columns of dst */                                     \
    field(size_t, 8, sums)                 /* whether dst gets the sums: 16 int32 of each row */                \
    field(size_t, 8, exact)                /* whether scaled sums may be beyond int16, or zero is */            \
    field(size_t, 8, adds_zero)            /* not exact: whether zero is added to what is rounded */            \
    field(size_t, 8, clamps)               /* whether bounds are not those of int8 */                           \
    field(size_t, 8, chunks)               /* rows through a table (SDOT): of `steps` each */                   \
    field(const void*, 8, pad)             /* pointers equal to this one stay where they are, */                \
    field(size_t, 8, offset)               /* others are moved by this many bytes */                            \
    field(const uint8_t*, 8, carry_in)     /* SMMLA: sums of earlier k in place of starts; NULL: none */        \
    field(uint8_t*, 8, carry_out)          /* SMMLA: takes the sums in place of dst; NULL: there are no more k */
KAI_OFFSETS(QAI8_ARGS, KAI_QAI8_ARGS)
