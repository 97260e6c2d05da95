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
#include "kai/gemm/elements.hpp"

namespace kai::conv {
namespace {

/// Channels that are transformed at a time.
constexpr size_t kChannels = 16;
constexpr size_t kMostSide = 6;

using Line = float[kChannels];

/// One side: to[i] = sum of row i of a matrix times from.
/// @{
void input_side_2(const Line* from[4], Line* to[4]) {
    for (size_t c = 0; c < kChannels; ++c) {
        const float a = (*from[0])[c], b = (*from[1])[c], d = (*from[2])[c], e = (*from[3])[c];
        (*to[0])[c] = a - d, (*to[1])[c] = b + d, (*to[2])[c] = d - b, (*to[3])[c] = b - e;
    }
}
void input_side_4(const Line* from[6], Line* to[6]) {
    for (size_t c = 0; c < kChannels; ++c) {
        const float x0 = (*from[0])[c], x1 = (*from[1])[c], x2 = (*from[2])[c], x3 = (*from[3])[c], x4 = (*from[4])[c],
                    x5 = (*from[5])[c];
        const float even = x4 - 4 * x2, odd = x3 - 4 * x1, even_2 = x4 - x2, odd_2 = 2 * (x3 - x1);
        (*to[0])[c] = 4 * x0 - 5 * x2 + x4;
        (*to[1])[c] = even + odd, (*to[2])[c] = even - odd;
        (*to[3])[c] = even_2 + odd_2, (*to[4])[c] = even_2 - odd_2;
        (*to[5])[c] = 4 * x1 - 5 * x3 + x5;
    }
}
void output_side_2(const Line* from[4], Line* to[2]) {
    for (size_t c = 0; c < kChannels; ++c) {
        const float a = (*from[0])[c], b = (*from[1])[c], d = (*from[2])[c], e = (*from[3])[c];
        (*to[0])[c] = a + b + d, (*to[1])[c] = b - d - e;
    }
}
void output_side_4(const Line* from[6], Line* to[4]) {
    for (size_t c = 0; c < kChannels; ++c) {
        const float sum = (*from[1])[c] + (*from[2])[c], difference = (*from[1])[c] - (*from[2])[c],
                    sum_2 = (*from[3])[c] + (*from[4])[c], difference_2 = (*from[3])[c] - (*from[4])[c];
        (*to[0])[c] = (*from[0])[c] + sum + sum_2, (*to[1])[c] = difference + 2 * difference_2;
        (*to[2])[c] = sum + 4 * sum_2, (*to[3])[c] = difference + 8 * difference_2 + (*from[5])[c];
    }
}
/// @}

using Side = void(const Line**, Line**);

/// to = M x M^T of `in` x `in` lines, M of `out` rows: columns first, then rows.
void transform(Side* side, size_t in, size_t out, const Line* x, Line* to) {
    Line half[kMostSide * kMostSide];
    const Line* from[kMostSide];
    Line* results[kMostSide];
    for (size_t j = 0; j < in; ++j) {
        for (size_t i = 0; i < in; ++i) {
            from[i] = &x[i * in + j];
        }
        for (size_t i = 0; i < out; ++i) {
            results[i] = &half[i * in + j];
        }
        side(from, results);
    }
    for (size_t i = 0; i < out; ++i) {
        for (size_t j = 0; j < in; ++j) {
            from[j] = &half[i * in + j];
        }
        for (size_t j = 0; j < out; ++j) {
            results[j] = &to[i * out + j];
        }
        side(from, results);
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
    const size_t side = tile + 2, size = size_of(type);
    for (size_t c = 0; c < channels; c += kChannels) {
        const size_t count = min(kChannels, channels - c);
        Line x[kMostSide * kMostSide], y[kMostSide * kMostSide];
        for (size_t i = 0; i < side * side; ++i) {
            if (pixels[i] == nullptr) {
                memset(x[i], 0, sizeof(x[i]));
                continue;
            }
            float buffer[gemm::kPiece];
            const float* floats = gemm::as_floats(type, at(pixels[i], c * size), size, count, buffer);
            memset(x[i], 0, sizeof(x[i]));
            memcpy(x[i], floats, count * sizeof(float));
        }
        transform(tile == 2 ? input_side_2 : input_side_4, side, side, x, y);
        for (size_t i = 0; i < side * side; ++i) {
            gemm::store_floats(type, at(to, i * stride + c * size), y[i], count);
        }
    }
}

void transform_output(size_t tile, const float* from, size_t stride, size_t channels, float* to) {
    const size_t side = tile + 2;
    for (size_t c = 0; c < channels; c += kChannels) {
        const size_t count = min(kChannels, channels - c);
        Line x[kMostSide * kMostSide], y[kMostSide * kMostSide];
        for (size_t i = 0; i < side * side; ++i) {
            memset(x[i], 0, sizeof(x[i]));
            memcpy(x[i], from + i * stride + c, count * sizeof(float));
        }
        transform(tile == 2 ? output_side_2 : output_side_4, side, tile, x, y);
        for (size_t i = 0; i < tile * tile; ++i) {
            memcpy(to + i * channels + c, y[i], count * sizeof(float));
        }
    }
}

}  // namespace kai::conv
