// Arguments of the kernels with FMLA.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once
// clang-format off

#include "kai/engines/core/fields.h"

/// NEON: one panel, or 4 vectors of columns of a K x N matrix, times m >= 1 rows.
#define KAI_FLOAT_GEMM_ARGS(field)                                                            \
    field(FloatBounds, 32, bounds) /* lowest and highest result, in every lane of a vector */ \
    field(FloatBounds, 32, zeros)  /* K x N only; `from=dst`: a pointer to where all rows */  \
                                   /* start, NULL: at dst */                                  \
    field(const void*, 8, lhs) field(size_t, 8, lhs_stride)                                   \
    field(const void*, 8, panel)                                                              \
    field(size_t, 8, rhs_stride)   /* from a k to the next */                                 \
    field(void*, 8, dst)                                                                      \
    field(size_t, 8, dst_stride)                                                              \
    field(size_t, 8, m)                                                                       \
    field(size_t, 8, depth)        /* k in bytes */                                           \
    field(const void*, 8, bias) field(size_t, 8, narrow)  /* f16 on panels of SME: its bias; 1: results are f16 */
KAI_OFFSETS(FLOAT_GEMM_ARGS, KAI_FLOAT_GEMM_ARGS)

/// NEON, f16 with sums in f32: 32 columns, packed or of a K x N matrix, times m >= 1 rows.
#define KAI_WIDENED_ARGS(field)                                                               \
    field(FloatBounds, 32, bounds) /* lowest and highest result, in every lane of a vector */ \
    field(const void*, 8, bias)    /* of 32 columns, f16 */                                   \
    field(const void*, 8, columns) /* of k = 0 */                                             \
    field(size_t, 8, rhs_stride)   /* from a k to the next */                                 \
    field(const void*, 8, lhs)                                                                \
    field(size_t, 8, lhs_stride)                                                              \
    field(void*, 8, dst)                                                                      \
    field(size_t, 8, dst_stride)                                                              \
    field(size_t, 8, m)                                                                       \
    field(size_t, 8, depth)          /* k */                                                  \
    field(const void*, 8, bias_1)    /* one row times 64 columns: of the second 32 columns */ \
    field(const void*, 8, columns_1)
KAI_OFFSETS(WIDENED_ARGS, KAI_WIDENED_ARGS)

/// SVE: rows of the LHS, k in chunks.
#define KAI_SVE_ROWS(field)                                                                  \
    field(size_t, 8, length)    /* elements of a chunk */                                    \
    field(size_t, 8, chunks)    /* 0: the result is the bias */                              \
    field(const void*, 8, pad)  /* table: pointers equal to this one stay where they are, */ \
    field(size_t, 8, offset)    /* others are moved by this many bytes */                    \
    field(size_t, 8, stride)    /* no table: bytes from a row to the next */                 \
    field(size_t, 8, has_table) /* 0 or 1 */
KAI_OFFSETS(SVE_ROWS, KAI_SVE_ROWS)

/// SVE: what all panels of a call share.
#define KAI_SVE_PANEL(field)                                                        \
    field(SveRows, 48, rows)                                                        \
    field(size_t, 8, dst_stride)                                                    \
    field(uint32_t, 4, lo) /* bits of the clamp bounds; of f16 in the lower half */ \
    field(uint32_t, 4, hi)
KAI_OFFSETS(SVE_PANEL, KAI_SVE_PANEL)
