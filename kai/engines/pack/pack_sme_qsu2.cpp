// RHS packers of 2-bit codes for static int8 kernels of SME2 (unified API): panels of 4 V columns, V = SVL / 32. Only
// the width of a panel depends on SME; NEON does the work, and streaming mode is not needed.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/pack/pack_qsu2.hpp"

KAI_DEFINE_RHS_PACK_API(
    matmul_pack_rhs_kxn_qsu2cxp16vsx4sf32bi32_qsu2cx_f32_i32_sme, kai::run_kxn, kai::qsu2_kxn,
    kai::packed(kai::qsu2cxpbi32sf32, VL(4), 4))
KAI_DEFINE_RHS_PACK_API(
    matmul_pack_rhs_nxk_qsu2cxp16vsx4sf32bi32_qsu2cx_f32_i32_sme, kai::run_nxk, kai::qsu2_nxk,
    kai::packed(kai::qsu2cxpbi32sf32, VL(4), 4))
