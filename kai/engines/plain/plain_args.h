// Arguments of the assembly that multiplies without packing.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once
// clang-format off

#include "kai/engines/core/fields.h"

/// 4 vectors of columns of a K x N matrix times m >= 1 rows.
#define KAI_PLAIN_PANEL_ARGS(field)                                                            \
    field(PlainVectors, 32, bounds) /* lowest and highest result, in every lane of a vector */ \
    field(PlainVectors, 32, zeros)                                                             \
    field(const void*, 8, lhs)                                                                 \
    field(size_t, 8, lhs_stride)                                                               \
    field(const void*, 8, rhs)                                                                 \
    field(size_t, 8, rhs_stride)                                                               \
    field(void*, 8, dst)                                                                       \
    field(size_t, 8, dst_stride)                                                               \
    field(size_t, 8, m)                                                                        \
    field(size_t, 8, depth)         /* k in bytes */
KAI_OFFSETS(PLAIN_PANEL_ARGS, KAI_PLAIN_PANEL_ARGS)
