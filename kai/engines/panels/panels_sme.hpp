// Matmul of two packed sides in streaming mode, 2 x 2 tiles of outer products a step: what the C++ side hands to the
// assembly of kai/engines/panels/panels_sme.inc, which does all rows and columns.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace kai {
namespace {
/// Not AAPCS64: shares the frame and the registers of the assembly that calls it.
using SmePanelsPart = void();
}  // namespace
}  // namespace kai

#include "kai/engines/panels/panels_args.h"
#include "kai/engines/core/getters.hpp"
#include "kai/engines/core/requantise.hpp"

namespace kai {
namespace {

KAI_STRUCT(PanelArgs, KAI_PANEL_ARGS);

using SmePanelsFn = void(const PanelArgs*);

/// What kernels differ in.
struct PanelsKernel {
    SmePanelsFn* run;
    SmePanelsPart *start, *multiply, *store;
    SmePanelsPart* store_near;  // for int8 outputs, bounds that are near zero (is_near_zero)
    uint8_t operand_bytes, dst_bytes;
    uint8_t head;  // bytes per column
    bool split;    // panels of V rows and columns, else of 2 V
};

/// depth: in words. Strides: bytes from a panel to the next.
KAI_INLINE PanelArgs panel_args(
    const PanelsKernel& kernel, size_t m, size_t n, size_t depth, const void* lhs, size_t lhs_stride, const void* rhs,
    size_t rhs_stride, void* dst, size_t dst_stride) {
    const size_t vl = kai_get_sme_vector_length_u32(), head = vl * kernel.head, panels = kernel.split ? 2 : 1;
    PanelArgs args = {m, n, depth, lhs, rhs, dst, dst_stride};
    args.start = kernel.start, args.multiply = kernel.multiply, args.store = kernel.store;
    args.lhs_half = lhs_stride, args.lhs_step = lhs_stride * panels;
    args.rhs_half = kernel.split ? rhs_stride : head, args.rhs_step = rhs_stride * panels;
    args.rhs_heads = head * 2 / panels;
    args.dst_step = 2 * vl * kernel.dst_bytes;
    return args;
}

/// A clamp bound of an output with elements of that size: f16 or f32. f16 kernels compare in f16, with bounds that are
/// rounded as the results are.
KAI_INLINE uint32_t bound(float value, size_t element_bytes) {
    return element_bytes == 2 ? kai_cast_f16_f32(value) : load<uint32_t>(&value);
}

/// Runs a kernel unless there is nothing to compute.
KAI_INLINE void run_panels(const PanelsKernel& kernel, const PanelArgs& args) {
    if (args.m == 0 || args.n == 0) {
        return;
    }
    kai_commit_za();
    kernel.run(&args);
}

KAI_INLINE void run_float_panels(const PanelsKernel& kernel, PanelArgs args, float lo, float hi) {
    args.lo = bound(lo, kernel.dst_bytes);
    args.hi = bound(hi, kernel.dst_bytes);
    run_panels(kernel, args);
}

/// int8 outputs. Not called if there is nothing to compute: params may be missing then.
[[gnu::noinline]] void run_qai8_panels(
    const PanelsKernel& kernel, PanelArgs& args, size_t rhs_tail, const kai_matmul_requantize32_params& params,
    const char* function) {
    const auto requantisation = before_zero_point(params, function);
    args.lo = static_cast<uint32_t>(requantisation.min_value);
    args.hi = static_cast<uint32_t>(requantisation.max_value);
    args.zero_point = requantisation.output_zero_point;
    args.rhs_tail = rhs_tail;
    args.store = is_near_zero(requantisation) ? kernel.store_near : kernel.store;
    run_panels(kernel, args);
}

/// A classic micro-kernel.
struct PanelsMatmul {
    PanelsKernel kernel;
    PackedSide lhs, rhs;

    /// k: as it is stored.
    KAI_INLINE PanelArgs args(
        size_t m, size_t n, size_t k, const void* lhs_packed, const void* rhs_packed, void* dst,
        size_t dst_stride) const {
        return panel_args(
            kernel, m, n, k * kernel.operand_bytes / 4, lhs_packed, lhs.stride(k), rhs_packed, rhs.stride(k), dst,
            dst_stride);
    }
};

/// Stored elements of a row, padding included: k in one piece or in chunks.
KAI_INLINE size_t stored_k(const Format& format, Tile tile, size_t k) {
    return format.padded(tile, k);
}
KAI_INLINE size_t stored_k(const Format& format, Tile tile, Chunks k) {
    return k.count * format.padded(tile, k.length);
}

[[gnu::noinline, maybe_unused]] void run_float_matmul(
    size_t m, size_t n, size_t k, const void* lhs, const void* rhs, void* dst, size_t dst_stride,
    const PanelsMatmul* matmul, float lo, float hi) {
    run_float_panels(matmul->kernel, matmul->args(m, n, k, lhs, rhs, dst, dst_stride), lo, hi);
}

[[gnu::noinline, maybe_unused]] void run_qai8_matmul(
    size_t m, size_t n, size_t k, const void* lhs, const void* rhs, void* dst, size_t dst_stride,
    const PanelsMatmul* matmul, const kai_matmul_requantize32_params* params) {
    if (m == 0 || n == 0) {
        return;
    }
    const size_t tail = matmul->rhs.rows.value() * sizeof(float);
    PanelArgs args = matmul->args(m, n, k, lhs, rhs, dst, dst_stride);
    run_qai8_panels(matmul->kernel, args, matmul->rhs.stride(k) - tail, *params, __func__);
}

}  // namespace
}  // namespace kai

/// Declares the parts of panels_<isa>_*.S that each ISA has, and the kernels kai::kF32 ... that consist of them.
/// NEAR: its store for bounds that are near zero.
#define KAI_DEFINE_PANELS_KERNELS(ISA, NEAR)                                                                    \
    extern "C" {                                                                                                \
    kai::SmePanelsFn kai_kernel_panels_##ISA;                                                                   \
    kai::SmePanelsPart kai_part_panels_start_words_##ISA, kai_part_panels_start_f16_##ISA,                      \
        kai_part_panels_multiply_pair_f32_##ISA, kai_part_panels_multiply_pair_f16_##ISA,                       \
        kai_part_panels_multiply_pair_bf16_##ISA, kai_part_panels_multiply_pair_s8_##ISA,                       \
        kai_part_panels_store_f32_##ISA, kai_part_panels_store_f16_##ISA, kai_part_panels_store_##NEAR##_##ISA, \
        kai_part_panels_store_qai8_##ISA;                                                                       \
    }                                                                                                           \
    namespace kai {                                                                                             \
    namespace {                                                                                                 \
    constexpr PanelsKernel kF32 = KAI_PANELS_KERNEL(ISA, words, pair_f32, f32, f32, 4, 4, 4, false);            \
    constexpr PanelsKernel kF16 = KAI_PANELS_KERNEL(ISA, f16, pair_f16, f16, f16, 2, 2, 2, false);              \
    constexpr PanelsKernel kF16ToF32 = KAI_PANELS_KERNEL(ISA, f16, pair_f16, f32, f32, 2, 4, 2, false);         \
    constexpr PanelsKernel kBF16 = KAI_PANELS_KERNEL(ISA, words, pair_bf16, f32, f32, 2, 4, 4, false);          \
    constexpr PanelsKernel kQAI8 = KAI_PANELS_KERNEL(ISA, words, pair_s8, qai8, NEAR, 1, 1, 4, false);          \
    }                                                                                                           \
    }

#define KAI_PANELS_KERNEL(ISA, START, MULTIPLY, STORE, NEAR, ...)                                                    \
    {                                                                                                                \
        kai_kernel_panels_##ISA, kai_part_panels_start_##START##_##ISA, kai_part_panels_multiply_##MULTIPLY##_##ISA, \
            kai_part_panels_store_##STORE##_##ISA, kai_part_panels_store_##NEAR##_##ISA, __VA_ARGS__                 \
    }

/// The micro-kernel of a line of the catalogue, as data.
#define KAI_PANELS_MATMUL(KERNEL, LHS, RHS, MR, NR) \
    static constexpr kai::PanelsMatmul matmul = {   \
        kai::k##KERNEL, kai::PackedSide(kai::LHS, MR), kai::PackedSide(kai::RHS, NR)};

/// @name All functions of a classic micro-kernel: matmul, indirect matmul; with floating-point or int8 outputs
/// @{
#define KAI_DEFINE_MATMUL_PANELS_SME(KERNEL, NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP)                  \
    KAI_DEFINE_MATMUL_GETTERS(NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP, kai::k##KERNEL.dst_bytes)       \
    KAI_RUN_MATMUL(NAME, void) {                                                                              \
        KAI_PANELS_MATMUL(KERNEL, LHS, RHS, MR, NR)                                                           \
        kai::check_output(dst_stride_col, matmul.kernel.dst_bytes, clamp_min, clamp_max);                     \
        kai::run_float_matmul(                                                                                \
            m, n, kai::stored_k(kai::LHS, {1, KR, SR}, k), lhs, rhs, dst, dst_stride_row, &matmul, clamp_min, \
            clamp_max);                                                                                       \
    }

#define KAI_DEFINE_IMATMUL_PANELS_SME(KERNEL, NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP)                      \
    KAI_DEFINE_IMATMUL_GETTERS(NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP, kai::k##KERNEL.dst_bytes)           \
    KAI_RUN_IMATMUL(NAME) {                                                                                        \
        KAI_PANELS_MATMUL(KERNEL, LHS, RHS, MR, NR)                                                                \
        kai::check_bounds(clamp_min, clamp_max);                                                                   \
        kai::run_float_matmul(                                                                                     \
            m, n, kai::stored_k(kai::LHS, {1, KR, SR}, kai::Chunks{k_chunk_count, k_chunk_length}), lhs, rhs, dst, \
            dst_stride_row, &matmul, clamp_min, clamp_max);                                                        \
    }

#define KAI_DEFINE_MATMUL_QAI8_PANELS_SME(KERNEL, NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP)           \
    KAI_DEFINE_MATMUL_GETTERS(NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP, sizeof(int8_t))               \
    KAI_RUN_MATMUL_QAI8(NAME) {                                                                             \
        KAI_PANELS_MATMUL(KERNEL, LHS, RHS, MR, NR)                                                         \
        kai::check_element(dst_stride_col, sizeof(int8_t));                                                 \
        kai::check_bounds(m, n, params);                                                                    \
        kai::run_qai8_matmul(                                                                               \
            m, n, kai::stored_k(kai::LHS, {1, KR, SR}, k), lhs, rhs, dst, dst_stride_row, &matmul, params); \
    }

#define KAI_DEFINE_IMATMUL_QAI8_PANELS_SME(KERNEL, NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP)                 \
    KAI_DEFINE_IMATMUL_GETTERS(NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP, sizeof(int8_t))                     \
    KAI_RUN_IMATMUL_QAI8(NAME) {                                                                                   \
        KAI_PANELS_MATMUL(KERNEL, LHS, RHS, MR, NR)                                                                \
        kai::check_bounds(m, n, params);                                                                           \
        kai::run_qai8_matmul(                                                                                      \
            m, n, kai::stored_k(kai::LHS, {1, KR, SR}, kai::Chunks{k_chunk_count, k_chunk_length}), lhs, rhs, dst, \
            dst_stride_row, &matmul, params);                                                                      \
    }
/// @}
