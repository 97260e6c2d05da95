// Requantisation of the low-precision micro-kernels (uint8 and int8 with zero points, int32 sums), as gemmlowp and
// TensorFlow Lite define it; and the sums as they are. All formulas on one page: docs/arithmetic.md.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How an int32 sum x becomes a result. All int32 arithmetic wraps around, unless it is said to saturate.
enum kai_lowp_pipeline {
    /// gemmlowp's OutputStageScaleInt32ByFixedPointAndExponent, TensorFlow Lite's MultiplyByQuantizedMultiplier:
    ///
    ///     x = x * 2^max(shift, 0)
    ///     x = rounding doubling high half of x * multiplier: (2 * x * multiplier + 2^31) >> 32,
    ///         but 2^31 - 1 where both are -2^31 (SQRDMULH)
    ///     x = x / 2^max(-shift, 0), rounded to nearest, ties away from zero
    ///     x = x + result_offset
    ///
    /// shift is the exponent: the scale is multiplier / 2^31 * 2^shift. -31 <= shift <= 31.
    KAI_LOWP_FIXED_POINT,
    /// gemmlowp's OutputStageQuantizeDownInt32ToUint8Scale:
    ///
    ///     x = (x + result_offset) * multiplier, wraps around
    ///     x = x / 2^shift, rounded to nearest, ties away from zero
    ///
    /// 0 <= shift <= 31. (gemmlowp's comments give a formula that rounds ties up; its code computes this one. The
    /// variant PC has an offset per channel: add it to `bias`.)
    KAI_LOWP_LEGACY,
};

/// The quantisation of a call.
///
///     x = bias[n] + sum over k of (lhs[m][k] + lhs_offset) * (rhs[n][k] + rhs_offset)      int32, wraps around
///     x = pipeline(x)
///     dst[m][n] = x clamped to [min_value, max_value], saturated to the type of dst
///
/// Pointers to values per channel are those of the first column of the call.
struct kai_matmul_lowp_params {
    enum kai_lowp_pipeline pipeline;
    /// @name Added to each value, as in gemmlowp: minus the zero point of TensorFlow Lite. Any int32.
    /// Weights of TensorFlow Lite's int8 models are symmetric: rhs_offset is 0. A kernel saves work if lhs_offset is
    /// -128 (uint8) or 0 (int8) and the weights are not packed.
    /// @{
    int32_t lhs_offset;
    int32_t rhs_offset;
    /// @}
    const int32_t* bias;        ///< n values, added to the sums; NULL: zeros.
    const int32_t* multiplier;  ///< n values, or one.
    const int32_t* shift;       ///< n values, or one.
    bool per_channel;           ///< Whether multiplier and shift have n values.
    int32_t result_offset;      ///< Fixed point: the zero point of dst, added at the end. Legacy: added to the sum.
    int32_t min_value;          ///< @pre min_value <= max_value
    int32_t max_value;
};

/// int32 results, not requantised: what is added to each value and to the sums. All zeros: the products alone.
///
///     dst[m][n] = bias[n] + sum over k of (lhs[m][k] + lhs_offset) * (rhs[n][k] + rhs_offset)      wraps around
///
/// An offset is minus the zero point of ONNX and TensorFlow Lite; any int32. A kernel saves work if the offset of the
/// RHS is 0 and that of the LHS is the same for all rows.
struct kai_matmul_offsets {
    int32_t lhs_offset;
    int32_t rhs_offset;
    const int32_t* lhs_offsets;  ///< One for each row m, which is added to lhs_offset; NULL: zeros.
    const int32_t* rhs_offsets;  ///< One for each column n, which is added to rhs_offset; NULL: zeros.
    const int32_t* bias;         ///< n values; NULL: zeros.
};

#ifdef __cplusplus
}  // extern "C"
#endif
