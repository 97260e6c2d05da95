// Matmul of two packed sides in streaming mode, 2 x 2 tiles of outer products a step: what the C++ side hands to an
// assembly kernel of kai/engines/panels/panels_sme.inc, which does all rows and columns.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/sme_args.h"
#include "kai/engines/core/getters.hpp"

namespace kai {
namespace {

struct PanelArgs {
    size_t m, n;   // not 0
    size_t depth;  // depth groups: 32-bit words of a row. 0 is fine
    const void* lhs;
    size_t lhs_stride;  // bytes from a panel to the next
    const void* rhs;
    size_t rhs_stride;
    void* dst;
    size_t dst_stride;    // bytes from a row to the next
    uint32_t lo, hi;      // clamp bounds, bit by bit: f32 or, for f16 outputs, f16; int32 for integer ones
    size_t rhs_tail = 0;  // bytes from the start of an RHS panel to its tail, of formats that have one

    // Operands that only some kernels have; each may be null or 0 in the others.
    const void* row_bias = nullptr;
    const void* column_bias = nullptr;
    const void* output_bias = nullptr;  // per column, added to the scaled result
    uint32_t scale = 0;                 // f32, of the whole output, bit by bit
    int32_t zero_point = 0;             // of the output
    const void* table = nullptr;        // for ZT0
};

static_assert(offsetof(PanelArgs, m) == KAI_PANEL_ARGS_M);
static_assert(offsetof(PanelArgs, n) == KAI_PANEL_ARGS_N);
static_assert(offsetof(PanelArgs, depth) == KAI_PANEL_ARGS_DEPTH);
static_assert(offsetof(PanelArgs, lhs) == KAI_PANEL_ARGS_LHS);
static_assert(offsetof(PanelArgs, lhs_stride) == KAI_PANEL_ARGS_LHS_STRIDE);
static_assert(offsetof(PanelArgs, rhs) == KAI_PANEL_ARGS_RHS);
static_assert(offsetof(PanelArgs, rhs_stride) == KAI_PANEL_ARGS_RHS_STRIDE);
static_assert(offsetof(PanelArgs, dst) == KAI_PANEL_ARGS_DST);
static_assert(offsetof(PanelArgs, dst_stride) == KAI_PANEL_ARGS_DST_STRIDE);
static_assert(offsetof(PanelArgs, lo) == KAI_PANEL_ARGS_LO);
static_assert(offsetof(PanelArgs, hi) == KAI_PANEL_ARGS_HI);
static_assert(offsetof(PanelArgs, rhs_tail) == KAI_PANEL_ARGS_RHS_TAIL);
static_assert(offsetof(PanelArgs, row_bias) == KAI_PANEL_ARGS_ROW_BIAS);
static_assert(offsetof(PanelArgs, column_bias) == KAI_PANEL_ARGS_COLUMN_BIAS);
static_assert(offsetof(PanelArgs, output_bias) == KAI_PANEL_ARGS_OUTPUT_BIAS);
static_assert(offsetof(PanelArgs, scale) == KAI_PANEL_ARGS_SCALE);
static_assert(offsetof(PanelArgs, zero_point) == KAI_PANEL_ARGS_ZERO_POINT);
static_assert(offsetof(PanelArgs, table) == KAI_PANEL_ARGS_TABLE);

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
