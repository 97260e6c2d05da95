// Depthwise convolution of int8 with SDOT by tables of pointers: dwconv_tiles.hpp. The work is in
// dwconv_neon_dotprod_int8.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/dwconv/dwconv_tiles.hpp"

extern "C" {

#define KAI_ISA_neon_dotprod KAI_LINES(KAI_DEFINE_TILES)
#define KAI_DEFINE_TILES(NAME, LHS, RHS, NR, KR, FILTER, STRIDE, ...)                                            \
    KAI_DEFINE_DWCONV_INT8_TILES(                                                                                \
        DwconvTile, kai_kernel_dwconv_int8_##FILTER##x##FILTER##_s##STRIDE##_neon_dotprod, NAME, NR, KR, FILTER, \
        STRIDE, __VA_ARGS__)
#define KAI_DWCONV_TILES KAI_LINE
#include "kai/ukernels/dwconv/dwconv_qai8_qai8_qsi8cxpbi32sf32/ukernels.def"

}  // extern "C"
