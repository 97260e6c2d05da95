// Matmul with rows quantised at run time (qai8dxp) in streaming mode: panels of 4 VL columns.
//
// A kernel is assembly that does all rows and columns: GEMM, mr = 1 VL: qai8dxp_sme_mopa.inc. GEMV, mr = 1:
// qai8dxp_sme2_row.S, qai8dxp_sme_row.S.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/qai8dxp/qai8dxp_args.h"
#include "kai/engines/core/getters.hpp"
#include "kai/engines/core/nibble_tables.hpp"

namespace kai {
namespace {

/// m, n >= 1. In `steps` of 32 k. In blocks: of `parts` times `part` steps.
using Qai8dxpSmeFn = void(const Problem*, const Table*, size_t steps, size_t part, size_t parts);

/// What the micro-kernels differ in.
struct Qai8dxpSmeKernel {
    Qai8dxpSmeFn* run;
    PackedSide lhs, rhs;
    OutKind out;
};

/// bl: 0 if there are no blocks. lut: four weights, or nullptr: nibbles are signed.
[[gnu::noinline]] void run_qai8dxp_sme(
    size_t m, size_t n, size_t k, const void* lhs, const void* rhs, void* dst, size_t dst_stride,
    const Qai8dxpSmeKernel& kernel, float lo, float hi, size_t bl, const int32_t* lut) {
    if (m == 0 || n == 0) {
        return;
    }
    kai_commit_za();
    const size_t steps = (k + 31) / 32;
    size_t part = 0, parts = 0, blocks = 0;
    if (bl != 0) {
        // S of a part is within +-2^22, of which the kernel makes an f32: int8 x int4 over 128 steps.
        const size_t block = bl / 32;
        parts = (block + 127) / 128;
        while (block % parts != 0) {
            ++parts;
        }
        part = block / parts;
        blocks = k / bl;
    }
    Problem p;  // what assembly reads of it
    p.m = m, p.n = n;
    p.lhs = bytes(lhs), p.lhs_stride = kernel.lhs.stride(steps * 32);
    p.rhs = bytes(rhs), p.rhs_stride = kernel.rhs.stride(steps * 32, blocks);
    p.dst = dst, p.dst_stride = dst_stride, p.out = kernel.out;
    p.lo = lo, p.hi = hi;
    if (lut != nullptr) {
        const Table weights = {{lut[0], lut[1], lut[2], lut[3]}};
        return kernel.run(&p, &weights, steps, part, parts);
    }
    kernel.run(&p, &kSignedNibbles, steps, part, parts);
}

}  // namespace
}  // namespace kai

/// The functions of a line of the catalogues. The assembly is kai_kernel_<name>.
#define KAI_DEFINE_MATMUL_QAI8DXP_SME(KIND, ...) KAI_DEFINE_QAI8DXP_SME_##KIND(__VA_ARGS__)

#define KAI_DEFINE_QAI8DXP_SME_CHANNELS(T, OUT, NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP)                      \
    KAI_DEFINE_MATMUL_GETTERS(NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP, kai::element_bytes(kai::OutKind::OUT)) \
    extern "C" kai::Qai8dxpSmeFn kai_kernel_##NAME;                                                                  \
    KAI_RUN_MATMUL(NAME, T) {                                                                                        \
        kai::check_sums(k, kai::most_depth(kai::RHS));                                                               \
        kai::check_output(dst_stride_col, kai::element_bytes(kai::OutKind::OUT), clamp_min, clamp_max);              \
        KAI_QAI8DXP_SME_KERNEL(OUT, NAME, LHS, RHS, MR, NR)                                                          \
        kai::run_qai8dxp_sme(m, n, k, lhs, rhs, dst, dst_stride_row, kernel, clamp_min, clamp_max, 0, nullptr);      \
    }

#define KAI_DEFINE_QAI8DXP_SME_BLOCKS(T, OUT, NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP)                    \
    KAI_DEFINE_MATMUL_GETTERS_RHS_BL(                                                                            \
        NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP, kai::element_bytes(kai::OutKind::OUT))                   \
    extern "C" kai::Qai8dxpSmeFn kai_kernel_##NAME;                                                              \
    KAI_RUN_MATMUL_BL(NAME, T) {                                                                                 \
        kai::check_blocks(k, bl);                                                                                \
        kai::check_output(dst_stride_col, kai::element_bytes(kai::OutKind::OUT), clamp_min, clamp_max);          \
        KAI_QAI8DXP_SME_KERNEL(OUT, NAME, LHS, RHS, MR, NR)                                                      \
        kai::run_qai8dxp_sme(m, n, k, lhs, rhs, dst, dst_stride_row, kernel, clamp_min, clamp_max, bl, nullptr); \
    }

#define KAI_DEFINE_QAI8DXP_SME_TABLE(T, OUT, NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP)            \
    KAI_DEFINE_MATMUL_GETTERS_MULTIPLE(                                                                 \
        32, NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP, kai::element_bytes(kai::OutKind::OUT))      \
    extern "C" kai::Qai8dxpSmeFn kai_kernel_##NAME;                                                     \
    KAI_RUN_MATMUL_LUT(NAME, T) {                                                                       \
        kai::check_depth(k, 32);                                                                        \
        kai::check_output(dst_stride_col, kai::element_bytes(kai::OutKind::OUT), clamp_min, clamp_max); \
        KAI_QAI8DXP_SME_KERNEL(OUT, NAME, LHS, RHS, MR, NR)                                             \
        kai::run_qai8dxp_sme(                                                                           \
            m, n, k, lhs, rhs, dst, dst_stride_row, kernel, clamp_min, clamp_max, 0,                    \
            lut != nullptr ? lut : kai::kDefaultTable);                                                 \
    }

#define KAI_QAI8DXP_SME_KERNEL(OUT, NAME, LHS, RHS, MR, NR) \
    static constexpr kai::Qai8dxpSmeKernel kernel = {       \
        kai_kernel_##NAME, kai::PackedSide(kai::LHS, MR), kai::PackedSide(kai::RHS, NR), kai::OutKind::OUT};
