// Static int8 and static 2 bits on NEON with B in panels packed for SME: what cores do that have no SME unit at hand,
// with the same packed B. Results are, bit for bit, those of the SME kernels: sums are integers, rounded once.
//
//     dst[i][j] = requantised(bias[j] + sum over k of lhs[i][k] * rhs[k][j])
//
// A panel has nr columns, a power of 2 from 8 on: their biases, 4 k of each, the next 4 k and so on, their scales. 2
// bits: 4 k of a column are a byte, the first in its lowest bits; they are 2 more than the weights.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arm_neon.h>

#include "kai/engines/core/limits.hpp"
#include "kai/engines/core/requantise.hpp"
#include "kai/engines/core/unified.hpp"

namespace kai {
namespace {

/// A call. Pointers are those of its first row and column, strides in bytes.
struct StaticPanels {
    size_t m, n, k;
    const uint8_t* lhs;
    size_t lhs_stride;
    const uint8_t* rhs;
    size_t rhs_stride, nr;
    uint8_t* dst;
    size_t dst_stride;
    bool is_int2;
};

/// 16 columns from n0 on, in halves, which are in two panels if these have 8 columns. If there is no second half, it is
/// the first one again.
struct PanelStrip {
    static constexpr size_t kColumns = StaticLimits::kColumns, kHalf = kColumns / 2;
    size_t word, group;  ///< bytes of 4 k of a column, of all columns of a panel
    const uint8_t *starts[2], *elements[2], *scales[2];

    KAI_INLINE PanelStrip(const StaticPanels& p, size_t n0) : word(p.is_int2 ? 1 : 4), group(word * p.nr) {
        const auto log2_nr = static_cast<size_t>(__builtin_ctzll(p.nr));  // vectors of SME have a power of 2 of bits
        KAI_UNROLL(2)
        for (size_t h = 0; h < 2; ++h) {
            const size_t column = n0 + h * kHalf < p.n ? n0 + h * kHalf : n0, inside = column & (p.nr - 1);
            const uint8_t* const panel = p.rhs + (column >> log2_nr) * p.rhs_stride;
            starts[h] = panel + sizeof(int32_t) * inside;
            elements[h] = panel + sizeof(int32_t) * p.nr + word * inside;
            scales[h] = panel + p.rhs_stride - sizeof(float) * (p.nr - inside);
        }
    }
};

/// What becomes of the sums of a strip.
class StaticResults {
public:
    /// What all sums share.
    struct Bounds {
        int32x4_t zero;
        int8x16_t lo, hi;

        KAI_INLINE Bounds(const kai_matmul_requantize32_params& to, const char* function) {
            KAI_REQUIRE(
                function, to.min_value <= to.max_value, bounds_out_of_order, static_cast<double>(to.min_value),
                static_cast<double>(to.max_value));
            zero = vdupq_n_s32(to.output_zero_point);
            lo = vdupq_n_s8(static_cast<int8_t>(saturated_to_int8(to.min_value)));
            hi = vdupq_n_s8(static_cast<int8_t>(saturated_to_int8(to.max_value)));
        }
    };

private:
    const Bounds& bounds_;
    int32x4_t starts_[4];
    float32x4_t scales_[4];

public:
    KAI_INLINE StaticResults(const Bounds& bounds, const PanelStrip& strip) : bounds_(bounds) {
        KAI_UNROLL(4)
        for (size_t i = 0; i < 4; ++i) {
            starts_[i] = vreinterpretq_s32_u8(vld1q_u8(strip.starts[i / 2] + 16 * (i % 2)));
            scales_[i] = vreinterpretq_f32_u8(vld1q_u8(strip.scales[i / 2] + 16 * (i % 2)));
        }
    }
    /// The first `columns`, from all sums of products.
    KAI_INLINE void store(const int32_t* products, size_t columns, uint8_t* dst) const {
        int16x4_t quads[4];
        KAI_UNROLL(4)
        for (size_t i = 0; i < 4; ++i) {
            const int32x4_t sums = vaddq_s32(vld1q_s32(products + 4 * i), starts_[i]);
            const int32x4_t rounded = vcvtnq_s32_f32(vmulq_f32(vcvtq_f32_s32(sums), scales_[i]));
            quads[i] = vqmovn_s32(vqaddq_s32(rounded, bounds_.zero));
        }
        const int8x8_t left = vqmovn_s16(vcombine_s16(quads[0], quads[1]));
        const int8x8_t right = vqmovn_s16(vcombine_s16(quads[2], quads[3]));
        const int8x16_t results = vminq_s8(vmaxq_s8(vcombine_s8(left, right), bounds_.lo), bounds_.hi);
        if (columns >= PanelStrip::kColumns) {
            vst1q_u8(dst, vreinterpretq_u8_s8(results));
        } else {
            uint8_t some[PanelStrip::kColumns];
            vst1q_u8(some, vreinterpretq_u8_s8(results));
            __builtin_memcpy(dst, some, columns);
        }
    }
};

/// A call of the unified API that has something to compute, 2 bits. Its panels follow each other, whatever the stride.
KAI_INLINE StaticPanels panels_of_call(const kai_matmul_uker_args* args, size_t nr) {
    const auto& [m, n, k] = args->shape;
    const auto& operand = args->operand;
    return {
        m,
        n,
        k,
        bytes(operand.lhs.ptr),
        KAI_MAX(operand.lhs.stride.m, k),
        bytes(operand.rhs.ptr),
        qsu2cxpbi32sf32.stride({nr, 4, 1}, k),
        nr,
        bytes(operand.dst.ptr),
        operand.dst.stride.m,
        true};
}
KAI_INLINE kai_matmul_requantize32_params requantisation_of(const kai_matmul_uker_args* args, const char* function) {
    const auto bounds = clamp_or<int32_t>(args, INT8_MIN, INT8_MAX, function);
    return {bounds.lo, bounds.hi, value_or_zero<int32_t>(args->operand.bias.scale_bias_global.ptr)};
}

}  // namespace
}  // namespace kai
