// Depthwise convolution with SME2: the formula is in the interface headers, the work in dwconv_sme2_f32.S and
// dwconv_sme2_f16.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/core/getters.hpp"
#include "kai/engines/dwconv/dwconv_args.h"
#include "kai/ukernels/dwconv/dwconv_f16_f16_f16p/kai_dwconv_clamp_f16_f16_f16p_interface.h"
#include "kai/ukernels/dwconv/dwconv_f32_f32_f32p/kai_dwconv_clamp_f32_f32_f32p_interface.h"

namespace kai {
namespace {

KAI_STRUCT(DwconvImage, KAI_DWCONV_IMAGE);

/// False if there is nothing to write. Sets whole and whole_end.
KAI_INLINE bool prepare_dwconv(DwconvImage& image) {
    if (image.dst_size.row == 0 || image.dst_size.col == 0 || image.channels == 0) {
        return false;
    }
    // Step t has the input column t - pad_left and completes the output t - 2.
    const size_t begin = image.pad.col > 2 ? image.pad.col : 2;
    const size_t inputs = image.src_size.col + image.pad.col, outputs = image.dst_size.col + 2;
    const size_t end = inputs < outputs ? inputs : outputs;
    image.whole = begin + 3 <= end ? begin : ~size_t{0};
    image.whole_end = end - 2;  // used only if there is a run
    return true;
}

}  // namespace
}  // namespace kai

extern "C" {

void kai_kernel_dwconv_f16_f16_f16p1vlx1b_3x3_s1_sme2_mla(const kai::DwconvImage* image);
void kai_kernel_dwconv_f32_f32_f32p1vlx1b_3x3_s1_sme2_mla(const kai::DwconvImage* image);

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
    kai::DwconvImage image = {
        kai_cast_f16_f32(clamp_min),
        kai_cast_f16_f32(clamp_max),
        src,
        rhs_packed,
        dst,
        num_channels,
        {src_rows, src_cols},
        {dst_rows, dst_cols},
        {pad_top, pad_left},
        {in_stride_row, in_stride_col},
        {out_stride_row, out_stride_col}};
    if (kai::prepare_dwconv(image)) {
        kai_kernel_dwconv_f16_f16_f16p1vlx1b_3x3_s1_sme2_mla(&image);
    }
}

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
    KAI_REQUIRE(__func__, pad_value == 0.0F, pad_value, static_cast<double>(pad_value));
    KAI_REQUIRE(
        __func__, in_stride_col == dst_stride_col, differ, "in_stride_col", in_stride_col, "dst_stride_col",
        dst_stride_col);
    kai::check_bounds(clamp_min, clamp_max);
    if (dst_stride_col == 0) {
        return;
    }
    kai::DwconvImage image = {
        kai::load<uint32_t>(&clamp_min),
        kai::load<uint32_t>(&clamp_max),
        src,
        rhs_packed,
        dst,
        dst_stride_col / sizeof(float),
        {valid_input_rows, in_stride_row / in_stride_col},
        {valid_dst_rows < 4 ? valid_dst_rows : 4, dst_stride_row / dst_stride_col},
        {pad_top, pad_left},
        {in_stride_row, in_stride_col},
        {dst_stride_row, dst_stride_col}};
    if (kai::prepare_dwconv(image)) {
        kai_commit_za();
        kai_kernel_dwconv_f32_f32_f32p1vlx1b_3x3_s1_sme2_mla(&image);
    }
}

}  // extern "C"
