// The calls that ggml makes for weights of Q8_0: quantised once more, a scale per channel, and packed at the load of a
// model. Its table of packers has one type for all formats, so getters of this format, which has no blocks, get the
// block length in the place of sr.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "kai/call.hpp"
#include "kai/kai_registry.h"
#include "kai/ukernels/pack/kai_lhs_pack.h"
#include "kai/ukernels/pack/kai_rhs_pack.h"
#include "test/support/coverage.hpp"
#include "test/support/guarded_buffer.hpp"

using test::GuardedBuffer;

namespace {

constexpr size_t kBl = 32;  // of Q8_0

/// A matrix of rows of k elements.
struct Matrix {
    size_t rows, k;
    std::vector<float> values = std::vector<float>(rows * k);

    Matrix(size_t row_count, size_t depth, uint32_t seed) : rows(row_count), k(depth) {
        for (float& x : values) {
            seed = seed * 1664525 + 1013904223;
            x = static_cast<float>(static_cast<int32_t>(seed >> 8) % 2001 - 1000) / 512;
        }
    }
    const float* row(size_t i) const {
        return &values[i * k];
    }
};

/// Weights in the layout that the packer takes.
struct Channels {
    std::vector<int8_t> weights;
    std::vector<float> scales;

    explicit Channels(const Matrix& from) {
        for (size_t j = 0; j < from.rows; ++j) {
            float largest = 0;
            for (size_t i = 0; i < from.k; ++i) {
                largest = std::max(largest, std::fabs(from.row(j)[i]));
            }
            scales.push_back(largest / 127);
            for (size_t i = 0; i < from.k; ++i) {
                weights.push_back(static_cast<int8_t>(std::lround(from.row(j)[i] / scales[j])));
            }
        }
    }
};

/// What it differs from the product in real numbers by: half a step of the quantised row for each weight, and rounding.
double tolerance(const float* a, const int8_t* w, float scale, size_t k) {
    float least = 0, most = 0;
    double sum = 0, product = 0;
    for (size_t i = 0; i < k; ++i) {
        least = std::min(least, a[i]), most = std::max(most, a[i]);
        sum += std::abs(w[i]);
        product += std::fabs(static_cast<double>(a[i]) * w[i]);
    }
    return scale * (0.51 * (most - least) / 255 * sum + 1e-6 * product);
}

void expect_product(const Matrix& a, const Channels& b, const std::vector<float>& c, size_t n) {
    for (size_t i = 0; i < a.rows; ++i) {
        for (size_t j = 0; j < n; ++j) {
            const int8_t* w = &b.weights[j * a.k];
            double want = 0;
            for (size_t x = 0; x < a.k; ++x) {
                want += static_cast<double>(a.row(i)[x]) * w[x];
            }
            want *= b.scales[j];
            ASSERT_NEAR(c[i * n + j], want, tolerance(a.row(i), w, b.scales[j], a.k)) << i << ", " << j;
        }
    }
}

class GgmlQ80 : public testing::TestWithParam<const kai_ukernel*> {};

TEST_P(GgmlQ80, ItsCalls) {
    const kai_ukernel& u = *GetParam();
    TEST_SKIP_UNLESS_RUNNABLE(u);
    const auto lhs_offset = kai::as<kai_get_packed_offset_fn>(u.get_lhs_packed_offset);
    const auto rhs_offset = kai::as<kai_get_packed_offset_fn>(u.get_rhs_packed_offset);
    const auto run = kai::as<kai_run_matmul_fn>(u.run);
    const size_t mr = u.get_mr(), nr = u.get_nr(), kr = u.get_kr(), sr = u.get_sr();
    const size_t n_step = u.get_n_step(), m = 2 * u.get_m_step() + 1, n = 3 * n_step + 5, k = 160;

    const Matrix a(m, k, 1);
    const Channels b(Matrix(n, k, 2));

    // Loading a model: getters get bl in place of sr, the packer gets sr.
    const size_t size = kai_get_rhs_packed_size_rhs_pack_nxk_qsi8cxp_qsi8cx_neon(n, k, nr, kr, kBl);
    const size_t stride = kai_get_rhs_packed_stride_rhs_pack_nxk_qsi8cxp_qsi8cx_neon(k, nr, kr, kBl);
    EXPECT_EQ(stride, nr * (k + 12));  // weights; the sum, the scale and the bias of a channel
    EXPECT_EQ(size, (n + nr - 1) / nr * stride);
    EXPECT_EQ(kai_get_rhs_packed_offset_rhs_pack_nxk_qsi8cxp_qsi8cx_neon(2 * nr, k, nr, kr, kBl), 2 * stride);
    const GuardedBuffer packed_rhs(size);
    const kai_rhs_pack_qsi8cx_params params = {1, 1.0F};
    kai_run_rhs_pack_nxk_qsi8cxp_qsi8cx_neon(
        1, n, k, nr, kr, sr, b.weights.data(), nullptr, b.scales.data(), packed_rhs.data(), 0, &params);

    // For every token: threads pack panels of A, then compute columns of C in multiples of n_step.
    const GuardedBuffer packed_lhs(kai_get_lhs_packed_size_lhs_quant_pack_qai8dxp_f32(m, k, mr, kr, sr));
    for (size_t first = 0; first < m; first += mr) {
        const size_t at = lhs_offset(first, k), rows = std::min(mr, m - first);
        EXPECT_EQ(kai_get_lhs_packed_offset_lhs_quant_pack_qai8dxp_f32(first, k, mr, kr, sr), at);
        kai_run_lhs_quant_pack_qai8dxp_f32(
            rows, k, mr, kr, sr, 0, a.values.data() + kai_get_lhs_offset_lhs_quant_pack_qai8dxp_f32(first, k),
            k * sizeof(float), packed_lhs.data() + at);
    }
    std::vector<float> c(m * n, NAN);
    for (size_t first = 0; first < n; first += n_step) {
        auto* dst = reinterpret_cast<uint8_t*>(c.data()) + u.get_dst_offset(0, first, n * sizeof(float));
        run(m, std::min(n_step, n - first), k, packed_lhs.data() + lhs_offset(0, k),
            packed_rhs.data() + rhs_offset(first, k), dst, n * sizeof(float), sizeof(float), -INFINITY, INFINITY);
    }
    expect_product(a, b, c, n);
}

std::vector<const kai_ukernel*> kernels() {
    std::vector<const kai_ukernel*> kernels;
    for (const kai_ukernel* u : test::all_ukernels()) {
        if (u->family == std::string("matmul_clamp_f32_qai8dxp_qsi8cxp")) {
            kernels.push_back(u);
        }
    }
    return kernels;
}

INSTANTIATE_TEST_SUITE_P(Kernels, GgmlQ80, testing::ValuesIn(kernels()), test::instance_name<kai_ukernel>);

}  // namespace
