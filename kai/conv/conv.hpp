// Shared by the parts of convolution.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/conv/conv_winograd_args.h"
#include "kai/gemm/gemm.hpp"
#include "kai/gemm/kai_conv.h"

#pragma GCC visibility push(hidden)
namespace kai::conv {

using Problem = kai_conv_problem;
using Plan = kai_conv_plan;
using Operands = kai_conv_operands;
using Work = kai_conv_work;
using Status = kai_gemm_status;
using gemm::at;
using gemm::divide_up;
using gemm::fail;
using gemm::kAlignment;
using gemm::max;
using gemm::min;
using gemm::mul_add;
using gemm::place;
using gemm::real;
using gemm::round_up;
using gemm::size_of;
using gemm::Violation;
using gemm::wrong;

KAI_STRUCT(WinogradOutput, KAI_WINOGRAD_OUTPUT);

/// There is no such tap, or it lies outside the image.
inline constexpr size_t kNone = SIZE_MAX;

/// Indices along an axis of the filter: first, first + step, ...
struct Taps {
    size_t first, step, end;

    /// That of tap t; kNone: there are fewer.
    size_t index(size_t t) const {
        const size_t at = first + t * step;
        return at < end ? at : kNone;
    }
};

/// Rows of a convolution, or columns: where pixels of the output and taps of the filter are in the input.
///
/// Transposed, pixels of the output whose coordinates leave the same remainder of the stride are a phase: they have the
/// same taps. Otherwise there is one phase, of all pixels.
struct Axis {
    size_t in, out, kernel, stride, dilation, pad;
    bool transposed;

    size_t phases() const {
        return transposed ? stride : 1;
    }
    /// The first pixel of a phase.
    size_t first(size_t phase) const {
        return transposed ? (phase + stride - pad % stride) % stride : 0;
    }
    /// Pixels of the output of a phase.
    size_t count(size_t phase) const {
        return !transposed ? out : first(phase) < out ? (out - first(phase) - 1) / stride + 1 : 0;
    }
    /// Pixel i of a phase.
    size_t pixel(size_t phase, size_t i) const {
        return transposed ? first(phase) + i * stride : i;
    }
    /// Taps of a phase, at most.
    size_t taps() const;
    /// The taps of a phase.
    Taps taps_of(size_t phase) const;
    /// The pixel of the input that meets an index of the filter; kNone: it is padding.
    size_t source(size_t pixel, size_t index) const {
        if (index == kNone) {
            return kNone;
        }
        // Below 0: a large number, which is no pixel of the input.
        if (transposed) {
            const size_t from = pixel + pad, back = index * dilation;
            return from >= back && (from - back) / stride < in ? (from - back) / stride : kNone;
        }
        const size_t p = pixel * stride + index * dilation - pad;
        return p < in ? p : kNone;
    }
    /// The pixel of the input that meets the first of `count` taps; kNone: some of them lie outside, or may.
    size_t all_inside(size_t pixel, size_t count) const {
        const size_t at = transposed ? kNone : source(pixel, 0);
        return at != kNone && at + (count - 1) * dilation < in ? at : kNone;
    }
};
Axis rows_of(const Plan& plan);
Axis columns_of(const Plan& plan);

/// Channels of the in- and output of a group.
inline size_t group_inputs(const Problem& p) {
    return p.in_channels / p.groups;
}
inline size_t group_outputs(const Problem& p) {
    return p.out_channels / p.groups;
}
inline size_t phase_count(const Plan& plan) {
    return plan.phases_height * plan.phases_width;
}
inline size_t weight_size(const Problem& p) {
    return p.kind == KAI_GEMM_DENSE ? size_of(p.weight_type) : 1;
}
inline size_t taps_of(const Plan& plan) {
    return plan.phase_taps_height * plan.phase_taps_width;
}
/// Matrices of packed weights: of each phase, group and part.
inline size_t matrix_count(const Plan& plan) {
    return phase_count(plan) * plan.problem.groups * plan.parts;
}
inline bool is_winograd(kai_conv_path path) {
    return path == KAI_CONV_WINOGRAD_2 || path == KAI_CONV_WINOGRAD_4;
}
/// Pixels of a side of a tile of results.
inline size_t winograd_tile(kai_conv_path path) {
    return path == KAI_CONV_WINOGRAD_2 ? 2 : 4;
}

/// A matrix of packed weights: which phase, and which channels of the output.
struct Matrix {
    size_t phase_row, phase_column, group, part;
    size_t column;  ///< the first channel of the output, of all groups
};
Matrix matrix_of(const Plan& plan, size_t index);

/// "rows" and the like.
const char* name_of(kai_conv_path path);

/// The size of the output, of a shape that passes the checks.
void set_out_size(const Problem& p, size_t& height, size_t& width);

/// @name Checks
/// @{
Violation check_problem(const Problem& p);
/// Of the products and of what is packed.
Violation check_sizes(const Plan& plan);
Violation check_plan(const Plan* plan);
Violation check_pack(
    const Plan* plan, const kai_gemm_weights* weights, const void* packed, size_t packed_size, const void* workspace,
    size_t workspace_size);
Violation check_run(const Plan* plan, const Operands* operands, const void* workspace, size_t workspace_size);
/// @}

/// What stands for a pixel outside the image.
inline int pad_value(const Plan& plan, const Operands& x) {
    const Problem& p = plan.problem;
    return p.kind == KAI_GEMM_INT8_STATIC ? p.in_zero_point : x.lowp != nullptr ? -x.lowp->lhs_offset : 0;
}
/// Whether any tap may lie outside.
bool has_padding(const Plan& plan);

/// Whether products read pixels where they are.
bool reads_in_place(const Plan& plan);
/// Pixels whose pointers are together in the table.
size_t table_rows(const Plan& plan);
/// A call of the micro-kernel that takes a table: shape and functions.
kai_call call_of(const Plan& plan, size_t rows);

/// Bytes of the pixel that stands for padding in tables.
inline size_t pad_bytes(const Plan& plan) {
    const Problem& p = plan.problem;
    switch (plan.path) {
        case KAI_CONV_INDIRECT:
            return plan.tap_channels * size_of(p.in_type);
        case KAI_CONV_DEPTHWISE:
            return p.in_channels * size_of(p.in_type);
        case KAI_CONV_WINOGRAD_2:
        case KAI_CONV_WINOGRAD_4:  // also a bias that there is not
            return max(plan.tap_channels, plan.part_columns) * sizeof(float);
        default:
            return 0;
    }
}
/// Whether sums of this type are results: nothing follows but bias and bounds.
inline bool is_direct(const Problem& p, kai_datatype sums) {
    return !p.epilogue && p.out_type == sums;
}

/// The bias of a matrix that is not in its panels, f32; NULL: there is none.
const void* bias_apart(const Plan& plan, const void* packed, size_t matrix);

/// @name What follows the products
/// @{
/// Operands of the channels of the output from one on.
struct ColumnOperands {
    kai_gemm_epilogue epilogue;
    kai_matmul_lowp_params lowp;
};
ColumnOperands operands_of(const Operands& x, size_t column);

/// Channels of the output, and their bias that is not in the products: f32, or NULL.
struct Columns {
    size_t first, count;
    const void* bias;
};
/// Rows of sums of products, in bytes.
struct Products {
    kai_datatype type;
    const void* first;
    size_t stride, rows;
};
/// Bias, epilogue and bounds; to the output.
void finish(
    const Plan& plan, const Operands& x, const Columns& columns, const Products& products, char* to, size_t to_row);
/// @}

/// @name Depthwise convolution
/// @{
Violation plan_depthwise(Plan& plan);
/// The kernel with SME that there is, taken or not (NULL: none): how many workers could run it, and how many without
/// SME are assumed to be as fast.
struct DepthwiseSme {
    const kai_ukernel* ukernel;
    size_t workers;
    double speed;
};
DepthwiseSme depthwise_sme(const Plan& plan);
void pack_depthwise(const Plan& plan, const kai_gemm_weights& weights, char* packed, char* workspace);
bool is_packed_depthwise(const Plan& plan, const void* packed);
bool have_same_filter(const Plan& a, const Plan& b);
size_t depthwise_units(const Plan& plan);
void run_depthwise(const Work& w, size_t unit, char* slot);
/// to = the filter, [height][width][channels of the output].
void copy_filter(const Plan& plan, const void* weights, char* to);
/// @}

/// @name Winograd's algorithm: a side of `tile` results is made of tile + 2 pixels
/// @{
/// A filter of 3 x 3, `step` floats from one tap to the next, as (tile + 2)^2 factors, `to_step` floats apart.
void transform_filter(size_t tile, const float* from, size_t step, float* to, size_t to_step);
/// Pixels of the input, (tile + 2)^2 pointers column by column, as a row of each of (tile + 2)^2 matrices, which are
/// `stride` bytes apart, row by row of places. All are f32, or all are f16.
void transform_input(
    size_t tile, kai_datatype type, const char* const* pixels, size_t channels, char* to, size_t stride);
/// A row of each of (tile + 2)^2 matrices as tile x tile pixels, with bias and bounds.
void transform_output(size_t tile, const WinogradOutput& of);
/// @}

}  // namespace kai::conv
#pragma GCC visibility pop
