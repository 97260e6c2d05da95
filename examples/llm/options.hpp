// The command line of llm.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace llm {

struct SamplingOptions {
    float temperature = 0.8f;  ///< 0: greedy
    size_t top_k = 40;         ///< 0: all
    float top_p = 0.95f, min_p = 0.05f;
    float repeat_penalty = 1.0f;
    size_t repeat_last = 64;
    size_t seed = 1;
};

struct Options {
    std::string model, prompt;
    size_t count = 128, threads = 0, context = 0, batch = 512;
    std::string cache = "f16", packed;
    std::string prompt_file, tokenize, logits, perplexity;
    bool bench = false, help = false;
    SamplingOptions sampling;
};

/// Throws Error. Prints what there is for --help.
Options parse_options(int argc, char** argv);

/// The whole file. Throws Error.
std::string read_text(const std::string& path);

}  // namespace llm
