// Rows quantised at run time (qai8dxp) one at a time with LUTI2 and SDOT: 2 bits (qai8dxp_neon_lut_row.S).
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/qai8dxp/qai8dxp_args.h"

#include "kai/engines/core/matmul_rows.hpp"

namespace kai {
namespace {

/// One row x `quads` * 4 columns, whole panels. In `steps` of 32 k. lut: the four weights.
using Int2RowFn = void(
    const uint8_t* lhs, const uint8_t* rhs, size_t rhs_stride, void* dst, size_t quads, size_t steps,
    const int32_t* lut, float lo, float hi);

}  // namespace
}  // namespace kai

extern "C" kai::Int2RowFn kai_row_int2_4x4_neon_lut;

namespace kai {
namespace {

KAI_INLINE void gemv_int2_neon_lut(const Problem* p) {
    const Rows rows = {p->m,   p->n,          p->nr,  p->lhs,        p->lhs_stride,
                       p->rhs, p->rhs_stride, p->dst, p->dst_stride, element_bytes(p->out)};
    each_row(rows, [p](const uint8_t* lhs, const uint8_t* rhs, void* dst, size_t quads) {
        kai_row_int2_4x4_neon_lut(lhs, rhs, p->rhs_stride, dst, quads, p->k / 32, p->lut, p->lo, p->hi);
    });
}

}  // namespace
}  // namespace kai

#define KAI_DEFINE_MATMUL_NEON_LUT(KIND, ...) KAI_DEFINE_MATMUL_QAI8DXP_##KIND(kai::gemv_int2_neon_lut, __VA_ARGS__)
#define KAI_ISA_neon_lut KAI_LINES(KAI_DEFINE_MATMUL_NEON_LUT)
#include "kai/engines/qai8dxp/qai8dxp_families.inc"
