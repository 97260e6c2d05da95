// The C++ side of the integer kernels of kai/engines/panels/panels_sme_int.inc.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/panels/panels_sme.hpp"
#include "kai/engines/core/requantise.hpp"

namespace kai {
namespace {

/// A kernel with int8 outputs, and the one for bounds that are near zero (is_near_zero): the same where there is no
/// other.
struct Qai8Kernels {
    SmePanelsFn *any, *near_zero;
};

/// Completes args, of which all up to dst_stride is set, with the requantisation, and runs a kernel with int8 outputs.
/// Not called where there is nothing to compute: params may not be there then.
KAI_INLINE void run_qai8_panels(
    Qai8Kernels kernels, PanelArgs args, size_t rhs_tail, const kai_matmul_requantize32_params& params,
    const char* function) {
    const auto requantisation = before_zero_point(params, function);
    args.lo = static_cast<uint32_t>(requantisation.min_value);
    args.hi = static_cast<uint32_t>(requantisation.max_value);
    args.zero_point = requantisation.output_zero_point;
    args.rhs_tail = rhs_tail;
    run_panels(is_near_zero(requantisation) ? kernels.near_zero : kernels.any, args);
}

/// The same for dense panels: what the classic micro-kernels take. k: as it is stored.
[[gnu::noinline, maybe_unused]] void run_dense_qai8_panels(
    size_t m, size_t n, size_t k, const void* lhs, const void* rhs, void* dst, size_t dst_stride,
    const PanelsKernel* kernel, const kai_matmul_requantize32_params* params) {
    if (m == 0 || n == 0) {
        return;
    }
    const size_t rhs_stride = kernel->rhs.stride(k), tail = kernel->rhs.rows.value() * sizeof(float);
    run_qai8_panels(
        {kernel->run, kernel->near_zero},
        {m, n, k / 4, lhs, kernel->lhs.stride(k), rhs, rhs_stride, dst, dst_stride, 0, 0}, rhs_stride - tail, *params,
        __func__);
}

}  // namespace
}  // namespace kai

/// All functions of a classic micro-kernel with int8 outputs: assembly kai_kernel_KERNEL, kai_kernel_NEAR
/// (Qai8Kernels).
#define KAI_DEFINE_MATMUL_QAI8_PANELS(KERNEL, NEAR, NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP)              \
    extern "C" kai::SmePanelsFn kai_kernel_##KERNEL, kai_kernel_##NEAR;                                          \
    KAI_DEFINE_MATMUL_GETTERS(NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP, sizeof(int8_t))                    \
    void kai_run_##NAME(                                                                                         \
        size_t m, size_t n, size_t k, const void* lhs_packed, const void* rhs_packed, void* dst,                 \
        size_t dst_stride_row, size_t dst_stride_col, const struct kai_matmul_requantize32_params* params) {     \
        KAI_PANELS_KERNEL(KERNEL, NEAR, LHS, RHS, MR, NR, 1)                                                     \
        kai::check_element(dst_stride_col, sizeof(int8_t));                                                      \
        kai::check_bounds(m, n, params);                                                                         \
        kai::run_dense_qai8_panels(                                                                              \
            m, n, kai::stored_k(kai::LHS, {1, KR, SR}, k), lhs_packed, rhs_packed, dst, dst_stride_row, &kernel, \
            params);                                                                                             \
    }

/// The same for indirect matmul: chunks of k are padded on their own, so the depth is that of the padded ones.
#define KAI_DEFINE_IMATMUL_QAI8_PANELS(KERNEL, NEAR, NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP)            \
    extern "C" kai::SmePanelsFn kai_kernel_##KERNEL, kai_kernel_##NEAR;                                         \
    KAI_DEFINE_IMATMUL_GETTERS(NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP, sizeof(int8_t))                  \
    void kai_run_##NAME(                                                                                        \
        size_t m, size_t n, size_t k_chunk_count, size_t k_chunk_length, const void* lhs_packed,                \
        const void* rhs_packed, void* dst, size_t dst_stride_row,                                               \
        const struct kai_matmul_requantize32_params* params) {                                                  \
        KAI_PANELS_KERNEL(KERNEL, NEAR, LHS, RHS, MR, NR, 1)                                                    \
        kai::check_bounds(m, n, params);                                                                        \
        kai::run_dense_qai8_panels(                                                                             \
            m, n, kai::stored_k(kai::LHS, {1, KR, SR}, kai::Chunks{k_chunk_count, k_chunk_length}), lhs_packed, \
            rhs_packed, dst, dst_stride_row, &kernel, params);                                                  \
    }
