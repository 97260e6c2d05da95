// Arguments of the kernels for one row.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once
// clang-format off

#include "kai/engines/core/fields.h"

/// Sizes in bytes, except the first two.
#define KAI_ROW_ARGS(field)                                                                 \
    field(size_t, 8, n)                                                                     \
    field(size_t, 8, width)      /* columns of a panel */                                   \
    field(size_t, 8, row_bytes)  /* of the LHS */                                           \
    field(const void*, 8, lhs)                                                              \
    field(const void*, 8, rhs)                                                              \
    field(size_t, 8, rhs_stride) /* from panel to panel */                                  \
    field(size_t, 8, head)       /* of a panel, before the elements */                      \
    field(size_t, 8, tail_skip)  /* from the last element within k to the panel's tail */   \
    field(void*, 8, dst)                                                                    \
    field(const Table*, 8, table)                                                           \
    field(float, 4, lo)          /* bounds: f32, or int32 bit by bit */                     \
    field(float, 4, hi)                                                                     \
    field(int32_t, 4, zero_point)
KAI_OFFSETS(ROW_ARGS, KAI_ROW_ARGS)
