// One row in blocks of 256 after another, super-blocks packed for SME, on NEON: the loop around rows
// (superblocks_neon_panels.hpp).
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/superblocks/superblocks_neon_panels.hpp"

#include "kai/engines/core/limits.hpp"

void kai_matmul_super_panel_columns_neon(
    size_t m, size_t first, size_t n, size_t k, const void* lhs, const void* rhs, void* dst, size_t dst_stride,
    size_t nr, const kai::SuperPanelRowsKernel* kernel, float lo, float hi) {
    using namespace kai;
    const size_t blocks = k / kSuperBlock, stride = nr * (kernel->rhs_head + blocks * kernel->rhs_column);
    for (size_t i = 0; i < m; ++i) {
        const uint8_t* const row = bytes(lhs, i * blocks * kernel->lhs_block);
        const uint8_t* panel = bytes(rhs);
        uint8_t* out = bytes(dst, i * dst_stride);
        for (size_t j = 0; j < n; j += nr, panel += stride, out += nr * sizeof(float)) {
            const size_t columns = n - j < nr ? n - j : nr;
            if (columns % 16 == 0) {
                kernel->run(row, panel, nr, out, columns / 16, blocks, first, lo, hi);
            } else {
                float results[SuperPanelsLimits::kColumns];
                kernel->run(row, panel, nr, results, columns / 16 + 1, blocks, first, lo, hi);
                __builtin_memcpy(out, results, columns * sizeof(float));
            }
        }
    }
}
