// The GEMM engine of operands quantised in blocks.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/blocks/blocks_neon.hpp"

#include "kai/engines/core/matmul_rows.hpp"
#include "kai/engines/core/neon.hpp"

namespace kai {

/// A call. Strides are in bytes.
struct BlocksProblem {
    size_t n, blocks, bl;
    const uint8_t* rhs;                                   // the first block
    size_t lhs_stride, rhs_stride, lhs_block, rhs_block;  // from panel to panel, from block to block
    size_t dst_stride;
    float lo, hi;
    const BlockOperands& of;
    const BlockTiles& tiles;
    const LongTiles* long_tiles;
    StoreFn* store;
};

/// Tiles to be stored: `rows` rows and whole quads of them.
struct StoredTiles {
    const float* sums;
    size_t rows, quads;
    const uint8_t* bias;  // of the first quad, or null
    uint8_t* dst;
    size_t dst_stride;
};

namespace {

constexpr BlockTiles kNoTiles = {};  // of long blocks

/// k / bl: a division takes long.
KAI_INLINE size_t blocks_of(size_t k, size_t bl) {
    return bl == 32 ? k / 32 : k / bl;
}

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
        kai_long_tiles_neon(&args, &p.of, 1, p.long_tiles);
        for (size_t i = 0; i < args.quads * 16; ++i) {
            const size_t row = p.tiles.rules.pairs ? i / 8 % 2 * 2 + i / 2 % 2 : i / 4 % 4;
            if (largest[panel][row] >= kInfinity) {
                tiles[(i / 16 * panels + panel) * 16 + i % 16] = again[i / 16][i / 4 % 4][i % 4];
            }
        }
    }
}

/// Tiles of some quads. Rows that tiles of few rows leave over use whole panels.
void run_tiles(const BlocksProblem& p, size_t panels, size_t rows, TileArgs& args) {
    const BlockTiles& t = p.tiles;
    TileFn* const run = t.run[panels - 1];
    if (run == nullptr) {
        return kai_long_tiles_neon(&args, &p.of, panels, p.long_tiles);
    }
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

/// The panels of the next tile, at most `most`: as many as have a tile whose last panel is not empty.
KAI_INLINE size_t next_panels(const BlockTiles& tiles, size_t rows, size_t most) {
    for (size_t panels = most; panels > 2; --panels) {
        if (rows > 4 * (panels - 1) && tiles.run[panels - 1] != nullptr) {
            return panels;
        }
    }
    const bool few_of_two = rows > 6 || tiles.few[0] == nullptr || tiles.few[rows - 1] != nullptr;
    return rows > 4 && few_of_two ? 2 : 1;
}

struct FourRows {
    float32x4_t x[4];
};

/// The results of a panel, four columns, whose sums are at `tile`: those of ROWS rows, 2 or 4, and then the same again.
/// The bias, if there is one, moves on to the next panel.
template <bool PAIRS, int ROWS>
KAI_INLINE FourRows results_of(const float* tile, const uint8_t*& bias, size_t rhs_stride, float lo, float hi) {
    FourRows four;
    KAI_UNROLL(4)
    for (int i = 0; i < 4; i += 2) {
        const float* two = tile + 4 * (i % ROWS);
        float32x4_t a = vld1q_f32(two);
        const float32x4_t b = vld1q_f32(two + 4);
        __asm__("" : "+w"(a));  // not LD2, which takes longer
        const float64x2_t x = vreinterpretq_f64_f32(a), y = vreinterpretq_f64_f32(b);
        four.x[i] = PAIRS ? vreinterpretq_f32_f64(vzip1q_f64(x, y)) : a;
        four.x[i + 1] = PAIRS ? vreinterpretq_f32_f64(vzip2q_f64(x, y)) : b;
    }
    if (bias != nullptr) {
        KAI_UNROLL(4)
        for (int i = 0; i < 4; ++i) {
            four.x[i] = vaddq_f32(four.x[i], load_f32x4(bias));
        }
        bias += rhs_stride;
    }
    KAI_UNROLL(4)
    for (int i = 0; i < 4; ++i) {
        four.x[i] = clamped(four.x[i], lo, hi);
    }
    return four;
}

/// Four columns of a panel; of several rows at one place the first one is stored last.
template <class T, int ROWS>
KAI_INLINE void store_quad(const FourRows& four, uint8_t* const at[4], size_t offset) {
    KAI_UNROLL(4)
    for (int i = ROWS - 1; i >= 0; --i) {
        store_four(reinterpret_cast<T*>(at[i] + offset), four.x[i]);
    }
}

/// Up to ROWS rows of a panel, 2 or 4. Rows past the last row of the output are stored where row 0 goes, before it.
template <bool PAIRS, int ROWS>
KAI_INLINE void store_rows(
    const BlocksProblem& p, const StoredTiles& t, const float* tile, size_t step, size_t rows, uint8_t* dst) {
    const float lo = p.lo, hi = p.hi;
    const size_t stride = t.dst_stride, rhs_stride = p.rhs_stride, element_bytes = p.of.element_bytes;
    uint8_t* const row1 = rows > 1 ? dst + stride : dst;
    uint8_t* const row2 = rows > 2 ? dst + 2 * stride : dst;
    uint8_t* const row3 = rows > 3 ? dst + 3 * stride : dst;
    uint8_t* const at[4] = {dst, row1, row2, row3};
    const uint8_t* bias = t.bias;
    size_t offset = 0;
    for (size_t left = t.quads; left > 0; --left, tile += step, offset += 4 * element_bytes) {
        const FourRows four = results_of<PAIRS, ROWS>(tile, bias, rhs_stride, lo, hi);
        if (element_bytes == sizeof(float)) {
            store_quad<float, ROWS>(four, at, offset);
        } else {
            store_quad<F16, ROWS>(four, at, offset);
        }
    }
}

/// Adds the bias, clamps, converts, stores.
template <bool PAIRS>
KAI_INLINE void store_tiles(const BlocksProblem& p, const StoredTiles& t) {
    const size_t panels = (t.rows + 3) / 4;
    size_t rows = t.rows;
    const float* tile = t.sums;
    uint8_t* dst = t.dst;
    for (; rows > 2; rows -= rows < 4 ? rows : 4, dst += 4 * t.dst_stride, tile += 16) {
        store_rows<PAIRS, 4>(p, t, tile, 16 * panels, rows, dst);
    }
    if (rows > 0) {
        store_rows<PAIRS, 2>(p, t, tile, 16 * panels, rows, dst);
    }
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
            redo_odd_rows(p, args, panels, largest);
        }
        const size_t element_bytes = p.of.element_bytes, rest = p.n - n0 < 4 * args.quads ? p.n % 4 : 0;
        const size_t whole = rest != 0 ? args.quads - 1 : args.quads;
        const uint8_t* bias = p.of.rhs.panel_tail != 0 ? rhs + p.rhs_stride - 4 * sizeof(float) : nullptr;
        StoredTiles done{tiles, rows, whole, bias, dst + n0 * element_bytes, p.dst_stride};
        p.store(p, done);
        if (rest != 0) {  // the right edge
            uint8_t edge[4 * kMaxPanels][4 * sizeof(float)];
            uint8_t* const out = done.dst + 4 * whole * element_bytes;
            done = {tiles + whole * panels * 16,
                    rows,
                    1,
                    bias + (bias != nullptr ? whole * p.rhs_stride : 0),
                    edge[0],
                    sizeof(edge[0])};
            p.store(p, done);
            for (size_t i = 0; i < rows; ++i) {
                __builtin_memcpy(out + i * p.dst_stride, edge[i], rest * element_bytes);
            }
        }
    }
}

[[gnu::noinline]] void matmul_rows(
    const BlockRowsKernel& kernel, size_t m, size_t n, size_t k, size_t bl, const void* lhs, const void* rhs, void* dst,
    size_t dst_stride, float lo, float hi) {
    const BlockOperands& of = kernel.operands;
    if (n == 0) {
        return;  // there is no table
    }
    const size_t blocks = blocks_of(k, bl), rhs_stride = of.rhs.stride(blocks, bl);
    const Rows rows{
        m,          n,   of.rhs.rows, bytes(lhs),      of.lhs.stride(blocks, bl), bytes(rhs, of.rhs.panel_head),
        rhs_stride, dst, dst_stride,  of.element_bytes};
    each_row(rows, [&](const uint8_t* row, const uint8_t* panels, void* out, size_t quads) {
        if (bl == 32 || kernel.long_row == nullptr) {
            kernel.run(row, panels, rhs_stride, out, quads, blocks, lo, hi, bl, kernel.f16);
        } else {
            kai_long_row_neon(row, panels, rhs_stride, out, quads, blocks, lo, hi, bl, &of, kernel.long_row);
        }
    });
}

}  // namespace
}  // namespace kai

void kai_store_pairs_neon(const kai::BlocksProblem& p, const kai::StoredTiles& t) {
    kai::store_tiles<true>(p, t);
}
void kai_store_rows_neon(const kai::BlocksProblem& p, const kai::StoredTiles& t) {
    kai::store_tiles<false>(p, t);
}

void kai_matmul_blocks_neon(
    size_t m, size_t n, size_t k, size_t bl, const void* lhs, const void* rhs, void* dst, size_t dst_stride,
    const kai::BlocksKernel* kernel, float lo, float hi) {
    const kai::BlockOperands& of = kernel->operands;
    const bool is_long = bl != 32 && kernel->long_tiles != nullptr;
    const kai::BlockTiles& tiles = is_long ? kai::kNoTiles : *kernel->tiles;
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
        tiles,
        kernel->long_tiles,
        kernel->store};
    const uint8_t* panel = kai::bytes(lhs);
    uint8_t* out = kai::bytes(dst);
    for (size_t left = m; left > 0;) {
        const size_t panels = kai::next_panels(tiles, left, kernel->max_panels);
        const size_t rows = left < mr * panels ? left : mr * panels;
        kai::panels_of_rows(p, panels, rows, panel, out);
        panel += panels * p.lhs_stride;
        out += rows * dst_stride;
        left -= rows;
    }
}

/// One row of whole panels, the usual case, is a jump.
void kai_matmul_block_rows_neon(
    size_t m, size_t n, size_t k, size_t bl, const void* lhs, const void* rhs, void* dst, size_t dst_stride,
    const kai::BlockRowsKernel* kernel, float lo, float hi) {
    const kai::BlockOperand& of = kernel->operands.rhs;
    if (m == 1 && n % 4 == 0 && n != 0 && bl == 32) {
        return kernel->run(
            kai::bytes(lhs), kai::bytes(rhs, of.panel_head), of.stride(k / 32, 32), dst, n / 4, k / 32, lo, hi, 32,
            kernel->f16);
    }
    kai::matmul_rows(*kernel, m, n, k, bl, lhs, rhs, dst, dst_stride, lo, hi);
}
