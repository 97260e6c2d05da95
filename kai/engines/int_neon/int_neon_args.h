// Arguments of the tiles without SDOT.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once
// clang-format off

#include "kai/engines/core/fields.h"

/// Up to 4 rows, of one panel, x `quads` panels of 4 columns. At least one of each.
#define KAI_MLAL_ARGS(field)                                                       \
    field(Float4, 16, lo)                                                          \
    field(Float4, 16, hi)                                                          \
    field(const uint8_t*, 8, lhs)                                                  \
    field(const uint8_t*, 8, rhs)                                                  \
    field(size_t, 8, rhs_stride)     /* from panel to panel */                     \
    field(uint8_t*, 8, dst)                                                        \
    field(size_t, 8, row_stride)     /* of dst */                                  \
    field(size_t, 8, quads)                                                        \
    field(size_t, 8, steps)          /* of 32 k, in all or of a part of a block */ \
    field(size_t, 8, blocks)                                                       \
    field(size_t, 8, scale_distance) /* from the end of its first part */
KAI_OFFSETS(MLAL_ARGS, KAI_MLAL_ARGS)
