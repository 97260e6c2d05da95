// RHS packers of 2-bit codes for the portable kernel, panels of 16 columns, and for SME kernels of any vector length.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/pack/pack_qsu2.hpp"

KAI_DEFINE_RHS_PACK_API(
    matmul_pack_rhs_kxn_qsu2cxp16x4sf32bi32_qsu2cx_f32_i32, kai::run_kxn, kai::qsu2_kxn,
    kai::packed(kai::qsu2cxpbi32sf32, 16, 4))
KAI_DEFINE_RHS_PACK_API(
    matmul_pack_rhs_nxk_qsu2cxp16x4sf32bi32_qsu2cx_f32_i32, kai::run_nxk, kai::qsu2_nxk,
    kai::packed(kai::qsu2cxpbi32sf32, 16, 4))
KAI_DEFINE_RHS_PACK_API(
    matmul_pack_rhs_kxn_qsu2cxpnrx4sf32bi32_qsu2cx_f32_i32, kai::run_kxn, kai::qsu2_kxn,
    kai::packed(kai::qsu2cxpbi32sf32, kai::kAnyRows, 4))
KAI_DEFINE_RHS_PACK_API(
    matmul_pack_rhs_nxk_qsu2cxpnrx4sf32bi32_qsu2cx_f32_i32, kai::run_nxk, kai::qsu2_nxk,
    kai::packed(kai::qsu2cxpbi32sf32, kai::kAnyRows, 4))
