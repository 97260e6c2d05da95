// Static int8 on Armv8.0 by the tiles of low precision (lowp_neon_tiles.inc): the rows of A as they lie, a scale per
// channel.
//
//     dst[i][j] = requantised(bias[j] + sum over k of lhs[i][k] * rhs[k][j])
//
// B comes in the panels of SDOT: 16 columns in groups of 4 k. The tiles take 4 columns in groups of 16 k, of which the
// last 8 are inverted. So a chunk of a panel is rearranged on the stack, and all rows of a block are multiplied by it:
//
//     for blocks of rows
//         the last k % 16 of each, and its surplus             sum of a over k % 16 >= 8, which tiles add to all sums
//         for panels
//             for chunks of k: rearranged; sums += rows x 16 columns       LowpTileFn
//             results
//
// SPDX-License-Identifier: Apache-2.0
#include <arm_neon.h>

#include "kai/engines/core/catalogue.hpp"
#include "kai/engines/core/getters.hpp"
#include "kai/engines/core/limits.hpp"
#include "kai/engines/core/requantise.hpp"
#include "kai/engines/core/static_table.hpp"
#include "kai/engines/lowp/lowp_args.h"

namespace kai {
namespace {

KAI_STRUCT(LowpTile, KAI_LOWP_TILE);
using LowpTileFn = void(LowpTile*);

}  // namespace
}  // namespace kai

extern "C" kai::LowpTileFn kai_lowp_p4x16_1x16, kai_lowp_p4x16_2x8, kai_lowp_p4x16_3x4, kai_lowp_p4x16_4x4;

namespace kai {
namespace {

constexpr size_t kRows = LowpLimits::kRows, kStrip = LowpLimits::kColumns;
constexpr size_t kChunk = MlalLimits::kRhsBytes / kStrip;
constexpr size_t kQuad = 4 * 16;                      // bytes of 4 columns x 16 k
constexpr size_t kGroup = kStrip * 4;                 // bytes of 16 columns x 4 k
constexpr size_t kFields = kStrip * sizeof(int32_t);  // before the elements of a panel: biases; after them: scales

KAI_INLINE size_t min(size_t a, size_t b) {
    return a < b ? a : b;
}

/// f(i) for four vectors side by side.
template <class Function>
KAI_INLINE void four(Function f) {
    KAI_UNROLL(4)
    for (size_t i = 0; i < 4; ++i) {
        f(i);
    }
}

/// A call. Strides in bytes.
struct Static {
    size_t m, n, k;
    const uint8_t* lhs;
    size_t lhs_stride;
    const uint8_t* rhs;
    size_t rhs_stride;  // from panel to panel
    uint8_t* dst;
    size_t dst_stride;
};

/// Of some rows.
struct Rows {
    int32_t surplus[kRows];
    uint8_t tails[kRows][16];
};

[[gnu::noinline]] void prepare_rows(const Static& p, const uint8_t* lhs, size_t count, Rows& rows) {
    const size_t whole = p.k / 16 * 16, tail = p.k - whole;
    for (size_t i = 0; i < count; ++i, lhs += p.lhs_stride) {
        int32x4_t sum = vdupq_n_s32(0);
        const auto add_upper = [&](const uint8_t* from) {
            sum = vpadalq_s16(sum, vmovl_s8(vreinterpret_s8_u8(vld1_u8(from + 8))));
        };
        for (size_t k = 0; k < whole; k += 16) {
            add_upper(lhs + k);
        }
        if (tail != 0) {
            vst1q_u8(rows.tails[i], vdupq_n_u8(0));
            __builtin_memcpy(rows.tails[i], lhs + whole, tail);
            add_upper(rows.tails[i]);
        }
        rows.surplus[i] = vaddvq_s32(sum);
    }
}

/// Columns of a panel as tiles take them: `groups` groups of 16 k, of which `count` k exist.
[[gnu::noinline]] void rearrange(const uint8_t* from, size_t count, size_t groups, uint8_t* to) {
    const size_t quads = (count + 3) / 4;  // groups of 4 k
    for (size_t g = 0; g < groups; ++g, from += 4 * kGroup) {
        for (size_t j = 0; j < 4; ++j) {
            uint32x4_t x[4];
            four([&](size_t i) {
                x[i] = 4 * g + i < quads ? vreinterpretq_u32_u8(vld1q_u8(from + i * kGroup + 16 * j)) : vdupq_n_u32(0);
            });
            x[2] = vmvnq_u32(x[2]), x[3] = vmvnq_u32(x[3]);
            const auto pairs = [](uint32x4_t a, uint32x4_t b) { return vreinterpretq_u64_u32(vtrn1q_u32(a, b)); };
            const auto others = [](uint32x4_t a, uint32x4_t b) { return vreinterpretq_u64_u32(vtrn2q_u32(a, b)); };
            const uint64x2_t a = pairs(x[0], x[1]), b = others(x[0], x[1]), c = pairs(x[2], x[3]),
                             d = others(x[2], x[3]);
            uint8_t* const quad = to + (j * groups + g) * kQuad;
            vst1q_u8(quad, vreinterpretq_u8_u64(vtrn1q_u64(a, c)));
            vst1q_u8(quad + 16, vreinterpretq_u8_u64(vtrn1q_u64(b, d)));
            vst1q_u8(quad + 32, vreinterpretq_u8_u64(vtrn2q_u64(a, c)));
            vst1q_u8(quad + 48, vreinterpretq_u8_u64(vtrn2q_u64(b, d)));
        }
    }
}

/// How sums become results.
struct Requantise {
    float32x4_t scale[4];
    int32x4_t zero;
    int8x16_t lo, hi;

    KAI_INLINE int8x16_t operator()(const int32_t* sums, int32_t surplus) const {
        int16x8_t halves[2];
        KAI_UNROLL(2)
        for (size_t h = 0; h < 2; ++h) {
            int32x4_t x[2];
            KAI_UNROLL(2)
            for (size_t i = 0; i < 2; ++i) {
                const int32x4_t sum = vsubq_s32(vld1q_s32(sums + 8 * h + 4 * i), vdupq_n_s32(surplus));
                const float32x4_t scaled = vmulq_f32(vcvtq_f32_s32(sum), scale[2 * h + i]);
                x[i] = vqaddq_s32(vcvtnq_s32_f32(scaled), zero);
            }
            halves[h] = vqmovn_high_s32(vqmovn_s32(x[0]), x[1]);
        }
        const int8x16_t results = vqmovn_high_s16(vqmovn_s16(halves[0]), halves[1]);
        return vminq_s8(vmaxq_s8(results, lo), hi);
    }
};

/// sums += some rows x the 16 columns of a chunk; rhs: rearranged.
KAI_INLINE void multiply_rows(LowpTile& tile, size_t rows, const uint8_t* rhs, int32_t (*sums)[kStrip]) {
    constexpr LowpTileFn* kTiles[] = {kai_lowp_p4x16_1x16, kai_lowp_p4x16_2x8, kai_lowp_p4x16_3x4, kai_lowp_p4x16_4x4};
    tile.rhs = rhs, tile.out = tile.sums[0];
    tile.tiles = rows == 1 ? 1 : rows == 2 ? 2 : 4;
    kTiles[rows - 1](&tile);
    for (size_t r = 0; r < rows; ++r) {
        four([&](size_t i) {
            vst1q_s32(&sums[r][4 * i], vaddq_s32(vld1q_s32(&sums[r][4 * i]), vld1q_s32(&tile.sums[r][4 * i])));
        });
    }
}

[[gnu::noinline]] void multiply(const Static& p, const kai_matmul_requantize32_params& q, const char* function) {
    KAI_REQUIRE(
        function, q.min_value <= q.max_value, bounds_out_of_order, static_cast<double>(q.min_value),
        static_cast<double>(q.max_value));
    Requantise requantise = {
        {},
        vdupq_n_s32(q.output_zero_point),
        vdupq_n_s8(static_cast<int8_t>(saturated_to_int8(q.min_value))),
        vdupq_n_s8(static_cast<int8_t>(saturated_to_int8(q.max_value)))};
    Rows rows;
    alignas(16) uint8_t rearranged[kChunk * kStrip];
    int32_t sums[kRows][kStrip];
    LowpTile tile = {};
    tile.lhs_stride = p.lhs_stride;
    for (size_t first = 0; first < p.m; first += kRows) {
        const size_t count = min(p.m - first, kRows);
        const uint8_t* const lhs = p.k == 0 ? nullptr : p.lhs + first * p.lhs_stride;
        prepare_rows(p, lhs, count, rows);
        const uint8_t* panel = p.rhs;
        for (size_t n0 = 0; n0 < p.n; n0 += kStrip, panel += p.rhs_stride) {
            for (size_t i = 0; i < count; ++i) {
                __builtin_memcpy(sums[i], panel, sizeof(sums[i]));
            }
            for (size_t k0 = 0; k0 < p.k; k0 += kChunk) {
                const size_t chunk = min(p.k - k0, kChunk), groups = (chunk + 15) / 16;
                rearrange(panel + kFields + k0 * kStrip, chunk, groups, rearranged);
                tile.groups = chunk / 16, tile.rhs_stride = groups * kQuad;
                for (size_t i = 0; i < count; i += 4) {
                    tile.lhs = lhs + i * p.lhs_stride + k0;
                    tile.lhs_tail = chunk % 16 != 0 ? rows.tails[i] : nullptr;
                    multiply_rows(tile, min(count - i, 4), rearranged, &sums[i]);
                }
            }
            const uint8_t* const scales = panel + p.rhs_stride - kFields;
            four([&](size_t i) { requantise.scale[i] = vreinterpretq_f32_u8(vld1q_u8(scales + 16 * i)); });
            uint8_t* dst = p.dst + first * p.dst_stride + n0;
            const size_t width = min(p.n - n0, kStrip);
            for (size_t i = 0; i < count; ++i, dst += p.dst_stride) {
                const uint8x16_t results = vreinterpretq_u8_s8(requantise(sums[i], rows.surplus[i]));
                if (width == kStrip) {
                    vst1q_u8(dst, results);
                } else {
                    uint8_t some[kStrip];
                    vst1q_u8(some, results);
                    __builtin_memcpy(dst, some, width);
                }
            }
        }
    }
}

}  // namespace
}  // namespace kai

extern "C" {

#define KAI_DEFINE(NAME, LHS, RHS, NR, KR, SR, M_STEP, N_STEP, LHS_GETTER)                                        \
    KAI_DEFINE_MATMUL_GETTERS_ROWS(NAME, RHS, NR, KR, SR, M_STEP, N_STEP, LHS_GETTER, sizeof(int8_t))             \
    KAI_RUN_MATMUL_ROWS_STATIC(NAME) {                                                                            \
        static_assert((NR) == kai::kStrip && (KR) == 4 && (SR) == 1);                                             \
        kai::check_element(dst_stride_col, sizeof(int8_t));                                                       \
        if (m > 0 && n > 0) {                                                                                     \
            const size_t stride = kai::RHS.stride({NR, KR, SR}, k);                                               \
            kai::multiply(                                                                                        \
                {m, n, k, kai::bytes(lhs), lhs_stride, kai::bytes(rhs), stride, kai::bytes(dst), dst_stride_row}, \
                *params, __func__);                                                                               \
        }                                                                                                         \
    }
#define KAI_ISA_neon KAI_LINES(KAI_DEFINE)
#define KAI_UKERNEL_ROWS KAI_LINE
#include "kai/ukernels/matmul/matmul_clamp_qai8_qai8_qsi8cxpbi32sf32/ukernels.def"
#undef KAI_ISA_neon

#define KAI_MULTIPLY(NAME)                                                                                   \
    kai::multiply_gathered(c, function, [&](const uint8_t* rows, size_t count, size_t k, uint8_t* to) {      \
        kai::multiply({count, c.n, k, rows, k, c.rhs, c.rhs_stride, to, c.dst_stride}, *c.params, function); \
    })
#define KAI_DEFINE_TABLE(...) KAI_DEFINE_IMATMUL_STATIC(KAI_MULTIPLY, __VA_ARGS__)
#define KAI_ISA_neon KAI_LINES(KAI_DEFINE_TABLE)
#define KAI_IMATMUL_ROWS KAI_LINE
#include "kai/ukernels/matmul/imatmul_clamp_qai8_qai8_qsi8cxpbi32sf32/ukernels.def"

}  // extern "C"
