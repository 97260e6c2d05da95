// f16 x f16 with sums in f32 where widening is slow: FCVTL takes as long as two to four products.
//
//     dst[i][j] = clamp(fma(lhs[i][k-1], rhs[k-1][j], ... fma(lhs[i][0], rhs[0][j], bias[j])))     f32, then to dst
//
// Both operands are widened once for many products, to the stack, and multiplied by the tiles of f32. These add to
// sums, which are on the stack as well: an element is still one chain, with the bits of float_widened.inc.
//
//     rows of the LHS             for each block of rows
//     | 48 x 128 k |                  for each 128 k
//     | "          |                      widen the LHS
//                                         for each 16 of up to 64 columns: widen the RHS, multiply
//     columns of the RHS              results to dst
//     | 128 k x 16 |
//
// On Cortex-A55 FCVTL takes no longer than a product: the RHS is widened by the tiles, for 12 rows at once.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arm_neon.h>

#include "kai/engines/core/getters.hpp"
#include "kai/engines/float/float_args.h"

namespace kai {
namespace {

using FloatBounds [[gnu::aligned(16)]] = uint8_t[2][16];
KAI_STRUCT(FloatGemmArgs, KAI_FLOAT_GEMM_ARGS);
KAI_STRUCT(WidenedArgs, KAI_WIDENED_ARGS);

using FloatGemmFn = void(const FloatGemmArgs*);

/// Tiles that add products to f32 sums at dst, 16 columns. widens: the RHS of `run` is f16, rhs_stride bytes apart.
struct F32Tiles {
    FloatGemmFn* run;
    bool widens;
};
constexpr F32Tiles kNoTiles = {nullptr, false};

/// How many of m rows pay for the detour. The other way has tiles of 3 rows, and of 2 for what is left. Tiles that
/// widen have 12 rows.
KAI_INLINE size_t most_in_f32(size_t m, const F32Tiles& tiles) {
    constexpr size_t kTall = 12, kAlmostTall = 10;
    if (!tiles.widens) {
        return m >= 4 && m != 6 ? m : 0;
    }
    const size_t rest = m % kTall;
    return rest < kAlmostTall ? m - rest : m;
}

/// What is on the stack.
struct InF32 {
    static constexpr size_t kRows = 48, kDepth = 128, kTile = 16, kColumns = 64;

    float lhs[kRows][kDepth], rhs[kDepth][kTile], bias[kColumns], sums[kRows][kColumns];
};

/// Elements [from, from + 16) to f32.
KAI_INLINE void widen_16(float* to, const uint8_t* from) {
    const auto low = load<float16x8_t>(from), high = load<float16x8_t>(from + 16);
    vst1q_f32(to, vcvt_f32_f16(vget_low_f16(low)));
    vst1q_f32(to + 4, vcvt_high_f32_f16(low));
    vst1q_f32(to + 8, vcvt_f32_f16(vget_low_f16(high)));
    vst1q_f32(to + 12, vcvt_high_f32_f16(high));
}

/// The same of 32. All are loaded first: an in-order core waits for each result.
KAI_INLINE void widen_32(float* to, const uint8_t* from) {
    constexpr size_t kVectors = 4;
    float16x8_t x[kVectors];
    KAI_UNROLL(4)
    for (size_t v = 0; v < kVectors; ++v) {
        x[v] = load<float16x8_t>(from + 16 * v);
    }
    KAI_UNROLL(4)
    for (size_t v = 0; v < kVectors; ++v) {
        vst1q_f32(to + 8 * v, vcvt_f32_f16(vget_low_f16(x[v])));
        vst1q_f32(to + 8 * v + 4, vcvt_high_f32_f16(x[v]));
    }
}

/// Elements [from, from + count) to f32; writes up to 3 more.
KAI_INLINE void widen_row(float* to, const uint8_t* from, size_t count) {
    for (; count >= 32; count -= 32, to += 32, from += 64) {
        widen_32(to, from);
    }
    if (count >= 16) {
        widen_16(to, from);
        count -= 16, to += 16, from += 32;
    }
    for (; count >= 4; count -= 4, to += 4, from += 8) {
        vst1q_f32(to, vcvt_f32_f16(load<float16x4_t>(from)));
    }
    if (count != 0) {
        uint16_t last[4] = {};
        __builtin_memcpy(last, from, count * sizeof(uint16_t));
        vst1q_f32(to, vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(last))));
    }
}

/// Up to 4 elements to dst, all of a vector.
template <typename Vector>
KAI_INLINE void store_elements(uint8_t* dst, Vector v, size_t count) {
    if (count < 4) {
        __builtin_memcpy(dst, &v, count * (sizeof(v) / 4));
    } else {
        store(dst, v);
    }
}

/// A row of n sums to dst, clamped; NaN stays NaN. Four vectors at once: an in-order core waits for each result.
template <size_t dst_bytes>
KAI_INLINE void store_row(uint8_t* dst, const float* sums, size_t n, float32x4_t lo, float32x4_t hi) {
    constexpr size_t kVectors = 4;
    const auto store_some = [&](size_t count) __attribute__((always_inline)) {
        const float32x4_t x = vminq_f32(vmaxq_f32(vld1q_f32(sums), lo), hi);
        if constexpr (dst_bytes == sizeof(float)) {
            store_elements(dst, x, count);
        } else {
            store_elements(dst, vcvt_f16_f32(x), count);
        }
    };
    for (; n >= 4 * kVectors; n -= 4 * kVectors, sums += 4 * kVectors) {
        float32x4_t x[kVectors];
        KAI_UNROLL(4)
        for (size_t v = 0; v < kVectors; ++v) {
            x[v] = vmaxq_f32(vld1q_f32(sums + 4 * v), lo);
        }
        KAI_UNROLL(4)
        for (size_t v = 0; v < kVectors; ++v) {
            x[v] = vminq_f32(x[v], hi);
        }
        KAI_UNROLL(4)
        for (size_t v = 0; v < kVectors; ++v, dst += 4 * dst_bytes) {
            if constexpr (dst_bytes == sizeof(float)) {
                store(dst, x[v]);
            } else {
                store(dst, vcvt_f16_f32(x[v]));
            }
        }
    }
    for (; n >= 4; n -= 4, sums += 4, dst += 4 * dst_bytes) {
        store_some(4);
    }
    if (n > 0) {
        store_some(n);
    }
}

/// m rows x n columns, n <= 64: 32 from `columns` on, the others from `columns_1` on; they exist up to the next
/// multiple of 32.
template <size_t dst_bytes>
[[gnu::noinline]] void run_in_f32(const WidenedArgs* of, size_t n, const F32Tiles& tiles) {
    constexpr size_t kPanel = 32;
    const float32x4_t lo = load<float32x4_t>(of->bounds[0]), hi = load<float32x4_t>(of->bounds[1]);
    InF32 f;
    FloatGemmArgs args;
    args.lhs = f.lhs, args.lhs_stride = sizeof(f.lhs[0]);
    args.panel = f.rhs, args.rhs_stride = tiles.widens ? of->rhs_stride : sizeof(f.rhs[0]);
    const size_t rows = tiles.widens ? f.kRows / 2 : f.kRows;
    args.dst_stride = sizeof(f.sums[0]);
    const uint8_t* a = bytes(of->lhs);
    uint8_t* dst = bytes(of->dst);
    for (size_t j = 0; j < n; j += f.kTile) {
        widen_16(f.bias + j, bytes(j < kPanel ? of->bias : of->bias_1, j % kPanel * sizeof(uint16_t)));
    }
    for (size_t m = of->m; m > 0; m -= args.m) {
        args.m = m < rows ? m : rows;
        bool last = false;
        for (size_t at = 0; !last; at += f.kDepth) {
            last = of->depth - at <= f.kDepth;
            const size_t depth = last ? of->depth - at : f.kDepth;
            args.depth = depth * sizeof(float);
            for (size_t i = 0; i < args.m; ++i) {
                widen_row(f.lhs[i], a + i * of->lhs_stride + at * sizeof(uint16_t), depth);
            }
            for (size_t j = 0; j < n; j += f.kTile) {
                const uint8_t* b = bytes(j < kPanel ? of->columns : of->columns_1) + j % kPanel * sizeof(uint16_t) +
                                   at * of->rhs_stride;
                if (tiles.widens) {
                    args.panel = b;
                } else {
                    for (size_t k = 0; k < depth; ++k, b += of->rhs_stride) {
                        widen_16(f.rhs[k], b);
                    }
                }
                store(args.zeros, at == 0 ? f.bias + j : nullptr);
                args.dst = &f.sums[0][j];
                tiles.run(&args);
            }
        }
        for (size_t i = 0; i < args.m; ++i, dst += of->dst_stride) {
            store_row<dst_bytes>(dst, f.sums[i], n, lo, hi);
        }
        a += args.m * of->lhs_stride;
    }
}

}  // namespace
}  // namespace kai
