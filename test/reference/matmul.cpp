// SPDX-License-Identifier: Apache-2.0
#include "test/reference/matmul.hpp"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <sstream>

#include "test/reference/float16.hpp"

namespace reference {

namespace {

/// Sum of terms and of their magnitudes, and how it is computed.
struct Sum {
    double value = 0, magnitude = 0;
    size_t operations = 0;
    double tiny = 0;  // what subnormal intermediate results can add to the error
    void add(double term) {
        value += term;
        magnitude += std::fabs(term);
    }
};

/// Exact integer sum over k = first to first + count - 1 of row m and column n.
int32_t dot(const Side& lhs, const Side& rhs, size_t m, size_t n, size_t first, size_t count) {
    const int8_t *a = lhs.q.data() + m * lhs.k + first, *b = rhs.q.data() + n * rhs.k + first;
    uint32_t sum = 0;
    if (!lhs.is_unsigned && !rhs.is_unsigned && rhs.table.empty()) {  // most formats; quick under emulation
        for (size_t i = 0; i < count; ++i) {
            sum += static_cast<uint32_t>(a[i] * b[i]);
        }
        return static_cast<int32_t>(sum);
    }
    for (size_t i = 0; i < count; ++i) {
        const int x = lhs.is_unsigned ? a[i] & 0xFF : a[i];
        const int y = rhs.is_unsigned ? b[i] & 0xFF : rhs.table.empty() ? b[i] : rhs.table[b[i]];
        sum += static_cast<uint32_t>(x) * static_cast<uint32_t>(y);
    }
    return static_cast<int32_t>(sum);
}

/// The values of both sides as doubles: a conversion takes as long as a product under emulation.
struct Floats {
    std::vector<double> lhs, rhs;
    size_t k;
    bool flushes;  // subnormal values may count as zero, and there are some

    Floats(const Side& l, const Side& r, bool may_flush)
        : lhs(l.values.begin(), l.values.end()),
          rhs(r.values.begin(), r.values.end()),
          k(l.k),
          flushes(
              may_flush &&
              (std::any_of(lhs.begin(), lhs.end(), is_tiny) || std::any_of(rhs.begin(), rhs.end(), is_tiny))) {
    }
    static bool is_tiny(double x) {
        return std::fabs(x) < 0x1p-126;
    }
};

Sum floats(const Floats& of, size_t m, size_t n) {
    Sum sum;
    const double *a = of.lhs.data() + m * of.k, *b = of.rhs.data() + n * of.k;
    for (size_t kk = 0; kk < of.k; ++kk) {
        sum.add(a[kk] * b[kk]);
    }
    for (size_t kk = 0; of.flushes && kk < of.k; ++kk) {
        if ((Floats::is_tiny(a[kk]) || Floats::is_tiny(b[kk])) && std::isfinite(a[kk] * b[kk])) {
            sum.tiny += std::fabs(a[kk] * b[kk]);
        }
    }
    sum.operations = 2 * of.k;
    return sum;
}

/// Floats, or codes of 8-bit floating point with a scale per block, x such codes.
Sum f8_blocks(const Side& lhs, const Side& rhs, size_t m, size_t n, bool flushes) {
    Sum sum;
    for (size_t b = 0; b < rhs.blocks(); ++b) {
        Sum block;
        for (size_t kk = b * rhs.bl; kk < (b + 1) * rhs.bl; ++kk) {
            const size_t at = m * lhs.k + kk;
            const double x = lhs.f8 ? f32_from_f8(*lhs.f8, static_cast<uint8_t>(lhs.q[at])) : lhs.values[at];
            const double product = x * f32_from_f8(*rhs.f8, static_cast<uint8_t>(rhs.q[n * rhs.k + kk]));
            block.add(product);
            block.tiny += flushes && Floats::is_tiny(x) ? std::fabs(product) : 0;
        }
        const double of_lhs = lhs.f8 ? lhs.scale[m * lhs.blocks() + b] : 1;
        const double scale = rhs.scale[n * rhs.blocks() + b] * of_lhs;
        sum.value += scale * block.value;
        sum.magnitude += std::fabs(scale) * block.magnitude;
        sum.tiny += std::fabs(scale) * (block.tiny + static_cast<double>(2 * rhs.bl) * 0x1p-149);
    }
    sum.operations = 2 * rhs.k + (lhs.f8 ? 3 : 2) * rhs.blocks();
    return sum;
}

/// Blocks on both sides.
Sum blocks(const Side& lhs, const Side& rhs, size_t m, size_t n) {
    Sum sum;
    const size_t parts = lhs.blocks() == 0 ? 1 : rhs.scales_per_row() / lhs.blocks();  // of a block: scales
    for (size_t b = 0; b < lhs.blocks(); ++b) {
        const size_t lb = m * lhs.blocks() + b, rb = n * lhs.blocks() + b, part = lhs.bl / parts;
        for (size_t i = 0; i < parts; ++i) {
            sum.add(
                static_cast<double>(lhs.scale[lb]) * rhs.scale[parts * rb + i] *
                dot(lhs, rhs, m, n, b * lhs.bl + i * part, part));
        }
        if (!lhs.offset.empty()) {
            sum.add(static_cast<double>(lhs.offset[lb]) * rhs.offset[rb]);
        }
    }
    sum.operations = lhs.blocks() * (lhs.offset.empty() ? 2 * parts : 4);
    return sum;
}

/// Super-blocks: sub-blocks of the RHS have integer scales, and perhaps minima.
Sum super_blocks(const Side& lhs, const Side& rhs, size_t m, size_t n) {
    Sum sum;
    for (size_t b = 0; b < lhs.blocks(); ++b) {
        const size_t lb = m * lhs.blocks() + b, rb = n * lhs.blocks() + b;
        double products = 0, minima = 0;
        for (size_t kk = b * rhs.bl; kk < (b + 1) * rhs.bl; kk += rhs.sub) {
            const size_t at = (n * rhs.k + kk) / rhs.sub;
            products += static_cast<double>(rhs.sub_scale[at]) * dot(lhs, rhs, m, n, kk, rhs.sub);
            for (size_t i = 0; i < rhs.sub && !rhs.sub_min.empty(); ++i) {
                minima += rhs.sub_min[at] * lhs.q[m * lhs.k + kk + i];
            }
        }
        const double x = lhs.scale[lb], product = rhs.scale[rb] * products;
        const double minimum = rhs.sub_min.empty() ? 0 : rhs.min_scale[rb] * minima;
        sum.value += x * (product - minimum);
        sum.magnitude += std::fabs(x) * (std::fabs(product) + std::fabs(minimum));
    }
    sum.operations = lhs.blocks() * (rhs.sub_min.empty() ? 3 : 4);
    return sum;
}

/// An offset and a scale per row of the LHS, a scale per column.
Sum channels(const Side& lhs, const Side& rhs, size_t m, size_t n) {
    const double total = dot(lhs, rhs, m, n, 0, lhs.k) +
                         static_cast<double>(lhs.row_offset[m]) * static_cast<double>(rhs.sum_of_elements(n));
    Sum sum;
    sum.add(total * (static_cast<double>(rhs.scale[n]) * lhs.scale[m]));
    sum.operations = 3;
    sum.tiny = 16 * std::fabs(total) * 0x1p-149;  // 16: of int4, sums are stored 16 times as large, scales as small
    return sum;
}

/// An offset and a scale per row of the LHS, a scale per block of a column.
Sum channel_blocks(const Side& lhs, const Side& rhs, size_t m, size_t n) {
    constexpr size_t kPart = 32;
    Sum sum;
    for (size_t b = 0; b < rhs.blocks(); ++b) {
        const double scale = rhs.scale[n * rhs.blocks() + b];
        double whole = 0, magnitude = 0;
        for (size_t i = 0; i < rhs.bl; i += kPart) {
            const int32_t part = dot(lhs, rhs, m, n, b * rhs.bl + i, kPart);
            whole += part, magnitude += std::abs(part);
        }
        sum.value += scale * whole;
        sum.magnitude += std::fabs(scale) * magnitude;
    }
    sum.add(static_cast<double>(lhs.row_offset[m]) * rhs.sum[n]);
    sum.value *= lhs.scale[m];
    sum.magnitude *= std::fabs(lhs.scale[m]);
    sum.operations = 2 * rhs.blocks() * (rhs.bl <= 256 ? 1 : rhs.bl / kPart) + 3;
    sum.tiny = static_cast<double>(sum.operations) * 0x1p-149 * std::fabs(lhs.scale[m]);
    return sum;
}

/// Statically quantised, or unsigned: the result itself.
double integers(const Side& lhs, const Side& rhs, size_t m, size_t n, const Arithmetic& arithmetic) {
    const auto bias = [](const Side& side, size_t row) {
        return side.bias.empty() ? 0u : static_cast<uint32_t>(static_cast<int64_t>(side.bias[row]));
    };
    const auto acc =
        static_cast<int32_t>(bias(lhs, m) + bias(rhs, n) + static_cast<uint32_t>(dot(lhs, rhs, m, n, 0, lhs.k)));
    if (arithmetic.type != kai_dt_int8) {
        return acc;
    }
    const auto saturate = [](double x) { return std::fmax(-0x1p31, std::fmin(x, 0x1p31 - 1)); };
    const float scaled = static_cast<float>(acc) * rhs.scale[n];
    return saturate((std::isnan(scaled) ? 0 : saturate(std::nearbyint(scaled))) + arithmetic.zero_point);
}

/// x * 2^shift, modulo 2^32.
int32_t shifted_left(int32_t x, int32_t shift) {
    return static_cast<int32_t>(static_cast<uint32_t>(x) << shift);
}

/// 2 * a * b / 2^32, half added before the division, which rounds down; the one result that does not fit saturates.
int32_t rounding_doubling_high_product(int32_t a, int32_t b) {
    if (a == INT32_MIN && b == INT32_MIN) {
        return INT32_MAX;
    }
    const int64_t product = int64_t{a} * b;
    return static_cast<int32_t>((product + (int64_t{1} << 30)) >> 31);
}

/// x / 2^exponent to nearest; halves go away from zero.
int32_t rounding_quotient(int32_t x, int32_t exponent) {
    const int64_t divisor = int64_t{1} << exponent, magnitude = std::abs(int64_t{x});
    const int64_t rounded = (2 * magnitude + divisor) / (2 * divisor);
    return static_cast<int32_t>(x < 0 ? -rounded : rounded);
}

/// Integers with an offset, which changes by `step` from row to row, modulo 2^32.
std::vector<uint32_t> with_offset(const Side& side, int32_t offset, int32_t step) {
    std::vector<uint32_t> integers;
    for (size_t at = 0; at < side.rows * side.k; ++at) {
        const size_t row = at / side.k;
        integers.push_back(
            static_cast<uint32_t>(side.element(row, at % side.k)) + static_cast<uint32_t>(offset) +
            static_cast<uint32_t>(row) * static_cast<uint32_t>(step));
    }
    return integers;
}

void low_precision(const Side& lhs, const Side& rhs, const LowPrecision& parameters, Expected& expected) {
    const std::vector<uint32_t> x = with_offset(lhs, parameters.lhs_offset, parameters.lhs_step),
                                y = with_offset(rhs, parameters.rhs_offset, parameters.rhs_step);
    for (size_t m = 0; m < lhs.rows; ++m) {
        for (size_t n = 0; n < rhs.rows; ++n) {
            uint32_t sum = rhs.bias.empty() ? 0 : static_cast<uint32_t>(static_cast<int64_t>(rhs.bias[n]));
            for (size_t kk = 0; kk < lhs.k; ++kk) {
                sum += x[m * lhs.k + kk] * y[n * lhs.k + kk];
            }
            const auto result = static_cast<int32_t>(sum);
            expected.value.push_back(
                parameters.is_sum ? result : requantised(result, rhs.multiplier[n], rhs.shift[n], parameters));
            expected.bound.push_back(0);
        }
    }
}

Sum scaled_integers(const Side& lhs, const Side& rhs, size_t m, size_t n, const Arithmetic& arithmetic) {
    Sum sum;
    sum.add(integers(lhs, rhs, m, n, arithmetic) * lhs.scale[m]);
    sum.add(rhs.offset.empty() ? 0 : rhs.offset[n]);
    sum.operations = 2;
    return sum;
}

bool has_integers(const Side& lhs, const Side& rhs) {
    return lhs.values.empty() && (lhs.is_unsigned || (lhs.scale.empty() && !rhs.scale.empty()));
}

Sum element(const Side& lhs, const Side& rhs, const Floats& values, size_t m, size_t n, const Arithmetic& arithmetic) {
    if (lhs.is_unsigned) {
        Sum sum = scaled_integers(lhs, rhs, m, n, arithmetic);
        ++sum.operations;
        return sum;
    }
    Sum sum = rhs.f8                                             ? f8_blocks(lhs, rhs, m, n, arithmetic.flushes)
              : !lhs.values.empty() || lhs.scales_per_row() == 0 ? floats(values, m, n)
              : rhs.sub != 0                                     ? super_blocks(lhs, rhs, m, n)
              : lhs.row_offset.empty()                           ? blocks(lhs, rhs, m, n)
              : rhs.bl == 0                                      ? channels(lhs, rhs, m, n)
                                                                 : channel_blocks(lhs, rhs, m, n);
    if (!rhs.bias.empty()) {
        sum.add(rhs.bias[n]);
    }
    ++sum.operations;
    return sum;
}

/// x, which is exact, to f16: to f32 first, what is cut off in the last bit, so that it is no tie by accident.
float to_f16(double x) {
    float f = static_cast<float>(x);
    if (f != x && std::isfinite(f) && (bits_of(f) & 1) == 0) {
        f = std::nextafter(f, x > f ? INFINITY : -INFINITY);
    }
    return f32_from_f16(f16_from_f32(f));
}

/// The weights of a quantised side, with their zero, rounded to f16.
Side as_f16(Side side) {
    for (size_t i = 0; i < side.q.size(); ++i) {
        const size_t block = i / side.k * side.blocks() + i % side.k / side.bl;
        const double zero = side.offset.empty() ? 0 : side.offset[block];
        side.values.push_back(to_f16(static_cast<double>(side.q[i]) * side.scale[block] + zero));
    }
    side.q.clear();
    return side;
}

}  // namespace

Expected matmul(const Side& lhs, const Side& rhs, const Arithmetic& arithmetic) {
    if (!lhs.values.empty() && !rhs.q.empty() && !rhs.f8) {
        return matmul(lhs, as_f16(rhs), arithmetic);
    }
    const double u = arithmetic.unit;
    const bool exact = has_integers(lhs, rhs) && arithmetic.type != kai_dt_f32;
    Expected expected = {lhs.rows, rhs.rows, {}, {}};
    expected.value.reserve(lhs.rows * rhs.rows);
    expected.bound.reserve(lhs.rows * rhs.rows);
    if (arithmetic.low_precision) {
        low_precision(lhs, rhs, *arithmetic.low_precision, expected);
        return expected;
    }
    const Floats values(lhs, rhs, arithmetic.flushes);
    for (size_t m = 0; m < lhs.rows; ++m) {
        for (size_t n = 0; n < rhs.rows; ++n) {
            if (exact) {
                expected.value.push_back(integers(lhs, rhs, m, n, arithmetic));
                expected.bound.push_back(0);
                continue;
            }
            const Sum sum = element(lhs, rhs, values, m, n, arithmetic);
            const double q = static_cast<double>(sum.operations);
            expected.value.push_back(sum.value);
            expected.bound.push_back(q * u * sum.magnitude * (1 + q * u) + q * arithmetic.smallest + sum.tiny);
        }
    }
    return expected;
}

int32_t requantised(int32_t sum, int32_t multiplier, int32_t shift, const LowPrecision& parameters) {
    const auto offset = static_cast<uint32_t>(parameters.result_offset);
    if (parameters.legacy) {
        const uint32_t product = (static_cast<uint32_t>(sum) + offset) * static_cast<uint32_t>(multiplier);
        return rounding_quotient(static_cast<int32_t>(product), shift);
    }
    const int32_t high = rounding_doubling_high_product(shifted_left(sum, std::max(shift, 0)), multiplier);
    return static_cast<int32_t>(static_cast<uint32_t>(rounding_quotient(high, std::max(-shift, 0))) + offset);
}

namespace {

// Of each element, in a loop: a call for each takes long under emulation.
inline float round_one(double x, kai_datatype type) {
    if (type == kai_dt_int8) {
        return static_cast<float>(std::fmax(-128, std::fmin(x, 127)));
    }
    if (type == kai_dt_uint8) {
        return static_cast<float>(std::fmax(0, std::fmin(x, 255)));
    }
    // Halfway between FLT_MAX and what would be the next, from where on a double has no float.
    const float f =
        std::fabs(x) >= 0x1.ffffffp127 ? static_cast<float>(std::copysign(INFINITY, x)) : static_cast<float>(x);
    return type == kai_dt_f16    ? f32_from_f16(f16_from_f32(f))
           : type == kai_dt_bf16 ? f32_from_bf16(bf16_from_f32(f))
                                 : f;
}

}  // namespace

float rounded(double x, kai_datatype type) {
    return round_one(x, type);
}

std::vector<float> rounded(const std::vector<double>& values, kai_datatype type) {
    std::vector<float> all(values.size());
    for (size_t i = 0; i < values.size(); ++i) {
        all[i] = round_one(values[i], type);
    }
    return all;
}

// One loop for each type: a switch for each element takes long under emulation.
void load(const uint8_t* address, size_t count, kai_datatype type, std::vector<float>& to) {
    const size_t size = to.size();
    to.resize(size + count);
    float* into = to.data() + size;
    const auto each = [&](kai_datatype of, size_t bytes) {
        for (size_t i = 0; i < count; ++i) {
            into[i] = load(address + i * bytes, of);
        }
    };
    switch (type) {
        case kai_dt_f32:
            return each(kai_dt_f32, 4);
        case kai_dt_f16:
            return each(kai_dt_f16, 2);
        case kai_dt_bf16:
            return each(kai_dt_bf16, 2);
        case kai_dt_int32:
            return each(kai_dt_int32, 4);
        default:
            return each(type, 1);
    }
}

void store(uint8_t* address, float x, kai_datatype type) {
    const uint32_t bits = type == kai_dt_f32 ? bits_of(x) : type == kai_dt_f16 ? f16_from_f32(x) : bf16_from_f32(x);
    std::memcpy(address, &bits, type == kai_dt_f32 ? 4 : 2);
}

std::string compare(
    const Expected& expected, const std::vector<float>& dst, size_t m, size_t n, float lo, float hi,
    kai_datatype type) {
    const auto result = [&](double x) { return rounded(clamp(x, lo, hi), type); };
    std::string first;
    size_t wrong = 0;
    for (size_t i = 0; i < m * n; ++i) {
        const size_t at = i / n * expected.n + i % n;
        const double value = expected.value[at], bound = std::isinf(value) ? 0 : expected.bound[at];
        const double from = value - bound, to = value + bound;
        if (from <= dst[i] && dst[i] <= to && lo <= dst[i] && dst[i] <= hi) {
            continue;  // as good as below, since clamp and conversion keep the order; quicker, and true of most
        }
        const float least = result(from), most = result(to);
        const bool good = std::isnan(value) ? std::isnan(dst[i]) : least <= dst[i] && dst[i] <= most;
        if (!good && wrong++ == 0) {
            std::ostringstream text;
            text.precision(9);
            text << "dst[" << i / n << "][" << i % n << "] is " << dst[i] << ", not " << least << " to " << most << " ("
                 << value << " +- " << bound << ")";
            first = text.str();
        }
    }
    if (wrong > 0) {
        first += " (" + std::to_string(wrong) + " of " + std::to_string(m * n) + " elements are wrong)";
    }
    return first;
}

}  // namespace reference
