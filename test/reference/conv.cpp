// Convolution: see the header.
//
// SPDX-License-Identifier: Apache-2.0
#include "test/reference/conv.hpp"

namespace reference {

std::vector<double> convolve(
    const Conv& c, const std::vector<double>& in, const std::vector<double>& weights, const std::vector<double>& bias) {
    const auto signed_of = [](size_t x) { return static_cast<long>(x); };
    const size_t inputs = c.in_channels / c.groups, outputs = c.out_channels / c.groups;
    std::vector<double> out(c.batch * c.out_height * c.out_width * c.out_channels);
    for (size_t i = 0; i < out.size(); ++i) {
        out[i] = bias[i % c.out_channels];
    }
    // Which pixel of the strided image (y, x) and the other one (far_y, far_x) meet at tap (i, j).
    const size_t near_height = c.transposed ? c.height : c.out_height,
                 near_width = c.transposed ? c.width : c.out_width;
    const size_t far_height = c.transposed ? c.out_height : c.height, far_width = c.transposed ? c.out_width : c.width;
    for (size_t image = 0; image < c.batch; ++image) {
        for (size_t y = 0; y < near_height; ++y) {
            for (size_t x = 0; x < near_width; ++x) {
                for (size_t i = 0; i < c.kernel_height; ++i) {
                    for (size_t j = 0; j < c.kernel_width; ++j) {
                        const long far_y = signed_of(y * c.stride_height + i * c.dilation_height) - signed_of(c.top);
                        const long far_x = signed_of(x * c.stride_width + j * c.dilation_width) - signed_of(c.left);
                        if (far_y < 0 || far_x < 0 || far_y >= signed_of(far_height) || far_x >= signed_of(far_width)) {
                            continue;
                        }
                        const size_t near = (image * near_height + y) * near_width + x;
                        const size_t far =
                            (image * far_height + static_cast<size_t>(far_y)) * far_width + static_cast<size_t>(far_x);
                        const size_t in_pixel = c.transposed ? near : far, out_pixel = c.transposed ? far : near;
                        for (size_t o = 0; o < c.out_channels; ++o) {
                            const double* from = &in[in_pixel * c.in_channels + o / outputs * inputs];
                            const double* w = &weights[((o * c.kernel_height + i) * c.kernel_width + j) * inputs];
                            double sum = 0;
                            for (size_t k = 0; k < inputs; ++k) {
                                sum += from[k] * w[k];
                            }
                            out[out_pixel * c.out_channels + o] += sum;
                        }
                    }
                }
            }
        }
    }
    return out;
}

}  // namespace reference
