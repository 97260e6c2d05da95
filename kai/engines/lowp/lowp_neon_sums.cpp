// The low-precision kernels on Armv8.0 whose results are the int32 sums: uint8 or int8 with offsets, columns packed.
//
//     dst[i][j] = bias[j] + sum over k of (lhs[i][k] + A) * (rhs[j][k] + B)      A, B: perhaps of a row, of a column
//
// With what lowp_neon_tiles.hpp calls a', b', A and B, those of row i and column j:
//
//     sum of a' * b'  -  surplus of i  +  bias of j  +  A * sum of b'  +  B * (sum of a' + k * A)
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/lowp/lowp_neon_tiles.hpp"

namespace kai {
namespace {

void multiply(const Lowp& p) {
    const kai_matmul_offsets& q = *p.offsets;
    static constexpr int32_t kZero = 0;
    kai_matmul_lowp_params lowp = {};  // terms of columns: sums of b'; of rows: their surplus
    lowp.lhs_offset = 1 - p.flip, lowp.rhs_offset = -p.flip;
    lowp.multiplier = lowp.shift = &kZero;
    Lowp plain = p;
    plain.params = &lowp;
    Rows rows;
    uint8_t tails[kStrip][16];
    Strip strip(plain, tails);
    LowpTile tile = {};
    vst1q_u8(tile.lhs_flip, vdupq_n_u8(p.flip));
    tile.lhs_stride = p.lhs_stride;
    tile.groups = p.k / 16;
    for (size_t first = 0; first < p.m; first += kRows) {
        const size_t count = min(p.m - first, kRows);
        prepare_rows(plain, first, count, rows);
        for (size_t at = 0; at < p.n;) {
            at = strip.move(at);
            int32x4_t bias[4] = {}, offsets[4];
            if (q.bias != nullptr) {
                load_strip(bias, q.bias + strip.first, strip.count);
            }
            load_offsets(offsets, q, strip.first, strip.count);
            four([&](size_t i) { offsets[i] = vaddq_s32(offsets[i], vdupq_n_s32(p.flip)); });
            uint8_t* dst = p.dst + first * p.dst_stride + strip.first * sizeof(int32_t);
            for (size_t i = 0; i < count; i += 4) {
                const size_t some = min(count - i, 4);
                tile.lhs = p.k == 0 ? rows.tails[0] : p.lhs + (first + i) * p.lhs_stride;
                tile.lhs_tail = p.k % 16 != 0 ? rows.tails[i] : nullptr;
                strip.multiply(tile, some, i == 0);
                for (size_t r = i; r < i + some; ++r, dst += p.dst_stride) {
                    const uint32_t a = static_cast<uint32_t>(lhs_offset_of(q, first + r)) + p.flip;
                    const uint32_t both = static_cast<uint32_t>(rows.sums[r]) + static_cast<uint32_t>(p.k) * a;
                    int32_t results[kStrip];
                    four([&](size_t j) {
                        int32x4_t x = vaddq_s32(vld1q_s32(&tile.sums[r - i][4 * j]), vdupq_n_s32(rows.terms[r]));
                        x = vmlaq_n_s32(vaddq_s32(x, bias[j]), strip.columns.term[j], static_cast<int32_t>(a));
                        vst1q_s32(&results[4 * j], vmlaq_n_s32(x, offsets[j], static_cast<int32_t>(both)));
                    });
                    __builtin_memcpy(dst, results, strip.count * sizeof(int32_t));
                }
            }
        }
    }
}

}  // namespace
}  // namespace kai

#define KAI_ISA_neon KAI_LOWP_LINES
#include "kai/engines/lowp/lowp_sums.inc"
