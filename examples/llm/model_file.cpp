// A GGUF file in memory, by kai/gemm/kai_gguf_file.h.
//
// SPDX-License-Identifier: Apache-2.0
#include "examples/llm/model_file.hpp"

#include <sys/mman.h>
#include <unistd.h>

namespace llm {
namespace {

/// Each throws Error if the value of `key` is none of its type.
template <typename Value>
Value as(const kai_gguf_value& value, const std::string& key);

template <>
double as(const kai_gguf_value& value, const std::string& key) {
    switch (value.type) {
        case KAI_GGUF_U8:
        case KAI_GGUF_U16:
        case KAI_GGUF_U32:
        case KAI_GGUF_U64:
        case KAI_GGUF_BOOL:
            return static_cast<double>(value.u);
        case KAI_GGUF_I8:
        case KAI_GGUF_I16:
        case KAI_GGUF_I32:
        case KAI_GGUF_I64:
            return static_cast<double>(value.i);
        case KAI_GGUF_FLOAT32:
        case KAI_GGUF_FLOAT64:
            return value.f;
        default:
            throw Error(key + " is not a number");
    }
}

double number_between(double least, double most, const kai_gguf_value& value, const std::string& key) {
    const auto number = as<double>(value, key);
    require(number >= least && number <= most, key + " is not a number that is possible there");
    return number;
}

template <>
float as(const kai_gguf_value& value, const std::string& key) {
    return static_cast<float>(number_between(-1e30, 1e30, value, key));
}

template <>
uint64_t as(const kai_gguf_value& value, const std::string& key) {
    return static_cast<uint64_t>(number_between(0, 0x1p53, value, key));
}

template <>
bool as(const kai_gguf_value& value, const std::string& key) {
    require(value.type == KAI_GGUF_BOOL, key + " is not true or false");
    return value.u != 0;
}

template <>
std::string_view as(const kai_gguf_value& value, const std::string& key) {
    require(value.type == KAI_GGUF_STRING, key + " is not a text");
    return {value.text, value.length};
}

}  // namespace

std::string quoted(std::string_view text) {
    std::string shown(text.substr(0, 60));
    for (char& c : shown) {
        c = c >= ' ' && c <= '~' ? c : '?';
    }
    return "'" + shown + "'";
}

void forget(const void* data, size_t size) {
    const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    const auto begin = (reinterpret_cast<uintptr_t>(data) + page - 1) / page * page;
    const auto end = (reinterpret_cast<uintptr_t>(data) + size) / page * page;
    if (begin < end) {
        madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);  // if it fails, they stay
    }
}

ModelFile::ModelFile(const void* data, size_t size) {
    size_t position = 0;
    kai_gguf_file_status status = kai_gguf_file_open(data, size, &file_, &position);
    if (status == KAI_GGUF_FILE_OK) {
        index_.reset(new uint8_t[file_.index_size]);
        status = kai_gguf_file_index(&file_, index_.get(), file_.index_size, &position);
    }
    require(
        status == KAI_GGUF_FILE_OK,
        std::string(kai_gguf_file_status_text(status)) + " (at byte " + std::to_string(position) + ")");
}

template <typename Value>
std::vector<Value> ModelFile::all(const std::string& key) const {
    std::vector<Value> values;
    kai_gguf_pair pair;
    if (kai_gguf_file_find_pair(&file_, key.c_str(), &pair) == KAI_GGUF_FILE_OK) {
        size_t at = 0;
        for (kai_gguf_value value = {}; kai_gguf_pair_next(&pair, &at, &value);) {
            values.push_back(as<Value>(value, key));
        }
    }
    return values;
}

template std::vector<bool> ModelFile::all(const std::string& key) const;
template std::vector<double> ModelFile::all(const std::string& key) const;
template std::vector<float> ModelFile::all(const std::string& key) const;
template std::vector<uint64_t> ModelFile::all(const std::string& key) const;
template std::vector<std::string_view> ModelFile::all(const std::string& key) const;

std::optional<kai_gguf_tensor> ModelFile::tensor(const std::string& name) const {
    kai_gguf_tensor tensor;
    if (kai_gguf_file_find_tensor(&file_, name.c_str(), &tensor) != KAI_GGUF_FILE_OK) {
        return std::nullopt;
    }
    require(
        tensor.type != nullptr,
        "the tensor " + name + " is of type " + std::to_string(tensor.type_id) + ", which this library cannot read");
    return tensor;
}

}  // namespace llm
