// f32 or f16 <- int8 rows x int4 or int8 columns, both quantised in blocks along K: for every block b, ascending,
//
//     acc[m][n] = fma(rhs_zero[n][b], lhs_sum[m][b], acc[m][n])                where the formats have zeros
//     acc[m][n] = fma(f32(S), lhs_scale[m][b] * rhs_scale[n][b], acc[m][n])    int4
//     acc[m][n] = fma(f32(S) * lhs_scale[m][b], rhs_scale[n][b], acc[m][n])    int8, indices of a table of int8
//     S = sum over the block of lhs * rhs, in int32
//
// then + bias, where the formats have one. A pair of formats is a policy: Symmetric,
// SymmetricInt8, Asymmetric.
//
// Blocks of 32, the usual length, run in assembly: tiles of up to 16 rows and 4 columns (int_neon_tile.inc), of
// up to 4 rows and 8 or 16 columns (int_neon_few.inc), or 16 columns of a row (int_neon_row.inc). Other
// lengths run in the templates below. The code around the tiles: blocks_neon.cpp. The symmetric SMMLA tile computes
// fma(f32(S) * lhs_scale, rhs_scale, acc) with the first product rounded: the same bits while |S| < 2^13
// (docs/arithmetic.md says so).
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/getters.hpp"
#include "kai/engines/blocks/blocks_neon.hpp"
#include "kai/engines/int_neon/int_neon.hpp"

namespace kai {
namespace {

struct Blocks {
    size_t k, bl;
};

/// @name Pairs of formats
///
///     Rhs            the elements of the RHS
///     kFraction      bits of a sum that has become f32: 4 where packed scales of int4 are scales, 0 where they are
///                    / 16, and of int8
///     Columns<Acc>   the fields of a block of 4 columns in the order of a tile; add: acc += the block, 4 rows
///     add_row        acc + the block, one row and 4 columns
///     kBias          f32 bias follows the panel
/// @{

/// f16 scales in front of each block. int4: sums times their product, which is exact in f32. int8: first times the
/// scale of the row, rounded: SMMLA needs an instruction less for that.
template <const Format& RHS, class Elements>
struct SymmetricPair {
    using Rhs = Elements;
    static constexpr Format kLhs = qsi8d32p, kRhs = RHS;
    static constexpr int kFraction = RHS.bits == 4 ? 4 : 0;
    static constexpr bool kBias = false;

    KAI_INLINE static float32x4_t add_scaled(
        float32x4_t acc, float32x4_t sums, float32x4_t row_scales, float32x4_t column_scales) {
        return RHS.bits == 4 ? vfmaq_f32(acc, sums, vmulq_f32(column_scales, row_scales))
                             : vfmaq_f32(acc, vmulq_f32(sums, row_scales), column_scales);
    }
    template <class Acc>
    struct Columns {
        float32x4_t scales[4];

        KAI_INLINE explicit Columns(const uint8_t* fields) {
            Acc::spread_columns(load_f16x4(fields), scales);
        }
        KAI_INLINE void add(float32x4_t acc[4], const float32x4_t sums[4], const uint8_t* row_fields) const {
            float32x4_t row_scales[4];
            Acc::spread_rows(load_f16x4(row_fields), row_scales);
            KAI_UNROLL(16)
            for (int v = 0; v < 4; ++v) {
                acc[v] = add_scaled(acc[v], sums[v], row_scales[v], scales[v]);
            }
        }
    };
    KAI_INLINE static float32x4_t add_row(
        float32x4_t acc, float32x4_t sums, const uint8_t* row_fields, const uint8_t* column_fields) {
        return add_scaled(acc, sums, vdupq_n_f32(load_f16(row_fields)), load_f16x4(column_fields));
    }
};
using Symmetric = SymmetricPair<qsi4c32p, Int4>;
using SymmetricInt8 = SymmetricPair<qsi8c32p, Int8>;

/// After each block f32 sums and scales of rows, f32 zeros and scales / 16 of columns; after the panel f32 bias.
struct Asymmetric {
    using Rhs = Int4;
    static constexpr Format kLhs = qsi8d32pscalef32, kRhs = qai4c32p;
    static constexpr int kFraction = 0;
    static constexpr bool kBias = true;

    template <class Acc>
    struct Columns {
        float32x4_t zeros[4], scales[4];

        KAI_INLINE explicit Columns(const uint8_t* fields) {
            Acc::spread_columns(load_f32x4(fields), zeros);
            Acc::spread_columns(load_f32x4(fields + 16), scales);
        }
        KAI_INLINE void add(float32x4_t acc[4], const float32x4_t sums[4], const uint8_t* row_fields) const {
            float32x4_t row_sums[4], row_scales[4];
            Acc::spread_rows(load_f32x4(row_fields), row_sums);
            Acc::spread_rows(load_f32x4(row_fields + 16), row_scales);
            KAI_UNROLL(16)
            for (int v = 0; v < 4; ++v) {
                acc[v] = vfmaq_f32(acc[v], zeros[v], row_sums[v]);
                acc[v] = vfmaq_f32(acc[v], sums[v], vmulq_f32(scales[v], row_scales[v]));
            }
        }
    };
    KAI_INLINE static float32x4_t add_row(
        float32x4_t acc, float32x4_t sums, const uint8_t* row_fields, const uint8_t* column_fields) {
        acc = vfmaq_n_f32(acc, load_f32x4(column_fields), load<float>(row_fields));
        return vfmaq_f32(acc, sums, vmulq_n_f32(load_f32x4(column_fields + 16), load<float>(row_fields + 4)));
    }
};
/// @}

/// Where the fields of block b stand: a block has some before or after its elements.
constexpr size_t block_fields(const Format& f, Tile t, size_t k, size_t bl, size_t b) {
    return f.block_head != 0 ? f.head(t, k, bl, b) : f.tail(t, bl, b);
}

/// How far apart the elements of a nibble's low and high half are (int8: of the halves of a block), and how many k a
/// step of 16 bytes goes on.
constexpr size_t nibble_distance(const Format& f, size_t bl) {
    return f.nibble_distance != 0 ? f.nibble_distance : bl / 2;
}
constexpr size_t step_of_16_bytes(const Format& f) {
    return f.nibble_distance == 16 ? 32 : 16;
}

/// acc += the blocks of PANELS panels.
template <class Pair, class Acc, int PANELS>
KAI_INLINE void sum_blocks(
    float32x4_t acc[PANELS][4], Blocks shape, const uint8_t* lhs, size_t lhs_stride, const uint8_t* rhs) {
    using Sum = LongSum<Pair::kFraction>;
    constexpr size_t kStep = 4 * step_of_16_bytes(Pair::kRhs);
    const size_t bl = shape.bl;
    for (size_t b = 0; b < shape.k / bl; ++b) {
        const uint8_t* low_lhs = lhs + Pair::kLhs.elements(Acc::kLhs, bl, b);
        const uint8_t* high_lhs = low_lhs + nibble_distance(Pair::kRhs, bl) * 4;
        const uint8_t* elements = rhs + Pair::kRhs.elements(Acc::kRhs, bl, b);
        int32x4_t sums[PANELS][4];
        KAI_UNROLL(16)
        for (int i = 0; i < PANELS * 4; ++i) {
            sums[i / 4][i % 4] = Sum::start();
        }
        for (size_t j = 0; j < bl / 2; j += 16, low_lhs += kStep, high_lhs += kStep, elements += 64) {
            int8x16_t low[4], high[4];
            Pair::Rhs::decode(elements, bl / 2 * 4, low, high);
            KAI_UNROLL(16)
            for (int p = 0; p < PANELS; ++p) {
                Acc::mac(sums[p], low_lhs + p * lhs_stride, low);
                Acc::mac(sums[p], high_lhs + p * lhs_stride, high);
            }
        }
        const typename Pair::template Columns<Acc> columns(rhs + block_fields(Pair::kRhs, Acc::kRhs, shape.k, bl, b));
        const uint8_t* row_fields = lhs + block_fields(Pair::kLhs, Acc::kLhs, shape.k, bl, b);
        KAI_UNROLL(16)
        for (int p = 0; p < PANELS; ++p) {
            float32x4_t floats[4];
            KAI_UNROLL(16)
            for (int v = 0; v < 4; ++v) {
                floats[v] = Sum::to_float(sums[p][v]);
            }
            columns.add(acc[p], floats, row_fields + p * lhs_stride);
        }
    }
}

/// @name Tiles: the engine is blocks_neon.cpp
/// @{
static_assert(
    qsi8d32p.block_bytes({4, 8, 2}, 32) == 136 && qsi4c32p.block_bytes({4, 8, 2}, 32) == 72 &&
        qsi8c32p.block_bytes({4, 8, 2}, 32) == 136 && qsi8d32p.block_bytes({1, 8, 2}, 32) == 34 &&
        qsi8d32pscalef32.block_bytes({4, 8, 2}, 32) == 160 && qai4c32p.block_bytes({4, 8, 2}, 32) == 96 &&
        qsi8d32pscalef32.block_bytes({1, 8, 2}, 32) == 40,
    "LHS_BLOCK, RHS_BLOCK of the assembly");

/// The part of a RowScalesFn for panel p that keeps FLOATS of each block: keep(out, load(lhs)). Four blocks at once,
/// since in-order cores would wait for each load.
template <size_t FLOATS, class Load, class Keep>
KAI_INLINE void prepare_row_scales(const RowScalesArgs& args, size_t p, Load load, Keep keep) {
    const size_t step = FLOATS * args.panels, block = args.lhs_block;
    const uint8_t* lhs = args.lhs + p * args.lhs_stride;
    float* out = args.row_scales + p * FLOATS;
    size_t b = args.blocks;
    for (; b >= 4; b -= 4, lhs += 4 * block, out += 4 * step) {
        const auto x0 = load(lhs), x1 = load(lhs + block), x2 = load(lhs + 2 * block), x3 = load(lhs + 3 * block);
        keep(out, x0);
        keep(out + step, x1);
        keep(out + 2 * step, x2);
        keep(out + 3 * step, x3);
    }
    for (; b > 0; --b, lhs += block, out += step) {
        keep(out, load(lhs));
    }
}

/// A tile function of blocks of any length; it does not resume.
template <class Pair, class Acc, int PANELS>
void long_tile(const TileArgs* args) {
    const uint8_t* rhs = args->rhs;
    float* tile = args->tiles;
    for (size_t q = args->quads; q > 0; --q, rhs += args->rhs_stride) {
        float32x4_t acc[PANELS][4];
        KAI_UNROLL(16)
        for (int i = 0; i < PANELS * 4; ++i) {
            acc[i / 4][i % 4] = vdupq_n_f32(0);
        }
        sum_blocks<Pair, Acc, PANELS>(acc, {args->blocks * args->bl, args->bl}, args->lhs, args->lhs_stride, rhs);
        KAI_UNROLL(16)
        for (int i = 0; i < PANELS * 4; ++i, tile += 4) {
            vst1q_f32(tile, acc[i / 4][i % 4]);
        }
    }
}

/// Tiles for blocks that are not of 32.
template <class Pair, class Acc>
inline constexpr BlockTiles kLongTiles{
    {long_tile<Pair, Acc, 1>, long_tile<Pair, Acc, 2>, nullptr}, 0, nullptr, 0, nullptr, Acc::kPairs};

/// The operands of a micro-kernel whose panels are those of Acc. Element: of the output.
template <const Format& LHS, const Format& RHS, class Acc, class Element>
constexpr BlockOperands block_operands() {
    static_assert(LHS.panel_head + LHS.panel_tail == 0);
    return {{LHS, Acc::kLhs.rows}, {RHS, Acc::kRhs.rows}, sizeof(Element), &RHS == &qlu4c32pscalebf16};
}

KAI_INLINE void matmul_blocks(
    const BlocksKernel& kernel, size_t m, size_t n, size_t k, size_t bl, const void* lhs, const void* rhs, void* dst,
    size_t dst_stride, float lo, float hi) {
    kai_matmul_blocks_neon(m, n, k, bl, lhs, rhs, dst, dst_stride, &kernel, lo, hi);
}
KAI_INLINE void matmul_blocks(
    const BlockRowsKernel& kernel, size_t m, size_t n, size_t k, size_t bl, const void* lhs, const void* rhs, void* dst,
    size_t dst_stride, float lo, float hi) {
    kai_matmul_block_rows_neon(m, n, k, bl, lhs, rhs, dst, dst_stride, &kernel, lo, hi);
}
/// @}

/// @name One row
/// @{

/// sums += 32 k of every panel: RHS vector V. Panels take turns, so that no sum waits for its previous addition. int8:
/// `apart` bytes to the second half of the block.
template <class Acc, class Rhs, int PANELS, int V>
KAI_INLINE void row_mac(
    Acc sums[PANELS], const typename Acc::Lhs& low_k, const typename Acc::Lhs& high_k, const uint8_t* rhs,
    size_t rhs_stride, [[maybe_unused]] size_t apart) {
    int8x16_t low[PANELS], high[PANELS];
    KAI_UNROLL(16)
    for (int p = 0; p < PANELS; ++p) {
        const uint8_t* vector = rhs + p * rhs_stride + 16 * V;
        low[p] = load_s8x16(vector);
        if constexpr (Rhs::kBits == 8) {
            high[p] = load_s8x16(vector + apart);
        } else {
            high[p] = Rhs::high(low[p]);
            low[p] = Rhs::low(low[p]);
        }
    }
    KAI_UNROLL(16)
    for (int p = 0; p < PANELS; ++p) {
        sums[p].template mac<V>(low_k, low[p]);
    }
    KAI_UNROLL(16)
    for (int p = 0; p < PANELS; ++p) {
        sums[p].template mac<V>(high_k, high[p]);
    }
}

/// acc += a block of every panel.
template <class Pair, class Acc, int PANELS>
KAI_INLINE void row_block(
    float32x4_t acc[PANELS], size_t bl, const uint8_t* lhs, const uint8_t* rhs, size_t rhs_stride) {
    using Rhs = typename Pair::Rhs;
    using Sum = LongSum<Pair::kFraction>;
    constexpr size_t kStep = step_of_16_bytes(Pair::kRhs);
    const uint8_t* low_lhs = lhs + Pair::kLhs.elements(Acc::kLhs, bl, 0);
    const uint8_t* high_lhs = low_lhs + nibble_distance(Pair::kRhs, bl);
    const uint8_t* elements = rhs + Pair::kRhs.elements(Acc::kRhs, bl, 0);
    Acc sums[PANELS];
    KAI_UNROLL(16)
    for (int p = 0; p < PANELS; ++p) {
        sums[p].start();
    }
    for (size_t j = 0; j < bl / 2; j += 16, low_lhs += kStep, high_lhs += kStep, elements += 64) {
        const typename Acc::Lhs low_k = Acc::load_lhs(low_lhs), high_k = Acc::load_lhs(high_lhs);
        row_mac<Acc, Rhs, PANELS, 0>(sums, low_k, high_k, elements, rhs_stride, bl / 2 * 4);
        row_mac<Acc, Rhs, PANELS, 1>(sums, low_k, high_k, elements, rhs_stride, bl / 2 * 4);
        row_mac<Acc, Rhs, PANELS, 2>(sums, low_k, high_k, elements, rhs_stride, bl / 2 * 4);
        row_mac<Acc, Rhs, PANELS, 3>(sums, low_k, high_k, elements, rhs_stride, bl / 2 * 4);
    }
    const uint8_t* row_fields = lhs + block_fields(Pair::kLhs, Acc::kLhs, bl, bl, 0);
    const uint8_t* column_fields = rhs + block_fields(Pair::kRhs, Acc::kRhs, bl, bl, 0);
    KAI_UNROLL(16)
    for (int p = 0; p < PANELS; ++p) {
        acc[p] = Pair::add_row(acc[p], Sum::to_float(sums[p].sum()), row_fields, column_fields + p * rhs_stride);
    }
}

/// PANELS quads of a row. Returns where the next ones go.
template <class Pair, class Acc, int PANELS>
KAI_INLINE uint8_t* row_panels(
    size_t blocks, size_t bl, const uint8_t* lhs, const uint8_t* rhs, size_t rhs_stride, uint8_t* dst, float lo,
    float hi, size_t f16) {
    const size_t lhs_block = Pair::kLhs.block_bytes(Acc::kLhs, bl);
    const size_t rhs_block = Pair::kRhs.block_bytes(Acc::kRhs, bl);
    float32x4_t acc[PANELS];
    KAI_UNROLL(16)
    for (int p = 0; p < PANELS; ++p) {
        acc[p] = vdupq_n_f32(0);
    }
    for (; blocks > 0; --blocks, lhs += lhs_block, rhs += rhs_block) {
        row_block<Pair, Acc, PANELS>(acc, bl, lhs, rhs, rhs_stride);
    }
    KAI_UNROLL(16)
    for (int p = 0; p < PANELS; ++p, rhs += rhs_stride) {
        if (Pair::kBias) {
            acc[p] = vaddq_f32(acc[p], load_f32x4(rhs));  // the panel's end
        }
        acc[p] = clamped(acc[p], lo, hi);
        if (f16 == 0) {
            store_four(reinterpret_cast<float*>(dst), acc[p]);
            dst += 4 * sizeof(float);
        } else {
            store_four(reinterpret_cast<F16*>(dst), acc[p]);
            dst += 4 * sizeof(F16);
        }
    }
    return dst;
}

/// Blocks of any length.
template <class Pair, class Acc>
void long_row(
    const uint8_t* lhs, const uint8_t* rhs, size_t rhs_stride, void* dst, size_t quads, size_t blocks, float lo,
    float hi, size_t bl, size_t f16) {
    uint8_t* out = bytes(dst);
    for (; quads >= 4; quads -= 4, rhs += 4 * rhs_stride) {
        out = row_panels<Pair, Acc, 4>(blocks, bl, lhs, rhs, rhs_stride, out, lo, hi, f16);
    }
    for (; quads > 0; --quads, rhs += rhs_stride) {
        out = row_panels<Pair, Acc, 1>(blocks, bl, lhs, rhs, rhs_stride, out, lo, hi, f16);
    }
}

/// @name An RHS of indices: blocks of 32. The table is in front of the blocks of each panel
/// @{
static_assert(
    qlu4c32p.panel_head * 4 == 16 && qlu4c32p.block_bytes({4, 8, 2}, 32) == 72 &&
        qlu4c16p.block_bytes({4, 8, 2}, 32) == 80,
    "RHS_BLOCK of the assembly");

/// A tile function of one panel that does not resume.
template <const Format& RHS, class Acc>
void table_tile(const TileArgs* args) {
    constexpr int kParts = RHS.block_head / 2;  // of a block, with a scale each
    const int8x16_t table = vreinterpretq_s8_u8(vld1q_u8(args->table));
    const uint8_t* rhs = args->rhs;
    float* tile = args->tiles;
    for (size_t q = args->quads; q > 0; --q, rhs += args->rhs_stride) {
        float32x4_t acc[4] = {vdupq_n_f32(0), vdupq_n_f32(0), vdupq_n_f32(0), vdupq_n_f32(0)};
        for (size_t b = 0; b < args->blocks; ++b) {
            const uint8_t* lhs = args->lhs + b * qsi8d32p.block_bytes(Acc::kLhs, 32);
            const uint8_t* fields = rhs + b * RHS.block_bytes(Acc::kRhs, 32);
            int8x16_t halves[2][4];
            look_up(table, fields + 4 * RHS.block_head, halves[0], halves[1]);
            float32x4_t row_scales[4];
            Acc::spread_rows(load_f16x4(lhs), row_scales);
            for (int part = 0; part < kParts; ++part) {
                int32x4_t sums[4] = {vdupq_n_s32(0), vdupq_n_s32(0), vdupq_n_s32(0), vdupq_n_s32(0)};
                for (int half = part; half < 2; half += kParts) {
                    Acc::mac(sums, lhs + 8 + 64 * half, halves[half]);
                }
                float32x4_t scales[4];
                const uint8_t* scale = fields + 8 * part;
                Acc::spread_columns(
                    args->bf16 != 0 ? vreinterpretq_f32_u32(vshll_n_u16(vreinterpret_u16_u8(vld1_u8(scale)), 16))
                                    : load_f16x4(scale),
                    scales);
                for (int v = 0; v < 4; ++v) {
                    acc[v] = vfmaq_f32(acc[v], vmulq_f32(vcvtq_f32_s32(sums[v]), row_scales[v]), scales[v]);
                }
            }
        }
        for (int v = 0; v < 4; ++v, tile += 4) {
            vst1q_f32(tile, acc[v]);
        }
    }
}

/// @}

#ifdef __ARM_FEATURE_DOTPROD
/// SDOT: panels of MR rows and groups of KR / 2 k. row_x4, row_x8: one row, groups of 4 and of 8 k.
template <class Pair, const Format& LHS, const Format& RHS, size_t MR, size_t KR, class T>
constexpr auto dot_kernel(const BlockTiles& tiles, RowFn* row_x4, RowFn* row_x8) {
    if constexpr (MR == 4) {
        static_assert(KR == 8);
        return BlocksKernel{
            block_operands<LHS, RHS, Dot4, T>(), &tiles, RHS.table ? nullptr : &kLongTiles<Pair, Dot4>,
            kai_store_rows_neon};
    } else if constexpr (KR == 8) {
        return BlockRowsKernel{
            block_operands<LHS, RHS, Dot4Row, T>(), row_x4, RHS.table ? nullptr : long_row<Pair, Dot4Row>};
    } else {
        static_assert(KR == 16);
        return BlockRowsKernel{
            block_operands<LHS, RHS, Dot8Row, T>(), row_x8, RHS.table ? nullptr : long_row<Pair, Dot8Row>};
    }
}
#endif
/// @}

}  // namespace
}  // namespace kai

/// The functions of SDOT for an RHS, their tiles: START of sums, how scales of rows are prepared, REDO of BlockTiles.
#define KAI_DECLARE_DOT_TILES(RHS)                                                                                  \
    kai::TileFn kai_tile_qsi8d32p4x4_##RHS##4x4_4x4_neon_dotprod, kai_tile_qsi8d32p4x4_##RHS##4x4_8x4_neon_dotprod, \
        kai_tile_qsi8d32p4x4_##RHS##4x4_5x4_neon_dotprod, kai_tile_qsi8d32p4x4_##RHS##4x4_6x4_neon_dotprod,         \
        kai_tile_qsi8d32p4x4_##RHS##4x4_7x4_neon_dotprod, kai_tile_qsi8d32p4x4_##RHS##4x4_1x16_neon_dotprod,        \
        kai_tile_qsi8d32p4x4_##RHS##4x4_2x16_neon_dotprod, kai_tile_qsi8d32p4x4_##RHS##4x4_3x8_neon_dotprod,        \
        kai_tile_qsi8d32p4x4_##RHS##4x4_4x8_neon_dotprod;                                                           \
    kai::RowFn kai_row_qsi8d32p1x4_##RHS##4x4_neon_dotprod, kai_row_qsi8d32p1x8_##RHS##4x8_neon_dotprod
#define KAI_DOT_TILES(RHS, START, ROW_SCALES, CHUNK, REDO)                                                             \
    {                                                                                                                  \
        {kai_tile_qsi8d32p4x4_##RHS##4x4_4x4_neon_dotprod, kai_tile_qsi8d32p4x4_##RHS##4x4_8x4_neon_dotprod, nullptr}, \
            START, ROW_SCALES, CHUNK, REDO, false, {                                                                   \
            kai_tile_qsi8d32p4x4_##RHS##4x4_1x16_neon_dotprod, kai_tile_qsi8d32p4x4_##RHS##4x4_2x16_neon_dotprod,      \
                kai_tile_qsi8d32p4x4_##RHS##4x4_3x8_neon_dotprod, kai_tile_qsi8d32p4x4_##RHS##4x4_4x8_neon_dotprod,    \
                kai_tile_qsi8d32p4x4_##RHS##4x4_5x4_neon_dotprod, kai_tile_qsi8d32p4x4_##RHS##4x4_6x4_neon_dotprod,    \
                kai_tile_qsi8d32p4x4_##RHS##4x4_7x4_neon_dotprod                                                       \
        }                                                                                                              \
    }

/// The functions of a micro-kernel of the catalogue whose output is T. The including file has
/// kai::kernel<RHS, MR, KR, M_STEP, T>(), what matmul_blocks takes.
#define KAI_DEFINE_MATMUL_BLOCKS(T, NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP)                             \
    KAI_DEFINE_MATMUL_GETTERS_BL(NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP, sizeof(T))                     \
    void kai_run_##NAME(                                                                                        \
        size_t m, size_t n, size_t k, size_t bl, const void* lhs, const void* rhs, kai::Output<T>::Pointer dst, \
        size_t stride_row, size_t stride_col, float lo, float hi) {                                             \
        kai::check_blocks(kai::RHS, k, bl);                                                                     \
        kai::check_output(stride_col, sizeof(T), lo, hi);                                                       \
        static constexpr auto kernel = kai::kernel<kai::RHS, MR, KR, M_STEP, T>();                              \
        kai::matmul_blocks(kernel, m, n, k, bl, lhs, rhs, dst, stride_row, lo, hi);                             \
    }
