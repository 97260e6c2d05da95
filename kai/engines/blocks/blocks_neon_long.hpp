// Blocks of any length, of all formats: a tile is one or two panels of rows x a quad (4 columns), or one row x 4 quads.
//
//     for blocks
//         for 16 bytes of a column         32 k of int4, 16 of int8
//             sums += rows x columns
//         acc += sums, scaled              BlockScales
//
// One function per way to multiply and width of a panel; what depends on the formats is decided once per block. Blocks
// of 32, the usual length, come here where the scale of a row is not finite. Indices of a table become int8 in a
// buffer, since there are only blocks of 32 of them.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/blocks/blocks_neon.hpp"
#include "kai/engines/int_neon/int_neon.hpp"

namespace kai {
namespace {

/// @name How rows multiply
///
///     kRows, kGroup   rows of a panel; k that stand together
///     kVectors        of accumulators: a panel x a quad
///     Sums            integer sums of a panel and a quad; vector(v): in the order of accumulators
///     mac<V>          sums += rows x vector V of four that have 16 k of a quad: 64 bytes; k: the rows at these 16 k
///     kBefore         k points to this many bytes before them: not what LDP takes; in-order cores wait for pairs
///     rows, columns   a value per row (column) in the order of accumulators
/// @{

struct FourSums {
    int32x4_t v[4] = {};
    KAI_INLINE int32x4_t vector(int i) const {
        return v[i];
    }
};

#ifdef __ARM_FEATURE_DOTPROD
/// SDOT: accumulator v has row v.
struct DotRows {
    static constexpr int kRows = 4, kVectors = 4;
    static constexpr size_t kGroup = 4, kBefore = 8;
    using Sums = FourSums;
    template <int V>
    KAI_INLINE static void mac(Sums& sums, const uint8_t* k, int8x16_t columns) {
        const int8x16_t rows = load_s8x16(k + kBefore + 16 * V);
        sums.v[0] = vdotq_laneq_s32(sums.v[0], columns, rows, 0);
        sums.v[1] = vdotq_laneq_s32(sums.v[1], columns, rows, 1);
        sums.v[2] = vdotq_laneq_s32(sums.v[2], columns, rows, 2);
        sums.v[3] = vdotq_laneq_s32(sums.v[3], columns, rows, 3);
    }
    KAI_INLINE static float32x4_t rows(float32x4_t x, int v) {
        return vdupq_n_f32(x[v]);
    }
    KAI_INLINE static float32x4_t columns(float32x4_t x, int) {
        return x;
    }
};

/// One row: one accumulator. Of groups of 8, a column has two sums.
template <size_t GROUP>
struct DotRow {
    static constexpr int kRows = 1, kVectors = 1;
    static constexpr size_t kGroup = GROUP, kBefore = 0;
    struct Sums {
        int32x4_t v[GROUP / 4] = {};
        KAI_INLINE int32x4_t vector(int) const {
            return GROUP == 4 ? v[0] : vpaddq_s32(v[0], v[GROUP / 4 - 1]);
        }
    };
    template <int V>
    KAI_INLINE static void mac(Sums& sums, const uint8_t* k, int8x16_t columns) {
        if constexpr (GROUP == 4) {
            sums.v[0] = vdotq_laneq_s32(sums.v[0], columns, load_s8x16(k), V);
        } else {
            const int8x16_t twice = vreinterpretq_s8_s64(vdupq_n_s64(load<int64_t>(k + V / 2 * 8)));
            sums.v[V % 2] = vdotq_s32(sums.v[V % 2], columns, twice);
        }
    }
    KAI_INLINE static float32x4_t rows(float32x4_t x, int) {
        return x;
    }
    KAI_INLINE static float32x4_t columns(float32x4_t x, int) {
        return x;
    }
};
#endif

#ifdef __ARM_FEATURE_MATMUL_INT8
/// SMMLA: accumulator 2i + j has rows 2i, 2i + 1 of columns 2j, 2j + 1: r0c0 r0c1 r1c0 r1c1.
struct MmlaRows {
    static constexpr int kRows = 4, kVectors = 4;
    static constexpr size_t kGroup = 8, kBefore = 8;
    using Sums = FourSums;
    template <int V>
    KAI_INLINE static void mac(Sums& sums, const uint8_t* k, int8x16_t columns) {
        KAI_UNROLL(2)
        for (int i = 0; i < 2; ++i) {
            int32x4_t& sum = sums.v[2 * i + V % 2];
            sum = vmmlaq_s32(sum, load_s8x16(k + kBefore + V / 2 * 32 + 16 * i), columns);
        }
    }
    KAI_INLINE static float32x4_t rows(float32x4_t x, int v) {
        return v < 2 ? vzip1q_f32(x, x) : vzip2q_f32(x, x);
    }
    KAI_INLINE static float32x4_t columns(float32x4_t x, int v) {
        const float64x2_t pairs = vreinterpretq_f64_f32(x);
        return vreinterpretq_f32_f64(v % 2 == 0 ? vdupq_laneq_f64(pairs, 0) : vdupq_laneq_f64(pairs, 1));
    }
};
#endif
/// @}

/// Four columns of a panel. `fields`: from the end of a block's elements.
struct LongQuad {
    const uint8_t* elements;  // where a loop is
    ptrdiff_t fields;
};

/// `column` of an RHS of panels of NR columns whose blocks are at rhs; k that stand together: GROUP.
template <size_t GROUP, size_t NR>
KAI_INLINE LongQuad
long_quad(const BlockOperands& of, size_t bl, const uint8_t* rhs, size_t rhs_stride, size_t column) {
    const auto at = static_cast<ptrdiff_t>(column % NR);
    const auto to_end = static_cast<ptrdiff_t>(bl / 8 * of.rhs.bytes_of_8), group = static_cast<ptrdiff_t>(GROUP);
    rhs += (column / NR) * rhs_stride + GROUP * static_cast<size_t>(at);
    return of.scales == BlockScales::zeros
               ? LongQuad{rhs, (4 - group) * at}
               : LongQuad{rhs + of.rhs.fields, (2 - group) * at - to_end - static_cast<ptrdiff_t>(of.rhs.fields)};
}

/// Blocks of PANELS panels and QUADS quads, which are in panels of NR columns: 4, or 8 of qsi4c32p. Tile t: panel
/// t % PANELS, quad t / PANELS.
template <class Rows, size_t NR, int PANELS, int QUADS>
struct LongTiles {
    static constexpr int kTiles = PANELS * QUADS, kRows = Rows::kRows, kVectors = Rows::kVectors;
    using Sums = typename Rows::Sums;

    size_t lhs_stride;
    float32x4_t acc[kTiles][kVectors] = {};

    template <int V>
    KAI_INLINE void mac(Sums sums[kTiles], const uint8_t* k, const int8x16_t columns[QUADS]) const {
        KAI_UNROLL(4)
        for (int t = 0; t < kTiles; ++t) {
            Rows::template mac<V>(sums[t], k + t % PANELS * lhs_stride, columns[t / PANELS]);
        }
    }
    /// Vector V of four: 16 bytes of each column.
    template <int V>
    KAI_INLINE void load_columns(const LongQuad quads[QUADS], int8x16_t columns[QUADS]) const {
        constexpr size_t kGroup = Rows::kGroup;
        constexpr size_t kAt = kGroup == 4 ? V * 4 * NR : V / 2 * 8 * NR + V % 2 * 16;
        KAI_UNROLL(4)
        for (int q = 0; q < QUADS; ++q) {
            columns[q] = load_s8x16(quads[q].elements + kAt);
        }
    }
    /// One pointer for each quad: compilers would have one for each load.
    KAI_INLINE void next_columns(LongQuad quads[QUADS], size_t bytes) const {
        KAI_UNROLL(4)
        for (int q = 0; q < QUADS; ++q) {
            quads[q].elements = opaque(quads[q].elements + bytes);
        }
    }

    /// Nibbles become 16 times their value.
    template <int V>
    KAI_INLINE void mac_int4(
        Sums sums[kTiles], const uint8_t* low_k, const uint8_t* high_k, const LongQuad quads[QUADS]) const {
        int8x16_t low[QUADS], high[QUADS];
        load_columns<V>(quads, low);
        KAI_UNROLL(4)
        for (int q = 0; q < QUADS; ++q) {
            high[q] = vandq_s8(low[q], vdupq_n_s8(-16));
            low[q] = vshlq_n_s8(low[q], 4);
        }
        mac<V>(sums, low_k, low);
        mac<V>(sums, high_k, high);
    }
    /// The sums of a block of int4, times 16.
    KAI_INLINE void sum_int4(
        Sums sums[kTiles], const BlockOperands& of, size_t bl, const uint8_t* k, LongQuad quads[QUADS]) const {
        const size_t distance = of.nibble_distance != 0 ? 16 : bl / 2;
        const size_t step = of.nibble_distance != 0 ? 32 * kRows : 16 * kRows;
        k = opaque(k - Rows::kBefore);
        const uint8_t* high_k = k + distance * kRows;
        for (; bl > 0; bl -= 32, k += step, high_k += step) {
            mac_int4<0>(sums, k, high_k, quads);
            mac_int4<1>(sums, k, high_k, quads);
            mac_int4<2>(sums, k, high_k, quads);
            mac_int4<3>(sums, k, high_k, quads);
            next_columns(quads, 16 * NR);
        }
    }
    template <int V>
    KAI_INLINE void mac_int8(Sums sums[kTiles], const uint8_t* k, const LongQuad quads[QUADS]) const {
        int8x16_t columns[QUADS];
        load_columns<V>(quads, columns);
        mac<V>(sums, k, columns);
    }
    /// The sums of `count` k of int8 in panels of 4 columns. Returns the k after them.
    KAI_INLINE const uint8_t* sum_int8(Sums sums[kTiles], size_t count, const uint8_t* k, LongQuad quads[QUADS]) const {
        k = opaque(k - Rows::kBefore);
        for (; count > 0; count -= 16, k += 16 * kRows) {
            mac_int8<0>(sums, k, quads);
            mac_int8<1>(sums, k, quads);
            mac_int8<2>(sums, k, quads);
            mac_int8<3>(sums, k, quads);
            next_columns(quads, 16 * NR);
        }
        return k + Rows::kBefore;
    }

    /// A field of each row of panel p, f32 or f16.
    KAI_INLINE float32x4_t row_f32(const uint8_t* fields, int p) const {
        fields += p * lhs_stride;
        return kRows == 1 ? vdupq_n_f32(load<float>(fields)) : load_f32x4(fields);
    }
    KAI_INLINE float32x4_t row_f16(const uint8_t* fields, int p) const {
        fields += p * lhs_stride;
        return kRows == 1 ? vdupq_n_f32(load_f16(fields)) : load_f16x4(fields);
    }

    /// acc += a block of int4.
    KAI_INLINE void add_int4(
        const Sums sums[kTiles], const BlockOperands& of, const uint8_t* row_fields, const LongQuad quads[QUADS]) {
        float32x4_t rows[PANELS], columns[QUADS], floats[kTiles][kVectors];  // sums as the scales of columns want them
        if (NR == 4 && of.scales == BlockScales::zeros) {
            KAI_UNROLL(4)
            for (int t = 0; t < kTiles; ++t) {
                const LongQuad& quad = quads[t / PANELS];
                const float32x4_t zeros = load_f32x4(quad.elements + quad.fields);
                const float32x4_t row_sums = row_f32(row_fields, t % PANELS);
                KAI_UNROLL(4)
                for (int v = 0; v < kVectors; ++v) {
                    acc[t][v] = vfmaq_f32(acc[t][v], Rows::columns(zeros, v), Rows::rows(row_sums, v));
                    floats[t][v] = vcvtq_f32_s32(sums[t].vector(v));
                }
            }
            KAI_UNROLL(4)
            for (int p = 0; p < PANELS; ++p) {
                rows[p] = row_f32(row_fields + 4 * kRows, p);
            }
            KAI_UNROLL(4)
            for (int q = 0; q < QUADS; ++q) {
                columns[q] = load_f32x4(quads[q].elements + quads[q].fields + 16);
            }
        } else {
            KAI_UNROLL(4)
            for (int p = 0; p < PANELS; ++p) {
                rows[p] = row_f16(row_fields, p);
            }
            KAI_UNROLL(4)
            for (int q = 0; q < QUADS; ++q) {
                columns[q] = load_f16x4(quads[q].elements + quads[q].fields);
            }
            KAI_UNROLL(4)
            for (int t = 0; t < kTiles; ++t) {
                KAI_UNROLL(4)
                for (int v = 0; v < kVectors; ++v) {
                    floats[t][v] = vcvtq_n_f32_s32(sums[t].vector(v), 4);
                }
            }
        }
        KAI_UNROLL(4)
        for (int t = 0; t < kTiles; ++t) {
            KAI_UNROLL(4)
            for (int v = 0; v < kVectors; ++v) {
                const float32x4_t scales =
                    vmulq_f32(Rows::columns(columns[t / PANELS], v), Rows::rows(rows[t % PANELS], v));
                acc[t][v] = vfmaq_f32(acc[t][v], floats[t][v], scales);
            }
        }
    }
    /// acc += a block of int8, or a part of it, whose scales are these.
    KAI_INLINE void add_int8(const Sums sums[kTiles], const uint8_t* row_fields, const float32x4_t columns[QUADS]) {
        KAI_UNROLL(4)
        for (int t = 0; t < kTiles; ++t) {
            const float32x4_t rows = row_f16(row_fields, t % PANELS);
            KAI_UNROLL(4)
            for (int v = 0; v < kVectors; ++v) {
                const float32x4_t s = vmulq_f32(vcvtq_f32_s32(sums[t].vector(v)), Rows::rows(rows, v));
                acc[t][v] = vfmaq_f32(acc[t][v], s, Rows::columns(columns[t / PANELS], v));
            }
        }
    }

    /// A block of 32 indices of one quad becomes int8.
    KAI_INLINE void look_up(const uint8_t* indices, const uint8_t* table, uint8_t int8[8 * 16]) const {
        const int8x16_t values = load_s8x16(table);
        for (int i = 0; i < 64; i += 16) {
            const uint8x16_t packed = vld1q_u8(indices + i);
            vst1q_u8(int8 + i, vreinterpretq_u8_s8(vqtbl1q_s8(values, vandq_u8(packed, vdupq_n_u8(15)))));
            vst1q_u8(int8 + 64 + i, vreinterpretq_u8_s8(vqtbl1q_s8(values, vshrq_n_u8(packed, 4))));
        }
    }

    /// acc += a block of int8 or of indices, or its halves.
    KAI_INLINE void add_int8_block(
        const BlockOperands& of, size_t bl, const uint8_t* lhs, LongQuad quads[QUADS],
        [[maybe_unused]] const uint8_t* table) {
        LongQuad from[QUADS];
        KAI_UNROLL(4)
        for (int q = 0; q < QUADS; ++q) {
            from[q].elements = quads[q].elements;
            quads[q].elements += of.is_int8 ? bl * 4 : bl * 2;
        }
        size_t count = bl;
        [[maybe_unused]] uint8_t int8[8 * 16];
        if constexpr (kTiles == 1) {
            if (!of.is_int8) {
                look_up(from[0].elements, table, int8);
                from[0].elements = opaque(&int8[0]);
                count = of.scales == BlockScales::halves ? 16 : 32;
            }
        }
        const uint8_t* k = lhs + of.lhs.fields;
        for (size_t part = 0; part < bl; part += count) {
            Sums sums[kTiles];
            k = sum_int8(sums, count, k, from);
            float32x4_t columns[QUADS];
            KAI_UNROLL(4)
            for (int q = 0; q < QUADS; ++q) {
                const uint8_t* fields = quads[q].elements + quads[q].fields + (part != 0 ? 8 : 0);
                columns[q] = kTiles == 1 && of.bf16_scales
                                 ? vreinterpretq_f32_u32(vshll_n_u16(vreinterpret_u16_u8(vld1_u8(fields)), 16))
                                 : load_f16x4(fields);
            }
            add_int8(sums, lhs, columns);
        }
    }

    /// acc += blocks; quads go past them.
    KAI_INLINE void add_blocks(
        const BlockOperands* operands, size_t blocks, size_t bl, const uint8_t* lhs, LongQuad quads[QUADS],
        const uint8_t* table) {
        for (; blocks > 0; --blocks) {
            operands = opaque(operands);  // one loop, not one for each of its values
            const BlockOperands& of = *operands;
            if (NR == 4 && (of.is_int8 || (kTiles == 1 && of.rhs.panel_head != 0))) {
                add_int8_block(of, bl, lhs, quads, table);
            } else {
                const bool last = NR == 4 && of.scales == BlockScales::zeros;
                Sums sums[kTiles];
                sum_int4(sums, of, bl, last ? lhs : lhs + of.lhs.fields, quads);
                add_int4(sums, of, last ? lhs + bl * kRows : lhs, quads);
            }
            lhs = opaque(lhs + of.lhs.block_bytes(bl));
            next_columns(quads, of.rhs.fields);
        }
    }
};

/// A LongFn of PANELS panels.
template <class Rows, size_t NR, int PANELS>
[[gnu::noinline]] void long_panels(const TileArgs& args, const BlockOperands& of) {
    float* tile = args.tiles;
    for (size_t column = 0; column < 4 * args.quads; column += 4) {
        LongQuad quad = long_quad<Rows::kGroup, NR>(of, args.bl, args.rhs, args.rhs_stride, column);
        LongTiles<Rows, NR, PANELS, 1> tiles{args.lhs_stride};
        tiles.add_blocks(&of, args.blocks, args.bl, args.lhs, &quad, args.table);
        KAI_UNROLL(4)
        for (int p = 0; p < PANELS; ++p) {
            KAI_UNROLL(4)
            for (int v = 0; v < 4; ++v, tile += 4) {
                vst1q_f32(tile, tiles.acc[p][v]);
            }
        }
    }
}
template <class Rows, size_t NR>
KAI_INLINE void long_panels(const TileArgs& args, const BlockOperands& of, size_t panels) {
    panels == 1 ? long_panels<Rows, NR, 1>(args, of) : long_panels<Rows, NR, 2>(args, of);
}

/// A LongRowFn. Quads that are missing are the last one again.
template <class Rows, size_t NR>
KAI_INLINE void long_row(
    const uint8_t* lhs, const uint8_t* rhs, size_t rhs_stride, uint8_t* dst, size_t quads, size_t blocks, float lo,
    float hi, size_t bl, const BlockOperands& of) {
    for (size_t first = 0; first < quads; first += 4) {
        const size_t last = quads - first > 4 ? 3 : quads - first - 1;
        LongQuad four[4];
        KAI_UNROLL(1)
        for (size_t q = 0; q < 4; ++q) {
            const size_t quad = first + (q < last ? q : last);
            four[q] = long_quad<Rows::kGroup, NR>(of, bl, rhs, rhs_stride, 4 * quad);
        }
        LongTiles<Rows, NR, 1, 4> tiles{0};
        tiles.add_blocks(&of, blocks, bl, lhs, four, nullptr);
        float32x4_t acc[4];
        KAI_UNROLL(4)
        for (size_t q = 0; q < 4; ++q) {
            acc[q] = tiles.acc[q][0];
            if (of.rhs.panel_tail != 0) {
                acc[q] = vaddq_f32(acc[q], load_f32x4(four[q].elements));  // the bias
            }
            acc[q] = clamped(acc[q], lo, hi);
        }
        const float32x4_t* from = opaque(acc);
        KAI_UNROLL(1)
        for (size_t q = 0; q <= last; ++q, dst += 4 * of.element_bytes) {
            if (of.element_bytes == sizeof(float)) {
                store_four(reinterpret_cast<float*>(dst), from[q]);
            } else {
                store_four(reinterpret_cast<F16*>(dst), from[q]);
            }
        }
    }
}

}  // namespace
}  // namespace kai
