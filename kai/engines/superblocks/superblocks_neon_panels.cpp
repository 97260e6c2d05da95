// f32 <- int8 in blocks of 256 x weights in super-blocks, packed for SME, on NEON: the loops around tiles, and what
// brings 16 columns into panels of 4 (superblocks_neon_panels.hpp).
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/superblocks/superblocks_neon_panels.hpp"

#include "kai/engines/blocks/blocks_args.h"
#include "kai/engines/core/limits.hpp"
#include "kai/engines/core/neon.hpp"

namespace kai {
namespace {

using Limits = SuperPanelsLimits;

constexpr size_t kTileFloats = 4 * 16 * 4;  // 16 rows x 4 quads

/// 16 columns of a panel of nr, from `column` on: the next entry of all columns, where four panels of 4 columns go.
struct Columns {
    const uint8_t* from;
    size_t nr, column;
    uint8_t* to;
    size_t stride;  // from panel to panel

    KAI_INLINE void put(size_t quad, uint8x16_t x) const {
        vst1q_u8(to + quad * stride, x);
    }
    /// Past an entry of `bytes` of each column.
    KAI_INLINE void next(size_t bytes) {
        from += nr * bytes, to += 4 * bytes;
    }
};

KAI_INLINE void copy_words(Columns& c, size_t count) {
    for (size_t i = 0; i < count; ++i, c.next(4)) {
        const uint8_t* const from = c.from + 4 * c.column;
        const uint8x16_t q0 = vld1q_u8(from), q1 = vld1q_u8(from + 16), q2 = vld1q_u8(from + 32),
                         q3 = vld1q_u8(from + 48);
        c.put(0, q0), c.put(1, q1), c.put(2, q2), c.put(3, q3);
    }
}
KAI_INLINE void copy_halves(Columns& c, size_t count) {
    for (size_t i = 0; i < count; ++i, c.next(2)) {
        for (size_t q = 0; q < 4; ++q) {
            vst1_u8(c.to + q * c.stride, vld1_u8(c.from + 2 * c.column + 8 * q));
        }
    }
}
KAI_INLINE void copy_bytes(Columns& c, size_t count) {
    for (size_t i = 0; i < count; ++i, c.next(1)) {
        for (size_t q = 0; q < 4; ++q) {
            __builtin_memcpy(c.to + q * c.stride, c.from + c.column + 4 * q, 4);
        }
    }
}
/// Low nibbles are bytes of columns, high ones words.
KAI_INLINE void copy_low_and_high(Columns& c, size_t count) {
    Columns high = c;
    copy_bytes(c, count);
    const uint8x16_t mask = vdupq_n_u8(0xF0);
    for (size_t i = 0; i < count; i += 4, high.next(4)) {
        for (size_t q = 0; q < 4; ++q) {
            high.put(
                q, vbslq_u8(mask, vld1q_u8(high.from + 4 * high.column + 16 * q), vld1q_u8(high.to + q * high.stride)));
        }
    }
}
/// Of 32 k, k + 1 and k in a byte become k + 16 and k.
KAI_INLINE void part_neighbours(Columns& c, size_t count) {
    for (size_t i = 0; i < count; i += 8, c.from += 8 * 2 * c.nr, c.to += 64) {
        for (size_t g = 0; g < 4; ++g) {
            for (size_t q = 0; q < 4; q += 2) {
                const uint8_t* const from = c.from + 2 * (g * c.nr + c.column) + 8 * q;
                const uint8x16_t first = vld1q_u8(from), second = vld1q_u8(from + 8 * c.nr);
                const uint8x16_t even = vsliq_n_u8(first, second, 4), odd = vsriq_n_u8(second, first, 4);
                vst1q_u8(c.to + q * c.stride + 16 * g, vzip1q_u8(even, odd));
                vst1q_u8(c.to + (q + 1) * c.stride + 16 * g, vzip2q_u8(even, odd));
            }
        }
    }
}

/// Super-blocks of 16 columns.
void gather(const SuperPanels& rhs, Columns c, size_t blocks) {
    for (size_t b = 0; b < blocks; ++b) {
        for (const auto& [kind, count] : rhs.entries) {
            switch (kind) {
                case SuperEntries::bytes_1:
                    copy_bytes(c, count);
                    break;
                case SuperEntries::bytes_2:
                    copy_halves(c, count);
                    break;
                case SuperEntries::bytes_4:
                    copy_words(c, count);
                    break;
                case SuperEntries::halves:
                    copy_low_and_high(c, count);
                    break;
                case SuperEntries::neighbours:
                    part_neighbours(c, count);
                    break;
                case SuperEntries::none:
                    break;
            }
        }
    }
}

/// A call. Strides in bytes.
struct PanelsProblem {
    size_t n, blocks, nr;
    const uint8_t* rhs;
    size_t rhs_stride;
    const SuperPanels& of;
};

/// 16 columns, part by part: run(panels, stride, first super-block, super-blocks) with four panels of 4 columns.
template <class Run>
KAI_INLINE void each_part(const PanelsProblem& p, size_t column, size_t rhs_block, size_t rhs_head, Run run) {
    alignas(16) uint8_t buffer[4 * Limits::kPanelBytes];
    const uint8_t* const panel = p.rhs + column / p.nr * p.rhs_stride;
    for (size_t b = 0; b < p.blocks; b += Limits::kBlocks) {
        const size_t blocks = p.blocks - b < Limits::kBlocks ? p.blocks - b : Limits::kBlocks;
        const size_t stride = rhs_head + blocks * rhs_block;
        for (size_t q = 0; q < 4 && rhs_head != 0; ++q) {
            vst1q_u8(buffer + q * stride, vld1q_u8(panel));  // the table
        }
        gather(
            p.of, {panel + p.nr * (p.of.head + b * p.of.column), p.nr, column % p.nr, buffer + rhs_head, stride},
            blocks);
        run(buffer + rhs_head, stride, b, blocks);
    }
}

}  // namespace
}  // namespace kai

void kai_matmul_super_panels_neon(
    size_t m, size_t n, size_t k, const void* lhs, const void* rhs, float* dst, size_t dst_stride, size_t nr,
    const kai::SuperPanelsKernel* kernel, float lo, float hi) {
    using namespace kai;
    if (m == 0 || n == 0) {
        return;
    }
    const SuperTilesKernel& of = kernel->tiles;
    const size_t blocks = k / kSuperBlock;
    const PanelsProblem p{n,          blocks, nr, bytes(rhs), nr * (kernel->rhs.head + blocks * kernel->rhs.column),
                          kernel->rhs};
    TileArgs args;
    vst1q_f32(args.start, vdupq_n_f32(0));
    vst1q_u8(args.mask, vdupq_n_u8(of.rhs_head != 0 ? 0x0F : 0xF0));
    vst1q_u8(args.table, of.rhs_head != 0 ? vld1q_u8(bytes(rhs)) : vdupq_n_u8(0));
    args.lhs_stride = blocks * of.lhs_block;
    alignas(16) float sums[Limits::kRows / 16 * kTileFloats];
    for (size_t i = 0; i < m; i += Limits::kRows) {
        const size_t rows = m - i < Limits::kRows ? m - i : Limits::kRows;
        const uint8_t* const group = bytes(lhs, i / 4 * args.lhs_stride);
        for (size_t j = 0; j < n; j += 16) {
            const size_t columns = n - j < 16 ? n - j : 16;
            const auto each_tile = [&](auto run) {
                for (size_t row = 0; row < rows;) {
                    const RowsOfTile tile = next_tile(of.tiles, rows - row);
                    run(tile, row, sums + row * 16);
                    row += tile.rows;
                }
            };
            args.quads = (columns + 3) / 4;
            each_part(
                p, j, of.rhs_block, of.rhs_head, [&](const uint8_t* panels, size_t stride, size_t b, size_t count) {
                    args.rhs = panels, args.rhs_stride = stride, args.blocks = count, args.resume = b;
                    each_tile([&](const RowsOfTile& tile, size_t row, float* tiles) {
                        args.lhs = group + row / 4 * args.lhs_stride + b * of.lhs_block;
                        args.tiles = tiles;
                        tile.run(&args);
                    });
                });
            if (blocks == 0) {
                __builtin_memset(sums, 0, sizeof(sums));
            }
            each_tile([&](const RowsOfTile& tile, size_t row, const float* tiles) {
                uint8_t* const out = bytes(dst, (i + row) * dst_stride + j * sizeof(float));
                of.tiles.store({tiles, tile.rows, columns, nullptr, 0, out, dst_stride, sizeof(float), lo, hi});
            });
        }
    }
}
