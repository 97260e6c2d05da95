// Arguments of the depthwise kernels in streaming mode (kai/engines/dwconv/dwconv_sme_3x3.inc).
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/dwconv/dwconv_args.h"
#include "kai/engines/core/getters.hpp"

namespace kai {
namespace {

KAI_STRUCT(DwconvImage, KAI_DWCONV_IMAGE);

/// Rows and columns: of an image, of padding, from one to the next in bytes.
struct DwconvPair {
    size_t row, col;
};

KAI_INLINE DwconvImage dwconv_image(
    uint32_t lo, uint32_t hi, const void* src, const void* weights, void* dst, size_t channels, DwconvPair src_size,
    DwconvPair dst_size, DwconvPair pad, DwconvPair src_stride, DwconvPair dst_stride) {
    return {
        lo,
        hi,
        src,
        weights,
        dst,
        channels,
        src_size.row,
        src_size.col,
        dst_size.row,
        dst_size.col,
        pad.row,
        pad.col,
        src_stride.row,
        src_stride.col,
        dst_stride.row,
        dst_stride.col,
        0,
        0};
}

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
