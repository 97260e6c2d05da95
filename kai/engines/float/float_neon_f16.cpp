// f16 and f32 <- f16 x f16p with FCVTL and FMLA: the loop over panels. The work is in float_neon_f16*.S for few rows,
// in float_in_f32.hpp and float_neon.S for many.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/float/float_widened.hpp"

extern "C" {

kai::FloatGemmFn kai_tiles_f32_6x16_neon, kai_tiles_f32_f32_f16_12x16_neon_cortexa55;

// The f32 tiles of a micro-kernel. On Cortex-A55 widening takes no longer than a product: they widen the RHS.
#define KAI_F32_TILES_OF(NAME) KAI_LINE_(KAI_F32_TILES_##NAME, KAI_F32_TILES, ~)()
#define KAI_F32_TILES() kTiles
#define KAI_F32_TILES_CORTEX_A55() kTilesOfCortexA55
#define KAI_F32_TILES_matmul_clamp_f16_f16_f16p32x1b_6x32_neon_fcvtl_cortexa55 KAI_LINES(KAI_F32_TILES_CORTEX_A55)
#define KAI_F32_TILES_matmul_clamp_f32_f16_f16p32x1b_6x32_neon_fcvtl_cortexa55 KAI_LINES(KAI_F32_TILES_CORTEX_A55)
static constexpr kai::F32Tiles kTiles = {kai_tiles_f32_6x16_neon, false};
static constexpr kai::F32Tiles kTilesOfCortexA55 = {kai_tiles_f32_f32_f16_12x16_neon_cortexa55, true};

#define KAI_DEFINE_MATMUL_FCVTL(DST_BYTES, NAME, ...) \
    KAI_DEFINE_MATMUL_WIDENED(nullptr, KAI_F32_TILES_OF(NAME), DST_BYTES, NAME, __VA_ARGS__)
#define KAI_ISA_neon KAI_LINES(KAI_DEFINE_MATMUL_FCVTL)
#define KAI_UKERNEL_ROWS(ISA, ...) KAI_LINE(ISA, sizeof(uint16_t), __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f16_f16_f16p_sumf32/ukernels.def"
#undef KAI_UKERNEL_ROWS
#define KAI_UKERNEL_ROWS(ISA, ...) KAI_LINE(ISA, sizeof(float), __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_f16_f16p/ukernels.def"

}  // extern "C"
