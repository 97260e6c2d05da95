// Offsets into the argument structures that C++ hands to the SME functions. The C++ side checks each of them with
// static_assert(offsetof(...)).
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

// kai::BlockArgs (kai/src/matmul_blocks_sme.hpp)
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

// kai::Problem (kai/src/matmul_qai8dxp.hpp)
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
