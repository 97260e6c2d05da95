// f32 or f16 <- int8 rows x int4 columns, both quantised in blocks along K: for every block b, ascending,
//
//     acc[m][n] = fma(rhs_zero[n][b], lhs_sum[m][b], acc[m][n])                where the formats have zeros
//     acc[m][n] = fma(f32(S), lhs_scale[m][b] * rhs_scale[n][b], acc[m][n])
//     S = sum over the block of lhs * rhs, in int32
//
// then + bias, where the formats have one. A pair of formats is a policy: Symmetric, Asymmetric.
//
// Blocks of 32, the usual length, run in assembly: tiles of up to 16 rows and 4 columns (matmul_int_neon_tile.inc), or
// 16 columns of a row (matmul_int_neon_row.inc). Other lengths run in the templates below. The symmetric SMMLA tile
// computes fma(f32(S) * lhs_scale, rhs_scale, acc) with the first product rounded: the same bits while |S| < 2^13
// (docs/arithmetic.md says so).
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/src/getters.hpp"
#include "kai/src/matmul_int_neon.hpp"
#include "kai/src/matmul_rows.hpp"

namespace kai {
namespace {

struct Blocks {
    size_t k, bl;
};

/// @name Pairs of formats
///
///     kFraction      bits of a sum that has become f32: 4 where packed scales are scales, 0 where they are / 16
///     Columns<Acc>   the fields of a block of 4 columns in the order of a tile; add: acc += the block, 4 rows
///     add_row        acc + the block, one row and 4 columns
///     finish         acc + what stands behind the panel, one row and 4 columns
/// @{

/// f16 scales in front of each block; their product is exact in f32.
struct Symmetric {
    static constexpr Format kLhs = qsi8d32p, kRhs = qsi4c32p;
    static constexpr int kFraction = 4;

    template <class Acc>
    struct Columns {
        float32x4_t scales[4];

        KAI_INLINE explicit Columns(const uint8_t* fields) {
            Acc::spread_columns(load_f16x4(fields), scales);
        }
        KAI_INLINE void add(float32x4_t acc[4], const float32x4_t sums[4], const uint8_t* row_fields) const {
            float32x4_t row_scales[4];
            Acc::spread_rows(load_f16x4(row_fields), row_scales);
            KAI_UNROLL
            for (int v = 0; v < 4; ++v) {
                acc[v] = vfmaq_f32(acc[v], sums[v], vmulq_f32(scales[v], row_scales[v]));
            }
        }
    };
    KAI_INLINE static float32x4_t add_row(
        float32x4_t acc, float32x4_t sums, const uint8_t* row_fields, const uint8_t* column_fields) {
        return vfmaq_f32(acc, sums, vmulq_n_f32(load_f16x4(column_fields), load_f16(row_fields)));
    }
    KAI_INLINE static float32x4_t finish(float32x4_t acc, const uint8_t*) {
        return acc;
    }
};

/// Behind each block f32 sums and scales of rows, f32 zeros and scales / 16 of columns; behind the panel f32 bias.
struct Asymmetric {
    static constexpr Format kLhs = qsi8d32pscalef32, kRhs = qai4c32p;
    static constexpr int kFraction = 0;

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
            KAI_UNROLL
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
    KAI_INLINE static float32x4_t finish(float32x4_t acc, const uint8_t* panel_end) {
        return vaddq_f32(acc, load_f32x4(panel_end));
    }
};
/// @}

/// Where the fields of block b stand: a block has some in front or behind.
constexpr size_t block_fields(const Format& f, Tile t, size_t k, size_t bl, size_t b) {
    return f.block_head != 0 ? f.head(t, k, bl, b) : f.tail(t, bl, b);
}

/// How far apart the elements of a nibble's low and high half are, and how many k a step of 16 bytes goes on.
constexpr size_t nibble_distance(const Format& f, size_t bl) {
    return f.nibble_distance != 0 ? f.nibble_distance : bl / 2;
}
constexpr size_t step_of_16_bytes(const Format& f) {
    return f.nibble_distance == 16 ? 32 : 16;
}

/// acc += the blocks of PANELS panels.
template <class Pair, class Acc, class Rhs, int PANELS>
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
        KAI_UNROLL
        for (int i = 0; i < PANELS * 4; ++i) {
            sums[i / 4][i % 4] = Sum::start();
        }
        for (size_t j = 0; j < bl / 2; j += 16, low_lhs += kStep, high_lhs += kStep, elements += 64) {
            int8x16_t low[4], high[4];
            Rhs::decode(elements, low, high);
            KAI_UNROLL
            for (int p = 0; p < PANELS; ++p) {
                Acc::mac(sums[p], low_lhs + p * lhs_stride, low);
                Acc::mac(sums[p], high_lhs + p * lhs_stride, high);
            }
        }
        const typename Pair::template Columns<Acc> columns(rhs + block_fields(Pair::kRhs, Acc::kRhs, shape.k, bl, b));
        const uint8_t* row_fields = lhs + block_fields(Pair::kLhs, Acc::kLhs, shape.k, bl, b);
        KAI_UNROLL
        for (int p = 0; p < PANELS; ++p) {
            float32x4_t floats[4];
            KAI_UNROLL
            for (int v = 0; v < 4; ++v) {
                floats[v] = Sum::to_float(sums[p][v]);
            }
            columns.add(acc[p], floats, row_fields + p * lhs_stride);
        }
    }
}

/// @name Blocks of 32: the K loop is assembly (matmul_int_neon_tile.inc)
/// @{

/// What a tile function computes: `columns` tiles of 1, 2 or 4 panels x 4 columns, each adding `blocks` blocks.
struct TileArgs {
    float start[4];    // of the integer sums
    uint8_t mask[16];  // of the high nibbles
    const uint8_t* lhs;
    size_t lhs_stride;
    const uint8_t* rhs;
    size_t rhs_stride;
    const float* row_scales;  // in the order of blocks, then panels; not all tiles need them
    float* tiles;             // out, 16 floats per panel
    size_t blocks, columns;   // at least one
    size_t resume;            // not 0: `tiles` holds sums of earlier blocks
};
static_assert(
    offsetof(TileArgs, start) == 0 && offsetof(TileArgs, mask) == 16 && offsetof(TileArgs, lhs) == 32 &&
        offsetof(TileArgs, rhs) == 48 && offsetof(TileArgs, row_scales) == 64 && offsetof(TileArgs, blocks) == 80 &&
        offsetof(TileArgs, resume) == 96,
    "matmul_int_neon_tile.inc");
static_assert(
    qsi8d32p.block_bytes({4, 8, 2}, 32) == 136 && qsi4c32p.block_bytes({4, 8, 2}, 32) == 72 &&
        qsi8d32p.block_bytes({1, 8, 2}, 32) == 34 && qsi8d32pscalef32.block_bytes({4, 8, 2}, 32) == 160 &&
        qai4c32p.block_bytes({4, 8, 2}, 32) == 96 && qsi8d32pscalef32.block_bytes({1, 8, 2}, 32) == 40,
    "LHS_BLOCK, RHS_BLOCK of the assembly");
using TileFn = void(const TileArgs*);

/// A Kernel says how tiles of its Acc and Pair come about:
///   RowScales<PANELS>   converts the row scales of at most kChunk blocks in advance, for kTileColumns column panels
///   run<PANELS>(args)   the tile function
///   kFiniteOnly         rows with a scale that is not finite, RowScales::odd_rows, are done once more
constexpr size_t kTileColumns = 16;

/// The first rows and columns of a tile of PANELS panels.
template <class Pair, class Acc, int PANELS, class T>
KAI_INLINE void store_tile(const float* tile, const uint8_t* panel_end, size_t rows, size_t columns, Dst<T> dst) {
    KAI_UNROLL
    for (int p = 0; p < PANELS; ++p) {
        float32x4_t acc[4], out[4];
        KAI_UNROLL
        for (int v = 0; v < 4; ++v) {
            acc[v] = vld1q_f32(tile + 16 * p + 4 * v);
        }
        KAI_UNROLL
        for (int i = 0; i < 4; ++i) {
            out[i] = clamped(Pair::finish(Acc::row(acc, i), panel_end), dst.lo, dst.hi);
        }
        const size_t row = 4 * p;
        if (rows >= row + 4 && columns >= 4) {
            KAI_UNROLL
            for (int i = 0; i < 4; ++i) {
                store_four(dst.at(row + i, 0), out[i]);
            }
        } else {
            KAI_UNROLL
            for (int i = 0; i < 4; ++i) {
                if (row + i < rows) {
                    store_columns(dst.at(row + i, 0), out[i], columns);
                }
            }
        }
    }
}

/// Rows with an odd scale, once more: scale * (C + S) - scale * C is not a number where the scale is infinite. What
/// becomes of a row depends on that row alone, so results stay the same however M is split.
template <class Pair, class Acc, class T>
[[gnu::noinline, gnu::cold]] void redo_rows(
    uint32x4_t which, size_t first, size_t columns, size_t k, const uint8_t* lhs, const uint8_t* rhs, Dst<T> dst) {
    float32x4_t acc[1][4];
    for (float32x4_t& a : acc[0]) {
        a = vdupq_n_f32(0);
    }
    sum_blocks<Pair, Acc, Int4, 1>(acc, {k, 32}, lhs, 0, rhs);
    const uint8_t* panel_end = rhs + Pair::kRhs.panel_end(Acc::kRhs, k, 32);
    KAI_UNROLL
    for (int i = 0; i < 4; ++i) {
        if (which[i] != 0) {
            const float32x4_t row = Pair::finish(Acc::row(acc[0], i), panel_end);
            store_columns(dst.at(first + i, 0), clamped(row, dst.lo, dst.hi), columns);
        }
    }
}

/// A few rows, all columns.
template <class Kernel, int PANELS, class T>
KAI_INLINE void tile_rows(size_t rows, size_t n, size_t k, const uint8_t* lhs, const uint8_t* rhs, Dst<T> dst) {
    using Acc = typename Kernel::Acc;
    using Pair = typename Kernel::Pair;
    const size_t blocks = k / 32;
    const size_t chunk = Kernel::kChunk < blocks ? Kernel::kChunk : blocks;
    float tiles[kTileColumns][PANELS * 16];
    typename Kernel::template RowScales<PANELS> row_scales;
    TileArgs args;
    vst1q_f32(args.start, vdupq_n_f32(ShortSum<Pair::kFraction>::kStart));
    vst1q_u8(args.mask, vdupq_n_u8(0xF0));
    args.lhs_stride = Pair::kLhs.stride(Acc::kLhs, k, 32);
    args.rhs_stride = Pair::kRhs.stride(Acc::kRhs, k, 32);
    args.tiles = tiles[0];
    args.row_scales = row_scales.start();
    for (size_t n0 = 0; n0 < n; n0 += 4 * kTileColumns, rhs += kTileColumns * args.rhs_stride) {
        const size_t left = (n - n0 + 3) / 4;
        args.columns = left < kTileColumns ? left : kTileColumns;
        for (size_t b = 0; b < blocks; b += chunk) {
            args.blocks = blocks - b < chunk ? blocks - b : chunk;
            args.lhs = lhs + b * Pair::kLhs.block_bytes(Acc::kLhs, 32);
            args.rhs = rhs + b * Pair::kRhs.block_bytes(Acc::kRhs, 32);
            args.resume = b;
            if (n0 == 0 || chunk < blocks) {
                row_scales.fill(args.lhs, args.lhs_stride, args.blocks);
            }
            Kernel::template run<PANELS>(&args);
        }
        uint32x4_t odd[PANELS];
        bool redo = false;
        if constexpr (Kernel::kFiniteOnly) {
            redo = row_scales.odd_rows(rows, odd);
        }
        for (size_t c = 0; c < args.columns; ++c) {
            if (blocks == 0) {
                KAI_UNROLL
                for (size_t i = 0; i < PANELS * 4; ++i) {
                    vst1q_f32(tiles[c] + 4 * i, vdupq_n_f32(0));
                }
            }
            const Dst<T> at{dst.at(0, n0 + 4 * c), dst.stride, dst.lo, dst.hi};
            const uint8_t* panel_end = rhs + c * args.rhs_stride + Pair::kRhs.panel_end(Acc::kRhs, k, 32);
            store_tile<Pair, Acc, PANELS>(tiles[c], panel_end, rows, n - n0 - 4 * c, at);
            if (redo) {
                KAI_UNROLL
                for (int p = 0; p < PANELS; ++p) {
                    redo_rows<Pair, Acc>(
                        odd[p], 4 * p, n - n0 - 4 * c, k, lhs + p * args.lhs_stride, rhs + c * args.rhs_stride, at);
                }
            }
        }
    }
}

template <int N>
struct Int {
    static constexpr int value = N;
};

template <class Kernel, int MAX_PANELS, class T>
KAI_INLINE void matmul_tiles(size_t m, size_t n, size_t k, const uint8_t* lhs, const uint8_t* rhs, Dst<T> dst) {
    const size_t lhs_stride = Kernel::Pair::kLhs.stride(Kernel::Acc::kLhs, k, 32);
    size_t m0 = 0;
    const auto rows = [&](auto panels) {
        constexpr int kPanels = decltype(panels)::value;
        const size_t count = m - m0 < kPanels * 4 ? m - m0 : kPanels * 4;
        tile_rows<Kernel, kPanels, T>(count, n, k, lhs, rhs, {dst.at(m0, 0), dst.stride, dst.lo, dst.hi});
        m0 += count;
        lhs += kPanels * lhs_stride;
    };
    if (MAX_PANELS == 4) {
        while (m - m0 > 12) {
            rows(Int<4>{});
        }
    }
    while (m - m0 > 4) {
        rows(Int<2>{});
    }
    if (m - m0 > 0) {
        rows(Int<1>{});
    }
}
/// @}

/// @name Longer blocks
/// @{

/// PANELS panels at row m0: all columns.
template <class Pair, class Acc, class Rhs, int PANELS, class T>
KAI_INLINE void long_rows(
    size_t m0, size_t m, size_t n, Blocks shape, const uint8_t* lhs, const uint8_t* rhs, Dst<T> dst) {
    const size_t lhs_stride = Pair::kLhs.stride(Acc::kLhs, shape.k, shape.bl);
    const size_t rhs_stride = Pair::kRhs.stride(Acc::kRhs, shape.k, shape.bl);
    for (size_t n0 = 0; n0 < n; n0 += 4, rhs += rhs_stride) {
        float32x4_t acc[PANELS][4];
        KAI_UNROLL
        for (int i = 0; i < PANELS * 4; ++i) {
            acc[i / 4][i % 4] = vdupq_n_f32(0);
        }
        sum_blocks<Pair, Acc, Rhs, PANELS>(acc, shape, lhs, lhs_stride, rhs);
        const uint8_t* panel_end = rhs + Pair::kRhs.panel_end(Acc::kRhs, shape.k, shape.bl);
        KAI_UNROLL
        for (int i = 0; i < PANELS * 4; ++i) {
            if (m0 + i < m) {
                const float32x4_t row = Pair::finish(Acc::row(acc[i / 4], i % 4), panel_end);
                store_columns(dst.at(m0 + i, n0), clamped(row, dst.lo, dst.hi), n - n0);
            }
        }
    }
}

template <class Pair, class Acc, class Rhs, class T>
KAI_INLINE void matmul_long(size_t m, size_t n, Blocks shape, const uint8_t* lhs, const uint8_t* rhs, Dst<T> dst) {
    const size_t lhs_stride = Pair::kLhs.stride(Acc::kLhs, shape.k, shape.bl);
    size_t m0 = 0;
    for (; m0 + 4 < m; m0 += 8, lhs += 2 * lhs_stride) {
        long_rows<Pair, Acc, Rhs, 2>(m0, m, n, shape, lhs, rhs, dst);
    }
    if (m0 < m) {
        long_rows<Pair, Acc, Rhs, 1>(m0, m, n, shape, lhs, rhs, dst);
    }
}
/// @}

template <class Kernel, int MAX_PANELS, class T>
KAI_INLINE void matmul_blocks(size_t m, size_t n, size_t k, size_t bl, const void* lhs, const void* rhs, Dst<T> dst) {
    if (bl == 32) {
        matmul_tiles<Kernel, MAX_PANELS>(m, n, k, bytes(lhs), bytes(rhs), dst);
    } else {
        matmul_long<typename Kernel::Pair, typename Kernel::Acc, Int4>(m, n, {k, bl}, bytes(lhs), bytes(rhs), dst);
    }
}

/// @name One row
/// @{

/// sums += 32 k of every panel: RHS vector V. Panels take turns, so that no sum waits for itself.
template <class Acc, class Rhs, int PANELS, int V>
KAI_INLINE void row_mac(
    Acc sums[PANELS], const typename Acc::Lhs& low_k, const typename Acc::Lhs& high_k, const uint8_t* rhs,
    size_t rhs_stride) {
    int8x16_t packed[PANELS];
    KAI_UNROLL
    for (int p = 0; p < PANELS; ++p) {
        packed[p] = load_s8x16(rhs + p * rhs_stride + 16 * V);
    }
    KAI_UNROLL
    for (int p = 0; p < PANELS; ++p) {
        sums[p].template mac<V>(low_k, Rhs::low(packed[p]));
    }
    KAI_UNROLL
    for (int p = 0; p < PANELS; ++p) {
        sums[p].template mac<V>(high_k, Rhs::high(packed[p]));
    }
}

/// acc += a block of every panel; bl / 2 bytes per column.
template <class Pair, class Acc, class Rhs, int PANELS>
KAI_INLINE void row_block(
    float32x4_t acc[PANELS], size_t bl, const uint8_t* lhs, const uint8_t* rhs, size_t rhs_stride) {
    using Sum = LongSum<Pair::kFraction>;
    constexpr size_t kStep = step_of_16_bytes(Pair::kRhs);
    const uint8_t* low_lhs = lhs + Pair::kLhs.elements(Acc::kLhs, bl, 0);
    const uint8_t* high_lhs = low_lhs + nibble_distance(Pair::kRhs, bl);
    const uint8_t* elements = rhs + Pair::kRhs.elements(Acc::kRhs, bl, 0);
    Acc sums[PANELS];
    KAI_UNROLL
    for (int p = 0; p < PANELS; ++p) {
        sums[p].start();
    }
    for (size_t j = 0; j < bl / 2; j += 16, low_lhs += kStep, high_lhs += kStep, elements += 64) {
        const typename Acc::Lhs low_k = Acc::load_lhs(low_lhs), high_k = Acc::load_lhs(high_lhs);
        row_mac<Acc, Rhs, PANELS, 0>(sums, low_k, high_k, elements, rhs_stride);
        row_mac<Acc, Rhs, PANELS, 1>(sums, low_k, high_k, elements, rhs_stride);
        row_mac<Acc, Rhs, PANELS, 2>(sums, low_k, high_k, elements, rhs_stride);
        row_mac<Acc, Rhs, PANELS, 3>(sums, low_k, high_k, elements, rhs_stride);
    }
    const uint8_t* row_fields = lhs + block_fields(Pair::kLhs, Acc::kLhs, bl, bl, 0);
    const uint8_t* column_fields = rhs + block_fields(Pair::kRhs, Acc::kRhs, bl, bl, 0);
    KAI_UNROLL
    for (int p = 0; p < PANELS; ++p) {
        acc[p] = Pair::add_row(acc[p], Sum::to_float(sums[p].sum()), row_fields, column_fields + p * rhs_stride);
    }
}

template <class Pair, class Acc, class Rhs, int PANELS, class T>
KAI_INLINE void row_panels(size_t n, Blocks shape, const uint8_t* lhs, const uint8_t* rhs, T* dst, float lo, float hi) {
    const size_t rhs_stride = Pair::kRhs.stride(Acc::kRhs, shape.k, shape.bl);
    const size_t lhs_block = Pair::kLhs.block_bytes(Acc::kLhs, shape.bl);
    const size_t rhs_block = Pair::kRhs.block_bytes(Acc::kRhs, shape.bl);
    float32x4_t acc[PANELS];
    KAI_UNROLL
    for (int p = 0; p < PANELS; ++p) {
        acc[p] = vdupq_n_f32(0);
    }
    for (size_t b = shape.k / shape.bl; b > 0; --b, lhs += lhs_block, rhs += rhs_block) {
        row_block<Pair, Acc, Rhs, PANELS>(acc, shape.bl, lhs, rhs, rhs_stride);
    }
    KAI_UNROLL
    for (int p = 0; p < PANELS; ++p) {
        // rhs now is the panel's end.
        store_columns(dst + 4 * p, clamped(Pair::finish(acc[p], rhs + p * rhs_stride), lo, hi), n - 4 * p);
    }
}

/// Rows in blocks longer than 32.
template <class Pair, class Acc, class Rhs, class T>
KAI_INLINE void long_block_rows(size_t m, size_t n, Blocks shape, const uint8_t* lhs, const uint8_t* rhs, Dst<T> dst) {
    const size_t lhs_stride = Pair::kLhs.stride(Acc::kLhs, shape.k, shape.bl);
    const size_t rhs_stride = Pair::kRhs.stride(Acc::kRhs, shape.k, shape.bl);
    for (size_t i = 0; i < m; ++i, lhs += lhs_stride) {
        const uint8_t* panel = rhs;
        size_t n0 = 0;
        for (; n0 + 12 < n; n0 += 16, panel += 4 * rhs_stride) {
            row_panels<Pair, Acc, Rhs, 4>(n - n0, shape, lhs, panel, dst.at(i, n0), dst.lo, dst.hi);
        }
        for (; n0 < n; n0 += 4, panel += rhs_stride) {
            row_panels<Pair, Acc, Rhs, 1>(n - n0, shape, lhs, panel, dst.at(i, n0), dst.lo, dst.hi);
        }
    }
}

/// One row x `quads` * 4 columns, blocks of 32: matmul_int_neon_row.inc.
using RowFn = void(
    const uint8_t* lhs, const uint8_t* rhs, size_t rhs_stride, void* dst, size_t quads, size_t blocks, float lo,
    float hi);

/// Rows one after another. One row of whole panels, the usual case, is a jump into RUN.
template <class Pair, class Acc, class Rhs, class T>
KAI_INLINE void matmul_rows(
    RowFn* run, size_t m, size_t n, size_t k, size_t bl, const void* lhs, const void* rhs, Dst<T> dst) {
    if (bl != 32) {
        return long_block_rows<Pair, Acc, Rhs>(m, n, {k, bl}, bytes(lhs), bytes(rhs), dst);
    }
    const size_t rhs_stride = Pair::kRhs.stride(Acc::kRhs, k, 32);
    if (m == 1 && n % 4 == 0) {
        return run(bytes(lhs), bytes(rhs), rhs_stride, dst.start, n / 4, k / 32, dst.lo, dst.hi);
    }
    const size_t lhs_stride = Pair::kLhs.stride(Acc::kLhs, k, 32);
    const Rows rows{m, n, 4, bytes(lhs), lhs_stride, bytes(rhs), rhs_stride, dst.start, dst.stride, sizeof(T)};
    each_row(rows, [&](const uint8_t* row, const uint8_t* panels, void* out, size_t quads) {
        run(row, panels, rhs_stride, out, quads, k / 32, dst.lo, dst.hi);
    });
}
/// @}

}  // namespace
}  // namespace kai

/// The functions of a micro-kernel of the catalogue whose output is T. The including file has kai::run<MR, KR, M_STEP>,
/// which does the work.
#define KAI_DEFINE_MATMUL_BLOCKS(T, NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP)                             \
    KAI_DEFINE_MATMUL_GETTERS_BL(NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP, sizeof(T))                     \
    void kai_run_##NAME(                                                                                        \
        size_t m, size_t n, size_t k, size_t bl, const void* lhs, const void* rhs, kai::Output<T>::Pointer dst, \
        size_t stride_row, size_t stride_col, float lo, float hi) {                                             \
        kai::check_blocks(k, bl);                                                                               \
        kai::check_output(stride_col, sizeof(T), lo, hi);                                                       \
        kai::run<MR, KR, M_STEP>(m, n, k, bl, lhs, rhs, kai::Dst<T>{dst, stride_row, lo, hi});                  \
    }
