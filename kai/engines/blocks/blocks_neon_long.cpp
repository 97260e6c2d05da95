// Blocks of any length, all formats: the loops around tiles of one and two panels.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/blocks/blocks_neon_long.hpp"

#include "kai/engines/blocks/blocks_long_args.h"
#include "kai/engines/core/neon.hpp"

void kai_long_tiles_neon(
    const kai::LongBatch& batch, const kai::BlockOperands& of, size_t panels, const kai::LongTiles& tiles) {
    kai::LongArgs a = kai::long_args(of, batch.bl, batch.blocks, tiles.group);
    a.lhs = kai::first_elements(of, of.lhs, batch.lhs);
    a.lhs_stride = batch.lhs_stride;
    a.rhs_stride = batch.rhs_stride;
    a.resume = 0;
    const size_t sets = of.rhs.rows / 4;  // quads of a panel, one after another
    a.tile_step = 64 * panels * sets;
    const size_t rhs_fields = a.rhs_fields;
    for (size_t set = 0; set < sets && set < batch.quads; ++set) {
        a.rhs = kai::first_elements(of, of.rhs, batch.rhs) + 4 * tiles.group * set;
        a.rhs_fields = rhs_fields + 8 * set - 4 * tiles.group * set;
        a.tiles = batch.tiles + 16 * panels * set;
        a.quads = (batch.quads - set + sets - 1) / sets;
        tiles.run[panels - 1](&a);
    }
}

void kai_matmul_long_blocks_neon(
    size_t m, size_t n, size_t k, size_t bl, const void* lhs, const void* rhs, void* dst, size_t dst_stride,
    const kai::BlocksKernel* kernel, float lo, float hi) {
    using namespace kai;
    constexpr size_t kPanels = 2;
    const BlockOperands& of = kernel->operands;
    const size_t blocks = k / bl, lhs_stride = of.lhs.stride(blocks, bl), rhs_stride = of.rhs.stride(blocks, bl);
    const size_t element_bytes = of.element_bytes;
    float tiles[kMaxQuads * kPanels * 16];
    LongBatch batch = {bytes(lhs), nullptr, lhs_stride, rhs_stride, blocks, bl, 0, tiles};
    uint8_t* out = bytes(dst);
    for (size_t left = m; left > 0;) {
        const size_t panels = left > 4 ? 2 : 1, rows = left < 4 * panels ? left : 4 * panels;
        batch.rhs = bytes(rhs, of.rhs.panel_head);
        for (size_t n0 = 0; n0 < n; n0 += 4 * kMaxQuads, batch.rhs += 4 * kMaxQuads / of.rhs.rows * rhs_stride) {
            const size_t columns = n - n0 < 4 * kMaxQuads ? n - n0 : 4 * kMaxQuads;
            batch.quads = (columns + 3) / 4;
            if (blocks != 0) {
                kai_long_tiles_neon(batch, of, panels, *kernel->long_tiles);
            } else {
                __builtin_memset(tiles, 0, sizeof(tiles));
            }
            const uint8_t* bias = of.rhs.panel_tail != 0 ? batch.rhs + rhs_stride - 4 * sizeof(float) : nullptr;
            kernel->store(
                {tiles, rows, columns, bias, rhs_stride, out + n0 * element_bytes, dst_stride, element_bytes, lo, hi});
        }
        batch.lhs += panels * lhs_stride;
        out += rows * dst_stride;
        left -= rows;
    }
}
