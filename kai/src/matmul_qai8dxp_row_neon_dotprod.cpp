// Rows quantised at run time (qai8dxp) with SDOT where there are several, or columns that do not fill a panel: these go
// through a buffer.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/src/matmul_qai8dxp_row_neon.hpp"

namespace kai {
namespace {

/// run(lhs, rhs, dst, quads) does a row of whole panels.
template <class Run>
KAI_INLINE void each_row(const Problem& p, Run run) {
    constexpr size_t kMaxPanel = 8;
    const size_t rest = p.n % p.nr, whole = p.n - rest, element = element_bytes(p.out);
    for (size_t i = 0; i < p.m; ++i) {
        const uint8_t* lhs = p.lhs + i * p.lhs_stride;
        uint8_t* dst = bytes(p.dst, i * p.dst_stride);
        run(lhs, p.rhs, dst, whole / 4);
        if (rest > 0) {
            uint8_t panel[kMaxPanel * sizeof(float)];
            run(lhs, p.rhs + whole / p.nr * p.rhs_stride, panel, p.nr / 4);
            __builtin_memcpy(dst + whole * element, panel, rest * element);
        }
    }
}

}  // namespace
}  // namespace kai

void kai_rows_qai8dxp_neon_dotprod(const kai::Problem* p, kai::RowFn* run, size_t steps) {
    kai::each_row(*p, [&](const uint8_t* lhs, const uint8_t* rhs, void* dst, size_t quads) {
        run(lhs, rhs, p->rhs_stride, dst, quads, steps, p->lut, p->lo, p->hi);
    });
}

void kai_rows_blocks_qai8dxp_neon_dotprod(
    const kai::Problem* p, kai::RowBlocksFn* run, size_t steps, size_t blocks, size_t scale_distance) {
    kai::each_row(*p, [&](const uint8_t* lhs, const uint8_t* rhs, void* dst, size_t quads) {
        run(lhs, rhs, p->rhs_stride, dst, quads, steps, blocks, scale_distance, p->lo, p->hi);
    });
}
