// What the depthwise kernels in streaming mode (kai/engines/dwconv/dwconv_sme_3x3.inc) get.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/getters.hpp"

namespace kai {
namespace {

struct DwconvImage {
    uint32_t lo, hi;  // bounds of the clamp; of f16 the lower half
    const void *src, *weights;
    void* dst;
    size_t channels;
    size_t src_rows, src_cols, dst_rows, dst_cols, pad_top, pad_left;
    size_t src_stride_row, src_stride_col, dst_stride_row, dst_stride_col;  // bytes
    size_t whole, whole_end;  // runs of three steps that have inputs and complete outputs start in [whole, whole_end);
                              // whole: ~0: there are none
};
static_assert(
    offsetof(DwconvImage, lo) == 0 && offsetof(DwconvImage, hi) == 4 && offsetof(DwconvImage, src) == 8 &&
        offsetof(DwconvImage, weights) == 16 && offsetof(DwconvImage, dst) == 24 &&
        offsetof(DwconvImage, channels) == 32 && offsetof(DwconvImage, src_rows) == 40 &&
        offsetof(DwconvImage, src_cols) == 48 && offsetof(DwconvImage, dst_rows) == 56 &&
        offsetof(DwconvImage, dst_cols) == 64 && offsetof(DwconvImage, pad_top) == 72 &&
        offsetof(DwconvImage, pad_left) == 80 && offsetof(DwconvImage, src_stride_row) == 88 &&
        offsetof(DwconvImage, src_stride_col) == 96 && offsetof(DwconvImage, dst_stride_row) == 104 &&
        offsetof(DwconvImage, dst_stride_col) == 112 && offsetof(DwconvImage, whole) == 120 &&
        offsetof(DwconvImage, whole_end) == 128,
    "DWCONV_... of dwconv_sme_3x3.inc");

/// False if there is nothing to write. Sets whole and whole_end.
KAI_INLINE bool prepare_dwconv(DwconvImage& image) {
    if (image.dst_rows == 0 || image.dst_cols == 0 || image.channels == 0) {
        return false;
    }
    // Step t has the input column t - pad_left and completes the output t - 2.
    const size_t begin = image.pad_left > 2 ? image.pad_left : 2;
    const size_t inputs = image.src_cols + image.pad_left, outputs = image.dst_cols + 2;
    const size_t end = inputs < outputs ? inputs : outputs;
    image.whole = begin + 3 <= end ? begin : ~size_t{0};
    image.whole_end = end - 2;  // used only if there is a run
    return true;
}

}  // namespace
}  // namespace kai
