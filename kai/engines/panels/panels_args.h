// Arguments of the kernels with two packed sides.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once
// clang-format off

#include "kai/engines/core/fields.h"

#define KAI_PANEL_ARGS(field)                                                                              \
    field(size_t, 8, m)                           /* not 0 */                                              \
    field(size_t, 8, n)                           /* not 0 */                                              \
    field(size_t, 8, depth)                       /* 32-bit words of a row; may be 0 */                    \
    field(const void*, 8, lhs)                                                                             \
    field(const void*, 8, rhs)                                                                             \
    field(void*, 8, dst)                                                                                   \
    field(size_t, 8, dst_stride)                  /* bytes from a row to the next */                       \
    field(size_t, 8, lhs_half, = 0)               /* bytes to the lower half of a step, in other panels */ \
    field(size_t, 8, rhs_half, = 0)               /* from heads and tails of the left half to the right */ \
    field(size_t, 8, rhs_heads, = 0)              /* from the heads to the first depth group */            \
    field(SmePanelsPart*, 8, start, = nullptr)                                                             \
    field(SmePanelsPart*, 8, multiply, = nullptr)                                                          \
    field(SmePanelsPart*, 8, store, = nullptr)                                                             \
    field(uint32_t, 4, lo, = 0)                   /* bits of the clamp bounds: f32, int32, f16 for f16 */  \
    field(uint32_t, 4, hi, = 0)                                                                            \
    field(size_t, 8, lhs_step, = 0)               /* bytes to the next step */                             \
    field(size_t, 8, rhs_step, = 0)                                                                        \
    field(size_t, 8, dst_step, = 0)               /* bytes of the columns of a step */                     \
    field(size_t, 8, rhs_tail, = 0)               /* bytes to the tail of an RHS panel, if it has one */   \
    field(const void*, 8, row_bias, = nullptr)    /* from here on: fields that only some kernels use */    \
    field(const void*, 8, column_bias, = nullptr)                                                          \
    field(const void*, 8, output_bias, = nullptr) /* per column, added to the scaled result */             \
    field(uint32_t, 4, scale, = 0)                /* f32, of the whole output, bit by bit */               \
    field(int32_t, 4, zero_point, = 0)            /* of the output */                                      \
    field(const void*, 8, table, = nullptr)       /* for ZT0 */
KAI_OFFSETS(PANEL_ARGS, KAI_PANEL_ARGS)
