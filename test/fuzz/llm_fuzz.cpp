// libFuzzer: whatever bytes a model file has, examples/llm refuses it with a sentence, or its tokenizer takes any text
// and its tensors fit. What follows the first zero byte of the last 64 is the text.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>

#include "examples/llm/model.hpp"
#include "examples/llm/rope.hpp"
#include "examples/llm/tokenizer.hpp"
#include "examples/llm/unicode.hpp"
#include "test/fuzz/check.hpp"

namespace {

void look_at_tokens(const llm::ModelFile& file, const std::string& text) {
    const llm::Tokenizer tokenizer(file);
    CHECK(tokenizer.bos() == nullptr || *tokenizer.bos() < tokenizer.size());
    for (const bool specials : {false, true}) {
        std::string decoded;
        for (const llm::Token token : tokenizer.encode(text, true, specials)) {
            CHECK(token < tokenizer.size());
            decoded += tokenizer.decode(token);
        }
        CHECK(llm::incomplete_utf8(decoded) <= std::min<size_t>(decoded.size(), 3));
    }
    for (llm::Token token = 0; token < tokenizer.size(); ++token) {
        tokenizer.decode(token);
        tokenizer.is_end(token);
    }
}

/// The bytes of a matrix are those of the file.
void look_at_matrix(const llm::Matrix& matrix, const uint8_t* data, size_t size) {
    if (matrix.data != nullptr) {
        CHECK(matrix.data >= data && matrix.size() <= size && matrix.data - data <= ptrdiff_t(size - matrix.size()));
        CHECK(matrix.bias.empty() || matrix.bias.size() == matrix.n);
    }
}

void look_at_model(const llm::ModelFile& file, const uint8_t* data, size_t size) {
    const llm::Model model = llm::read_model(file);
    const llm::Shape& shape = model.shape;
    CHECK(model.layers.size() == shape.layers && model.output_norm.size() == shape.width);
    for (const llm::Layer& layer : model.layers) {
        size_t columns = 0;
        for (const llm::Matrix& matrix : layer.qkv) {
            look_at_matrix(matrix, data, size);
            columns += matrix.n;
        }
        CHECK(columns == shape.qkv_size);
        for (const auto* matrix : {&layer.attention_output, &layer.router, &layer.gate, &layer.up, &layer.down}) {
            look_at_matrix(*matrix, data, size);
        }
        CHECK(layer.attention_norm.size() == shape.width && layer.ffn_norm.size() == shape.width);
    }
    llm::Rope rope(shape.rope, 16);
    rope.prepare(8, 2);
    std::vector<float> head(shape.key_size, 1.0f);
    rope.turn(1, head.data(), 1, shape.key_size);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    // A copy, so that reading past the end is found.
    const std::unique_ptr<uint8_t[]> copy(new uint8_t[size]);
    std::copy(data, data + size, copy.get());
    const size_t tail = size < 64 ? 0 : size - 64;
    const auto* text = static_cast<const uint8_t*>(size != 0 ? std::memchr(data + tail, 0, size - tail) : nullptr);
    const std::string words = text != nullptr ? std::string(text + 1, data + size) : "Hello  wörld 123\n";
    for (const bool tokens : {true, false}) {
        try {
            const llm::ModelFile file(copy.get(), size);
            tokens ? look_at_tokens(file, words) : look_at_model(file, copy.get(), size);
        } catch (const llm::Error& error) {
            CHECK(error.what()[0] != 0 && std::strchr(error.what(), '\n') == nullptr);
        }
    }
    return 0;
}
