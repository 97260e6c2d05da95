// f32 <- qsi8d32p x qlu4c32p: int8 LHS quantised at run time per block of a row, RHS of indices of a table of 16 int8
// that is in the packed RHS, with a scale per block: IQ4_NL, MXFP4 and NVFP4 of GGUF files, and your own tables.
//
//     dst[m][n] = clamp(sum over blocks b of lhs_scale[m][b] * rhs_scale[n][b] * S)
//     S = sum over i of lhs[m][b][i] * table[rhs[n][b][i]]
//
// Blocks are of 32. Scales of the RHS are f16 (qlu4c32p) or bf16 (qlu4c32p...scalebf16); qlu4c16p has an f16 scale for
// each half of a block, and a sum S for each. The inner sum is exact in int32, the outer one is f32 with b ascending.
// The table is read from the panel of the first column of a call: all panels of a matrix have the same.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/kai_fn_types.h"

KAI_BEGIN_DECLARATIONS

/// dst (f32) = clamp(LHS x RHS). k = 0: clamp(0).
/// @pre bl is 32, k a multiple of 32. Kernels whose m_step is 1 take any m, row by row.
typedef kai_run_matmul_bl_f32_fn kai_matmul_clamp_f32_qsi8d32p_qlu4c32p_run_fn;

/// SME2, SMOPA, 1 VL rows x 4 VL columns per step; f16 scales.
kai_matmul_clamp_f32_qsi8d32p_qlu4c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p1vlx4_qlu4c32p4vlx4_1vlx4vl_sme2_mopa;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p1vlx4_qlu4c32p4vlx4_1vlx4vl_sme2_mopa)

/// SME2, SMOPA, 1 VL rows x 4 VL columns per step; bf16 scales.
kai_matmul_clamp_f32_qsi8d32p_qlu4c32p_run_fn
    kai_run_matmul_clamp_f32_qsi8d32p1vlx4_qlu4c32p4vlx4scalebf16_1vlx4vl_sme2_mopa;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p1vlx4_qlu4c32p4vlx4scalebf16_1vlx4vl_sme2_mopa)

/// SME2, SMOPA, 1 VL rows x 4 VL columns per step; two f16 scales a block.
kai_matmul_clamp_f32_qsi8d32p_qlu4c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p1vlx4_qlu4c16p4vlx4_1vlx4vl_sme2_mopa;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p1vlx4_qlu4c16p4vlx4_1vlx4vl_sme2_mopa)

/// SME2, SDOT, one row; f16 scales. The same RHS as SMOPA.
kai_matmul_clamp_f32_qsi8d32p_qlu4c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p1x4_qlu4c32p4vlx4_1x4vl_sme2_sdot;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p1x4_qlu4c32p4vlx4_1x4vl_sme2_sdot)

/// SME2, SDOT, one row; bf16 scales. The same RHS as SMOPA.
kai_matmul_clamp_f32_qsi8d32p_qlu4c32p_run_fn
    kai_run_matmul_clamp_f32_qsi8d32p1x4_qlu4c32p4vlx4scalebf16_1x4vl_sme2_sdot;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p1x4_qlu4c32p4vlx4scalebf16_1x4vl_sme2_sdot)

/// SME2, SDOT, one row; two f16 scales a block. The same RHS as SMOPA.
kai_matmul_clamp_f32_qsi8d32p_qlu4c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p1x4_qlu4c16p4vlx4_1x4vl_sme2_sdot;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p1x4_qlu4c16p4vlx4_1x4vl_sme2_sdot)

/// SMMLA, 16 rows x 4 columns per step; f16 scales.
kai_matmul_clamp_f32_qsi8d32p_qlu4c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p4x8_qlu4c32p4x8_16x4_neon_i8mm;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p4x8_qlu4c32p4x8_16x4_neon_i8mm)

/// SMMLA, 16 rows x 4 columns per step; bf16 scales.
kai_matmul_clamp_f32_qsi8d32p_qlu4c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p4x8_qlu4c32p4x8scalebf16_16x4_neon_i8mm;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p4x8_qlu4c32p4x8scalebf16_16x4_neon_i8mm)

/// SMMLA, 16 rows x 4 columns per step; two f16 scales a block.
kai_matmul_clamp_f32_qsi8d32p_qlu4c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p4x8_qlu4c16p4x8_16x4_neon_i8mm;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p4x8_qlu4c16p4x8_16x4_neon_i8mm)

/// SMMLA, 8 rows x 4 columns per step, for cores that issue in order; f16 scales.
kai_matmul_clamp_f32_qsi8d32p_qlu4c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p4x8_qlu4c32p4x8_8x4_neon_i8mm;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p4x8_qlu4c32p4x8_8x4_neon_i8mm)

/// SMMLA, 8 rows x 4 columns per step, for cores that issue in order; bf16 scales.
kai_matmul_clamp_f32_qsi8d32p_qlu4c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p4x8_qlu4c32p4x8scalebf16_8x4_neon_i8mm;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p4x8_qlu4c32p4x8scalebf16_8x4_neon_i8mm)

/// SDOT, 16 rows x 4 columns per step; f16 scales.
kai_matmul_clamp_f32_qsi8d32p_qlu4c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p4x4_qlu4c32p4x4_16x4_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p4x4_qlu4c32p4x4_16x4_neon_dotprod)

/// The same, scheduled for Cortex-A55: rows are loaded in halves of vectors.
kai_matmul_clamp_f32_qsi8d32p_qlu4c32p_run_fn
    kai_run_matmul_clamp_f32_qsi8d32p4x4_qlu4c32p4x4_16x4_neon_dotprod_cortexa55;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p4x4_qlu4c32p4x4_16x4_neon_dotprod_cortexa55)

/// SDOT, 16 rows x 4 columns per step; bf16 scales.
kai_matmul_clamp_f32_qsi8d32p_qlu4c32p_run_fn
    kai_run_matmul_clamp_f32_qsi8d32p4x4_qlu4c32p4x4scalebf16_16x4_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p4x4_qlu4c32p4x4scalebf16_16x4_neon_dotprod)

/// The same, scheduled for Cortex-A55: rows are loaded in halves of vectors.
kai_matmul_clamp_f32_qsi8d32p_qlu4c32p_run_fn
    kai_run_matmul_clamp_f32_qsi8d32p4x4_qlu4c32p4x4scalebf16_16x4_neon_dotprod_cortexa55;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p4x4_qlu4c32p4x4scalebf16_16x4_neon_dotprod_cortexa55)

/// SDOT, 16 rows x 4 columns per step; two f16 scales a block.
kai_matmul_clamp_f32_qsi8d32p_qlu4c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p4x4_qlu4c16p4x4_16x4_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p4x4_qlu4c16p4x4_16x4_neon_dotprod)

/// The same, scheduled for Cortex-A55: rows are loaded in halves of vectors.
kai_matmul_clamp_f32_qsi8d32p_qlu4c32p_run_fn
    kai_run_matmul_clamp_f32_qsi8d32p4x4_qlu4c16p4x4_16x4_neon_dotprod_cortexa55;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p4x4_qlu4c16p4x4_16x4_neon_dotprod_cortexa55)

/// LUTI4 and SDOT, one row. The same RHS as SMMLA; f16 scales. Blocks that are not of 32: TBL and SDOT.
kai_matmul_clamp_f32_qsi8d32p_qlu4c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p1x8_qlu4c32p4x8_1x4_neon_lut;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p1x8_qlu4c32p4x8_1x4_neon_lut)

/// LUTI4 and SDOT, one row. The same RHS as SMMLA; bf16 scales. Blocks that are not of 32: TBL and SDOT.
kai_matmul_clamp_f32_qsi8d32p_qlu4c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p1x8_qlu4c32p4x8scalebf16_1x4_neon_lut;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p1x8_qlu4c32p4x8scalebf16_1x4_neon_lut)

/// SDOT, one row. The same RHS as SMMLA; f16 scales.
kai_matmul_clamp_f32_qsi8d32p_qlu4c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p1x8_qlu4c32p4x8_1x4_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p1x8_qlu4c32p4x8_1x4_neon_dotprod)

/// SDOT, one row. The same RHS as SMMLA; bf16 scales.
kai_matmul_clamp_f32_qsi8d32p_qlu4c32p_run_fn
    kai_run_matmul_clamp_f32_qsi8d32p1x8_qlu4c32p4x8scalebf16_1x4_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p1x8_qlu4c32p4x8scalebf16_1x4_neon_dotprod)

/// SDOT, one row. The same RHS as SMMLA; two f16 scales a block.
kai_matmul_clamp_f32_qsi8d32p_qlu4c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p1x8_qlu4c16p4x8_1x4_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p1x8_qlu4c16p4x8_1x4_neon_dotprod)

/// SDOT, one row. The same RHS as SDOT with 16 rows; f16 scales.
kai_matmul_clamp_f32_qsi8d32p_qlu4c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p1x4_qlu4c32p4x4_1x4_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p1x4_qlu4c32p4x4_1x4_neon_dotprod)

/// SDOT, one row. The same RHS as SDOT with 16 rows; bf16 scales.
kai_matmul_clamp_f32_qsi8d32p_qlu4c32p_run_fn
    kai_run_matmul_clamp_f32_qsi8d32p1x4_qlu4c32p4x4scalebf16_1x4_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p1x4_qlu4c32p4x4scalebf16_1x4_neon_dotprod)

/// SDOT, one row. The same RHS as SDOT with 16 rows; two f16 scales a block.
kai_matmul_clamp_f32_qsi8d32p_qlu4c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p1x4_qlu4c16p4x4_1x4_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p1x4_qlu4c16p4x4_1x4_neon_dotprod)

/// Every host. The same RHS as SMMLA; f16 scales.
kai_matmul_clamp_f32_qsi8d32p_qlu4c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p1x8_qlu4c32p4x8_1x4_portable;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p1x8_qlu4c32p4x8_1x4_portable)

/// Every host. The same RHS as SMMLA; bf16 scales.
kai_matmul_clamp_f32_qsi8d32p_qlu4c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p1x8_qlu4c32p4x8scalebf16_1x4_portable;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p1x8_qlu4c32p4x8scalebf16_1x4_portable)

/// Every host. The same RHS as SMMLA; two f16 scales a block.
kai_matmul_clamp_f32_qsi8d32p_qlu4c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p1x8_qlu4c16p4x8_1x4_portable;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p1x8_qlu4c16p4x8_1x4_portable)

/// SDOT, any number of rows. The RHS of SME2, for workers without an SME unit: the same bits. Any m. F16 scales.
kai_matmul_clamp_f32_qsi8d32p_qlu4c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p4x4_qlu4c32p4vlx4_4x4vl_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p4x4_qlu4c32p4vlx4_4x4vl_neon_dotprod)

/// SDOT, any number of rows. The RHS of SME2, for workers without an SME unit: the same bits. Any m. Bf16 scales.
kai_matmul_clamp_f32_qsi8d32p_qlu4c32p_run_fn
    kai_run_matmul_clamp_f32_qsi8d32p4x4_qlu4c32p4vlx4scalebf16_4x4vl_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p4x4_qlu4c32p4vlx4scalebf16_4x4vl_neon_dotprod)

/// SDOT, any number of rows. The RHS of SME2, for workers without an SME unit: the same bits. Any m. Two
/// f16 scales a block.
kai_matmul_clamp_f32_qsi8d32p_qlu4c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p4x4_qlu4c16p4vlx4_4x4vl_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p4x4_qlu4c16p4vlx4_4x4vl_neon_dotprod)

/// SDOT and FMLAL, one row. The RHS of SME2, for workers without an SME unit: the same bits. Any m. F16 scales.
kai_matmul_clamp_f32_qsi8d32p_qlu4c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p1x4_qlu4c32p4vlx4_1x4vl_neon_i8mm_fmlal;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p1x4_qlu4c32p4vlx4_1x4vl_neon_i8mm_fmlal)

/// SDOT, one row. The RHS of SME2, for workers without an SME unit: the same bits. Any m. F16 scales.
kai_matmul_clamp_f32_qsi8d32p_qlu4c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p1x4_qlu4c32p4vlx4_1x4vl_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p1x4_qlu4c32p4vlx4_1x4vl_neon_dotprod)

/// SDOT, one row. The RHS of SME2, for workers without an SME unit: the same bits. Any m. Bf16 scales.
kai_matmul_clamp_f32_qsi8d32p_qlu4c32p_run_fn
    kai_run_matmul_clamp_f32_qsi8d32p1x4_qlu4c32p4vlx4scalebf16_1x4vl_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p1x4_qlu4c32p4vlx4scalebf16_1x4vl_neon_dotprod)

/// SDOT and FMLAL, one row. The RHS of SME2, for workers without an SME unit: the same bits. Any m. Two
/// f16 scales a block.
kai_matmul_clamp_f32_qsi8d32p_qlu4c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p1x4_qlu4c16p4vlx4_1x4vl_neon_i8mm_fmlal;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p1x4_qlu4c16p4vlx4_1x4vl_neon_i8mm_fmlal)

/// SDOT, one row. The RHS of SME2, for workers without an SME unit: the same bits. Any m. Two
/// f16 scales a block.
kai_matmul_clamp_f32_qsi8d32p_qlu4c32p_run_fn kai_run_matmul_clamp_f32_qsi8d32p1x4_qlu4c16p4vlx4_1x4vl_neon_dotprod;
KAI_DECLARE_GETTERS(MATMUL_BL, matmul_clamp_f32_qsi8d32p1x4_qlu4c16p4vlx4_1x4vl_neon_dotprod)

KAI_END_DECLARATIONS
