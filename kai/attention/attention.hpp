// Shared by the parts of attention.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/float_rules.hpp"

#include "kai/attention/block.hpp"
#include "kai/gemm/kai_attention.h"
#include "kai/gemm/violation.hpp"
#include "kai/kai_call.h"

#pragma GCC visibility push(hidden)
namespace kai::attention {

using Problem = kai_attention_problem;
using Plan = kai_attention_plan;
using Product = kai_attention_product;
using Kernel = kai_attention_kernel;
using Sequence = kai_attention_sequence;
using Operands = kai_attention_operands;
using Status = kai_gemm_status;
using gemm::at;
using gemm::divide_up;
using gemm::fail;
using gemm::is_float;
using gemm::kAlignment;
using gemm::max;
using gemm::min;
using gemm::place;
using gemm::round_up;
using gemm::size_of;
using gemm::Violation;
using gemm::wrong;

/// The largest head.
inline constexpr size_t kMostHead = 1024;

inline size_t group_of(const Problem& p) {
    return p.heads / p.kv_heads;
}

/// to[i] = from[i], at any alignment. Rounds to nearest even.
void convert(kai_datatype to_type, void* to, kai_datatype from_type, const void* from, size_t count);

/// @name The cache
/// @{
/// The elements of keys or values of a page and head, as a kernel reads them: k x n, panels of nr columns. A panel has
/// `head` bytes per column, zeros (a bias), then `group` elements of each column in turn. K x N as it lies is one
/// panel.
struct Panels {
    size_t n, k, nr, group, head, element;

    size_t depth() const {
        return round_up(k, group);
    }
    size_t stride() const {
        return nr * (head + depth() * element);
    }
    size_t size() const {
        return divide_up(n, nr) * stride();
    }
    size_t at(size_t row, size_t column) const {
        return column / nr * stride() + nr * head +
               (row / group * nr * group + column % nr * group + row % group) * element;
    }
};

/// Of an operand with floats.
Panels panels_of(const Product& product, size_t n, size_t k);
/// Bytes of a row of `size` elements that is stored as it is.
size_t row_bytes(kai_attention_cache type, size_t size);

/// Rows of keys or values.
struct Rows {
    kai_datatype type;
    const void* data;
    size_t stride;  ///< bytes
    size_t count;
};
/// Puts them to positions first ... of a page and head.
void store_keys(const Plan& plan, void* page, size_t first, const Rows& rows);
void store_values(const Plan& plan, void* page, size_t first, const Rows& rows);

/// Keys (values) of positions 0 ... count - 1 of a page and head as an operand with n (k) = `depth`: in place, or in
/// `space`. Values of positions from count on are zeros there.
const void* load_keys(const Plan& plan, const void* page, size_t count, void* space);
const void* load_values(const Plan& plan, const void* page, size_t count, size_t depth, void* space);
/// Values of positions first ... last - 1, of one group, as an operand in `space`.
const void* load_values_of_group(const Plan& plan, const void* page, size_t first, size_t last, void* space);
/// @}

/// @name What a query sees
/// @{
struct Range {
    size_t first, last;  ///< positions first ... last - 1
};
Range visible(const Problem& p, const Sequence& s, size_t token);
/// Of tokens first ... last - 1, which is not empty: from the first position that one of them sees to the last one.
Range visible(const Problem& p, const Sequence& s, size_t first, size_t last);
/// @}

/// @name Checks
/// @{
Violation check_problem(const Problem& p);
Violation check_append(const Plan* plan, void* const* pages, size_t position, const kai_attention_rows* rows);
Violation check_run(const Plan* plan, const Operands* operands, const void* workspace, size_t workspace_size);
/// @}

/// Of what a unit has for itself.
struct Slot {
    size_t q, q_packed, scores, p, p_packed, product, output, keys, values, state;
    size_t size;
};
Slot slot_of(const Plan& plan);

inline size_t output_row(const Plan& plan) {
    return round_up(plan.problem.value_size * sizeof(float), kAlignment);
}
/// Whether all rows of a sequence are a tile, whose positions are divided.
inline bool is_divided(const Plan& plan, const Sequence& s) {
    return s.tokens * group_of(plan.problem) <= plan.tile_rows;
}

}  // namespace kai::attention
#pragma GCC visibility pop
