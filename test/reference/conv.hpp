// Convolution in double, from its definition.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace reference {

struct Conv {
    size_t batch, height, width, in_channels, out_channels, groups;
    size_t kernel_height, kernel_width, stride_height, stride_width, dilation_height, dilation_width;
    size_t top, left;
    bool transposed;
    size_t out_height, out_width;
};

/// [batch][out_height][out_width][out_channels]: bias[o] + sums of products. `in` is
/// [batch][height][width][in_channels], `weights` [out_channels][kernel_height][kernel_width][in_channels / groups].
/// What lies outside of `in` is zero.
///
/// Transposed: each pixel of the input times the filter is added to the output.
std::vector<double> convolve(
    const Conv& c, const std::vector<double>& in, const std::vector<double>& weights, const std::vector<double>& bias);

}  // namespace reference
