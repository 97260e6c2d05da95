// Blocks of any length, all formats. Blocks of 32, the usual length, come here only for rows whose scale is not finite.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/blocks/blocks_args.h"
#include "kai/engines/blocks/blocks_long_args.h"
#include "kai/engines/blocks/blocks_neon_long.hpp"
#include "kai/engines/core/neon.hpp"

namespace kai {
namespace {

/// The arguments that depend on the formats and on the length of blocks.
KAI_INLINE LongArgs long_args(const BlockOperands& of, size_t bl, size_t blocks, size_t group) {
    const bool zeros = of.scales == BlockScales::zeros;
    const bool near = of.is_int8 || of.nibble_distance != 0;  // high k follow 16 low ones
    LongArgs a;
    a.blocks = blocks;
    a.steps = bl / 32;
    a.high_k = (near ? 16 : bl / 2) * of.lhs.rows;
    a.lhs_step = (near ? 32 : 16) * of.lhs.rows;
    a.rhs_step = 4 * of.rhs.bytes_of_8;
    a.lhs_jump = of.lhs.block_bytes(bl) - (a.steps - 1) * a.lhs_step;
    a.rhs_jump = of.rhs.block_bytes(bl) - (a.steps - 1) * a.rhs_step;
    a.lhs_fields = zeros ? bl / 8 * of.lhs.bytes_of_8 : 0 - of.lhs.fields;
    a.rhs_fields = zeros ? bl / 8 * of.rhs.bytes_of_8 : 0 - of.rhs.fields;
    a.next_group = group * of.rhs.rows;
    a.next_group_16 = a.next_group + 16;
    a.kind = size_t{of.is_int8} << LONG_INT8 | size_t{zeros} << LONG_ZEROS | size_t{of.bf16_scales} << LONG_BF16;
    return a;
}

/// The first elements of a panel.
KAI_INLINE const uint8_t* first_elements(const BlockOperands& of, const BlockOperand& side, const uint8_t* panel) {
    return of.scales == BlockScales::zeros ? panel : panel + side.fields;
}

/// Four quads, or the last ones.
template <class T>
KAI_INLINE void store_row(const float sums[][4], size_t count, T* dst, float lo, float hi) {
    for (; count >= 4; count -= 4, sums += 4, dst += 16) {
        const float32x4_t a = clamped(vld1q_f32(sums[0]), lo, hi), b = clamped(vld1q_f32(sums[1]), lo, hi);
        const float32x4_t c = clamped(vld1q_f32(sums[2]), lo, hi), d = clamped(vld1q_f32(sums[3]), lo, hi);
        store_four(dst, a);
        store_four(dst + 4, b);
        store_four(dst + 8, c);
        store_four(dst + 12, d);
    }
    for (; count > 0; --count, ++sums, dst += 4) {
        store_four(dst, clamped(vld1q_f32(sums[0]), lo, hi));
    }
}

/// Turns indices into int8, block by block. If each half has a scale of its own, the other half becomes 0.
[[gnu::cold]] void tiles_of_indices(const TileArgs& args, BlockOperands of, const LongTiles& tiles) {
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

void kai_long_tiles_neon(
    const kai::TileArgs* args, const kai::BlockOperands* of, size_t panels, const kai::LongTiles* tiles) {
    if (of->rhs.panel_head != 0) {
        return kai::tiles_of_indices(*args, *of, *tiles);
    }
    kai::LongArgs a = kai::long_args(*of, args->bl, args->blocks, tiles->group);
    a.lhs = kai::first_elements(*of, of->lhs, args->lhs);
    a.lhs_stride = args->lhs_stride;
    a.rhs_stride = args->rhs_stride;
    a.resume = 0;
    const size_t sets = of->rhs.rows / 4;  // quads of a panel, one after another
    a.tile_step = 64 * panels * sets;
    const size_t rhs_fields = a.rhs_fields;
    for (size_t set = 0; set < sets && set < args->quads; ++set) {
        a.rhs = kai::first_elements(*of, of->rhs, args->rhs) + 4 * tiles->group * set;
        a.rhs_fields = rhs_fields + 8 * set - 4 * tiles->group * set;
        a.tiles = args->tiles + 16 * panels * set;
        a.quads = (args->quads - set + sets - 1) / sets;
        tiles->run[panels - 1](&a);
    }
}

void kai_redo_odd_rows_neon(
    const kai::BlocksProblem& p, kai::TileArgs args, size_t panels, const uint32_t largest[][4]) {
    float again[kai::kMaxQuads][4][4];
    float* tiles = args.tiles;
    args.tiles = again[0][0];
    args.blocks = p.blocks;
    args.resume = 0;
    for (size_t panel = 0; panel < panels; ++panel, args.lhs += p.lhs_stride) {
        kai_long_tiles_neon(&args, &p.of, 1, p.long_tiles);
        for (size_t i = 0; i < args.quads * 16; ++i) {
            const size_t row = p.tiles.rules.pairs ? i / 8 % 2 * 2 + i / 2 % 2 : i / 4 % 4;
            if (largest[panel][row] >= kai::kInfinity) {
                tiles[(i / 16 * panels + panel) * 16 + i % 16] = again[i / 16][i / 4 % 4][i % 4];
            }
        }
    }
}

void kai_long_row_neon(
    const uint8_t* lhs, const uint8_t* rhs, size_t rhs_stride, void* dst, size_t quads, size_t blocks, float lo,
    float hi, size_t bl, const kai::BlockOperands* of, const kai::LongRow* row) {
    using namespace kai;
    constexpr size_t kQuads = BlocksLimits::kLongRowQuads;
    const bool pairs = of->rhs.rows == 8;  // of quads in a panel
    const size_t next = pairs ? 4 * row->group : rhs_stride, next_two = pairs ? rhs_stride : 2 * rhs_stride;
    const size_t element_bytes = of->element_bytes, tail = of->rhs.panel_tail;
    float sums[kQuads][4];
    LongArgs a = long_args(*of, bl, blocks, row->group);
    a.lhs = first_elements(*of, of->lhs, lhs);
    a.tiles = sums[0];
    a.rhs_stride = 2 * next_two;
    a.odd = pairs ? 8 - 4 * row->group : 0;
    uint8_t* out = bytes(dst);
    for (size_t count = 0; quads > 0; quads -= count) {
        count = quads < 4 ? quads : quads < kQuads ? quads / 4 * 4 : kQuads;
        // Missing quads repeat existing ones.
        a.quads = (count + 3) / 4;
        a.quad_1 = count > 1 || pairs ? next : 0;
        a.quad_2 = count > 2 ? next_two : 0;
        a.quad_3 = count > 3 || pairs ? a.quad_2 + a.quad_1 : a.quad_2;
        a.rhs = first_elements(*of, of->rhs, rhs);
        blocks != 0 ? row->run(&a) : void(__builtin_memset(sums, 0, sizeof(sums)));
        const uint8_t* bias = rhs + rhs_stride - tail;
        for (size_t q = 0; tail != 0 && q < count; ++q, bias += rhs_stride) {
            vst1q_f32(sums[q], vaddq_f32(vld1q_f32(sums[q]), load_f32x4(bias)));
        }
        rhs += count / 4 * a.rhs_stride;
        if (element_bytes == sizeof(float)) {
            store_row(sums, count, reinterpret_cast<float*>(out), lo, hi);
        } else {
            store_row(sums, count, reinterpret_cast<F16*>(out), lo, hi);
        }
        out += 4 * count * element_bytes;
    }
}
