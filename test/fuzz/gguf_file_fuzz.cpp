// libFuzzer: whatever bytes a GGUF file has, it is refused, or all that is told about it holds. The corpus is
// test/data/gguf/files.
//
// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "kai/gemm/kai_gguf_file.h"
#include "test/fuzz/check.hpp"

namespace {

void look_at_pairs(const kai_gguf_file& file) {
    size_t count = 0;
    for (kai_gguf_pair pair = {}; kai_gguf_file_next_pair(&file, &pair); ++count) {
        kai_gguf_pair found;
        const std::string key(pair.key, pair.key_length);
        CHECK(kai_gguf_file_find_pair(&file, key.c_str(), &found) == KAI_GGUF_FILE_OK);
        CHECK(file.index == nullptr || found.elements == pair.elements);
        size_t at = 0, elements = 0;
        for (kai_gguf_value value; kai_gguf_pair_next(&pair, &at, &value); ++elements) {
            CHECK(value.type == pair.element_type);
            const std::string text(value.text != nullptr ? value.text : "", value.length);
        }
        CHECK(elements == pair.count && at == pair.size);
    }
    CHECK(count == file.pair_count);
}

void look_at_tensors(const kai_gguf_file& file) {
    const auto* start = static_cast<const uint8_t*>(file.data);
    size_t count = 0;
    for (kai_gguf_tensor t = {}; kai_gguf_file_next_tensor(&file, &t); ++count) {
        kai_gguf_tensor found;
        const std::string name(t.name, t.name_length);
        CHECK(kai_gguf_file_find_tensor(&file, name.c_str(), &found) == KAI_GGUF_FILE_OK);
        CHECK(file.index == nullptr || found.offset == t.offset);
        CHECK(t.offset >= file.data_start && t.offset <= file.size && t.size <= file.size - t.offset);
        if (t.type == nullptr) {
            CHECK(t.data == nullptr && t.size == 0 && t.rows == 0);
            continue;
        }
        CHECK(t.data == start + t.offset && t.rows > 0 && t.size == t.rows * t.row_size);
        CHECK(t.k % t.type->block_weights == 0);
        const uint32_t rows[] = {0, static_cast<uint32_t>(t.rows - 1)};
        std::vector<float> floats(2 * t.k);  // at most 32 weights a byte
        CHECK(kai_gguf_tensor_rows(&t, rows, 2, kai_dt_f32, floats.data(), t.k * sizeof(float)) == KAI_GGUF_FILE_OK);
    }
    CHECK(count == file.tensor_count);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    // A copy, so that reading past the end is found.
    const std::unique_ptr<uint8_t[]> copy(new uint8_t[size]);
    if (size != 0) {
        std::memcpy(copy.get(), data, size);
    }
    kai_gguf_file file;
    size_t at = 0;
    const kai_gguf_file_status status = kai_gguf_file_open(copy.get(), size, &file, &at);
    CHECK(status >= KAI_GGUF_FILE_OK && status < KAI_GGUF_FILE_STATUS_COUNT && at <= size);
    if (status != KAI_GGUF_FILE_OK) {
        return 0;
    }
    CHECK(file.size == size && file.index_size <= size && file.data_start <= size);
    look_at_pairs(file);
    look_at_tensors(file);
    const std::unique_ptr<uint8_t[]> index(new uint8_t[file.index_size]);
    if (kai_gguf_file_index(&file, index.get(), file.index_size, &at) == KAI_GGUF_FILE_OK) {
        look_at_pairs(file);
        look_at_tensors(file);
    }
    CHECK(at <= size);
    return 0;
}
