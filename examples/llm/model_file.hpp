// A GGUF file in memory: its metadata by key and its tensors by name. What is of a wrong type throws Error.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "kai/gemm/kai_gguf_file.h"

namespace llm {

/// What is wrong with a file or an option, as a sentence for the user.
struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Throws Error(otherwise) unless `holds`.
inline void require(bool holds, const std::string& otherwise) {
    if (!holds) {
        throw Error(otherwise);
    }
}

/// A text of the file for a sentence: without control characters, cut off if it is long.
std::string quoted(std::string_view text);

/// These bytes of a mapped file will not be read for a long time: they need not stay in memory.
void forget(const void* data, size_t size);

/// `data` stays where it is. Texts that are returned point into it.
class ModelFile {
public:
    ModelFile(const void* data, size_t size);

    /// The elements of an array, or one value; none if there is no such key. Value: bool, double (any type of number),
    /// float (finite), uint64_t (a number from 0 to 2^53), std::string_view.
    template <typename Value>
    std::vector<Value> all(const std::string& key) const;

    /// The value of `key`; without `otherwise`, it must be there.
    template <typename Value>
    Value get(const std::string& key, std::optional<Value> otherwise = std::nullopt) const {
        const std::vector<Value> values = all<Value>(key);
        require(values.size() <= 1, key + " is an array");
        require(!values.empty() || otherwise.has_value(), "there is no " + key);
        return values.empty() ? *otherwise : values[0];
    }

    /// None: there is no such tensor. One of an unknown type is an error.
    std::optional<kai_gguf_tensor> tensor(const std::string& name) const;

private:
    kai_gguf_file file_ = {};
    std::unique_ptr<uint8_t[]> index_;
};

}  // namespace llm
