// Rows whose scale is not finite, in blocks of 32: computed again by the functions for blocks of any length.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/blocks/blocks_args.h"
#include "kai/engines/blocks/blocks_long_args.h"
#include "kai/engines/blocks/blocks_neon_long.hpp"
#include "kai/engines/core/neon.hpp"

namespace kai {
namespace {

/// Turns indices into int8, block by block. If each half has a scale of its own, the other half becomes 0.
void tiles_of_indices(const TileArgs& args, BlockOperands of, const LongTiles& tiles) {
    const bool halves = of.scales == BlockScales::halves;
    const int8x16_t table = load_s8x16(args.table), zero = vdupq_n_s8(0);
    const size_t block_bytes = of.rhs.block_bytes(32), fields = of.rhs.fields;
    of.rhs = {qsi8c32p, 4};
    of.is_int8 = true;
    LongArgs a = long_args(of, 32, 1, tiles.group);
    uint8_t block[8 + 2 * 64];
    a.lhs_stride = 0;
    a.rhs = block + 8;
    a.tiles = args.tiles;
    a.quads = 1;
    for (size_t q = 0; q < args.quads; ++q, a.tiles += 16) {
        const uint8_t* rhs = args.rhs + q * args.rhs_stride;
        a.lhs = args.lhs + of.lhs.fields;
        a.resume = 0;
        for (size_t b = 0; b < args.blocks; ++b, rhs += block_bytes, a.lhs += of.lhs.block_bytes(32)) {
            for (size_t part = 0; part < (halves ? 2 : 1); ++part, a.resume = 1) {
                __builtin_memcpy(block, rhs + 8 * part, 8);
                for (size_t i = 0; i < 64; i += 16) {
                    const uint8x16_t indices = vld1q_u8(rhs + fields + i);
                    const int8x16_t low = vqtbl1q_s8(table, vandq_u8(indices, vdupq_n_u8(15)));
                    const int8x16_t high = vqtbl1q_s8(table, vshrq_n_u8(indices, 4));
                    vst1q_u8(block + 8 + i, vreinterpretq_u8_s8(part == 1 ? zero : low));
                    vst1q_u8(block + 72 + i, vreinterpretq_u8_s8(part == 0 && halves ? zero : high));
                }
                tiles.run[0](&a);
            }
        }
    }
}

}  // namespace
}  // namespace kai

void kai_redo_odd_rows_neon(
    const kai::BlocksProblem& p, kai::TileArgs args, size_t panels, const uint32_t largest[][4]) {
    float again[kai::kMaxQuads][4][4];
    float* tiles = args.tiles;
    args.tiles = again[0][0];
    args.blocks = p.blocks;
    for (size_t panel = 0; panel < panels; ++panel, args.lhs += p.lhs_stride) {
        if (p.of.rhs.panel_head != 0) {
            kai::tiles_of_indices(args, p.of, *p.long_tiles);
        } else {
            kai_long_tiles_neon(
                {args.lhs, args.rhs, args.lhs_stride, args.rhs_stride, args.blocks, args.bl, args.quads, args.tiles},
                p.of, 1, *p.long_tiles);
        }
        for (size_t i = 0; i < args.quads * 16; ++i) {
            const size_t row = p.tiles.rules.pairs ? i / 8 % 2 * 2 + i / 2 % 2 : i / 4 % 4;
            if (largest[panel][row] >= kai::kInfinity) {
                tiles[(i / 16 * panels + panel) * 16 + i % 16] = again[i / 16][i / 4 % 4][i % 4];
            }
        }
    }
}
