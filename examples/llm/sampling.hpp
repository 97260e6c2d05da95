// The choice of the next token.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <random>
#include <vector>

#include "examples/llm/options.hpp"
#include "examples/llm/tokenizer.hpp"

namespace llm {

/// `before`: the tokens so far. NaN counts as -infinity.
Token choose_token(
    const SamplingOptions& options, const float* logits, size_t vocabulary, const std::vector<Token>& before,
    std::mt19937_64& random);

}  // namespace llm
