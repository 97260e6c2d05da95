// The low-precision kernels on Armv8.0: uint8 or int8 with offsets, int32 sums, requantised.
//
//     dst[i][j] = requantised(bias[j] + sum over k of (lhs[i][k] + lhs_offset) * (rhs[j][k] + rhs_offset))
//
// The tiles (lowp_neon.S) multiply signed bytes: a' = lhs - z, b' = rhs - z, z = 128 of uint8 and 0 of int8. With
// A = lhs_offset + z, B = rhs_offset + z, sums over k, modulo 2^32:
//
//     sum of a' * b'  +  A * sum of b'  +  B * sum of a'  +  k * A * B
//
// The second term and the bias belong to the column, the last two to the row. So does what a tile adds to the first:
// the sum of a' over k % 16 >= 8. Sums of columns that are not packed are made here, or by the tile where there are few
// rows, unless A is 0.
//
// Rows are taken 64 at a time, the columns of a tile once for all of them. Edges: a tile has exactly the rows that
// exist; the last columns that are not packed overlap the ones before, or are one column four times. The last k % 16
// are copied.
//
// SPDX-License-Identifier: Apache-2.0
#include <arm_neon.h>

#include "kai/engines/lowp/lowp.hpp"
#include "kai/engines/lowp/lowp_args.h"

namespace kai {
namespace {

KAI_STRUCT(LowpTile, KAI_LOWP_TILE);
using LowpTileFn = void(LowpTile*);

}  // namespace
}  // namespace kai

extern "C" kai::LowpTileFn kai_lowp_p4x16_1x8, kai_lowp_p4x16_1x4, kai_lowp_p4x16_2x4, kai_lowp_p4x16_3x4,
    kai_lowp_p4x16_4x4, kai_lowp_nxk_s8_1x8, kai_lowp_nxk_s8_1x4, kai_lowp_nxk_s8_2x4, kai_lowp_nxk_s8_3x4,
    kai_lowp_nxk_s8_4x4, kai_lowp_nxk_u8_4x4, kai_lowp_nxk_u8_1x8, kai_lowp_nxk_u8_1x4, kai_lowp_nxk_u8_2x4,
    kai_lowp_nxk_u8_3x4, kai_lowp_nxk_1x8, kai_lowp_nxk_1x4, kai_lowp_nxk_2x4, kai_lowp_nxk_3x4, kai_lowp_nxk_4x4;

namespace kai {
namespace {

constexpr size_t kRows = 64;         // at a time
constexpr size_t kSummedRows = 4;    // up to which the tile adds up the columns
constexpr size_t kMostGroups = 127;  // of 16 k, whose sums of pairs of bytes fit 16 bits

/// 1 to 4 rows x 4 columns; 1 x 8.
constexpr LowpTileFn* kPackedTiles[] = {
    kai_lowp_p4x16_1x4, kai_lowp_p4x16_2x4, kai_lowp_p4x16_3x4, kai_lowp_p4x16_4x4, kai_lowp_p4x16_1x8};
constexpr LowpTileFn* kNxkTiles[] = {
    kai_lowp_nxk_1x4, kai_lowp_nxk_2x4, kai_lowp_nxk_3x4, kai_lowp_nxk_4x4, kai_lowp_nxk_1x8};
/// Those that add up columns.
constexpr LowpTileFn* kUnsignedSums[] = {
    kai_lowp_nxk_u8_1x4, kai_lowp_nxk_u8_2x4, kai_lowp_nxk_u8_3x4, kai_lowp_nxk_u8_4x4, kai_lowp_nxk_u8_1x8};
constexpr LowpTileFn* kSignedSums[] = {
    kai_lowp_nxk_s8_1x4, kai_lowp_nxk_s8_2x4, kai_lowp_nxk_s8_3x4, kai_lowp_nxk_s8_4x4, kai_lowp_nxk_s8_1x8};

/// What is known of 4 columns.
struct Columns {
    int32x4_t term, multiplier, left, right;
};

/// Of some rows.
struct Rows {
    int32_t terms[kRows];
    uint8_t tails[kRows][16];
};

KAI_INLINE size_t min(size_t a, size_t b) {
    return a < b ? a : b;
}

/// The first `count` of 4.
KAI_INLINE int32x4_t load_some(const int32_t* from, size_t count) {
    if (count >= 4) {
        return vld1q_s32(from);
    }
    int32x4_t x = vdupq_n_s32(from[0]);
    if (count > 1) {
        x = vsetq_lane_s32(from[1], x, 1);
    }
    return count > 2 ? vsetq_lane_s32(from[2], x, 2) : x;
}

/// Sums of the signed values of four lines, and of those in the upper halves of 16.
struct LineSums {
    int32x4_t all, upper;
};
/// Only the sums of the first `count` are right.
template <size_t count = 4>
KAI_INLINE LineSums sums_of_lines(
    const uint8_t* const (&lines)[4], size_t groups, const uint8_t* const (&tails)[4], bool tail, uint8x16_t flip) {
    int32x4_t sums[4];
    for (int32x4_t& sum : sums) {
        sum = vdupq_n_s32(0);
    }
    for (size_t g = 0; g < groups;) {
        const size_t end = min(groups, g + kMostGroups);
        int16x8_t pairs[4];
        for (int16x8_t& pair : pairs) {
            pair = vdupq_n_s16(0);
        }
        for (; g < end; ++g) {
            KAI_UNROLL(4)
            for (size_t i = 0; i < count; ++i) {
                pairs[i] = vpadalq_s8(pairs[i], vreinterpretq_s8_u8(veorq_u8(vld1q_u8(lines[i] + 16 * g), flip)));
            }
        }
        KAI_UNROLL(4)
        for (size_t i = 0; i < 4; ++i) {
            sums[i] = vpadalq_s16(sums[i], pairs[i]);
        }
    }
    KAI_UNROLL(4)
    for (size_t i = 0; i < 4; ++i) {
        if (tail) {
            const int8x16_t x = vreinterpretq_s8_u8(veorq_u8(vld1q_u8(tails[i]), flip));
            sums[i] = vpadalq_s16(sums[i], vpaddlq_s8(x));
        }
    }
    const int32x4_t x = vpaddq_s32(sums[0], sums[1]), y = vpaddq_s32(sums[2], sums[3]);
    return {vpaddq_s32(x, y), vuzp2q_s32(x, y)};
}

/// Tails of lines: 16 bytes each, padded with what counts as zero.
KAI_INLINE void copy_tail(uint8_t* to, const uint8_t* from, size_t count, uint8_t flip) {
    vst1q_u8(to, vdupq_n_u8(flip));
    __builtin_memcpy(to, from, count);
}

[[gnu::noinline]] void prepare_rows(const Lowp& p, size_t first, size_t count, Rows& rows) {
    const auto offset = static_cast<uint32_t>(p.params->lhs_offset) + p.flip;
    const auto rhs_offset = static_cast<uint32_t>(p.params->rhs_offset) + p.flip;
    const auto constant = static_cast<int32_t>(static_cast<uint32_t>(p.k) * offset * rhs_offset);
    const size_t whole = p.k / 16 * 16, tail = p.k - whole;
    for (size_t i = 0; i < count; i += 4) {
        const uint8_t *lines[4], *tails[4];
        for (size_t r = 0; r < 4; ++r) {
            const size_t row = min(i + r, count - 1);
            lines[r] = p.k == 0 ? rows.tails[0] : p.lhs + (first + row) * p.lhs_stride;
            tails[r] = rows.tails[row];
            if (tail != 0) {
                copy_tail(rows.tails[row], lines[r] + whole, tail, p.flip);
            }
        }
        const LineSums sums = count == 1 ? sums_of_lines<1>(lines, p.k / 16, tails, tail != 0, vdupq_n_u8(p.flip))
                                         : sums_of_lines(lines, p.k / 16, tails, tail != 0, vdupq_n_u8(p.flip));
        const int32x4_t term =
            vsubq_s32(vmlaq_n_s32(vdupq_n_s32(constant), sums.all, static_cast<int32_t>(rhs_offset)), sums.upper);
        vst1q_s32(&rows.terms[i], term);
    }
}

/// Columns from j on, `count` of which exist, and their sums.
KAI_INLINE Columns columns_at(const Lowp& p, size_t j, size_t count, int32x4_t sums) {
    const kai_matmul_lowp_params& q = *p.params;
    Columns c;
    c.term = vmulq_n_s32(sums, static_cast<int32_t>(static_cast<uint32_t>(q.lhs_offset) + p.flip));
    if (q.bias != nullptr) {
        c.term = vaddq_s32(c.term, load_some(q.bias + j, count));
    }
    c.multiplier = q.per_channel ? load_some(q.multiplier + j, count) : vdupq_n_s32(*q.multiplier);
    const int32x4_t shift = q.per_channel ? load_some(q.shift + j, count) : vdupq_n_s32(*q.shift);
    c.left = vmaxq_s32(shift, vdupq_n_s32(0));
    c.right = vminq_s32(shift, vdupq_n_s32(0));
    return c;
}

/// @name How sums become results, `count` vectors side by side: an operation needs the result of the one before.
/// @{
struct FixedPoint {
    int32x4_t offset;
    explicit FixedPoint(const kai_matmul_lowp_params& p) : offset(vdupq_n_s32(p.result_offset)) {
    }
    template <size_t count>
    KAI_INLINE void operator()(int32x4_t (&x)[count], const Columns* const (&c)[count]) const {
        KAI_UNROLL(4)
        for (size_t i = 0; i < count; ++i) {
            x[i] = vshlq_s32(x[i], c[i]->left);
        }
        KAI_UNROLL(4)
        for (size_t i = 0; i < count; ++i) {
            x[i] = vqrdmulhq_s32(x[i], c[i]->multiplier);
        }
        // SRSHL rounds ties up: one less for those below zero, which are not INT32_MIN. Where the shift is 0 nothing is
        // taken away.
        int32x4_t less[count];
        KAI_UNROLL(4)
        for (size_t i = 0; i < count; ++i) {
            less[i] = vandq_s32(x[i], c[i]->right);
        }
        KAI_UNROLL(4)
        for (size_t i = 0; i < count; ++i) {
            x[i] = vsraq_n_s32(x[i], less[i], 31);
        }
        KAI_UNROLL(4)
        for (size_t i = 0; i < count; ++i) {
            x[i] = vrshlq_s32(x[i], c[i]->right);
        }
        KAI_UNROLL(4)
        for (size_t i = 0; i < count; ++i) {
            x[i] = vaddq_s32(x[i], offset);
        }
    }
};
struct Legacy {
    int32x4_t offset;
    explicit Legacy(const kai_matmul_lowp_params& p) : offset(vdupq_n_s32(p.result_offset)) {
    }
    template <size_t count>
    KAI_INLINE void operator()(int32x4_t (&x)[count], const Columns* const (&c)[count]) const {
        KAI_UNROLL(4)
        for (size_t i = 0; i < count; ++i) {
            x[i] = vmulq_s32(vaddq_s32(x[i], offset), c[i]->multiplier);
        }
        KAI_UNROLL(4)
        for (size_t i = 0; i < count; ++i) {
            x[i] = vrshlq_s32(x[i], vnegq_s32(c[i]->left));  // adds the rounding without overflow
        }
    }
};
/// @}

struct Unsigned {
    static constexpr uint8_t kFlip = 0x80;
    static constexpr int32_t kMin = 0, kMax = UINT8_MAX;
    KAI_INLINE static uint8x16_t narrowed(int16x8_t a, int16x8_t b) {
        return vcombine_u8(vqmovun_s16(a), vqmovun_s16(b));
    }
    KAI_INLINE static uint8x16_t clamped(uint8x16_t x, uint8x16_t lo, uint8x16_t hi) {
        return vminq_u8(vmaxq_u8(x, lo), hi);
    }
};
struct Signed {
    static constexpr uint8_t kFlip = 0;
    static constexpr int32_t kMin = INT8_MIN, kMax = INT8_MAX;
    KAI_INLINE static uint8x16_t narrowed(int16x8_t a, int16x8_t b) {
        return vreinterpretq_u8_s8(vcombine_s8(vqmovn_s16(a), vqmovn_s16(b)));
    }
    KAI_INLINE static uint8x16_t clamped(uint8x16_t x, uint8x16_t lo, uint8x16_t hi) {
        return vreinterpretq_u8_s8(
            vminq_s8(vmaxq_s8(vreinterpretq_s8_u8(x), vreinterpretq_s8_u8(lo)), vreinterpretq_s8_u8(hi)));
    }
};

/// A bound as dst has it: results saturate whatever it is.
template <class T>
KAI_INLINE uint8x16_t bound(int32_t x) {
    return vdupq_n_u8(static_cast<uint8_t>(x < T::kMin ? T::kMin : x > T::kMax ? T::kMax : x));
}

/// Some of 4 results.
KAI_INLINE void store_some(uint8_t* to, uint32_t results, size_t count) {
    if (count >= 4) {
        store(to, results);
    } else {
        __builtin_memcpy(to, &results, count);
    }
}

/// What all results of a call have in common.
template <class T, class Pipeline>
struct Finish {
    Pipeline pipeline;
    uint8x16_t lo, hi;

    explicit Finish(const kai_matmul_lowp_params& p)
        : pipeline(p), lo(bound<T>(p.min_value)), hi(bound<T>(p.max_value)) {
    }
    /// Of `count` times 4 sums, with what is added to them, 4 results in the order of the sums.
    template <size_t count>
    KAI_INLINE uint32x4_t results(
        const int32_t* const (&sums)[count], const int32_t* const (&terms)[count],
        const Columns* const (&c)[count]) const {
        int32x4_t x[count];
        KAI_UNROLL(4)
        for (size_t i = 0; i < count; ++i) {
            x[i] = vaddq_s32(vaddq_s32(vld1q_s32(sums[i]), c[i]->term), vld1q_dup_s32(terms[i]));
        }
        pipeline(x, c);
        int16x4_t narrow[4];
        KAI_UNROLL(4)
        for (size_t i = 0; i < 4; ++i) {
            narrow[i] = i < count ? vqmovn_s32(x[i]) : narrow[0];
        }
        const uint8x16_t bytes = T::narrowed(vcombine_s16(narrow[0], narrow[1]), vcombine_s16(narrow[2], narrow[3]));
        return vreinterpretq_u32_u8(T::clamped(bytes, lo, hi));
    }

    /// One row x up to 8 columns.
    KAI_INLINE void row(
        const LowpTile& tile, const int32_t* term, const Columns (&c)[2], uint8_t* dst, size_t columns) const {
        if (columns <= 4) {
            store_some(dst, vgetq_lane_u32(results<1>({tile.sums[0]}, {term}, {&c[0]}), 0), columns);
            return;
        }
        const uint32x4_t x = results<2>({tile.sums[0], tile.sums[0] + 4}, {term, term}, {&c[0], &c[1]});
        store_some(dst, vgetq_lane_u32(x, 0), 4);
        store_some(dst + 4, vgetq_lane_u32(x, 1), columns - 4);
    }
    /// 2 to 4 rows x up to 4 columns.
    KAI_INLINE void rows(
        const LowpTile& tile, const int32_t* terms, const Columns& c, uint8_t* dst, size_t stride, size_t count,
        size_t columns) const {
        if (count == 2) {
            const uint32x4_t x = results<2>({tile.sums[0], tile.sums[1]}, {terms, terms + 1}, {&c, &c});
            store_some(dst, vgetq_lane_u32(x, 0), columns);
            store_some(dst + stride, vgetq_lane_u32(x, 1), columns);
            return;
        }
        const uint32x4_t x = results<4>(
            {tile.sums[0], tile.sums[1], tile.sums[2], tile.sums[3]}, {terms, terms + 1, terms + 2, terms + 3},
            {&c, &c, &c, &c});
        store_some(dst, vgetq_lane_u32(x, 0), columns);
        store_some(dst + stride, vgetq_lane_u32(x, 1), columns);
        store_some(dst + 2 * stride, vgetq_lane_u32(x, 2), columns);
        if (count > 3) {
            store_some(dst + 3 * stride, vgetq_lane_u32(x, 3), columns);
        }
    }
};

/// A tile's columns.
template <class T>
struct Panel {
    const Lowp& p;
    const uint32_t offset = static_cast<uint32_t>(p.params->lhs_offset) + T::kFlip;  // by which sums are multiplied
    const size_t groups = (p.k + 15) / 16;
    const bool has_no_sums = !p.packed && offset != 0;
    bool tile_makes_sums = false;
    size_t first = 0, count = 0;  // those that are stored
    Columns columns[2] = {};
    uint8_t tails[8][16];

    explicit Panel(const Lowp& problem) : p(problem) {
    }

    /// From column `at` on, up to `width`. Returns where the next ones begin.
    KAI_INLINE size_t move(size_t at, size_t width, LowpTile& tile) {
        return p.packed ? move_packed(at, width, tile) : move_nxk(at, width, tile);
    }
    KAI_INLINE size_t move_packed(size_t at, size_t width, LowpTile& tile) {
        const uint8_t* panel = p.rhs + at / 4 * p.rhs_stride;
        first = at, count = min(p.n - at, width);
        tile.rhs = panel + 4 * sizeof(int32_t);
        for (size_t j = 0; j < count; j += 4, panel += p.rhs_stride) {
            columns[j / 4] = columns_at(p, first + j, count - j, vreinterpretq_s32_u8(vld1q_u8(panel)));
        }
        return at + width;
    }
    KAI_INLINE size_t move_nxk(size_t at, size_t width, LowpTile& tile) {
        if (p.n - at < width && p.n < width) {  // fewer than a tile has
            width = width == 8 ? 4 : 1;
        }
        first = min(at, p.n - width), count = width;
        tile.rhs_stride = width == 1 || p.k == 0 ? 0 : p.rhs_stride;
        tile.rhs = p.k == 0 ? tails[0] : p.rhs + first * p.rhs_stride;
        const bool makes_sums = has_no_sums && !tile_makes_sums;
        for (size_t j = 0; j < count; j += 4) {
            const int32x4_t sums = makes_sums || p.k % 16 != 0 ? tails_and_sums(tile, j, makes_sums) : vdupq_n_s32(0);
            columns[j / 4] = columns_at(p, first + j, count - j, sums);
        }
        return at + width;
    }
    /// Copies the tails of columns j to j + 3 of the tile. Returns the sums of all their weights, if asked for.
    [[gnu::noinline]] int32x4_t tails_and_sums(const LowpTile& tile, size_t j, bool makes_sums) {
        const size_t whole = p.k / 16 * 16, tail = p.k - whole;
        const uint8_t *lines[4], *ends[4];
        for (size_t i = 0; i < 4; ++i) {
            lines[i] = tile.rhs + (j + i) * tile.rhs_stride;
            ends[i] = tails[j + i];
            if (tail != 0) {
                copy_tail(tails[j + i], lines[i] + whole, tail, T::kFlip);
            }
        }
        return makes_sums ? sums_of_lines(lines, tile.groups, ends, tail != 0, vdupq_n_u8(T::kFlip)).all
                          : vdupq_n_s32(0);
    }
    /// Before the columns of some rows.
    KAI_INLINE LowpTileFn* const* tiles_for(size_t rows) {
        tile_makes_sums = has_no_sums && rows <= kSummedRows && groups <= kMostGroups;
        return p.packed ? kPackedTiles : !tile_makes_sums ? kNxkTiles : T::kFlip != 0 ? kUnsignedSums : kSignedSums;
    }
    /// After a tile. Unsigned sums are 128 more for every k, the padding included.
    KAI_INLINE void add_sums(const LowpTile& tile) {
        const int32x4_t more = vdupq_n_s32(static_cast<int32_t>(16 * groups * T::kFlip));
        for (size_t half = 0; half < 2; ++half) {
            const int32x4_t sums = vsubq_s32(vld1q_s32(&tile.column_sums[4 * half]), more);
            columns[half].term = vmlaq_n_s32(columns[half].term, sums, static_cast<int32_t>(offset));
        }
    }
};

template <class T, class Pipeline>
[[gnu::noinline]] void multiply(const Lowp& p) {
    const Finish<T, Pipeline> finish(*p.params);
    const bool tail = p.k % 16 != 0;
    Rows rows;
    Panel<T> panel(p);
    LowpTile tile = {};
    vst1q_u8(tile.lhs_flip, vdupq_n_u8(T::kFlip));
    vst1q_u8(tile.rhs_flip, vcombine_u8(vdup_n_u8(T::kFlip), vdup_n_u8(T::kFlip ^ 0xFF)));
    tile.lhs_stride = p.lhs_stride, tile.rhs_stride = p.rhs_stride;
    tile.groups = p.k / 16;
    tile.rhs_tail = panel.tails[0];
    for (size_t first = 0; first < p.m; first += kRows) {
        const size_t count = min(p.m - first, kRows);
        prepare_rows(p, first, count, rows);
        LowpTileFn* const* const tiles = panel.tiles_for(count);
        for (size_t at = 0; at < p.n;) {
            const bool wide = count == 1 && p.n - at > 4;
            at = panel.move(at, wide ? 8 : 4, tile);
            uint8_t* dst = p.dst + first * p.dst_stride + panel.first;
            for (size_t i = 0; i < count; i += 4, dst += 4 * p.dst_stride) {
                const size_t some = min(count - i, 4);
                tile.lhs = p.k == 0 ? rows.tails[0] : p.lhs + (first + i) * p.lhs_stride;
                tile.lhs_tail = tail ? rows.tails[i] : nullptr;
                tiles[panel.count > 4 ? 4 : some - 1](&tile);
                if (panel.tile_makes_sums) {
                    panel.add_sums(tile);
                }
                if (some == 1) {
                    finish.row(tile, &rows.terms[i], panel.columns, dst, panel.count);
                } else {
                    finish.rows(tile, &rows.terms[i], panel.columns[0], dst, p.dst_stride, some, panel.count);
                }
            }
        }
    }
}

void multiply(const Lowp& p) {
    const bool legacy = p.params->pipeline == KAI_LOWP_LEGACY;
    if (p.flip != 0) {
        (legacy ? multiply<Unsigned, Legacy> : multiply<Unsigned, FixedPoint>)(p);
    } else {
        (legacy ? multiply<Signed, Legacy> : multiply<Signed, FixedPoint>)(p);
    }
}

}  // namespace
}  // namespace kai

#define KAI_ISA_neon KAI_LOWP_LINES
#include "kai/engines/lowp/lowp_families.inc"
