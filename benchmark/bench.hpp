// What the parts of the benchmark share.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

struct Shape {
    size_t m, n, k;
};
inline std::string text(const Shape& s) {
    return std::to_string(s.m) + "x" + std::to_string(s.n) + "x" + std::to_string(s.k);
}

/// The program's own flags.
struct Options {
    /// GEMV and GEMM shapes of language models: attention projections and feed-forward layers of 1B to 8B parameters.
    std::vector<Shape> shapes = {
        {1, 2048, 2048}, {1, 8192, 2048}, {1, 4096, 4096}, {64, 2048, 2048}, {256, 4096, 4096}};
    size_t block_length = 32;
    std::vector<size_t> threads = {1};  ///< Of the GEMM layer.
    size_t sme_units = 1;
    bool cold = false;
};
extern Options options;

/// Elements of a type: floats of magnitude 0.5 to 2, or any integers.
std::vector<uint8_t> random_elements(const char* type, size_t bytes, std::mt19937& random);

/// Registers gemm/... and by_hand/... (gemm_bench.cpp).
void register_gemm();
