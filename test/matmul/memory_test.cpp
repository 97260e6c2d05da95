// Where operands and results lie: gaps between rows, strides of GiB, the caller's ZA.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "test/matmul/fixture.hpp"
#include "test/support/sparse_buffer.hpp"

namespace test::matmul {

// Rows that are not packed further apart than their elements.
TEST_P(Matmul, RowsWithGaps) {
    if (!takes_lhs_rows || one_row) {
        return;
    }
    const size_t k = typical_depth().k, m = 13, bytes = lhs_format->bits() / 8;
    for (const size_t n : {several_columns(), n_step + 1, size_t{1}}) {
        const Side lhs = make_lhs(Data::random, m, k, 0), rhs = make_rhs(Data::random, n, k, 0);
        const Operands dense = packed(lhs, rhs);
        const std::vector<float> want = run(dense);
        for (const size_t gap : {bytes, 17 * bytes}) {
            Operands o(
                lhs, rhs, lines_with_gaps(dense.lhs, dense.lhs_stride, gap),
                rhs_format->packed ? dense.rhs.bytes() : lines_with_gaps(dense.rhs, dense.rhs_stride, 3 * gap));
            o.lhs_stride = dense.lhs_stride + gap;
            o.rhs_stride = dense.rhs_stride + 3 * gap;
            EXPECT_TRUE(same_bits(run(o), want)) << "n " << n << ", gaps of " << gap << " bytes";
        }
    }
}

// Rows of the output, rows of the LHS, panels of the unified API that lie GiB apart.
TEST_P(Matmul, StridesBeyond32Bits) {
    const size_t k = has_blocks ? 32 : whole(67), bl = has_blocks ? 32 : 0;  // sums of 2-bit weights that show in int8
    // Kernels of small tiles may take 64 rows at a time.
    const size_t m = one_row ? 1 : m_step * n_step < 512 ? 67 : m_step + 1, n = several_columns();
    Operands o = packed(make_lhs(Data::random, m, k, bl), make_rhs(Data::random, n, k, bl));
    const std::vector<float> want = run(o);
    // Kernels may store few rows, and columns that fill panels, in another way.
    const Operands few =
        packed(make_lhs(Data::random, one_row ? 1 : 7, k, bl), make_rhs(Data::random, (n + 7) / 8 * 8, k, bl));
    const std::vector<float> want_of_few = run(few);
    const size_t panels_m = (m + lhs_tile.rows - 1) / lhs_tile.rows;
    const size_t panels_n = (n + rhs_tile.rows - 1) / rhs_tile.rows;
    for (const size_t stride : kLargeStrides) {
        SCOPED_TRACE(stride);
        const auto rows_apart = [&](const Operands& x) {
            const SparseBuffer dst((x.m - 1) * stride + x.n * element);
            call(x.m, x.n, x, x.lhs.data(), x.rhs.data(), dst.data(), stride, {});
            return floats_of(dst.data(), stride, x.m, x.n);
        };
        EXPECT_TRUE(same_bits(rows_apart(o), want)) << "rows of dst";
        EXPECT_TRUE(same_bits(rows_apart(few), want_of_few)) << "few rows of dst";

        if (takes_lhs_rows && !one_row) {
            const size_t length = o.lhs_stride;
            const SparseBuffer lhs(o.lhs.data(), m, length, stride);
            const GuardedBuffer dense(m * n * element, Flush::end, kNan);
            o.lhs_stride = stride;
            call(m, n, o, lhs.data(), o.rhs.data(), dense.data(), n * element, {});
            o.lhs_stride = length;
            EXPECT_TRUE(same_bits(floats_of(dense), want)) << "rows of the LHS";
        }
        if (!rhs_format->packed) {
            const size_t length = o.rhs_stride;
            const SparseBuffer rhs(o.rhs.data(), o.rhs.size() / length, length, stride);
            const GuardedBuffer dense(m * n * element, Flush::end, kNan);
            o.rhs_stride = stride;
            call(m, n, o, o.lhs.data(), rhs.data(), dense.data(), n * element, {});
            o.rhs_stride = length;
            EXPECT_TRUE(same_bits(floats_of(dense), want)) << "rows of the RHS";
        } else if (unified) {
            const SparseBuffer lhs(o.lhs.data(), panels_m, o.lhs.size() / panels_m, stride);
            // Kernels of an LHS that is not packed ignore this stride: their panels follow each other (kai_matmul.h).
            const size_t panel = o.rhs.size() / panels_n, distance = lhs_format->packed ? stride : panel;
            const SparseBuffer rhs(o.rhs.data(), panels_n, panel, distance);
            const GuardedBuffer dense(m * n * element, Flush::end, kNan);
            panel_stride = stride;
            call(m, n, o, lhs.data(), rhs.data(), dense.data(), n * element, {});
            panel_stride = 0;
            EXPECT_TRUE(same_bits(floats_of(dense), want)) << "panels of both operands";
        }
        if (HasFailure()) {
            return;
        }
    }
}

TEST_P(Matmul, KeepsTheCallersZa) {
    if (kai_cpu_sme_bytes() == 0) {
        return;  // there is no ZA
    }
    const auto [k, bl] = typical_depth();
    const size_t m = several_rows(), n = several_columns();
    const Side lhs = make_lhs(Data::random, m, k, bl), rhs = make_rhs(Data::random, n, k, bl);
    const std::vector<float> expected = run(lhs, rhs);
    const LiveZa live_za;
    EXPECT_TRUE(same_bits(run(lhs, rhs), expected));
    run(lhs.part(0, 0), rhs);  // a call that returns early, too
}

}  // namespace test::matmul
