// f32 and f16 <- both operands in blocks, the RHS packed for SME, with USDOT: the micro-kernels
// (blocks_neon_panels.hpp).
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/blocks/blocks_neon_panels.hpp"

#define KAI_PANEL_ROW(RHS) kai_panel_row_##RHS##_neon_i8mm, kai_panel_row_##RHS##_long_neon_i8mm
extern "C" kai::PanelBlocksRowFn KAI_PANEL_ROW(qsi4c32ps1s0scalef16), KAI_PANEL_ROW(qai4c32ps1s0nrx4);

namespace kai {
namespace {

template <const Format& RHS, class T>
constexpr BlockPanelRowsKernel kPanelRowKernel = {};
template <class T>
constexpr BlockPanelRowsKernel kPanelRowKernel<qsi4c32ps1s0scalef16, T> = {
    panels_of_blocks<qsi4c32ps1s0scalef16>(), KAI_PANEL_ROW(qsi4c32ps1s0scalef16), sizeof(T),
    BlockPanelRowsKernel::prepared};
template <class T>
constexpr BlockPanelRowsKernel kPanelRowKernel<qai4c32ps1s0nrx4, T> = {
    panels_of_blocks<qai4c32ps1s0nrx4>(), KAI_PANEL_ROW(qai4c32ps1s0nrx4), sizeof(T), BlockPanelRowsKernel::prepared};

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
