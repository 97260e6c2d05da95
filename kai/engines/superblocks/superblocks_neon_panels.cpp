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
static_assert(Limits::kPanelBytes % 16 == 0);

/// 16 columns of a panel of nr, from `column` on: the next entry of all columns, where four panels of 4 columns go.
struct Columns {
    const uint8_t* from;
    size_t nr, column;
    uint8_t* to;

    KAI_INLINE uint8_t* quad(size_t q) const {
        return to + q * Limits::kPanelBytes;
    }
    /// Past entries of `bytes` of each column, all in all.
    KAI_INLINE void next(size_t bytes) {
        from += nr * bytes, to += 4 * bytes;
    }
};

KAI_INLINE void copy_words(Columns& c, size_t count) {
    for (size_t i = 0; i < count; i += 2, c.next(8)) {
        const uint8_t *const first = c.from + 4 * c.column, *const second = first + 4 * c.nr;
        for (size_t q = 0; q < 4; ++q) {
            const uint8x16_t x = vld1q_u8(first + 16 * q), y = vld1q_u8(second + 16 * q);
            vst1q_u8(c.quad(q), x), vst1q_u8(c.quad(q) + 16, y);
        }
    }
}
KAI_INLINE void copy_halves(Columns& c, size_t count) {
    for (size_t i = 0; i < count; ++i, c.next(2)) {
        for (size_t q = 0; q < 4; ++q) {
            vst1_u8(c.quad(q), vld1_u8(c.from + 2 * c.column + 8 * q));
        }
    }
}
struct Words {
    uint32x4_t row[4];
};
/// Vector i has word i of all four.
KAI_INLINE Words transpose(const Words& x) {
    const uint32x4_t a = vzip1q_u32(x.row[0], x.row[2]), b = vzip2q_u32(x.row[0], x.row[2]),
                     c = vzip1q_u32(x.row[1], x.row[3]), d = vzip2q_u32(x.row[1], x.row[3]);
    return {{vzip1q_u32(a, c), vzip2q_u32(a, c), vzip1q_u32(b, d), vzip2q_u32(b, d)}};
}
KAI_INLINE void copy_bytes(Columns& c, size_t count) {
    for (size_t i = 0; i < count; i += 4, c.next(4)) {
        Words x;
        for (size_t e = 0; e < 4; ++e) {
            x.row[e] = vreinterpretq_u32_u8(vld1q_u8(c.from + e * c.nr + c.column));
        }
        x = transpose(x);
        for (size_t q = 0; q < 4; ++q) {
            vst1q_u8(c.quad(q), vreinterpretq_u8_u32(x.row[q]));
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
            vst1q_u8(
                high.quad(q), vbslq_u8(mask, vld1q_u8(high.from + 4 * high.column + 16 * q), vld1q_u8(high.quad(q))));
        }
    }
}
/// Of 32 k, k + 1 and k in a byte become k + 16 and k. TBL instead of ZIP, of which compilers make ST2, which is slow.
KAI_INLINE void part_neighbours(Columns& c, size_t count) {
    alignas(16) static constexpr uint8_t kZips[2][16] = {
        {0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23},
        {8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31}};
    const uint8x16_t zip1 = vld1q_u8(kZips[0]), zip2 = vld1q_u8(kZips[1]);
    for (size_t i = 0; i < count; i += 8, c.from += 8 * 2 * c.nr, c.to += 64) {
        for (size_t g = 0; g < 4; ++g) {
            for (size_t q = 0; q < 4; q += 2) {
                const uint8_t* const from = c.from + 2 * (g * c.nr + c.column) + 8 * q;
                const uint8x16_t first = vld1q_u8(from), second = vld1q_u8(from + 8 * c.nr);
                const uint8x16x2_t even_and_odd = {{vsliq_n_u8(first, second, 4), vsriq_n_u8(second, first, 4)}};
                vst1q_u8(c.quad(q) + 16 * g, vqtbl2q_u8(even_and_odd, zip1));
                vst1q_u8(c.quad(q + 1) + 16 * g, vqtbl2q_u8(even_and_odd, zip2));
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

/// 16 columns, part by part: run(panels, first super-block, super-blocks) with four panels of 4 columns.
template <class Run>
KAI_INLINE void each_part(const PanelsProblem& p, size_t column, size_t rhs_head, Run run) {
    alignas(16) uint8_t buffer[4 * Limits::kPanelBytes];
    const uint8_t* const panel = p.rhs + column / p.nr * p.rhs_stride;
    for (size_t b = 0; b < p.blocks; b += Limits::kBlocks) {
        const size_t blocks = p.blocks - b < Limits::kBlocks ? p.blocks - b : Limits::kBlocks;
        for (size_t q = 0; q < 4 && rhs_head != 0; ++q) {
            vst1q_u8(buffer + q * Limits::kPanelBytes, vld1q_u8(panel));  // the table
        }
        gather(p.of, {panel + p.nr * (p.of.head + b * p.of.column), p.nr, column % p.nr, buffer + rhs_head}, blocks);
        run(buffer + rhs_head, b, blocks);
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
    args.lhs_stride = blocks * of.lhs_block, args.rhs_stride = Limits::kPanelBytes;
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
            each_part(p, j, of.rhs_head, [&](const uint8_t* panels, size_t b, size_t count) {
                args.rhs = panels, args.blocks = count, args.resume = b;
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
