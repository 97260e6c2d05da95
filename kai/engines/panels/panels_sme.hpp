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

/// Depth groups of a row: words.
KAI_INLINE size_t depth_of(const Format& format, Tile tile, size_t k) {
    return format.padded(tile, k) * format.bits / 32;
}

KAI_INLINE size_t depth_of(const Format& format, Tile tile, Chunks k) {
    return k.count * depth_of(format, tile, k.length);
}

struct DensePanels {
    const Format& format;
    Tile tile;
    const void* data;
};

/// run_panels for a floating-point kernel and depth k, a number or Chunks.
template <typename K>
KAI_INLINE void run_float_panels(
    SmePanelsFn* kernel, size_t m, size_t n, K k, const DensePanels& lhs, const DensePanels& rhs, void* dst,
    size_t dst_stride, size_t element_bytes, float lo, float hi) {
    run_panels(
        kernel, {m, n, depth_of(lhs.format, lhs.tile, k), lhs.data, lhs.format.stride(lhs.tile, k), rhs.data,
                 rhs.format.stride(rhs.tile, k), dst, dst_stride, bound(lo, element_bytes), bound(hi, element_bytes)});
}

}  // namespace
}  // namespace kai

/// All functions of a classic floating-point micro-kernel: elements of BYTES in the output, assembly kai_kernel_KERNEL.
#define KAI_DEFINE_MATMUL_PANELS_SME(KERNEL, BYTES, NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP)                   \
    kai::SmePanelsFn kai_kernel_##KERNEL;                                                                             \
    KAI_DEFINE_MATMUL_GETTERS(NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP, BYTES)                                  \
    void kai_run_##NAME(                                                                                              \
        size_t m, size_t n, size_t k, const void* lhs_packed, const void* rhs_packed, void* dst,                      \
        size_t dst_stride_row, size_t dst_stride_col, float clamp_min, float clamp_max) {                             \
        kai::check_output(dst_stride_col, BYTES, clamp_min, clamp_max);                                               \
        kai::run_float_panels(                                                                                        \
            kai_kernel_##KERNEL, m, n, k, {kai::LHS, {MR, KR, SR}, lhs_packed}, {kai::RHS, {NR, KR, SR}, rhs_packed}, \
            dst, dst_stride_row, BYTES, clamp_min, clamp_max);                                                        \
    }

/// The same for indirect matmul.
#define KAI_DEFINE_IMATMUL_PANELS_SME(KERNEL, BYTES, NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP)                \
    kai::SmePanelsFn kai_kernel_##KERNEL;                                                                           \
    KAI_DEFINE_IMATMUL_GETTERS(NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP, BYTES)                               \
    void kai_run_##NAME(                                                                                            \
        size_t m, size_t n, size_t k_chunk_count, size_t k_chunk_length, const void* lhs_packed,                    \
        const void* rhs_packed, void* dst, size_t dst_stride_row, float clamp_min, float clamp_max) {               \
        kai::check_bounds(clamp_min, clamp_max);                                                                    \
        kai::run_float_panels(                                                                                      \
            kai_kernel_##KERNEL, m, n, kai::Chunks{k_chunk_count, k_chunk_length},                                  \
            {kai::LHS, {MR, KR, SR}, lhs_packed}, {kai::RHS, {NR, KR, SR}, rhs_packed}, dst, dst_stride_row, BYTES, \
            clamp_min, clamp_max);                                                                                  \
    }
