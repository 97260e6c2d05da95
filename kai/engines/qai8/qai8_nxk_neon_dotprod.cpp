// Low precision with SDOT and UDOT whose columns are not packed: uint8 or int8 with offsets, integer requantisation.
//
//     dst[i][j] = requantised(bias[j] + sum over k of (lhs[i][k] + A) * (rhs[j][k] + B))
//
// Tiles multiply the bytes as they are, unsigned or signed. Modulo 2^32:
//
//     sum of lhs * rhs  +  bias + A * sum of rhs  +  B * sum of lhs + k * A * B
//                          the term of a column      the term of a row
//
// The first rows that meet a strip of 16 columns make the sums of these, unless A is 0. For few rows: packing takes as
// long as 3 to 5 rows. Tiles: qai8_nxk_neon_dotprod.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/lowp/lowp_neon.hpp"
#include "kai/engines/qai8/qai8_neon_parts.hpp"
#include "kai/engines/qai8/qai8_nxk_args.h"

namespace kai {
namespace {

KAI_STRUCT(Qai8NxkArgs, KAI_QAI8_NXK_ARGS);
using Qai8NxkFn = void(Qai8NxkArgs*);

}  // namespace
}  // namespace kai

/// Of 1 to 4 rows; WITH: nothing, or _sums.
#define KAI_NXK_TILES(TYPE, WITH)                                                         \
    kai_##TYPE##_nxk_1x8##WITH##_neon_dotprod, kai_##TYPE##_nxk_2x4##WITH##_neon_dotprod, \
        kai_##TYPE##_nxk_3x4##WITH##_neon_dotprod, kai_##TYPE##_nxk_4x4##WITH##_neon_dotprod
extern "C" kai::Qai8NxkFn KAI_NXK_TILES(qai8, ), KAI_NXK_TILES(qai8, _sums), KAI_NXK_TILES(qau8, ),
    KAI_NXK_TILES(qau8, _sums);

namespace kai {
namespace {

constexpr size_t kRows = LowpLimits::kRows, kTileRows = 4;
static_assert(kStrip == sizeof(NxkColumns) / sizeof(const uint8_t*));

/// [is unsigned][makes the sums of columns][rows - 1]
constexpr Qai8NxkFn* kTiles[2][2][kTileRows] = {
    {{KAI_NXK_TILES(qai8, )}, {KAI_NXK_TILES(qai8, _sums)}}, {{KAI_NXK_TILES(qau8, )}, {KAI_NXK_TILES(qau8, _sums)}}};

/// Of some rows.
struct Rows {
    int32_t terms[kRows];
    uint8_t tails[kRows][16];
};

[[gnu::noinline]] void prepare_rows(const Lowp& p, const uint8_t* lhs, size_t count, Rows& rows) {
    const auto a = static_cast<uint32_t>(p.params->lhs_offset), b = static_cast<uint32_t>(p.params->rhs_offset);
    for (size_t i = 0; i < count; ++i, lhs += p.lhs_stride) {
        const auto sum = b != 0 ? static_cast<uint32_t>(sum_of_row(lhs, p.k, p.flip != 0)) : 0;
        rows.terms[i] = static_cast<int32_t>(b * (sum + static_cast<uint32_t>(p.k) * a));
        if (p.k % 16 != 0) {
            vst1q_u8(rows.tails[i], tail_of(lhs, p.k));
        }
    }
}

/// Where columns are, `count` of them from `column` on: the last one stands for those that do not exist.
KAI_INLINE void set_columns(const Lowp& p, const uint8_t* column, size_t count, Qai8NxkArgs& args) {
    const size_t stride = p.k == 0 ? 0 : p.rhs_stride;
    KAI_UNROLL(4)
    for (size_t j = 0; j < kStrip; ++j) {
        args.columns[j] = column;
        column += j + 1 < count ? stride : 0;
    }
}
[[gnu::noinline]] void copy_tails(size_t k, const Qai8NxkArgs& args, uint8_t (*tails)[16]) {
    for (size_t j = 0; j < kStrip; ++j) {
        vst1q_u8(tails[j], tail_of(args.columns[j], k));
    }
}

template <class Pipeline>
[[gnu::noinline]] void multiply(const Lowp& p) {
    const kai_matmul_lowp_params& q = *p.params;
    const Finish<Pipeline> finish(p);
    const bool has_tail = p.k % 16 != 0;
    Rows rows;
    uint8_t tails[kStrip][16];
    Columns columns;
    columns.take_one(q);
    Qai8NxkArgs args = {};
    args.lhs_stride = p.k == 0 ? 0 : p.lhs_stride;
    args.whole = p.k / 16 * 16;
    args.rhs_tail = tails[0];
    for (size_t first = 0; first < p.m; first += kRows) {
        const size_t count = min(p.m - first, kRows);
        const uint8_t* const lhs = p.k == 0 ? nullptr : p.lhs + first * p.lhs_stride;
        prepare_rows(p, lhs, count, rows);
        for (size_t n0 = 0; n0 < p.n; n0 += kStrip) {
            const size_t width = min(p.n - n0, kStrip);
            set_columns(p, p.k == 0 ? nullptr : p.rhs + n0 * p.rhs_stride, width, args);
            args.count = width;
            if (has_tail) {
                copy_tails(p.k, args, tails);
            }
            if (q.per_channel) {
                columns.take(q, n0, width);
            }
            uint8_t* dst = p.dst + first * p.dst_stride + n0;
            for (size_t i = 0; i < count; i += kTileRows) {
                const size_t some = min(count - i, kTileRows);
                const bool makes_sums = i == 0 && q.lhs_offset != 0;
                args.lhs = lhs == nullptr ? nullptr : lhs + i * p.lhs_stride;
                args.lhs_tail = has_tail ? rows.tails[i] : nullptr;
                kTiles[p.flip != 0][makes_sums][some - 1](&args);
                if (i == 0) {
                    int32x4_t bias[4] = {};
                    if (q.bias != nullptr) {
                        load_strip(bias, q.bias + n0, width);
                    }
                    four([&](size_t j) {
                        const int32x4_t sums = makes_sums ? vld1q_s32(&args.sums[4][4 * j]) : vdupq_n_s32(0);
                        columns.term[j] = vmlaq_n_s32(bias[j], sums, q.lhs_offset);
                    });
                }
                for (size_t r = 0; r < some; ++r, dst += p.dst_stride) {
                    const uint8x16_t results = finish(args.sums[r], rows.terms[i + r], columns);
                    if (width == kStrip) {
                        vst1q_u8(dst, results);
                    } else {
                        uint8_t part[kStrip];
                        vst1q_u8(part, results);
                        __builtin_memcpy(dst, part, width);
                    }
                }
            }
        }
    }
}

template <bool>
void multiply_requantised(const Lowp& p) {
    (p.params->pipeline == KAI_LOWP_LEGACY ? multiply<Legacy> : multiply<FixedPoint>)(p);
}

}  // namespace
}  // namespace kai

#define KAI_ISA_neon_dotprod KAI_LOWP_LINES
#include "kai/engines/lowp/lowp_nxk.inc"
