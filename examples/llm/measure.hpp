// What a model costs and how well it predicts: speed, memory, perplexity.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "examples/llm/network.hpp"
#include "examples/llm/options.hpp"
#include "examples/llm/tokenizer.hpp"

namespace llm {

/// Weights, cache and workspace, and the largest size that the process had.
void print_memory(const Network& network);

/// Tokens per second of a prompt of network.batch tokens, and of `count` tokens one by one after it; where the time
/// goes; memory; how fast the threads of `pool` multiply and read memory, and what share of that the model reaches.
void run_bench(const Model& model, Network& network, ThreadPool& pool, size_t count);

/// exp of the mean of -log p(next token), of the second half of each window of `window` tokens. `bos`: what windows
/// begin with, in place of their first token; NULL: that token.
void print_perplexity(Network& network, std::vector<Token> tokens, const Token* bos, size_t window, size_t vocabulary);

}  // namespace llm
