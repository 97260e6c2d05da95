// The layers of a transformer, step by step: norms and RoPE in plain loops, products by the GEMM layer, attention by
// kai/gemm/kai_attention.h.
//
// SPDX-License-Identifier: Apache-2.0
#include "examples/llm/network.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

namespace llm {
namespace {

/// scale * v / rms(v), times the weights.
void normalise_row(const std::vector<float>& weight, float epsilon, const float* from, float* to) {
    double sum = 0;
    for (size_t i = 0; i < weight.size(); ++i) {
        sum += double(from[i]) * double(from[i]);
    }
    const auto scale = static_cast<float>(1 / std::sqrt(sum / double(weight.size()) + double(epsilon)));
    for (size_t i = 0; i < weight.size(); ++i) {
        to[i] = from[i] * scale * weight[i];
    }
}

kai_attention_cache cache_type(const std::string& name) {
    static constexpr const char* known[KAI_ATTENTION_CACHE_COUNT] = {"f32", "f16", "bf16", "q8_0"};
    const auto* found = std::find(std::begin(known), std::end(known), name);
    require(found != std::end(known), "--cache: '" + name + "' is not f32, f16, bf16 or q8_0");
    return static_cast<kai_attention_cache>(found - known);
}

}  // namespace

const char* Clock::name(size_t step) {
    static constexpr const char* names[kSteps] = {"embedding",    "norms",     "Q, K, V",          "rope",
                                                  "cache",        "attention", "attention output", "router",
                                                  "feed-forward", "output"};
    return names[step];
}

Network::Network(const Model& model, const Options& options, size_t tokens, size_t positions, ThreadPool& pool)
    : batch(tokens), model_(model), shape_(model.shape), pool_(pool), rope_(model.shape.rope, positions) {
    const tools::Progress progress("packing weights");
    WeightLoader loader(pool, options.packed, batch);
    layers_.resize(shape_.layers);
    for (size_t i = 0; i < shape_.layers; ++i) {
        load_layer(model.layers[i], loader, layers_[i]);
        plan_attention(options, positions, i % 2 == 0 ? shape_.window : 0, layers_[i]);
        progress.at(i + 1, shape_.layers + 1);
    }
    output_ = loader.load({&model.output}, {});
    costs = loader.costs;
    workspace_ = allocate(costs.workspace_size);
    attention_workspace_ = allocate(attention_workspace_size_);
    workspace_bytes = costs.workspace_size + attention_workspace_size_;
    grow(x_, batch * shape_.width);
    grow(normed_, batch * shape_.width);
    grow(qkv_, batch * shape_.qkv_size);
    grow(attended_, batch * shape_.heads * shape_.value_size);
    grow(hidden_, batch * std::max<size_t>(shape_.experts_used, 1) * shape_.inner);
    grow(router_, batch * shape_.experts);
}

void Network::plan_attention(const Options& options, size_t positions, size_t window, LayerProducts& layer) {
    kai_attention_problem problem = kai_attention_problem_of(shape_.heads, shape_.kv_heads, shape_.key_size);
    problem.value_size = shape_.value_size;
    problem.tokens = batch, problem.positions = positions;
    problem.cache_type = cache_type(options.cache);
    problem.scale = shape_.attention_scale, problem.soft_cap = shape_.attention_cap;
    problem.window = window;
    problem.units = pool_.threads();
    kai_attention_plan& plan = layer.attention;
    const kai_gemm_status status = kai_attention_make_plan(&problem, &plan);
    require(status == KAI_GEMM_OK, std::string("attention: ") + plan.reason);
    attention_workspace_size_ = std::max(attention_workspace_size_, plan.workspace_size);
    const size_t pages = (positions + problem.page - 1) / problem.page;
    layer.cache = allocate(pages * plan.page_bytes);
    for (size_t i = 0; i < pages; ++i) {
        layer.pages.push_back(static_cast<uint8_t*>(layer.cache.get()) + i * plan.page_bytes);
    }
    cache_bytes += pages * plan.page_bytes;
}

void Network::load_layer(const Layer& layer, WeightLoader& loader, LayerProducts& to) {
    size_t together = 0;  // Q, K and V run at the same time
    for (const Matrix& matrix : layer.qkv) {
        to.qkv.push_back(loader.load({&matrix}, {}));
        together += to.qkv.back().workspace_size();
    }
    loader.costs.workspace_size = std::max(loader.costs.workspace_size, together);
    to.attention_output = loader.load({&layer.attention_output}, {1, layer.after_attention_norm.empty()});
    const kai_gemm_activation activation = shape_.gelu ? KAI_GEMM_GELU_TANH : KAI_GEMM_SILU;
    const size_t used = std::max<size_t>(shape_.experts_used, 1);
    if (layer.gate.type == layer.up.type) {
        to.ffn.push_back(loader.load({&layer.gate, &layer.up}, {used, false, activation}));
    } else {
        to.ffn.push_back(loader.load({&layer.gate}, {used, false, activation}));
        to.ffn.push_back(loader.load({&layer.up}, {used}));
    }
    to.down = loader.load({&layer.down}, {used, layer.after_ffn_norm.empty()});
    if (shape_.experts != 0) {
        to.router = loader.load({&layer.router}, {});
    }
}

void Network::grow(std::vector<float>& buffer, size_t size) {
    if (buffer.size() < size) {
        workspace_bytes += (size - buffer.size()) * sizeof(float);
        buffer.resize(size);
    }
}

const float* Network::run(const Token* tokens, size_t count, bool all) {
    clock.start();
    rope_.prepare(position_, count);
    clock.lap(Clock::rope);
    embed(tokens, count);
    for (size_t i = 0; i < shape_.layers; ++i) {
        attend(model_.layers[i], layers_[i], count);
        feed_forward(model_.layers[i], layers_[i], count);
    }
    position_ += count;
    return compute_logits(count, all);
}

void Network::embed(const Token* tokens, size_t count) {
    // Tokens are below the vocabulary, and so are rows of the tensor.
    kai_gguf_tensor_rows(&model_.embedding, tokens, count, kai_dt_f32, x_.data(), shape_.width * sizeof(float));
    for (size_t i = 0; i < count * shape_.width; ++i) {
        x_[i] *= shape_.embedding_scale;
    }
    clock.lap(Clock::embedding);
}

void Network::normalise(const std::vector<float>& weight, size_t rows, const float* from, float* to) {
    pool_.for_each(rows, [&](size_t i) {
        normalise_row(weight, shape_.norm_epsilon, from + i * weight.size(), to + i * weight.size());
    });
    clock.lap(Clock::norms);
}

void Network::add_to_stream(
    const Product& product, const kai_gemm_operands& operands, const std::vector<float>& norm, size_t count) {
    if (norm.empty()) {  // the product adds
        product.run(operands, workspace_.get(), pool_);
        return;
    }
    grow(added_, x_.size());
    kai_gemm_operands apart = operands;
    apart.c.data = added_.data();
    product.run(apart, workspace_.get(), pool_);
    pool_.for_each(count, [&](size_t i) {
        float *row = &added_[i * shape_.width], *x = &x_[i * shape_.width];
        normalise_row(norm, shape_.norm_epsilon, row, row);
        for (size_t j = 0; j < shape_.width; ++j) {
            x[j] += row[j];
        }
    });
}

/// Norms of heads, if there are any, and the rotation of Q and K, in place.
void Network::turn_heads(const Layer& layer, size_t count) {
    const auto turn = [&](size_t token, float* values, size_t heads, const std::vector<float>& norm) {
        for (size_t head = 0; head < heads && !norm.empty(); ++head) {
            float* at = values + head * shape_.key_size;
            normalise_row(norm, shape_.norm_epsilon, at, at);
        }
        rope_.turn(token, values, heads, shape_.key_size);
    };
    pool_.for_each(count, [&](size_t i) {
        float* q = &qkv_[i * shape_.qkv_size];
        turn(i, q, shape_.heads, layer.q_norm);
        turn(i, q + shape_.q_size, shape_.kv_heads, layer.k_norm);
    });
    clock.lap(Clock::rope);
}

void Network::attend(const Layer& layer, const LayerProducts& products, size_t count) {
    normalise(layer.attention_norm, count, x_.data(), normed_.data());

    // Q, K and V of a token are side by side. The products share the packed rows of A.
    const size_t row = shape_.qkv_size;
    kai_gemm_operands operands[3];
    kai_gemm_product together[3] = {};
    auto* workspace = static_cast<uint8_t*>(workspace_.get());
    size_t column = 0;
    for (size_t i = 0; i < products.qkv.size(); ++i) {
        const Product& product = products.qkv[i];
        operands[i] = product.operands(count, normed_.data(), &qkv_[column], row);
        together[i].plan = &product.plan(), together[i].operands = &operands[i];
        together[i].workspace = workspace, together[i].workspace_size = product.workspace_size();
        workspace += product.workspace_size();
        column += product.plan().problem.n;
    }
    require(kai_gemm_run_products(together, products.qkv.size(), ThreadPool::parallel_for, &pool_), "Q, K and V");
    clock.lap(Clock::qkv);
    turn_heads(layer, count);

    const kai_attention_plan& plan = products.attention;
    kai_attention_rows rows = {};
    rows.count = count, rows.type = kai_dt_f32;
    rows.keys = &qkv_[shape_.q_size], rows.values = &qkv_[shape_.q_size + shape_.k_size];
    rows.key_token = rows.value_token = row * sizeof(float);
    rows.key_head = shape_.key_size * sizeof(float), rows.value_head = shape_.value_size * sizeof(float);
    require(
        kai_attention_append(&plan, products.pages.data(), position_, &rows, ThreadPool::parallel_for, &pool_),
        "cache");
    clock.lap(Clock::cache);

    kai_attention_sequence sequence = {};
    sequence.tokens = count, sequence.position = position_, sequence.length = position_ + count;
    sequence.pages = products.pages.data();
    sequence.q = qkv_.data(), sequence.q_token = row * sizeof(float);
    sequence.q_head = shape_.key_size * sizeof(float);
    sequence.out = attended_.data();
    kai_attention_operands x = {};
    x.sequences = &sequence, x.count = 1;
    require(
        kai_attention_run(&plan, &x, attention_workspace_.get(), plan.workspace_size, ThreadPool::parallel_for, &pool_),
        "attention");
    clock.lap(Clock::attention);
    const Product& output = products.attention_output;
    add_to_stream(output, output.operands(count, attended_.data(), x_.data()), layer.after_attention_norm, count);
    clock.lap(Clock::attention_output);
}

void Network::route(size_t count) {
    struct Choice {
        size_t expert, token;
        double weight;
    };
    std::vector<Choice> choices;
    std::vector<size_t> order(shape_.experts);
    std::iota(order.begin(), order.end(), size_t{0});
    const auto end = order.begin() + static_cast<ptrdiff_t>(shape_.experts_used);
    for (size_t token = 0; token < count; ++token) {
        const float* logits = &router_[token * shape_.experts];
        std::partial_sort(order.begin(), end, order.end(), [&](size_t a, size_t b) {
            return logits[a] != logits[b] ? logits[a] > logits[b] : a < b;
        });
        // The softmax of all experts, the chosen ones scaled to a sum of 1, is the softmax of the chosen.
        const auto weight = [&](size_t expert) { return std::exp(double(logits[expert] - logits[order[0]])); };
        double sum = 0;
        std::for_each(order.begin(), end, [&](size_t expert) { sum += weight(expert); });
        std::for_each(order.begin(), end, [&](size_t expert) {
            choices.push_back({expert, token, weight(expert) / sum});
        });
    }
    std::sort(choices.begin(), choices.end(), [](const Choice& a, const Choice& b) {
        return a.expert != b.expert ? a.expert < b.expert : a.token < b.token;
    });
    expert_rows_.assign(shape_.experts, 0), row_tokens_.clear(), row_weights_.clear();
    for (const Choice& choice : choices) {
        ++expert_rows_[choice.expert];
        row_tokens_.push_back(choice.token), row_weights_.push_back(static_cast<float>(choice.weight));
    }
    clock.lap(Clock::router);
}

void Network::feed_forward(const Layer& layer, const LayerProducts& products, size_t count) {
    normalise(layer.ffn_norm, count, x_.data(), normed_.data());
    if (shape_.experts != 0) {
        products.router.run(products.router.operands(count, normed_.data(), router_.data()), workspace_.get(), pool_);
        route(count);
    }
    // Experts: a row of the hidden layer for each of theirs; else one for each token.
    const size_t rows = shape_.experts != 0 ? row_tokens_.size() : count;
    const auto of_experts = [&](kai_gemm_operands operands) {
        operands.rows = shape_.experts != 0 ? expert_rows_.data() : nullptr;
        return operands;
    };
    grow(factor_, products.ffn.size() > 1 ? hidden_.size() : 0);
    for (size_t i = 0; i < products.ffn.size(); ++i) {
        float* to = i == 0 ? hidden_.data() : factor_.data();
        kai_gemm_operands operands = of_experts(products.ffn[i].operands(rows, normed_.data(), to));
        if (shape_.experts != 0) {
            operands.a_rows = row_tokens_.data(), operands.a_row_count = count;
        }
        products.ffn[i].run(operands, workspace_.get(), pool_);
    }
    if (products.ffn.size() > 1) {  // of different types: no pair
        pool_.for_each(rows, [&](size_t i) {
            for (size_t j = i * shape_.inner; j < (i + 1) * shape_.inner; ++j) {
                hidden_[j] *= factor_[j];
            }
        });
    }
    kai_gemm_operands operands = of_experts(products.down.operands(rows, hidden_.data(), x_.data()));
    if (shape_.experts != 0) {
        operands.c_rows = row_tokens_.data(), operands.c_row_count = count, operands.c_weights = row_weights_.data();
    }
    add_to_stream(products.down, operands, layer.after_ffn_norm, count);
    clock.lap(Clock::ffn);
}

const float* Network::compute_logits(size_t count, bool all) {
    const size_t rows = all ? count : 1, vocabulary = shape_.vocabulary;
    normalise(model_.output_norm, rows, &x_[(count - rows) * shape_.width], normed_.data());
    grow(logits_, rows * vocabulary);
    output_.run(output_.operands(rows, normed_.data(), logits_.data()), workspace_.get(), pool_);
    if (shape_.output_cap != 0) {
        pool_.for_each(rows, [&](size_t i) {
            for (size_t j = i * vocabulary; j < (i + 1) * vocabulary; ++j) {
                logits_[j] = shape_.output_cap * std::tanh(logits_[j] / shape_.output_cap);
            }
        });
    }
    clock.lap(Clock::output);
    return logits_.data();
}

}  // namespace llm
