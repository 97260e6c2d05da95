// Rows as they lie times panels of 16 columns, int8 or uint8, on NEON: a block of rows is cut into parts, each with the
// function of its tiles. For static int8 (qai8_neon.hpp) and low precision (qai8_neon_lowp.hpp).
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arm_neon.h>

#include "kai/engines/core/base.hpp"
#include "kai/engines/core/limits.hpp"
#include "kai/engines/core/row_table.hpp"
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
    bool for_a55;                     // SDOT: tiles of 6 rows for Cortex-A55
    const RowTable* table = nullptr;  // through which rows are found: lhs are its pointers

    /// A row as it lies.
    KAI_INLINE const uint8_t* row(size_t i) const {
        return k == 0 ? nullptr : lhs + i * lhs_stride;
    }
};

/// Rows of a block that the same function computes.
struct Qai8Part {
    static constexpr size_t kMost = 2;    ///< of a block, SMMLA
    static constexpr size_t kAhead = 48;  ///< bytes behind what is packed that SMMLA reads
    Qai8TileFn* run;
    size_t first;  ///< row of the block
    size_t tiles, steps, packed_stride, groups;
    const uint8_t* packed;
    bool is_short;  ///< the last tile has a row less
};

/// What the whole call shares of its rows.
KAI_INLINE void set_rows(const Qai8& p, Qai8Args& args) {
    args.lhs_stride = p.k == 0 ? 0 : p.lhs_stride, args.rhs_stride = p.rhs_stride;
    if (p.table != nullptr) {
        args.chunks = p.k == 0 ? 0 : p.table->chunks, args.pad = p.table->pad, args.offset = p.table->offset;
    }
}
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

/// The sum of k bytes of a row, unsigned or signed.
KAI_INLINE int32_t sum_of_row(const uint8_t* row, size_t k, bool is_unsigned) {
    constexpr size_t kPart = 128 * 16;                           // bytes: 128 sums of two of them fit 16 bits
    const uint8x16_t flip = vdupq_n_u8(is_unsigned ? 0 : 0x80);  // as unsigned bytes, which are 128 more
    const size_t whole = k / 16 * 16;
    uint32x4_t sums = vdupq_n_u32(0);
    for (size_t i = 0; i < whole;) {
        const size_t end = whole - i > kPart ? i + kPart : whole;
        uint16x8_t pairs = vdupq_n_u16(0);
        for (; i < end; i += 16) {
            pairs = vpadalq_u8(pairs, veorq_u8(vld1q_u8(row + i), flip));
        }
        sums = vpadalq_u16(sums, pairs);
    }
    uint32_t sum = vaddvq_u32(sums);
    for (size_t i = whole; i < k; ++i) {
        sum += row[i] ^ (is_unsigned ? 0U : 0x80U);
    }
    return static_cast<int32_t>(sum - (is_unsigned ? 0U : 128U * static_cast<uint32_t>(k)));
}

/// The last k % 16 of a row, padded with zeros.
KAI_INLINE uint8x16_t tail_of(const uint8_t* row, size_t k) {
    if (k >= 16) {
        static constexpr uint8_t kLanes[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
        const uint8x16_t last = vaddq_u8(vld1q_u8(kLanes), vdupq_n_u8(static_cast<uint8_t>(16 - k % 16)));
        return vqtbl1q_u8(vld1q_u8(row + k - 16), last);
    }
    uint8_t some[16] = {};
    __builtin_memcpy(some, row + k / 16 * 16, k % 16);
    return vld1q_u8(some);
}

}  // namespace
}  // namespace kai
