// The product of two sides, and how far a micro-kernel may be from it.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <optional>

#include "kai/kai_common.h"
#include "test/reference/float16.hpp"
#include "test/reference/formats.hpp"

namespace reference {

/// dst[m][n] before the clamp and the conversion, and the largest error that f32 arithmetic can make.
///
/// The bound: each f32 operation errs by at most u = 2^-24 of its result, and every intermediate result is at most
/// T = sum of the |terms|. With q operations on an element, |error| <= q * u * T * (1 + q * u) + tiny, the last part
/// for subnormal results: 2^-149 for each operation, times what the result is multiplied by. Terms and operations of an
/// element:
///   f32:             bias, k products;                                     q = k + 1 (fused) to 2 * k + 1
///   f16 x int4:      the same with weights rounded to f16
///   int8 x int4:     per block scale * scale * S (S exact in int32, |S| < 2^24);  q = 2 per block (product and sum)
///   ... with zeros:  also zero * lhs_sum per block, and the bias;                 q = 4 per block + 1
///   bf16 x f8:       scale * (products of a block) per block, and the bias;  q = 2 * k + 2 per block + 1
///   super-blocks: scale * scale * I (I converted), q = 3 per super-block; with minima also scale * dmin * J; q = 4
///   qai8dxp, a scale per column: f32(A) * (scale * scale) + bias, A = S + offset * sum in int32;  q = 4
///   qai8dxp, a scale per block:  (sum of scale * S + offset * sum) * scale + bias;  q = 2 per block (a block longer
///   than
///                                256 may be taken in parts: 2 per 32 values) + 4
struct Expected {
    size_t m, n;
    std::vector<double> value, bound;
};

/// Low precision: what goes with the multipliers, shifts and biases of the RHS.
struct LowPrecision {
    bool legacy = false;
    int32_t lhs_offset = 0, rhs_offset = 0, result_offset = 0;
    bool is_sum = false;                 ///< The sum itself is the result.
    int32_t lhs_step = 0, rhs_step = 0;  ///< From the offset of one row or column to the next.

    bool operator==(const LowPrecision& o) const {
        return legacy == o.legacy && lhs_offset == o.lhs_offset && rhs_offset == o.rhs_offset &&
               result_offset == o.result_offset && is_sum == o.is_sum && lhs_step == o.lhs_step &&
               rhs_step == o.rhs_step;
    }
};

/// What a product depends on besides the operands.
struct Arithmetic {
    double unit = 0x1p-24;       // relative error of an operation: 2^-11 of f16, 2^-23 where f32 rounds to odd
    double smallest = 0x1p-149;  // what an operation loses of a subnormal result
    bool flushes = false;        // subnormal operands may count as zero
    kai_datatype type = kai_dt_f32;
    int32_t zero_point = 0;  // of quantised results
    std::optional<LowPrecision> low_precision;

    bool operator==(const Arithmetic& o) const {
        return unit == o.unit && smallest == o.smallest && flushes == o.flushes && type == o.type &&
               zero_point == o.zero_point && low_precision == o.low_precision;
    }
};

/// Integers on both sides, no scale of the LHS:
///   int8 (a scale of the RHS): saturate(round(f32(acc) * scale)) + zero point, saturated; exact
///   low precision (gemmlowp's document): bias + sum of (lhs + lhs_offset) * (rhs + rhs_offset), requantised or, with
///   is_sum, as it is; exact
///   int32, f32: acc = biases + products, wraps around; f32: f32(acc) * lhs.scale[0] + rhs.offset;  q = 3
Expected matmul(const Side& lhs, const Side& rhs, const Arithmetic& arithmetic = {});

/// A sum, requantised by the pipeline, neither clamped nor saturated.
int32_t requantised(int32_t sum, int32_t multiplier, int32_t shift, const LowPrecision& parameters);

/// min(max(x, lo), hi); NaN stays NaN.
inline double clamp(double x, float lo, float hi) {
    return x < lo ? lo : x > hi ? hi : x;
}

/// @name Results: float, f16, bf16, int8, uint8 or int32, as floats
/// @{

/// To nearest, ties to even; infinite past the range of the type.
float rounded(double x, kai_datatype type);
std::vector<float> rounded(const std::vector<double>& values, kai_datatype type);
/// What is at `address`; writes there.
inline float load(const uint8_t* address, kai_datatype type) {
    if (type == kai_dt_f32) {
        float x;
        std::memcpy(&x, address, sizeof(x));
        return x;
    }
    if (type == kai_dt_int8) {
        return static_cast<int8_t>(*address);
    }
    if (type == kai_dt_uint8) {
        return *address;
    }
    if (type == kai_dt_int32) {
        int32_t x;
        std::memcpy(&x, address, sizeof(x));
        return static_cast<float>(x);
    }
    uint16_t h;
    std::memcpy(&h, address, sizeof(h));
    return type == kai_dt_f16 ? f32_from_f16(h) : f32_from_bf16(h);
}
/// Appends what is at `address` and after it.
void load(const uint8_t* address, size_t count, kai_datatype type, std::vector<float>& to);
void store(uint8_t* address, float x, kai_datatype type);
/// @}

/// Compares the first m x n elements; "" if all are within their bounds, else a description of the first that is not.
///
/// A kernel's f32 result is between value - bound and value + bound; clamp and conversion keep the order, so dst must
/// be between what these ends become. NaN must be NaN and an infinity that infinity.
std::string compare(
    const Expected& expected, const std::vector<float>& dst, size_t m, size_t n, float lo, float hi, kai_datatype type);

}  // namespace reference
