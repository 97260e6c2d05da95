// What follows the sums of products, as the GEMM layer does it: bias, epilogue, bounds.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/conv/conv.hpp"

namespace kai::conv {

ColumnOperands operands_of(const Operands& x, size_t column) {
    const auto from = [&](auto* values) { return values != nullptr ? values + column : nullptr; };
    ColumnOperands of = {};
    if (x.epilogue != nullptr) {
        of.epilogue = *x.epilogue;
        of.epilogue.column_scale = from(of.epilogue.column_scale);
        of.epilogue.column_shift = from(of.epilogue.column_shift);
    }
    if (x.lowp != nullptr) {
        of.lowp = *x.lowp;
        of.lowp.bias = from(of.lowp.bias);
        if (of.lowp.per_channel) {
            of.lowp.multiplier = from(of.lowp.multiplier), of.lowp.shift = from(of.lowp.shift);
        }
    }
    return of;
}

void finish(
    const Plan& plan, const Operands& x, const Columns& columns, const Products& products, char* to, size_t to_row) {
    const Problem& p = plan.problem;
    gemm::Store how = {1, 0, p.clamp_min, p.clamp_max, columns.bias, 1};
    const bool quantises = p.out_type == kai_dt_int8 || p.out_type == kai_dt_uint8;
    if (x.epilogue == nullptr && !quantises) {
        return gemm::store_tile(
            how, products.type, products.first, products.stride, p.out_type, to, to_row, products.rows, columns.count);
    }
    gemm::Finish finish = {};
    finish.c_multiplier = 1;
    if (x.epilogue != nullptr) {
        const kai_gemm_epilogue e = operands_of(x, columns.first).epilogue;
        how.alpha = e.alpha, how.beta = e.beta, how.clamp_min = e.clamp_min, how.clamp_max = e.clamp_max;
        finish.activation = e.activation;
        finish.column_scale = e.column_scale, finish.column_shift = e.column_shift;
        finish.c_multiplier = e.c_multiplier, finish.c_zero_point = e.c_zero_point;
    }
    gemm::finish_tile(
        how, finish, products.type, products.first, products.stride, p.out_type, to, to_row, products.rows,
        columns.count);
}

}  // namespace kai::conv
