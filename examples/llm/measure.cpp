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

double mib(size_t bytes) {
    return static_cast<double>(bytes) / (1 << 20);
}

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

double all_seconds(const Clock& clock) {
    double sum = 0;
    for (size_t step = 0; step < Clock::kSteps; ++step) {
        sum += clock.seconds(step);
    }
    return sum;
}

/// Bytes per second that all threads together read from memory: the best of three.
double reading_rate(ThreadPool& pool) {
    constexpr size_t parts = 2048, words = size_t{1} << 14, chains = 8;  // 256 MiB: more than caches hold
    const std::vector<uint64_t> data(parts * words, 1);
    std::vector<uint64_t> sums(parts);
    double best = 0;
    for (size_t round = 0; round < 3; ++round) {
        const auto start = std::chrono::steady_clock::now();
        pool.for_each(parts, [&](size_t part) {
            uint64_t several[chains] = {};
            for (size_t i = part * words; i < (part + 1) * words; i += chains) {
                for (size_t chain = 0; chain < chains; ++chain) {
                    several[chain] += data[i + chain];
                }
            }
            sums[part] = std::accumulate(several, several + chains, uint64_t{0});
        });
        const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
        require(sums[round] == words, "memory does not hold what was written");  // the sums are used
        best = std::max(best, double(data.size() * sizeof(uint64_t)) / time.count());
    }
    return best;
}

void print_steps(const Clock& clock) {
    const double all = all_seconds(clock);
    for (size_t step = 0; step < Clock::kSteps; ++step) {
        if (clock.seconds(step) > 0) {
            std::printf(
                "    %-18s %9.2f ms %5.1f %%\n", Clock::name(step), clock.seconds(step) * 1e3,
                clock.seconds(step) / all * 100);
        }
    }
}

}  // namespace

void print_memory(const Network& network) {
    std::fprintf(
        stderr, "memory: weights %.1f, cache %.1f, workspace %.1f MiB; peak of the process %.1f MiB\n",
        mib(network.weight_bytes), mib(network.cache_bytes), mib(network.workspace_bytes), mib(peak_bytes()));
}

void run_bench(Network& network, ThreadPool& pool, size_t rows, size_t count, size_t vocabulary) {
    std::vector<Token> tokens;
    for (size_t i = 0; i < rows; ++i) {
        tokens.push_back(static_cast<Token>(i * 7919 % vocabulary));
    }
    network.run(tokens.data(), rows, false);  // pages are touched, caches warm
    network.restart();
    network.clock().reset();
    network.run(tokens.data(), rows, false);
    const double prefill = all_seconds(network.clock());
    std::printf("prefill: %zu tokens, %.2f tokens/s\n", rows, double(rows) / prefill);
    print_steps(network.clock());
    network.clock().reset();
    for (size_t i = 0; i < count; ++i) {
        network.run(&tokens[i % rows], 1, false);
    }
    const double decode = all_seconds(network.clock());
    const double rate = count != 0 ? double(network.token_bytes) * double(count) / decode : 0;
    if (count != 0) {
        std::printf(
            "decode: %zu tokens, %.2f tokens/s, %.2f GB/s of weights\n", count, double(count) / decode, rate * 1e-9);
        print_steps(network.clock());
    }
    print_memory(network);  // before other memory is used
    const double peak = reading_rate(pool);
    std::printf("peak of reading memory: %.2f GB/s, decode has %.1f %% of it\n", peak * 1e-9, rate / peak * 100);
}

void print_perplexity(Network& network, std::vector<Token> tokens, const Token* bos, size_t window, size_t vocabulary) {
    const size_t half = window / 2;
    double sum = 0;
    size_t count = 0;
    for (size_t begin = 0; begin + window <= tokens.size(); begin += window) {
        tokens[begin] = bos != nullptr ? *bos : tokens[begin];
        network.restart();
        for (size_t at = 0; at < window; at += network.rows()) {
            const size_t rows = std::min(network.rows(), window - at);
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
