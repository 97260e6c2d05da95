// A GGUF file in memory: its metadata by key and its tensors by name. What is missing or of a wrong type throws Error.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
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

    bool has(const std::string& key) const;
    uint64_t integer(const std::string& key) const;
    uint64_t integer(const std::string& key, uint64_t otherwise) const;
    float real(const std::string& key, float otherwise) const;
    bool flag(const std::string& key, bool otherwise) const;
    std::string_view text(const std::string& key) const;
    std::string_view text(const std::string& key, std::string_view otherwise) const;
    /// Elements of an array; none if there is no such key.
    std::vector<std::string_view> texts(const std::string& key) const;
    std::vector<double> numbers(const std::string& key) const;

    /// False: there is no such tensor. One of an unknown type is an error.
    bool find(const std::string& name, kai_gguf_tensor& tensor) const;

private:
    bool find(const std::string& key, kai_gguf_pair& pair) const;
    kai_gguf_value value(const std::string& key, const kai_gguf_pair& pair) const;

    kai_gguf_file file_ = {};
    std::unique_ptr<uint8_t[]> index_;
};

}  // namespace llm
