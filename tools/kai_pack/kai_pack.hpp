// What kai-pack does. Failures are std::runtime_error.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace kai_pack_tool {

struct Options {
    std::string out, name, kernel, weights, type, scale, zero, bias;
    size_t vector_length = 0, n = 0, k = 0, bl = 0, count = 0, scale_columns = 0;
    bool transposed = false, bias_apart = false, replace = false, force = false;
    int zero_point = 8;
    int32_t a_zero_point = 0;
    float multiplier = 1;
    std::vector<int32_t> lut;
    std::vector<std::string> table;
    std::vector<std::string> in;
};

/// FILE of FILE.safetensors:TENSOR, else the name itself.
std::string file_of(const std::string& name);

/// What --type may be.
std::vector<std::string> type_names();

void pack(const Options& o);
void join(const Options& o);
void inspect(const Options& o);
void verify(const Options& o);

}  // namespace kai_pack_tool
