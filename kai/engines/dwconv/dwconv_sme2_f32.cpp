// f32 <- f32 * f32p, depthwise, with SME2: the formula is in the interface header, the work in dwconv_sme2_f32.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/dwconv/dwconv_sme.hpp"
#include "kai/ukernels/dwconv/dwconv_f32_f32_f32p/kai_dwconv_clamp_f32_f32_f32p_interface.h"

extern "C" {

void kai_kernel_dwconv_f32_f32_f32p1vlx1b_3x3_s1_sme2_mla(const kai::DwconvImage* image);

size_t kai_get_dst_size_dwconv_clamp_f32_f32_f32p1vlx1b_3x3_s1_4xc_sme2_mla(
    size_t dst_height, size_t dst_width, size_t num_channels) {
    return dst_height * dst_width * num_channels * sizeof(float);
}
size_t kai_get_dst_offset_dwconv_clamp_f32_f32_f32p1vlx1b_3x3_s1_4xc_sme2_mla(
    size_t dst_row_idx, size_t dst_stride_row) {
    KAI_REQUIRE_MULTIPLE(dst_row_idx, "m_step", 4);
    return dst_row_idx * dst_stride_row;
}
size_t kai_get_src_offset_dwconv_clamp_f32_f32_f32p1vlx1b_3x3_s1_4xc_sme2_mla(size_t in_row_idx, size_t in_stride_row) {
    return in_row_idx * in_stride_row;
}

KAI_DEFINE_SIZE(m_step, dwconv_clamp_f32_f32_f32p1vlx1b_3x3_s1_4xc_sme2_mla, 4)
KAI_DEFINE_SIZE(filter_height, dwconv_clamp_f32_f32_f32p1vlx1b_3x3_s1_4xc_sme2_mla, 3)
KAI_DEFINE_SIZE(filter_width, dwconv_clamp_f32_f32_f32p1vlx1b_3x3_s1_4xc_sme2_mla, 3)
KAI_DEFINE_SIZE(kr, dwconv_clamp_f32_f32_f32p1vlx1b_3x3_s1_4xc_sme2_mla, 1)

void kai_run_dwconv_clamp_f32_f32_f32p1vlx1b_3x3_s1_4xc_sme2_mla(
    const void* src, const void* rhs_packed, void* dst, size_t in_stride_row, size_t in_stride_col,
    size_t dst_stride_row, size_t dst_stride_col, size_t valid_input_rows, size_t valid_dst_rows, size_t pad_left,
    size_t pad_top, float pad_value, float clamp_min, float clamp_max) {
    KAI_REQUIRE(__func__, pad_value == 0.0F, "pad_value = %g is not 0", static_cast<double>(pad_value));
    KAI_REQUIRE(
        __func__, in_stride_col == dst_stride_col, "in_stride_col = %zu and dst_stride_col = %zu differ", in_stride_col,
        dst_stride_col);
    kai::check_bounds(clamp_min, clamp_max);
    if (dst_stride_col == 0) {
        return;
    }
    kai::DwconvImage image = kai::dwconv_image(
        kai::load<uint32_t>(&clamp_min), kai::load<uint32_t>(&clamp_max), src, rhs_packed, dst,
        dst_stride_col / sizeof(float), {valid_input_rows, in_stride_row / in_stride_col},
        {valid_dst_rows < 4 ? valid_dst_rows : 4, dst_stride_row / dst_stride_col}, {pad_top, pad_left},
        {in_stride_row, in_stride_col}, {dst_stride_row, dst_stride_col});
    if (kai::prepare_dwconv(image)) {
        kai_commit_za();
        kai_kernel_dwconv_f32_f32_f32p1vlx1b_3x3_s1_sme2_mla(&image);
    }
}

}  // extern "C"
