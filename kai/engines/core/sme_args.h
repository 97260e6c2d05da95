// Offsets into the argument structures that C++ hands to the SME functions. The C++ side checks each of them with
// static_assert(offsetof(...)).
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

// kai::PackRowsArgs (kai/engines/pack/pack_sme_rows.hpp)
#define KAI_PACK_ROWS_ROWS 0
#define KAI_PACK_ROWS_LENGTH 8
#define KAI_PACK_ROWS_CHUNKS 16
#define KAI_PACK_ROWS_SRC 24
#define KAI_PACK_ROWS_STRIDE 32
#define KAI_PACK_ROWS_PAD 40
#define KAI_PACK_ROWS_DST 48
#define KAI_PACK_ROWS_HI 56
#define KAI_PACK_ROWS_DEPTH 64
#define KAI_PACK_ROWS_GAP 72
#define KAI_PACK_ROWS_HI_FROM 80

// kai::BlockArgs (kai/engines/blocks/blocks_sme.hpp)
#define KAI_BLOCK_ARGS_M 0
#define KAI_BLOCK_ARGS_N 8
#define KAI_BLOCK_ARGS_BLOCKS 16
#define KAI_BLOCK_ARGS_CHUNKS 24
#define KAI_BLOCK_ARGS_LHS 32
#define KAI_BLOCK_ARGS_LHS_STRIDE 40
#define KAI_BLOCK_ARGS_RHS 48
#define KAI_BLOCK_ARGS_RHS_STRIDE 56
#define KAI_BLOCK_ARGS_DST 64
#define KAI_BLOCK_ARGS_DST_STRIDE 72
#define KAI_BLOCK_ARGS_TABLE 80
#define KAI_BLOCK_ARGS_LO 88
#define KAI_BLOCK_ARGS_HI 92

// kai::Problem (kai/engines/qai8dxp/qai8dxp.hpp)
#define KAI_PROBLEM_M 0
#define KAI_PROBLEM_N 8
#define KAI_PROBLEM_LHS 32
#define KAI_PROBLEM_RHS 40
#define KAI_PROBLEM_DST 48
#define KAI_PROBLEM_DST_STRIDE 56
#define KAI_PROBLEM_LO 64
#define KAI_PROBLEM_HI 68
#define KAI_PROBLEM_LHS_STRIDE 88
#define KAI_PROBLEM_RHS_STRIDE 96

// kai::PanelArgs (kai/engines/panels/panels_sme.hpp)
#define KAI_PANEL_ARGS_M 0
#define KAI_PANEL_ARGS_N 8
#define KAI_PANEL_ARGS_DEPTH 16
#define KAI_PANEL_ARGS_LHS 24
#define KAI_PANEL_ARGS_LHS_STRIDE 32
#define KAI_PANEL_ARGS_RHS 40
#define KAI_PANEL_ARGS_RHS_STRIDE 48
#define KAI_PANEL_ARGS_DST 56
#define KAI_PANEL_ARGS_DST_STRIDE 64
#define KAI_PANEL_ARGS_LO 72
#define KAI_PANEL_ARGS_HI 76
#define KAI_PANEL_ARGS_RHS_TAIL 80
#define KAI_PANEL_ARGS_ROW_BIAS 88
#define KAI_PANEL_ARGS_COLUMN_BIAS 96
#define KAI_PANEL_ARGS_OUTPUT_BIAS 104
#define KAI_PANEL_ARGS_SCALE 112
#define KAI_PANEL_ARGS_ZERO_POINT 116
#define KAI_PANEL_ARGS_TABLE 120

// kai::RowArgs (kai/engines/row/row_sme.hpp)
#define KAI_ROW_ARGS_N 0
#define KAI_ROW_ARGS_WIDTH 8
#define KAI_ROW_ARGS_ROW_BYTES 16
#define KAI_ROW_ARGS_LHS 24
#define KAI_ROW_ARGS_RHS 32
#define KAI_ROW_ARGS_RHS_STRIDE 40
#define KAI_ROW_ARGS_HEAD 48
#define KAI_ROW_ARGS_TAIL_SKIP 56
#define KAI_ROW_ARGS_DST 64
#define KAI_ROW_ARGS_LO 72
#define KAI_ROW_ARGS_HI 76
#define KAI_ROW_ARGS_ZERO 80
#define KAI_ROW_ARGS_TABLE 88

// kai::ColumnFields (kai/engines/pack/pack_sme_columns.hpp)
#define KAI_FIELDS_BIAS 0
#define KAI_FIELDS_SCALE 8
#define KAI_FIELDS_SUM_SCALE 16
#define KAI_FIELDS_MULTIPLIER 20
#define KAI_FIELDS_FLIP 24
