// Blocks of GGUF files, written from docs/gguf-blocks.md in plain loops and not from kai/engines/gguf.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace reference {

/// weight = scale * value + min, in that order of roundings: none but the last.
struct GgufWeight {
    double scale;
    int value;
    double min;  // counts only if has_min
    bool has_min;
    int index = 0;  // of types with a table

    float f32() const {
        const double product = scale * value;
        return static_cast<float>(has_min ? product + min : product);
    }
};

struct GgufType {
    const char* name;
    uint32_t id;
    size_t weights, bytes;  // of a block
    GgufWeight (*weight)(const uint8_t* block, size_t i);
};

/// All types but those of floats, in the order of their numbers.
const std::vector<GgufType>& gguf_types();
const GgufType* find_gguf_type(const std::string& name);

/// The values of its indices; empty: there are none.
std::vector<int32_t> gguf_table(const GgufType& type);

/// Where its f16 are.
std::vector<size_t> gguf_f16_offsets(const GgufType& type);

/// Super-blocks: the integers of sub-block j: weight = d * scale * value - dmin * min.
struct GgufSub {
    int scale, min;
};
GgufSub gguf_sub(const GgufType& type, const uint8_t* block, size_t j);

/// The weights of `bytes.size()` bytes of blocks.
std::vector<GgufWeight> gguf_weights(const GgufType& type, const uint8_t* blocks, size_t count);

}  // namespace reference
