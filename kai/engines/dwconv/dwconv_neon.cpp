// Depthwise convolution of f32 with FMLA by tables of pointers: dwconv_tiles.hpp. The work is in dwconv_neon_f32.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/dwconv/dwconv_tiles.hpp"

extern "C" {

#define KAI_ISA_neon KAI_LINES(KAI_DEFINE_TILES)
#define KAI_DEFINE_TILES(NAME, LHS, RHS, NR, KR, FILTER, STRIDE, ...)                                               \
    KAI_DEFINE_DWCONV_TILES(                                                                                        \
        DwconvTile, kai_kernel_dwconv_f32_##FILTER##x##FILTER##_s##STRIDE##_neon, kai::bits_of_f32, NAME, LHS, RHS, \
        NR, KR, FILTER, STRIDE, __VA_ARGS__)
#define KAI_DWCONV(...)
#define KAI_DWCONV_TILES KAI_LINE
#include "kai/ukernels/dwconv/dwconv_f32_f32_f32p/ukernels.def"

}  // extern "C"
