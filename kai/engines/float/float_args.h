// Arguments of the kernels with FMLA on NEON.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once
// clang-format off

#include "kai/engines/core/fields.h"

/// One panel, or 4 vectors of columns of a K x N matrix, times m >= 1 rows, which lie lhs_stride apart or are found
/// through a table of pointers (float_neon_table.inc).
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
    field(size_t, 8, clamps)       /* 0: bounds are infinite; results go out as they are */   \
    field(const void*, 8, bias) field(size_t, 8, narrow) /* f16 on panels of SME: its bias; 1: results are f16 */ \
    field(size_t, 8, chunks)       /* table: of `depth` each; 0: the result is the bias */    \
    field(const void*, 8, pad)     /* pointers equal to this one stay where they are, */      \
    field(size_t, 8, offset)       /* others are moved by this many bytes */
KAI_OFFSETS(FLOAT_GEMM_ARGS, KAI_FLOAT_GEMM_ARGS)

/// f16 with sums in f32: 32 columns, packed or of a K x N matrix, times m >= 1 rows.
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
