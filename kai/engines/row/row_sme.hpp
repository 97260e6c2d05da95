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

KAI_STRUCT(RowArgs, KAI_ROW_ARGS);

/// n >= 1.
using SmeRowFn = void(const RowArgs*);

/// What the micro-kernels differ in.
struct RowKernel {
    SmeRowFn* run;
    PackedSide rhs;        // panels, one after the other
    size_t head;           // of a panel: bytes per column before the elements
    size_t multiple;       // what the depth of a panel is padded to: a power of two
    size_t element_bytes;  // of the LHS
    size_t word;           // elements
    bool uses_za;
    const Table* table;  // of nibbles, or of codes of 2 bits

    constexpr RowKernel(
        SmeRowFn* function, const Format& f, PanelRows nr, size_t kr, size_t sr, size_t bytes, bool za = true)
        : run(function),
          rhs(f, nr),
          head(f.panel_head),
          multiple(f.padded({1, kr, sr}, 1)),
          element_bytes(bytes),
          word(sizeof(uint32_t) / bytes),
          uses_za(za),
          table(f.bits == 2 ? &kOffsetCodes : &kSignedNibbles) {
        if ((multiple & (multiple - 1)) != 0) {
            __builtin_trap();  // not a constant expression: it does not compile
        }
    }

    /// `k` up to the next multiple of a power of two. No division: it would take longer than a row of a few columns.
    KAI_INLINE static size_t up_to(size_t k, size_t multiple) {
        return (k + multiple - 1) & ~(multiple - 1);
    }
};

/// zero_point and int32 bounds, bit by bit: of int8 outputs.
[[gnu::noinline]] void run_row(
    size_t m, size_t n, size_t k, const void* lhs, const void* rhs, void* dst, const RowKernel& kernel,
    int32_t zero_point, float lo, float hi) {
    if (m == 0 || n == 0) {
        return;
    }
    const size_t width = kernel.rhs.rows.value(), padded = RowKernel::up_to(k, kernel.multiple);
    const size_t tail_skip = (padded - RowKernel::up_to(k, kernel.word)) * kernel.rhs.bits / 8;
    const size_t row_bytes = k * kernel.element_bytes, head = width * kernel.head;
    const size_t stride = width * kernel.rhs.row_bytes(padded);
    const RowArgs args = {n,   width,        row_bytes, lhs, rhs,       stride, head, width * tail_skip,
                          dst, kernel.table, lo,        hi,  zero_point};
    if (kernel.uses_za) {
        kai_commit_za();
    }
    kernel.run(&args);
}

}  // namespace
}  // namespace kai

/// The kernel of a line of the catalogue: LHS elements of BYTES bytes, the assembly kai_kernel_NAME.
#define KAI_ROW_KERNEL(NAME, RHS, NR, KR, SR, BYTES, USES_ZA) \
    static constexpr kai::RowKernel kernel = {kai_kernel_##NAME, kai::RHS, NR, KR, SR, BYTES, USES_ZA};

/// All functions of a classic micro-kernel, in two parts: those before run, for elements of dst of BYTES bytes, and run
/// for floating-point elements, those of the LHS of LHS_BYTES.
#define KAI_DEFINE_MATMUL_ROW_GETTERS(BYTES, NAME, RHS, NR, KR, SR, M_STEP, N_STEP, LHS_GETTER) \
    extern "C" kai::SmeRowFn kai_kernel_##NAME;                                                 \
    KAI_DEFINE_MATMUL_GETTERS_ROWS(NAME, RHS, NR, KR, SR, M_STEP, N_STEP, LHS_GETTER, BYTES)

#define KAI_DEFINE_MATMUL_ROW_FLOAT(USES_ZA, LHS_BYTES, BYTES, NAME, LHS, RHS, NR, KR, SR, M_STEP, N_STEP, LHS_GETTER) \
    KAI_DEFINE_MATMUL_ROW_GETTERS(BYTES, NAME, RHS, NR, KR, SR, M_STEP, N_STEP, LHS_GETTER)                            \
    KAI_RUN_MATMUL_ROWS(NAME) {                                                                                        \
        kai::check_output(dst_stride_col, BYTES, clamp_min, clamp_max);                                                \
        KAI_REQUIRE_ONE_ROW(M_STEP, m);                                                                                \
        KAI_ROW_KERNEL(NAME, RHS, NR, KR, SR, LHS_BYTES, USES_ZA)                                                      \
        kai::run_row(m, n, k, lhs, rhs, dst, kernel, 0, clamp_min, clamp_max);                                         \
    }
