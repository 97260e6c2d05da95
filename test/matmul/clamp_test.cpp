// Bounds of the results.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "test/matmul/fixture.hpp"

namespace test::matmul {

TEST_P(Matmul, ClampsIntegers) {
    if (u.dst_type != kai_dt_int8 && u.dst_type != kai_dt_uint8) {
        return;
    }
    const auto [k, bl] = typical_depth();
    const Side lhs = make_lhs(Data::random, several_rows(), k, bl),
               rhs = make_rhs(Data::random, several_columns(), k, bl);
    for (const Clamp clamp :
         {Clamp{},
          Clamp{-128, 127},
          {-1000, 1000},
          {-300, 200},
          {-5, 5},
          {0, 127},
          {-128, -3},
          {7, 7},
          {-1, 0},
          {100, 200},
          {0, 90},
          {110, 255}}) {
        check(lhs, rhs, clamp);
    }
}

// Zero points and bounds at the ends of int32: sums saturate, then the zero point's addition does, then the bounds hold
// as far as int8 goes.
TEST_P(Matmul, ClampsIntegersAtTheEndsOfTheirRange) {
    if (u.dst_type != kai_dt_int8 || low_precision) {
        return;
    }
    const int32_t least = INT32_MIN, most = INT32_MAX;
    const size_t k = 3, m = std::min<size_t>(several_rows(), 5), n = several_columns();
    // Sums of a few units, of some hundred, and beyond both ends.
    Side lhs = make_lhs(Data::exact, m, k, 0), rhs = make_rhs(Data::exact, n, k, 0);
    for (size_t column = 0; column < n; ++column) {
        const float scales[] = {1.0f, 0.25f, 0x1p7f, -0x1p20f, 0x1p60f};
        rhs.scale[column] = scales[column % 5];
        rhs.bias[column] = column % 7 < 2 ? (column % 2 ? 0x7FFFFF80 : -0x1p31f) : rhs.bias[column];
    }
    const Operands o = packed(lhs, rhs);
    for (const int32_t zero_point :
         {least, least + 1, least + 200, -300, -129, -128, 0, 127, 128, 300, most - 200, most - 1, most}) {
        arithmetic.zero_point = zero_point;
        const std::vector<double> values = expected(lhs, rhs).value;
        for (const auto& [lo, hi] :
             {std::pair{least, most},
              {least, least},
              {most, most},
              {least, least + 1},
              {least, -128},
              {127, most},
              {most - 1, most},
              {-128, 127},
              {-129, 128},
              {-3, 5},
              {0, 5},
              {least, 5},
              {-3, most},
              {128, 1000},
              {-1000, -129},
              {-100, -50},
              {50, 100},
              {-256, 255}}) {
            std::vector<float> want;
            for (const double value : values) {
                const double bounded = std::fmax(lo, std::fmin(value, hi));
                want.push_back(static_cast<float>(std::fmax(-128, std::fmin(bounded, 127))));
            }
            exact_params = {lo, hi, zero_point};
            EXPECT_EQ(run(o), want) << "zero point " << zero_point << ", bounds " << lo << " and " << hi;
        }
        if (HasFailure()) {
            return;
        }
    }
}

// Conversion keeps the order: clamping results to the bounds as their type has them is the same.
std::vector<float> Matmul::clamped(std::vector<float> results, Clamp c) const {
    const float lo = reference::rounded(c.lo, u.dst_type), hi = reference::rounded(c.hi, u.dst_type);
    for (float& x : results) {
        x = x < lo ? lo : x > hi ? hi : x;
    }
    return results;
}

TEST_P(Matmul, ClampsForReal) {
    if (integer_dst) {
        return;
    }
    const auto [k, bl] = typical_depth();
    const size_t m = several_rows(), n = several_columns();
    const Side lhs = make_lhs(Data::random, m, k, bl), rhs = make_rhs(Data::random, n, k, bl);
    const std::vector<float> free = check(lhs, rhs);
    const float some = std::fabs(free[0]) / 2 + 0x1p-10f;
    const float third = some / 3;  // none of the types has it
    for (const Clamp clamp :
         {Clamp{-some, some},
          {-third, third},
          {0.0f, kInf},
          {0.0f, kMax},
          {-kInf, some},
          {-kInf, third},
          {-kMax, some},
          {-kMax, kMax},
          {-65504.0f, 65504.0f},
          {-1e-9f, 1e-9f},
          {some, some},
          {-0.25f, 0.0f},
          {kInf, kInf}}) {
        // == and not bits: the sign of a zero is free
        EXPECT_EQ(run(lhs, rhs, clamp), clamped(free, clamp)) << "clamp to [" << clamp.lo << ", " << clamp.hi << "]";
    }
}

// Kernels may leave the clamp out where scales and biases prove that no result can reach a bound. The tests that follow
// put results and bounds there: a result at a bound, an ulp within and beyond, made by one field, row, column or block.

/// Bounds around +-x; one-sided ones, too.
std::vector<Clamp> bounds_around(float x) {
    const float below = std::nextafter(x, 0.0f), above = std::nextafter(x, kInf);
    return {{-x, x},        {-below, below}, {-above, above}, {-x / 4, x / 4},
            {-kInf, below}, {-below, kInf},  {-2 * x, 2 * x}};
}

void Matmul::check_clamps(const Side& lhs, const Side& rhs, float largest) {
    const std::vector<double> values = expected(lhs, rhs).value;
    for (const double value : values) {
        largest = std::max(largest, static_cast<float>(std::fabs(value)));
    }
    const Operands o = packed(lhs, rhs);
    const std::vector<float> free = reference::rounded(values, u.dst_type);
    for (const Clamp c : bounds_around(largest)) {
        const std::vector<float> want = clamped(free, c);
        // == and not bits: the sign of a zero is free
        EXPECT_EQ(run(o, c), want) << "clamp to [" << c.lo << ", " << c.hi << "], m " << o.m << ", n " << o.n << ", k "
                                   << o.k;
    }
}

// Products of zero, whichever field makes them so, and one bias that is not small.
TEST_P(Matmul, ClampsTheBiasAlone) {
    if (rhs_format->bias == nullptr || integer_dst) {
        return;
    }
    const size_t k = has_blocks ? 32 : whole(3), bl = has_blocks ? 32 : 0;
    const size_t n = several_columns();
    const Side rhs = make_rhs(Data::exact, n, k, bl);
    size_t number = 0;
    for (const size_t column : {size_t{0}, rhs_tile.rows - 1, n - 1}) {
        for (const float bias : {5.0f, -5.0f}) {
            const std::vector<size_t> rows = few_and_many(whole_panels(5));
            const Side lhs = make_lhs(Data::exact, rows[number / 2 % rows.size()], k, bl);
            Side a = lhs, b = rhs;
            switch (number++ % 3) {
                case 0:
                    a = zero(lhs);
                    break;
                case 1:
                    b = zero(rhs);
                    break;
                default:  // zero scales only
                    (a.scale.empty() ? a.values : a.scale).assign((a.scale.empty() ? a.values : a.scale).size(), 0.0f);
                    std::fill(a.offset.begin(), a.offset.end(), 0.0f);
            }
            std::fill(b.bias.begin(), b.bias.end(), -0.25f);
            b.bias[column] = bias;
            check_clamps(a, b, 5.0f);
            if (HasFailure()) {
                return;
            }
        }
    }
}

// One row times one column is all that there is besides the bias.
TEST_P(Matmul, ClampsTheLargestElement) {
    if (integer_dst || has_unsigned) {
        return;
    }
    const size_t k = has_blocks ? 32 : whole(3), bl = has_blocks ? 32 : 0;
    // Kernels of small tiles may take 64 rows at a time.
    const size_t m = one_row ? 1 : m_step * n_step < 512 ? 67 : several_rows(), n = several_columns();
    const Side lhs = make_lhs(Data::exact, m, k, bl), rhs = make_rhs(Data::exact, n, k, bl);
    const auto one_row_of_ones = [](const Side& side, size_t row) {
        Side one = zero(side);
        std::fill(one.q.begin(), one.q.end(), static_cast<int8_t>(side.table.empty() ? 1 : 3));
        std::fill(one.sub_scale.begin(), one.sub_scale.end(), 1);
        std::fill(one.row_offset.begin(), one.row_offset.end(), 0);
        std::fill(one.bias.begin(), one.bias.end(), 0.25f);
        for (const auto field : {&Side::values, &Side::scale}) {
            const size_t count = (one.*field).size() / side.rows;
            std::fill_n((one.*field).begin() + row * count, count, 1.0f);
        }
        return one;
    };
    for (const auto& [row, column] : {std::pair{m - 1, n - 1}, {m / 2, rhs_tile.rows - 1}}) {
        check_clamps(one_row_of_ones(lhs, row), one_row_of_ones(rhs, column));
        if (HasFailure()) {
            return;
        }
    }
}

// One block alone makes the results, or one field of the sums and zero points. So deep that kernels take the columns in
// chunks (of 4096 k).
TEST_P(Matmul, ClampsWhatOneBlockMakes) {
    if (!rhs_format->blocks) {
        return;
    }
    const size_t n = std::min<size_t>(rhs_tile.rows + 1, 9), block = rhs_format->block;
    std::vector<Depth> depths = {{96, 32}};
    if (block != 0) {
        depths = {{3 * block, 0}};
        if (!(lhs_format->plain && wide())) {  // outer products of floats take all of k at a time (long_depths)
            depths.push_back({4096 + block, 0});
        }
    } else if ((!lhs_format->plain || rhs_format->is_f8()) && m_step * n_step < 512) {
        depths.insert(depths.end(), {{4128, 32}, {4256, 224}});
    }
    const std::vector<size_t> rows = few_and_many(one_row ? 1 : std::min<size_t>(lhs_tile.rows, 5));
    for (size_t i = 0; i < rows.size() * depths.size(); ++i) {
        const size_t m = rows[i % rows.size()];
        const auto [k, bl] = depths[i / rows.size()];
        const Side lhs = make_lhs(Data::exact, m, k, bl), rhs = make_rhs(Data::exact, n, k, bl);
        const size_t blocks = rhs.scales_per_row();
        for (const size_t block : {size_t{0}, blocks - 1, blocks}) {  // blocks: the other terms
            Side a = lhs, b = zero(rhs);
            for (size_t column = 0; column < n; ++column) {
                if (block < blocks) {
                    b.scale[column * blocks + block] = rhs.scale[column * blocks + block];
                } else if (!rhs.sum.empty()) {
                    b.sum[column] = rhs.sum[column];
                } else if (!rhs.offset.empty()) {
                    b.offset[column * blocks + blocks - 1] = rhs.offset[column * blocks + blocks - 1];
                }
            }
            if (!rhs.sum.empty()) {
                a.row_offset.assign(m, 3);
            }
            check_clamps(a, b);
            if (HasFailure()) {
                return;
            }
        }
    }
}

// Integer sums at both ends of int32: as large as a kernel can prove them to be.
TEST_P(Matmul, ClampsTheLargestSums) {
    if (lhs_format->row_offset == nullptr || has_blocks) {
        return;
    }
    const size_t m = whole_panels(several_rows()), n = std::min(several_columns(), rhs_tile.rows + 1);
    for (const size_t k : {size_t{32}, m_step * n_step >= 512 ? size_t{96} : size_t{4128}}) {
        Side lhs = make_lhs(Data::random, m, k, 0), rhs = make_rhs(Data::random, n, k, 0);
        // A row of zeros times its zero point: 2^31 or nearly so, exact in f32.
        std::fill(lhs.q.begin(), lhs.q.end(), int8_t{0});
        std::fill(rhs.bias.begin(), rhs.bias.end(), 0.0f);
        rhs.table = rhs.table.empty() ? rhs.table : std::vector<int32_t>{-2, -1, 0, 1};
        std::fill(rhs.q.begin(), rhs.q.end(), int8_t{0});
        for (int8_t& q : rhs.q) {
            q = has_table ? 2 : 0;
        }
        for (size_t column = 0; column < n; ++column) {  // a column's sum: -2
            rhs.q[column * k] = rhs.q[column * k + 1] = has_table ? 1 : -1;
            rhs.scale[column] = column % 3 == 0 ? 0x1p-20f : 0x1p-12f;
        }
        // What is stored of int4 is 16 times as large.
        const int32_t limit = rhs_format->stored_scale < 1 ? 1 << 26 : 1 << 30;
        for (size_t row = 0; row < m; ++row) {
            lhs.row_offset[row] = row % 3 == 0 ? limit : row % 3 == 1 ? 64 - limit : 1;
            lhs.scale[row] = 0.5f;
        }
        check_clamps(lhs, rhs);
    }
}

}  // namespace test::matmul
