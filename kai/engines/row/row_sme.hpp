// One row that is not packed times a packed RHS, in streaming mode. A kernel is assembly that does all columns:
// row_sme2.S, row_sme.S.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>

#include "kai/engines/core/sme_args.h"
#include "kai/engines/core/getters.hpp"
#include "kai/engines/core/nibble_tables.hpp"

namespace kai {
namespace {

/// What a kernel does with the sums: bounds and zero point are f32 or int32, as the output wants them.
template <typename T>
struct RowOutput {
    T lo, hi, zero;
};

/// Sizes in bytes, except the first two.
struct RowArgs {
    size_t n, width;   // columns of the matrix, of a panel
    size_t row_bytes;  // of the LHS
    const void* lhs;
    const void* rhs;
    size_t rhs_stride;  // from panel to panel
    size_t head;        // of a panel, before the elements
    size_t tail_skip;   // from the last element that k has to the panel's tail
    void* dst;
    uint8_t output[12];  // RowOutput
    const Table* table;
};

static_assert(offsetof(RowArgs, n) == KAI_ROW_ARGS_N);
static_assert(offsetof(RowArgs, width) == KAI_ROW_ARGS_WIDTH);
static_assert(offsetof(RowArgs, row_bytes) == KAI_ROW_ARGS_ROW_BYTES);
static_assert(offsetof(RowArgs, lhs) == KAI_ROW_ARGS_LHS);
static_assert(offsetof(RowArgs, rhs) == KAI_ROW_ARGS_RHS);
static_assert(offsetof(RowArgs, rhs_stride) == KAI_ROW_ARGS_RHS_STRIDE);
static_assert(offsetof(RowArgs, head) == KAI_ROW_ARGS_HEAD);
static_assert(offsetof(RowArgs, tail_skip) == KAI_ROW_ARGS_TAIL_SKIP);
static_assert(offsetof(RowArgs, dst) == KAI_ROW_ARGS_DST);
static_assert(offsetof(RowArgs, output) == KAI_ROW_ARGS_LO);
static_assert(offsetof(RowArgs, output) + sizeof(uint32_t) == KAI_ROW_ARGS_HI);
static_assert(offsetof(RowArgs, output) + 2 * sizeof(uint32_t) == KAI_ROW_ARGS_ZERO);
static_assert(offsetof(RowArgs, table) == KAI_ROW_ARGS_TABLE);

/// n >= 1.
using SmeRowFn = void(const RowArgs*);

/// n >= 1. `rhs`: panels of `format`, one after the other. An element of the LHS is as large as one of dst.
/// `uses_za`: the kernel changes ZA.
template <typename T>
KAI_INLINE void run_row_sme(
    SmeRowFn* kernel, bool uses_za, size_t n, size_t k, const void* lhs, const void* rhs, void* dst,
    const Format& format, Tile tile, size_t element_bytes, RowOutput<T> output) {
    static_assert(sizeof(output) == sizeof(RowArgs::output));
    const size_t word = sizeof(uint32_t) / element_bytes;
    const size_t elements = format.element_bytes(tile, (k + word - 1) / word * word);
    RowArgs args = {
        n,
        tile.rows,
        k * element_bytes,
        lhs,
        rhs,
        format.stride(tile, k),
        tile.rows * format.panel_head,
        format.element_bytes(tile, format.padded(tile, k)) - elements,
        dst,
        {},
        &kSignedNibbles};
    __builtin_memcpy(args.output, &output, sizeof(output));
    if (uses_za) {
        kai_commit_za();
    }
    kernel(&args);
}

}  // namespace
}  // namespace kai

/// All functions of a classic micro-kernel, in two parts: those before run, and run for floating-point elements of
/// BYTES bytes.
#define KAI_DEFINE_MATMUL_ROW_GETTERS(BYTES, NAME, RHS, NR, KR, SR, M_STEP, N_STEP, LHS_GETTER) \
    extern "C" kai::SmeRowFn kai_kernel_##NAME;                                                 \
    KAI_DEFINE_MATMUL_GETTERS_ROWS(NAME, RHS, NR, KR, SR, M_STEP, N_STEP, LHS_GETTER, BYTES)

#define KAI_DEFINE_MATMUL_ROW_FLOAT(USES_ZA, BYTES, NAME, LHS, RHS, NR, KR, SR, M_STEP, N_STEP, LHS_GETTER) \
    KAI_DEFINE_MATMUL_ROW_GETTERS(BYTES, NAME, RHS, NR, KR, SR, M_STEP, N_STEP, LHS_GETTER)                 \
    void kai_run_##NAME(                                                                                    \
        size_t m, size_t n, size_t k, const void* lhs, size_t, const void* rhs_packed, void* dst, size_t,   \
        size_t dst_stride_col, float clamp_min, float clamp_max) {                                          \
        kai::check_output(dst_stride_col, BYTES, clamp_min, clamp_max);                                     \
        KAI_REQUIRE_ONE_ROW(M_STEP, m);                                                                     \
        if (m == 0 || n == 0) {                                                                             \
            return;                                                                                         \
        }                                                                                                   \
        kai::run_row_sme<float>(                                                                            \
            kai_kernel_##NAME, USES_ZA, n, k, lhs, rhs_packed, dst, kai::RHS, {NR, KR, SR}, BYTES,          \
            {clamp_min, clamp_max, 0});                                                                     \
    }
