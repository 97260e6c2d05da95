// The indirect GEMM on NEON: float_neon.hpp, with rows of the LHS found through a table of pointers. Its tiles:
// float_neon_table.inc.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/float/float_neon.hpp"

namespace kai {
namespace {

/// An indirect GEMM: kai_run_imatmul_rows_fn, whose table has blocks of kRows rows.
template <size_t element_bytes>
[[gnu::noinline]] void run_float_table(
    size_t m, size_t n, size_t chunks, size_t length, const void* table, const void* pad, size_t offset,
    const void* rhs_packed, void* dst, size_t dst_stride, const FloatKernel* kernel, float clamp_min, float clamp_max) {
    if (m == 0) {
        return;
    }
    FloatGemmArgs args;
    args.lhs = table, args.lhs_stride = chunks * sizeof(void*), args.depth = length * element_bytes;
    args.chunks = length > 0 ? chunks : 0;  // nothing is read of no elements
    args.pad = pad, args.offset = offset;
    const size_t k = chunks * length;
    run_panels<element_bytes>(m, n, k, rhs_packed, dst, dst_stride, *kernel, clamp_min, clamp_max, args);
}

}  // namespace
}  // namespace kai

/// The functions of a micro-kernel that reads the LHS through a table.
#define KAI_DEFINE_IMATMUL_FLOAT_NEON(NAME, LHS, RHS, NR, KR, SR, M_STEP, N_STEP)                              \
    static_assert((M_STEP) == kai::kRows, "blocks of the table");                                              \
    KAI_DEFINE_IMATMUL_GETTERS_ROWS(NAME, RHS, NR, KR, SR, M_STEP, N_STEP, kai::RHS.bits / 8)                  \
    void kai_kernel_##NAME(const kai::FloatGemmArgs*);                                                         \
    KAI_RUN_IMATMUL_ROWS(NAME) {                                                                               \
        static constexpr kai::FloatKernel kernel = {kai_kernel_##NAME, KAI_FEW_ROWS_OF(NAME), NR};             \
        kai::check_bounds(clamp_min, clamp_max);                                                               \
        kai::run_float_table<kai::RHS.bits / 8>(                                                               \
            m, n, k_chunk_count, k_chunk_length, indirection_buffer, pad_ptr, lhs_ptr_offset, rhs_packed, dst, \
            dst_stride_row, &kernel, clamp_min, clamp_max);                                                    \
    }
