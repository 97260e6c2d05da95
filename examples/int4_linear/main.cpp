// A linear layer of a language model, y = x W^T + bias: int4 weights in blocks of 32 with bf16 scales, packed once by
// all threads; many rows at once (prefill) and row by row (decode) from the same packed weights, on 1 to 8 threads.
//
// Checked against the product with the dequantised weights in double precision. The layer quantises each row of x to
// int8, so that an element is off by at most one step of its row, (max - min) / 255, and a result by that many times
// the sum of |W| in its column.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "../common/aligned_memory.hpp"
#include "../common/thread_pool.hpp"
#include "kai/gemm/kai_gemm.h"

namespace {

constexpr size_t kN = 384, kK = 512, kBlock = 32, kPrefill = 64, kDecode = 8;

void require(kai_gemm_status status) {
    if (status != KAI_GEMM_OK) {
        std::printf("%s\n", kai_gemm_status_text(status));
        std::exit(1);
    }
}

/// Weights as int4, N x K: two to a byte, the even one low, each plus 8; and what they stand for.
struct Int4 {
    std::vector<uint8_t> nibbles;
    std::vector<uint16_t> scales;
    std::vector<double> values;
};
Int4 quantise(const std::vector<float>& weights) {
    Int4 to;
    for (size_t i = 0; i < weights.size(); i += kBlock) {
        float largest = 0;
        for (size_t j = 0; j < kBlock; ++j) {
            largest = std::fmax(largest, std::fabs(weights[i + j]));
        }
        to.scales.push_back(kai_cast_bf16_f32(largest / 7));
        const float scale = kai_cast_f32_bf16(to.scales.back());  // the one that the kernel will read
        for (size_t j = 0; j < kBlock; ++j) {
            const float q = scale > 0 ? std::nearbyint(weights[i + j] / scale) : 0;
            const int value = static_cast<int>(std::fmin(std::fmax(q, -8), 7));
            to.values.push_back(static_cast<double>(scale) * value);
            if (j % 2 == 0) {
                to.nibbles.push_back(static_cast<uint8_t>(value + 8));
            } else {
                to.nibbles.back() = static_cast<uint8_t>(to.nibbles.back() | (value + 8) << 4);
            }
        }
    }
    return to;
}

std::vector<float> values(size_t count, float step) {
    std::vector<float> v(count);
    std::generate(v.begin(), v.end(), [i = 0.0F, step]() mutable { return std::sin((i += 1) * step) + 0.2F; });
    return v;
}

/// The largest error of rows as a fraction of its bound.
double check(const Int4& w, const std::vector<float>& bias, const std::vector<float>& x, const std::vector<float>& y) {
    double worst = 0;
    for (size_t i = 0; i < y.size(); ++i) {
        const float* row = &x[i / kN * kK];
        const auto [low, high] = std::minmax_element(row, row + kK);
        double exact = bias[i % kN], sum = 0;
        for (size_t k = 0; k < kK; ++k) {
            exact += row[k] * w.values[i % kN * kK + k];
            sum += std::fabs(w.values[i % kN * kK + k]);
        }
        const double error = std::fabs(y[i] - exact) / ((std::fmax(*high, 0) - std::fmin(*low, 0)) / 255 * sum);
        worst = error <= worst ? worst : error;  // NaN stays
    }
    return worst;
}

}  // namespace

int main() {
    const Int4 w = quantise(values(kN * kK, 0.37F));
    const std::vector<float> x = values((kPrefill + kDecode) * kK, 0.11F), bias = values(kN, 1);

    kai_gemm_problem problem = kai_gemm_problem_of(kPrefill, kN, kK);
    problem.b_kind = KAI_GEMM_INT4_BLOCK, problem.bl = kBlock;
    problem.b_transposed = problem.b_constant = problem.bias = true;
    kai_gemm_plan plan;
    require(kai_gemm_make_plan(&problem, &plan));
    std::printf("%zu x %zu\nprefill: %s\ndecode:  %s\n", kN, kK, plan.gemm.ukernel->name, plan.gemv.ukernel->name);

    // Once: pack.
    kai_gemm_weights weights = {};
    weights.b = w.nibbles.data(), weights.scale = w.scales.data(), weights.bias = bias.data();
    const AlignedMemory packed = allocate(plan.packed_b_size), scratch = allocate(plan.pack_workspace_size);
    ThreadPool four(4);
    require(kai_gemm_pack_b(
        &plan, 0, &weights, packed.get(), plan.packed_b_size, scratch.get(), plan.pack_workspace_size,
        ThreadPool::parallel_for, &four));
    std::printf("packed weights: %zu bytes, of %zu as f32\n\n", plan.packed_b_size, kN * kK * sizeof(float));

    // Every inference. The number of threads belongs to the plan, the packed weights do not depend on it.
    bool good = true;
    std::vector<float> before;
    std::printf("threads   prefill tokens/s    decode tokens/s    error / bound\n");
    const kai_gemm_format format = plan.format;
    problem.format = &format;
    for (const size_t threads : {1, 2, 4, 8}) {
        ThreadPool pool(threads);
        problem.units = threads;
        require(kai_gemm_make_plan(&problem, &plan));
        const AlignedMemory workspace = allocate(plan.workspace_size);
        std::vector<float> y((kPrefill + kDecode) * kN);
        const auto run = [&](size_t rows, const float* from, float* to) {
            kai_gemm_operands operands = {};
            operands.m = rows, operands.a.data = from, operands.b.data = packed.get(), operands.c.data = to;
            require(
                kai_gemm_run(&plan, &operands, workspace.get(), plan.workspace_size, ThreadPool::parallel_for, &pool));
        };
        using Clock = std::chrono::steady_clock;
        const auto start = Clock::now();
        run(kPrefill, x.data(), y.data());
        const auto middle = Clock::now();
        for (size_t i = kPrefill; i < kPrefill + kDecode; ++i) {
            run(1, &x[i * kK], &y[i * kN]);
        }
        const std::chrono::duration<double> prefill = middle - start, decode = Clock::now() - middle;
        const double error = check(w, bias, x, y);
        good = good && error <= 1 && (before.empty() || y == before);
        before = y;
        std::printf(
            "%7zu %18.0f %18.0f %16.3f\n", threads, kPrefill / prefill.count(), kDecode / decode.count(), error);
    }
    std::puts(good ? "all within the bound, the same bits on any number of threads" : "WRONG");
    return good ? 0 : 1;
}
