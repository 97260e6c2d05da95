// The floating-point GEMM on SVE that packs nothing, f32 and f16.
//
// K x N: the loop over panels of columns. A panel is the work of plain_sve.inc. Each element is one chain of fma that
// starts at +0, k ascending: the bits do not depend on the vector length.
// N x K: all of it is in plain_sve_nxk.inc. The bits depend on the vector length.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/core/getters.hpp"
#include "kai/engines/plain/plain_args.h"

namespace kai {
namespace {

KAI_STRUCT(PlainSveArgs, KAI_PLAIN_SVE_ARGS);

using PlainSveFn = void(const PlainSveArgs*);

}  // namespace
}  // namespace kai

extern "C" kai::PlainSveFn kai_panel_f32_f32_f32kxn_1x16vl_sve_mla, kai_panel_f32_f32_f32kxn_2x8vl_sve_mla,
    kai_panel_f32_f32_f32kxn_6x4vl_sve_mla, kai_panel_f32_f32_f32kxn_6x3vl_sve_mla,
    kai_panel_f32_f32_f32kxn_6x2vl_sve_mla, kai_panel_f32_f32_f32kxn_6x1vl_sve_mla,
    kai_plain_f32_f32_f32nxk_6x4_sve_mla, kai_panel_f16_f16_f16kxn_1x32vl_sve_mla,
    kai_panel_f16_f16_f16kxn_2x16vl_sve_mla, kai_panel_f16_f16_f16kxn_6x8vl_sve_mla,
    kai_panel_f16_f16_f16kxn_6x6vl_sve_mla, kai_panel_f16_f16_f16kxn_6x4vl_sve_mla,
    kai_panel_f16_f16_f16kxn_6x2vl_sve_mla, kai_plain_f16_f16_f16nxk_6x4_sve_mla;

namespace kai {
namespace {

/// By the vectors of columns of a tile. x16: 1 row, and all columns exist; x8: 1 or 2 rows.
struct PlainSvePanels {
    PlainSveFn *x16, *x8, *x4, *x3, *x2, *x1;
};

/// By the bytes of an element: what multiplies such elements, and a clamp bound as one.
template <size_t element_bytes>
struct PlainSve;
template <>
struct PlainSve<4> {
    static constexpr PlainSvePanels kKxn = {
        kai_panel_f32_f32_f32kxn_1x16vl_sve_mla, kai_panel_f32_f32_f32kxn_2x8vl_sve_mla,
        kai_panel_f32_f32_f32kxn_6x4vl_sve_mla,  kai_panel_f32_f32_f32kxn_6x3vl_sve_mla,
        kai_panel_f32_f32_f32kxn_6x2vl_sve_mla,  kai_panel_f32_f32_f32kxn_6x1vl_sve_mla};
    static constexpr PlainSveFn* kNxk = kai_plain_f32_f32_f32nxk_6x4_sve_mla;

    KAI_INLINE static uint32_t bits(float x) {
        return load<uint32_t>(&x);
    }
};
template <>
struct PlainSve<2> {
    static constexpr PlainSvePanels kKxn = {
        kai_panel_f16_f16_f16kxn_1x32vl_sve_mla, kai_panel_f16_f16_f16kxn_2x16vl_sve_mla,
        kai_panel_f16_f16_f16kxn_6x8vl_sve_mla,  kai_panel_f16_f16_f16kxn_6x6vl_sve_mla,
        kai_panel_f16_f16_f16kxn_6x4vl_sve_mla,  kai_panel_f16_f16_f16kxn_6x2vl_sve_mla};
    static constexpr PlainSveFn* kNxk = kai_plain_f16_f16_f16nxk_6x4_sve_mla;

    KAI_INLINE static uint32_t bits(float x) {
        return kai_cast_f16_f32(x);
    }
};

/// m, n > 0; lanes: of a vector.
template <size_t element_bytes>
KAI_INLINE void run_sve_kxn(PlainSveArgs args, size_t lanes) {
    constexpr PlainSvePanels panels = PlainSve<element_bytes>::kKxn;
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

extern "C" {

#define KAI_DEFINE_MATMUL_PLAIN_SVE(NAME, LHS, RHS, M_STEP, N_STEP)                                                  \
    KAI_DEFINE_MATMUL_GETTERS_PLAIN(NAME, RHS, M_STEP, N_STEP)                                                       \
    void kai_run_##NAME(                                                                                             \
        size_t m, size_t n, size_t k, const void* lhs, size_t lhs_stride, const void* rhs, size_t rhs_stride,        \
        void* dst, size_t dst_stride_row, size_t dst_stride_col, float clamp_min, float clamp_max) {                 \
        constexpr size_t kBytes = kai::RHS.bits / 8;                                                                 \
        using T = kai::PlainSve<kBytes>;                                                                             \
        kai::check_output(dst_stride_col, kBytes, clamp_min, clamp_max);                                             \
        if (m == 0 || n == 0) {                                                                                      \
            return;                                                                                                  \
        }                                                                                                            \
        const kai::PlainSveArgs args = {                                                                             \
            lhs, lhs_stride, rhs, rhs_stride, dst, dst_stride_row, m, n, k, T::bits(clamp_min), T::bits(clamp_max)}; \
        kai::RHS.kxn ? kai::run_sve_kxn<kBytes>(args, SVE(4 / kBytes)) : T::kNxk(&args);                             \
    }
#define KAI_ISA_sve KAI_LINES(KAI_DEFINE_MATMUL_PLAIN_SVE)
#define KAI_UKERNEL_PLAIN KAI_LINE
#include "kai/ukernels/matmul/matmul_clamp_f16_f16_f16kxn/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f16_f16_f16nxk/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_f32_f32kxn/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_f32_f32nxk/ukernels.def"

}  // extern "C"
