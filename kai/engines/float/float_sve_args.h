// Arguments of the kernels with FMLA on SVE.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once
// clang-format off

#include "kai/engines/core/fields.h"

/// Rows of the LHS, k in chunks.
#define KAI_SVE_ROWS(field)                                                                  \
    field(size_t, 8, length)    /* elements of a chunk */                                    \
    field(size_t, 8, chunks)    /* 0: the result is the bias */                              \
    field(const void*, 8, pad)  /* table: pointers equal to this one stay where they are, */ \
    field(size_t, 8, offset)    /* others are moved by this many bytes */                    \
    field(size_t, 8, stride)    /* no table: bytes from a row to the next */                 \
    field(size_t, 8, has_table) /* 0 or 1 */
KAI_OFFSETS(SVE_ROWS, KAI_SVE_ROWS)

/// What all panels of a call share.
#define KAI_SVE_PANEL(field)                                                        \
    field(SveRows, 48, rows)                                                        \
    field(size_t, 8, dst_stride)                                                    \
    field(uint32_t, 4, lo) /* bits of the clamp bounds; of f16 in the lower half */ \
    field(uint32_t, 4, hi)                                                          \
    field(size_t, 8, clamps) /* 0: they are infinite */
KAI_OFFSETS(SVE_PANEL, KAI_SVE_PANEL)
