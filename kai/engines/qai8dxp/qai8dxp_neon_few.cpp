// The GEMM of qai8dxp on NEON (qai8dxp_neon.hpp): few rows. What kai_few_neon is called with (struct FewArgs).
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/qai8dxp/qai8dxp_neon.hpp"

namespace kai {
namespace {

/// 1 to 8 rows of the output. SMMLA tiles have an even number of rows; with blocks, 7 rows use the SDOT tile of 8.
KAI_INLINE void set_rows(FewArgs& args, const Problem& p, const GemmTiles& t, size_t rows, size_t row_stride) {
    const bool one_more = rows % 2 != 0 && (t.group == 8 || (rows == 7 && p.rhs_kind == RhsKind::int4_blocks));
    args.row_stride = row_stride;
    args.last_stride = one_more ? 0 : row_stride;
    args.tiles = t.few[rows - 1];
}

/// The columns of `args`, rows from m0 on.
[[gnu::noinline]] void few_columns(const Problem& p, const GemmTiles& t, FewArgs& args, size_t m0, size_t row_stride) {
    args.lhs = p.lhs + m0 / 4 * p.lhs_stride;
    for (size_t left = p.m - m0; left > 0;) {
        const size_t rows = left < 8 ? left : 8;
        set_rows(args, p, t, rows, row_stride);
        kai_few_neon(&args);
        left -= rows;
        args.lhs += 2 * p.lhs_stride;
        args.dst += 8 * row_stride;
    }
}

/// The first `whole` columns, as many at a time that their RHS stays in the first-level cache while rows follow each
/// other.
KAI_INLINE void few_whole_columns(const Problem& p, const GemmTiles& t, FewArgs& args, size_t m0, size_t whole) {
    const size_t fit = Qai8dxpLimits::kFirstLevelBytes / p.rhs_stride * p.nr / 8, step = 2 * (fit == 0 ? 1 : fit);
    uint8_t* dst = args.dst;
    for (size_t quads = whole / 4; quads > 0; quads -= args.quads) {
        args.quads = quads < step ? quads : step;
        args.dst = dst;
        few_columns(p, t, args, m0, p.dst_stride);
        args.rhs += 4 * step / p.nr * p.rhs_stride;
        dst += 4 * step * element_bytes(p.out);
    }
}

/// The last columns, from `whole` on, which fill no panel: they are copied from a buffer.
[[gnu::noinline]] void few_last_columns(
    const Problem& p, const GemmTiles& t, FewArgs& args, size_t m0, size_t whole, uint8_t* dst) {
    float results[Qai8dxpLimits::kFewRows][8];
    args.rhs = p.rhs + whole / p.nr * p.rhs_stride;
    args.dst = bytes(results[0]);
    args.quads = (p.n - whole + 3) / 4;
    few_columns(p, t, args, m0, sizeof(results[0]));
    for (size_t i = 0; i < p.m - m0; ++i) {
        __builtin_memcpy(dst + i * p.dst_stride, results[i], (p.n - whole) * element_bytes(p.out));
    }
}

/// Columns that fill no quad, or rows that need several calls.
[[gnu::noinline]] void few_by_parts(const Problem& p, const GemmTiles& t, FewArgs& args, size_t m0) {
    const size_t whole = p.n % 4 == 0 ? p.n : p.n / p.nr * p.nr;
    uint8_t* dst = args.dst;
    few_whole_columns(p, t, args, m0, whole);
    if (whole < p.n) {
        few_last_columns(p, t, args, m0, whole, dst + whole * element_bytes(p.out));
    }
}

/// FewArgs::clamps of rows from m0 on. |f32(sum)| is at most 2^31; twice as much, since products and sums are rounded.
KAI_INLINE size_t few_clamps(const Problem& p, size_t m0) {
    const uint32x4_t numbers = {0, 1, 2, 3};
    const uint8_t* scales = p.lhs + (m0 / 4 + 1) * p.lhs_stride - 16;
    uint32x4_t largest = vdupq_n_u32(0);  // bits
    for (size_t m = m0; m < p.m; m += 4, scales += p.lhs_stride) {
        const uint32x4_t exists = vcltq_u32(numbers, vdupq_n_u32(static_cast<uint32_t>(p.m - m)));
        const uint32x4_t scale = vreinterpretq_u32_f32(vabsq_f32(load_f32x4(scales)));
        largest = vmaxq_u32(largest, vandq_u32(scale, exists));
    }
    // The nearer bound, less than infinity; a NaN if one of them is.
    const float32x2_t bounds = vmin_f32(vdup_n_f32(p.hi), vdup_n_f32(-p.lo));
    const float bound = vget_lane_f32(vmin_f32(bounds, vdup_n_f32(0x1.FFFFFEp127F)), 0);
    const uint32_t bits = vmaxvq_u32(largest);
    return __builtin_fmaf(load<float>(bytes(&bits)), 0x1p33F, 4) <= bound ? 0 : ~static_cast<size_t>(0);
}

}  // namespace
}  // namespace kai

void kai_gemm_few_neon(const kai::Problem& p, const kai::GemmTiles& t, size_t m0) {
    using namespace kai;
    FewArgs args;
    set_bounds(args, p);
    args.rhs = p.rhs;
    args.dst = bytes(p.dst, m0 * p.dst_stride);
    args.lut = p.lut;
    args.nr = p.nr;
    args.next_pair = p.nr == 8 ? p.rhs_stride : 2 * p.rhs_stride;
    args.odd_quad = p.nr == 8 ? 4 * t.group : p.rhs_stride;
    args.odd_quad_fields = p.nr == 8 ? 16 : p.rhs_stride;
    args.fields = p.rhs_stride - 12 * p.nr;
    args.depth = (p.k + 31) / 32;
    args.lhs = p.lhs + m0 / 4 * p.lhs_stride;
    args.quads = p.n / 4;
    set_rows(args, p, t, p.m - m0 < 8 ? p.m - m0 : 8, p.dst_stride);
    if (p.rhs_kind == RhsKind::int4_blocks) {
        args.fields = p.rhs_stride - 8 * p.nr;
        vst1q_f32(args.start, vdupq_n_f32(ShortSum<4>::kStart));
        args.steps = part_steps(p.bl);
        args.scale_distance = (p.bl / 32 - args.steps) << (p.nr == 8 ? 7 : 6);  // a step is 16 * nr bytes
        args.blocks = p.k / p.bl;
    } else {
        args.clamps = few_clamps(p, m0);
    }
    if (p.m - m0 <= 8 && p.n % 4 == 0) {
        return kai_few_neon(&args);
    }
    few_by_parts(p, t, args, m0);
}
