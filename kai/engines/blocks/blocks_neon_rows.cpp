// Operands quantised in blocks, one row at a time: mr = 1. A row is assembly (RowFn). Blocks that are not of 32:
// blocks_neon_long_rows.cpp.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/blocks/blocks_neon.hpp"
#include "kai/engines/core/matmul_rows.hpp"

namespace kai {
namespace {

[[gnu::noinline]] void matmul_rows(
    const BlockRowsKernel& kernel, size_t m, size_t n, size_t k, size_t bl, const void* lhs, const void* rhs, void* dst,
    size_t dst_stride, float lo, float hi) {
    const BlockOperands& of = kernel.operands;
    if (n == 0) {
        return;  // without columns there is no table to load
    }
    const size_t blocks = blocks_of(k, bl), rhs_stride = of.rhs.stride(blocks, bl);
    const Rows rows{
        m,          n,   of.rhs.rows, bytes(lhs),      of.lhs.stride(blocks, bl), bytes(rhs, of.rhs.panel_head),
        rhs_stride, dst, dst_stride,  of.element_bytes};
    each_row(rows, [&](const uint8_t* row, const uint8_t* panels, void* out, size_t quads) {
        kernel.run(row, panels, rhs_stride, out, quads, blocks, lo, hi, bl, kernel.f16);
    });
}

}  // namespace
}  // namespace kai

/// The usual case, one row of whole panels, is a tail call.
void kai_matmul_block_rows_neon(
    size_t m, size_t n, size_t k, size_t bl, const void* lhs, const void* rhs, void* dst, size_t dst_stride,
    const kai::BlockRowsKernel* kernel, float lo, float hi) {
    const kai::BlockOperand& of = kernel->operands.rhs;
    if (m == 1 && n % 4 == 0 && n != 0 && bl == 32) {
        return kernel->run(
            kai::bytes(lhs), kai::bytes(rhs, of.panel_head), of.stride(k / 32, 32), dst, n / 4, k / 32, lo, hi, 32,
            kernel->f16);
    }
    kai::matmul_rows(*kernel, m, n, k, bl, lhs, rhs, dst, dst_stride, lo, hi);
}
