// Arguments of the assembly that multiplies without packing.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once
// clang-format off

#include "kai/engines/core/fields.h"

/// SVE: up to 4 or 8 vectors of columns of a K x N matrix times m >= 1 rows.
#define KAI_PLAIN_SVE_ARGS(field)                                                   \
    field(const void*, 8, lhs)                                                      \
    field(size_t, 8, lhs_stride)                                                    \
    field(const void*, 8, rhs)                                                      \
    field(size_t, 8, rhs_stride)                                                    \
    field(void*, 8, dst)                                                            \
    field(size_t, 8, dst_stride)                                                    \
    field(size_t, 8, m)                                                             \
    field(size_t, 8, n)    /* >= 1; columns beyond the panel are ignored */         \
    field(size_t, 8, k)                                                             \
    field(uint32_t, 4, lo) /* bits of the clamp bounds; of f16 in the lower half */ \
    field(uint32_t, 4, hi)
KAI_OFFSETS(PLAIN_SVE_ARGS, KAI_PLAIN_SVE_ARGS)
