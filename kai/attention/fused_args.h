// What C++ hands to the assembly that computes a block of attention: fused_sme2.S.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/fields.h"

// clang-format off
/// A block of positions for the query rows of a tile. Pages: those of the block, in turn; all but the last are full.
/// Panels have 2 V queries, positions (keys) or columns (values), V = SVL / 32.
#define KAI_FUSED_BLOCK(field)                                                                                         \
    field(const void*, 8, q)                                                   /* packed */                            \
    field(size_t, 8, q_panel)                                                  /* bytes from a panel to the next */    \
    field(size_t, 8, rows)                                                     /* not 0 */                             \
    field(size_t, 8, depth)                                                    /* 32-bit words of a row of keys */     \
    field(const void* const*, 8, pages)                                                                                \
    field(size_t, 8, count)                                                    /* positions, not 0 */                  \
    field(size_t, 8, page)                                                     /* positions of a full page */          \
    field(size_t, 8, key_heads)                                                /* bytes before the keys of a panel */  \
    field(size_t, 8, key_panel)                                                                                        \
    field(size_t, 8, values)                                                   /* bytes before them in a page */       \
    field(size_t, 8, value_panel)                                                                                      \
    field(size_t, 8, value_size)                                               /* columns */                           \
    field(float*, 8, scores)                                                   /* space: count x 2 V, and 4 rows */    \
    field(size_t, 8, scores_half)                                              /* bytes to those of the other V rows */\
    field(void*, 8, p)                                                         /* space: (count + 3) x V floats */     \
    field(const uint32_t*, 8, first) field(const uint32_t*, 8, last)           /* [rows, up to 2 V], as SoftmaxBlock */\
    field(size_t, 8, all_first) field(size_t, 8, all_last)                     /* what all rows see */                 \
    field(float*, 8, max) field(float*, 8, sum) field(float*, 8, factor)       /* max: M, an integer or -infinity */   \
    field(float*, 8, o) field(size_t, 8, o_row)                                /* bytes from one row to the next */    \
    field(size_t, 8, is_first)                                                 /* 1: there is no output yet */         \
    field(size_t, 8, is_capped)                                                /* 1: scores have a soft cap */         \
    field(size_t, 8, is_biased)                                                /* 1: scores have mask and slopes */    \
    field(const void* const*, 8, mask) field(size_t, 8, mask_f16)              /* [rows, up to 2 V], or NULL */        \
    field(const float*, 8, slope) field(const float*, 8, distance)             /* the same, or both NULL */            \
    field(float, 4, score_scale) field(float, 4, log2_e)                       /* biased: of scores */                 \
    field(float, 4, cap_in) field(float, 4, cap_out)                           /* -2 log2 e scale / cap; cap log2 e */ \
    field(float, 4, t5) field(float, 4, t4) field(float, 4, t3) field(float, 4, t2) field(float, 4, t1)                \
    field(float, 4, t0)                                                        /* half of 2^f, of the soft cap */      \
    field(float, 4, scale) field(float, 4, least)                              /* scale * log2 e; else 1 */            \
    field(float, 4, c5) field(float, 4, c4) field(float, 4, c3) field(float, 4, c2) field(float, 4, c1)                \
    field(float, 4, c0)
// clang-format on
KAI_OFFSETS(FUSED_BLOCK, KAI_FUSED_BLOCK)
