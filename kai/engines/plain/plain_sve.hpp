// The floating-point GEMM on SVE that packs nothing.
//
// K x N: the loop over panels of columns. A panel is the work of plain_sve.inc. Each element is one chain of fma that
// starts at +0, k ascending: the bits do not depend on the vector length.
// N x K: all of it is in plain_sve_nxk.inc. The bits depend on the vector length.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/getters.hpp"
#include "kai/engines/plain/plain_args.h"

namespace kai {
namespace {

KAI_STRUCT(PlainSveArgs, KAI_PLAIN_SVE_ARGS);

using PlainSveFn = void(const PlainSveArgs*);

/// By the vectors of columns of a tile. x16: 1 row, and all columns exist; x8: 1 or 2 rows.
struct PlainSvePanels {
    PlainSveFn *x16, *x8, *x4, *x3, *x2, *x1;
};

/// m, n > 0; lanes: of a vector.
template <size_t element_bytes>
KAI_INLINE void run_sve_kxn(const PlainSvePanels& panels, PlainSveArgs args, size_t lanes) {
    for (;;) {
        const size_t left = (args.n + lanes - 1) / lanes;
        const size_t vectors = args.m == 1 && args.n >= 16 * lanes ? 16
                               : args.m <= 2 && left > 4           ? 8
                               : left < 4                          ? left
                                                                   : 4;
        switch (vectors) {
            case 16:
                panels.x16(&args);
                break;
            case 8:
                panels.x8(&args);
                break;
            case 4:
                panels.x4(&args);
                break;
            case 3:
                panels.x3(&args);
                break;
            case 2:
                panels.x2(&args);
                break;
            default:
                panels.x1(&args);
        }
        const size_t width = vectors * lanes;
        if (args.n <= width) {
            return;
        }
        args.n -= width;
        args.rhs = bytes(args.rhs, width * element_bytes);
        args.dst = bytes(args.dst, width * element_bytes);
    }
}

}  // namespace
}  // namespace kai

/// The functions of a micro-kernel. T: what multiplies elements of its type, and the bits of such an element.
#define KAI_DEFINE_MATMUL_PLAIN_SVE(T, NAME, LHS, RHS, M_STEP, N_STEP)                                               \
    KAI_DEFINE_MATMUL_GETTERS_PLAIN(NAME, RHS, M_STEP, N_STEP)                                                       \
    void kai_run_##NAME(                                                                                             \
        size_t m, size_t n, size_t k, const void* lhs, size_t lhs_stride, const void* rhs, size_t rhs_stride,        \
        void* dst, size_t dst_stride_row, size_t dst_stride_col, float clamp_min, float clamp_max) {                 \
        constexpr size_t kBytes = kai::RHS.bits / 8;                                                                 \
        kai::check_output(dst_stride_col, kBytes, clamp_min, clamp_max);                                             \
        if (m == 0 || n == 0) {                                                                                      \
            return;                                                                                                  \
        }                                                                                                            \
        const kai::PlainSveArgs args = {                                                                             \
            lhs, lhs_stride, rhs, rhs_stride, dst, dst_stride_row, m, n, k, T::bits(clamp_min), T::bits(clamp_max)}; \
        kai::RHS.kxn ? kai::run_sve_kxn<kBytes>(T::kKxn, args, SVE(4 / kBytes)) : T::kNxk(&args);                    \
    }
