// Words, in which byte-level BPE joins pairs: the regular expressions of models, written by hand.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

namespace llm {

/// Splits `text` into words, without gaps.
using Pretokenizer = std::vector<std::string_view>(std::string_view text);

/// By tokenizer.ggml.pre of the file. Null: there is none of this name.
Pretokenizer* find_pretokenizer(std::string_view name);

}  // namespace llm
