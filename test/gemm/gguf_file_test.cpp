// kai_gguf_file.h: what a file says comes out, and files that are truncated, damaged or made to deceive are refused.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "kai/gemm/kai_gguf_file.h"
#include "test/support/guarded_buffer.hpp"
#include "test/support/random.hpp"

namespace {

using Bytes = std::vector<uint8_t>;
using Status = kai_gguf_file_status;
using test::GuardedBuffer;

Bytes read(const std::string& name) {
    std::ifstream file(KAI_TEST_DATA "/gguf/files/" + name, std::ios::binary);
    EXPECT_TRUE(file.good()) << name;
    return Bytes(std::istreambuf_iterator<char>(file), {});
}

std::string text(const char* start, size_t length) {
    return std::string(start, length);
}

/// A file in memory of exactly its size, opened and indexed.
struct Opened {
    GuardedBuffer memory;
    kai_gguf_file file;
    Bytes index;
    Status status;
    size_t at = SIZE_MAX;

    explicit Opened(const Bytes& bytes) : memory(bytes) {
        kai_gguf_file untouched;
        std::memset(&file, 0xA5, sizeof(file));
        std::memcpy(&untouched, &file, sizeof(file));
        status = kai_gguf_file_open(memory.data(), memory.size(), &file, &at);
        if (status != KAI_GGUF_FILE_OK) {
            EXPECT_EQ(std::memcmp(&file, &untouched, sizeof(file)), 0);
            EXPECT_LE(at, bytes.size());
            return;
        }
        EXPECT_LE(file.index_size, bytes.size());
        index.resize(file.index_size + 1);  // not aligned
        status = kai_gguf_file_index(&file, index.data() + 1, file.index_size, &at);
    }
};

/// Everything that a file contains is looked at.
void walk(const kai_gguf_file& file) {
    const auto* start = static_cast<const uint8_t*>(file.data);
    size_t pairs = 0, tensors = 0;
    kai_gguf_pair pair = {};
    for (; kai_gguf_file_next_pair(&file, &pair); ++pairs) {
        kai_gguf_pair found;
        ASSERT_EQ(kai_gguf_file_find_pair(&file, text(pair.key, pair.key_length).c_str(), &found), KAI_GGUF_FILE_OK);
        ASSERT_TRUE(file.index == nullptr || found.key == pair.key);
        size_t at = 0, elements = 0;
        kai_gguf_value value;
        while (kai_gguf_pair_next(&pair, &at, &value)) {
            ASSERT_EQ(value.type, pair.element_type);
            elements += 1 + (value.length != 0 ? 0 * static_cast<size_t>(value.text[value.length - 1]) : 0);
        }
        ASSERT_EQ(elements, pair.count);
    }
    kai_gguf_tensor tensor = {};
    for (; kai_gguf_file_next_tensor(&file, &tensor); ++tensors) {
        kai_gguf_tensor found;
        ASSERT_EQ(
            kai_gguf_file_find_tensor(&file, text(tensor.name, tensor.name_length).c_str(), &found), KAI_GGUF_FILE_OK);
        if (tensor.type == nullptr) {
            ASSERT_EQ(tensor.data, nullptr);
            ASSERT_EQ(tensor.size + tensor.rows + tensor.row_size, 0u);
            ASSERT_EQ(kai_gguf_tensor_rows(&tensor, nullptr, 0, kai_dt_f32, nullptr, 0), KAI_GGUF_FILE_UNKNOWN_TYPE);
            continue;
        }
        ASSERT_EQ(tensor.data, start + tensor.offset);
        ASSERT_EQ((tensor.offset - file.data_start) % file.alignment, 0u);
        ASSERT_TRUE(tensor.offset <= file.size && tensor.size <= file.size - tensor.offset);
        ASSERT_EQ(tensor.rows * tensor.row_size, tensor.size);
        std::vector<float> row(tensor.k);
        const auto last = static_cast<uint32_t>(tensor.rows - 1);
        ASSERT_EQ(kai_gguf_tensor_rows(&tensor, &last, 1, kai_dt_f32, row.data(), 0), KAI_GGUF_FILE_OK);
    }
    ASSERT_EQ(pairs, file.pair_count);
    ASSERT_EQ(tensors, file.tensor_count);
}

TEST(GgufFile, StatusesHaveSentences) {
    std::set<std::string> texts;
    for (int i = 0; i <= KAI_GGUF_FILE_STATUS_COUNT; ++i) {
        const char* sentence = kai_gguf_file_status_text(static_cast<Status>(i));
        ASSERT_NE(sentence, nullptr);
        EXPECT_TRUE(texts.insert(sentence).second) << sentence;
    }
}

TEST(GgufFile, PairsOfEveryType) {
    const Opened f(read("tiny.gguf"));
    ASSERT_EQ(f.status, KAI_GGUF_FILE_OK);
    EXPECT_EQ(f.file.version, 3u);
    EXPECT_EQ(f.file.alignment, 32u);
    ASSERT_EQ(f.file.pair_count, 17u);
    const auto values = [&](const char* key, kai_gguf_value_type type) {
        kai_gguf_pair pair;
        EXPECT_EQ(kai_gguf_file_find_pair(&f.file, key, &pair), KAI_GGUF_FILE_OK) << key;
        EXPECT_EQ(pair.element_type, type) << key;
        std::vector<kai_gguf_value> all;
        size_t at = 0;
        for (kai_gguf_value value; kai_gguf_pair_next(&pair, &at, &value);) {
            all.push_back(value);
        }
        EXPECT_EQ(all.size(), pair.count) << key;
        all.resize(std::max<size_t>(all.size(), 3));
        return all;
    };
    const auto string = [](const kai_gguf_value& v) { return text(v.text, v.length); };
    EXPECT_EQ(string(values("general.architecture", KAI_GGUF_STRING)[0]), "golden");
    EXPECT_EQ(values("general.quantization_version", KAI_GGUF_U32)[0].u, 2u);
    EXPECT_EQ(values("t.u8", KAI_GGUF_U8)[0].u, 200u);
    EXPECT_EQ(values("t.i8", KAI_GGUF_I8)[0].i, -100);
    EXPECT_EQ(values("t.u16", KAI_GGUF_U16)[0].u, 60000u);
    EXPECT_EQ(values("t.i16", KAI_GGUF_I16)[0].i, -30000);
    EXPECT_EQ(values("t.u32", KAI_GGUF_U32)[0].u, 4000000000u);
    EXPECT_EQ(values("t.i32", KAI_GGUF_I32)[0].i, -2000000000);
    EXPECT_EQ(values("t.f32", KAI_GGUF_FLOAT32)[0].f, 1.5);
    EXPECT_EQ(values("t.bool", KAI_GGUF_BOOL)[0].u, 1u);
    EXPECT_EQ(
        string(values("t.str", KAI_GGUF_STRING)[0]),
        "gr\xC3\xBC\xC3\x9F"
        "e");
    EXPECT_EQ(values("t.u64", KAI_GGUF_U64)[0].u, 9223372036854775808u);
    EXPECT_EQ(values("t.i64", KAI_GGUF_I64)[0].i, -4611686018427387904);
    EXPECT_EQ(values("t.f64", KAI_GGUF_FLOAT64)[0].f, 0.1);
    const auto integers = values("t.arr_i32", KAI_GGUF_I32);
    EXPECT_TRUE(integers[0].i == -1 && integers[1].i == 0 && integers[2].i == 7);
    const auto strings = values("t.arr_str", KAI_GGUF_STRING);
    EXPECT_TRUE(string(strings[0]) == "a" && strings[1].length == 0 && string(strings[2]) == "ccc");
    kai_gguf_pair pair;
    ASSERT_EQ(kai_gguf_file_find_pair(&f.file, "t.arr_empty", &pair), KAI_GGUF_FILE_OK);
    EXPECT_TRUE(pair.type == KAI_GGUF_ARRAY && pair.element_type == KAI_GGUF_FLOAT32 && pair.count == 0);
    for (const char* key : {"", "t", "t.u", "t.u88", "zzz", "general.alignment"}) {
        EXPECT_EQ(kai_gguf_file_find_pair(&f.file, key, &pair), KAI_GGUF_FILE_NOT_THERE) << key;
    }
}

// As recorded: tiny.csv and tiny_align64.csv.
TEST(GgufFile, Tensors) {
    struct Line {
        const char* name;
        uint32_t type;
        uint64_t shape[3];
        size_t offset, offset64, bytes;
    };
    const Line lines[] = {
        {"a_norm.weight", 0, {5, 1, 1}, 896, 960, 20},       {"b.q4_0.weight", 2, {64, 3, 1}, 928, 1024, 108},
        {"c.q8_0.weight", 8, {32, 1, 1}, 1056, 1152, 34},    {"d.q4_K.weight", 12, {256, 2, 1}, 1120, 1216, 288},
        {"e.q6_K.weight", 14, {512, 2, 1}, 1408, 1536, 840}, {"f_exps.mxfp4.weight", 39, {64, 3, 2}, 2272, 2432, 204},
        {"g.f16.weight", 1, {7, 3, 1}, 2496, 2688, 42},
    };
    for (const bool align64 : {false, true}) {
        const Opened f(read(align64 ? "tiny_align64.gguf" : "tiny.gguf"));
        ASSERT_EQ(f.status, KAI_GGUF_FILE_OK);
        EXPECT_EQ(f.file.alignment, align64 ? 64u : 32u);
        ASSERT_EQ(f.file.tensor_count, 7u);
        kai_gguf_tensor t = {};
        for (const Line& line : lines) {
            ASSERT_TRUE(kai_gguf_file_next_tensor(&f.file, &t));
            EXPECT_EQ(text(t.name, t.name_length), line.name);
            EXPECT_EQ(t.type_id, line.type);
            EXPECT_EQ(t.type, kai_gguf_find_type(line.type));
            for (size_t i = 0; i < 3; ++i) {
                EXPECT_EQ(t.shape[i], line.shape[i]);
            }
            EXPECT_EQ(t.shape[3], 1u);
            EXPECT_EQ(t.k, line.shape[0]);
            EXPECT_EQ(t.rows, line.shape[1] * line.shape[2]);
            EXPECT_EQ(t.offset, align64 ? line.offset64 : line.offset);
            EXPECT_EQ(t.size, line.bytes);
        }
        EXPECT_FALSE(kai_gguf_file_next_tensor(&f.file, &t));
        EXPECT_EQ(t.name, nullptr);
        walk(f.file);
        kai_gguf_file without_index = f.file;
        without_index.index = nullptr;
        walk(without_index);
        for (const char* name : {"", "a", "a_norm.weigh", "a_norm.weights", "z"}) {
            EXPECT_EQ(kai_gguf_file_find_tensor(&f.file, name, &t), KAI_GGUF_FILE_NOT_THERE) << name;
        }
    }
}

TEST(GgufFile, RowsByNumber) {
    const Opened f(read("tiny.gguf"));
    kai_gguf_tensor t;
    ASSERT_EQ(kai_gguf_file_find_tensor(&f.file, "f_exps.mxfp4.weight", &t), KAI_GGUF_FILE_OK);
    std::vector<float> all(t.rows * t.k);
    kai_gguf_dequantise(t.type, all.size(), t.data, kai_dt_f32, all.data());
    const uint32_t rows[] = {5, 0, 3, 5};
    const size_t stride = (t.k + 3) * sizeof(float);
    GuardedBuffer dst(3 * stride + t.k * sizeof(float));
    ASSERT_EQ(kai_gguf_tensor_rows(&t, rows, 4, kai_dt_f32, dst.data(), stride), KAI_GGUF_FILE_OK);
    for (size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(std::memcmp(dst.data() + i * stride, &all[rows[i] * t.k], t.k * sizeof(float)), 0) << i;
    }
    GuardedBuffer whole(all.size() * sizeof(float));
    ASSERT_EQ(
        kai_gguf_tensor_rows(&t, nullptr, t.rows, kai_dt_f32, whole.data(), t.k * sizeof(float)), KAI_GGUF_FILE_OK);
    EXPECT_EQ(std::memcmp(whole.data(), all.data(), whole.size()), 0);
    const uint32_t past[] = {0, 6};
    const Bytes before = dst.bytes();
    EXPECT_EQ(kai_gguf_tensor_rows(&t, past, 2, kai_dt_f32, dst.data(), stride), KAI_GGUF_FILE_NOT_THERE);
    EXPECT_EQ(kai_gguf_tensor_rows(&t, nullptr, 7, kai_dt_f32, dst.data(), stride), KAI_GGUF_FILE_NOT_THERE);
    EXPECT_EQ(kai_gguf_tensor_rows(&t, rows, 1, kai_dt_int8, dst.data(), stride), KAI_GGUF_FILE_BAD_VALUE);
    EXPECT_EQ(kai_gguf_tensor_rows(&t, rows, 1, kai_dt_f32, nullptr, stride), KAI_GGUF_FILE_NULL_POINTER);
    EXPECT_TRUE(dst.bytes() == before);
}

TEST(GgufFile, DamagedFiles) {
    const std::map<std::string, Status> files = {
        {"version_2", KAI_GGUF_FILE_OK},
        {"unknown_type", KAI_GGUF_FILE_OK},
        {"empty", KAI_GGUF_FILE_OK},
        {"nested_array", KAI_GGUF_FILE_NESTED_ARRAY},
        {"huge_array", KAI_GGUF_FILE_TRUNCATED},
        {"huge_string", KAI_GGUF_FILE_TRUNCATED},
        {"huge_strings", KAI_GGUF_FILE_TRUNCATED},
        {"huge_counts", KAI_GGUF_FILE_TRUNCATED},
        {"two_keys", KAI_GGUF_FILE_DUPLICATE_KEY},
        {"two_names", KAI_GGUF_FILE_DUPLICATE_TENSOR},
        {"overlap", KAI_GGUF_FILE_OVERLAP},
        {"unaligned", KAI_GGUF_FILE_BAD_OFFSET},
        {"past_the_end", KAI_GGUF_FILE_TRUNCATED},
        {"product_overflows", KAI_GGUF_FILE_OVERFLOW},
        {"size_overflows", KAI_GGUF_FILE_OVERFLOW},
        {"partial_block", KAI_GGUF_FILE_BAD_SHAPE},
        {"dimension_of_0", KAI_GGUF_FILE_BAD_SHAPE},
        {"dimensions_5", KAI_GGUF_FILE_BAD_SHAPE},
        {"alignment_of_3", KAI_GGUF_FILE_BAD_ALIGNMENT},
        {"alignment_u64", KAI_GGUF_FILE_BAD_ALIGNMENT},
        {"alignment_of_2g", KAI_GGUF_FILE_TRUNCATED},
        {"bool_of_2", KAI_GGUF_FILE_BAD_VALUE},
        {"value_type_13", KAI_GGUF_FILE_BAD_VALUE},
        {"empty_name", KAI_GGUF_FILE_BAD_NAME},
        {"control_character", KAI_GGUF_FILE_BAD_NAME},
        {"big_endian", KAI_GGUF_FILE_BIG_ENDIAN},
        {"version_1", KAI_GGUF_FILE_WRONG_VERSION},
    };
    for (const auto& [name, status] : files) {
        SCOPED_TRACE(name);
        const Opened f(read(name + ".gguf"));
        EXPECT_EQ(f.status, status) << kai_gguf_file_status_text(f.status) << " at " << f.at;
        if (f.status == KAI_GGUF_FILE_OK) {
            walk(f.file);
        }
    }
    const Opened unknown(read("unknown_type.gguf"));
    kai_gguf_tensor t;
    ASSERT_EQ(kai_gguf_file_find_tensor(&unknown.file, "u", &t), KAI_GGUF_FILE_OK);
    EXPECT_TRUE(t.type == nullptr && t.type_id == 1000 && t.shape[0] == 33 && t.shape[3] == 9 && t.dimensions == 4);
}

TEST(GgufFile, TruncatedAnywhere) {
    const Bytes whole = read("tiny.gguf");
    kai_gguf_file file;
    ASSERT_EQ(kai_gguf_file_open(whole.data(), whole.size(), &file, nullptr), KAI_GGUF_FILE_OK);
    kai_gguf_tensor t = {}, last = {};
    while (kai_gguf_file_next_tensor(&file, &t)) {
        last = t;
    }
    for (size_t size = 0; size < whole.size(); ++size) {
        const Opened f(Bytes(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(size)));
        // The padding behind the last tensor need not be there.
        EXPECT_EQ(f.status, size < last.offset + last.size ? KAI_GGUF_FILE_TRUNCATED : KAI_GGUF_FILE_OK) << size;
    }
}

// Any byte of the header becomes anything: refused, or all that is told holds.
TEST(GgufFile, DamagedAnywhere) {
    test::Random random(1);
    size_t opened = 0, refused = 0;
    for (const char* name : {"tiny.gguf", "tiny_align64.gguf", "unknown_type.gguf"}) {
        const Bytes whole = read(name);
        const size_t header = std::min<size_t>(whole.size(), 1000);
        for (size_t i = 0; i < header; ++i) {
            for (const int value : {0, 1, 9, 127, 128, 255, random.integer(0, 255)}) {
                Bytes bytes = whole;
                bytes[i] = static_cast<uint8_t>(value);
                const Opened f(bytes);
                (f.status == KAI_GGUF_FILE_OK ? opened : refused) += 1;
                if (f.status == KAI_GGUF_FILE_OK) {
                    ASSERT_NO_FATAL_FAILURE(walk(f.file)) << name << ", byte " << i << " is " << value;
                }
            }
        }
    }
    EXPECT_GT(opened, 100u);
    EXPECT_GT(refused, 1000u);
}

TEST(GgufFile, WrongArguments) {
    const Bytes bytes = read("tiny.gguf");
    kai_gguf_file file;
    kai_gguf_tensor t;
    kai_gguf_pair pair;
    EXPECT_EQ(kai_gguf_file_open(nullptr, 5, &file, nullptr), KAI_GGUF_FILE_NULL_POINTER);
    EXPECT_EQ(kai_gguf_file_open(bytes.data(), 5, nullptr, nullptr), KAI_GGUF_FILE_NULL_POINTER);
    EXPECT_EQ(kai_gguf_file_open("GGUX", 4, &file, nullptr), KAI_GGUF_FILE_WRONG_MAGIC);
    ASSERT_EQ(kai_gguf_file_open(bytes.data(), bytes.size(), &file, nullptr), KAI_GGUF_FILE_OK);
    Bytes index(file.index_size);
    EXPECT_EQ(kai_gguf_file_index(nullptr, index.data(), index.size(), nullptr), KAI_GGUF_FILE_NULL_POINTER);
    EXPECT_EQ(kai_gguf_file_index(&file, nullptr, index.size(), nullptr), KAI_GGUF_FILE_NULL_POINTER);
    EXPECT_EQ(kai_gguf_file_index(&file, index.data(), index.size() - 1, nullptr), KAI_GGUF_FILE_TOO_SMALL);
    EXPECT_EQ(file.index, nullptr);
    EXPECT_EQ(kai_gguf_file_find_tensor(&file, nullptr, &t), KAI_GGUF_FILE_NULL_POINTER);
    EXPECT_EQ(kai_gguf_file_find_pair(&file, "t.u8", nullptr), KAI_GGUF_FILE_NULL_POINTER);
    EXPECT_EQ(kai_gguf_file_find_pair(&file, "t.u8", &pair), KAI_GGUF_FILE_OK);
}

}  // namespace
