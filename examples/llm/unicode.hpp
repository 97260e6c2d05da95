// UTF-8 and the categories of code points that tokenizers ask for.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace llm {

/// \p{L}, \p{N}, \p{P} and \s of regular expressions; everything else, unassigned code points too, is `other`.
enum class Category : uint8_t { other, letter, number, punctuation, space };

Category category(uint32_t code_point);

struct CodePoint {
    uint32_t value;
    size_t size;  ///< Bytes in the text, at least 1.
};

/// The code point at text[at]. A byte that is not part of UTF-8 is U+FFFD of one byte. @pre at < text.size()
CodePoint code_point_at(std::string_view text, size_t at);

/// How many bytes at the end of `text` are the beginning of a character that is not complete: 0 to 3.
size_t incomplete_utf8(std::string_view text);

}  // namespace llm
