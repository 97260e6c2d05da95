// Numbers of rows and columns, and depths.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "test/matmul/fixture.hpp"
#include "test/support/threads.hpp"

namespace test::matmul {

namespace {

/// The top left m x n of `full`, whose rows have `width` elements.
std::vector<float> top_left(const std::vector<float>& full, size_t width, size_t m, size_t n) {
    std::vector<float> part;
    for (size_t i = 0; i < m; ++i) {
        part.insert(part.end(), full.begin() + i * width, full.begin() + i * width + n);
    }
    return part;
}

}  // namespace

// All shapes at one depth: the largest against the reference, the others bit by bit against the largest.
TEST_P(Matmul, Shapes) {
    const auto [k, bl] = typical_depth();
    const size_t width = many_columns();
    const Side lhs = make_lhs(Data::random, many_rows(), k, bl), rhs = make_rhs(Data::random, width, k, bl);
    const std::vector<float> full = check(lhs, rhs);
    size_t count = 0;
    for (const size_t m : rows()) {
        for (const size_t n : columns()) {
            // Tails along M and along N are independent; both at once only near the corner.
            const bool small = !vast() && m <= several_rows() && n <= several_columns();
            const bool one = !vast() && (m == 1 || n == 1), whole = m == m_step && n == n_step;
            if (!small && !one && !whole && m != m_step + 1 && n != n_step + 1) {
                continue;
            }
            const size_t gap = count++ % 3 * 5;
            for (const Flush flush : {Flush::end, Flush::start}) {
                if (flush == Flush::start && count % 4 != 0) {
                    continue;  // reads before a buffer are rare: a few shapes will do
                }
                const auto part = run(lhs.part(0, m), rhs.part(0, n), {}, {gap, flush});
                EXPECT_TRUE(same_bits(part, top_left(full, width, m, n)))
                    << "m " << m << ", n " << n << " differs from the whole";
                if (HasFailure()) {
                    return;
                }
            }
        }
    }
}

// Any rectangle that starts at multiples of the steps, computed alone, gives the bits of the whole.
TEST_P(Matmul, Rectangles) {
    const auto [k, bl] = typical_depth();
    const size_t m = many_rows(), n = many_columns(), gap = 2;
    const Side lhs = make_lhs(Data::random, m, k, bl), rhs = make_rhs(Data::random, n, k, bl);
    const Operands o = packed(lhs, rhs);
    const std::vector<float> full = run(o, {}, {gap, Flush::end});

    const size_t stride = (n + gap) * element;
    for (const auto& [rows_of_part, columns_of_part] :
         {std::pair{m_step, n_step}, {m_step, 2 * n_step}, {2 * m_step, n_step}}) {
        if ((one_row && rows_of_part > 1) || (vast() && rows_of_part * columns_of_part > m_step * n_step)) {
            continue;
        }
        const GuardedBuffer dst((m - 1) * stride + n * element, Flush::end, kNan);
        // The last part first: order must not matter.
        for (size_t i = (m - 1) / rows_of_part + 1; i-- > 0;) {
            for (size_t j = (n - 1) / columns_of_part + 1; j-- > 0;) {
                const size_t m_idx = i * rows_of_part, n_idx = j * columns_of_part;
                const size_t offset = dst_offset(m_idx, n_idx, stride);
                call(
                    std::min(rows_of_part, m - m_idx), std::min(columns_of_part, n - n_idx), o,
                    o.lhs.data() + lhs_offset(m_idx, k, bl), o.rhs.data() + rhs_offset(n_idx, k, bl),
                    dst.data() + offset, stride, {}, m_idx, n_idx);
            }
        }
        ASSERT_EQ(difference(dst.data(), stride, m, n, full.data()), "");
    }
}

TEST_P(Matmul, Depths) {
    for (const auto& [k, bl] : depths()) {
        for (const size_t m : few_and_many(one_row ? 1 : lhs_tile.rows + 1)) {
            const size_t n = several_columns();
            check(make_lhs(Data::random, m, k, bl), make_rhs(Data::random, n, k, bl), {}, {3, Flush::end});
            check_exactly(make_lhs(Data::exact, m, k, bl), make_rhs(Data::exact, n, k, bl), {3, Flush::end});
            if (HasFailure()) {
                return;
            }
        }
    }
}

TEST_P(Matmul, ZeroDepthGivesTheClampedBias) {
    const size_t bl = has_blocks ? 32 : 0, n = several_columns();
    for (const Clamp clamp : {Clamp{}, whole({0.25f, 0.5f}), whole({-0.5f, -0.125f})}) {
        if (!clamps && clamp.hi < kInf) {
            continue;
        }
        for (const size_t m : few_and_many(several_rows())) {
            check(make_lhs(Data::random, m, 0, bl), make_rhs(Data::random, n, 0, bl), clamp);
        }
    }
}

TEST_P(Matmul, LongDepths) {
    for (const auto& [k, bl] : long_depths()) {
        check(make_lhs(Data::random, std::min<size_t>(m_step, 3), k, bl), make_rhs(Data::random, 5, k, bl));
        for (const size_t m : few_and_many(std::min<size_t>(several_rows(), 17))) {
            check_exactly(make_lhs(Data::exact, m, k, bl), make_rhs(Data::exact, 19, k, bl));
        }
    }
}

// Kernels with panels of 4 rows take fewer rows at a time when k is large.
TEST_P(Matmul, LongRectangles) {
    if (one_row) {
        return;
    }
    const auto [k, bl] = long_depths()[0];
    const size_t m = m_step == 1 ? 3 : lhs_tile.rows == 4 ? 70 : 2 * m_step + 1;
    const size_t n = std::max<size_t>(11, n_step + 1), stride = n * element;
    const Operands o = packed(make_lhs(Data::random, m, k, bl), make_rhs(Data::random, n, k, bl));
    const std::vector<float> full = run(o);
    for (size_t m_idx = 0; m_idx < m; m_idx += m_step) {
        const size_t rows = std::min(m_step, m - m_idx);
        const GuardedBuffer dst(rows * stride, Flush::end, kNan);
        call(rows, n, o, o.lhs.data() + lhs_offset(m_idx, k, bl), o.rhs.data(), dst.data(), stride, {}, m_idx);
        ASSERT_EQ(difference(dst.data(), stride, rows, n, full.data() + m_idx * n), "")
            << "from row " << m_idx << " on";
    }
}

// More columns than a cache holds of the RHS, with a row after those of a tile: kernels with panels of 4 rows may take
// them in parts.
TEST_P(Matmul, LongColumns) {
    if (lhs_tile.rows != 4 || one_row) {
        return;
    }
    for (const auto& [k, bl] : {long_depths().back(), has_blocks ? Depth{1024, 256} : Depth{1024, 0}}) {
        check_exactly(make_lhs(Data::exact, 25, k, bl), make_rhs(Data::exact, 41, k, bl), {3, Flush::end});
    }
}

// Rectangles of one output, computed by threads that share the operands, have the bits of one call.
TEST_P(Matmul, Threads) {
    const size_t k = typical_depth().k, bl = typical_depth().bl;
    const size_t rows_of_part = (few_and_many(m_step).back() + m_step - 1) / m_step * m_step;
    const size_t m = one_row ? 1 : std::max<size_t>(2 * rows_of_part + 1, 9);
    const size_t n = (one_row && n_step <= 64 ? 7 : 3) * n_step + 1, stride = n * element;
    const Operands o = packed(make_lhs(Data::random, m, k, bl), make_rhs(Data::random, n, k, bl));
    const std::vector<float> want = run(o);
    const GuardedBuffer dst(m * stride, Flush::end, kNan);
    const size_t in_a_row = (n - 1) / n_step + 1, count = ((m - 1) / rows_of_part + 1) * in_a_row;
    in_threads(count, [&](size_t i) {
        const size_t m_idx = i / in_a_row * rows_of_part, n_idx = i % in_a_row * n_step;
        call(
            std::min(rows_of_part, m - m_idx), std::min(n_step, n - n_idx), o, o.lhs.data() + lhs_offset(m_idx, k, bl),
            o.rhs.data() + rhs_offset(n_idx, k, bl), dst.data() + dst_offset(m_idx, n_idx, stride), stride, {}, m_idx,
            n_idx);
    });
    EXPECT_TRUE(same_bits(floats_of(dst), want));
}

}  // namespace test::matmul
