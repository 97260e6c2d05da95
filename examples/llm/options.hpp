// The command line of llm.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace llm {

struct SamplingOptions {
    float temperature = 0.8f;  ///< 0: greedy
    size_t top_k = 40;         ///< 0: all
    float top_p = 0.95f, min_p = 0.05f;
    float repeat_penalty = 1.0f;
    size_t repeat_last = 64;
    uint64_t seed = 1;
};

struct Options {
    std::string model, prompt;
    size_t count = 128, threads = 0, context = 0, batch = 512;
    std::string cache = "f16", packed;
    std::string tokenize, logits, perplexity;  // files
    bool bench = false, help = false;
    SamplingOptions sampling;
};

extern const char kUsage[];

/// Throws Error.
Options parse_options(int argc, char** argv);

/// The whole file. Throws Error.
std::string read_text(const std::string& path);

}  // namespace llm
