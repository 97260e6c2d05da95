// Arguments of the depthwise kernels.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once
// clang-format off

#include "kai/engines/core/fields.h"

/// Bytes, except for the counts of rows, columns and channels.
#define KAI_DWCONV_IMAGE(field)                                                                      \
    field(uint32_t, 4, lo)      /* clamp bounds; of f16 in the lower half */                         \
    field(uint32_t, 4, hi)                                                                           \
    field(const void*, 8, src)                                                                       \
    field(const void*, 8, weights)                                                                   \
    field(void*, 8, dst)                                                                             \
    field(size_t, 8, channels)                                                                       \
    field(size_t, 8, src_rows)                                                                       \
    field(size_t, 8, src_cols)                                                                       \
    field(size_t, 8, dst_rows)                                                                       \
    field(size_t, 8, dst_cols)                                                                       \
    field(size_t, 8, pad_top)                                                                        \
    field(size_t, 8, pad_left)                                                                       \
    field(size_t, 8, src_stride_row)                                                                 \
    field(size_t, 8, src_stride_col)                                                                 \
    field(size_t, 8, dst_stride_row)                                                                 \
    field(size_t, 8, dst_stride_col)                                                                 \
    field(size_t, 8, whole)     /* runs of three steps with all inputs and whole outputs: [whole, */ \
    field(size_t, 8, whole_end) /* whole_end); whole = ~0: there are none */
KAI_OFFSETS(DWCONV_IMAGE, KAI_DWCONV_IMAGE)
