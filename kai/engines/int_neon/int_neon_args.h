// Arguments of the tiles of rows and an RHS in blocks.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once
// clang-format off

#include "kai/engines/core/fields.h"

/// Tiles of some panels (of 4 rows) x `quads` quads, each adding `blocks` blocks.
#define KAI_TILE_ARGS(field)                                                                              \
    field(Float4, 16, start)           /* of the integer sums */                                          \
    field(Byte16, 16, mask)            /* of the high nibbles; with a table of the low ones */            \
    field(Byte16, 16, table)           /* of values of nibbles */                                         \
    field(const uint8_t*, 8, lhs)                                                                         \
    field(size_t, 8, lhs_stride)                                                                          \
    field(const uint8_t*, 8, rhs)                                                                         \
    field(size_t, 8, rhs_stride)       /* from panel to panel */                                          \
    field(const float*, 8, row_scales) /* in the order of blocks, then panels; not all tiles need them */ \
    field(float*, 8, tiles)            /* out, 16 floats per panel */                                     \
    field(size_t, 8, blocks)           /* at least one */                                                 \
    field(size_t, 8, quads)            /* at least one */                                                 \
    field(size_t, 8, resume)           /* not 0: `tiles` holds sums of earlier blocks */                  \
    field(size_t, 8, bl)                                                                                  \
    field(size_t, 8, bf16)             /* not 0: so are the scales of columns; with a table */
KAI_OFFSETS(TILE_ARGS, KAI_TILE_ARGS)

/// Without SDOT: up to 4 rows, of one panel, x `quads` panels of 4 columns. At least one of each.
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
