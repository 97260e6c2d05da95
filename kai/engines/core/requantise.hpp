// Static quantisation of results to int8, as the SME kernels do it (requantised_4 of kai/engines/asm/sme2_vectors.inc).
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/check.hpp"
#include "kai/engines/core/base.hpp"

namespace kai {
namespace {

KAI_INLINE int32_t saturated_to_int8(int32_t x) {
    return x < INT8_MIN ? INT8_MIN : x > INT8_MAX ? INT8_MAX : x;
}

/// saturate32(x), rounded to nearest, ties to even. NaN becomes 0.
KAI_INLINE int32_t to_int32(float x) {
    constexpr float kWhole = 0x1p23F;  // from here on, all numbers are whole
    const float magnitude = x < 0 ? -x : x, rounded = magnitude < kWhole ? (magnitude + kWhole) - kWhole : magnitude;
    return x != x               ? 0
           : rounded >= 0x1p31F ? (x < 0 ? INT32_MIN : INT32_MAX)
                                : static_cast<int32_t>(x < 0 ? -rounded : rounded);
}

/// params as the kernels take them. Bounds beyond int8 are those of int8: outputs saturate. With t the scaled sum,
/// low_byte(clamp(saturate32(t + zero), min, max)) is low_byte(clamp(t, lo, hi) + zero_point), the addition modulo
/// 2^32: bounds less the zero point, as far as int32 goes. If they lie outside it as a whole, all t give the same.
KAI_INLINE kai_matmul_requantize32_params
before_zero_point(const kai_matmul_requantize32_params& params, const char* function) {
    KAI_REQUIRE(
        function, params.min_value <= params.max_value, bounds_out_of_order, static_cast<double>(params.min_value),
        static_cast<double>(params.max_value));
    const int32_t min = saturated_to_int8(params.min_value), max = saturated_to_int8(params.max_value);
    const int64_t lo = int64_t{min} - params.output_zero_point, hi = int64_t{max} - params.output_zero_point;
    if (lo > INT32_MAX) {
        return {0, 0, min};
    }
    if (hi < INT32_MIN) {
        return {0, 0, max};
    }
    return {
        static_cast<int32_t>(KAI_MAX(lo, int64_t{INT32_MIN})), static_cast<int32_t>(KAI_MIN(hi, int64_t{INT32_MAX})),
        params.output_zero_point};
}

/// For functions that call before_zero_point without checks. Nothing to compute: params may be missing.
KAI_INLINE void check_bounds(
    size_t m, size_t n, const kai_matmul_requantize32_params* params, const char* function = __builtin_FUNCTION()) {
    KAI_REQUIRE(
        function, m == 0 || n == 0 || params->min_value <= params->max_value, bounds_out_of_order,
        static_cast<double>(params->min_value), static_cast<double>(params->max_value));
}

/// Whether bounds that come from before_zero_point suit a kernel that rounds in f32 (qai8_near of
/// panels_sme_int8.S): those of int8 with a zero point of int8 do.
KAI_INLINE bool is_near_zero(const kai_matmul_requantize32_params& params) {
    return params.min_value > -(1 << 22) && params.max_value < 1 << 22;
}

}  // namespace
}  // namespace kai
