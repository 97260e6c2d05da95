// The loops around tiles without SDOT and SMMLA (int_neon_mlal.inc): any number of rows and columns.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arm_neon.h>

#include "kai/engines/core/base.hpp"
#include "kai/engines/core/limits.hpp"
#include "kai/engines/int_neon/int_neon_args.h"

namespace kai {
namespace {

KAI_STRUCT(MlalArgs, KAI_MLAL_ARGS);
using MlalFn = void(const MlalArgs*);

/// Tile functions for 1 to 4 rows of a panel of 4, and for a panel of one row.
struct MlalTiles {
    MlalFn *rows[4], *row;
};

/// Strides in bytes: from panel to panel, from row to row of the output, which is f32.
struct MlalProblem {
    size_t m, n, mr;
    const uint8_t* lhs;
    size_t lhs_stride;
    const uint8_t* rhs;
    size_t rhs_stride;
    void* dst;
    size_t dst_stride;
    float lo, hi;
};

/// Columns from `column` on.
KAI_INLINE void mlal_columns(
    const MlalProblem& p, const MlalTiles& t, MlalArgs& args, size_t column, size_t quads, size_t rest) {
    float edge[4][4];
    args.rhs = p.rhs + column / 4 * p.rhs_stride;
    args.lhs = p.lhs;
    args.quads = quads;
    uint8_t* dst = bytes(p.dst, column * sizeof(float));
    for (size_t left = p.m; left > 0;) {
        const size_t rows = left < p.mr ? left : p.mr;
        args.dst = rest != 0 ? bytes(edge[0]) : dst;
        args.row_stride = rest != 0 ? sizeof(edge[0]) : p.dst_stride;
        (p.mr == 1 ? t.row : t.rows[rows - 1])(&args);
        for (size_t i = 0; rest != 0 && i < rows; ++i) {
            __builtin_memcpy(dst + i * p.dst_stride, edge[i], rest * sizeof(float));
        }
        left -= rows;
        args.lhs += p.lhs_stride;
        dst += rows * p.dst_stride;
    }
}

/// `args`: the fields that depend on the formats are set.
KAI_INLINE void mlal_loops(const MlalProblem& p, const MlalTiles& t, MlalArgs& args) {
    vst1q_f32(args.lo, vdupq_n_f32(p.lo));
    vst1q_f32(args.hi, vdupq_n_f32(p.hi));
    args.rhs_stride = p.rhs_stride;
    // + 1: panels of depth 0 may have no bytes.
    const size_t fit = MlalLimits::kRhsBytes / (p.rhs_stride + 1), whole = p.n / 4;
    const size_t step = p.m <= p.mr ? whole : fit == 0 ? 1 : fit;
    for (size_t quad = 0; quad < whole; quad += step) {
        mlal_columns(p, t, args, 4 * quad, whole - quad < step ? whole - quad : step, 0);
    }
    if (p.n % 4 != 0) {
        mlal_columns(p, t, args, 4 * whole, 1, p.n % 4);
    }
}

}  // namespace
}  // namespace kai

/// The functions of an assembly file, and their table.
#define KAI_DECLARE_MLAL(KIND)                                                                              \
    kai::MlalFn kai_mlal_##KIND##_4x1, kai_mlal_##KIND##_4x2, kai_mlal_##KIND##_4x3, kai_mlal_##KIND##_4x4, \
        kai_mlal_##KIND##_1x1
#define KAI_MLAL_TILES(KIND)                                                                          \
    {                                                                                                 \
        {kai_mlal_##KIND##_4x1, kai_mlal_##KIND##_4x2, kai_mlal_##KIND##_4x3, kai_mlal_##KIND##_4x4}, \
            kai_mlal_##KIND##_1x1                                                                     \
    }
