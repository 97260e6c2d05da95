// f32 <- int8 in blocks of 256 x weights in super-blocks on NEON: the loops around tiles. Around rows:
// superblocks_neon_rows.cpp.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/superblocks/superblocks_neon.hpp"

#include "kai/engines/blocks/blocks_args.h"
#include "kai/engines/core/limits.hpp"
#include "kai/engines/core/neon.hpp"

namespace kai {
namespace {

constexpr size_t kMaxRows = 4 * BlocksLimits::kPanels, kMaxQuads = BlocksLimits::kQuads;

}  // namespace
}  // namespace kai

void kai_matmul_super_tiles_neon(
    size_t m, size_t n, size_t k, const void* lhs, const void* rhs, float* dst, size_t dst_stride,
    const kai::SuperTilesKernel* kernel, float lo, float hi) {
    using namespace kai;
    if (m == 0 || n == 0) {
        return;  // nothing is read
    }
    float tiles[kMaxRows * 4 * kMaxQuads];
    TileArgs args;
    vst1q_f32(args.start, vdupq_n_f32(0));
    vst1q_u8(args.mask, vdupq_n_u8(kernel->rhs_head != 0 ? 0x0F : 0xF0));
    vst1q_u8(args.table, kernel->rhs_head != 0 ? vld1q_u8(bytes(rhs)) : vdupq_n_u8(0));
    args.blocks = k / kSuperBlock, args.lhs = bytes(lhs);
    args.lhs_stride = args.blocks * kernel->lhs_block;
    args.rhs_stride = kernel->rhs_head + args.blocks * kernel->rhs_block;
    args.tiles = tiles, args.resume = 0;
    for (size_t left = m; left > 0;) {
        const RowsOfTile tile = next_tile(kernel->tiles, left);
        args.rhs = bytes(rhs, kernel->rhs_head);
        for (size_t n0 = 0; n0 < n; n0 += 4 * kMaxQuads, args.rhs += kMaxQuads * args.rhs_stride) {
            const size_t columns = n - n0 < 4 * kMaxQuads ? n - n0 : 4 * kMaxQuads;
            args.quads = (columns + 3) / 4;
            if (args.blocks != 0) {
                tile.run(&args);
            } else {
                __builtin_memset(tiles, 0, sizeof(tiles));
            }
            uint8_t* out = bytes(dst, n0 * sizeof(float));
            kernel->tiles.store({tiles, tile.rows, columns, nullptr, 0, out, dst_stride, sizeof(float), lo, hi});
        }
        args.lhs += (tile.rows + 3) / 4 * args.lhs_stride;
        dst = reinterpret_cast<float*>(bytes(dst, tile.rows * dst_stride));
        left -= tile.rows;
    }
}
