// Three layers, compiled once (graph.hpp), run for many rows and for one by a scheduler of the program's own
// (scheduler.hpp) on 1 to 4 threads, also on more than the plans have workers; checked in double precision.
//
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdio>

#include "scheduler.hpp"

namespace {

constexpr size_t kRows = 40, kWidths[] = {96, 256, 200, 33}, kLayers = 3;

std::vector<float> values(size_t count, float scale) {
    std::vector<float> v(count);
    std::generate(
        v.begin(), v.end(), [i = 0U, scale]() mutable { return scale * std::sin(static_cast<float>(++i % 977)); });
    return v;
}

/// `x` through all layers.
std::vector<double> exact(const std::vector<Layer>& layers, std::vector<double> x, size_t m) {
    for (const Layer& layer : layers) {
        std::vector<double> y(m * layer.n);
        for (size_t i = 0; i < y.size(); ++i) {
            y[i] = layer.bias[i % layer.n];
            for (size_t k = 0; k < layer.k; ++k) {
                y[i] += x[i / layer.n * layer.k + k] * layer.weights[k * layer.n + i % layer.n];
            }
            y[i] = layer.relu ? std::fmax(y[i], 0) : y[i];
        }
        x = y;
    }
    return x;
}

std::vector<float> run(const Program& program, const std::vector<float>& x, size_t rows, size_t threads) {
    const AlignedMemory arena = allocate(program.arena_size);
    auto* const bytes = static_cast<char*>(arena.get());
    std::copy_n(x.data(), rows * kWidths[0], reinterpret_cast<float*>(bytes + program.nodes.front().in));
    Compute compute(program, arena.get(), rows, threads);
    std::vector<std::thread> others;
    for (size_t ith = 1; ith < threads; ++ith) {
        others.emplace_back(&Compute::run, &compute, ith);
    }
    compute.run(0);
    std::for_each(others.begin(), others.end(), [](std::thread& thread) { thread.join(); });
    const auto* y = reinterpret_cast<const float*>(bytes + program.nodes.back().out);
    return {y, y + rows * kWidths[kLayers]};
}

}  // namespace

int main() {
    std::vector<std::vector<float>> parameters;
    std::vector<Layer> layers;
    for (size_t i = 0; i < kLayers; ++i) {
        const size_t k = kWidths[i], n = kWidths[i + 1];
        parameters.push_back(values(n * k, 0.1F));
        parameters.push_back(values(n, 1));
        layers.push_back({n, k, parameters[2 * i].data(), parameters[2 * i + 1].data(), i + 1 < kLayers});
    }
    const std::vector<float> x = values(kRows * kWidths[0], 1);

    bool good = true;
    constexpr size_t kRuns[][2] = {{1, 1}, {2, 2}, {4, 4}, {4, 2}, {4, 1}};
    for (const auto& [threads, units] : kRuns) {
        const Program program = compile(layers, kRows, units);
        std::printf(
            "%zu threads, %zu at once: %zu bytes of constants, %zu bytes of arena\n", threads, units,
            program.constants_size, program.arena_size);
        for (const size_t rows : {kRows, size_t{1}}) {
            const std::vector<float> y = run(program, x, rows, threads);
            const std::vector<double> expected =
                exact(layers, {x.begin(), x.begin() + static_cast<std::ptrdiff_t>(rows * kWidths[0])}, rows);
            double worst = 0;
            for (size_t i = 0; i < y.size(); ++i) {
                const double error = std::fabs(y[i] - expected[i]) / std::fmax(std::fabs(expected[i]), 1);
                worst = error <= worst ? worst : error;
            }
            good = good && worst < 1e-4;
            std::printf("    %2zu rows: largest relative error %.1e\n", rows, worst);
        }
    }
    std::puts(good ? "all right" : "WRONG");
    return good ? 0 : 1;
}
