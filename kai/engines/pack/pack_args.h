// Arguments of the packers in streaming mode.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once
// clang-format off

#include "kai/engines/core/fields.h"

/// Rows to panels of 32-bit words.
#define KAI_PACK_ROWS_ARGS(field)                                                                    \
    field(size_t, 8, rows)                                                                           \
    field(size_t, 8, length)   /* source bytes of a chunk of a row */                                \
    field(size_t, 8, chunks)   /* of a row */                                                        \
    field(const void*, 8, src) /* first row, or the table */                                         \
    field(size_t, 8, stride)   /* from row to row; with a table: added to every pointer but pad */   \
    field(const void*, 8, pad)                                                                       \
    field(void*, 8, dst)                                                                             \
    field(size_t, 8, hi)       /* bytes from the first V rows of a unit of 2 V rows to the others */ \
    field(size_t, 8, depth)    /* words from a depth to the next */                                  \
    field(size_t, 8, gap)      /* bytes from the end of a unit to the next one */                    \
    field(size_t, 8, hi_from)  /* the last unit has a panel for the others if it has more rows than this */
KAI_OFFSETS(PACK_ROWS_ARGS, KAI_PACK_ROWS_ARGS)

/// The parts of bias' = bias + sum_scale * sum and scale' = scale * multiplier.
#define KAI_COLUMN_FIELDS(field)                              \
    field(const void*, 8, bias)  /* int32 [n]; null: zeros */ \
    field(const void*, 8, scale) /* f32 [n] */                \
    field(int32_t, 4, sum_scale)                              \
    field(float, 4, multiplier)                               \
    field(uint8_t, 1, flip, = 0) /* int4: what makes two's complement of a byte of the source */
KAI_OFFSETS(COLUMN_FIELDS, KAI_COLUMN_FIELDS)
