// Kernels that give int32 sums as they are: offsets of tensors, rows and columns, at the ends of their range, exact to
// the last bit. Shapes, edges, memory and so on are tested with the other kernels (matmul/), whose results are compared
// as floats.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "kai/call.hpp"
#include "test/reference/formats.hpp"
#include "test/support/checked_call.hpp"
#include "test/support/coverage.hpp"
#include "test/support/operands.hpp"
#include "test/support/subject.hpp"

using reference::Side;

namespace {

class Int32 : public testing::TestWithParam<const kai_ukernel*> {
protected:
    const kai_ukernel& u = *GetParam();
    const reference::Format &lhs_format = *reference::find_format(u.lhs_format),
                            &rhs_format = *reference::find_format(u.rhs_format);
    Side lhs, rhs;
    kai_matmul_offsets offsets = {};

    void SetUp() override {
        TEST_SKIP_UNLESS_RUNNABLE(u);
    }

    void make(size_t m, size_t n, size_t k, uint64_t seed = 1) {
        test::Random random(seed);
        lhs = test::make_side(lhs_format, test::Data::large, m, k, 0, random);
        rhs = test::make_side(rhs_format, test::Data::large, n, k, 0, random);
    }

    int32_t expected(size_t i, size_t j) const {
        const int64_t a = int64_t{offsets.lhs_offset} + (offsets.lhs_offsets != nullptr ? offsets.lhs_offsets[i] : 0),
                      b = int64_t{offsets.rhs_offset} + (offsets.rhs_offsets != nullptr ? offsets.rhs_offsets[j] : 0);
        uint32_t sum = offsets.bias != nullptr ? static_cast<uint32_t>(offsets.bias[j]) : 0;
        for (size_t k = 0; k < lhs.k; ++k) {
            const auto x = static_cast<int64_t>(lhs.element(i, k)) + a, y = static_cast<int64_t>(rhs.element(j, k)) + b;
            sum += static_cast<uint32_t>(x) * static_cast<uint32_t>(y);
        }
        return static_cast<int32_t>(sum);
    }

    /// Runs and compares.
    void check() {
        const size_t m = lhs.rows, n = rhs.rows, k = rhs.k;
        const std::vector<uint8_t> l = test::packed(lhs_format, lhs, {1, 1, 1});
        const std::vector<uint8_t> r = test::packed(rhs_format, rhs, {u.get_nr(), u.get_kr(), u.get_sr()});
        std::vector<int32_t> dst(m * n, 0x5A5A5A5A);
        kai::KernelArgs a = {};
        a.m = m, a.n = n;
        kai::set_depth(a, k);
        a.lhs_stride = k, a.lhs = l.data(), a.rhs = r.data();
        a.dst = dst.data(), a.dst_stride_row = n * sizeof(int32_t), a.dst_stride_col = sizeof(int32_t);
        a.offsets = &offsets;
        kai::run(u, a, test::Checked{}, test::substitute_of(u));
        for (size_t i = 0; i < m * n; ++i) {
            ASSERT_EQ(dst[i], expected(i / n, i % n))
                << i / n << ", " << i % n << " of " << m << " x " << n << " x " << k;
        }
    }
};

// All ways to give offsets, small and large ones, with and without a bias.
TEST_P(Int32, AnyOffsets) {
    constexpr size_t kMost = 150;
    constexpr int32_t kOffsets[] = {0, -128, 128, -255, 3, INT32_MIN, INT32_MAX};
    std::vector<int32_t> rows(kMost), columns(kMost), bias(kMost);
    for (const auto& [m, n, k] :
         {std::tuple<size_t, size_t, size_t>{1, 1, 1},
          {1, 37, 40},
          {2, 145, 17},
          {3, 16, 100},
          {8, 21, 31},
          {13, 40, 64},
          {67, 33, 16},
          {5, 20, 0}}) {
        make(m, n, k, k);
        for (const int32_t of_lhs : kOffsets) {
            for (const int32_t of_rhs : kOffsets) {
                for (size_t i = 0; i < kMost; ++i) {
                    rows[i] = static_cast<int32_t>(static_cast<uint32_t>(of_lhs) + static_cast<uint32_t>(i) * 7);
                    columns[i] = static_cast<int32_t>(static_cast<uint32_t>(of_rhs) - static_cast<uint32_t>(i) * 5);
                    bias[i] = static_cast<int32_t>(static_cast<uint32_t>(i) * 2654435761U);
                }
                for (int way = 0; way < 8; ++way) {
                    offsets = {of_lhs, of_rhs, nullptr, nullptr, nullptr};
                    offsets.lhs_offsets = (way & 1) != 0 ? rows.data() : nullptr;
                    offsets.rhs_offsets = (way & 2) != 0 ? columns.data() : nullptr;
                    offsets.bias = (way & 4) != 0 ? bias.data() : nullptr;
                    check();
                    if (HasFailure()) {
                        return;
                    }
                }
            }
        }
    }
}

// Columns of rows that are as far apart as the largest sums: every product is -128 * -128 or 255 * 255.
TEST_P(Int32, LargestSums) {
    for (const size_t k : {size_t{8}, size_t{33}, size_t{4129}}) {
        for (const int x : {0x80, 0xFF, 0x7F}) {
            make(7, 19, k);
            std::fill(lhs.q.begin(), lhs.q.end(), static_cast<int8_t>(x));
            std::fill(rhs.q.begin(), rhs.q.end(), static_cast<int8_t>(x));
            offsets = {};
            check();
        }
    }
}

std::vector<const kai_ukernel*> kernels() {
    std::vector<const kai_ukernel*> kernels;
    for (const kai_ukernel* u : test::all_ukernels()) {
        if (kai::takes<&kai::KernelArgs::offsets>(*u)) {
            kernels.push_back(u);
        }
    }
    return kernels;
}

INSTANTIATE_TEST_SUITE_P(Kernels, Int32, testing::ValuesIn(kernels()), test::instance_name<kai_ukernel>);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Int32);

}  // namespace
