// LHS packers of the families with an int8 LHS that is quantised block by block: formats qsi8d32p*, qsi8d256p with the
// sums of each 32, and qsi8d16x256p with those of each 16.
//
//     q = round(x * multiplier),  multiplier and scale from amax = max |x| of the block
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/pack/pack_lhs_blocks_kinds.hpp"

KAI_LHS_PACK_BLOCKS(lhs_quant_pack_qsi8d32p_f32, kRulesF32, float, m_idx_start, kai::kF32)
KAI_LHS_PACK_BLOCKS(lhs_quant_pack_qsi8d32p4x8sb_f32_neon, kRules4x8sb, float, m_idx_start, kai::k4x8sb, true, false)
// By convention this packer ignores m_idx_start: lhs and lhs_packed are those of the first row.
KAI_LHS_PACK_BLOCKS(lhs_quant_pack_qsi8d32p_f32_neon, kRulesF32Last, float, 0, kai::kF32Last, false, true)
KAI_LHS_PACK_BLOCKS(lhs_quant_pack_qsi8d32pscalef32_f32_neon, kRulesSumsF32, float, m_idx_start, kai::kSumsF32)
KAI_LHS_PACK_BLOCKS(lhs_quant_pack_qsi8d32pscalef32_f16_neon, kRulesSumsF16, void, m_idx_start, kai::kSumsF16)

KAI_LHS_PACK_256(lhs_quant_pack_qsi8d256p_f32, kRules256, kai::k256F32)
KAI_LHS_PACK_256(lhs_quant_pack_qsi8d16x256p_f32, kRules16x256, kai::k16x256F32)
