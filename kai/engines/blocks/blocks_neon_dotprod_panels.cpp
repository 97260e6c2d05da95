// f32 and f16 <- both operands in blocks, the RHS packed for SME, with SDOT: the micro-kernels
// (blocks_neon_panels.hpp).
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/blocks/blocks_neon_panels.hpp"

#define KAI_PANEL_TILES(KIND)                                                                                   \
    kai_tile_##KIND##_4x4_neon_dotprod, kai_tile_##KIND##_5x4_neon_dotprod, kai_tile_##KIND##_6x4_neon_dotprod, \
        kai_tile_##KIND##_7x4_neon_dotprod, kai_tile_##KIND##_8x4_neon_dotprod
#define KAI_PANEL_ROW(RHS) kai_panel_row_##RHS##_neon_dotprod
extern "C" {
kai::TileFn KAI_PANEL_TILES(panels), KAI_PANEL_TILES(panels_long), KAI_PANEL_TILES(panels_runs),
    KAI_PANEL_TILES(panels_zeros), KAI_PANEL_TILES(panels_zeros_long);
kai::PanelBlocksRowFn KAI_PANEL_ROW(qsi8c32pscalef16), KAI_PANEL_ROW(qsi8c32pscalef16_long),
    KAI_PANEL_ROW(qsi4c32ps4s0sf16), KAI_PANEL_ROW(qsi4c32ps4s0sf16_long), KAI_PANEL_ROW(qlu4c32ps1s0scalef16),
    KAI_PANEL_ROW(qlu4c32ps1s0scalebf16), KAI_PANEL_ROW(qlu4c16ps1s0scalef16), KAI_PANEL_ROW(qsi2c32pscalef16);
}

namespace kai {
namespace {

constexpr PanelTiles kTiles = {{KAI_PANEL_TILES(panels)}}, kLongTiles = {{KAI_PANEL_TILES(panels_long)}},
                     kRunTiles = {{KAI_PANEL_TILES(panels_runs)}}, kZerosTiles = {{KAI_PANEL_TILES(panels_zeros)}},
                     kLongZerosTiles = {{KAI_PANEL_TILES(panels_zeros_long)}};

template <const Format& RHS, class T>
constexpr BlockPanelsKernel kernel(GatherFn* gather) {
    const bool zeros = RHS.block_tail != 0, runs = RHS.block_head == 4;
    return {
        panels_of_blocks<RHS>(),
        gather,
        zeros  ? &kZerosTiles
        : runs ? &kRunTiles
               : &kTiles,
        zeros ? &kLongZerosTiles : &kLongTiles,
        &kLongTiles,
        sizeof(T)};
}
template <const Format& RHS, class T>
constexpr BlockPanelsKernel kPanelKernel = {};
template <const Format& RHS, class T>
constexpr BlockPanelRowsKernel kPanelRowKernel = {};

/// What decodes a format; the functions for one row of it, of blocks of 32 and of longer ones.
#define KAI_PANELS_MANY(RHS, GATHER) \
    template <class T>               \
    constexpr BlockPanelsKernel kPanelKernel<RHS, T> = kernel<RHS, T>(GATHER);
#define KAI_PANELS_ONE(RHS, LONG) \
    template <class T>            \
    constexpr BlockPanelRowsKernel kPanelRowKernel<RHS, T> = {panels_of_blocks<RHS>(), KAI_PANEL_ROW(RHS), LONG};
KAI_PANELS_MANY(qsi2c32pscalef16, kai_gather_int2_neon)
KAI_PANELS_MANY(qsi4c32ps1s0scalef16, kai_gather_int4_neon)
KAI_PANELS_MANY(qsi4c32ps4s0sf16, kai_gather_int4_4_apart_neon)
KAI_PANELS_MANY(qsi8c32pscalef16, kai_gather_int8_neon)
KAI_PANELS_MANY(qlu4c32ps1s0scalef16, kai_gather_table_neon)
KAI_PANELS_MANY(qlu4c32ps1s0scalebf16, kai_gather_table_bf16_neon)
KAI_PANELS_MANY(qlu4c16ps1s0scalef16, kai_gather_table_halves_neon)
KAI_PANELS_MANY(qai4c32ps1s0nrx4, kai_gather_zeros_neon)
KAI_PANELS_ONE(qsi2c32pscalef16, KAI_PANEL_ROW(qsi2c32pscalef16))
KAI_PANELS_ONE(qsi8c32pscalef16, KAI_PANEL_ROW(qsi8c32pscalef16_long))
KAI_PANELS_ONE(qsi4c32ps4s0sf16, KAI_PANEL_ROW(qsi4c32ps4s0sf16_long))
KAI_PANELS_ONE(qlu4c32ps1s0scalef16, nullptr)
KAI_PANELS_ONE(qlu4c32ps1s0scalebf16, nullptr)
KAI_PANELS_ONE(qlu4c16ps1s0scalef16, nullptr)

}  // namespace
}  // namespace kai

#define KAI_ISA_neon_dotprod KAI_LINES(KAI_DEFINE_MATMUL_BLOCK_PANELS)
#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, float, float, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qai4c32p/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qlu4c32p/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qsi2c32p/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qsi4c32p/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qsi8c32p/ukernels.def"
#undef KAI_UKERNEL
#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, uint16_t, void, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f16_qsi8d32p_qai4c32p/ukernels.def"
