// What the depthwise kernels in streaming mode (kai/engines/dwconv/dwconv_sme_3x3.inc) get.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/dwconv/dwconv_args.h"
#include "kai/engines/core/getters.hpp"

namespace kai {
namespace {

KAI_STRUCT(DwconvImage, KAI_DWCONV_IMAGE);

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
