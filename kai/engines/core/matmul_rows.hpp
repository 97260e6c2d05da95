// Rows one after another (mr = 1), by functions that do whole panels of one row.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/base.hpp"

namespace kai {
namespace {

/// m rows x n columns. Strides in bytes: from row to row, of the RHS from panel to panel of nr columns.
struct Rows {
    size_t m, n, nr;
    const uint8_t* lhs;
    size_t lhs_stride;
    const uint8_t* rhs;
    size_t rhs_stride;
    void* dst;
    size_t dst_stride, element_bytes;
};

/// run(lhs, rhs, dst, quads) does a row of whole panels, `quads` * 4 columns. The last columns, where they do not fill
/// a panel, go through a buffer.
template <class Run>
KAI_INLINE void each_row(const Rows& p, Run run) {
    constexpr size_t kMaxPanel = 8;
    const size_t rest = p.n % p.nr, whole = p.n - rest;
    for (size_t i = 0; i < p.m; ++i) {
        const uint8_t* lhs = p.lhs + i * p.lhs_stride;
        uint8_t* dst = bytes(p.dst, i * p.dst_stride);
        run(lhs, p.rhs, dst, whole / 4);
        if (rest > 0) {
            uint8_t panel[kMaxPanel * sizeof(float)];
            run(lhs, p.rhs + whole / p.nr * p.rhs_stride, panel, p.nr / 4);
            __builtin_memcpy(dst + whole * p.element_bytes, panel, rest * p.element_bytes);
        }
    }
}

}  // namespace
}  // namespace kai
