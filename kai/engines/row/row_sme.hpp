// One row that is not packed times a packed RHS, in streaming mode. A kernel is assembly that does all columns:
// row_sme2.S, row_sme.S.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>

#include "kai/engines/row/row_args.h"
#include "kai/engines/core/getters.hpp"
#include "kai/engines/core/nibble_tables.hpp"

namespace kai {
namespace {

/// What a kernel does with the sums: bounds and zero point are f32 or int32, as the output wants them.
template <typename T>
struct RowOutput {
    T lo, hi, zero;
};

KAI_STRUCT(RowArgs, KAI_ROW_ARGS);

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
        &kSignedNibbles,
        {}};
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
