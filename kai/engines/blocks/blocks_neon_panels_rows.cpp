// One row in blocks after another, the RHS packed for SME, on NEON: the loop around rows (blocks_neon_panels.hpp).
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/blocks/blocks_neon_panels.hpp"

#include "kai/engines/core/limits.hpp"

void kai_matmul_block_panel_columns_neon(
    size_t m, size_t first, size_t n, size_t k, size_t bl, const void* lhs, const void* rhs, void* dst,
    size_t dst_stride, size_t nr, const kai::BlockPanelRowsKernel* kernel, float lo, float hi) {
    using namespace kai;
    const PanelsOfBlocks& of = kernel->rhs;
    const size_t blocks = k / bl, chunks = bl / 32, stride = rhs_stride_of(of, nr, k, blocks),
                 element = kernel->element;
    PanelBlocksRowFn* const run = chunks == 1 ? kernel->run : kernel->long_run;
    for (size_t i = 0; i < m; ++i) {
        const uint8_t* row = bytes(lhs, i * row_bytes(of, k, blocks));
        const uint8_t* panel = bytes(rhs, nr * of.head);
        uint8_t* out = bytes(dst, i * dst_stride);
        for (size_t j = 0; j < n; j += nr, panel += stride, out += nr * element) {
            const size_t columns = n - j < nr ? n - j : nr;
            if (columns % 16 == 0) {
                run(row, panel, nr, out, columns / 16, blocks, chunks, element == 2, first, lo, hi);
            } else {
                float results[BlockPanelsLimits::kColumns];
                run(row, panel, nr, results, columns / 16 + 1, blocks, chunks, element == 2, first, lo, hi);
                __builtin_memcpy(out, results, columns * element);
            }
        }
    }
}
