// What a model file describes: sizes, constants, and the tensors of each layer, by the names of its architecture.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "examples/llm/model_file.hpp"

namespace llm {

/// Rotary position embedding: pair i of a head turns by position * base^(-2i / rotated), scaled (rope.hpp).
struct RopeShape {
    size_t rotated = 0;   ///< Elements of a head that turn.
    bool halves = false;  ///< Pairs are (i, i + rotated / 2) (NEOX), else (2i, 2i + 1) (NORM).
    float base = 10000;
    float factor = 1;     ///< Positions are divided by it: linear and YaRN scaling.
    bool yarn = false;    ///< Fast pairs are not scaled, slow ones are, those between are mixed.
    float magnitude = 1;  ///< Of the turned elements.
    size_t original_context = 0;
    /// Pair i turns slower by factors[i]; none: 1 (llama 3, phi 3). Beyond original_context phi 3 has long_factors.
    std::vector<float> factors, long_factors;
};

struct Shape {
    std::string architecture;
    size_t layers = 0, context = 0, width = 0, vocabulary = 0;
    size_t heads = 0, kv_heads = 0, key_size = 0, value_size = 0;
    size_t inner = 0;                      ///< Of the feed-forward network, of each expert.
    size_t experts = 0, experts_used = 0;  ///< 0: no experts.
    float norm_epsilon = 1e-5f;
    float embedding_scale = 1;
    float attention_scale = 0, attention_cap = 0, output_cap = 0;  ///< Caps: 0, none.
    size_t window = 0;  ///< Positions that a query sees in every other layer, from the first one on; 0: all.
    bool gelu = false;  ///< GeGLU, else SwiGLU.
    RopeShape rope;
    size_t q_size = 0, k_size = 0, v_size = 0;  ///< Of all heads of a token.
    size_t qkv_size = 0;                        ///< Their sum.
};

/// Rows of a tensor of the file, n x k, of `count` experts. Without data: there is none.
struct Matrix {
    std::string name;
    const kai_gguf_type* type = nullptr;
    const uint8_t* data = nullptr;
    size_t n = 0, k = 0, count = 1, row_size = 0;
    bool whole = true;        ///< All rows of the tensor.
    std::vector<float> bias;  ///< [n], or none.

    size_t size() const {
        return n * count * row_size;
    }
};

struct Layer {
    std::vector<float> attention_norm, ffn_norm;
    std::vector<float> q_norm, k_norm;                        ///< Of each head; or none.
    std::vector<float> after_attention_norm, after_ffn_norm;  ///< Before the residual is added; or none.
    std::vector<Matrix> qkv;                                  ///< Q, K and V, or one of all three.
    Matrix attention_output, router, gate, up, down;
};

struct Model {
    Shape shape;
    kai_gguf_tensor embedding;
    std::vector<Layer> layers;
    std::vector<float> output_norm;
    Matrix output;  ///< Perhaps the rows of `embedding`.
};

/// Throws Error for an architecture or a tensor that this program does not know, and where sizes contradict each other.
/// The matrices point into the file.
Model read_model(const ModelFile& file);

}  // namespace llm
