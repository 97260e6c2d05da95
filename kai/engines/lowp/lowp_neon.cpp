// The low-precision kernels on Armv8.0 whose results are requantised: uint8 or int8 with offsets.
//
//     dst[i][j] = requantised(bias[j] + sum over k of (lhs[i][k] + lhs_offset) * (rhs[j][k] + rhs_offset))
//
// Rows are taken 64 at a time, columns 16 at a time: a strip, whose tiles write sums to the stack, so that the results
// of a row are made from four vectors side by side (lowp_neon_tiles.hpp).
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/lowp/lowp_neon_tiles.hpp"

namespace kai {
namespace {

template <class Pipeline>
[[gnu::noinline]] void multiply(const Lowp& p) {
    const Finish<Pipeline> finish(p);
    Rows rows;
    uint8_t tails[kStrip][16];
    Strip strip(p, tails);
    LowpTile tile = {};
    vst1q_u8(tile.lhs_flip, vdupq_n_u8(p.flip));
    vst1q_u8(tile.rhs_flip, vcombine_u8(vdup_n_u8(p.flip), vdup_n_u8(static_cast<uint8_t>(~p.flip))));
    tile.lhs_stride = p.lhs_stride;
    tile.groups = p.k / 16;
    for (size_t first = 0; first < p.m; first += kRows) {
        const size_t count = min(p.m - first, kRows);
        prepare_rows(p, first, count, rows);
        for (size_t at = 0; at < p.n;) {
            at = strip.move(at);
            uint8_t* dst = p.dst + first * p.dst_stride + strip.first;
            for (size_t i = 0; i < count; i += 4, dst += 4 * p.dst_stride) {
                const size_t some = min(count - i, 4);
                tile.lhs = p.k == 0 ? rows.tails[0] : p.lhs + (first + i) * p.lhs_stride;
                tile.lhs_tail = p.k % 16 != 0 ? rows.tails[i] : nullptr;
                strip.multiply(tile, some, i == 0);
                const Columns columns = strip.columns;  // in registers: stores to dst do not change them
                uint8_t part[4][kStrip];
                const bool whole = strip.count == kStrip;
                uint8_t* to = whole ? dst : part[0];
                for (size_t r = 0; r < some; ++r, to += whole ? p.dst_stride : kStrip) {
                    vst1q_u8(to, finish(tile.sums[r], rows.terms[i + r], columns));
                }
                for (size_t r = 0; r < some && !whole; ++r) {
                    __builtin_memcpy(dst + r * p.dst_stride, part[r], strip.count);
                }
            }
        }
    }
}

template <bool>
void multiply_requantised(const Lowp& p) {
    (p.params->pipeline == KAI_LOWP_LEGACY ? multiply<Legacy> : multiply<FixedPoint>)(p);
}

template <bool>
LowpFn* in_table(const Lowp&) {
    return nullptr;
}

}  // namespace
}  // namespace kai

#define KAI_ISA_neon KAI_LOWP_LINES
#include "kai/engines/lowp/lowp_families.inc"
#include "kai/engines/lowp/lowp_nxk.inc"
#include "kai/engines/lowp/lowp_table.inc"
