// Arguments of the kernels for blocks of any length.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once
// clang-format off

#include "kai/engines/core/fields.h"

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

#if !defined(__ASSEMBLER__)
// clang-format on
#include "kai/engines/blocks/blocks_neon.hpp"

namespace kai {

KAI_STRUCT(LongArgs, KAI_LONG_ARGS);  // not in an unnamed namespace: other sources define functions that take it

namespace {

/// The arguments that depend on the formats and on the length of blocks.
KAI_INLINE LongArgs long_args(const BlockOperands& of, size_t bl, size_t blocks, size_t group) {
    const bool zeros = of.scales == BlockScales::zeros;
    const bool near = of.is_int8 || of.nibble_distance != 0;  // high k follow 16 low ones
    LongArgs a;
    a.blocks = blocks;
    a.steps = bl / 32;
    a.high_k = (near ? 16 : bl / 2) * of.lhs.rows;
    a.lhs_step = (near ? 32 : 16) * of.lhs.rows;
    a.rhs_step = 4 * of.rhs.bytes_of_8;
    a.lhs_jump = of.lhs.block_bytes(bl) - (a.steps - 1) * a.lhs_step;
    a.rhs_jump = of.rhs.block_bytes(bl) - (a.steps - 1) * a.rhs_step;
    a.lhs_fields = zeros ? bl / 8 * of.lhs.bytes_of_8 : 0 - of.lhs.fields;
    a.rhs_fields = zeros ? bl / 8 * of.rhs.bytes_of_8 : 0 - of.rhs.fields;
    a.next_group = group * of.rhs.rows;
    a.next_group_16 = a.next_group + 16;
    a.kind = size_t{of.is_int8} << LONG_INT8 | size_t{zeros} << LONG_ZEROS | size_t{of.bf16_scales} << LONG_BF16;
    return a;
}

/// The first elements of a panel.
KAI_INLINE const uint8_t* first_elements(const BlockOperands& of, const BlockOperand& side, const uint8_t* panel) {
    return of.scales == BlockScales::zeros ? panel : panel + side.fields;
}

}  // namespace
}  // namespace kai
#endif
