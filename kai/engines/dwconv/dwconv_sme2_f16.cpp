// f16 <- f16 * f16p, depthwise, in streaming mode: the formula is in the interface header, the work in
// dwconv_sme2_f16.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/dwconv/dwconv_sme.hpp"
#include "kai/ukernels/dwconv/dwconv_f16_f16_f16p/kai_dwconv_clamp_f16_f16_f16p_interface.h"

extern "C" {

void kai_kernel_dwconv_f16_f16_f16p1vlx1b_3x3_s1_sme2_mla(const kai::DwconvImage* image);

KAI_DEFINE_SIZE(filter_height, dwconv_clamp_f16_f16_f16p1vlx1b_3x3_s1_4x4_sme2_mla, 3)
KAI_DEFINE_SIZE(filter_width, dwconv_clamp_f16_f16_f16p1vlx1b_3x3_s1_4x4_sme2_mla, 3)
size_t kai_get_dst_size_dwconv_clamp_f16_f16_f16p1vlx1b_3x3_s1_4x4_sme2_mla(
    size_t dst_height, size_t dst_width, size_t num_channels) {
    return dst_height * dst_width * num_channels * sizeof(uint16_t);
}

void kai_run_dwconv_clamp_f16_f16_f16p1vlx1b_3x3_s1_4x4_sme2_mla(
    const void* src, const void* rhs_packed, void* dst, size_t num_channels, size_t src_rows, size_t src_cols,
    size_t dst_rows, size_t dst_cols, size_t pad_left, size_t pad_top, size_t in_stride_row, size_t in_stride_col,
    size_t out_stride_row, size_t out_stride_col, float clamp_min, float clamp_max) {
    kai::check_bounds(clamp_min, clamp_max);
    kai::DwconvImage image = kai::dwconv_image(
        kai_cast_f16_f32(clamp_min), kai_cast_f16_f32(clamp_max), src, rhs_packed, dst, num_channels,
        {src_rows, src_cols}, {dst_rows, dst_cols}, {pad_top, pad_left}, {in_stride_row, in_stride_col},
        {out_stride_row, out_stride_col});
    if (kai::prepare_dwconv(image)) {
        kai_kernel_dwconv_f16_f16_f16p1vlx1b_3x3_s1_sme2_mla(&image);
    }
}

}  // extern "C"
