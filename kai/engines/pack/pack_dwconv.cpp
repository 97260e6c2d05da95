// Packers of depthwise convolution for vectors of 16 bytes: pack_dwconv.hpp.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/pack/pack_dwconv.hpp"

extern "C" {

KAI_DEFINE_DWCONV_PACK(uint32_t, size_t{4}, dwconv_pack_x32p4x1b_x32_x32)
KAI_DEFINE_DWCONV_PACK(uint16_t, size_t{8}, dwconv_pack_x16p8x1b_x16_x16)

}  // extern "C"
