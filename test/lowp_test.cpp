// The low-precision kernels: both pipelines, with what only calls have (per tensor, no bias, offsets that save work),
// at the ends of all ranges. Shapes, edges, memory and so on are tested with the other kernels (matmul/).
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "kai/call.hpp"
#include "test/reference/matmul.hpp"
#include "test/support/checked_call.hpp"
#include "test/support/coverage.hpp"
#include "test/support/ending.hpp"
#include "test/support/library_build.hpp"
#include "test/support/operands.hpp"
#include "test/support/said.hpp"
#include "test/support/subject.hpp"

using reference::LowPrecision;
using reference::Side;

namespace {

class Lowp : public testing::TestWithParam<const kai_ukernel*> {
protected:
    const kai_ukernel& u = *GetParam();
    const reference::Format &lhs_format = *reference::find_format(u.lhs_format),
                            &rhs_format = *reference::find_format(u.rhs_format);
    Side lhs, rhs;
    LowPrecision low;
    bool per_channel = true, has_bias = true;
    int32_t min = INT32_MIN, max = INT32_MAX;

    void SetUp() override {
        TEST_SKIP_UNLESS_RUNNABLE(u);
    }

    void make(test::Data data, size_t m, size_t n, size_t k, uint64_t seed = 1) {
        test::Random random(seed);
        lhs = test::make_side(lhs_format, data, m, k, 0, random);
        rhs = test::make_side(rhs_format, data, n, k, 0, random);
        rhs.bias.assign(n, 0.0f), rhs.multiplier.assign(n, 1 << 30), rhs.shift.assign(n, 0);
    }

    /// For a kernel that finds its rows through a table: a chunk for each row. Empty for others.
    std::vector<const void*> pointers_to(const std::vector<uint8_t>& l, size_t m, size_t k) const {
        std::vector<const void*> pointers;
        for (size_t i = 0; i < m && kai::takes_pointers(u); ++i) {
            pointers.push_back(l.data() + i * k);
        }
        return pointers;
    }

    /// Runs and compares: all elements in one call, and columns from n_step to the last but one.
    void check() {
        reference::Arithmetic arithmetic;
        arithmetic.type = u.dst_type;
        arithmetic.low_precision = low;
        const std::vector<double> values = reference::matmul(lhs, rhs, arithmetic).value;
        const size_t m = lhs.rows, n = rhs.rows, k = rhs.k;
        const std::vector<uint8_t> l = test::packed(lhs_format, lhs, {1, 1, 1});
        const Side padded = kai::is_indirect(u) ? reference::with_padded_chunks(rhs, 1, u.get_kr()) : rhs;
        const std::vector<uint8_t> r = test::packed(rhs_format, padded, {u.get_nr(), u.get_kr(), u.get_sr()});
        const std::vector<int32_t> bias(rhs.bias.begin(), rhs.bias.end());
        for (const size_t first : {size_t{0}, u.get_n_step()}) {
            const size_t columns = first == 0 ? n : n > first + 1 ? n - first - 1 : 0;
            std::vector<uint8_t> dst(m * columns);
            kai_matmul_lowp_params params = {};
            params.pipeline = low.legacy ? KAI_LOWP_LEGACY : KAI_LOWP_FIXED_POINT;
            params.lhs_offset = low.lhs_offset, params.rhs_offset = low.rhs_offset;
            params.bias = has_bias ? bias.data() + first : nullptr;
            params.multiplier = rhs.multiplier.data() + (per_channel ? first : 0);
            params.shift = rhs.shift.data() + (per_channel ? first : 0);
            params.per_channel = per_channel;
            params.result_offset = low.result_offset;
            params.min_value = min, params.max_value = max;
            kai::KernelArgs a = {};
            a.m = m, a.n = columns, a.index = first;
            kai::set_depth(a, k);
            a.lhs_stride = a.rhs_stride = k;
            a.rhs = r.data() + kai::rhs_offset(u, a, kai::Direct{});
            const std::vector<const void*> rows = pointers_to(l, m, k);
            a.lhs = rows.empty() ? static_cast<const void*>(l.data()) : rows.data();
            a.dst = dst.data(), a.dst_stride_row = columns, a.dst_stride_col = 1;
            a.lowp = &params;
            kai::run(u, a, test::Checked{}, test::substitute_of(u));
            for (size_t i = 0; i < m * columns; ++i) {
                const size_t at = i / std::max<size_t>(columns, 1) * n + first + i % std::max<size_t>(columns, 1);
                const double x = values[at] < min ? min : values[at] > max ? max : values[at];
                ASSERT_EQ(reference::load(&dst[i], u.dst_type), reference::rounded(x, u.dst_type))
                    << "element " << at << " of " << m << " x " << n << " x " << k << ": " << values[at];
            }
        }
    }
};

// Results that are x itself: kernels divide a product of one k by powers of two, ties of both signs among them.
TEST_P(Lowp, TiesGoAwayFromZero) {
    make(test::Data::random, 5, 64, 1);
    low.lhs_offset = lhs.is_unsigned ? -128 : 0, low.rhs_offset = lhs.is_unsigned ? -128 : 0;
    low.result_offset = lhs.is_unsigned ? 128 : 0;
    for (const bool legacy : {false, true}) {
        low.legacy = legacy;
        low.result_offset = legacy ? 0 : low.result_offset;
        for (int32_t shift = 0; shift < 12; ++shift) {
            for (size_t j = 0; j < rhs.rows; ++j) {
                // A multiplier of 2^30 halves: the last step sees halves, quarters, ...
                rhs.bias[j] = (static_cast<float>(j) - 32) * static_cast<float>(1 << shift);
                rhs.multiplier[j] = legacy ? 1 : 1 << 30;
                rhs.shift[j] = legacy ? shift + 1 : -shift;
            }
            std::fill(lhs.q.begin(), lhs.q.end(), static_cast<int8_t>(lhs.is_unsigned ? 0x80 : 0));
            check();
            if (HasFailure()) {
                return;
            }
        }
    }
}

// Multipliers, shifts and sums at both ends of int32, among them -2^31 * -2^31.
TEST_P(Lowp, EndsOfTheirRanges) {
    constexpr int32_t kMultipliers[] = {INT32_MIN, INT32_MAX, 0, 1, -1, 1 << 30, 0x7FFFFF01};
    constexpr int32_t kShifts[] = {0, 1, 31, 30, 8};
    constexpr float kBiases[] = {-0x1p31f, -0x1p31f, 0x1p30f, 0, 0x7FFFFF80, -1, 1};
    for (const bool legacy : {false, true}) {
        low.legacy = legacy;
        for (const int sign : {-1, 1}) {
            for (const int32_t offset : {0, INT32_MIN, INT32_MAX, -300}) {
                make(test::Data::random, 3, 245, 1);
                low.result_offset = offset;
                low.lhs_offset = lhs.is_unsigned ? -128 : 0;
                std::fill(lhs.q.begin(), lhs.q.end(), static_cast<int8_t>(lhs.is_unsigned ? 0x80 : 0));
                for (size_t j = 0; j < rhs.rows; ++j) {
                    rhs.multiplier[j] = kMultipliers[j % 7], rhs.bias[j] = kBiases[j / 7 % 7];
                    rhs.shift[j] = kShifts[j / 49] * (legacy ? 1 : sign);
                }
                check();
                if (HasFailure()) {
                    return;
                }
            }
        }
    }
}

// Arbitrary offsets: sums wrap around. With one of them kernels need no column sums.
TEST_P(Lowp, AnyOffsets) {
    const int32_t none = rhs_format.has_unsigned ? -128 : 0;
    for (const test::Data data : {test::Data::random, test::Data::large}) {
        for (const auto& [m, k] :
             {std::pair<size_t, size_t>{1, 16},
              {2, 35},
              {3, 35},
              {4, 35},
              {1, 2032},
              {3, 2032},
              {4, 2032},
              {2, 2529},
              {6, 4129}}) {
            for (const auto& [lhs_offset, rhs_offset] :
                 {std::pair{none, none},
                  {0, 0},
                  {none, -255},
                  {-255, none},
                  {-255, -255},
                  {127, 128},
                  {INT32_MIN, INT32_MAX},
                  {INT32_MAX, 7},
                  {none, INT32_MIN}}) {
                make(data, m, 11, k, k);
                low.lhs_offset = lhs_offset, low.rhs_offset = rhs_offset;
                rhs.shift.assign(11, k > 1000 ? -18 : -12);
                check();
                rhs.shift.assign(11, 0);  // the lower bits
                rhs.multiplier.assign(11, 1 << 30);
                low.legacy = true;
                rhs.multiplier.assign(11, 1 << 20), rhs.shift.assign(11, 20);
                check();
                low.legacy = false;
                if (HasFailure()) {
                    return;
                }
            }
        }
    }
}

// The largest sums of two products: -128 * -128 + -128 * -128 does not fit 16 bits.
TEST_P(Lowp, LargestProducts) {
    for (const size_t k : {8, 16, 24, 320}) {
        for (const int a : {-128, 127}) {
            for (const int b : {-128, 127}) {
                make(test::Data::random, 7, 13, k);
                const int flip = rhs_format.has_unsigned ? 0x80 : 0;
                std::fill(lhs.q.begin(), lhs.q.end(), static_cast<int8_t>(a ^ flip));
                std::fill(rhs.q.begin(), rhs.q.end(), static_cast<int8_t>(b ^ flip));
                low.lhs_offset = low.rhs_offset = -flip;
                low.legacy = true;
                for (size_t j = 0; j < 13; ++j) {
                    rhs.bias[j] = static_cast<float>(j) - 128 * static_cast<float>(j % 2);
                    rhs.multiplier[j] = 1, rhs.shift[j] = j < 6 ? 0 : 15;
                }
                low.result_offset = -a * b * static_cast<int32_t>(k);  // what is left is the bias
                check();
            }
        }
    }
}

// One multiplier and one shift; no bias; bounds beyond the type, and bounds that allow one value.
TEST_P(Lowp, WhatACallMayLeaveOut) {
    for (const bool legacy : {false, true}) {
        for (const size_t m : {1, 2, 3, 4, 9}) {
            for (const size_t n : {1, 3, 6, 8, 13}) {
                low = {legacy, 5, -3, legacy ? -40 : 10};
                make(test::Data::random, m, n, 40, n);
                rhs.multiplier.assign(n, legacy ? 3 : 0x50000000), rhs.shift.assign(n, legacy ? 11 : -9);
                per_channel = false, has_bias = false;
                min = INT32_MIN, max = INT32_MAX;
                check();
                for (const auto& [lo, hi] :
                     {std::pair{-1000, 1000}, {300, 400}, {-400, -300}, {7, 7}, {-20, 90}, {100, INT32_MAX}}) {
                    min = lo, max = hi;
                    check();
                }
                if (HasFailure()) {
                    return;
                }
            }
        }
    }
}

// With assertions: a shift out of range, in any channel.
TEST_P(Lowp, RefusesTheShiftOfAnyChannel) {
    if (!test::library_asserts) {
        return;
    }
    constexpr size_t kCount = 20;
    make(test::Data::random, 1, kCount, 16);
    const std::vector<uint8_t> l = test::packed(lhs_format, lhs, {1, 1, 1});
    const std::vector<uint8_t> r = test::packed(rhs_format, rhs, {u.get_nr(), u.get_kr(), u.get_sr()});
    for (const bool legacy : {false, true}) {
        for (const int32_t wrong : {legacy ? -1 : -32, 32}) {
            for (const size_t channel : {size_t{0}, size_t{1}, kCount - 1}) {
                std::vector<int32_t> shift(kCount, 3);
                shift[channel] = wrong;
                kai_matmul_lowp_params params = {};
                params.pipeline = legacy ? KAI_LOWP_LEGACY : KAI_LOWP_FIXED_POINT;
                params.multiplier = rhs.multiplier.data(), params.shift = shift.data();
                params.per_channel = true;
                uint8_t dst[kCount];
                kai::KernelArgs a = {};
                a.m = 1, a.n = kCount;
                kai::set_depth(a, 16);
                a.lhs_stride = a.rhs_stride = 16;
                a.lhs = l.data(), a.rhs = r.data(), a.dst = dst, a.dst_stride_row = kCount, a.dst_stride_col = 1;
                a.lowp = &params;
                EXPECT_ABORT(
                    kai::run(u, a, kai::Direct{}), "^kai_run_" + std::string(u.name) + ": " +
                                                       SAID(out_of_range, "shift", wrong, legacy ? 0 : -31, 31) + "\n");
            }
        }
    }
}

std::vector<const kai_ukernel*> kernels() {
    std::vector<const kai_ukernel*> kernels;
    for (const kai_ukernel* u : test::all_ukernels()) {
        if (kai::takes<&kai::KernelArgs::lowp>(*u)) {
            kernels.push_back(u);
        }
    }
    return kernels;
}

INSTANTIATE_TEST_SUITE_P(Kernels, Lowp, testing::ValuesIn(kernels()), test::instance_name<kai_ukernel>);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Lowp);

}  // namespace
