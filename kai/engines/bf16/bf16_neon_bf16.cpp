// bf16 matmul with NEON, both sides packed: f32 and f16 <- bf16p x bf16p. The formula is in the interface headers; the
// work, all rows and columns, in bf16_neon_bf16_mmla.S (BFMMLA) and bf16_neon_bf16_dot.S (BFDOT).
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/core/getters.hpp"

namespace kai {
namespace {

/// m, n: not 0. groups: of 4 k, the last one padded; may be 0. lo, hi: clamp bounds.
using Bf16pFn = void(
    size_t m, size_t n, size_t groups, const void* lhs, const void* rhs, void* dst, size_t dst_stride, float lo,
    float hi);

}  // namespace
}  // namespace kai

/// Getters and run function of a micro-kernel with panels of NEON, whose elements have ELEMENT_BYTES.
#define KAI_DEFINE_MATMUL_BF16(ELEMENT_BYTES, NAME, LHS, RHS, MR, NR, ...) \
    KAI_OF_NEON(NR, KAI_DEFINE_MATMUL_BF16_, ELEMENT_BYTES, NAME, LHS, RHS, MR, NR, __VA_ARGS__)
#define KAI_DEFINE_MATMUL_BF16_(ELEMENT_BYTES, NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP)     \
    KAI_DEFINE_MATMUL_GETTERS(NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP, ELEMENT_BYTES)       \
    kai::Bf16pFn kai_kernel_##NAME;                                                                \
    KAI_RUN_MATMUL(NAME, void) {                                                                   \
        KAI_REQUIRE_ONE_ROW(M_STEP, m);                                                            \
        kai::check_output(dst_stride_col, ELEMENT_BYTES, clamp_min, clamp_max);                    \
        if (m == 0 || n == 0) {                                                                    \
            return;                                                                                \
        }                                                                                          \
        kai_kernel_##NAME(m, n, (k + 3) / 4, lhs, rhs, dst, dst_stride_row, clamp_min, clamp_max); \
    }

extern "C" {

#define KAI_ISA_neon_bf16 KAI_LINES(KAI_DEFINE_MATMUL_BF16)
#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, sizeof(float), __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_bf16p_bf16p/ukernels.def"
#undef KAI_UKERNEL
#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, sizeof(uint16_t), __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f16_bf16p_bf16p/ukernels.def"

}  // extern "C"
