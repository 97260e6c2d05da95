// f32 <- int8 in blocks of 256 x weights in super-blocks on NEON: the loop around rows (mr = 1).
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/superblocks/superblocks_neon.hpp"

#include "kai/engines/core/matmul_rows.hpp"

/// The usual case, one row of whole panels, is a tail call.
void kai_matmul_super_rows_neon(
    size_t m, size_t n, size_t k, const void* lhs, const void* rhs, float* dst, size_t dst_stride,
    const kai::SuperRowsKernel* kernel, float lo, float hi) {
    using namespace kai;
    const size_t blocks = k / kSuperBlock, rhs_stride = kernel->rhs_head + blocks * kernel->rhs_block;
    const uint8_t* first = bytes(rhs, kernel->rhs_head);
    if (m == 1 && n % 4 == 0 && n != 0) {
        return kernel->run(bytes(lhs), first, rhs_stride, dst, n / 4, blocks, lo, hi);
    }
    if (n == 0) {
        return;  // nothing is read
    }
    const Rows rows{m, n, 4, bytes(lhs), blocks * kernel->lhs_block, first, rhs_stride, dst, dst_stride, sizeof(float)};
    each_row(rows, [&](const uint8_t* row, const uint8_t* panels, void* out, size_t quads) {
        kernel->run(row, panels, rhs_stride, out, quads, blocks, lo, hi);
    });
}
