// The transforms of Winograd's algorithm, F(2, 3) and F(4, 3): results of a side of `tile` pixels from tile + 2 pixels.
//
//     Y = A^T ((G g G^T) * (B^T d B)) A        g: filter 3 x 3, d: pixels, * of elements
//
// The products of elements are sums over channels, so they are a matrix product for each of (tile + 2)^2 places.
// Points of interpolation: 0, 1, -1; 0, 1, -1, 2, -2.
//
// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "kai/conv/conv.hpp"
#include "kai/gemm/activation.hpp"
#include "kai/gemm/elements.hpp"

namespace kai::conv {
namespace {

using gemm::all;
using gemm::Floats;
using gemm::kLanes;
using gemm::multiply_add;
using gemm::subtract_product;

constexpr size_t kMostSide = 6;

template <size_t N>
struct Vectors {
    Floats at[N];
};

/// One side: result i is the sum of row i of a matrix times x.
/// @{
KAI_INLINE Vectors<4> input_side_2(const Vectors<4>& of) {
    const auto& x = of.at;
    return {{x[0] - x[2], x[1] + x[2], x[2] - x[1], x[1] - x[3]}};
}
KAI_INLINE Vectors<6> input_side_4(const Vectors<6>& of) {
    const auto& x = of.at;
    const Floats even = subtract_product(x[2], all(4), x[4]), odd = subtract_product(x[1], all(4), x[3]);
    const Floats even_2 = x[4] - x[2], half_odd_2 = x[3] - x[1];
    return {
        {multiply_add(x[0], all(4), subtract_product(x[2], all(5), x[4])), even + odd, even - odd,
         multiply_add(half_odd_2, all(2), even_2), subtract_product(half_odd_2, all(2), even_2),
         multiply_add(x[1], all(4), subtract_product(x[3], all(5), x[5]))}};
}
KAI_INLINE Vectors<2> output_side_2(const Vectors<4>& of) {
    const auto& x = of.at;
    return {{x[0] + x[1] + x[2], x[1] - x[2] - x[3]}};
}
KAI_INLINE Vectors<4> output_side_4(const Vectors<6>& of) {
    const auto& x = of.at;
    const Floats sum = x[1] + x[2], difference = x[1] - x[2], sum_2 = x[3] + x[4], difference_2 = x[3] - x[4];
    return {
        {x[0] + sum + sum_2, multiply_add(difference_2, all(2), difference), multiply_add(sum_2, all(4), sum),
         multiply_add(difference_2, all(8), difference + x[5])}};
}
/// @}

template <size_t IN, size_t OUT>
using Side = Vectors<OUT>(const Vectors<IN>&);

/// Channels that are transformed at a time.
constexpr size_t kChannels = 4 * kLanes;
using Line = float[kChannels];

/// to = M x M^T of IN x IN places, each kChannels floats somewhere; M, of SIDE, has OUT rows. Columns first, then rows.
template <size_t IN, size_t OUT, Side<IN, OUT> SIDE>
void transform(const char* const* from, char* const* to) {
    for (size_t c = 0; c < sizeof(Line); c += sizeof(Floats)) {
        Floats half[OUT][IN];
        for (size_t j = 0; j < IN; ++j) {
            Vectors<IN> x;
            for (size_t i = 0; i < IN; ++i) {
                memcpy(&x.at[i], from[i * IN + j] + c, sizeof(Floats));
            }
            const Vectors<OUT> y = SIDE(x);
            for (size_t i = 0; i < OUT; ++i) {
                half[i][j] = y.at[i];
            }
        }
        for (size_t i = 0; i < OUT; ++i) {
            Vectors<IN> x;
            memcpy(&x, half[i], sizeof(x));
            const Vectors<OUT> y = SIDE(x);
            for (size_t j = 0; j < OUT; ++j) {
                memcpy(to[i * OUT + j] + c, &y.at[j], sizeof(Floats));
            }
        }
    }
}
using Transform = void(const char* const*, char* const*);

/// Transforms rows of `channels` elements, NULL: of zeros, of IN x IN places to those of OUT x OUT places.
/// Elements that are no floats, or are few, pass through lines of floats.
template <size_t IN, size_t OUT, Transform* TRANSFORM>
void transform_rows(kai_datatype type, const char* const* rows, size_t channels, char* const* to) {
    static constexpr Line kZeros = {};
    const size_t size = size_of(type);
    Line lines[IN * IN] = {}, results[OUT * OUT];
    for (size_t c = 0; c < channels; c += kChannels) {
        const size_t count = min(kChannels, channels - c);
        const bool in_place = type == kai_dt_f32 && count == kChannels;
        const char* from[IN * IN];
        char* into[OUT * OUT];
        for (size_t i = 0; i < IN * IN; ++i) {
            from[i] = reinterpret_cast<const char*>(rows[i] == nullptr ? kZeros : lines[i]);
            if (rows[i] != nullptr && in_place) {
                from[i] = rows[i] + c * size;
            } else if (rows[i] != nullptr) {
                float buffer[gemm::kPiece];
                memcpy(lines[i], gemm::as_floats(type, rows[i] + c * size, size, count, buffer), count * sizeof(float));
            }
        }
        for (size_t i = 0; i < OUT * OUT; ++i) {
            into[i] = in_place ? to[i] + c * size : reinterpret_cast<char*>(results[i]);
        }
        TRANSFORM(from, into);
        for (size_t i = 0; i < OUT * OUT && !in_place; ++i) {
            gemm::store_floats(type, to[i] + c * size, results[i], count);
        }
    }
}

}  // namespace

void transform_filter(size_t tile, const float* from, size_t step, float* to, size_t to_step) {
    constexpr double kG2[4][3] = {{1, 0, 0}, {0.5, 0.5, 0.5}, {0.5, -0.5, 0.5}, {0, 0, 1}};
    constexpr double kG4[6][3] = {
        {1.0 / 4, 0, 0},
        {-1.0 / 6, -1.0 / 6, -1.0 / 6},
        {-1.0 / 6, 1.0 / 6, -1.0 / 6},
        {1.0 / 24, 1.0 / 12, 1.0 / 6},
        {1.0 / 24, -1.0 / 12, 1.0 / 6},
        {0, 0, 1}};
    const double(*g)[3] = tile == 2 ? kG2 : kG4;
    const size_t side = tile + 2;
    for (size_t i = 0; i < side; ++i) {
        for (size_t j = 0; j < side; ++j) {
            double sum = 0;
            for (size_t t = 0; t < 9; ++t) {
                sum += g[i][t / 3] * g[j][t % 3] * static_cast<double>(from[t * step]);
            }
            to[(i * side + j) * to_step] = static_cast<float>(sum);
        }
    }
}

void transform_input(
    size_t tile, kai_datatype type, const void* const* pixels, size_t channels, void* to, size_t stride) {
    const char* rows[kMostSide * kMostSide];
    char* results[kMostSide * kMostSide];
    for (size_t i = 0; i < (tile + 2) * (tile + 2); ++i) {
        rows[i] = static_cast<const char*>(pixels[i]);
        results[i] = at(to, i * stride);
    }
    const auto run = tile == 2 ? transform_rows<4, 4, transform<4, 4, input_side_2>>
                               : transform_rows<6, 6, transform<6, 6, input_side_4>>;
    run(type, rows, channels, results);
}

void transform_output(size_t tile, const float* from, size_t stride, size_t channels, float* to) {
    const char* rows[kMostSide * kMostSide];
    char* results[kMostSide * kMostSide];
    for (size_t i = 0; i < (tile + 2) * (tile + 2); ++i) {
        rows[i] = reinterpret_cast<const char*>(from + i * stride);
    }
    for (size_t i = 0; i < tile * tile; ++i) {
        results[i] = reinterpret_cast<char*>(to + i * channels);
    }
    const auto run = tile == 2 ? transform_rows<4, 2, transform<4, 2, output_side_2>>
                               : transform_rows<6, 4, transform<6, 4, output_side_4>>;
    run(kai_dt_f32, rows, channels, results);
}

}  // namespace kai::conv
