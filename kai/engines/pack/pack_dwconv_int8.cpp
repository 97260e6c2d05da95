// Packers of int8 filters of depthwise convolutions for vectors of 16 bytes: pack_dwconv_int8.hpp.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/pack/pack_dwconv_int8.hpp"

extern "C" {

KAI_DEFINE_DWCONV_PACK_INT8(dwconv_pack_qsi8cxp16x1sb_qs8cx_f32_i32, size_t{16}, 1)
KAI_DEFINE_DWCONV_PACK_INT8(dwconv_pack_qsi8cxp16x4sb_qs8cx_f32_i32, size_t{16}, 4)

}  // extern "C"
