// Arguments of the depthwise kernels that find the pixels of a tile through a table of pointers.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once
// clang-format off

#include "kai/engines/core/fields.h"

#if !defined(__ASSEMBLER__)
namespace kai {
namespace {
using Pixels = const uint8_t* const*;
using Outputs = uint8_t* const*;
}  // namespace
}  // namespace kai
#endif

#define KAI_DWCONV_TILE(field)                                                         \
    field(Pixels, 8, src)          /* pointers to the pixels of the tile */            \
    field(Outputs, 8, dst)         /* pointers to its outputs */                       \
    field(const uint8_t*, 8, weights)                                                  \
    field(size_t, 8, src_offset)   /* added to each pointer */                         \
    field(size_t, 8, dst_offset)                                                       \
    field(size_t, 8, blocks)       /* of channels: one vector each; at least one */    \
    field(uint32_t, 4, lo)         /* clamp bounds; of f16 in the lower half */        \
    field(uint32_t, 4, hi)                                                             \
    field(uint32_t, 4, zero)       /* int8: added to results; the lowest byte counts */
KAI_OFFSETS(DWCONV_TILE, KAI_DWCONV_TILE)

#define KAI_DWCONV_TILES_SME(field)                                                    \
    field(Pixels, 8, src)          /* as above, of all tiles */                        \
    field(Outputs, 8, dst)                                                             \
    field(const uint8_t*, 8, weights)                                                  \
    field(size_t, 8, src_offset)                                                       \
    field(size_t, 8, dst_offset)                                                       \
    field(size_t, 8, tiles)        /* at least one */                                  \
    field(size_t, 8, row)          /* bytes of the channels of a pixel; at least one */ \
    field(uint32_t, 4, lo)                                                             \
    field(uint32_t, 4, hi)                                                             \
    field(uint32_t, 4, zero)
KAI_OFFSETS(DWCONV_TILES_SME, KAI_DWCONV_TILES_SME)
