// The floating-point GEMM on SVE that packs nothing, f32 and f16.
//
// K x N: the loop over panels of columns. A panel is the work of plain_sve.inc. Each element is one chain of fma that
// starts at +0, k ascending: the bits do not depend on the vector length.
// N x K: all of it is in plain_sve_nxk.inc. The bits depend on the vector length.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/core/getters.hpp"
#include "kai/engines/core/limits.hpp"
#include "kai/engines/plain/plain_args.h"

namespace kai {
namespace {

KAI_STRUCT(PlainSveArgs, KAI_PLAIN_SVE_ARGS);

using PlainSveFn = void(const PlainSveArgs*);

/// The functions of an element type. K x N, named after the vectors of columns of a tile: x16: 1 row, and all columns
/// exist; x8: 1 or 2 rows. N x K.
struct PlainSve {
    PlainSveFn *x16, *x8, *x4, *x3, *x2, *x1, *nxk;
};

}  // namespace
}  // namespace kai

#define KAI_PLAIN_SVE(TYPE)                                                                             \
    kai_plain_kxn_##TYPE##_1x16_sve, kai_plain_kxn_##TYPE##_2x8_sve, kai_plain_kxn_##TYPE##_6x4_sve,    \
        kai_plain_kxn_##TYPE##_6x3_sve, kai_plain_kxn_##TYPE##_6x2_sve, kai_plain_kxn_##TYPE##_6x1_sve, \
        kai_plain_nxk_##TYPE##_sve
extern "C" kai::PlainSveFn KAI_PLAIN_SVE(f32), KAI_PLAIN_SVE(f16);

namespace kai {
namespace {

template <size_t element_bytes>
constexpr PlainSve kPlainSve = {KAI_PLAIN_SVE(f32)};
template <>
constexpr PlainSve kPlainSve<2> = {KAI_PLAIN_SVE(f16)};

/// A clamp bound as an element.
template <size_t element_bytes>
KAI_INLINE uint32_t bound(float x) {
    return element_bytes == 2 ? kai_cast_f16_f32(x) : load<uint32_t>(&x);
}

/// m, n > 0; lanes: of a vector.
template <size_t element_bytes>
KAI_INLINE void run_sve_kxn(PlainSveArgs args, size_t lanes) {
    constexpr PlainSve panels = kPlainSve<element_bytes>;
    for (;;) {
        const size_t left = (args.n + lanes - 1) / lanes;
        const size_t vectors = args.m == 1 && args.n >= PlainLimits::kRowVectors * lanes ? 16
                               : args.m <= 2 && left > 4                                 ? 8
                               : left < 4                                                ? left
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

extern "C" {

#define KAI_DEFINE_MATMUL_PLAIN_SVE(NAME, LHS, RHS, M_STEP, N_STEP)                                              \
    KAI_DEFINE_MATMUL_GETTERS_PLAIN(NAME, RHS, M_STEP, N_STEP)                                                   \
    KAI_RUN_MATMUL_PLAIN(NAME) {                                                                                 \
        constexpr size_t kBytes = kai::RHS.bits / 8;                                                             \
        kai::check_output(dst_stride_col, kBytes, clamp_min, clamp_max);                                         \
        if (m == 0 || n == 0) {                                                                                  \
            return;                                                                                              \
        }                                                                                                        \
        const uint32_t lo = kai::bound<kBytes>(clamp_min), hi = kai::bound<kBytes>(clamp_max);                   \
        const kai::PlainSveArgs args = {lhs, lhs_stride, rhs, rhs_stride, dst, dst_stride_row, m, n, k, lo, hi}; \
        kai::RHS.kxn ? kai::run_sve_kxn<kBytes>(args, SVE(4 / kBytes)) : kai::kPlainSve<kBytes>.nxk(&args);      \
    }
#define KAI_ISA_sve KAI_LINES(KAI_DEFINE_MATMUL_PLAIN_SVE)
#define KAI_UKERNEL_PLAIN KAI_LINE
#include "kai/ukernels/matmul/matmul_clamp_f16_f16_f16kxn/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f16_f16_f16nxk/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_f32_f32kxn/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_f32_f32nxk/ukernels.def"

}  // extern "C"
