// The low-precision kernels: uint8 or int8 with offsets, int32 sums, requantised or as they are. Shared by all engines.
// Rows lie as a matrix, or are found through a table of pointers (lowp_table.inc).
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/kai_lowp.h"
#include "kai/engines/core/getters.hpp"
#include "kai/engines/core/row_table.hpp"

namespace kai {
namespace {

/// A call. Pointers are those of its first row and column, strides in bytes.
struct Lowp {
    size_t m, n, k;
    const uint8_t* lhs;
    size_t lhs_stride;
    const uint8_t* rhs;
    size_t rhs_stride;  // from column to column, or from panel to panel
    bool packed;        // panels of 4 columns (layout.hpp: qau8p, qsi8p)
    uint8_t* dst;
    size_t dst_stride;
    uint8_t flip;  // of the highest bit: 0x80 of unsigned values, those of the LHS
    const kai_matmul_lowp_params* params;
    const kai_matmul_offsets* offsets;           // of int32 results, in place of params; or NULL
    bool for_a55 = false, signs_differ = false;  // a kernel for Cortex-A55; int32 sums of uint8 and int8
    /// Rows through a table (lowp_table.inc): lhs are its pointers. Gathered rows: lhs are these, and there is none.
    const RowTable* table = nullptr;
    size_t padding = 0;  // of k: ends of chunks, zeros on both sides, which do not count

    KAI_INLINE uint32_t depth() const {
        return static_cast<uint32_t>(k - padding);
    }
};

/// Of a row of a call with int32 results.
KAI_INLINE int32_t lhs_offset_of(const kai_matmul_offsets& q, size_t row) {
    const uint32_t more = q.lhs_offsets != nullptr ? static_cast<uint32_t>(q.lhs_offsets[row]) : 0;
    return static_cast<int32_t>(static_cast<uint32_t>(q.lhs_offset) + more);
}

/// XOR that makes values of a type signed.
constexpr uint8_t flip_of(kai_datatype type) {
    return type == kai_dt_uint8 ? 0x80 : 0;
}

using LowpFn = void(const Lowp&);

/// The engine: a source that includes lowp_families.inc, lowp_nxk.inc or lowp_table.inc defines it. A template, so that
/// a program has the code of the types that it uses. m, n > 0.
template <bool is_unsigned>
void multiply_requantised(const Lowp& p);

KAI_INLINE void check_params(const Lowp& p, const char* function) {
    const kai_matmul_lowp_params& q = *p.params;
    KAI_REQUIRE(
        function, q.min_value <= q.max_value, bounds_out_of_order, static_cast<double>(q.min_value),
        static_cast<double>(q.max_value));
    for (size_t i = 0; KLEIDIAI_ASSERTIONS && i < (q.per_channel ? p.n : 1); ++i) {
        const int32_t shift = q.shift[i], least = q.pipeline == KAI_LOWP_LEGACY ? 0 : -31;
        KAI_REQUIRE(
            function, shift >= least && shift <= 31, out_of_range, "shift", static_cast<int>(shift),
            static_cast<int>(least), 31);
    }
}

/// multiply: of the type of p.
[[gnu::noinline, maybe_unused]] void run_lowp(
    const Lowp& p, LowpFn* multiply, size_t dst_stride_col, const char* function) {
    check_element(dst_stride_col, 1, function);
    if (p.m != 0 && p.n != 0) {
        check_params(p, function);
        multiply(p);
    }
}

}  // namespace
}  // namespace kai
