// Speed, memory and perplexity.
//
// SPDX-License-Identifier: Apache-2.0
#include "examples/llm/measure.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <string>

namespace llm {
namespace {

/// The largest size that this process had, of what is in memory.
size_t peak_bytes() {
    std::ifstream status("/proc/self/status");  // Linux: getrusage counts what the process was before exec, too
    for (std::string line; std::getline(status, line);) {
        if (line.rfind("VmHWM:", 0) == 0) {
            return static_cast<size_t>(std::strtoull(line.c_str() + 6, nullptr, 10)) * 1024;
        }
    }
    rusage usage = {};
    getrusage(RUSAGE_SELF, &usage);
#ifdef __APPLE__
    return static_cast<size_t>(usage.ru_maxrss);
#else
    return static_cast<size_t>(usage.ru_maxrss) * 1024;
#endif
}

/// -log of the probability of `token`.
double surprise(const float* logits, size_t vocabulary, Token token) {
    const float most = *std::max_element(logits, logits + vocabulary);
    double sum = 0;
    for (size_t i = 0; i < vocabulary; ++i) {
        sum += std::exp(double(logits[i]) - double(most));
    }
    return std::log(sum) - (double(logits[token]) - double(most));
}

/// Seconds of `count` runs of task(i), the shortest first.
template <typename Task>
std::vector<double> seconds_of(size_t count, Task task) {
    std::vector<double> seconds;
    for (size_t i = 0; i < count; ++i) {
        const auto start = std::chrono::steady_clock::now();
        task(i);
        seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    std::sort(seconds.begin(), seconds.end());
    return seconds;
}

/// Bytes per second that all threads together read from memory.
double reading_rate(ThreadPool& pool) {
    constexpr size_t parts = 2048, words = size_t{1} << 14;  // 256 MiB: more than caches hold
    const std::vector<uint64_t> data(parts * words, 1);
    std::vector<uint64_t> sums(parts);
    const std::vector<double> seconds = seconds_of(3, [&](size_t) {
        pool.for_each(parts, [&](size_t part) {
            const auto* begin = data.data() + part * words;
            sums[part] = std::accumulate(begin, begin + words, uint64_t{0});
        });
    });
    require(sums[0] == words, "memory does not hold what was written");  // the sums are used
    return double(data.size() * sizeof(uint64_t)) / seconds[0];
}

/// Multiply-adds per second of all threads, `rows` rows by a matrix of `type` that caches hold.
double multiplying_rate(ThreadPool& pool, const kai_gguf_type& type, size_t rows) {
    Matrix matrix;
    matrix.name = "the matrix for the peak", matrix.type = &type, matrix.n = matrix.k = 1024;
    matrix.row_size = matrix.k / type.block_weights * type.block_bytes;
    const std::vector<uint8_t> zeros(matrix.size());
    matrix.data = zeros.data();
    WeightLoader loader(pool, "", rows);
    const Product product = loader.load({&matrix}, {});
    const std::vector<float> a(rows * matrix.k, 1.0f);
    std::vector<float> c(rows * matrix.n);
    const AlignedMemory workspace = allocate(product.workspace_size());
    const std::vector<double> seconds =
        seconds_of(3, [&](size_t) { product.run(product.operands(rows, a.data(), c.data()), workspace.get(), pool); });
    return double(rows) * double(matrix.n * matrix.k) / seconds[0];
}

/// Of each of `runs` runs.
void print_steps(const Clock& clock, size_t runs) {
    const double all = std::accumulate(clock.seconds.begin(), clock.seconds.end(), 0.0);
    for (size_t step = 0; step < Clock::kSteps; ++step) {
        const double seconds = clock.seconds[step];
        if (seconds > 0) {
            std::printf(
                "    %-18s %9.3f ms %5.1f %%\n", Clock::name(step), seconds * 1e3 / double(runs), seconds / all * 100);
        }
    }
}

}  // namespace

void print_memory(const Network& network) {
    const auto mib = [](size_t bytes) { return static_cast<double>(bytes) / (1 << 20); };
    std::fprintf(
        stderr, "memory: weights %.1f, cache %.1f, workspace %.1f MiB; peak of the process %.1f MiB\n",
        mib(network.costs.bytes), mib(network.cache_bytes), mib(network.workspace_bytes), mib(peak_bytes()));
}

void run_bench(const Model& model, Network& network, ThreadPool& pool, size_t count) {
    const size_t rows = network.batch;
    std::vector<Token> tokens;
    for (size_t i = 0; i < rows; ++i) {
        tokens.push_back(static_cast<Token>(i * 7919 % model.shape.vocabulary));
    }
    constexpr size_t kPrompts = 3;
    const auto prompt = [&](size_t) {
        network.restart();
        network.run(tokens.data(), rows, false);
    };
    prompt(0);  // pages are touched, caches warm
    network.clock.seconds = {};
    const double prefill = seconds_of(kPrompts, prompt)[kPrompts / 2];  // medians: other programs may take time
    // Only the last token of a prompt needs the output.
    const double output = double(model.output.n * model.output.k), all = double(network.costs.token_macs);
    const double multiplied = (double(rows) * (all - output) + output) / prefill;
    std::printf("prefill: %zu tokens, %.2f tokens/s, %.2f GOP/s\n", rows, double(rows) / prefill, 2e-9 * multiplied);
    print_steps(network.clock, kPrompts);
    network.clock.seconds = {};
    const double decode = seconds_of(count, [&](size_t i) { network.run(&tokens[i % rows], 1, false); })[count / 2];
    const double read = double(network.costs.token_bytes) / decode;
    std::printf("decode: %zu tokens, %.2f tokens/s, %.2f GB/s of weights\n", count, 1 / decode, 1e-9 * read);
    print_steps(network.clock, count);
    std::printf(
        "products of a token: %zu bytes of weights, %zu multiply-adds\n", network.costs.token_bytes,
        network.costs.token_macs);
    print_memory(network);  // before other memory is used
    const kai_gguf_type& type = *model.layers[0].gate.type;
    const double multiplying = multiplying_rate(pool, type, rows), reading = reading_rate(pool);
    std::printf(
        "peak of multiplying %s in caches: %.2f GOP/s, prefill has %.1f %% of it\n", type.name, 2e-9 * multiplying,
        100 * multiplied / multiplying);
    std::printf("peak of reading memory: %.2f GB/s, decode has %.1f %% of it\n", 1e-9 * reading, 100 * read / reading);
}

void print_perplexity(Network& network, std::vector<Token> tokens, const Token* bos, size_t window, size_t vocabulary) {
    const size_t half = window / 2;
    double sum = 0;
    size_t count = 0;
    for (size_t begin = 0; begin + window <= tokens.size(); begin += window) {
        tokens[begin] = bos != nullptr ? *bos : tokens[begin];
        network.restart();
        for (size_t at = 0; at < window; at += network.batch) {
            const size_t rows = std::min(network.batch, window - at);
            const float* logits = network.run(&tokens[begin + at], rows, true);
            for (size_t i = std::max(at, half); i < std::min(at + rows, window - 1); ++i, ++count) {
                sum += surprise(logits + (i - at) * vocabulary, vocabulary, tokens[begin + i + 1]);
            }
        }
    }
    require(
        count != 0,
        "the text has " + std::to_string(tokens.size()) + " tokens, fewer than a window of " + std::to_string(window));
    std::printf("perplexity: %.4f, of %zu tokens\n", std::exp(sum / double(count)), count);
}

}  // namespace llm
