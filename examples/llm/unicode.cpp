// UTF-8, and a table of categories that unicode_table.py generates.
//
// SPDX-License-Identifier: Apache-2.0
#include "examples/llm/unicode.hpp"

#include <algorithm>
#include <iterator>

namespace llm {
namespace {

const uint32_t kRanges[] = {
#include "examples/llm/unicode_table.inc"
};

/// Bytes of a character that begins with `first`; 0: none does.
size_t length_of(unsigned char first) {
    return first < 0x80 ? 1 : first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
}

}  // namespace

Category category(uint32_t code_point) {
    const uint32_t* next = std::upper_bound(std::begin(kRanges), std::end(kRanges), code_point << 3 | 7);
    return static_cast<Category>(next[-1] & 7);
}

CodePoint code_point_at(std::string_view text, size_t at) {
    const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[at + i]); };
    const CodePoint invalid = {0xFFFD, 1};
    const size_t size = length_of(byte(0));
    if (size == 0 || size > text.size() - at) {
        return invalid;
    }
    uint32_t value = size == 1 ? byte(0) : byte(0) & (0x7Fu >> size);
    for (size_t i = 1; i < size; ++i) {
        if ((byte(i) & 0xC0) != 0x80) {
            return invalid;
        }
        value = value << 6 | (byte(i) & 0x3Fu);
    }
    const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const bool surrogate = value >= 0xD800 && value < 0xE000;
    return value < least[size] || surrogate || value > 0x10FFFF ? invalid : CodePoint{value, size};
}

size_t incomplete_utf8(std::string_view text) {
    for (size_t back = 1; back <= 3 && back <= text.size(); ++back) {
        const auto byte = static_cast<unsigned char>(text[text.size() - back]);
        if ((byte & 0xC0) != 0x80) {
            return length_of(byte) > back ? back : 0;
        }
    }
    return 0;
}

}  // namespace llm
