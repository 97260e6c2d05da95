// Arguments of the NEON and SVE kernels with both sides in blocks. SME: blocks_sme_args.h.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once
// clang-format off

#include "kai/engines/core/fields.h"

/// NEON: tiles of some panels (of 4 rows) x `quads` quads, each adding `blocks` blocks.
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

/// Blocks of any length, at least one: blocks_neon_long.inc, blocks_neon_dotprod_long_row.S. A step: 32 k, 16 low
/// and 16 high. `fields`: from the elements of a block to its fields; `jump`: from its last step to the next block.
#define KAI_LONG_ARGS(field)                                                                      \
    field(const uint8_t*, 8, lhs)    /* low k of the first block */                               \
    field(size_t, 8, lhs_stride)                                                                  \
    field(size_t, 8, high_k)         /* bytes from low k to high ones */                          \
    field(size_t, 8, blocks)                                                                      \
    field(size_t, 8, lhs_step)       /* bytes */                                                  \
    field(size_t, 8, rhs_step)                                                                    \
    field(size_t, 8, lhs_jump)                                                                    \
    field(size_t, 8, rhs_jump)                                                                    \
    field(size_t, 8, lhs_fields)                                                                  \
    field(size_t, 8, rhs_fields)                                                                  \
    field(size_t, 8, steps)          /* of a block */                                             \
    field(size_t, 8, kind)           /* LONG_ */                                                  \
    field(size_t, 8, next_group)     /* bytes from a quad's group of k to its next one */         \
    field(size_t, 8, next_group_16)  /* and 16 more */                                            \
    field(float*, 8, tiles)          /* sums of a row: 16 for each four quads */                  \
    field(size_t, 8, quads)          /* a row: fours of them; at least one */                     \
    field(const uint8_t*, 8, rhs)    /* elements of the first quad */                             \
    field(size_t, 8, rhs_stride)     /* from quad to quad, or from four to four */                \
    field(size_t, 8, tile_step)      /* tiles: bytes from quad to quad */                         \
    field(size_t, 8, resume)         /* tiles, not 0: `tiles` holds sums of one panel */          \
    field(size_t, 8, quad_1)         /* a row: from the first of four quads to the others */      \
    field(size_t, 8, quad_2)                                                                      \
    field(size_t, 8, quad_3)                                                                      \
    field(size_t, 8, odd)            /* a row: added to rhs_fields for the second and the fourth quad */
KAI_OFFSETS(LONG_ARGS, KAI_LONG_ARGS)

/// Bits of KAI_LONG_ARGS' kind: the RHS is int8; zeros and scales of columns, sums and scales of rows, f32; scales of
/// columns are bf16.
#define LONG_INT8 0
#define LONG_ZEROS 1
#define LONG_BF16 2
