// f32 <- both operands in blocks, the RHS packed for SME, one row: the micro-kernels whose products of f16 scales are
// FMLAL (blocks_neon_panels_row.inc).
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/blocks/blocks_neon_panels.hpp"

#define KAI_PANEL_ROW(RHS) kai_panel_row_##RHS##_neon_i8mm_fhm
extern "C" kai::PanelBlocksRowFn KAI_PANEL_ROW(qsi4c32ps1s0scalef16), KAI_PANEL_ROW(qsi4c32ps1s0scalef16_long),
    KAI_PANEL_ROW(qlu4c32ps1s0scalef16), KAI_PANEL_ROW(qlu4c16ps1s0scalef16);

namespace kai {
namespace {

template <const Format& RHS, class T>
constexpr BlockPanelRowsKernel kPanelRowKernel = {};
template <class T>
constexpr BlockPanelRowsKernel kPanelRowKernel<qsi4c32ps1s0scalef16, T> = {
    panels_of_blocks<qsi4c32ps1s0scalef16>(), KAI_PANEL_ROW(qsi4c32ps1s0scalef16),
    KAI_PANEL_ROW(qsi4c32ps1s0scalef16_long), sizeof(T), BlockPanelRowsKernel::prepared_f16};
template <class T>
constexpr BlockPanelRowsKernel kPanelRowKernel<qlu4c32ps1s0scalef16, T> = {
    panels_of_blocks<qlu4c32ps1s0scalef16>(), KAI_PANEL_ROW(qlu4c32ps1s0scalef16), nullptr};
template <class T>
constexpr BlockPanelRowsKernel kPanelRowKernel<qlu4c16ps1s0scalef16, T> = {
    panels_of_blocks<qlu4c16ps1s0scalef16>(), KAI_PANEL_ROW(qlu4c16ps1s0scalef16), nullptr};

}  // namespace
}  // namespace kai

#define KAI_ISA_neon_i8mm_fhm KAI_LINES(KAI_DEFINE_MATMUL_BLOCK_PANELS)
#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, float, float, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qlu4c32p/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qsi4c32p/ukernels.def"
