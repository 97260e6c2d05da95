// Which pixels, taps and weights belong together.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/conv/conv.hpp"

namespace kai::conv {

namespace {

size_t common_divisor(size_t a, size_t b) {
    return b == 0 ? a : common_divisor(b, a % b);
}
/// So many indices further, a tap is of the same phase again.
size_t period_of(const Axis& axis) {
    return axis.stride / common_divisor(axis.stride, axis.dilation);
}

}  // namespace

size_t Axis::taps() const {
    return transposed ? divide_up(kernel, period_of(*this)) : kernel;
}

Taps Axis::taps_of(size_t phase) const {
    if (!transposed) {
        return {0, 1, kernel};
    }
    const size_t period = period_of(*this);
    for (size_t index = 0; index < period; ++index) {
        if (index * dilation % stride == phase) {
            return {index, period, kernel};
        }
    }
    return {kernel, period, kernel};
}

Axis rows_of(const Plan& plan) {
    const Problem& p = plan.problem;
    return {p.height, plan.out_height, p.kernel_height, p.stride_height, p.dilation_height, p.pad_top, p.transposed};
}
Axis columns_of(const Plan& plan) {
    const Problem& p = plan.problem;
    return {p.width, plan.out_width, p.kernel_width, p.stride_width, p.dilation_width, p.pad_left, p.transposed};
}

Matrix matrix_of(const Plan& plan, size_t index) {
    Matrix m = {};
    m.part = index % plan.parts, index /= plan.parts;
    m.group = index % plan.problem.groups, index /= plan.problem.groups;
    m.phase_column = index % plan.phases_width, m.phase_row = index / plan.phases_width;
    m.column = m.group * group_outputs(plan.problem) + m.part * plan.part_columns;
    return m;
}

bool has_padding(const Plan& plan) {
    const Problem& p = plan.problem;
    return p.transposed || p.pad_top + p.pad_left + p.pad_bottom + p.pad_right != 0;
}

const char* name_of(kai_conv_path path) {
    constexpr const char* kNames[] = {
        "any", "GEMM", "rows", "indirect", "depthwise", "Winograd F(2,3)", "Winograd F(4,3)"};
    static_assert(sizeof(kNames) / sizeof(kNames[0]) == KAI_CONV_PATH_COUNT);
    return static_cast<unsigned>(path) < KAI_CONV_PATH_COUNT ? kNames[path] : "no path";
}

}  // namespace kai::conv
