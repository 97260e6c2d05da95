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

#if defined(__aarch64__)
// In conv_winograd_neon.S: as transform_pixels and transform_products of six places.
extern "C" void kai_conv_winograd_input_4(const char* const* pixels, char* to, size_t stride, size_t blocks);
extern "C" void kai_conv_winograd_output_4(const kai::conv::WinogradOutput* output);
#endif

namespace kai::conv {
namespace {

using gemm::Floats;
using gemm::kLanes;

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
KAI_INLINE Vectors<2> output_side_2(const Vectors<4>& of) {
    const auto& x = of.at;
    return {{x[0] + x[1] + x[2], x[1] - x[2] - x[3]}};
}
#if !defined(__aarch64__)  // there it is assembly
using gemm::all;
using gemm::multiply_add;
using gemm::subtract_product;

KAI_INLINE Vectors<6> input_side_4(const Vectors<6>& of) {
    const auto& x = of.at;
    const Floats even = subtract_product(x[2], all(4), x[4]), odd = subtract_product(x[1], all(4), x[3]);
    const Floats even_2 = x[4] - x[2], odd_2 = x[3] - x[1], twice = odd_2 + odd_2;
    return {
        {multiply_add(x[0], all(4), even - x[2]), even + odd, even - odd, even_2 + twice, even_2 - twice,
         subtract_product(odd_2, all(4), x[5] - x[3])}};
}
KAI_INLINE Vectors<4> output_side_4(const Vectors<6>& of) {
    const auto& x = of.at;
    const Floats sum = x[1] + x[2], difference = x[1] - x[2], sum_2 = x[3] + x[4], difference_2 = x[3] - x[4];
    return {
        {x[0] + sum + sum_2, multiply_add(difference_2, all(2), difference), multiply_add(sum_2, all(4), sum),
         multiply_add(difference_2, all(8), difference + x[5])}};
}
#endif
/// @}

template <size_t IN, size_t OUT>
using Side = Vectors<OUT>(const Vectors<IN>&);

/// put(i, j, vector) = M x M^T of get(i, j), IN x IN vectors; M, of SIDE, has OUT rows. Columns first, then rows.
template <size_t IN, size_t OUT, Side<IN, OUT> SIDE, typename Get, typename Put>
KAI_INLINE void transform(Get get, Put put) {
    Floats half[OUT][IN];
    for (size_t j = 0; j < IN; ++j) {
        Vectors<IN> x;
        for (size_t i = 0; i < IN; ++i) {
            x.at[i] = get(i, j);
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
            put(i, j, y.at[j]);
        }
    }
}

KAI_INLINE Floats load(const char* from) {
    Floats x;
    memcpy(&x, from, sizeof(x));
    return x;
}

/// Pixels, by pointers column by column, as a row of each of N x N matrices, row by row of places. `blocks` vectors of
/// channels, of f32.
template <size_t N, Side<N, N> SIDE>
void transform_pixels(const char* const* pixels, char* to, size_t stride, size_t blocks) {
    for (size_t c = 0; c < blocks * sizeof(Floats); c += sizeof(Floats)) {
        transform<N, N, SIDE>(
            [&](size_t i, size_t j) { return load(pixels[j * N + i] + c); },
            [&](size_t i, size_t j, Floats x) { memcpy(to + (i * N + j) * stride + c, &x, sizeof(x)); });
    }
}
/// The bias is added to the place whose factor is 1 in all results.
template <size_t IN, size_t OUT, Side<IN, OUT> SIDE>
void transform_products(const WinogradOutput* o) {
    for (size_t c = 0; c < o->channels * sizeof(float); c += sizeof(Floats)) {
        transform<IN, OUT, SIDE>(
            [&](size_t i, size_t j) {
                const Floats x = load(o->products + (i * IN + j) * o->stride + c);
                return i == 1 && j == 1 ? x + load(o->bias + c) : x;
            },
            [&](size_t i, size_t j, Floats x) {
                const Floats y = o->bounded != 0 ? gemm::at_most(gemm::at_least(x, o->lower), o->upper) : x;
                memcpy(o->pixels[i * OUT + j] + c, &y, sizeof(y));
            });
    }
}

#if defined(__aarch64__)
constexpr auto* kPixels4 = kai_conv_winograd_input_4;
constexpr auto* kProducts4 = kai_conv_winograd_output_4;
#else
constexpr auto* kPixels4 = transform_pixels<6, input_side_4>;
constexpr auto* kProducts4 = transform_products<6, 4, output_side_4>;
#endif

constexpr size_t kMostPlaces = 6 * 6, kMostPixels = 4 * 4;
/// Elements that are no floats, or are few, pass through lines of so many floats.
constexpr size_t kLine = 4 * kLanes;
using Line = float[kLine];

template <typename T>
char* as_bytes(T* from) {
    return reinterpret_cast<char*>(from);
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
    size_t tile, kai_datatype type, const char* const* pixels, size_t channels, char* to, size_t stride) {
    const auto run = tile == 2 ? transform_pixels<4, input_side_2> : kPixels4;
    const size_t places = (tile + 2) * (tile + 2), size = size_of(type);
    const size_t whole = type == kai_dt_f32 ? channels / kLanes : 0;
    if (whole > 0) {
        run(pixels, to, stride, whole);
    }
    for (size_t c = whole * kLanes; c < channels; c += kLine) {
        const size_t count = min(kLine, channels - c);
        Line lines[kMostPlaces] = {}, results[kMostPlaces];
        const char* from[kMostPlaces];
        for (size_t i = 0; i < places; ++i) {
            float buffer[gemm::kPiece];
            memcpy(lines[i], gemm::as_floats(type, pixels[i] + c * size, size, count, buffer), count * sizeof(float));
            from[i] = as_bytes(lines[i]);
        }
        run(from, as_bytes(results[0]), sizeof(Line), divide_up(count, kLanes));
        for (size_t i = 0; i < places; ++i) {
            gemm::store_floats(type, to + i * stride + c * size, results[i], count);
        }
    }
}

void transform_output(size_t tile, const WinogradOutput& of) {
    const auto run = tile == 2 ? transform_products<4, 2, output_side_2> : kProducts4;
    WinogradOutput o = of;
    o.channels = of.channels / kLanes * kLanes;
    if (o.channels > 0) {
        run(&o);
    }
    const size_t done = o.channels * sizeof(float), bytes = of.channels * sizeof(float) - done;
    if (bytes == 0) {
        return;
    }
    float places[kMostPlaces][kLanes] = {}, bias[kLanes] = {}, results[kMostPixels][kLanes];
    char* pixels[kMostPixels];
    for (size_t i = 0; i < (tile + 2) * (tile + 2); ++i) {
        memcpy(places[i], of.products + i * of.stride + done, bytes);
    }
    memcpy(bias, of.bias + done, bytes);
    for (size_t i = 0; i < tile * tile; ++i) {
        pixels[i] = as_bytes(results[i]);
    }
    o.products = as_bytes(places[0]), o.stride = sizeof(places[0]), o.channels = kLanes;
    o.bias = as_bytes(bias), o.pixels = pixels;
    run(&o);
    for (size_t i = 0; i < tile * tile; ++i) {
        memcpy(of.pixels[i] + done, results[i], bytes);
    }
}

}  // namespace kai::conv
