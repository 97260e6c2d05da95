// Arguments of the NEON tiles with both operands in blocks. SVE: blocks_sve_args.h. SME: blocks_sme_args.h. Blocks that
// are not of 32: blocks_long_args.h.
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

#if !defined(__ASSEMBLER__)
namespace kai {
KAI_STRUCT(TileArgs, KAI_TILE_ARGS);  // not in an unnamed namespace: other sources define functions that take it
}
#endif
