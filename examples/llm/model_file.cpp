// A GGUF file in memory, by kai/gemm/kai_gguf_file.h.
//
// SPDX-License-Identifier: Apache-2.0
#include "examples/llm/model_file.hpp"

#include <sys/mman.h>
#include <unistd.h>

namespace llm {
namespace {

void check(kai_gguf_file_status status, size_t position) {
    require(
        status == KAI_GGUF_FILE_OK,
        std::string(kai_gguf_file_status_text(status)) + " (at byte " + std::to_string(position) + ")");
}

/// A number of any type; false: it is none.
bool as_number(const kai_gguf_value& value, double& number) {
    switch (value.type) {
        case KAI_GGUF_U8:
        case KAI_GGUF_U16:
        case KAI_GGUF_U32:
        case KAI_GGUF_U64:
        case KAI_GGUF_BOOL:
            number = static_cast<double>(value.u);
            return true;
        case KAI_GGUF_I8:
        case KAI_GGUF_I16:
        case KAI_GGUF_I32:
        case KAI_GGUF_I64:
            number = static_cast<double>(value.i);
            return true;
        case KAI_GGUF_FLOAT32:
        case KAI_GGUF_FLOAT64:
            number = value.f;
            return true;
        default:
            return false;
    }
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
    check(status, position);
    index_.reset(new uint8_t[file_.index_size]);
    status = kai_gguf_file_index(&file_, index_.get(), file_.index_size, &position);
    check(status, position);
}

bool ModelFile::find(const std::string& key, kai_gguf_pair& pair) const {
    return kai_gguf_file_find_pair(&file_, key.c_str(), &pair) == KAI_GGUF_FILE_OK;
}

bool ModelFile::has(const std::string& key) const {
    kai_gguf_pair pair;
    return find(key, pair);
}

kai_gguf_value ModelFile::value(const std::string& key, const kai_gguf_pair& pair) const {
    kai_gguf_value value = {};
    size_t at = 0;
    require(pair.type != KAI_GGUF_ARRAY && kai_gguf_pair_next(&pair, &at, &value), key + " is an array");
    return value;
}

uint64_t ModelFile::integer(const std::string& key) const {
    kai_gguf_pair pair;
    require(find(key, pair), "there is no " + key);
    double number = 0;
    // Every count in a model file is below 2^53; what is not is refused by whoever uses it.
    if (!as_number(value(key, pair), number) || !(number >= 0 && number < 9007199254740992.0)) {
        throw Error(key + " is not a number that is possible there");
    }
    return static_cast<uint64_t>(number);
}

uint64_t ModelFile::integer(const std::string& key, uint64_t otherwise) const {
    return has(key) ? integer(key) : otherwise;
}

float ModelFile::real(const std::string& key, float otherwise) const {
    kai_gguf_pair pair;
    double number = otherwise;
    if (find(key, pair) && (!as_number(value(key, pair), number) || !(number > -1e30 && number < 1e30))) {
        throw Error(key + " is not a number that is possible there");
    }
    return static_cast<float>(number);
}

bool ModelFile::flag(const std::string& key, bool otherwise) const {
    kai_gguf_pair pair;
    if (!find(key, pair)) {
        return otherwise;
    }
    require(pair.type == KAI_GGUF_BOOL, key + " is not true or false");
    return value(key, pair).u != 0;
}

std::string_view ModelFile::text(const std::string& key) const {
    kai_gguf_pair pair;
    require(find(key, pair) && pair.type == KAI_GGUF_STRING, "there is no text " + key);
    const kai_gguf_value text = value(key, pair);
    return {text.text, text.length};
}

std::string_view ModelFile::text(const std::string& key, std::string_view otherwise) const {
    return has(key) ? text(key) : otherwise;
}

std::vector<std::string_view> ModelFile::texts(const std::string& key) const {
    kai_gguf_pair pair;
    std::vector<std::string_view> all;
    if (!find(key, pair)) {
        return all;
    }
    require(pair.type == KAI_GGUF_ARRAY && pair.element_type == KAI_GGUF_STRING, key + " is not an array of texts");
    size_t at = 0;
    for (kai_gguf_value text = {}; kai_gguf_pair_next(&pair, &at, &text);) {
        all.emplace_back(text.text, text.length);
    }
    return all;
}

std::vector<double> ModelFile::numbers(const std::string& key) const {
    kai_gguf_pair pair;
    std::vector<double> all;
    if (!find(key, pair)) {
        return all;
    }
    size_t at = 0;
    for (kai_gguf_value value = {}; kai_gguf_pair_next(&pair, &at, &value);) {
        if (!as_number(value, all.emplace_back())) {
            throw Error(key + " is not an array of numbers");
        }
    }
    return all;
}

bool ModelFile::find(const std::string& name, kai_gguf_tensor& tensor) const {
    if (kai_gguf_file_find_tensor(&file_, name.c_str(), &tensor) != KAI_GGUF_FILE_OK) {
        return false;
    }
    require(
        tensor.type != nullptr,
        "the tensor " + name + " is of type " + std::to_string(tensor.type_id) + ", which this library cannot read");
    return true;
}

}  // namespace llm
