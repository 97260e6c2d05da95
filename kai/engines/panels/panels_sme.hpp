// Matmul of two packed sides in streaming mode, 2 x 2 tiles of outer products a step: what the C++ side hands to an
// assembly kernel of kai/engines/panels/panels_sme.inc, which does all rows and columns.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/panels/panels_args.h"
#include "kai/engines/core/getters.hpp"

namespace kai {
namespace {

KAI_STRUCT(PanelArgs, KAI_PANEL_ARGS);

using SmePanelsFn = void(const PanelArgs*);

KAI_INLINE uint32_t bits_of(float value) {
    uint32_t bits;
    __builtin_memcpy(&bits, &value, sizeof(bits));
    return bits;
}

/// A clamp bound of an output with elements of that size: f16 or f32. f16 kernels compare in f16, with bounds that are
/// rounded as the results are.
KAI_INLINE uint32_t bound(float value, size_t element_bytes) {
    return element_bytes == 2 ? kai_cast_f16_f32(value) : bits_of(value);
}

/// Runs a kernel unless there is nothing to compute.
KAI_INLINE void run_panels(SmePanelsFn* kernel, const PanelArgs& args) {
    if (args.m == 0 || args.n == 0) {
        return;
    }
    kai_commit_za();
    kernel(&args);
}

/// What the classic micro-kernels differ in.
struct PanelsKernel {
    SmePanelsFn *run, *near_zero;  // near_zero: panels_sme_int.hpp
    PackedSide lhs, rhs;
    size_t element_bytes;  // of the output
};

/// Elements of a row as they are stored, k in one piece or in chunks.
KAI_INLINE size_t stored_k(const Format& format, Tile tile, size_t k) {
    return format.padded(tile, k);
}
KAI_INLINE size_t stored_k(const Format& format, Tile tile, Chunks k) {
    return k.count * format.padded(tile, k.length);
}

/// A floating-point kernel. k: as it is stored.
[[gnu::noinline, maybe_unused]] void run_float_panels(
    size_t m, size_t n, size_t k, const void* lhs, const void* rhs, void* dst, size_t dst_stride,
    const PanelsKernel* kernel, float lo, float hi) {
    run_panels(
        kernel->run, {m, n, k * kernel->lhs.bits / 32, lhs, kernel->lhs.stride(k), rhs, kernel->rhs.stride(k), dst,
                      dst_stride, bound(lo, kernel->element_bytes), bound(hi, kernel->element_bytes)});
}

}  // namespace
}  // namespace kai

/// The kernel of a line of the catalogue, with the assembly kai_kernel_KERNEL, kai_kernel_NEAR.
#define KAI_PANELS_KERNEL(KERNEL, NEAR, LHS, RHS, MR, NR, BYTES) \
    [[maybe_unused]] constexpr kai::AsData kai_getter = {};      \
    static constexpr kai::PanelsKernel kernel = {                \
        kai_kernel_##KERNEL, kai_kernel_##NEAR, kai::PackedSide(kai::LHS, MR), kai::PackedSide(kai::RHS, NR), BYTES};

/// All functions of a classic floating-point micro-kernel: elements of BYTES in the output, assembly kai_kernel_KERNEL.
#define KAI_DEFINE_MATMUL_PANELS_SME(KERNEL, BYTES, NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP)              \
    kai::SmePanelsFn kai_kernel_##KERNEL;                                                                        \
    KAI_DEFINE_MATMUL_GETTERS(NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP, BYTES)                             \
    void kai_run_##NAME(                                                                                         \
        size_t m, size_t n, size_t k, const void* lhs_packed, const void* rhs_packed, void* dst,                 \
        size_t dst_stride_row, size_t dst_stride_col, float clamp_min, float clamp_max) {                        \
        KAI_PANELS_KERNEL(KERNEL, KERNEL, LHS, RHS, MR, NR, BYTES)                                               \
        kai::check_output(dst_stride_col, BYTES, clamp_min, clamp_max);                                          \
        kai::run_float_panels(                                                                                   \
            m, n, kai::stored_k(kai::LHS, {1, KR, SR}, k), lhs_packed, rhs_packed, dst, dst_stride_row, &kernel, \
            clamp_min, clamp_max);                                                                               \
    }

/// The same for indirect matmul.
#define KAI_DEFINE_IMATMUL_PANELS_SME(KERNEL, BYTES, NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP)            \
    kai::SmePanelsFn kai_kernel_##KERNEL;                                                                       \
    KAI_DEFINE_IMATMUL_GETTERS(NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP, BYTES)                           \
    void kai_run_##NAME(                                                                                        \
        size_t m, size_t n, size_t k_chunk_count, size_t k_chunk_length, const void* lhs_packed,                \
        const void* rhs_packed, void* dst, size_t dst_stride_row, float clamp_min, float clamp_max) {           \
        KAI_PANELS_KERNEL(KERNEL, KERNEL, LHS, RHS, MR, NR, BYTES)                                              \
        kai::check_bounds(clamp_min, clamp_max);                                                                \
        kai::run_float_panels(                                                                                  \
            m, n, kai::stored_k(kai::LHS, {1, KR, SR}, kai::Chunks{k_chunk_count, k_chunk_length}), lhs_packed, \
            rhs_packed, dst, dst_stride_row, &kernel, clamp_min, clamp_max);                                    \
    }
