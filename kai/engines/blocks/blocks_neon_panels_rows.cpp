// One row in blocks after another, the RHS packed for SME, on NEON: the loop around rows (blocks_neon_panels.hpp).
//
// int4 with USDOT: a row of blocks of 32 k, if it is not too deep, is prepared once for all columns, so that a tile of
// 16 columns spends no operation on it: UZP1, UZP2, the sum of the row, its scale would be 7 of 107 in Q4_0.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/blocks/blocks_neon_panels.hpp"

#include "kai/engines/core/limits.hpp"
#include "kai/engines/core/neon.hpp"

namespace kai {
namespace {

/// 32 k of a row: even k, which meet low nibbles, and odd ones. fields: the scale, f32, or f16 as it is packed; with
/// zeros the sum of the row, then the scale. start: of sums of 16 * nibble * row, so that they become those of the
/// weights: -128 * the sum of the row.
struct PreparedBlock {
    uint8_t even[16], odd[16];
    float fields[2];
    int32_t start, unused;
};
static_assert(sizeof(PreparedBlock) == 48, "blocks_neon_panels_row.inc");

void prepare(const uint8_t* row, size_t blocks, const BlockPanelRowsKernel& kernel, PreparedBlock* out) {
    const bool zeros = kernel.rhs.has_zeros;
    const uint8_t* scale = row + 32 * blocks;
    for (size_t b = 0; b < blocks; ++b, ++out, row += zeros ? 40 : 32, scale += 2) {
        const int8x16_t a = load_s8x16(row), c = load_s8x16(row + 16);
        store(out->even, vuzp1q_s8(a, c));
        store(out->odd, vuzp2q_s8(a, c));
        out->start = -128 * vaddvq_s16(vpadalq_s8(vpaddlq_s8(a), c));
        if (zeros) {
            __builtin_memcpy(out->fields, row + 32, sizeof(out->fields));
        } else if (kernel.row == BlockPanelRowsKernel::prepared_f16) {
            __builtin_memcpy(out->fields, scale, 2);
        } else {
            out->fields[0] = load_f16(scale);
        }
    }
}

/// Its stack is used by such rows only.
[[gnu::noinline]] void multiply_prepared(
    size_t first, size_t n, size_t k, const uint8_t* row, const void* rhs, void* dst, size_t nr,
    const BlockPanelRowsKernel& kernel, float lo, float hi) {
    alignas(16) PreparedBlock blocks[BlockPanelsLimits::kPreparedBlocks];
    prepare(row, k / 32, kernel, blocks);
    const BlockPanelRowsKernel run = {kernel.rhs, kernel.run, nullptr, kernel.element};
    kai_matmul_block_panel_columns_neon(1, first, n, k, 32, blocks, rhs, dst, 0, nr, &run, lo, hi);
}

}  // namespace
}  // namespace kai

void kai_matmul_block_panel_columns_neon(
    size_t m, size_t first, size_t n, size_t k, size_t bl, const void* lhs, const void* rhs, void* dst,
    size_t dst_stride, size_t nr, const kai::BlockPanelRowsKernel* kernel, float lo, float hi) {
    using namespace kai;
    const PanelsOfBlocks& of = kernel->rhs;
    const size_t blocks = k / bl, chunks = bl / 32, stride = rhs_stride_of(of, nr, k, blocks),
                 element = kernel->element;
    const bool packed = kernel->row == BlockPanelRowsKernel::packed;
    const bool prepares = !packed && chunks == 1 && blocks <= BlockPanelsLimits::kPreparedBlocks;
    PanelBlocksRowFn* const run = packed && chunks == 1 ? kernel->run : kernel->long_run;
    for (size_t i = 0; i < m && n != 0; ++i) {
        const uint8_t* row = bytes(lhs, i * row_bytes(of, k, blocks));
        const uint8_t* panel = bytes(rhs, nr * of.head);
        uint8_t* out = bytes(dst, i * dst_stride);
        if (prepares) {
            multiply_prepared(first, n, k, row, rhs, out, nr, *kernel, lo, hi);
            continue;
        }
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
