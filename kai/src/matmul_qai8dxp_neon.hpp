// GEMM with rows quantised at run time (qai8dxp, panels of 4 rows) on NEON: one engine for every RHS and every output.
//
// The RHS of 4 columns, a quad, becomes int8 in a small buffer, some hundred k at a time, and up to 64 rows are
// multiplied by it: unpacking costs little, and the hot loop is a tile of int8 x int8 whatever the RHS is. Tiles are
// assembly (matmul_qai8dxp_neon_*.S): up to 16 rows x 4 columns whose sums stay in registers. Sums then become results
// here (Channels, Blocks), which are stored in the order of rows.
//
//     for groups of up to 64 rows                   as many as stay in the first-level cache
//         for quads of columns
//             for chunks of k                       decode; sums += lhs x rhs, tile by tile
//             finish                                zero points, scales, bias, clamp, store
//
// What an instruction set adds is a policy, Isa: Acc (matmul_int_neon.hpp), which tells the order of a tile's vectors,
// and the tile functions.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/src/matmul_int_neon.hpp"
#include "kai/src/matmul_qai8dxp.hpp"

namespace kai {
namespace {

/// @name Tile functions
///
/// A tile is 1, 2 or 4 panels of the LHS x a quad. Its LHS starts behind the one of the tile before, its sums too:
/// four vectors per panel in the order of Acc. The decoded quad has `group` k of column 0, of column 1, 2, 3, then the
/// next ones: 8 k for SMMLA, 4 for SDOT; 128 bytes per step of 32 k. At least one tile and one step. Functions may read
/// 32 bytes past the last k of a panel and of the quad.
/// @{

/// sums = (resume ? sums : 0) + lhs x rhs over `steps` steps.
struct SumsArgs {
    const uint8_t* lhs;
    size_t panel_stride;
    const int8_t* rhs;
    size_t steps;
    int32_t* sums;
    size_t tiles, resume;
};
static_assert(
    offsetof(SumsArgs, lhs) == 0 && offsetof(SumsArgs, panel_stride) == 8 && offsetof(SumsArgs, rhs) == 16 &&
        offsetof(SumsArgs, steps) == 24 && offsetof(SumsArgs, sums) == 32 && offsetof(SumsArgs, tiles) == 40 &&
        offsetof(SumsArgs, resume) == 48,
    "matmul_qai8dxp_neon.inc");

/// The same in blocks of 1 to 8 steps: sums = (resume ? sums : 0), then for each block fma(f32(S / 16), scale, sums).
/// Integer sums start at the bits of `start` and lose it as floats (ShortSum). Scales per block are in the order of a
/// tile's vectors: c0 c1 c0 c1, c2 c3 c2 c3 for SMMLA, c0 c1 c2 c3 for SDOT.
struct BlockSumsArgs {
    float start[4];
    const uint8_t* lhs;
    size_t panel_stride;
    const int8_t* rhs;
    size_t steps;  // per block
    float* sums;
    size_t tiles, resume;
    const float* scales;
    size_t blocks;
};
static_assert(
    offsetof(BlockSumsArgs, start) == 0 && offsetof(BlockSumsArgs, lhs) == 16 &&
        offsetof(BlockSumsArgs, panel_stride) == 24 && offsetof(BlockSumsArgs, rhs) == 32 &&
        offsetof(BlockSumsArgs, steps) == 40 && offsetof(BlockSumsArgs, sums) == 48 &&
        offsetof(BlockSumsArgs, tiles) == 56 && offsetof(BlockSumsArgs, resume) == 64 &&
        offsetof(BlockSumsArgs, scales) == 72 && offsetof(BlockSumsArgs, blocks) == 80,
    "matmul_qai8dxp_neon.inc");

using SumsFn = void(const SumsArgs*);
using BlockSumsFn = void(const BlockSumsArgs*);
/// @}

/// @name Rows
/// @{
constexpr size_t kGroupPanels = 16;
constexpr size_t kFirstLevelBytes = 32768;  // of LHS, as good as all caches can hold beside the rest

/// Whole tiles of 16 rows. LHS that is too long for the cache comes from the next one, however few rows it has.
constexpr size_t group_panels(size_t k) {
    const size_t panels = k == 0 ? kGroupPanels : kFirstLevelBytes / k / 16 * 4;
    return panels < kGroupPanels / 2 ? kGroupPanels / 2 : panels < kGroupPanels ? panels : kGroupPanels;
}

/// Rows that go through the columns together.
template <class Acc>
struct Group {
    const uint8_t* lhs;
    size_t m0, rows, panels;
    struct Fields {
        float offsets[Acc::kRowVectors][4];  // int32, or f32 for RHS in blocks
        float scales[Acc::kRowVectors][4];
    } fields[kGroupPanels];

    KAI_INLINE Group(const Problem& p, size_t start) : lhs(p.lhs + start / 4 * p.lhs_stride), m0(start) {
        rows = p.m - m0 < 4 * group_panels(p.k) ? p.m - m0 : 4 * group_panels(p.k);
        panels = (rows + 3) / 4;
        for (size_t i = 0; i < panels; ++i) {
            const uint8_t* end = lhs + (i + 1) * p.lhs_stride;
            float32x4_t offset = load_f32x4(end - 32);
            if (p.rhs_kind == RhsKind::int4_blocks) {
                offset = vcvtq_f32_s32(vreinterpretq_s32_f32(offset));
            }
            Acc::keep_rows(offset, fields[i].offsets);
            Acc::keep_rows(load_f32x4(end - 16), fields[i].scales);
        }
    }
};
/// @}

/// @name Columns
/// @{
constexpr size_t kChunk = 1024;  // k that are decoded at a time

/// Where a quad stands.
struct Place {
    const uint8_t* panel;  // of the RHS
    size_t column;         // in the panel
    size_t n0;             // in the output
};

/// Per channel, or of quantised blocks.
union PanelSums {
    int32_t ints[4][4];
    float floats[4][4];
};

/// Sums of a group x a quad, and the decoded part of the quad.
template <class Acc>
struct Quad {
    alignas(16) int8_t rhs[4 * kChunk + 32];
    float scales[kChunk / 32 * 4 * Acc::kColumnVectors];
    PanelSums sums[kGroupPanels];

    KAI_INLINE void clear(size_t panels) {
        for (size_t i = 0; i < panels; ++i) {
            sums[i] = PanelSums{};
        }
    }
};

/// `steps` of a quad of signed nibbles, from panels of nr columns, to 16 times the weights.
template <class Isa>
KAI_INLINE int8_t* decode_int4(int8_t* out, const uint8_t* p, size_t nr, size_t steps) {
    const size_t second = Isa::kGroup == 8 ? 16 : 4 * nr;  // vectors of 16 bytes: groups of the quad's columns
    const size_t third = 8 * nr;
    for (; steps > 0; --steps, p += 16 * nr, out += 128) {
        const int8x16_t packed[4] = {
            load_s8x16(p), load_s8x16(p + second), load_s8x16(p + third), load_s8x16(p + third + second)};
        KAI_UNROLL
        for (int i = 0; i < 4; ++i) {
            vst1q_s8(out + 16 * i, Int4::low(packed[i]));
        }
        KAI_UNROLL
        for (int i = 0; i < 4; ++i) {
            vst1q_s8(out + 64 + 16 * i, Int4::high(packed[i]));
        }
    }
    return out;
}

/// `steps` of a quad of indices into a table: bits 2t and 2t + 1 of a vector's bytes are 4 k of 4 columns.
KAI_INLINE void decode_int2(int8_t* out, const uint8_t* p, const int32_t* lut, size_t steps) {
    const int8x16_t table = vreinterpretq_s8_u8(vld1q_u8(bytes(lut)));
    const uint8x16_t every_fourth = vreinterpretq_u8_u32(vdupq_n_u32(0x0C080400));
    const int8x16_t weights = vqtbl1q_s8(table, every_fourth);
    const uint8x16_t mask = vdupq_n_u8(3);
    for (steps *= 2; steps > 0; --steps, p += 16, out += 64) {
        const uint8x16_t packed = vld1q_u8(p);
        vst1q_s8(out, vqtbl1q_s8(weights, vandq_u8(packed, mask)));
        vst1q_s8(out + 16, vqtbl1q_s8(weights, vandq_u8(vshrq_n_u8(packed, 2), mask)));
        vst1q_s8(out + 32, vqtbl1q_s8(weights, vandq_u8(vshrq_n_u8(packed, 4), mask)));
        vst1q_s8(out + 48, vqtbl1q_s8(weights, vshrq_n_u8(packed, 6)));
    }
}

/// All tiles of a group: args say the first one.
template <class Args>
KAI_INLINE void run_tiles(Args args, size_t panels, void (*const tiles[3])(const Args*)) {
    for (size_t i = 3; i-- > 0;) {
        const size_t size = static_cast<size_t>(1) << i;
        args.tiles = panels / size;
        if (args.tiles > 0) {
            tiles[i](&args);
            args.lhs += args.tiles * size * args.panel_stride;
            args.sums += args.tiles * size * 16;
            panels %= size;
        }
    }
}

/// sums = lhs x rhs, int32.
template <class Isa>
KAI_INLINE void sum_channels(
    const Problem& p, const Group<typename Isa::Acc>& group, Place place, Quad<typename Isa::Acc>& quad) {
    const uint8_t* elements = place.panel + place.column * Isa::kGroup;
    SumsArgs args;
    args.lhs = group.lhs;
    args.panel_stride = p.lhs_stride;
    args.sums = quad.sums[0].ints[0];
    args.resume = 0;
    size_t steps = (p.k + 31) / 32;
    if (steps == 0) {
        quad.clear(group.panels);
    }
    if (p.rhs_kind == RhsKind::int8) {
        args.rhs = reinterpret_cast<const int8_t*>(elements);
        args.steps = steps;
        if (steps > 0) {
            run_tiles(args, group.panels, Isa::kSums);
        }
        return;
    }
    const size_t step_bytes = (p.rhs_kind == RhsKind::int4 ? 16 : 8) * p.nr;
    args.rhs = quad.rhs;
    for (; steps > 0; steps -= args.steps) {
        args.steps = steps < kChunk / 32 ? steps : kChunk / 32;
        if (p.rhs_kind == RhsKind::int4) {
            decode_int4<Isa>(quad.rhs, elements, p.nr, args.steps);
        } else {
            decode_int2(quad.rhs, elements, p.lut, args.steps);
        }
        elements += args.steps * step_bytes;
        run_tiles(args, group.panels, Isa::kSums);
        args.lhs += args.steps * 128;
        args.resume = 1;
    }
}

/// Steps of a part of a block whose sums fit (ShortSum): an equal part, at most 256 k.
constexpr size_t part_steps(size_t bl) {
    size_t steps = 8;
    while (bl / 32 % steps != 0) {
        --steps;
    }
    return steps;
}

/// sums = sum over blocks of f32(lhs x rhs) * scale.
template <class Isa>
KAI_INLINE void sum_blocks(
    const Problem& p, const Group<typename Isa::Acc>& group, Place place, Quad<typename Isa::Acc>& quad) {
    using Acc = typename Isa::Acc;
    BlockSumsArgs args;
    vst1q_f32(args.start, vdupq_n_f32(ShortSum<4>::kStart));
    args.lhs = group.lhs;
    args.panel_stride = p.lhs_stride;
    args.rhs = quad.rhs;
    args.steps = p.k == 0 ? 1 : part_steps(p.bl);
    args.sums = quad.sums[0].floats[0];
    args.scales = quad.scales;
    args.resume = 0;
    if (p.k == 0) {
        quad.clear(group.panels);
    }
    const size_t part_bytes = args.steps * 16 * p.nr, block_parts = p.k == 0 ? 0 : p.bl / 32 / args.steps;
    const size_t chunk = kChunk / 32 / args.steps;
    size_t left = p.k / 32 / args.steps, left_of_block = block_parts;
    const uint8_t* part = place.panel;
    for (; left > 0; left -= args.blocks) {
        args.blocks = left < chunk ? left : chunk;
        int8_t* out = quad.rhs;
        float* scales = quad.scales;
        for (size_t i = 0; i < args.blocks; ++i) {
            out = decode_int4<Isa>(out, part + place.column * Isa::kGroup, p.nr, args.steps);
            const uint8_t* bf16 = part + left_of_block * part_bytes + 2 * place.column;
            const uint32x4_t bits = vshll_n_u16(vreinterpret_u16_u8(vld1_u8(bf16)), 16);
            scales = Acc::keep_columns(vreinterpretq_f32_u32(bits), scales);
            part += part_bytes;
            if (--left_of_block == 0) {
                left_of_block = block_parts;
                part += 2 * p.nr;
            }
        }
        run_tiles(args, group.panels, Isa::kBlockSums);
        args.lhs += args.blocks * args.steps * 128;
        args.resume = 1;
    }
}
/// @}

/// @name From sums to results
///
/// Fields: what is kept behind a panel of the RHS. result: vector v of a panel, before the bias, in the order of the
/// tile.
/// @{

/// x = f32(sum + offset of the row * sum of the column) * (scale of the column * scale of the row), then + bias.
template <class Order>
struct Channels {
    using Acc = Order;
    static constexpr size_t kFields = 12;  // bytes per column
    float32x4_t sums[4], scales[4], bias;

    KAI_INLINE Channels(const uint8_t* fields, size_t nr) : bias(load_f32x4(fields + 8 * nr)) {
        Acc::spread_columns(load_f32x4(fields), sums);
        Acc::spread_columns(load_f32x4(fields + 4 * nr), scales);
    }
    KAI_INLINE float32x4_t result(const PanelSums& sum, float32x4_t offset, float32x4_t scale, int v) const {
        const int32x4_t column_sums = vreinterpretq_s32_f32(sums[v]);
        const int32x4_t exact = vmlaq_s32(vld1q_s32(sum.ints[v]), column_sums, vreinterpretq_s32_f32(offset));
        return vmulq_f32(vcvtq_f32_s32(exact), vmulq_f32(scales[v], scale));
    }
};

/// x = fma(sum of the column, f32(offset of the row), sum) * scale of the row, then + bias.
template <class Order>
struct Blocks {
    using Acc = Order;
    static constexpr size_t kFields = 8;
    float32x4_t sums[4], bias;

    KAI_INLINE Blocks(const uint8_t* fields, size_t nr) : bias(load_f32x4(fields + 4 * nr)) {
        Acc::spread_columns(load_f32x4(fields), sums);
    }
    KAI_INLINE float32x4_t result(const PanelSums& sum, float32x4_t offset, float32x4_t scale, int v) const {
        return vmulq_f32(vfmaq_f32(vld1q_f32(sum.floats[v]), sums[v], offset), scale);
    }
};

/// The results of a group x a quad.
template <class Columns, class T>
[[gnu::noinline]] void finish(
    const Problem& p, const Group<typename Columns::Acc>& group, Place place, const PanelSums* sums) {
    using Acc = typename Columns::Acc;
    const Columns columns(place.panel + p.rhs_stride - Columns::kFields * p.nr + 4 * place.column, p.nr);
    const Dst<T> dst{static_cast<typename Output<T>::Pointer>(p.dst), p.dst_stride, p.lo, p.hi};
    const size_t count = p.n - place.n0;
    for (size_t i = 0; i < group.panels; ++i) {
        float32x4_t offsets[4], scales[4], x[4], out[4];
        Acc::kept_rows(group.fields[i].offsets, offsets);
        Acc::kept_rows(group.fields[i].scales, scales);
        KAI_UNROLL
        for (int v = 0; v < 4; ++v) {
            x[v] = columns.result(sums[i], offsets[v], scales[v], v);
        }
        KAI_UNROLL
        for (int r = 0; r < 4; ++r) {
            out[r] = clamped(vaddq_f32(Acc::row(x, r), columns.bias), dst.lo, dst.hi);
        }
        T* start = dst.at(group.m0 + 4 * i, place.n0);
        const size_t rows = group.rows - 4 * i;
        if (rows >= 4 && count >= 4) {
            KAI_UNROLL
            for (int r = 0; r < 4; ++r) {
                store_four(reinterpret_cast<T*>(bytes(start, r * dst.stride)), out[r]);
            }
        } else {
            KAI_UNROLL
            for (int r = 0; r < 4; ++r) {
                if (static_cast<size_t>(r) < rows) {
                    store_columns(reinterpret_cast<T*>(bytes(start, r * dst.stride)), out[r], count);
                }
            }
        }
    }
}

template <class Columns>
KAI_INLINE void finish_as(
    const Problem& p, const Group<typename Columns::Acc>& group, Place place, const PanelSums* sums) {
    switch (p.out) {
        case OutKind::f32:
            return finish<Columns, float>(p, group, place, sums);
        case OutKind::f16:
            return finish<Columns, F16>(p, group, place, sums);
        case OutKind::bf16:
            return finish<Columns, Bf16>(p, group, place, sums);
    }
}
/// @}

/// The engine.
template <class Isa>
KAI_INLINE void gemm(const Problem& p) {
    using Acc = typename Isa::Acc;
    Quad<Acc> quad;
    for (size_t m0 = 0; m0 < p.m; m0 += 4 * group_panels(p.k)) {
        const Group<Acc> group(p, m0);
        Place place{p.rhs, 0, 0};
        for (; place.n0 < p.n; place.n0 += 4) {
            if (p.rhs_kind == RhsKind::int4_blocks) {
                sum_blocks<Isa>(p, group, place, quad);
                finish_as<Blocks<Acc>>(p, group, place, quad.sums);
            } else {
                sum_channels<Isa>(p, group, place, quad);
                finish_as<Channels<Acc>>(p, group, place, quad.sums);
            }
            place.column += 4;
            if (place.column == p.nr) {
                place.column = 0;
                place.panel += p.rhs_stride;
            }
        }
    }
}

}  // namespace
}  // namespace kai
