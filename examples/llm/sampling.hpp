// The choice of the next token.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <random>
#include <vector>

#include "examples/llm/options.hpp"
#include "examples/llm/tokenizer.hpp"

namespace llm {

class Sampler {
public:
    explicit Sampler(const SamplingOptions& options) : options_(options), random_(options.seed) {
    }
    /// `before`: the tokens so far. NaN counts as -infinity.
    Token choose(const float* logits, size_t vocabulary, const std::vector<Token>& before);

private:
    SamplingOptions options_;
    std::mt19937_64 random_;
    struct Candidate {
        float logit;
        Token token;
    };
    std::vector<Candidate> candidates_;
};

}  // namespace llm
