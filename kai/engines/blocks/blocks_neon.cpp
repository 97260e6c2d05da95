// The GEMM engine of operands quantised in blocks: the loops around tiles of blocks of 32. Other lengths:
// blocks_neon_long.cpp. One row at a time: blocks_neon_rows.cpp. From sums to results: blocks_neon_results.cpp.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/blocks/blocks_neon.hpp"

#include "kai/engines/blocks/blocks_args.h"
#include "kai/engines/blocks/blocks_neon_long.hpp"
#include "kai/engines/core/neon.hpp"

namespace kai {
namespace {

/// Whether the scale of any row is not finite.
[[gnu::noinline]] bool any_odd_row(const uint32_t largest[][4], size_t rows) {
    uint32x4_t most = vdupq_n_u32(0);
    for (size_t i = 0; i < rows / 4; ++i) {
        most = vmaxq_u32(most, vld1q_u32(largest[i]));
    }
    uint32_t any = vmaxvq_u32(most);
    for (size_t i = rows / 4 * 4; i < rows; ++i) {
        any = largest[i / 4][i % 4] > any ? largest[i / 4][i % 4] : any;
    }
    return any >= kInfinity;
}

/// Tiles of some quads. Quads that do not fill a tile of few rows use whole panels.
void run_tiles(const BlocksProblem& p, size_t panels, size_t rows, TileArgs& args) {
    const BlockTiles& t = p.tiles;
    TileFn* const run = t.run[panels - 1];
    TileFn* const few = rows <= 7 ? t.few[rows - 1] : nullptr;
    if (few == nullptr) {
        return run(&args);
    }
    const size_t quads = args.quads, rest = t.any_quads ? 0 : quads & (few_quads(rows) - 1);
    args.quads -= rest;
    if (args.quads > 0) {
        few(&args);
    }
    if (rest > 0) {
        TileArgs last = args;
        last.rhs += args.quads * args.rhs_stride;
        last.tiles += args.quads * 16;
        last.quads = rest;
        run(&last);
    }
    args.quads = quads;
}

/// Number of panels of the next tile, at most `most`: the largest tile whose last panel has a row.
KAI_INLINE size_t next_panels(const BlockTiles& tiles, size_t rows, size_t most) {
    for (size_t panels = most; panels > 2; --panels) {
        if (rows > 4 * (panels - 1) && tiles.run[panels - 1] != nullptr) {
            return panels;
        }
    }
    return rows > 6 || (rows > 4 && tiles.few[rows - 1] != nullptr) ? 2 : 1;
}

/// Up to 4 panels of rows, all columns.
void panels_of_rows(const BlocksProblem& p, size_t panels, size_t rows, const uint8_t* lhs, uint8_t* dst) {
    const BlockTiles& t = p.tiles;
    const bool has_table = p.of.rhs.panel_head != 0;
    const uint8_t* const table = p.rhs - p.of.rhs.panel_head;
    float tiles[kMaxQuads * kMaxPanels * 16], row_scales[kMaxRowScales];
    uint32_t largest[kMaxPanels][4] = {};
    const size_t chunk = t.rules.row_scales != nullptr && t.rules.chunk < p.blocks ? t.rules.chunk : p.blocks;
    TileArgs args;
    vst1q_f32(args.start, vdupq_n_f32(t.rules.start));
    vst1q_u8(args.mask, vdupq_n_u8(has_table ? 0x0F : 0xF0));
    vst1q_u8(args.table, has_table && p.n > 0 ? vld1q_u8(table) : vdupq_n_u8(0));
    args.bf16 = p.of.bf16_scales;
    args.lhs_stride = p.lhs_stride;
    args.rhs_stride = p.rhs_stride;
    args.row_scales = row_scales;
    args.tiles = tiles;
    args.bl = p.bl;
    const uint8_t* rhs = p.rhs;
    for (size_t n0 = 0; n0 < p.n; n0 += 4 * kMaxQuads, rhs += 4 * kMaxQuads / p.of.rhs.rows * p.rhs_stride) {
        const size_t left = (p.n - n0 + 3) / 4;
        args.quads = left < kMaxQuads ? left : kMaxQuads;
        for (size_t b = 0; b < p.blocks; b += chunk) {
            args.blocks = p.blocks - b < chunk ? p.blocks - b : chunk;
            args.lhs = lhs + b * p.lhs_block;
            args.rhs = rhs + b * p.rhs_block;
            args.resume = b;
            if (t.rules.row_scales != nullptr && (n0 == 0 || chunk < p.blocks)) {
                const RowScalesArgs scales{args.lhs,   p.lhs_stride, p.lhs_block, panels,       args.blocks,
                                           row_scales, largest,      rows,        t.rules.start};
                t.rules.row_scales(&scales);
            }
            run_tiles(p, panels, rows, args);
        }
        if (p.blocks == 0) {
            for (size_t i = 0; i < args.quads * panels * 16; i += 4) {
                vst1q_f32(tiles + i, vdupq_n_f32(0));
            }
        }
        if (t.rules.redo && any_odd_row(largest, rows)) {
            args.lhs = lhs;
            args.rhs = rhs;
            kai_redo_odd_rows_neon(p, args, panels, largest);
        }
        const uint8_t* bias = p.of.rhs.panel_tail != 0 ? rhs + p.rhs_stride - 4 * sizeof(float) : nullptr;
        const size_t columns = p.n - n0 < 4 * kMaxQuads ? p.n - n0 : 4 * kMaxQuads;
        p.store(
            {tiles, rows, columns, bias, p.rhs_stride, dst + n0 * p.of.element_bytes, p.dst_stride, p.of.element_bytes,
             p.lo, p.hi});
    }
}

}  // namespace
}  // namespace kai

void kai_matmul_blocks_neon(
    size_t m, size_t n, size_t k, size_t bl, const void* lhs, const void* rhs, void* dst, size_t dst_stride,
    const kai::BlocksKernel* kernel, float lo, float hi) {
    const kai::BlockOperands& of = kernel->operands;
    const size_t blocks = kai::blocks_of(k, bl), mr = of.lhs.rows;
    const kai::BlocksProblem p{
        n,
        blocks,
        bl,
        kai::bytes(rhs, of.rhs.panel_head),
        of.lhs.stride(blocks, bl),
        of.rhs.stride(blocks, bl),
        of.lhs.block_bytes(bl),
        of.rhs.block_bytes(bl),
        dst_stride,
        lo,
        hi,
        of,
        *kernel->tiles,
        kernel->long_tiles,
        kernel->store};
    const uint8_t* panel = kai::bytes(lhs);
    uint8_t* out = kai::bytes(dst);
    for (size_t left = m; left > 0;) {
        const size_t panels = kai::next_panels(*kernel->tiles, left, kernel->max_panels);
        const size_t rows = left < mr * panels ? left : mr * panels;
        kai::panels_of_rows(p, panels, rows, panel, out);
        panel += panels * p.lhs_stride;
        out += rows * dst_stride;
        left -= rows;
    }
}
