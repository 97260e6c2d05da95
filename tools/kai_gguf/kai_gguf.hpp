// What kai-gguf does. Failures are std::runtime_error.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "kai/kai_common.h"
#include "kai/kai_cpu.h"

namespace kai_gguf_tool {

struct Options {
    std::string model, packed, name, isa, dense;
    size_t vector_length = 0, threads = 0;
    bool force = false;
    std::vector<uint32_t> rows;
};

/// CPU features of an instruction set, with those that such CPUs have besides.
const std::map<std::string, std::vector<kai_cpu_feature>>& isas();
/// Types of floats that weights are packed as.
const std::map<std::string, kai_datatype>& floats();

void list(const Options& o);
void pack(const Options& o);
void verify(const Options& o);
void rows(const Options& o);

}  // namespace kai_gguf_tool
