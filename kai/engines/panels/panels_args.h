// Arguments of the kernels with two packed sides.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once
// clang-format off

#include "kai/engines/core/fields.h"

#define KAI_PANEL_ARGS(field)                                                                             \
    field(size_t, 8, m)                           /* not 0 */                                             \
    field(size_t, 8, n)                           /* not 0 */                                             \
    field(size_t, 8, depth)                       /* 32-bit words of a row; may be 0 */                   \
    field(const void*, 8, lhs)                                                                            \
    field(size_t, 8, lhs_stride)                  /* bytes from a panel to the next */                    \
    field(const void*, 8, rhs)                                                                            \
    field(size_t, 8, rhs_stride)                                                                          \
    field(void*, 8, dst)                                                                                  \
    field(size_t, 8, dst_stride)                  /* bytes from a row to the next */                      \
    field(uint32_t, 4, lo)                        /* bits of the clamp bounds: f32, int32, f16 for f16 */ \
    field(uint32_t, 4, hi)                                                                                \
    field(size_t, 8, rhs_tail, = 0)               /* bytes to the tail of an RHS panel, if it has one */  \
    field(const void*, 8, row_bias, = nullptr)    /* from here on: what only some kernels need */         \
    field(const void*, 8, column_bias, = nullptr)                                                         \
    field(const void*, 8, output_bias, = nullptr) /* per column, added to the scaled result */            \
    field(uint32_t, 4, scale, = 0)                /* f32, of the whole output, bit by bit */              \
    field(int32_t, 4, zero_point, = 0)            /* of the output */                                     \
    field(const void*, 8, table, = nullptr)       /* for ZT0 */
KAI_OFFSETS(PANEL_ARGS, KAI_PANEL_ARGS)
