// Sizes, steps and offsets; rows of one call.
//
// SPDX-License-Identifier: Apache-2.0
#include "test/matmul/fixture.hpp"
#include "test/support/ending.hpp"
#include "test/support/library_build.hpp"

namespace test::matmul {

TEST_P(Matmul, GettersAgree) {
    const auto padded = [&](size_t k, size_t group) {  // every chunk
        const Chunks c(k);
        return indirect ? c.count * ((c.length + group - 1) / group * group) : k;
    };
    EXPECT_GT(lhs_tile.rows, 0u);
    EXPECT_GT(rhs_tile.rows, 0u);
    EXPECT_EQ(lhs_tile.kr % lhs_tile.sr, 0u);
    EXPECT_EQ(m_step % lhs_tile.rows, 0u);
    EXPECT_EQ(n_step % rhs_tile.rows, 0u);
    for (const auto& [k, any_bl] : depths()) {
        const size_t bl = length(any_bl);
        const size_t group = rhs_tile.kr / rhs_tile.sr, stored = padded(k, group);
        const size_t lhs_stride =
            by_pointers ? Chunks(k).count * sizeof(void*)
                        : lhs_format->stride({lhs_tile.rows, lhs_tile.kr, lhs_tile.sr, stored, lhs_block(bl)});
        const size_t rhs_stride = rhs_panel_stride(stored, bl);
        const size_t lhs_panel = lhs_format->packed ? lhs_tile.rows : m_step;
        for (const size_t panel : {0, 1, 2, 7, 1000}) {  // between steps, and past the end of any matrix
            if (!unified || lhs_format->packed) {
                EXPECT_EQ(lhs_offset(panel * lhs_panel, k, bl), panel * lhs_panel / lhs_tile.rows * lhs_stride)
                    << k << " " << bl;
            }
            EXPECT_EQ(rhs_offset(panel * rhs_panel(), k, bl), panel * rhs_panel() / rhs_tile.rows * rhs_stride)
                << k << " " << bl;
        }
    }
    EXPECT_EQ(dst_offset(3 * m_step, 2 * n_step, 4096), 3 * m_step * 4096 + 2 * n_step * element);
    if (!unified) {
        EXPECT_EQ(checked_call(u.get_dst_size, size_t{5}, size_t{7}), 5u * 7 * element);
        EXPECT_EQ(checked_call(u.get_dst_size, size_t{0}, size_t{7}), 0u);
    }
}

TEST_P(Matmul, UnifiedGettersAgree) {
    if (!unified) {
        return;
    }
    const kai_matmul_uker_dim_args step = api.get_step(nullptr);
    EXPECT_EQ(step.m, m_step);
    EXPECT_EQ(step.n, n_step);
    EXPECT_EQ(step.k, 0u);
    const kai_matmul_uker_dst_dim_args shape = {5, 7};
    EXPECT_EQ(api.get_dst_stride(nullptr, &shape).m, 7 * element);
    const kai_matmul_uker_dst_stride_args row = {1000};
    EXPECT_EQ(checked_call(api.get_dst_size, nullptr, &shape, &row), 5000u);
    const kai_matmul_uker_config config = {};
    EXPECT_EQ(api.get_step(&config).m, m_step);
    // Offsets follow the stride of the call, which may be larger than the dense one.
    const kai_matmul_uker_lhs_dim_args lhs_index = {3 * m_step, 0};
    const kai_matmul_uker_lhs_stride_args lhs_stride = {12345};
    EXPECT_EQ(checked_call(api.get_lhs_offset, nullptr, &lhs_index, &lhs_stride), 3 * m_step / lhs_tile.rows * 12345);
    const kai_matmul_uker_rhs_dim_args rhs_index = {3 * n_step, 0};
    const kai_matmul_uker_rhs_stride_args rhs_stride = {12345};
    EXPECT_EQ(checked_call(api.get_rhs_offset, nullptr, &rhs_index, &rhs_stride), 3 * n_step / rhs_tile.rows * 12345);
}

// Indices of 2^36 and depths of 2^33: no intermediate value of an offset may be truncated to 32 bits.
TEST_P(Matmul, GettersBeyond32Bits) {
    const size_t huge = size_t{1} << 36, m_idx = huge / m_step * m_step, n_idx = huge / n_step * n_step;
    const size_t lhs_rows = lhs_tile.rows, rhs_rows = rhs_tile.rows, lhs_panel = lhs_format->packed ? lhs_rows : m_step;
    const size_t bl = has_blocks ? 32 : 0, group = rhs_tile.kr / rhs_tile.sr;
    for (const size_t k : {typical_depth().k, huge / 8}) {
        const size_t stored = indirect ? Chunks(k).stored(group) : k;
        const size_t lhs_stride = by_pointers
                                      ? Chunks(k).count * sizeof(void*)
                                      : lhs_format->stride({lhs_rows, lhs_tile.kr, lhs_tile.sr, stored, lhs_block(bl)});
        const size_t rhs_stride = rhs_panel_stride(stored, bl);
        const size_t m = k < huge / 8 ? m_idx : 3 * lhs_panel, n = k < huge / 8 ? n_idx : 3 * rhs_panel();
        if (one_row) {
            EXPECT_EQ(lhs_offset(0, k, bl), 0u);
        } else {
            EXPECT_EQ(lhs_offset(m, k, bl), m / lhs_rows * lhs_stride) << "m_idx " << m << ", k " << k;
        }
        EXPECT_EQ(rhs_offset(n, k, bl), n / rhs_rows * rhs_stride) << "n_idx " << n << ", k " << k;
    }
    EXPECT_EQ(dst_offset(m_idx, 0, 4096), m_idx * 4096);
    EXPECT_EQ(dst_offset(0, n_idx, 4096), n_idx * element);
    EXPECT_EQ(dst_offset(3 * m_step, 3 * n_step, huge), 3 * m_step * huge + 3 * n_step * element);
    if (!unified) {
        const size_t side = (size_t{1} << 20) + 1;
        EXPECT_EQ(checked_call(u.get_dst_size, side, side), side * side * element);
        return;
    }
    const kai_matmul_uker_dst_dim_args shape = {3, huge};
    EXPECT_EQ(api.get_dst_stride(nullptr, &shape).m, huge * element);
    const kai_matmul_uker_dst_stride_args row = {huge};
    EXPECT_EQ(checked_call(api.get_dst_size, nullptr, &shape, &row), 3 * huge);
    const kai_matmul_uker_lhs_dim_args lhs_index = {3 * lhs_rows, 0};
    const kai_matmul_uker_lhs_stride_args lhs_stride = {huge};
    EXPECT_EQ(checked_call(api.get_lhs_offset, nullptr, &lhs_index, &lhs_stride), 3 * huge);
    const kai_matmul_uker_rhs_dim_args rhs_index = {3 * rhs_rows, 0};
    const kai_matmul_uker_rhs_stride_args rhs_stride = {huge};
    EXPECT_EQ(checked_call(api.get_rhs_offset, nullptr, &rhs_index, &rhs_stride), 3 * huge);
}

// What kai_ukernel.rows promises: any m in one call, except for kernels of one row.
TEST_P(Matmul, RowsOfOneCall) {
    const auto [k, bl] = typical_depth();
    const size_t n = several_columns();
    const Side lhs = make_lhs(Data::random, 37, k, bl), rhs = make_rhs(Data::random, n, k, bl);
    check(lhs.part(0, one_row ? 1 : 37), rhs, {}, {3, Flush::end});
    EXPECT_TRUE(u.rows == KAI_ROWS_MANY || m_step == 1);
    if (library_asserts && one_row) {
        EXPECT_ABORT(run(lhs.part(0, 2), rhs), "0 (or|nor) 1");
    }
}

}  // namespace test::matmul
