// A dense layer, y = W x + b and perhaps ReLU, on the GEMM layer: planned and packed once, then run. It is the same for
// all forms of weights; the bias is part of the packed weights, and ReLU is the lower bound of the results.
//
// SPDX-License-Identifier: Apache-2.0
//
#pragma once

#include "../common/aligned_memory.hpp"
#include "gguf.hpp"

#include <stdexcept>

/// A form that weights and activations may have.
struct Form {
    const char* name;
    kai_gemm_kind kind;
    kai_datatype weight, activation;
    bool allow_bf16;
    bool packed, transposed;  // transposed: N x K, as the model has them
    double tolerance;         // bits per character that it may lose (measured: README.md)
    Quantised (*quantise)(const Dense&);
    kai_gguf_type_id type = {};  // GGUF
};

inline constexpr kai_datatype f32 = kai_dt_f32, f16 = kai_dt_f16, bf16 = kai_dt_bf16;
inline constexpr auto as_f16 = as_half<kai_cast_f16_f32>;
inline constexpr auto as_bf16 = as_half<kai_cast_bf16_f32>;

/// A micro-kernel runs the first of these that it can.
inline constexpr Form kForms[] = {
    // name, kind, weights, activations, bf16 inside, packed, N x K, tolerance
    {"f32", KAI_GEMM_DENSE, f32, f32, false, true, true, 0.001, as_f32},
    {"f16", KAI_GEMM_DENSE, f16, f16, false, true, true, 0.005, as_f16},
    {"bf16", KAI_GEMM_DENSE, bf16, f32, true, true, true, 0.005, as_bf16},
    {"f16 as bf16", KAI_GEMM_DENSE, f16, f16, true, true, true, 0.005, as_f16},
    {"int8", KAI_GEMM_INT8_CHANNEL, f32, f32, false, true, true, 0.01, as_int8_channel},
    {"int8 (f16)", KAI_GEMM_INT8_CHANNEL, f32, f16, false, true, true, 0.01, as_int8_channel},
    {"int4", KAI_GEMM_INT4_CHANNEL, f32, f32, false, true, true, 0.05, as_int4_channel},
    {"int4 (f16)", KAI_GEMM_INT4_CHANNEL, f32, f16, false, true, true, 0.05, as_int4_channel},
    {"int4 (bf16)", KAI_GEMM_INT4_CHANNEL, f32, bf16, false, true, true, 0.05, as_int4_channel},
    {"int4 blocks", KAI_GEMM_INT4_BLOCK, f32, f32, false, true, true, 0.03, as_int4_block},
    {"int4 blocks (bf16)", KAI_GEMM_INT4_BLOCK, f32, bf16, false, true, true, 0.03, as_int4_block},
    {"int4 with zeros", KAI_GEMM_INT4_BLOCK_ZERO, f32, f32, false, true, true, 0.03, as_int4_block_zero},
    {"int4 with zeros (f16)", KAI_GEMM_INT4_BLOCK_ZERO, f32, f16, false, true, true, 0.03, as_int4_block_zero},
    {"int2", KAI_GEMM_INT2_CHANNEL, f32, f32, false, true, true, 1.0, as_int2_channel},
    {"Q4_0", KAI_GEMM_INT4_BLOCK_F16, f32, f32, false, true, true, 0.03, as_q4_0},
    {"Q8_0", KAI_GEMM_GGUF, f32, f32, false, true, true, 0.01, as_q8_0, KAI_GGUF_Q8_0},
    {"Q4_K", KAI_GEMM_GGUF, f32, f32, false, true, true, 0.03, as_q4_k, KAI_GGUF_Q4_K},
    {"Q5_K", KAI_GEMM_GGUF, f32, f32, false, true, true, 0.03, as_q5_k, KAI_GGUF_Q5_K},
    {"Q6_K", KAI_GEMM_GGUF, f32, f32, false, true, true, 0.03, as_q6_k, KAI_GGUF_Q6_K},
    {"IQ4_NL", KAI_GEMM_GGUF, f32, f32, false, true, true, 0.03, as_iq4_nl, KAI_GGUF_IQ4_NL},
    {"IQ4_XS", KAI_GEMM_GGUF, f32, f32, false, true, true, 0.03, as_iq4_xs, KAI_GGUF_IQ4_XS},
    {"MXFP4", KAI_GEMM_GGUF, f32, f32, false, true, true, 0.1, as_mxfp4, KAI_GGUF_MXFP4},
    {"NVFP4", KAI_GEMM_GGUF, f32, f32, false, true, true, 0.1, as_nvfp4, KAI_GGUF_NVFP4},
    {"Q4_0 in place", KAI_GEMM_GGUF, f32, f32, false, false, true, 0.03, as_q4_0, KAI_GGUF_Q4_0},
    {"Q8_0 in place", KAI_GEMM_GGUF, f32, f32, false, false, true, 0.01, as_q8_0, KAI_GGUF_Q8_0},
    {"Q4_K in place", KAI_GEMM_GGUF, f32, f32, false, false, true, 0.03, as_q4_k, KAI_GGUF_Q4_K},
    {"Q6_K in place", KAI_GEMM_GGUF, f32, f32, false, false, true, 0.03, as_q6_k, KAI_GGUF_Q6_K},
    {"f32, N x K", KAI_GEMM_DENSE, f32, f32, false, false, true, 0.001, as_f32},
    {"f32, K x N", KAI_GEMM_DENSE, f32, f32, false, false, false, 0.001, transposed<as_f32>},
    {"f16, N x K", KAI_GEMM_DENSE, f16, f16, false, false, true, 0.005, as_f16},
    {"f16, K x N", KAI_GEMM_DENSE, f16, f16, false, false, false, 0.005, transposed<as_f16>},
};

/// How `layer` is computed for up to `rows` rows: by the micro-kernel `pin`, or, if it is null, by the best.
inline kai_gemm_status plan_layer(
    const Form& form, const Dense& layer, bool relu, size_t rows, const char* pin, kai_gemm_plan& plan) {
    kai_gemm_problem problem = kai_gemm_problem_of(rows, layer.n, layer.k);
    problem.a_type = problem.c_type = form.activation;
    problem.b_kind = form.kind, problem.b_type = form.weight, problem.gguf_type = form.type, problem.bl = kBlock;
    problem.b_transposed = form.transposed;
    problem.b_constant = problem.bias = form.packed;  // the bias is part of packed weights
    problem.allow_bf16 = form.allow_bf16;
    problem.clamp_min = relu && form.packed ? 0.0f : problem.clamp_min;
    problem.pin = pin;
    return kai_gemm_make_plan(&problem, &plan);
}

/// A layer that is ready to run.
class PlannedLayer {
public:
    /// `quantised`: what the form makes of the layer.
    PlannedLayer(
        const Form& form, const Dense& layer, const Quantised& quantised, bool relu, size_t rows, const char* pin) {
        require(plan_layer(form, layer, relu, rows, pin, plan_));
        workspace_ = allocate(plan_.workspace_size);
        if (!form.packed) {
            weights_ = quantised.bytes.data(), bias_ = layer.bias.data(), relu_ = relu;
            size_ = quantised.bytes.size() + layer.n * sizeof(float);
            return;
        }
        size_ = plan_.packed_b_size;
        packed_ = allocate(size_);
        weights_ = packed_.get();
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
        operands.m = m, operands.b.data = weights_;
        if (problem.a_type == f32) {
            operands.a.data = x, operands.c.data = y;
            require(kai_gemm_run(&plan_, &operands, workspace_.get(), plan_.workspace_size, nullptr, nullptr));
            finish(m, y);
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
        finish(m, y);
    }

    /// Bytes of the weights that a run reads.
    size_t size() const {
        return size_;
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

    /// Bias and ReLU of weights that are not packed.
    void finish(size_t m, float* y) const {
        for (size_t i = 0; bias_ != nullptr && i < m * plan_.problem.n; i++) {
            y[i] += bias_[i % plan_.problem.n];
            y[i] = relu_ ? std::max(y[i], 0.0f) : y[i];
        }
    }

    kai_gemm_plan plan_ = {};
    const void* weights_ = nullptr;
    size_t size_ = 0;
    const float* bias_ = nullptr;
    bool relu_ = false;
    AlignedMemory packed_, workspace_;
    std::vector<uint16_t> halves_x_, halves_y_;
};
