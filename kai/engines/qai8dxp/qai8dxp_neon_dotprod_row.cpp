// Rows quantised at run time (qai8dxp) one at a time with SDOT: the micro-kernels with mr = 1.
//
// The arithmetic of a row is assembly (qai8dxp_neon_dotprod_row.S), one function per format of the RHS, panel,
// group and output, which does whole panels. One row of whole panels, the usual case, is a jump into it; anything else
// is a loop that all kernels share.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/qai8dxp/qai8dxp_args.h"

#include "kai/engines/core/matmul_rows.hpp"

namespace kai {
namespace {

/// One row x `quads` * 4 columns, whole panels. In `steps` of 32 k. The output is f32, or the other kind that kernels
/// of this RHS have.
using RowFn = void(
    const uint8_t* lhs, const uint8_t* rhs, size_t rhs_stride, void* dst, size_t quads, size_t steps,
    const int32_t* lut, OutKind out, float lo, float hi);

/// RHS in `blocks` of 1 to 8 steps. Scales follow `scale_distance` bytes after a block: consecutive blocks may share
/// them.
using RowBlocksFn = void(
    const uint8_t* lhs, const uint8_t* rhs, size_t rhs_stride, void* dst, size_t quads, size_t steps, size_t blocks,
    size_t scale_distance, float lo, float hi);

}  // namespace
}  // namespace kai

extern "C" {
// kai_row_<rhs>_<columns of a panel>x<k of a group>, kai_row_blocks_<...>_<output>
kai::RowFn kai_row_int8_4x4_neon_dotprod, kai_row_int8_4x8_neon_dotprod;
kai::RowFn kai_row_int4_4x4_neon_dotprod, kai_row_int4_4x8_neon_dotprod, kai_row_int4_8x8_neon_dotprod;
kai::RowFn kai_row_int2_4x4_neon_dotprod;
kai::RowBlocksFn kai_row_blocks_int4_4x4_f32_neon_dotprod, kai_row_blocks_int4_8x4_f32_neon_dotprod;
kai::RowBlocksFn kai_row_blocks_int4_4x8_f32_neon_dotprod, kai_row_blocks_int4_4x8_bf16_neon_dotprod;
kai::RowBlocksFn kai_row_blocks_int4_8x8_f32_neon_dotprod;
}

namespace kai {
namespace {

/// The function of an RHS per channel, for groups of GROUP k.
template <size_t GROUP>
KAI_INLINE RowFn* row_function(const Problem& p) {
    switch (p.rhs_kind) {
        case RhsKind::int8:
            return GROUP == 4 ? kai_row_int8_4x4_neon_dotprod : kai_row_int8_4x8_neon_dotprod;
        case RhsKind::int2:
            return kai_row_int2_4x4_neon_dotprod;
        default:
            return GROUP == 4  ? kai_row_int4_4x4_neon_dotprod
                   : p.nr == 8 ? kai_row_int4_8x8_neon_dotprod
                               : kai_row_int4_4x8_neon_dotprod;
    }
}

template <size_t GROUP>
KAI_INLINE RowBlocksFn* row_blocks_function(const Problem& p) {
    if constexpr (GROUP == 4) {
        return p.nr == 8 ? kai_row_blocks_int4_8x4_f32_neon_dotprod : kai_row_blocks_int4_4x4_f32_neon_dotprod;
    }
    if (p.nr == 8) {
        return kai_row_blocks_int4_8x8_f32_neon_dotprod;
    }
    return p.out == OutKind::f32 ? kai_row_blocks_int4_4x8_f32_neon_dotprod : kai_row_blocks_int4_4x8_bf16_neon_dotprod;
}

/// @name Any number of rows and columns; the other arguments are those of the function.
/// @{
KAI_INLINE Rows rows_of(const Problem& p) {
    return {p.m, p.n, p.nr, p.lhs, p.lhs_stride, p.rhs, p.rhs_stride, p.dst, p.dst_stride, element_bytes(p.out)};
}

[[gnu::noinline]] void rows_neon_dotprod(const Problem& p, RowFn* run, size_t steps) {
    each_row(rows_of(p), [&](const uint8_t* lhs, const uint8_t* rhs, void* dst, size_t quads) {
        run(lhs, rhs, p.rhs_stride, dst, quads, steps, p.lut, p.out, p.lo, p.hi);
    });
}

[[gnu::noinline]] void rows_blocks_neon_dotprod(
    const Problem& p, RowBlocksFn* run, size_t steps, size_t blocks, size_t scale_distance) {
    each_row(rows_of(p), [&](const uint8_t* lhs, const uint8_t* rhs, void* dst, size_t quads) {
        run(lhs, rhs, p.rhs_stride, dst, quads, steps, blocks, scale_distance, p.lo, p.hi);
    });
}
/// @}

/// The GEMV engine. Inlined, so that a kernel's format, panel and output are constants. The slow path takes the address
/// of a copy of the problem, so that compilers can tail-call a row.
template <size_t GROUP>
KAI_INLINE void gemv_neon_dotprod(const Problem* p) {
    const bool plain = p->m == 1 && p->n % p->nr == 0;
    if (p->rhs_kind == RhsKind::int4_blocks) {
        RowBlocksFn* const run = row_blocks_function<GROUP>(*p);
        const size_t steps = part_steps(p->bl), blocks = p->k / p->bl;
        const size_t scale_distance = (p->bl / 32 - steps) * 16 * p->nr;
        if (plain) {
            return run(p->lhs, p->rhs, p->rhs_stride, p->dst, p->n / 4, steps, blocks, scale_distance, p->lo, p->hi);
        }
        const Problem copy = *p;
        return rows_blocks_neon_dotprod(copy, run, steps, blocks, scale_distance);
    }
    RowFn* const run = row_function<GROUP>(*p);
    const size_t steps = (p->k + 31) / 32;
    if (plain) {
        return run(p->lhs, p->rhs, p->rhs_stride, p->dst, p->n / 4, steps, p->lut, p->out, p->lo, p->hi);
    }
    const Problem copy = *p;
    return rows_neon_dotprod(copy, run, steps);
}

}  // namespace
}  // namespace kai

#define KAI_DEFINE_MATMUL_NEON_DOTPROD(KIND, T, OUT, NAME, LHS, RHS, MR, NR, ...) \
    KAI_OF_NEON(NR, KAI_DEFINE_MATMUL_MR_##MR, KIND, T, OUT, NAME, LHS, RHS, NR, __VA_ARGS__)
#define KAI_DEFINE_MATMUL_MR_1(KIND, T, OUT, NAME, LHS, RHS, NR, KR, SR, ...) \
    KAI_DEFINE_MATMUL_QAI8DXP_##KIND(                                         \
        (kai::gemv_neon_dotprod<(KR) / (SR)>), T, OUT, NAME, LHS, RHS, 1, NR, KR, SR, __VA_ARGS__)
#define KAI_DEFINE_MATMUL_MR_4(...)
#define KAI_ISA_neon_dotprod KAI_LINES(KAI_DEFINE_MATMUL_NEON_DOTPROD)
#include "kai/engines/qai8dxp/qai8dxp_families.inc"
