// The GEMM engine of operands quantised in blocks.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/blocks/blocks_neon.hpp"

#include "kai/engines/int_neon/int_neon.hpp"

namespace kai {
namespace {

constexpr uint32_t kInfinity = 0x7F800000;  // its bits

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

/// Rows whose scale is not finite are computed again: scale * (C + S) - scale * C is not a number where the scale is
/// infinite. What becomes of a row depends on that row alone, so results stay the same however M is split. `args` has
/// the place of the tiles; `largest` are the scales of its panels.
[[gnu::noinline, gnu::cold]] void redo_odd_rows(
    const BlocksProblem& p, TileArgs args, size_t panels, const uint32_t largest[][4]) {
    float again[kMaxQuads][4][4];
    float* tiles = args.tiles;
    args.tiles = again[0][0];
    args.blocks = p.blocks;
    args.resume = 0;
    for (size_t panel = 0; panel < panels; ++panel, args.lhs += p.lhs_stride) {
        p.tiles->redo(&args);
        for (size_t i = 0; i < args.quads * 16; ++i) {
            const size_t row = p.tiles->pairs ? i / 8 % 2 * 2 + i / 2 % 2 : i / 4 % 4;
            if (largest[panel][row] >= kInfinity) {
                tiles[(i / 16 * panels + panel) * 16 + i % 16] = again[i / 16][i / 4 % 4][i % 4];
            }
        }
    }
}

/// Tiles of some quads. Rows that tiles of few rows leave over use whole panels.
void run_tiles(const BlockTiles& t, size_t panels, size_t rows, TileArgs& args) {
    TileFn* const run = t.run[panels / 2];
    TileFn* const few = rows <= 7 ? t.few[rows - 1] : nullptr;
    if (few == nullptr) {
        return run(&args);
    }
    const size_t quads = args.quads, rest = quads & (few_quads(rows) - 1);
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

/// Up to 4 panels of rows, all columns.
void panels_of_rows(const BlocksProblem& p, size_t panels, size_t rows, const uint8_t* lhs, uint8_t* dst) {
    const BlockTiles& t = *p.tiles;
    float tiles[kMaxQuads * kMaxPanels * 16], row_scales[kMaxRowScales];
    uint32_t largest[kMaxPanels][4] = {};
    const size_t chunk = t.row_scales != nullptr && t.chunk < p.blocks ? t.chunk : p.blocks;
    TileArgs args;
    vst1q_f32(args.start, vdupq_n_f32(t.start));
    vst1q_u8(args.mask, vdupq_n_u8(p.table != nullptr ? 0x0F : 0xF0));
    vst1q_u8(args.table, p.table != nullptr && p.n > 0 ? vld1q_u8(p.table) : vdupq_n_u8(0));
    args.bf16 = p.bf16;
    args.lhs_stride = p.lhs_stride;
    args.rhs_stride = p.rhs_stride;
    args.row_scales = row_scales;
    args.tiles = tiles;
    args.bl = p.bl;
    const uint8_t* rhs = p.rhs;
    for (size_t n0 = 0; n0 < p.n; n0 += 4 * kMaxQuads, rhs += 4 * kMaxQuads / p.nr * p.rhs_stride) {
        const size_t left = (p.n - n0 + 3) / 4;
        args.quads = left < kMaxQuads ? left : kMaxQuads;
        for (size_t b = 0; b < p.blocks; b += chunk) {
            args.blocks = p.blocks - b < chunk ? p.blocks - b : chunk;
            args.lhs = lhs + b * p.lhs_block;
            args.rhs = rhs + b * p.rhs_block;
            args.resume = b;
            if (t.row_scales != nullptr && (n0 == 0 || chunk < p.blocks)) {
                const RowScalesArgs scales{args.lhs,    p.lhs_stride, p.lhs_block, panels,
                                           args.blocks, row_scales,   largest,     rows};
                t.row_scales(&scales);
            }
            run_tiles(t, panels, rows, args);
        }
        if (p.blocks == 0) {
            for (size_t i = 0; i < args.quads * panels * 16; i += 4) {
                vst1q_f32(tiles + i, vdupq_n_f32(0));
            }
        }
        if (t.redo != nullptr && any_odd_row(largest, rows)) {
            args.lhs = lhs;
            args.rhs = rhs;
            redo_odd_rows(p, args, panels, largest);
        }
        const StoreArgs store{
            tiles,
            rows,
            p.n - n0 < 4 * kMaxQuads ? p.n - n0 : 4 * kMaxQuads,
            rhs + p.rhs_stride,
            p.rhs_stride,
            dst + n0 * p.element_bytes,
            p.dst_stride,
            p.lo,
            p.hi};
        p.store(&store);
    }
}

}  // namespace
}  // namespace kai

void kai_matmul_blocks_neon(const kai::BlocksProblem* problem) {
    const kai::BlocksProblem& p = *problem;
    const uint8_t* lhs = p.lhs;
    uint8_t* dst = kai::bytes(p.dst);
    const kai::BlockTiles& t = *p.tiles;
    for (size_t left = p.m; left > 0;) {
        const bool two = left > 6 || (left > 4 && (t.few[0] == nullptr || t.few[left - 1] != nullptr));
        const size_t panels = left > 12 && t.run[2] != nullptr ? 4 : two ? 2 : 1;
        const size_t rows = left < 4 * panels ? left : 4 * panels;
        kai::panels_of_rows(p, panels, rows, lhs, dst);
        lhs += panels * p.lhs_stride;
        dst += rows * p.dst_stride;
        left -= rows;
    }
}
