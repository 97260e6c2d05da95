// The program of docs/tutorial.md: a network of two layers, from f32 weights to results on four threads. Each layer is
// quantised to int8, planned, packed once, and run.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "../common/aligned_memory.hpp"
#include "../common/thread_pool.hpp"
#include "kai/gemm/kai_gemm.h"

namespace {

/// y = clamp(x W^T + bias): W has n rows of k weights.
struct Layer {
    size_t n, k;
    std::vector<float> weights, bias;
    float lowest;  // of results: 0 for ReLU, else -INFINITY
    kai_gemm_plan plan;
    AlignedMemory packed, workspace;
};

void require(kai_gemm_status status, const char* why) {
    if (status != KAI_GEMM_OK) {
        std::printf("%s: %s\n", kai_gemm_status_text(status), why);
        std::exit(1);
    }
}

void plan_layer(Layer& layer, size_t most_rows, size_t threads) {
    kai_gemm_problem problem = kai_gemm_problem_of(most_rows, layer.n, layer.k);
    problem.b_kind = KAI_GEMM_INT8_CHANNEL;
    problem.b_transposed = true;  // W is N x K
    problem.b_constant = true;    // and packed once
    problem.bias = true;
    problem.clamp_min = layer.lowest;
    problem.units = threads;
    require(kai_gemm_make_plan(&problem, &layer.plan), layer.plan.reason);
    layer.packed = allocate(layer.plan.packed_b_size);
    layer.workspace = allocate(layer.plan.workspace_size);
}

void pack_layer(Layer& layer, ThreadPool& pool) {
    std::vector<int8_t> quants(layer.n * layer.k);
    std::vector<float> scales(layer.n);
    for (size_t i = 0; i < layer.n; ++i) {
        const float* row = &layer.weights[i * layer.k];
        float largest = 0;
        for (size_t j = 0; j < layer.k; ++j) {
            largest = std::max(largest, std::fabs(row[j]));
        }
        scales[i] = largest / 127;
        for (size_t j = 0; j < layer.k; ++j) {
            quants[i * layer.k + j] = largest > 0 ? static_cast<int8_t>(std::lrint(row[j] / scales[i])) : 0;
        }
    }
    kai_gemm_weights weights = {};
    weights.b = quants.data(), weights.scale = scales.data(), weights.bias = layer.bias.data();
    const size_t size = layer.plan.pack_workspace_size;
    const AlignedMemory scratch = allocate(size);
    require(
        kai_gemm_pack_b(
            &layer.plan, 0, &weights, layer.packed.get(), layer.plan.packed_b_size, scratch.get(), size,
            ThreadPool::parallel_for, &pool),
        "pack");
}

void run_layer(const Layer& layer, size_t rows, const float* x, float* y, ThreadPool& pool) {
    kai_gemm_operands operands = {};
    operands.m = rows;
    operands.a.data = x, operands.b.data = layer.packed.get(), operands.c.data = y;
    require(
        kai_gemm_run(
            &layer.plan, &operands, layer.workspace.get(), layer.plan.workspace_size, ThreadPool::parallel_for, &pool),
        "run");
}

/// What the layer would give without quantisation.
std::vector<float> in_f32(const Layer& layer, const std::vector<float>& x) {
    std::vector<float> y(x.size() / layer.k * layer.n);
    for (size_t i = 0; i < y.size(); ++i) {
        double sum = layer.bias[i % layer.n];
        for (size_t j = 0; j < layer.k; ++j) {
            sum += static_cast<double>(x[i / layer.n * layer.k + j]) * layer.weights[i % layer.n * layer.k + j];
        }
        y[i] = std::max(static_cast<float>(sum), layer.lowest);
    }
    return y;
}

std::vector<float> numbers(size_t count, float step) {
    std::vector<float> v(count);
    std::generate(v.begin(), v.end(), [i = 0.0F, step]() mutable { return std::sin((i += 1) * step); });
    return v;
}

}  // namespace

int main() {
    constexpr size_t kRows = 32, kInputs = 256, kHidden = 512, kOutputs = 10;
    Layer hidden = {kHidden, kInputs, numbers(kHidden * kInputs, 0.37F), numbers(kHidden, 0.7F), 0, {}, {}, {}};
    Layer output = {kOutputs, kHidden, numbers(kOutputs * kHidden, 0.23F), numbers(kOutputs, 1), -INFINITY, {}, {}, {}};
    const std::vector<float> x = numbers(kRows * kInputs, 0.11F);

    ThreadPool pool(4);
    for (Layer* layer : {&hidden, &output}) {
        plan_layer(*layer, kRows, pool.threads());
        pack_layer(*layer, pool);
    }
    std::vector<float> h(kRows * kHidden), y(kRows * kOutputs);
    run_layer(hidden, kRows, x.data(), h.data(), pool);
    run_layer(output, kRows, h.data(), y.data(), pool);

    char why[4000];
    kai_gemm_explain(&hidden.plan, why, sizeof(why));
    const std::vector<float> exact = in_f32(output, in_f32(hidden, x));
    double error = 0, all = 0;
    for (size_t i = 0; i < y.size(); ++i) {
        error += std::pow(y[i] - exact[i], 2), all += std::pow(exact[i], 2);
    }
    std::printf("%s\nerror: %.2f %% of the results (root mean square)\n", why, 100 * std::sqrt(error / all));
    return error < all * 0.02 * 0.02 ? 0 : 1;
}
