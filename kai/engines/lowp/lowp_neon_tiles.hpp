// Rows times strips of columns in low precision on Armv8.0, by the tiles of lowp_neon_tiles.inc: uint8 or int8 with
// offsets. For results that are requantised (lowp_neon.cpp) and for the int32 sums (lowp_neon_sums.cpp).
//
// Tiles multiply signed bytes: a' = lhs - z, b' = rhs - z, z = 128 of uint8 and 0 of int8. With A = lhs_offset + z,
// B = rhs_offset + z, sums over k, modulo 2^32:
//
//     sum of a' * b'  +  A * sum of b'  +  B * sum of a'  +  k * A * B
//
// The second term and the bias belong to the column, the last two to the row. So does the surplus of a tile's products,
// the sum of a' over k % 16 >= 8, and what is counted for k that are padding, zeros on both sides: lhs_offset *
// rhs_offset each. Sums of columns that are not packed are made by the tiles of the first rows, or here if k is large,
// unless A is 0.
//
// Edges: a tile has exactly the rows that exist; the last columns that are not packed overlap the ones before, or are
// one column four times. The last k % 16 are copied.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/lowp/lowp_args.h"
#include "kai/engines/lowp/lowp_neon.hpp"

namespace kai {
namespace {

KAI_STRUCT(LowpTile, KAI_LOWP_TILE);
using LowpTileFn = void(LowpTile*);

}  // namespace
}  // namespace kai

/// Tiles of 1 to 4 rows x 4 columns.
#define KAI_LOWP_NARROW(KIND) kai_lowp_##KIND##_1x4, kai_lowp_##KIND##_2x4, kai_lowp_##KIND##_3x4, kai_lowp_##KIND##_4x4
extern "C" kai::LowpTileFn KAI_LOWP_NARROW(p4x16), KAI_LOWP_NARROW(nxk), KAI_LOWP_NARROW(nxk_u8),
    KAI_LOWP_NARROW(nxk_s8), kai_lowp_p4x16_1x16, kai_lowp_p4x16_2x8, kai_lowp_nxk_1x8, kai_lowp_nxk_2x8,
    kai_lowp_nxk_u8_1x8, kai_lowp_nxk_s8_1x8;

namespace kai {
namespace {

constexpr size_t kRows = LowpLimits::kRows, kMostGroups = LowpLimits::kGroups;
static_assert(sizeof(LowpSums) == 5 * kStrip * sizeof(int32_t));

struct Tiles {
    LowpTileFn* narrow[4];   // 1 to 4 rows x 4 columns
    LowpTileFn* wide[2];     // 1 and 2 rows x more columns
    size_t log2_columns[2];  // how many
};
constexpr Tiles kPackedTiles = {{KAI_LOWP_NARROW(p4x16)}, {kai_lowp_p4x16_1x16, kai_lowp_p4x16_2x8}, {4, 3}};
constexpr Tiles kNxkTiles = {{KAI_LOWP_NARROW(nxk)}, {kai_lowp_nxk_1x8, kai_lowp_nxk_2x8}, {3, 3}};
/// Those that add up columns. There are no registers for 2 x 8.
constexpr Tiles kUnsignedSums = {{KAI_LOWP_NARROW(nxk_u8)}, {kai_lowp_nxk_u8_1x8, nullptr}, {3, 3}};
constexpr Tiles kSignedSums = {{KAI_LOWP_NARROW(nxk_s8)}, {kai_lowp_nxk_s8_1x8, nullptr}, {3, 3}};

/// Of some rows.
struct Rows {
    int32_t terms[kRows], sums[kRows];
    uint8_t tails[kRows][16];
};

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
        four([&](size_t i) { sums[i] = vpadalq_s16(sums[i], pairs[i]); });
    }
    four([&](size_t i) {
        if (tail) {
            const int8x16_t x = vreinterpretq_s8_u8(veorq_u8(vld1q_u8(tails[i]), flip));
            sums[i] = vpadalq_s16(sums[i], vpaddlq_s8(x));
        }
    });
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
    const uint32_t padding = static_cast<uint32_t>(p.padding) * static_cast<uint32_t>(p.params->lhs_offset) *
                             static_cast<uint32_t>(p.params->rhs_offset);
    const auto constant = static_cast<int32_t>(static_cast<uint32_t>(p.k) * offset * rhs_offset - padding);
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
        vst1q_s32(&rows.sums[i], sums.all);
    }
}

/// Copies the tails of four columns. Returns the sums of all their weights, if asked for. Not a member of Strip, whose
/// members stay in registers only if its address is not taken.
[[gnu::noinline]] int32x4_t tails_and_sums(
    const uint8_t* rhs, size_t stride, size_t k, uint8_t flip, bool makes_sums, uint8_t (*tails)[16]) {
    const size_t whole = k / 16 * 16, tail = k - whole;
    const uint8_t *lines[4], *ends[4];
    for (size_t i = 0; i < 4; ++i) {
        lines[i] = rhs + i * stride;
        ends[i] = tails[i];
        if (tail != 0) {
            copy_tail(tails[i], lines[i] + whole, tail, flip);
        }
    }
    return makes_sums ? sums_of_lines(lines, k / 16, ends, tail != 0, vdupq_n_u8(flip)).all : vdupq_n_s32(0);
}

/// The current columns: up to 16, in tiles of 4, 8 or 16.
struct Strip {
    const Lowp& p;
    const bool per_channel = p.params->per_channel;
    const int32_t offset = static_cast<int32_t>(  // by which sums are multiplied
        static_cast<uint32_t>(p.params->lhs_offset) + p.flip);
    const size_t groups = (p.k + 15) / 16;
    const bool has_no_sums = !p.packed && offset != 0;
    const bool tile_makes_sums = has_no_sums && groups <= kMostGroups;  // that of the first rows
    const Tiles& more_tiles = p.packed ? kPackedTiles : kNxkTiles;
    const Tiles& first_tiles = !tile_makes_sums ? more_tiles : p.flip != 0 ? kUnsignedSums : kSignedSums;
    size_t first = 0, count = 0;  // those that are stored
    const uint8_t* rhs = nullptr;
    size_t rhs_stride = p.rhs_stride;
    Columns columns;
    uint8_t (*const tails)[16];  // of its columns

    Strip(const Lowp& problem, uint8_t (&room)[kStrip][16]) : p(problem), tails(room) {
        columns.take_one(*p.params);
    }
    /// From column `at` on. Returns where the next ones begin.
    KAI_INLINE size_t move(size_t at) {
        int32x4_t sums[4] = {};
        const size_t next = p.packed ? move_packed(at, sums) : move_nxk(at, sums);
        const kai_matmul_lowp_params& q = *p.params;
        four([&](size_t i) { columns.term[i] = vmulq_n_s32(sums[i], offset); });
        if (q.bias != nullptr) {
            int32x4_t bias[4];
            load_strip(bias, q.bias + first, count);
            four([&](size_t i) { columns.term[i] = vaddq_s32(columns.term[i], bias[i]); });
        }
        if (per_channel) {
            columns.take(q, first, count);
        }
        return next;
    }
    KAI_INLINE size_t move_packed(size_t at, int32x4_t (&sums)[4]) {
        const uint8_t* panel = p.rhs + at / 4 * rhs_stride;
        first = at, count = min(p.n - at, kStrip);
        rhs = panel + 4 * sizeof(int32_t);
        four([&](size_t i) {
            if (4 * i < count) {
                sums[i] = vreinterpretq_s32_u8(vld1q_u8(panel + i * rhs_stride));
            }
        });
        return at + count;
    }
    /// Fewer than 4 overlap the columns before, or are one column four times.
    KAI_INLINE size_t move_nxk(size_t at, int32x4_t (&sums)[4]) {
        const size_t left = p.n - at;
        count = left >= 4 ? min(left / 4 * 4, kStrip) : p.n < 4 ? 1 : 4;
        first = min(at, p.n - count);
        rhs_stride = count == 1 || p.k == 0 ? 0 : p.rhs_stride;
        rhs = p.k == 0 ? tails[0] : p.rhs + first * p.rhs_stride;
        const bool makes_sums = has_no_sums && !tile_makes_sums;
        if (makes_sums || p.k % 16 != 0) {
            for (size_t j = 0; j < count; j += 4) {
                sums[j / 4] = tails_and_sums(rhs + j * rhs_stride, rhs_stride, p.k, p.flip, makes_sums, tails + j);
            }
        }
        return at + count;
    }
    /// All tiles, of 1 to 4 rows: the first ones of these columns, or more.
    KAI_INLINE void multiply(LowpTile& tile, size_t rows, bool first_rows) {
        const Tiles& tiles = first_rows ? first_tiles : more_tiles;
        size_t done = 0;
        if (rows <= 2 && tiles.wide[rows - 1] != nullptr) {
            const size_t log2 = tiles.log2_columns[rows - 1], wide = (count + 3) >> log2;
            if (wide != 0) {
                multiply_from(0, tile, tiles.wide[rows - 1], wide);
                done = wide << log2;
            }
        }
        if (done < count) {
            multiply_from(done, tile, tiles.narrow[rows - 1], (count - done + 3) / 4);
        }
        if (first_rows && tile_makes_sums) {
            add_sums(tile.sums[4]);
        }
    }
    KAI_INLINE void multiply_from(size_t column, LowpTile& tile, LowpTileFn* run, size_t tiles) {
        tile.rhs = rhs + (p.packed ? column / 4 : column) * rhs_stride;
        tile.rhs_stride = rhs_stride;
        tile.rhs_tail = tails[column];
        tile.out = &tile.sums[0][column];
        tile.tiles = tiles;
        run(&tile);
    }
    /// Unsigned sums are 128 more for every k, the padding included.
    KAI_INLINE void add_sums(const int32_t (&sums)[kStrip]) {
        const int32x4_t more = vdupq_n_s32(static_cast<int32_t>(16 * groups * p.flip));
        four([&](size_t i) {
            columns.term[i] = vmlaq_n_s32(columns.term[i], vsubq_s32(vld1q_s32(&sums[4 * i]), more), offset);
        });
    }
};

}  // namespace
}  // namespace kai
