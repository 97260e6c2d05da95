// The model and its file, shared by the demo (main.cpp) and the trainer (train.cpp).
//
// A character-level language model: the embeddings of the last `context` characters are side by side and pass
// through dense layers, y = W x + b, with ReLU between them and a softmax at the end.
//
// SPDX-License-Identifier: Apache-2.0
//
#pragma once

#include "kai/kai_common.h"  // kai_cast_f16_f32, kai_cast_f32_f16; nothing here needs the library itself

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

struct Dense {
    size_t n = 0, k = 0;        // outputs, inputs
    std::vector<float> weight;  // [n][k]
    std::vector<float> bias;    // [n]
};

struct Model {
    size_t context = 0;            // characters that the model sees
    size_t width = 0;              // length of the embedding of a character
    std::string charset;           // token -> character; 0 where the table is padded
    std::vector<float> embedding;  // [token][width]
    std::vector<Dense> layers;

    size_t inputs() const {
        return context * width;
    }
    size_t vocabulary() const {
        return charset.size();
    }

    uint8_t token(char c) const {
        const size_t t = charset.find(c);
        if (c == 0 || t == std::string::npos) {
            throw std::runtime_error(
                "the model has no token for character code " + std::to_string(static_cast<unsigned char>(c)));
        }
        return static_cast<uint8_t>(t);
    }
    std::vector<uint8_t> tokens(const std::string& text) const {
        std::vector<uint8_t> out;
        for (const char c : text) {
            out.push_back(token(c));
        }
        return out;
    }
};

/// Token number `age` (1 = the last one) before text[at]. Before the text stand line ends.
inline uint8_t token_before(const Model& model, const std::vector<uint8_t>& text, size_t at, size_t age) {
    return at >= age ? text[at - age] : model.token('\n');
}

/// Bits that encoding `token` takes when its probability is softmax(logits)[token].
inline double bits(const float* logits, size_t count, size_t token) {
    const float top = *std::max_element(logits, logits + count);
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        sum += std::exp(static_cast<double>(logits[i] - top));
    }
    return (std::log(sum) - static_cast<double>(logits[token] - top)) / std::log(2.0);
}

/// The last 1/16 of a text is held out of training and used for evaluation.
inline size_t held_out_start(size_t size) {
    return size - size / 16;
}

inline std::string read_file(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) {
        throw std::runtime_error(path + ": cannot be opened");
    }
    return {std::istreambuf_iterator<char>(in), {}};
}

//
// The weights file, little endian:
//
//     "tiny_lm\n" | u32 version, file size, vocabulary, context, width, layers | u32 outputs of each layer
//     | charset | f16 embedding | each layer: f16 weight [n][k], f16 bias [n] | u32 CRC-32 of everything before
//

inline uint32_t crc32(const char* data, size_t size) {
    uint32_t crc = ~0u;
    for (size_t i = 0; i < size; i++) {
        crc ^= static_cast<unsigned char>(data[i]);
        for (int bit = 0; bit < 8; bit++) {
            crc = (crc >> 1) ^ (crc & 1 ? 0xEDB88320u : 0u);
        }
    }
    return ~crc;
}

namespace model_file {

inline constexpr char magic[] = "tiny_lm\n";
inline constexpr uint32_t version = 1;

inline void put_u32(std::string& out, size_t value) {
    for (int shift = 0; shift < 32; shift += 8) {
        out.push_back(static_cast<char>(value >> shift & 0xFF));
    }
}

inline void put_f16(std::string& out, const std::vector<float>& values) {
    for (const float value : values) {
        const uint16_t half = kai_cast_f16_f32(value);
        out.push_back(static_cast<char>(half & 0xFF));
        out.push_back(static_cast<char>(half >> 8));
    }
}

/// Reads forward through the file; reading past the end is an error, not undefined behaviour.
struct Reader {
    const std::string& data;
    size_t at = 0;

    const unsigned char* take(size_t size) {
        if (size > data.size() - at) {
            throw std::runtime_error("ends inside a field");
        }
        at += size;
        return reinterpret_cast<const unsigned char*>(data.data()) + at - size;
    }
    uint32_t u32() {
        const unsigned char* p = take(4);
        return p[0] | static_cast<uint32_t>(p[1]) << 8 | static_cast<uint32_t>(p[2]) << 16 |
               static_cast<uint32_t>(p[3]) << 24;
    }
    uint32_t dimension(uint32_t max) {
        const uint32_t value = u32();
        if (value == 0 || value > max) {
            throw std::runtime_error("has a dimension of " + std::to_string(value));
        }
        return value;
    }
    std::vector<float> f16(size_t count) {
        const unsigned char* p = take(2 * count);
        std::vector<float> out(count);
        for (size_t i = 0; i < count; i++) {
            out[i] = kai_cast_f32_f16(static_cast<uint16_t>(p[2 * i] | p[2 * i + 1] << 8));
        }
        return out;
    }
};

inline Model parse(const std::string& data) {
    Reader in{data};
    if (data.compare(0, sizeof(magic) - 1, magic) != 0) {
        throw std::runtime_error("is not a weights file of tiny_lm");
    }
    in.take(sizeof(magic) - 1);
    if (const uint32_t found = in.u32(); found != version) {
        throw std::runtime_error("has version " + std::to_string(found) + ", expected " + std::to_string(version));
    }
    if (const uint32_t size = in.u32(); size != data.size()) {
        throw std::runtime_error(
            "is " + std::string(data.size() < size ? "truncated" : "too long") + ": " + std::to_string(data.size()) +
            " bytes instead of " + std::to_string(size));
    }
    Reader tail{data, data.size() - 4};
    if (tail.u32() != crc32(data.data(), data.size() - 4)) {
        throw std::runtime_error("is damaged: its CRC-32 does not match its contents");
    }

    Model model;
    const size_t vocabulary = in.dimension(256);
    model.context = in.dimension(1024);
    model.width = in.dimension(1024);
    model.layers.resize(in.dimension(16));
    size_t k = model.inputs();
    for (Dense& layer : model.layers) {
        layer.k = k;
        layer.n = k = in.dimension(1 << 16);
    }
    if (k != vocabulary) {
        throw std::runtime_error("has a last layer that does not fit its vocabulary");
    }
    model.charset.assign(reinterpret_cast<const char*>(in.take(vocabulary)), vocabulary);
    model.embedding = in.f16(vocabulary * model.width);
    for (Dense& layer : model.layers) {
        layer.weight = in.f16(layer.n * layer.k);
        layer.bias = in.f16(layer.n);
    }
    return model;
}

}  // namespace model_file

/// Throws std::runtime_error with the path and what is wrong.
inline Model load_model(const std::string& path) {
    const std::string data = read_file(path);
    try {
        return model_file::parse(data);
    } catch (const std::runtime_error& error) {
        throw std::runtime_error(path + ": " + error.what());
    }
}

inline void save_model(const Model& model, const std::string& path) {
    using namespace model_file;
    std::string out;
    for (const size_t value : {model.vocabulary(), model.context, model.width, model.layers.size()}) {
        put_u32(out, value);
    }
    for (const Dense& layer : model.layers) {
        put_u32(out, layer.n);
    }
    out += model.charset;
    put_f16(out, model.embedding);
    for (const Dense& layer : model.layers) {
        put_f16(out, layer.weight);
        put_f16(out, layer.bias);
    }

    std::string file = magic;
    put_u32(file, version);
    put_u32(file, file.size() + 4 + out.size() + 4);
    file += out;
    put_u32(file, crc32(file.data(), file.size()));
    std::ofstream stream(path, std::ios::binary);
    if (!stream.write(file.data(), static_cast<std::streamsize>(file.size())) || !stream.flush()) {
        throw std::runtime_error(path + ": cannot be written");
    }
}
