// Sizes and tensors of a model file. Whatever a file says is checked against the shapes of its tensors.
//
// SPDX-License-Identifier: Apache-2.0
#include "examples/llm/model.hpp"

#include <algorithm>
#include <cmath>

namespace llm {
namespace {

/// What the names of tensors and keys do not tell.
struct Architecture {
    const char* name;
    bool halves;            // RopeShape
    bool scales_embedding;  // by sqrt(width)
    bool gelu;
    bool window_in_even_layers;  // the window of others is ignored, as by llama.cpp
};

constexpr Architecture kArchitectures[] = {
    {"llama", false, false, false, false},   {"qwen2", true, false, false, false}, {"qwen3", true, false, false, false},
    {"qwen3moe", true, false, false, false}, {"gemma", true, true, true, false},   {"gemma2", true, true, true, true},
    {"phi3", true, false, false, false},
};

const Architecture& architecture_of(const ModelFile& file) {
    const std::string name(file.get<std::string_view>("general.architecture"));
    const auto* found = std::find_if(
        std::begin(kArchitectures), std::end(kArchitectures),
        [&](const Architecture& one) { return name == one.name; });
    if (found != std::end(kArchitectures)) {
        return *found;
    }
    std::string known;
    for (const Architecture& one : kArchitectures) {
        known += std::string(known.empty() ? "" : ", ") + one.name;
    }
    throw Error("models of the architecture " + quoted(name) + " are not supported, only " + known);
}

class Reader {
public:
    explicit Reader(const ModelFile& file)
        : file_(file), architecture_(architecture_of(file)), prefix_(std::string(architecture_.name) + ".") {
    }
    Model read() {
        read_shape();
        read_attention_shape();
        read_rope_shape();
        Model model;
        const std::optional<kai_gguf_tensor> embedding = file_.tensor("token_embd.weight");
        require(embedding.has_value(), "there is no tensor token_embd.weight");
        model.embedding = *embedding;
        shape_.vocabulary = model.embedding.rows;
        require(model.embedding.k == shape_.width, "the tensor token_embd.weight does not fit embedding_length");
        for (size_t i = 0; i < shape_.layers; ++i) {
            model.layers.push_back(read_layer("blk." + std::to_string(i) + "."));
        }
        model.output_norm = vector("output_norm.weight", shape_.width, false);
        model.output = matrix(file_.tensor("output.weight") ? "output" : "token_embd", shape_.vocabulary, shape_.width);
        model.shape = shape_;
        return model;
    }

private:
    bool is_set(const std::string& key) const {
        return file_.get<uint64_t>(prefix_ + key, 0) != 0;
    }
    float real(const std::string& key, float otherwise) const {
        return file_.get<float>(prefix_ + key, otherwise);
    }

    /// From 1 to 2^24: a number, or an array with the same number for each layer.
    size_t size(const std::string& key, std::optional<size_t> otherwise = std::nullopt) const {
        const std::vector<uint64_t> values = file_.all<uint64_t>(prefix_ + key);
        require(!values.empty() || otherwise.has_value(), "there is no " + prefix_ + key);
        if (values.empty()) {
            return *otherwise;
        }
        const bool same = std::count(values.begin(), values.end(), values[0]) == static_cast<ptrdiff_t>(values.size());
        require(same, "layers differ in " + key + ", which is not supported");
        require(values[0] > 0 && values[0] <= (1u << 24), key + " is " + std::to_string(values[0]));
        return static_cast<size_t>(values[0]);
    }

    /// `size` floats; none if there is no such tensor and it is optional.
    std::vector<float> vector(const std::string& name, size_t size, bool optional) const {
        const std::optional<kai_gguf_tensor> tensor = file_.tensor(name);
        require(tensor.has_value() || optional, "there is no tensor " + name);
        std::vector<float> values;
        if (tensor) {
            const bool fits = tensor->k == size && tensor->rows == 1;
            require(fits, "the tensor " + name + " does not have " + std::to_string(size) + " values");
            values.resize(size);
            kai_gguf_tensor_rows(&*tensor, nullptr, 1, kai_dt_f32, values.data(), size * sizeof(float));
        }
        return values;
    }

    /// `count` matrices of n x k, with the bias of the same name.
    Matrix matrix(const std::string& name, size_t n, size_t k, size_t count = 1) const {
        const std::optional<kai_gguf_tensor> tensor = file_.tensor(name + ".weight");
        require(tensor.has_value(), "there is no tensor " + name + ".weight");
        const uint64_t* shape = tensor->shape;
        require(
            shape[0] == k && shape[1] == n && shape[2] == count && shape[3] == 1,
            "the shape of the tensor " + name + ".weight is not " + std::to_string(k) + " x " + std::to_string(n));
        Matrix matrix;
        matrix.name = name + ".weight";
        matrix.type = tensor->type, matrix.data = static_cast<const uint8_t*>(tensor->data);
        matrix.n = n, matrix.k = k, matrix.count = count, matrix.row_size = tensor->row_size;
        matrix.bias = vector(name + ".bias", n, true);
        return matrix;
    }

    void read_shape() {
        shape_.architecture = architecture_.name;
        shape_.layers = size("block_count");
        shape_.context = size("context_length");
        shape_.width = size("embedding_length");
        shape_.norm_epsilon = real("attention.layer_norm_rms_epsilon", 1e-5f);
        shape_.inner = size("feed_forward_length", 1);
        shape_.experts = is_set("expert_count") ? size("expert_count") : 0;
        if (shape_.experts != 0) {
            shape_.experts_used = size("expert_used_count");
            shape_.inner = size("expert_feed_forward_length", shape_.inner);
            require(shape_.experts_used <= shape_.experts, "more experts are used than there are");
        }
        shape_.gelu = architecture_.gelu;
        shape_.embedding_scale = architecture_.scales_embedding ? std::sqrt(static_cast<float>(shape_.width)) : 1;
        shape_.output_cap = real("final_logit_softcapping", 0);
        require(shape_.layers <= 4096, "there are more than 4096 layers");
        require(shape_.norm_epsilon >= 0, "the epsilon of norms is negative");
    }

    void read_attention_shape() {
        shape_.heads = size("attention.head_count");
        shape_.kv_heads = size("attention.head_count_kv", shape_.heads);
        require(shape_.heads % shape_.kv_heads == 0, "the number of heads is not a multiple of those of keys");
        shape_.key_size = size("attention.key_length", shape_.width / shape_.heads);
        shape_.value_size = size("attention.value_length", shape_.width / shape_.heads);
        require(shape_.key_size != 0 && shape_.value_size != 0, "there are more heads than elements");
        shape_.q_size = shape_.heads * shape_.key_size;
        shape_.k_size = shape_.kv_heads * shape_.key_size, shape_.v_size = shape_.kv_heads * shape_.value_size;
        shape_.qkv_size = shape_.q_size + shape_.k_size + shape_.v_size;
        shape_.attention_scale = 1 / std::sqrt(static_cast<float>(shape_.key_size));
        if (shape_.architecture == "gemma2" && shape_.layers == 46) {  // 27B divides by another size, which no key has
            shape_.attention_scale = 1 / std::sqrt(static_cast<float>(shape_.width / shape_.heads));
        }
        shape_.attention_cap = real("attn_logit_softcapping", 0);
        if (architecture_.window_in_even_layers && is_set("attention.sliding_window")) {
            shape_.window = size("attention.sliding_window");
        }
    }

    void read_rope_shape() {
        RopeShape& rope = shape_.rope;
        rope.halves = architecture_.halves;
        rope.rotated = size("rope.dimension_count", shape_.key_size);
        require(
            rope.rotated % 2 == 0 && rope.rotated <= shape_.key_size, "rope.dimension_count does not fit the heads");
        rope.base = real("rope.freq_base", 10000);
        require(rope.base > 0, "rope.freq_base is not above 0");
        const std::string_view scaling = file_.get<std::string_view>(prefix_ + "rope.scaling.type", "");
        const bool scaled = !scaling.empty() && scaling != "none";
        require(
            !scaled || scaling == "linear" || scaling == "yarn" || scaling == "longrope",
            "positions that are scaled by " + quoted(scaling) + " are not supported");
        rope.yarn = scaling == "yarn";
        if (scaling == "linear" || rope.yarn) {
            rope.factor = real("rope.scaling.factor", 1);
            require(rope.factor > 0, "rope.scaling.factor is not above 0");
        }
        rope.original_context = size("rope.scaling.original_context_length", shape_.context);
        rope.magnitude = real("rope.scaling.attn_factor", 1);
        rope.factors = vector("rope_freqs.weight", rope.rotated / 2, true);
        if (rope.factors.empty()) {
            rope.factors = vector("rope_factors_short.weight", rope.rotated / 2, true);
            rope.long_factors = vector("rope_factors_long.weight", rope.rotated / 2, true);
        }
    }

    void read_ffn(const std::string& prefix, Layer& layer) const {
        const size_t width = shape_.width, inner = shape_.inner;
        const bool experts = shape_.experts != 0;
        if (experts) {
            layer.router = matrix(prefix + "ffn_gate_inp", shape_.experts, width);
            layer.gate = matrix(prefix + "ffn_gate_exps", inner, width, shape_.experts);
            layer.up = matrix(prefix + "ffn_up_exps", inner, width, shape_.experts);
        } else if (file_.tensor(prefix + "ffn_gate.weight")) {
            layer.gate = matrix(prefix + "ffn_gate", inner, width);
            layer.up = matrix(prefix + "ffn_up", inner, width);
        } else {  // phi 3: the gate is the first half of "up"
            layer.gate = matrix(prefix + "ffn_up", 2 * inner, width);
            layer.gate.n = inner, layer.gate.whole = false;
            layer.up = layer.gate;
            layer.up.data += inner * layer.up.row_size;
        }
        layer.down =
            matrix(prefix + (experts ? "ffn_down_exps" : "ffn_down"), width, inner, experts ? shape_.experts : 1);
        require(
            layer.gate.bias.empty() && layer.up.bias.empty() && (layer.down.bias.empty() || !experts),
            "biases of " + layer.gate.name + " are not supported");
    }

    Layer read_layer(const std::string& prefix) const {
        const size_t q = shape_.q_size, k = shape_.k_size, v = shape_.v_size, width = shape_.width;
        Layer layer;
        layer.attention_norm = vector(prefix + "attn_norm.weight", width, false);
        layer.q_norm = vector(prefix + "attn_q_norm.weight", shape_.key_size, true);
        layer.k_norm = vector(prefix + "attn_k_norm.weight", shape_.key_size, true);
        layer.after_attention_norm = vector(prefix + "post_attention_norm.weight", width, true);
        if (file_.tensor(prefix + "attn_qkv.weight")) {
            layer.qkv = {matrix(prefix + "attn_qkv", shape_.qkv_size, width)};
        } else {
            layer.qkv = {
                matrix(prefix + "attn_q", q, width), matrix(prefix + "attn_k", k, width),
                matrix(prefix + "attn_v", v, width)};
        }
        layer.attention_output = matrix(prefix + "attn_output", width, shape_.heads * shape_.value_size);
        layer.ffn_norm = vector(prefix + "ffn_norm.weight", width, false);
        layer.after_ffn_norm = vector(prefix + "post_ffw_norm.weight", width, true);
        read_ffn(prefix, layer);
        return layer;
    }

    const ModelFile& file_;
    const Architecture& architecture_;
    const std::string prefix_;
    Shape shape_;
};

}  // namespace

Model read_model(const ModelFile& file) {
    return Reader(file).read();
}

}  // namespace llm
