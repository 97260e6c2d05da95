// Matmuls of a row-major LHS, or of a table of pointers to its rows, with SVE: the loop over panels of the RHS, 4
// vectors of columns each. A panel is the work of kai/engines/float/float_sve.inc.
//
// The outer loop is over columns, the inner loop over rows: a panel of the RHS comes from memory once and stays in the
// cache for all rows.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/float/float_sve_args.h"
#include "kai/engines/core/getters.hpp"

namespace kai {
namespace {

/// Rows of a tile, and of a block of a pointer table.
constexpr size_t kSveTileRows = 6;

KAI_STRUCT(SveRows, KAI_SVE_ROWS);
KAI_STRUCT(SvePanel, KAI_SVE_PANEL);

/// lhs: the first row, or the table: kSveTileRows entries per chunk, then the next block. m, n >= 1; columns beyond the
/// panel are ignored.
using SvePanelFn = void(const SvePanel*, const void* lhs, const void* rhs, void* dst, size_t m, size_t n);

/// Rows of k elements that lie `stride` bytes apart.
KAI_INLINE SveRows plain_rows(size_t k, size_t stride) {
    return {k, k > 0 ? size_t{1} : 0, nullptr, 0, stride, 0};
}

/// Rows found through a table of pointers. Without elements nothing is read.
KAI_INLINE SveRows rows_of_table(size_t chunks, size_t length, const void* pad, size_t offset) {
    return {length, length > 0 ? chunks : 0, pad, offset, 0, 1};
}

template <typename Element>
KAI_INLINE void run_sve_panels(
    SvePanelFn run, const SvePanel& args, size_t m, size_t n, const void* lhs, const void* rhs, size_t rhs_stride,
    void* dst) {
    if (m == 0) {
        return;
    }
    const size_t nr = SVE(4);
    for (size_t n0 = 0; n0 < n; n0 += nr, rhs = bytes(rhs, rhs_stride)) {
        run(&args, lhs, rhs, bytes(dst, n0 * sizeof(Element)), m, n - n0);
    }
}

}  // namespace
}  // namespace kai
