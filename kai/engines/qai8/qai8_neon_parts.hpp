// Rows as they lie times panels of 16 columns, int8 or uint8, on NEON: a block of rows is cut into parts, each with the
// function of its tiles. For static int8 (qai8_neon.hpp) and low precision (qai8_neon_lowp.hpp).
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arm_neon.h>

#include "kai/engines/core/base.hpp"
#include "kai/engines/core/limits.hpp"
#include "kai/engines/qai8/qai8_args.h"

namespace kai {
namespace {

KAI_STRUCT(Qai8Args, KAI_QAI8_ARGS);
using Qai8TileFn = void(Qai8Args*);

constexpr size_t kPanel = StaticLimits::kColumns, kStripPanels = StaticLimits::kStripPanels,
                 kMostRows = StaticLimits::kRows;

/// A call. Pointers are those of its first row and column, strides in bytes.
struct Qai8 {
    size_t m, n, k;
    const uint8_t* lhs;
    size_t lhs_stride;
    const uint8_t* rhs;
    size_t rhs_stride;  // from panel to panel
    uint8_t* dst;
    size_t dst_stride;
};

/// Rows of a block that the same function computes.
struct Qai8Part {
    Qai8TileFn* run;
    size_t first;  ///< row of the block
    size_t tiles, steps, packed_stride, groups;
    const uint8_t* packed;
    bool is_short;  ///< the last tile has a row less
};

/// `lhs`: the first row of the block.
KAI_INLINE void set_part(const Qai8Part& part, Qai8Args& args, const uint8_t* lhs) {
    args.lhs = lhs == nullptr ? nullptr : lhs + part.first * args.lhs_stride;
    args.last_lhs_stride = part.is_short ? 0 : args.lhs_stride;
    args.steps = part.steps, args.groups = part.groups, args.tiles = part.tiles;
    args.packed = part.packed, args.packed_stride = part.packed_stride;
}
/// `dst`: the first row of the block.
KAI_INLINE void set_output(const Qai8Part& part, uint8_t* dst, size_t stride, size_t panels, Qai8Args& args) {
    args.panels = panels;
    args.dst = dst + part.first * stride, args.dst_stride = stride;
    args.last_dst_stride = part.is_short ? 0 : stride;
}

/// The last k % 16 of a row, padded with zeros.
KAI_INLINE uint8x16_t tail_of(const uint8_t* row, size_t k) {
    uint8_t some[16] = {};
    __builtin_memcpy(some, row + k / 16 * 16, k % 16);
    return vld1q_u8(some);
}

}  // namespace
}  // namespace kai
