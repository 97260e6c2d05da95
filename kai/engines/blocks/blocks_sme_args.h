// Arguments of the SME kernels with both sides in blocks: all rows and columns.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once
// clang-format off

#include "kai/engines/core/fields.h"

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
    field(const int32_t*, 8, table) /* values of nibbles, for ZT0 */     \
    field(float, 4, lo)                                                  \
    field(float, 4, hi)                                                  \
    field(size_t, 8, rhs_head)      /* bytes in front of the blocks of a panel; rhs is past them */ \
    field(size_t, 8, dst_shift, = 2) /* log2 of the bytes of a result: f32, or 1: f16 */
KAI_OFFSETS(BLOCK_ARGS, KAI_BLOCK_ARGS)
