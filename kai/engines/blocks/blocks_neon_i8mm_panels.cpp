// f32 and f16 <- both operands in blocks, the RHS packed for SME, with USDOT: the micro-kernels
// (blocks_neon_panels.hpp).
//
// The weights are nibbles, 8 more than they mean. A row of blocks of 32 k, if it is not too deep, is prepared once for
// all columns, so that a tile of 16 columns spends no operation on it: UZP1, UZP2, the sum of the row, its scale are 7
// of 107 in Q4_0.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/blocks/blocks_neon_panels.hpp"
#include "kai/engines/core/limits.hpp"
#include "kai/engines/core/neon.hpp"

#define KAI_PANEL_ROW(RHS) kai_panel_row_##RHS##_neon_i8mm, kai_panel_row_##RHS##_long_neon_i8mm
extern "C" kai::PanelBlocksRowFn KAI_PANEL_ROW(qsi4c32ps1s0scalef16), KAI_PANEL_ROW(qai4c32ps1s0nrx4);

namespace kai {
namespace {

/// 32 k of a row: even k, which meet low nibbles, and odd ones. fields: the scale; with zeros the sum of the row, then
/// the scale. start: of sums of 16 * nibble * row, so that they become those of the weights: -128 * the sum of the row.
struct PreparedBlock {
    uint8_t even[16], odd[16];
    float fields[2];
    int32_t start, unused;
};
static_assert(sizeof(PreparedBlock) == 48, "blocks_neon_panels_row.inc");

void prepare(const uint8_t* row, size_t blocks, bool zeros, PreparedBlock* out) {
    const uint8_t* scale = row + 32 * blocks;
    for (size_t b = 0; b < blocks; ++b, ++out, row += zeros ? 40 : 32, scale += 2) {
        const int8x16_t a = load_s8x16(row), c = load_s8x16(row + 16);
        store(out->even, vuzp1q_s8(a, c));
        store(out->odd, vuzp2q_s8(a, c));
        out->start = -128 * vaddvq_s16(vpadalq_s8(vpaddlq_s8(a), c));
        if (zeros) {
            __builtin_memcpy(out->fields, row + 32, sizeof(out->fields));
        } else {
            out->fields[0] = load_f16(scale);
        }
    }
}

/// `run` takes PreparedBlocks, `long_run` rows as they are packed.
struct PreparedRowsKernel {
    BlockPanelRowsKernel of;
};

/// Its stack is used by such rows only.
[[gnu::noinline]] void prepared_row(
    size_t first, size_t n, size_t k, const uint8_t* row, const void* rhs, void* dst, size_t dst_stride, size_t nr,
    const BlockPanelRowsKernel& kernel, float lo, float hi) {
    alignas(16) PreparedBlock blocks[BlockPanelsLimits::kPreparedBlocks];
    prepare(row, k / 32, kernel.rhs.has_zeros, blocks);
    kai_matmul_block_panel_columns_neon(1, first, n, k, 32, blocks, rhs, dst, dst_stride, nr, &kernel, lo, hi);
}

/// What KAI_DEFINE_MATMUL_BLOCK_PANELS calls for these kernels.
void kai_matmul_block_panel_columns_neon(
    size_t m, size_t first, size_t n, size_t k, size_t bl, const void* lhs, const void* rhs, void* dst,
    size_t dst_stride, size_t nr, const PreparedRowsKernel* kernel, float lo, float hi) {
    const BlockPanelRowsKernel& of = kernel->of;
    if (bl != 32 || k / 32 > BlockPanelsLimits::kPreparedBlocks) {
        const BlockPanelRowsKernel packed = {of.rhs, of.long_run, of.long_run, of.element};
        ::kai_matmul_block_panel_columns_neon(m, first, n, k, bl, lhs, rhs, dst, dst_stride, nr, &packed, lo, hi);
        return;
    }
    for (size_t i = 0; i < m && n != 0; ++i) {
        prepared_row(
            first, n, k, bytes(lhs, i * row_bytes(of.rhs, k, k / 32)), rhs, bytes(dst, i * dst_stride), dst_stride, nr,
            of, lo, hi);
    }
}

template <const Format& RHS, class T>
constexpr PreparedRowsKernel kPanelRowKernel = {};
template <class T>
constexpr PreparedRowsKernel kPanelRowKernel<qsi4c32ps1s0scalef16, T> = {
    {panels_of_blocks<qsi4c32ps1s0scalef16>(), KAI_PANEL_ROW(qsi4c32ps1s0scalef16), sizeof(T)}};
template <class T>
constexpr PreparedRowsKernel kPanelRowKernel<qai4c32ps1s0nrx4, T> = {
    {panels_of_blocks<qai4c32ps1s0nrx4>(), KAI_PANEL_ROW(qai4c32ps1s0nrx4), sizeof(T)}};

}  // namespace
}  // namespace kai

#define KAI_ISA_neon_i8mm KAI_LINES(KAI_DEFINE_MATMUL_BLOCK_PANELS)
#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, float, float, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qai4c32p/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qlu4c32p/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qsi4c32p/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qsi8c32p/ukernels.def"
#undef KAI_UKERNEL
#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, uint16_t, void, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f16_qsi8d32p_qai4c32p/ukernels.def"
