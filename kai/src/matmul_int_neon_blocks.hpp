// f32 <- int8 rows x int4 columns, both quantised in blocks along K with f16 scales in front of each block.
//
//     acc[m][n] = fma(f32(S), lhs_scale[m][b] * rhs_scale[n][b], acc[m][n])    for every block b, ascending
//     S = sum over the block of lhs * rhs, in int32; the product of two f16 scales is exact in f32
//
// Blocks of 32, the usual length, run in assembly: tiles of up to 16 rows and 4 columns (matmul_int_neon_tile.inc), or
// 16 columns of a row. Other lengths, and what is left of a row, run in the templates below. The SMMLA tile computes
// fma(f32(S) * lhs_scale, rhs_scale, acc) with the first product rounded: the same bits while |S| < 2^13.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/src/getters.hpp"
#include "kai/src/matmul_int_neon.hpp"

namespace kai {
namespace {

struct Blocks {
    size_t k, bl;
};

struct Dst {
    float* start;
    size_t stride;  // bytes
    float lo, hi;

    KAI_INLINE float* at(size_t m, size_t n) const {
        return reinterpret_cast<float*>(bytes(start, m * stride)) + n;
    }
};

/// acc += one block of a panel. sums: 16 * S.
template <class Acc, class Sum>
KAI_INLINE void fold(
    float32x4_t acc[4], const int32x4_t sums[4], const uint8_t* lhs_scales, const float32x4_t column_scales[4]) {
    float32x4_t row_scales[4];
    Acc::spread_rows(load_f16x4(lhs_scales), row_scales);
    KAI_UNROLL
    for (int v = 0; v < 4; ++v) {
        acc[v] = vfmaq_f32(acc[v], Sum::to_float(sums[v]), vmulq_f32(column_scales[v], row_scales[v]));
    }
}

/// acc += the blocks of PANELS panels. Low nibbles belong to the first half of a block.
template <class Acc, class Rhs, int PANELS>
KAI_INLINE void sum_blocks(
    float32x4_t acc[PANELS][4], Blocks shape, const uint8_t* lhs, size_t lhs_stride, const uint8_t* rhs) {
    const size_t bl = shape.bl;
    for (size_t b = 0; b < shape.k / bl; ++b) {
        const uint8_t* low_lhs = lhs + qsi8d32p.elements(Acc::kLhs, bl, b);
        const uint8_t* high_lhs = low_lhs + bl / 2 * 4;
        const uint8_t* elements = rhs + qsi4c32p.elements(Acc::kRhs, bl, b);
        int32x4_t sums[PANELS][4];
        KAI_UNROLL
        for (int i = 0; i < PANELS * 4; ++i) {
            sums[i / 4][i % 4] = LongSum::start();
        }
        for (size_t j = 0; j < bl / 2; j += 16, low_lhs += 64, high_lhs += 64, elements += 64) {
            int8x16_t low[4], high[4];
            Rhs::decode(elements, low, high);
            KAI_UNROLL
            for (int p = 0; p < PANELS; ++p) {
                Acc::mac(sums[p], low_lhs + p * lhs_stride, low);
                Acc::mac(sums[p], high_lhs + p * lhs_stride, high);
            }
        }
        float32x4_t column_scales[4];
        Acc::spread_columns(load_f16x4(rhs + qsi4c32p.head(Acc::kRhs, shape.k, bl, b)), column_scales);
        KAI_UNROLL
        for (int p = 0; p < PANELS; ++p) {
            fold<Acc, LongSum>(
                acc[p], sums[p], lhs + p * lhs_stride + qsi8d32p.head(Acc::kLhs, shape.k, bl, b), column_scales);
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
    const float* row_scales;  // in the order of blocks, then panels
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
        qsi8d32p.block_bytes({1, 8, 2}, 32) == 34,
    "LHS_BLOCK, RHS_BLOCK of the assembly");
using TileFn = void(const TileArgs*);

/// A Kernel says how tiles of its Acc come about:
///   RowScales<PANELS>   converts the row scales of at most kChunk blocks in advance, for kTileColumns column panels
///   run<PANELS>(args)   the tile function
///   kFiniteOnly         rows with a scale that is not finite, RowScales::odd_rows, are done once more
constexpr size_t kTileColumns = 16;

/// The first rows and columns of a tile of PANELS panels.
template <class Acc, int PANELS>
KAI_INLINE void store_tile(const float* tile, size_t rows, size_t columns, Dst dst) {
    KAI_UNROLL
    for (int p = 0; p < PANELS; ++p) {
        float32x4_t acc[4], out[4];
        KAI_UNROLL
        for (int v = 0; v < 4; ++v) {
            acc[v] = vld1q_f32(tile + 16 * p + 4 * v);
        }
        KAI_UNROLL
        for (int i = 0; i < 4; ++i) {
            out[i] = clamped(Acc::row(acc, i), dst.lo, dst.hi);
        }
        const size_t row = 4 * p;
        if (rows >= row + 4 && columns >= 4) {
            KAI_UNROLL
            for (int i = 0; i < 4; ++i) {
                store(dst.at(row + i, 0), out[i]);
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
template <class Acc>
[[gnu::noinline, gnu::cold]] void redo_rows(
    uint32x4_t which, size_t first, size_t columns, size_t k, const uint8_t* lhs, const uint8_t* rhs, Dst dst) {
    float32x4_t acc[1][4];
    for (float32x4_t& a : acc[0]) {
        a = vdupq_n_f32(0);
    }
    sum_blocks<Acc, Int4, 1>(acc, {k, 32}, lhs, 0, rhs);
    KAI_UNROLL
    for (int i = 0; i < 4; ++i) {
        if (which[i] != 0) {
            store_columns(dst.at(first + i, 0), clamped(Acc::row(acc[0], i), dst.lo, dst.hi), columns);
        }
    }
}

/// A few rows, all columns.
template <class Kernel, int PANELS>
KAI_INLINE void tile_rows(size_t rows, size_t n, size_t k, const uint8_t* lhs, const uint8_t* rhs, Dst dst) {
    using Acc = typename Kernel::Acc;
    const size_t blocks = k / 32;
    const size_t chunk = Kernel::kChunk < blocks ? Kernel::kChunk : blocks;
    float tiles[kTileColumns][PANELS * 16];
    typename Kernel::template RowScales<PANELS> row_scales;
    TileArgs args;
    vst1q_f32(args.start, vdupq_n_f32(ShortSum::kStart));
    vst1q_u8(args.mask, vdupq_n_u8(0xF0));
    args.lhs_stride = qsi8d32p.stride(Acc::kLhs, k, 32);
    args.rhs_stride = qsi4c32p.stride(Acc::kRhs, k, 32);
    args.tiles = tiles[0];
    args.row_scales = row_scales.start();
    for (size_t n0 = 0; n0 < n; n0 += 4 * kTileColumns, rhs += kTileColumns * args.rhs_stride) {
        const size_t left = (n - n0 + 3) / 4;
        args.columns = left < kTileColumns ? left : kTileColumns;
        for (size_t b = 0; b < blocks; b += chunk) {
            args.blocks = blocks - b < chunk ? blocks - b : chunk;
            args.lhs = lhs + b * qsi8d32p.block_bytes(Acc::kLhs, 32);
            args.rhs = rhs + b * qsi4c32p.block_bytes(Acc::kRhs, 32);
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
            const Dst at{dst.at(0, n0 + 4 * c), dst.stride, dst.lo, dst.hi};
            store_tile<Acc, PANELS>(tiles[c], rows, n - n0 - 4 * c, at);
            if (redo) {
                KAI_UNROLL
                for (int p = 0; p < PANELS; ++p) {
                    redo_rows<Acc>(
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

template <class Kernel, int MAX_PANELS>
KAI_INLINE void matmul_tiles(size_t m, size_t n, size_t k, const uint8_t* lhs, const uint8_t* rhs, Dst dst) {
    const size_t lhs_stride = qsi8d32p.stride(Kernel::Acc::kLhs, k, 32);
    size_t m0 = 0;
    const auto rows = [&](auto panels) {
        constexpr int kPanels = decltype(panels)::value;
        const size_t count = m - m0 < kPanels * 4 ? m - m0 : kPanels * 4;
        tile_rows<Kernel, kPanels>(count, n, k, lhs, rhs, {dst.at(m0, 0), dst.stride, dst.lo, dst.hi});
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
template <class Acc, class Rhs, int PANELS>
KAI_INLINE void long_rows(
    size_t m0, size_t m, size_t n, Blocks shape, const uint8_t* lhs, const uint8_t* rhs, Dst dst) {
    const size_t lhs_stride = qsi8d32p.stride(Acc::kLhs, shape.k, shape.bl);
    const size_t rhs_stride = qsi4c32p.stride(Acc::kRhs, shape.k, shape.bl);
    for (size_t n0 = 0; n0 < n; n0 += 4, rhs += rhs_stride) {
        float32x4_t acc[PANELS][4];
        KAI_UNROLL
        for (int i = 0; i < PANELS * 4; ++i) {
            acc[i / 4][i % 4] = vdupq_n_f32(0);
        }
        sum_blocks<Acc, Rhs, PANELS>(acc, shape, lhs, lhs_stride, rhs);
        KAI_UNROLL
        for (int i = 0; i < PANELS * 4; ++i) {
            if (m0 + i < m) {
                store_columns(dst.at(m0 + i, n0), clamped(Acc::row(acc[i / 4], i % 4), dst.lo, dst.hi), n - n0);
            }
        }
    }
}

template <class Acc, class Rhs>
KAI_INLINE void matmul_long(size_t m, size_t n, Blocks shape, const uint8_t* lhs, const uint8_t* rhs, Dst dst) {
    const size_t lhs_stride = qsi8d32p.stride(Acc::kLhs, shape.k, shape.bl);
    size_t m0 = 0;
    for (; m0 + 4 < m; m0 += 8, lhs += 2 * lhs_stride) {
        long_rows<Acc, Rhs, 2>(m0, m, n, shape, lhs, rhs, dst);
    }
    if (m0 < m) {
        long_rows<Acc, Rhs, 1>(m0, m, n, shape, lhs, rhs, dst);
    }
}
/// @}

template <class Kernel, int MAX_PANELS>
KAI_INLINE void matmul_blocks(size_t m, size_t n, size_t k, size_t bl, const void* lhs, const void* rhs, Dst dst) {
    check_blocks(k, bl);
    if (bl == 32) {
        matmul_tiles<Kernel, MAX_PANELS>(m, n, k, bytes(lhs), bytes(rhs), dst);
    } else {
        matmul_long<typename Kernel::Acc, Int4>(m, n, {k, bl}, bytes(lhs), bytes(rhs), dst);
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
template <class Acc, class Rhs, class Sum, int PANELS>
KAI_INLINE void row_block(
    float32x4_t acc[PANELS], size_t bl, const uint8_t* lhs, const uint8_t* rhs, size_t rhs_stride) {
    const uint8_t* low_lhs = lhs + qsi8d32p.elements(Acc::kLhs, bl, 0);
    const uint8_t* high_lhs = low_lhs + bl / 2;
    const uint8_t* elements = rhs + qsi4c32p.elements(Acc::kRhs, bl, 0);
    Acc sums[PANELS];
    KAI_UNROLL
    for (int p = 0; p < PANELS; ++p) {
        sums[p].template start<Sum>();
    }
    for (size_t j = 0; j < bl / 2; j += 16, elements += 64) {
        const typename Acc::Lhs low_k = Acc::load_lhs(low_lhs + j), high_k = Acc::load_lhs(high_lhs + j);
        row_mac<Acc, Rhs, PANELS, 0>(sums, low_k, high_k, elements, rhs_stride);
        row_mac<Acc, Rhs, PANELS, 1>(sums, low_k, high_k, elements, rhs_stride);
        row_mac<Acc, Rhs, PANELS, 2>(sums, low_k, high_k, elements, rhs_stride);
        row_mac<Acc, Rhs, PANELS, 3>(sums, low_k, high_k, elements, rhs_stride);
    }
    const float row_scale = load_f16(lhs);
    KAI_UNROLL
    for (int p = 0; p < PANELS; ++p) {
        const float32x4_t scales = vmulq_n_f32(load_f16x4(rhs + p * rhs_stride), row_scale);
        acc[p] = vfmaq_f32(acc[p], Sum::to_float(sums[p].sum()), scales);
    }
}

template <class Acc, class Rhs, int PANELS>
KAI_INLINE void row_panels(
    size_t n, Blocks shape, const uint8_t* lhs, const uint8_t* rhs, float* dst, float lo, float hi) {
    const size_t rhs_stride = qsi4c32p.stride(Acc::kRhs, shape.k, shape.bl);
    float32x4_t acc[PANELS];
    KAI_UNROLL
    for (int p = 0; p < PANELS; ++p) {
        acc[p] = vdupq_n_f32(0);
    }
    if (shape.bl == 32) {
        constexpr size_t lhs_block = qsi8d32p.block_bytes(Acc::kLhs, 32);
        constexpr size_t rhs_block = qsi4c32p.block_bytes(Acc::kRhs, 32);
        for (size_t b = shape.k / 32; b > 0; --b, lhs += lhs_block, rhs += rhs_block) {
            row_block<Acc, Rhs, ShortSum, PANELS>(acc, 32, lhs, rhs, rhs_stride);
        }
    } else {
        const size_t lhs_block = qsi8d32p.block_bytes(Acc::kLhs, shape.bl);
        const size_t rhs_block = qsi4c32p.block_bytes(Acc::kRhs, shape.bl);
        for (size_t b = shape.k / shape.bl; b > 0; --b, lhs += lhs_block, rhs += rhs_block) {
            row_block<Acc, Rhs, LongSum, PANELS>(acc, shape.bl, lhs, rhs, rhs_stride);
        }
    }
    KAI_UNROLL
    for (int p = 0; p < PANELS; ++p) {
        store_columns(dst + 4 * p, clamped(acc[p], lo, hi), n - 4 * p);
    }
}

/// What a row function computes: groups of 16 columns.
struct RowArgs {
    float start[4];    // of the integer sums
    float c[4];        // what is subtracted from their end
    uint8_t mask[16];  // of the high nibbles
    const uint8_t* lhs;
    const uint8_t* rhs;
    size_t rhs_stride, blocks;
    float* dst;
    size_t groups;  // at least one, as of blocks
};
static_assert(
    offsetof(RowArgs, start) == 0 && offsetof(RowArgs, c) == 16 && offsetof(RowArgs, mask) == 32 &&
        offsetof(RowArgs, lhs) == 48 && offsetof(RowArgs, rhs) == 56 && offsetof(RowArgs, rhs_stride) == 64 &&
        offsetof(RowArgs, blocks) == 72 && offsetof(RowArgs, dst) == 80 && offsetof(RowArgs, groups) == 88,
    "see the row kernels");
using RowFn = void(const RowArgs*, float lo, float hi);

/// Rows one after another; 16 columns at a time by RUN, the others by panels.
template <class Acc, class Rhs, RowFn* RUN>
KAI_INLINE void matmul_rows(size_t m, size_t n, size_t k, size_t bl, const void* lhs, const void* rhs, Dst dst) {
    check_blocks(k, bl);
    const Blocks shape{k, bl};
    const size_t lhs_stride = qsi8d32p.stride(Acc::kLhs, k, bl), rhs_stride = qsi4c32p.stride(Acc::kRhs, k, bl);
    RowArgs args;
    store(args.start, Acc::template first<ShortSum>());
    vst1q_f32(args.c, vdupq_n_f32(ShortSum::kStart));
    vst1q_u8(args.mask, vdupq_n_u8(0xF0));
    args.rhs_stride = rhs_stride;
    args.blocks = k / 32;
    args.groups = bl == 32 && k > 0 ? n / 16 : 0;
    for (size_t i = 0; i < m; ++i) {
        args.lhs = bytes(lhs, i * lhs_stride);
        args.rhs = bytes(rhs);
        args.dst = dst.at(i, 0);
        if (args.groups > 0) {
            RUN(&args, dst.lo, dst.hi);
            args.rhs += args.groups * 4 * rhs_stride;
        }
        size_t n0 = args.groups * 16;
        for (; n0 + 12 < n; n0 += 16, args.rhs += 4 * rhs_stride) {
            row_panels<Acc, Rhs, 4>(n - n0, shape, args.lhs, args.rhs, dst.at(i, n0), dst.lo, dst.hi);
        }
        for (; n0 < n; n0 += 4, args.rhs += rhs_stride) {
            row_panels<Acc, Rhs, 1>(n - n0, shape, args.lhs, args.rhs, dst.at(i, n0), dst.lo, dst.hi);
        }
    }
}
/// @}

}  // namespace
}  // namespace kai
