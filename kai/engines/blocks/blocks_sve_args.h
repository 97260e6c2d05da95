// Arguments of the SVE tiles with both operands in blocks.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once
// clang-format off

#include "kai/engines/core/fields.h"

/// SMMLA of SVE, the columns of a vector: sums += `blocks` >= 1 blocks.
#define KAI_SVE_TILE_ARGS(field)                                                      \
    field(Float4, 16, start)         /* of the integer sums */                        \
    field(const uint8_t*, 8, lhs)                                                     \
    field(size_t, 8, lhs_stride)                                                      \
    field(const uint8_t*, 8, scales) /* of the columns, in the first block */         \
    field(const uint8_t*, 8, elements)                                                \
    field(const float*, 8, row_scales)                                                \
    field(float*, 8, sums)           /* 8 for rows 01, 8 for rows 23 of each panel */ \
    field(size_t, 8, blocks)                                                          \
    field(size_t, 8, width)
KAI_OFFSETS(SVE_TILE_ARGS, KAI_SVE_TILE_ARGS)
