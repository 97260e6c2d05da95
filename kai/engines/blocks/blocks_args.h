// Arguments of the kernels with both sides in blocks. Tiles of NEON: int_neon_args.h.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once
// clang-format off

#include "kai/engines/core/fields.h"

/// SME.
#define KAI_BLOCK_ARGS(field)                                            \
    field(size_t, 8, m)                                                  \
    field(size_t, 8, n)                                                  \
    field(size_t, 8, blocks)        /* of a row */                       \
    field(size_t, 8, chunks)        /* of 32 values in a block */        \
    field(const void*, 8, lhs)                                           \
    field(size_t, 8, lhs_stride)    /* bytes from a panel to the next */ \
    field(const void*, 8, rhs)                                           \
    field(size_t, 8, rhs_stride)                                         \
    field(void*, 8, dst)                                                 \
    field(size_t, 8, dst_stride)                                         \
    field(const int32_t*, 8, table) /* what a nibble means, for ZT0 */   \
    field(float, 4, lo)                                                  \
    field(float, 4, hi)                                                  \
    field(size_t, 8, rhs_head)      /* bytes in front of the blocks of a panel; rhs is past them */ \
    field(size_t, 8, dst_shift, = 2) /* log2 of the bytes of a result: f32, or 1: f16 */
KAI_OFFSETS(BLOCK_ARGS, KAI_BLOCK_ARGS)

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
