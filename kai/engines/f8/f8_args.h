// Arguments of the kernels with FP8 weights.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once
// clang-format off

#include "kai/engines/core/fields.h"

/// One row times a panel of 12 columns, or 16 columns of one of SME: blocks of k, each with the scales of its columns.
#define KAI_F8_ROW_ARGS(field)                                                                      \
    field(F8Bounds, 32, bounds)     /* lowest and highest result, in every lane of a vector */      \
    field(const void*, 8, row)       /* 4 k in each vector: f16, twice; or f32 */                     \
    field(const void*, 8, panel)     /* elements of the first block */                               \
    field(const void*, 8, scales)    /* of the first block */                                        \
    field(size_t, 8, next_scales)    /* bytes from the scales of a block to those of the next one */ \
    field(size_t, 8, blocks)         /* at least one */                                              \
    field(size_t, 8, groups)         /* of 4 k in a block; at least one */                           \
    field(const void*, 8, start)     /* sums before these blocks */                                  \
    field(size_t, 8, next_group)     /* bytes from 4 k of the panel to the next ones */              \
    field(void*, 8, dst)                                                                             \
    field(float, 4, unit)            /* what a product of 1 stands for: a power of 2 */
KAI_OFFSETS(F8_ROW_ARGS, KAI_F8_ROW_ARGS)

/// 8 rows times 12 columns, bf16: blocks of k, each with the scales of its columns. Sums are 6 vectors for each pair of
/// rows: 2 x 2.
#define KAI_F8_TILE_ARGS(field)                                                                   \
    field(const void*, 8, lhs)       /* 4 k of each row, then the next 4 */                        \
    field(const void*, 8, rhs)       /* 4 k of each column, then the next 4 */                     \
    field(const void*, 8, scales)    /* 6 vectors a block: those of a pair of columns, twice */    \
    field(size_t, 8, blocks)         /* at least one */                                            \
    field(size_t, 8, groups)         /* of 4 k in a block; at least one */                         \
    field(void*, 8, sums)            /* of these blocks and those before */                        \
    field(const void*, 8, start)     /* sums before these blocks; may be `sums` */                 \
    field(size_t, 8, start_step)     /* bytes of start from a pair of rows to the next: 96 or 0 */ \
    field(void*, 8, dst)             /* 8 rows of results; NULL: there are more blocks */          \
    field(size_t, 8, dst_stride)                                                                   \
    field(F8Bounds, 32, bounds)     /* lowest and highest result, in every lane of a vector */
KAI_OFFSETS(F8_TILE_ARGS, KAI_F8_TILE_ARGS)

/// 4 rows of bf16 times 12 columns of f32: blocks of k, each with the scales of its columns.
#define KAI_F8_FLOAT_ARGS(field)                                                                     \
    field(F8Bounds, 32, bounds)     /* lowest and highest result, in every lane of a vector */       \
    field(const void*, 8, lhs)       /* 4 k of each of 8 rows, then the next 4; from the first row */ \
    field(const void*, 8, rhs)       /* 4 k of 4 columns, those of the next columns, the next 4 k */  \
    field(size_t, 8, blocks)         /* at least one */                                               \
    field(size_t, 8, groups)         /* of 4 k in a block; at least one */                            \
    field(const void*, 8, scales)    /* of the first block */                                         \
    field(size_t, 8, next_scales)    /* bytes from the scales of a block to those of the next one */  \
    field(const void*, 8, start)     /* results before these blocks: 12 columns */                    \
    field(size_t, 8, start_step)     /* bytes from a row of start to the next */                      \
    field(void*, 8, dst)             /* may be start */                                               \
    field(size_t, 8, dst_step)
KAI_OFFSETS(F8_FLOAT_ARGS, KAI_F8_FLOAT_ARGS)

/// 8 rows or one times a panel of 12 columns, both FP8: all blocks of k.
#define KAI_F8_CODES_ARGS(field)                                                                     \
    field(F8Bounds, 32, bounds)      /* lowest and highest result, in every lane of a vector */      \
    field(uint64_t, 8, fpmr)         /* formats */                                                   \
    field(const void*, 8, lhs)       /* blocks: a group of k of each row, then the next; scales */   \
    field(const void*, 8, rhs)       /* the same of each column */                                   \
    field(size_t, 8, blocks)         /* at least one */                                              \
    field(size_t, 8, groups)         /* of 4 k (FDOT) or 8 (FMMLA) in a block; a multiple of 4 */    \
    field(const void*, 8, start)     /* bias of 12 columns */                                        \
    field(size_t, 8, start_step)     /* 0 */                                                         \
    field(void*, 8, dst)                                                                             \
    field(size_t, 8, dst_step)       /* bytes from a row to the next */
KAI_OFFSETS(F8_CODES_ARGS, KAI_F8_CODES_ARGS)

/// All rows times a part of k of a panel of SME: blocks, each with the scales of its columns. V = SVL / 32.
#define KAI_F8_PANEL_ARGS(field)                                                              \
    field(size_t, 8, m)                                                                       \
    field(const void*, 8, lhs)       /* 4 k of V rows, then the next 4; FMOPA: scales */      \
    field(size_t, 8, lhs_stride)     /* bytes from V rows to the next ones */                 \
    field(size_t, 8, n)              /* columns of the panel that exist */                    \
    field(size_t, 8, blocks)         /* at least one */                                       \
    field(size_t, 8, groups)         /* of 4 k in a block; a multiple of 2 */                 \
    field(const void*, 8, rhs)       /* codes of the first block; scales, the next block */   \
    field(const void*, 8, scales)    /* BFMOPA: of the first block */                         \
    field(size_t, 8, next_block)     /* bytes from the scales of a block to the next ones */  \
    field(const void*, 8, tables)    /* BFMOPA */                                             \
    field(void*, 8, weights)         /* BFMOPA: space for the part as bf16 */                 \
    field(uint64_t, 8, fpmr)         /* FMOPA: formats */                                     \
    field(const void*, 8, start)     /* sums before this part */                              \
    field(size_t, 8, start_step)     /* bytes from a row of start to the next: of dst or 0 */ \
    field(void*, 8, dst)                                                                      \
    field(size_t, 8, dst_stride)                                                              \
    field(float, 4, lo)                                                                       \
    field(float, 4, hi)
KAI_OFFSETS(F8_PANEL_ARGS, KAI_F8_PANEL_ARGS)
