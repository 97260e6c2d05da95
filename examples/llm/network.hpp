// The network: tokens in, logits out, keys and values of all tokens in a cache.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <vector>

#include "examples/common/aligned_memory.hpp"
#include "examples/common/thread_pool.hpp"
#include "kai/gemm/kai_attention.h"
#include "examples/llm/model.hpp"
#include "examples/llm/options.hpp"
#include "examples/llm/rope.hpp"
#include "examples/llm/tokenizer.hpp"
#include "examples/llm/weights.hpp"

namespace llm {

/// Where the time goes. Each step ends with lap().
class Clock {
public:
    enum Step : size_t { embedding, norms, qkv, rope, cache, attention, attention_output, router, ffn, output, kSteps };
    static const char* name(size_t step);

    void start() {
        last_ = std::chrono::steady_clock::now();
    }
    void lap(Step step) {
        const auto before = last_;
        start();
        seconds[step] += std::chrono::duration<double>(last_ - before).count();
    }
    std::array<double, kSteps> seconds = {};

private:
    std::chrono::steady_clock::time_point last_;
};

class Network {
public:
    /// `tokens`: most of a run; `positions`: most of a text. `model` must live as long.
    Network(const Model& model, const Options& options, size_t tokens, size_t positions, ThreadPool& pool);

    /// Appends tokens to the text. Returns logits of the last one, or of `all`, [count][vocabulary].
    const float* run(const Token* tokens, size_t count, bool all);
    /// The next token is the first one again.
    void restart() {
        position_ = 0;
    }
    const size_t batch;  ///< Most tokens of a run.
    Clock clock;
    Costs costs;  ///< Of all products.
    size_t cache_bytes = 0;
    size_t workspace_bytes = 0;  ///< Activations, too.

private:
    struct LayerProducts {
        std::vector<Product> qkv, ffn;  // ffn: gate and up in one, or each
        Product attention_output, router, down;
        kai_attention_plan attention;
        AlignedMemory cache;
        std::vector<void*> pages;  // of the cache
    };
    void load_layer(const Layer& layer, WeightLoader& loader, LayerProducts& to);
    /// And its cache. `window`: 0, all positions.
    void plan_attention(const Options& options, size_t positions, size_t window, LayerProducts& layer);
    /// Room for `size` floats in one of the buffers of activations.
    void grow(std::vector<float>& buffer, size_t size);

    void embed(const Token* tokens, size_t count);
    void attend(const Layer& layer, const LayerProducts& products, size_t count);
    void turn_heads(const Layer& layer, size_t count);
    void feed_forward(const Layer& layer, const LayerProducts& products, size_t count);
    /// For each token, the experts with the largest logits; then rows of each expert.
    void route(size_t count);
    const float* compute_logits(size_t count, bool all);

    /// to = from / rms(from) * weight, rows of weight.size() floats; from and to may be the same.
    void normalise(const std::vector<float>& weight, size_t rows, const float* from, float* to);
    /// `product`, whose rows are added to x_: at once, or through a norm of their own.
    void add_to_stream(
        const Product& product, const kai_gemm_operands& operands, const std::vector<float>& norm, size_t count);

    const Model& model_;
    const Shape& shape_;
    ThreadPool& pool_;
    size_t position_ = 0;
    Rope rope_;
    std::vector<LayerProducts> layers_;
    Product output_;
    AlignedMemory workspace_, attention_workspace_;
    size_t attention_workspace_size_ = 0;

    // Activations, a row for each token.
    std::vector<float> x_;       // the residual stream
    std::vector<float> normed_;  // what products read
    std::vector<float> qkv_, attended_, hidden_, factor_, added_, logits_;
    std::vector<float> router_;  // logits of experts
    // Rows of experts, one expert after the other.
    std::vector<size_t> expert_rows_, row_tokens_;
    std::vector<float> row_weights_;
};

}  // namespace llm
