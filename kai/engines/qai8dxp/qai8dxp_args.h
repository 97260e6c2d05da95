// Rows quantised at run time (qai8dxp): a call of a kernel, as the engines see it, and what assembly is called with.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once
// clang-format off

#include "kai/engines/core/fields.h"

/// A call.
#define KAI_PROBLEM(field)                                            \
    field(size_t, 8, m)                                               \
    field(size_t, 8, n)                                               \
    field(size_t, 8, k)                                               \
    field(size_t, 8, bl)                                              \
    field(const uint8_t*, 8, lhs)                                     \
    field(const uint8_t*, 8, rhs)                                     \
    field(void*, 8, dst)                                              \
    field(size_t, 8, dst_stride)                                      \
    field(float, 4, lo)                                               \
    field(float, 4, hi)                                               \
    field(const int32_t*, 8, lut) /* int2: the four weights */        \
    field(size_t, 8, nr)          /* columns of a panel of the RHS */ \
    field(size_t, 8, lhs_stride)  /* from panel to panel */           \
    field(size_t, 8, rhs_stride)                                      \
    field(RhsKind, 8, rhs_kind)                                       \
    field(OutKind, 8, out)
KAI_OFFSETS(PROBLEM, KAI_PROBLEM)

#if !defined(__ASSEMBLER__)
#include "kai/engines/core/layout.hpp"

namespace kai {

/// Elements of the RHS: those of a packed format of layout.hpp.
enum class RhsKind : size_t { int8, int4, int2, int4_blocks };
enum class OutKind : size_t { f32, f16, bf16, sums };  // assembly knows the numbers; sums: int32, of one row

KAI_STRUCT(Problem, KAI_PROBLEM);  // not in an unnamed namespace: other sources define functions that take it

namespace {

constexpr RhsKind rhs_kind(const Format& f) {
    return f.block_tail != 0 ? RhsKind::int4_blocks
           : f.bits == 8     ? RhsKind::int8
           : f.bits == 4     ? RhsKind::int4
                             : RhsKind::int2;
}

/// Steps of 32 k in a part of a block of bl: the block, or the largest equal parts of it with at most 256 k, so that
/// integer sums stay short (ShortSum).
KAI_INLINE size_t part_steps(size_t bl) {
    const size_t steps = bl / 32;
    if (steps <= 8) {
        return steps;
    }
    for (size_t part = 8;; --part) {
        if (steps % part == 0) {
            return part;
        }
    }
}

/// Bytes of an output element.
constexpr size_t element_bytes(OutKind out) {
    return out == OutKind::f32 ? 4 : 2;
}

}  // namespace
}  // namespace kai
#endif

/// NEON. State of a panel of 4 rows: offsets, scales and partial sums (int32 or f32), these in register order.
#define KAI_PANEL(field)                                               \
    field(Float4x4, 64, sums)                                          \
    field(Float2x4, 32, offsets) /* int32, or f32 for RHS in blocks */ \
    field(Float2x4, 32, scales)
KAI_OFFSETS(PANEL, KAI_PANEL)

/// Four columns.
#define KAI_QUAD(field)                                                                      \
    field(Float2x4, 32, column_sums)     /* int32, or f32 for RHS in blocks */               \
    field(Float2x4, 32, column_scales)                                                       \
    field(Float4, 16, bias)                                                                  \
    field(const int8_t*, 8, rhs)                                                             \
    field(const float*, 8, block_scales) /* two vectors per block for SMMLA, one for SDOT */ \
    field(size_t, 8, dst)                /* bytes from GemmArgs::dst */                      \
    field(size_t, 8, clamps)             /* 0: no result can be out of bounds */
KAI_OFFSETS(QUAD, KAI_QUAD)

/// The fields that GemmArgs and FewArgs begin with.
#define KAI_ROWS_AND_BOUNDS(field)                                      \
    field(Float4, 16, start)       /* of the integer sums of a block */ \
    field(Float4, 16, lo)                                               \
    field(Float4, 16, hi)                                               \
    field(const uint8_t*, 8, lhs)                                       \
    field(size_t, 8, panel_stride) /* of lhs */

/// At least one tile, at least one quad.
#define KAI_GEMM_ARGS(field)                                         \
    KAI_ROWS_AND_BOUNDS(field)                                       \
    field(size_t, 8, steps)                                          \
    field(size_t, 8, blocks)                                         \
    field(Panel*, 8, panels)                                         \
    field(size_t, 8, tiles)                                          \
    field(const Quad*, 8, quads)                                     \
    field(size_t, 8, quad_count)                                     \
    field(uint8_t*, 8, dst)                                          \
    field(size_t, 8, row_stride)   /* of dst, from row to row */     \
    field(size_t, 8, dst_stride)   /* of dst, from panel to panel */ \
    field(size_t, 8, resume)                                         \
    field(size_t, 8, last)                                           \
    field(OutKind, 8, out)
KAI_OFFSETS(GEMM_ARGS, KAI_GEMM_ARGS)

/// A decoder makes int8 of quads: reads each at its rhs, writes them one after the other from `out` on, and sets rhs to
/// the decoded quad. At least one quad and one step. Signed nibbles become 16 times the weights.
#define KAI_DECODE_ARGS(field)                                                                        \
    field(Quad*, 8, quads)                                                                            \
    field(size_t, 8, quad_count)                                                                      \
    field(int8_t*, 8, out)                                                                            \
    field(size_t, 8, steps)                                                                           \
    field(size_t, 8, vector_1)    /* offsets of the four vectors of a step: 0, vector_1, vector_2 and their sum */ \
    field(size_t, 8, vector_2)                                                                                    \
    field(size_t, 8, step)        /* bytes from step to step */                                       \
    field(size_t, 8, gap)         /* bytes after each block, which has */                             \
    field(size_t, 8, block_steps) /* steps; as many of the first one are to be decoded: */            \
    field(size_t, 8, first_steps)                                                                     \
    field(const int32_t*, 8, lut) /* int2: the four weights */
KAI_OFFSETS(DECODE_ARGS, KAI_DECODE_ARGS)

/// The tile functions for a number of rows, by the quads of a tile; null: there is none.
#define KAI_FEW_TILES(field)     \
    field(FewTileFn*, 8, four)   \
    field(FewTileFn*, 8, two)    /* if `one` is null, an odd quad at the end is both halves of a pair */ \
    field(FewTileFn*, 8, one)
KAI_OFFSETS(FEW_TILES, KAI_FEW_TILES)

/// Up to 8 rows, of one panel of the LHS or of two, times all columns. The RHS is decoded in registers. Results are
/// those of the tile functions. At least one row, at least one quad.
#define KAI_FEW_ARGS(field)                                                                               \
    KAI_ROWS_AND_BOUNDS(field)                                                                            \
    field(const uint8_t*, 8, rhs)                                                                         \
    field(size_t, 8, next_pair)      /* bytes from a pair of quads to the next: elements and fields */     \
    field(size_t, 8, odd_quad)       /* bytes to the second quad of a pair: of its elements, */           \
    field(size_t, 8, odd_quad_fields) /* of its fields */                                                 \
    field(size_t, 8, fields)         /* from elements of a quad to its fields */                          \
    field(uint8_t*, 8, dst)                                                                               \
    field(size_t, 8, quads)                                                                               \
    field(FewTiles, 24, tiles)                                                                         \
    field(size_t, 8, row_stride)                                                                          \
    field(size_t, 8, last_stride) /* to the last row of a tile: 0 if that row does not exist */             \
    field(size_t, 8, depth)          /* steps of 32 k */                                                  \
    field(size_t, 8, nr)             /* columns of a panel of the RHS */                                  \
    field(size_t, 8, steps)          /* to scale_distance: as in RowBlocksFn */                           \
    field(size_t, 8, blocks)                                                                              \
    field(size_t, 8, scale_distance)                                                                      \
    field(const int32_t*, 8, lut)    /* int2 */                                                           \
    field(OutKind, 8, out)                                                                                \
    field(size_t, 8, clamps)         /* all bits set; or 0, per channel: no clamp needed if scales, bias < 2 */
KAI_OFFSETS(FEW_ARGS, KAI_FEW_ARGS)
