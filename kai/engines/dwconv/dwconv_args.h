// Arguments of the depthwise kernels.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once
// clang-format off

#include "kai/engines/core/fields.h"

#if !defined(__ASSEMBLER__)
namespace kai {
namespace {
/// Rows and columns: of an image, of padding, from one to the next in bytes.
struct DwconvPair {
    size_t row, col;
};
}  // namespace
}  // namespace kai
#endif

#define KAI_DWCONV_IMAGE(field)                                                                           \
    field(uint32_t, 4, lo)        /* clamp bounds; of f16 in the lower half */                            \
    field(uint32_t, 4, hi)                                                                                \
    field(const void*, 8, src)                                                                            \
    field(const void*, 8, weights)                                                                        \
    field(void*, 8, dst)                                                                                  \
    field(size_t, 8, channels)                                                                            \
    field(DwconvPair, 16, src_size)                                                                       \
    field(DwconvPair, 16, dst_size)                                                                       \
    field(DwconvPair, 16, pad)    /* above, on the left */                                                \
    field(DwconvPair, 16, src_stride)                                                                     \
    field(DwconvPair, 16, dst_stride)                                                                     \
    field(size_t, 8, whole, = 0)  /* runs of three steps with all inputs and whole outputs: [whole, */    \
    field(size_t, 8, whole_end, = 0) /* whole_end); whole = ~0: there are none */
KAI_OFFSETS(DWCONV_IMAGE, KAI_DWCONV_IMAGE)
