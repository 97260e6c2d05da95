// f32 <- bf16p x FP8 with FMLA, for CPUs without bf16. Many rows: a part of a panel is decoded to f32, exactly, and
// multiplied by many rows.
//
//     for each 256 k
//         for each 12 columns
//             decode to the stack
//             for each 4 rows: multiply, scale, add: f8_neon_tile.S
//
// Sums of a block start at 0; scale * sum is added to results in dst. One row: f8_row.hpp, f8_neon_row.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/f8/f8_row.hpp"

namespace kai {
namespace {

KAI_STRUCT(F8FloatArgs, KAI_F8_FLOAT_ARGS);

}  // namespace
}  // namespace kai

extern "C" {
void kai_tile_f8_4x12_neon(const kai::F8FloatArgs*);
void kai_row_f8e4m3_1x12_neon(const kai::F8RowArgs*);
void kai_row_f8e5m2_1x12_neon(const kai::F8RowArgs*);
}

namespace kai {
namespace {

constexpr size_t kLhsRows = 8, kTileRows = 4, kVectors = kF8Columns / 4;
constexpr size_t kDepth = 256;  // k of a part

/// A part of a panel as the tile reads it: 4 k of 4 columns, of the next columns, the next 4 k. It loads, but does not
/// use, one group more.
using Decoded = float[kDepth / kF8Group + 1][kVectors][kF8Group][4];

KAI_INLINE float32x4_t high_halves(int16x4_t x) {
    return vreinterpretq_f32_s32(vshll_n_s16(x, 16));
}
/// 16 codes, 4 k of 4 columns each, as these columns. As upper halves of f32 the bits stand for 2^-120 of what they
/// mean. NaN becomes 480: the scale of its block is NaN.
KAI_INLINE float32x4x4_t decode_e4m3(int8x16_t codes) {
    const int16x8_t no_more_signs = vdupq_n_s16(static_cast<int16_t>(0x87FF));
    const int16x8_t lo = vandq_s16(vshll_n_s8(vget_low_s8(codes), 4), no_more_signs);
    const int16x8_t hi = vandq_s16(vshll_n_s8(vget_high_s8(codes), 4), no_more_signs);
    return {
        {vmulq_n_f32(high_halves(vget_low_s16(lo)), 0x1p120F), vmulq_n_f32(high_halves(vget_high_s16(lo)), 0x1p120F),
         vmulq_n_f32(high_halves(vget_low_s16(hi)), 0x1p120F), vmulq_n_f32(high_halves(vget_high_s16(hi)), 0x1p120F)}};
}
/// The upper halves of f16.
KAI_INLINE float32x4x4_t decode_e5m2(int8x16_t codes) {
    const float16x8_t lo = vreinterpretq_f16_s16(vshll_n_s8(vget_low_s8(codes), 8));
    const float16x8_t hi = vreinterpretq_f16_s16(vshll_n_s8(vget_high_s8(codes), 8));
    return {
        {vcvt_f32_f16(vget_low_f16(lo)), vcvt_high_f32_f16(lo), vcvt_f32_f16(vget_low_f16(hi)), vcvt_high_f32_f16(hi)}};
}

template <float32x4x4_t (*decode)(int8x16_t)>
[[gnu::noinline]] void decode_groups(const uint8_t* codes, size_t groups, float (*to)[kVectors][kF8Group][4]) {
    for (size_t i = 0; i < groups; ++i) {
        for (size_t v = 0; v < kVectors; ++v, codes += 16) {
            vst4q_f32(to[i][v][0], decode(load<int8x16_t>(codes)));
        }
    }
}

struct F8Floats {
    void (*decode)(const uint8_t* codes, size_t groups, float (*to)[kVectors][kF8Group][4]);
    F8Row row;
};
constexpr F8Floats kE4m3 = {decode_groups<decode_e4m3>, {kai_row_f8e4m3_1x12_neon, nullptr, 120, 120}};
constexpr F8Floats kE5m2 = {decode_groups<decode_e5m2>, {kai_row_f8e5m2_1x12_neon, nullptr, 0, 60}};

/// A part of k of all rows, 12 columns from n on. args: the part.
KAI_INLINE void multiply_part(const F8Problem& p, size_t n, size_t at, F8FloatArgs& args) {
    const size_t columns = p.n - n < kF8Columns ? p.n - n : kF8Columns;
    const uint8_t* bias = p.rhs + n / kF8Columns * p.panel_bytes() + p.bias_at();
    float edge[kTileRows][kF8Columns];
    for (size_t m = 0; m < p.m; m += kTileRows) {
        const size_t rows = p.m - m < kTileRows ? p.m - m : kTileRows;
        const bool whole = rows == kTileRows && columns == kF8Columns;
        uint8_t* dst = p.dst + m * p.dst_stride + n * sizeof(float);
        const auto copy_edge = [&](bool to_dst) {
            for (size_t r = 0; r < rows; ++r) {
                uint8_t *in_dst = dst + r * p.dst_stride, *in_edge = bytes(edge[r]);
                __builtin_memcpy(to_dst ? in_dst : in_edge, to_dst ? in_edge : in_dst, columns * sizeof(float));
            }
        };
        if (!whole && at != 0) {
            copy_edge(false);
        }
        args.lhs = p.lhs + ((m - m % kLhsRows) * p.k + at * kLhsRows + m % kLhsRows * kF8Group) * sizeof(uint16_t);
        args.dst = whole ? dst : bytes(edge);
        args.dst_step = whole ? p.dst_stride : sizeof(edge[0]);
        args.start = at == 0 ? bias : bytes(args.dst);
        args.start_step = at == 0 ? 0 : args.dst_step;
        kai_tile_f8_4x12_neon(&args);
        if (!whole) {
            copy_edge(true);
        }
    }
}

[[gnu::noinline]] void multiply_tiles(const F8Problem& p, const F8Floats& format) {
    const SubnormalNumbers singles(SubnormalNumbers::kOfSingles);
    [[gnu::aligned(16)]] Decoded columns;
    F8FloatArgs args;
    args.rhs = columns, args.next_scales = p.block_bytes();
    for (size_t at = 0; at < p.k;) {
        const F8Part part(p, at, kDepth);
        p.get_bounds(args.bounds, part.end(at) == p.k);
        args.blocks = part.blocks, args.groups = part.groups();
        for (size_t n = 0; n < p.n; n += kF8Columns) {
            const uint8_t* block = p.rhs + n / kF8Columns * p.panel_bytes() + at / p.bl * p.block_bytes();
            args.scales = block + p.bl * kF8Columns;
            for (size_t b = 0; b < part.blocks; ++b) {
                const uint8_t* codes = block + b * p.block_bytes() + at % p.bl * kF8Columns;
                format.decode(codes, part.groups(), columns + b * part.groups());
            }
            multiply_part(p, n, at, args);
        }
        at = part.end(at);
    }
}

[[gnu::noinline]] void multiply_one_row(const F8Problem& p, const F8Floats& format) {
    const SubnormalNumbers singles(SubnormalNumbers::kOfSingles);
    [[gnu::aligned(16)]] float row[kRowDepth];
    multiply_row(p, format.row, row, [&](const uint8_t* from, size_t k, float by) {
        for (size_t i = 0; i < k; i += kF8Group) {
            store(bytes(row + i), vmulq_n_f32(high_halves(load<int16x4_t>(from + i * sizeof(uint16_t))), by));
        }
    });
}

template <size_t mr>
KAI_INLINE void multiply_floats(const F8Problem& p, const F8Floats& format) {
    mr == 1 ? multiply_one_row(p, format) : multiply_tiles(p, format);
}

}  // namespace
}  // namespace kai

extern "C" {

#define KAI_DEFINE_FLOATS(FORMAT, NAME, LHS, RHS, MR, ...) \
    KAI_DEFINE_F8(RHS_BL, kai::multiply_floats<MR>, FORMAT, NAME, LHS, RHS, MR, __VA_ARGS__)
#define KAI_ISA_neon KAI_LINES(KAI_DEFINE_FLOATS)
#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, kai::kE4m3, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_bf16p_f8e4m3c32p/ukernels.def"
#undef KAI_UKERNEL
#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, kai::kE5m2, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_bf16p_f8e5m2c32p/ukernels.def"

}  // extern "C"
