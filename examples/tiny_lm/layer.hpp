//
// A dense layer, y = W x + b and perhaps ReLU, on the GEMM layer: planned and packed once, then run. It is the same for
// all forms of weights; the bias is part of the packed weights, and ReLU is the lower bound of the results.
//
// SPDX-License-Identifier: Apache-2.0
//
#pragma once

#include "../common/aligned_memory.hpp"
#include "quantise.hpp"

#include <stdexcept>

/// A form that weights and activations may have.
struct Form {
    const char* name;
    kai_gemm_kind kind;
    kai_datatype weight, activation;
    bool allow_bf16, allow_f16;
    double tolerance;  // bits per character that it may lose (measured: README.md)
    Quantised (*quantise)(const Dense&);
};

inline constexpr kai_datatype f32 = kai_dt_f32, f16 = kai_dt_f16, bf16 = kai_dt_bf16;
inline constexpr auto as_f16 = as_half<kai_cast_f16_f32>;
inline constexpr auto as_bf16 = as_half<kai_cast_bf16_f32>;

/// A micro-kernel runs the first of these that it can.
inline constexpr Form kForms[] = {
    {"f32", KAI_GEMM_DENSE, f32, f32, false, false, 0.001, as_f32},
    {"f16, activations f16", KAI_GEMM_DENSE, f16, f16, false, false, 0.005, as_f16},
    {"bf16", KAI_GEMM_DENSE, bf16, f32, true, false, 0.005, as_bf16},
    {"f16 rounded to bf16, activations f16", KAI_GEMM_DENSE, f16, f16, true, false, 0.005, as_f16},
    {"int8, scale per row", KAI_GEMM_INT8_CHANNEL, f32, f32, false, false, 0.01, as_int8_channel},
    {"int8, scale per row, activations f16", KAI_GEMM_INT8_CHANNEL, f32, f16, false, false, 0.01, as_int8_channel},
    {"int4, scale per row", KAI_GEMM_INT4_CHANNEL, f32, f32, false, false, 0.05, as_int4_channel},
    {"int4, scale per row, activations f16", KAI_GEMM_INT4_CHANNEL, f32, f16, false, false, 0.05, as_int4_channel},
    {"int4, scale per row, activations bf16", KAI_GEMM_INT4_CHANNEL, f32, bf16, false, false, 0.05, as_int4_channel},
    {"int4, bf16 scale per block", KAI_GEMM_INT4_BLOCK, f32, f32, false, false, 0.03, as_int4_block},
    {"int4, bf16 scale per block, activations bf16", KAI_GEMM_INT4_BLOCK, f32, bf16, false, false, 0.03, as_int4_block},
    {"int4, f16 scale per block", KAI_GEMM_INT4_BLOCK_F16, f32, f32, false, false, 0.03, as_int4_block_f16},
    {"int4, f32 scale and zero per block", KAI_GEMM_INT4_BLOCK_ZERO, f32, f32, false, false, 0.03, as_int4_block_zero},
    {"int4, f32 scale and zero per block, activations f16", KAI_GEMM_INT4_BLOCK_ZERO, f32, f16, false, false, 0.03,
     as_int4_block_zero},
};

/// How `layer` is computed for up to `rows` rows: by the micro-kernel `pin`, or, if it is null, by the best.
inline kai_gemm_status plan_layer(
    const Form& form, const Dense& layer, bool relu, size_t rows, const char* pin, kai_gemm_plan& plan) {
    kai_gemm_problem problem = kai_gemm_problem_of(rows, layer.n, layer.k);
    problem.a_type = problem.c_type = form.activation;
    problem.b_kind = form.kind, problem.b_type = form.weight, problem.bl = kBlock;
    problem.b_transposed = problem.b_constant = problem.bias = true;
    problem.allow_bf16 = form.allow_bf16, problem.allow_f16 = form.allow_f16;
    problem.clamp_min = relu ? 0.0f : problem.clamp_min;
    problem.pin = pin;
    return kai_gemm_make_plan(&problem, &plan);
}

/// A layer that is ready to run.
class PlannedLayer {
public:
    PlannedLayer(const Form& form, const Dense& layer, bool relu, size_t rows, const char* pin) {
        require(plan_layer(form, layer, relu, rows, pin, plan_));
        workspace_ = allocate(plan_.workspace_size);
        packed_ = allocate(plan_.packed_b_size);
        const Quantised quantised = form.quantise(layer);
        const kai_gemm_weights weights = quantised.weights(layer);
        const AlignedMemory scratch = allocate(plan_.pack_workspace_size);
        require(kai_gemm_pack_b(
            &plan_, 0, &weights, packed_.get(), plan_.packed_b_size, scratch.get(), plan_.pack_workspace_size, nullptr,
            nullptr));
    }

    /// y [m][n] from x [m][k].
    void run(size_t m, const float* x, float* y) {
        const kai_gemm_problem& problem = plan_.problem;
        kai_gemm_operands operands = {};
        operands.m = m, operands.b.data = packed_.get();
        if (problem.a_type == f32) {
            operands.a.data = x, operands.c.data = y;
            require(kai_gemm_run(&plan_, &operands, workspace_.get(), plan_.workspace_size, nullptr, nullptr));
            return;
        }
        // The other layers of the model are f32.
        const bool half = problem.a_type == f16;
        halves_x_.resize(m * problem.k);
        halves_y_.resize(m * problem.n);
        std::transform(x, x + halves_x_.size(), halves_x_.begin(), half ? kai_cast_f16_f32 : kai_cast_bf16_f32);
        operands.a.data = halves_x_.data(), operands.c.data = halves_y_.data();
        require(kai_gemm_run(&plan_, &operands, workspace_.get(), plan_.workspace_size, nullptr, nullptr));
        std::transform(halves_y_.begin(), halves_y_.end(), y, half ? kai_cast_f32_f16 : kai_cast_f32_bf16);
    }

    const kai_gemm_plan& plan() const {
        return plan_;
    }

private:
    static void require(kai_gemm_status status) {
        if (status != KAI_GEMM_OK) {
            throw std::runtime_error(kai_gemm_status_text(status));
        }
    }

    kai_gemm_plan plan_ = {};
    AlignedMemory packed_, workspace_;
    std::vector<uint16_t> halves_x_, halves_y_;
};
