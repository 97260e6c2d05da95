// Depthwise convolution of f16 by tables of pointers: dwconv_tiles.hpp. The work is in dwconv_neon_fp16_f16.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/dwconv/dwconv_tiles.hpp"

extern "C" {

#define KAI_ISA_neon_fp16 KAI_LINES(KAI_DEFINE_TILES)
#define KAI_DEFINE_TILES(NAME, LHS, RHS, NR, KR, FILTER, STRIDE, ...)                                               \
    KAI_DEFINE_DWCONV_TILES(                                                                                        \
        DwconvTile, kai_kernel_dwconv_f16_##FILTER##x##FILTER##_s##STRIDE##_neon_fp16, kai_cast_f16_f32, NAME, LHS, \
        RHS, NR, KR, FILTER, STRIDE, __VA_ARGS__)
#define KAI_DWCONV(...)
#define KAI_DWCONV_TILES KAI_LINE
#include "kai/ukernels/dwconv/dwconv_f16_f16_f16p/ukernels.def"

}  // extern "C"
