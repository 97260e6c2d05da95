// Packers of depthwise convolution for SME: pack_dwconv.hpp, pack_dwconv_int8.hpp.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/pack/pack_dwconv.hpp"
#include "kai/engines/pack/pack_dwconv_int8.hpp"

extern "C" {

KAI_DEFINE_DWCONV_PACK(uint32_t, VL(1), dwconv_pack_x32p1vlx1b_x32_x32_sme)
KAI_DEFINE_DWCONV_PACK(uint16_t, VL(2), dwconv_pack_x16p1vlx1b_x16_x16_sme)
KAI_DEFINE_DWCONV_PACK_INT8(dwconv_pack_qsi8cxp4vlx1sb_qs8cx_f32_i32_sme, VL(4), 1)

}  // extern "C"
