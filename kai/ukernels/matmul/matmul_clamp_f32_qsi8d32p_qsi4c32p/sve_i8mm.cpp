// f32 <- qsi8d32p x qsi4c32p with the SMMLA of SVE, panels of 8 columns.
//
//     dst[m][n] = clamp(sum over blocks of lhs_scale * rhs_scale * S),     S = sum over the block of lhs * rhs
//
// A tile is up to 16 rows x the columns of one vector: 4, or 2 where vectors have 128 bits. Every 128 bits of a sum
// hold 2 rows x 2 columns: r0c0 r0c1 r1c0 r1c1. Blocks of 32, the usual length, run in sve_i8mm.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/src/matmul_int_sve.hpp"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qsi4c32p/kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_interface.h"

namespace kai {
namespace {

constexpr Tile kLhsTile{4, 16, 2}, kRhsTile{8, 16, 2};
static_assert(
    qsi8d32p.block_bytes(kLhsTile, 32) == 136 && qsi8d32p.elements(kLhsTile, 32, 0) == 8 &&
        qsi4c32p.block_bytes(kRhsTile, 32) == 144,
    "LHS_BLOCK, LHS_ELEMENTS, RHS_BLOCK of the assembly");

/// What a tile function computes: sums += `blocks` blocks.
struct SveTileArgs {
    float start[4];  // of the integer sums
    const uint8_t* lhs;
    size_t lhs_stride;
    const uint8_t *scales, *elements;  // of the columns, in the first block
    const float* row_scales;           // SveRowScales
    float* sums;                       // 8 for rows 01, 8 for rows 23 of each panel
    size_t blocks;                     // at least one
    size_t width;
};
static_assert(
    offsetof(SveTileArgs, start) == 0 && offsetof(SveTileArgs, lhs) == 16 && offsetof(SveTileArgs, scales) == 32 &&
        offsetof(SveTileArgs, row_scales) == 48 && offsetof(SveTileArgs, blocks) == 64,
    "sve_i8mm.S");
using SveTileFn = void(const SveTileArgs*);

}  // namespace
}  // namespace kai

extern "C" {
kai::SveTileFn kai_tile_qsi8d32p4x8_qsi4c32p8x8_4_sve_i8mm, kai_tile_qsi8d32p4x8_qsi4c32p8x8_8_sve_i8mm,
    kai_tile_qsi8d32p4x8_qsi4c32p8x8_16_sve_i8mm;
}

namespace kai {
namespace {

struct MmlaShape {
    size_t n, bl, blocks, lhs_stride, rhs_stride, width;
};

/// The row scales of at most kChunk blocks of PANELS panels in the order of a sum: rows 01, rows 23.
template <int PANELS>
struct SveRowScales {
    static constexpr size_t kChunk = 64;
    float values[kChunk][PANELS][2][4];

    KAI_INLINE void fill(const uint8_t* lhs, size_t lhs_stride, size_t block_bytes, size_t blocks) {
        for (size_t b = 0; b < blocks; ++b, lhs += block_bytes) {
            KAI_UNROLL
            for (int p = 0; p < PANELS; ++p) {
                const float32x4_t x = load_f16x4(lhs + p * lhs_stride);
                vst1q_f32(values[b][p][0], vzip1q_f32(x, x));
                vst1q_f32(values[b][p][1], vzip2q_f32(x, x));
            }
        }
    }
};

/// Blocks of other lengths: one panel.
KAI_INLINE void long_panel(
    const SveTileArgs& a, size_t bl, const uint8_t* lhs, const float* scales, size_t next, float* sums) {
    const svbool_t some = first_bytes(a.width), words = first_words(a.width / 4);
    const size_t lhs_block = qsi8d32p.block_bytes(kLhsTile, bl), rhs_block = qsi4c32p.block_bytes(kRhsTile, bl);
    const uint8_t *columns = a.scales, *elements = a.elements;
    svfloat32_t acc01 = svld1_f32(words, sums), acc23 = svld1_f32(words, sums + 8);
    lhs += qsi8d32p.elements(kLhsTile, bl, 0);
    for (size_t b = a.blocks; b > 0;
         --b, lhs += lhs_block, columns += rhs_block, elements += rhs_block, scales += next) {
        svint32_t sum01 = SveLong::start(), sum23 = sum01;
        const uint8_t *low_lhs = lhs, *rhs = elements;
        for (size_t j = 0; j < bl / 2; j += 8, low_lhs += 32, rhs += 64) {
            const svint8_t packed = load_bytes(some, rhs);
            const svint8_t low = SveLong::low(packed), high = SveLong::high(packed);
            const uint8_t* high_lhs = low_lhs + bl / 2 * 4;
            sum01 = svmmla_s32(sum01, load_quad(low_lhs), low);
            sum23 = svmmla_s32(sum23, load_quad(low_lhs + 16), low);
            sum01 = svmmla_s32(sum01, load_quad(high_lhs), high);
            sum23 = svmmla_s32(sum23, load_quad(high_lhs + 16), high);
        }
        const svfloat64_t x = svreinterpret_f64_f32(halves_to_float(load_halves(first_words(a.width / 8), columns)));
        const svfloat32_t column_scales = svreinterpret_f32_f64(svzip1_f64(x, x));  // c0 c1 c0 c1, ...
        const svfloat32_t rows01 = svld1rq_f32(all_words(), scales), rows23 = svld1rq_f32(all_words(), scales + 4);
        acc01 =
            svmla_f32_x(all_words(), acc01, SveLong::to_float(sum01), svmul_f32_x(all_words(), rows01, column_scales));
        acc23 =
            svmla_f32_x(all_words(), acc23, SveLong::to_float(sum23), svmul_f32_x(all_words(), rows23, column_scales));
    }
    svst1_f32(words, sums, acc01);
    svst1_f32(words, sums + 8, acc23);
}

template <int PANELS>
KAI_INLINE void run_tile(const SveTileArgs& a, size_t bl) {
    if (bl == 32) {
        constexpr SveTileFn* kRun = PANELS == 1   ? kai_tile_qsi8d32p4x8_qsi4c32p8x8_4_sve_i8mm
                                    : PANELS == 2 ? kai_tile_qsi8d32p4x8_qsi4c32p8x8_8_sve_i8mm
                                                  : kai_tile_qsi8d32p4x8_qsi4c32p8x8_16_sve_i8mm;
        return kRun(&a);
    }
    for (size_t p = 0; p < PANELS; ++p) {
        long_panel(a, bl, a.lhs + p * a.lhs_stride, a.row_scales + 8 * p, 8 * PANELS, a.sums + 16 * p);
    }
}

/// The first `rows` and columns of one panel.
KAI_INLINE void store_panel(const float* sums, size_t width, size_t rows, size_t columns, Dst<float> dst) {
    const svbool_t words = first_words(width / 4);
    const auto store_row = [&](size_t i, svfloat64_t row) {
        if (i < rows) {
            store_clamped(dst.at(i, 0), columns, svreinterpret_f32_f64(row), dst.lo, dst.hi);
        }
    };
    const svfloat64_t rows01 = svreinterpret_f64_f32(svld1_f32(words, sums)),
                      rows23 = svreinterpret_f64_f32(svld1_f32(words, sums + 8));
    store_row(0, svuzp1_f64(rows01, rows01));
    store_row(1, svuzp2_f64(rows01, rows01));
    store_row(2, svuzp1_f64(rows23, rows23));
    store_row(3, svuzp2_f64(rows23, rows23));
}

/// PANELS panels of rows, all columns.
template <int PANELS>
KAI_INLINE void mmla_rows(const MmlaShape& s, size_t rows, const uint8_t* lhs, const uint8_t* rhs, Dst<float> dst) {
    using RowScales = SveRowScales<PANELS>;
    const size_t lhs_block = qsi8d32p.block_bytes(kLhsTile, s.bl), rhs_block = qsi4c32p.block_bytes(kRhsTile, s.bl);
    const size_t step = s.width / 8;
    RowScales row_scales;
    float sums[PANELS][16];
    SveTileArgs args;
    vst1q_f32(args.start, vdupq_n_f32(SveShort::kStart));
    args.lhs_stride = s.lhs_stride;
    args.row_scales = row_scales.values[0][0][0];
    args.sums = sums[0];
    args.width = s.width;
    for (size_t n0 = 0; n0 < s.n; n0 += step) {
        const size_t column = n0 % 8;
        const uint8_t* panel = rhs + n0 / 8 * s.rhs_stride;
        KAI_UNROLL
        for (int v = 0; v < 4 * PANELS; ++v) {
            vst1q_f32(sums[0] + 4 * v, vdupq_n_f32(0));
        }
        for (size_t b = 0; b < s.blocks; b += RowScales::kChunk) {
            args.blocks = s.blocks - b < RowScales::kChunk ? s.blocks - b : RowScales::kChunk;
            args.lhs = lhs + b * lhs_block;
            args.scales = panel + b * rhs_block + 2 * column;
            args.elements = panel + qsi4c32p.elements(kRhsTile, s.bl, b) + 8 * column;
            if (n0 == 0 || s.blocks > RowScales::kChunk) {
                row_scales.fill(args.lhs, s.lhs_stride, lhs_block, args.blocks);
            }
            run_tile<PANELS>(args, s.bl);
        }
        const size_t columns = s.n - n0 < step ? s.n - n0 : step;
        for (size_t p = 0; p < PANELS && 4 * p < rows; ++p) {
            store_panel(sums[p], s.width, rows - 4 * p, columns, {dst.at(4 * p, n0), dst.stride, dst.lo, dst.hi});
        }
    }
}

/// The kernel: tiles of 16 rows, then of 8 and of 4.
template <size_t MR, size_t KR, size_t>
KAI_INLINE void run(size_t m, size_t n, size_t k, size_t bl, const void* lhs, const void* rhs, Dst<float> dst) {
    static_assert(MR == 4 && KR == 16);
    const MmlaShape shape{n, bl, k / bl, qsi8d32p.stride(kLhsTile, k, bl), qsi4c32p.stride(kRhsTile, k, bl), width()};
    const auto rows = [&](auto panels, size_t m0) {
        const Dst<float> at{dst.at(m0, 0), dst.stride, dst.lo, dst.hi};
        mmla_rows<decltype(panels)::value>(shape, m - m0, bytes(lhs, m0 / 4 * shape.lhs_stride), bytes(rhs), at);
    };
    size_t m0 = 0;
    for (; m0 + 12 < m; m0 += 16) {
        rows(Int<4>{}, m0);
    }
    for (; m0 + 4 < m; m0 += 8) {
        rows(Int<2>{}, m0);
    }
    if (m0 < m) {
        rows(Int<1>{}, m0);
    }
}

}  // namespace
}  // namespace kai

#define KAI_ISA_sve_i8mm(...) KAI_DEFINE_MATMUL_BLOCKS(float, __VA_ARGS__)
#define KAI_UKERNEL(ISA, ...) KAI_ISA_##ISA(__VA_ARGS__)

#include "kai/src/other_isas.hpp"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qsi4c32p/ukernels.def"
