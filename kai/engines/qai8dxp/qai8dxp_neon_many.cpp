// The GEMM of qai8dxp on NEON (qai8dxp_neon.hpp): many rows.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/qai8dxp/qai8dxp_neon.hpp"

namespace kai {
namespace {

constexpr size_t kGroupPanels = Qai8dxpLimits::kGroupPanels;
constexpr auto& group_panels = Qai8dxpLimits::group_panels;

/// How many of the rows of a group are few.
constexpr size_t few_of(size_t rows, size_t limit) {
    return rows <= limit ? rows : rows % 4;
}

/// A value per row in the order of a tile's vectors: SMMLA: r0 r0 r1 r1, r2 r2 r3 r3.
KAI_INLINE void keep_rows(bool pairs, float32x4_t x, float kept[2][4]) {
    vst1q_f32(kept[0], pairs ? vzip1q_f32(x, x) : x);
    vst1q_f32(kept[1], vzip2q_f32(x, x));
}

/// Rows that go through the columns together.
struct RowGroup {
    const uint8_t* lhs;
    size_t m0, rows, count;
    float largest_offset, largest_scale;
    Panel panels[kGroupPanels];

    /// Of rows `start` to `end` - 1, or of the first ones.
    KAI_INLINE RowGroup(const Problem& p, bool pairs, size_t start, size_t end)
        : lhs(p.lhs + start / 4 * p.lhs_stride), m0(start) {
        rows = end - m0 < 4 * group_panels(p.k) ? end - m0 : 4 * group_panels(p.k);
        count = rows / 4;
        float32x4_t offsets = vdupq_n_f32(0), scales = vdupq_n_f32(0);
        for (size_t i = 0; i < count; ++i) {
            const uint8_t* next = lhs + (i + 1) * p.lhs_stride;
            float32x4_t offset = load_f32x4(next - 32), scale = load_f32x4(next - 16);
            if (p.rhs_kind == RhsKind::int4_blocks) {
                offset = vcvtq_f32_s32(vreinterpretq_s32_f32(offset));
                offsets = vmaxq_f32(offsets, vabsq_f32(offset));
            }
            scales = vmaxq_f32(scales, vabsq_f32(scale));
            keep_rows(pairs, offset, panels[i].offsets);
            keep_rows(pairs, scale, panels[i].scales);
        }
        largest_offset = vmaxvq_f32(offsets);
        largest_scale = vmaxvq_f32(scales);
    }
};

constexpr size_t kBatchQuads = Qai8dxpLimits::kBatchQuads, kBatchDepth = Qai8dxpLimits::kBatchDepth;

/// Some quads, decoded, or a chunk of a long one.
struct Batch {
    alignas(16) int8_t rhs[4 * kBatchDepth + 32];
    float block_scales[kBatchDepth / 32 * 8];
    Quad quads[kBatchQuads];
    float results[4 * kGroupPanels][4];  // of columns that fill no quad
};

/// Position of a quad.
struct QuadPlace {
    const uint8_t* panel;  // of the RHS
    size_t column;         // in the panel
    size_t n0;             // in the output

    KAI_INLINE void next(const Problem& p) {
        n0 += 4;
        column += 4;
        if (column == p.nr) {
            column = 0;
            panel += p.rhs_stride;
        }
    }
};

/// A value per column in the order of a tile's vectors: SMMLA: c0 c1 c0 c1, c2 c3 c2 c3. Returns the end.
KAI_INLINE float* keep_columns(bool pairs, float32x4_t x, float* kept) {
    if (pairs) {
        vst1q_f32(kept, vcombine_f32(vget_low_f32(x), vget_low_f32(x)));
        vst1q_f32(kept + 4, vcombine_f32(vget_high_f32(x), vget_high_f32(x)));
        return kept + 8;
    }
    vst1q_f32(kept, x);
    return kept + 4;
}

KAI_INLINE float largest(float32x4_t x) {
    return vmaxvq_f32(vabsq_f32(x));
}

/// Clamping costs time; in most calls no result can reach the bounds.
KAI_INLINE bool out_of_bounds(const Problem& p, float largest) {
    return !(largest <= p.hi && largest <= -p.lo);
}

/// The fields of a quad of int8, int4 or int2 per channel.
KAI_INLINE void load_channels(const Problem& p, bool pairs, const RowGroup& group, QuadPlace place, Quad& quad) {
    const uint8_t* fields = place.panel + p.rhs_stride - 12 * p.nr + 4 * place.column;
    const float32x4_t scales = load_f32x4(fields + 4 * p.nr), bias = load_f32x4(fields + 8 * p.nr);
    keep_columns(pairs, load_f32x4(fields), quad.column_sums[0]);
    keep_columns(pairs, scales, quad.column_scales[0]);
    vst1q_f32(quad.bias, bias);
    // A sum is an int32; twice as much, since products and sums are rounded.
    quad.clamps = out_of_bounds(p, largest(scales) * group.largest_scale * 0x1p32F + 2 * largest(bias));
}

/// The fields of a quad of int4 in blocks, and the scales of `count` parts of blocks from part `start` on.
KAI_INLINE void load_blocks(
    const Problem& p, bool pairs, const RowGroup& group, QuadPlace place, size_t block_parts, size_t start,
    size_t count, Quad& quad, float* scales) {
    const uint8_t* fields = place.panel + p.rhs_stride - 8 * p.nr + 4 * place.column;
    const float32x4_t sums = load_f32x4(fields), bias = load_f32x4(fields + 4 * p.nr);
    keep_columns(pairs, sums, quad.column_sums[0]);
    vst1q_f32(quad.bias, bias);
    quad.block_scales = scales;
    const size_t elements = p.bl / 2 * p.nr, block = elements + 2 * p.nr;
    const uint8_t* bf16 = place.panel + start / block_parts * block + elements + 2 * place.column;
    size_t left = block_parts - start % block_parts;
    float32x4_t largest_scales = vdupq_n_f32(0);
    for (; count > 0; --count) {
        const float32x4_t scale = vreinterpretq_f32_u32(vshll_n_u16(vreinterpret_u16_u8(vld1_u8(bf16)), 16));
        largest_scales = vmaxq_f32(largest_scales, vabsq_f32(scale));
        scales = keep_columns(pairs, scale, scales);
        if (--left == 0) {
            left = block_parts;
            bf16 += block;
        }
    }
    // |S / 16| is at most 1024 per k. Twice as much, since products and sums are rounded. Not all scales of a long
    // column have been seen.
    const float products = largest(largest_scales) * static_cast<float>(p.k) * 1024;
    const float offsets = largest(sums) * group.largest_offset;
    quad.clamps =
        p.k > kBatchDepth || out_of_bounds(p, 2 * ((products + offsets) * group.largest_scale + largest(bias)));
}

/// Decodes `steps` steps of all quads, from step `done` on; rhs of a quad is its start. step: bytes of a panel.
KAI_INLINE void decode(
    const Problem& p, const GemmTiles& t, Batch& batch, size_t quads, size_t done, size_t steps, size_t step) {
    if (t.decode == nullptr || steps == 0) {
        return;
    }
    DecodeArgs args;
    args.quads = batch.quads;
    args.quad_count = quads;
    args.out = batch.rhs;
    args.steps = steps;
    args.vector_1 = t.group == 8 ? 16 : 4 * p.nr;
    args.vector_2 = 8 * p.nr;
    args.step = step;
    const bool blocks = p.rhs_kind == RhsKind::int4_blocks;
    args.gap = blocks ? 2 * p.nr : 0;
    args.block_steps = blocks ? p.bl / 32 : steps;
    args.first_steps = args.block_steps - (blocks ? done % args.block_steps : 0);
    args.lut = p.lut;
    t.decode(&args);
}

/// Number of 3-panel tiles, so that the remainder is never one panel.
constexpr size_t tiles_of_3(size_t panels) {
    return panels % 3 == 1 ? (panels - 1) / 3 - (panels > 1) : panels / 3;
}

/// All tiles of a group.
[[gnu::noinline]] void run_tiles(GemmArgs args, size_t panels, const GemmTiles& t) {
    for (size_t i = 3; i-- > 0;) {
        const size_t size = i == 2 ? t.most : i + 1;
        args.tiles = size == 3 ? tiles_of_3(panels) : panels / size;
        if (args.tiles > 0) {
            t.run[i](&args);
            const size_t done = args.tiles * size;
            args.lhs += done * args.panel_stride;
            args.panels += done;
            args.dst += done * args.dst_stride;
            panels -= done;
        }
    }
}

/// The same where tiles of 3 panels x 2 quads exist.
KAI_INLINE void run_wide_tiles(GemmArgs args, size_t panels, const GemmTiles& t) {
    const size_t quads = args.quad_count / 2 * 2, odd_quad = args.quad_count - quads;
    const size_t wide_tiles = tiles_of_3(panels);
    if (quads > 0 && wide_tiles > 0) {
        GemmArgs rest = args;
        rest.quad_count = quads;
        rest.tiles = wide_tiles;
        t.wide(&rest);
        const size_t done = 3 * wide_tiles;
        rest.lhs += done * rest.panel_stride;
        rest.panels += done;
        rest.dst += done * rest.dst_stride;
        run_tiles(rest, panels - done, t);
        args.quads += quads;
        args.quad_count = odd_quad;
    }
    if (args.quad_count > 0) {
        run_tiles(args, panels, t);
    }
}

/// A group x a batch of quads.
KAI_INLINE void multiply(
    const Problem& p, const GemmTiles& t, const RowGroup& group, GemmArgs& args, QuadPlace place, Batch& batch) {
    const bool blocks = p.rhs_kind == RhsKind::int4_blocks, pairs = t.group == 8;
    const size_t unit = blocks ? part_steps(p.bl) : 1, units = (p.k + 31) / 32 / unit;
    const size_t block_parts = blocks && units > 0 ? p.bl / 32 / unit : 1;
    const size_t chunk = t.decode == nullptr ? units : kBatchDepth / 32 / unit;  // nothing limits what is not decoded
    const size_t step = (p.rhs_kind == RhsKind::int8 ? 32 : p.rhs_kind == RhsKind::int2 ? 8 : 16) * p.nr;
    args.lhs = group.lhs;
    args.resume = 0;
    size_t start = 0;
    do {
        const size_t count = units - start < chunk ? units - start : chunk;
        const size_t offset = start * unit * step + (blocks ? start / block_parts * 2 * p.nr : 0);
        QuadPlace at = place;
        for (size_t i = 0; i < args.quad_count; ++i, at.next(p)) {
            Quad& quad = batch.quads[i];
            quad.dst = 4 * element_bytes(p.out) * i;
            quad.rhs = reinterpret_cast<const int8_t*>(at.panel + at.column * t.column_bytes + offset);
            if (blocks) {
                load_blocks(p, pairs, group, at, block_parts, start, count, quad, batch.block_scales + i * count * 8);
            } else {
                load_channels(p, pairs, group, at, quad);
            }
        }
        decode(p, t, batch, args.quad_count, start * unit, count * unit, step);
        args.steps = blocks ? unit : count;
        args.blocks = count;
        start += count;
        args.last = start == units;
        if (t.wide != nullptr && !args.resume && args.last) {
            run_wide_tiles(args, group.count, t);
        } else {
            run_tiles(args, group.count, t);
        }
        args.lhs += count * unit * 128;
        args.resume = 1;
    } while (start < units);
}

}  // namespace
}  // namespace kai

/// Rows `start` to `end` - 1, a multiple of 4: decoded columns.
extern "C" [[gnu::visibility("hidden")]] void kai_gemm_panels_neon(
    const kai::Problem& p, const kai::GemmTiles& t, size_t start, size_t end) {
    using namespace kai;
    Batch batch;
    GemmArgs args;
    set_bounds(args, p);
    vst1q_f32(args.start, vdupq_n_f32(ShortSum<4>::kStart));
    args.quads = batch.quads;
    const size_t element = element_bytes(p.out);
    const size_t fit = t.decode == nullptr || p.k * kBatchQuads <= kBatchDepth ? kBatchQuads
                       : p.k <= kBatchDepth                                    ? kBatchDepth / ((p.k + 31) / 32 * 32)
                                                                               : 1;
    for (size_t m0 = start; m0 < end; m0 += 4 * group_panels(p.k)) {
        RowGroup group(p, t.group == 8, m0, end);
        args.panels = group.panels;
        for (QuadPlace place{p.rhs, 0, 0}; place.n0 < p.n;) {
            const size_t left = p.n - place.n0;
            uint8_t* dst = bytes(p.dst, m0 * p.dst_stride + element * place.n0);
            args.quad_count = left < 4 * fit ? (left + 3) / 4 : fit;
            args.dst = dst;
            args.row_stride = p.dst_stride;
            if (left < 4) {
                args.dst = bytes(batch.results[0]);
                args.row_stride = sizeof(batch.results[0]);
            } else if (left < 4 * args.quad_count) {
                --args.quad_count;
            }
            args.dst_stride = 4 * args.row_stride;
            multiply(p, t, group, args, place, batch);
            if (left < 4) {
                for (size_t i = 0; i < group.rows; ++i) {
                    __builtin_memcpy(dst + i * p.dst_stride, batch.results[i], left * element);
                }
            }
            for (size_t i = 0; i < args.quad_count; ++i) {
                place.next(p);
            }
        }
    }
}

/// The few rows after the last whole group are done together with that group, in parts of the columns whose RHS stays
/// in the second-level cache.
void kai_gemm_many_neon(const kai::Problem& p, const kai::GemmTiles& t) {
    using namespace kai;
    const size_t group = 4 * group_panels(p.k), many = p.m - few_of(p.m % group, t.few_rows);
    if (many == p.m) {
        return kai_gemm_panels_neon(p, t, 0, many);
    }
    const size_t last = (many - 1) / group * group;
    kai_gemm_panels_neon(p, t, 0, last);
    const size_t panels = Qai8dxpLimits::kSecondLevelBytes / p.rhs_stride, step = (panels == 0 ? 1 : panels) * p.nr;
    Problem part = p;
    for (size_t left = p.n; left > 0; left -= part.n) {
        part.n = left < step ? left : step;
        kai_gemm_panels_neon(part, t, last, many);
        kai_gemm_few_neon(part, t, many);
        part.rhs += step / p.nr * p.rhs_stride;
        part.dst = bytes(part.dst, step * element_bytes(p.out));
    }
}
