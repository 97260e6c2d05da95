// Packing: weights of a matrix, [tap][channel][output], from any layout; then as the GEMM layer packs them.
//
// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "kai/conv/conv.hpp"
#include "kai/gemm/elements.hpp"

namespace kai::conv {
namespace {

/// Where a weight is: elements from one to the next, of rows and columns of the filter, and of channels of the input
/// and of the output.
struct Strides {
    size_t row, column, input, output;
};

Strides strides_of(const Problem& p) {
    const size_t h = p.kernel_height, w = p.kernel_width, i = group_inputs(p), o = p.out_channels;
    switch (p.layout) {
        case KAI_CONV_OIHW:
            return {w, 1, h * w, i * h * w};
        case KAI_CONV_HWIO:
            return {w * i * o, i * o, o, 1};
        case KAI_CONV_IOHW:
            return {w, 1, group_outputs(p) * h * w, h * w};
        default:
            return {w * i, i, 1, h * w * i};
    }
}

/// The weights of a matrix.
struct Source {
    const char* data;  ///< of the first channels of in- and output
    Strides strides;   ///< bytes
    size_t inputs, outputs;
};

Source source_of(const Plan& plan, const Matrix& m, const void* weights) {
    const Problem& p = plan.problem;
    const size_t size = weight_size(p);
    Strides s = strides_of(p);
    // In IOHW, groups divide the channels of the input.
    const size_t first = p.layout == KAI_CONV_IOHW
                             ? m.group * group_inputs(p) * s.input + m.part * plan.part_columns * s.output
                             : m.column * s.output;
    return {
        at(weights, first * size),
        {s.row * size, s.column * size, s.input * size, s.output * size},
        group_inputs(p),
        plan.part_columns};
}

/// to = the weights of a tap, tap_channels x outputs; `from` NULL: zeros.
void copy_tap(const Plan& plan, const Source& s, const char* from, char* to) {
    const size_t size = weight_size(plan.problem), row = s.outputs * size;
    const size_t inputs = from != nullptr ? s.inputs : 0;
    const kai_datatype type = size == 4 ? kai_dt_f32 : size == 2 ? kai_dt_f16 : kai_dt_int8;
    for (size_t i = 0; i < inputs; ++i) {
        gemm::copy_matrix(
            type, at(to, i * row), row, type, at(from, i * s.strides.input), size, s.strides.output, 1, s.outputs);
    }
    memset(at(to, inputs * row), 0, (plan.tap_channels - inputs) * row);
}

void copy_matrix(const Plan& plan, const Matrix& m, const Source& s, char* to) {
    const Taps rows = rows_of(plan).taps_of(m.phase_row), columns = columns_of(plan).taps_of(m.phase_column);
    const size_t bytes = plan.tap_channels * s.outputs * weight_size(plan.problem);
    for (size_t i = 0; i < plan.phase_taps_height; ++i) {
        for (size_t j = 0; j < plan.phase_taps_width; ++j, to += bytes) {
            const size_t row = rows.index(i), column = columns.index(j);
            const bool exists = row != kNone && column != kNone;
            copy_tap(plan, s, exists ? at(s.data, row * s.strides.row + column * s.strides.column) : nullptr, to);
        }
    }
}

/// WINOGRAD: to = [(tile + 2)^2][channels][outputs].
void transform_matrix(const Plan& plan, const Source& s, char* to) {
    const kai_datatype type = plan.problem.weight_type;
    const size_t tile = winograd_tile(plan.path), count = (tile + 2) * (tile + 2), size = size_of(type);
    for (size_t i = 0; i < s.inputs; ++i) {
        for (size_t o = 0; o < s.outputs; ++o) {
            float filter[9], factors[36];
            for (size_t t = 0; t < 9; ++t) {
                const char* from = s.data + t / 3 * s.strides.row + t % 3 * s.strides.column + i * s.strides.input +
                                   o * s.strides.output;
                float buffer[gemm::kPiece];
                filter[t] = *gemm::as_floats(type, from, size, 1, buffer);
            }
            transform_filter(tile, filter, 1, factors, 1);
            for (size_t j = 0; j < count; ++j) {
                gemm::store_floats(type, at(to, ((j * s.inputs + i) * s.outputs + o) * size), factors + j, 1);
            }
        }
    }
}

/// After the checks.
void pack_matrix(const Plan& plan, const kai_gemm_weights& weights, char* packed, char* workspace, size_t index) {
    if (plan.path == KAI_CONV_DEPTHWISE) {
        return pack_depthwise(plan, weights, packed, workspace);
    }
    const Problem& p = plan.problem;
    const Matrix m = matrix_of(plan, index);
    const Source source = source_of(plan, m, weights.b);
    const kai_gemm_plan& gemm = plan.gemm;
    const size_t matrix = gemm.problem.k * source.outputs * weight_size(p);
    if (is_winograd(plan.path)) {
        transform_matrix(plan, source, workspace);
    } else {
        copy_matrix(plan, m, source, workspace);
    }
    kai_gemm_weights part = {};
    part.scale = weights.scale != nullptr ? at(weights.scale, m.column * sizeof(float)) : nullptr;
    part.bias = weights.bias != nullptr && gemm.problem.bias ? at(weights.bias, m.column * sizeof(float)) : nullptr;
    for (size_t i = 0; i < gemm.problem.batch; ++i) {
        part.b = at(workspace, i * matrix);
        const size_t copied = round_up(gemm.problem.batch * matrix, kAlignment);
        kai_gemm_pack_b(
            &gemm, is_winograd(plan.path) ? i : 0, &part, at(packed, index * gemm.packed_b_size), gemm.packed_b_size,
            gemm.pack_workspace_size != 0 ? at(workspace, copied) : nullptr, gemm.pack_workspace_size, nullptr,
            nullptr);
    }
    if (is_winograd(plan.path) && p.bias) {
        char* to = at(packed, matrix_count(plan) * gemm.packed_b_size);
        memcpy(
            at(to, m.column * sizeof(float)), at(weights.bias, m.column * sizeof(float)),
            source.outputs * sizeof(float));
    }
}

}  // namespace

void copy_filter(const Plan& plan, const void* weights, char* to) {
    const Problem& p = plan.problem;
    const Strides s = strides_of(p);
    const size_t size = weight_size(p), row = p.out_channels * size;
    const kai_datatype type = size == 4 ? kai_dt_f32 : size == 2 ? kai_dt_f16 : kai_dt_int8;
    for (size_t i = 0; i < p.kernel_height; ++i) {
        for (size_t j = 0; j < p.kernel_width; ++j, to += row) {
            const char* from = at(weights, (i * s.row + j * s.column) * size);
            gemm::copy_matrix(type, to, row, type, from, size, s.output * size, 1, p.out_channels);
        }
    }
}

const void* bias_apart(const Plan& plan, const void* packed, size_t matrix) {
    const kai_gemm_plan& gemm = plan.gemm;
    if (is_winograd(plan.path)) {
        return plan.problem.bias ? at(packed, matrix_count(plan) * gemm.packed_b_size +
                                                  matrix_of(plan, matrix).column * sizeof(float))
                                 : nullptr;
    }
    return gemm.bias_apart ? at(packed, matrix * gemm.packed_b_size + round_up(gemm.panels_size, kAlignment)) : nullptr;
}

}  // namespace kai::conv

using namespace kai::conv;

extern "C" {

kai_gemm_status kai_conv_pack(
    const kai_conv_plan* plan, const kai_gemm_weights* weights, void* packed, size_t packed_size, void* workspace,
    size_t workspace_size) {
    if (const Violation violation = check_pack(plan, weights, packed, packed_size, workspace, workspace_size)) {
        return violation.status;
    }
    for (size_t unit = 0; unit < plan->pack_units; ++unit) {
        pack_matrix(*plan, *weights, at(packed, 0), at(workspace, 0), unit);
    }
    return KAI_GEMM_OK;
}

kai_gemm_status kai_conv_pack_unit(
    const kai_conv_plan* plan, const kai_gemm_weights* weights, void* packed, size_t packed_size, void* workspace,
    size_t workspace_size, size_t unit) {
    if (const Violation violation = check_pack(plan, weights, packed, packed_size, workspace, workspace_size)) {
        return violation.status;
    }
    if (unit >= plan->pack_units) {
        return KAI_GEMM_NO_UNIT;
    }
    pack_matrix(*plan, *weights, at(packed, 0), at(workspace, 0), unit);
    return KAI_GEMM_OK;
}

}  // extern "C"
