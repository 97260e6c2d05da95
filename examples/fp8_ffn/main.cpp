// The feed-forward layer of a DeepSeek model, y = (silu(x gate^T) * (x up^T)) down^T: weights of 8-bit floating point
// (E4M3), with a scale for each 128 x 128 of them, as `weight` and `weight_scale_inv` of a checkpoint are. Gate and up
// are one run of a gated pair, for several tokens and for one, from the same packed weights.
//
// Checked against double precision. A is rounded to bf16, so that an element is off by 2^-9 of itself, and a product by
// that much of the sum of magnitudes.
//
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "../common/aligned_memory.hpp"
#include "../common/thread_pool.hpp"
#include "kai/gemm/kai_gemm.h"

namespace {

constexpr size_t kHidden = 256, kInner = 384, kTokens = 6, kBlock = 128;
constexpr double kError = 0x1p-8;  // of bf16, and room for sums in f32

void require(kai_gemm_status status) {
    if (status != KAI_GEMM_OK) {
        std::printf("%s\n", kai_gemm_status_text(status));
        std::exit(1);
    }
}

/// A matrix of a checkpoint, rows x columns.
struct Matrix {
    size_t rows, columns;
    std::vector<uint8_t> weight;
    std::vector<float> weight_scale_inv;

    Matrix(size_t rows, size_t columns) : rows(rows), columns(columns) {
        uint32_t state = 1;
        for (size_t i = 0; i < rows * columns; ++i) {
            state = state * 1664525 + 1013904223;
            const uint32_t magnitude = (state >> 16) % 0x7F;  // 0x7F is NaN
            weight.push_back(static_cast<uint8_t>(magnitude | (state >> 31) << 7));
        }
        for (size_t i = 0; i < rows / kBlock * (columns / kBlock); ++i) {
            weight_scale_inv.push_back(0x1p-12F * static_cast<float>(i + 1));
        }
    }
    double operator()(size_t row, size_t column) const {
        const int code = weight[row * columns + column], exponent = code >> 3 & 15, fraction = code & 7;
        const double size = exponent == 0 ? std::ldexp(fraction, -9) : std::ldexp(8 + fraction, exponent - 10);
        const float scale = weight_scale_inv[row / kBlock * (columns / kBlock) + column / kBlock];
        return (code < 128 ? size : -size) * static_cast<double>(scale);
    }
    kai_gemm_problem problem() const {
        kai_gemm_problem p = kai_gemm_problem_of(kTokens, rows, columns);
        p.b_kind = KAI_GEMM_F8E4M3_BLOCK, p.bl = p.scale_columns = kBlock, p.b_type = kai_dt_f32;
        p.b_transposed = p.b_constant = true;
        return p;
    }
};

/// One or two packed matrices, and how they are multiplied.
class Layer {
public:
    Layer(const kai_gemm_problem& problem, const std::vector<const Matrix*>& matrices) {
        require(kai_gemm_make_plan(&problem, &plan_));
        packed_ = allocate(plan_.packed_b_size), workspace_ = allocate(plan_.workspace_size);
        const AlignedMemory scratch = allocate(plan_.pack_workspace_size);
        for (size_t i = 0; i < matrices.size(); ++i) {
            kai_gemm_weights w = {};
            w.b = matrices[i]->weight.data(), w.scale = matrices[i]->weight_scale_inv.data();
            require(kai_gemm_pack_b(
                &plan_, i, &w, packed_.get(), plan_.packed_b_size, scratch.get(), plan_.pack_workspace_size,
                ThreadPool::parallel_for, &pool_));
        }
        std::printf("%s, one token: %s\n", plan_.gemm.ukernel->name, plan_.gemv.ukernel->name);
    }
    void run(size_t tokens, const float* a, float* c, const kai_gemm_epilogue* epilogue = nullptr) {
        kai_gemm_operands x = {};
        x.m = tokens, x.a.data = a, x.b.data = packed_.get(), x.c.data = c, x.epilogue = epilogue;
        require(kai_gemm_run(&plan_, &x, workspace_.get(), plan_.workspace_size, ThreadPool::parallel_for, &pool_));
    }

private:
    kai_gemm_plan plan_;
    AlignedMemory packed_, workspace_;
    ThreadPool pool_{2};
};

/// A product, and the sum of the magnitudes of which it consists.
struct Product {
    double sum = 0, size = 0;

    Product(const float* row, const Matrix& matrix, size_t column) {
        for (size_t k = 0; k < matrix.columns; ++k) {
            const double x = static_cast<double>(row[k]) * matrix(column, k);
            sum += x, size += std::fabs(x);
        }
    }
};

}  // namespace

int main() {
    const Matrix gate(kInner, kHidden), up(kInner, kHidden), down(kHidden, kInner);
    kai_gemm_problem pair = gate.problem();
    pair.gated = pair.epilogue = 1;
    kai_gemm_epilogue swiglu = kai_gemm_epilogue_of(&pair);
    swiglu.activation = KAI_GEMM_SILU;
    pair.units = 2;
    Layer first(pair, {&gate, &up}), second(down.problem(), {&down});

    std::vector<float> x(kTokens * kHidden), inner(kTokens * kInner), y(kTokens * kHidden);
    for (size_t i = 0; i < x.size(); ++i) {
        x[i] = std::sin(static_cast<float>(i) * 0.37F) / 8;
    }
    const size_t prompt = kTokens - 1;  // together; then one more
    first.run(prompt, x.data(), inner.data(), &swiglu);
    first.run(1, &x[prompt * kHidden], &inner[prompt * kInner], &swiglu);
    second.run(prompt, inner.data(), y.data());
    second.run(1, &inner[prompt * kInner], &y[prompt * kHidden]);

    double worst = 0;  // of errors, as fractions of their bounds
    const auto compare = [&](float got, double expected, double bound) {
        const double error = std::fabs(static_cast<double>(got) - expected) / bound;
        worst = error <= worst ? worst : error;  // NaN stays
    };
    for (size_t i = 0; i < inner.size(); ++i) {
        const float* row = &x[i / kInner * kHidden];
        const Product g(row, gate, i % kInner), u(row, up, i % kInner);
        const double silu = g.sum / (1 + std::exp(-g.sum)), of_gate = 1.1 * kError * g.size, of_up = kError * u.size;
        compare(inner[i], silu * u.sum, of_gate * (std::fabs(u.sum) + of_up) + std::fabs(silu) * of_up + 1e-6);
    }
    for (size_t i = 0; i < y.size(); ++i) {
        const Product d(&inner[i / kHidden * kInner], down, i % kHidden);
        compare(y[i], d.sum, kError * d.size + 1e-6);
    }
    std::printf("largest error / bound: %.3f\n", worst);
    std::puts(worst <= 1 ? "all within the bound" : "WRONG");
    return worst <= 1 ? 0 : 1;
}
