// Rows quantised at run time (qai8dxp) with SDOT where there are several, or columns that do not fill a panel.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/qai8dxp/qai8dxp_neon_row.hpp"
#include "kai/engines/core/matmul_rows.hpp"

namespace kai {
namespace {

KAI_INLINE Rows rows_of(const Problem& p) {
    return {p.m, p.n, p.nr, p.lhs, p.lhs_stride, p.rhs, p.rhs_stride, p.dst, p.dst_stride, element_bytes(p.out)};
}

}  // namespace
}  // namespace kai

void kai_rows_qai8dxp_neon_dotprod(const kai::Problem* p, kai::RowFn* run, size_t steps) {
    kai::each_row(kai::rows_of(*p), [&](const uint8_t* lhs, const uint8_t* rhs, void* dst, size_t quads) {
        run(lhs, rhs, p->rhs_stride, dst, quads, steps, p->lut, p->out, p->lo, p->hi);
    });
}

void kai_rows_blocks_qai8dxp_neon_dotprod(
    const kai::Problem* p, kai::RowBlocksFn* run, size_t steps, size_t blocks, size_t scale_distance) {
    kai::each_row(kai::rows_of(*p), [&](const uint8_t* lhs, const uint8_t* rhs, void* dst, size_t quads) {
        run(lhs, rhs, p->rhs_stride, dst, quads, steps, blocks, scale_distance, p->lo, p->hi);
    });
}
