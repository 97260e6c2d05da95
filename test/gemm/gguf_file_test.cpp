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
#include <utility>
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

/// Reads everything that a file contains.
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

/// Builds a file piece by piece.
struct Written {
    Bytes bytes;

    explicit Written(uint64_t tensors, uint64_t pairs) {
        put("GGUF", 4).number<uint32_t>(3).number(tensors).number(pairs);
    }
    Written& put(const void* from, size_t size) {
        const auto* start = static_cast<const uint8_t*>(from);
        bytes.insert(bytes.end(), start, start + size);
        return *this;
    }
    template <typename T>
    Written& number(T value) {
        return put(&value, sizeof(value));
    }
    Written& string(const std::string& text) {
        return number<uint64_t>(text.size()).put(text.data(), text.size());
    }
    Written& pair(const std::string& key, kai_gguf_value_type type) {
        return string(key).number<uint32_t>(type);
    }
    Written& tensor(const std::string& name, const std::vector<uint64_t>& shape, uint32_t type, uint64_t offset) {
        string(name).number(static_cast<uint32_t>(shape.size()));
        for (const uint64_t length : shape) {
            number(length);
        }
        return number(type).number(offset);
    }
    /// Data, from the next multiple of 32 on.
    Written& data(size_t size) {
        bytes.resize((bytes.size() + 31) / 32 * 32 + size, 1);
        return *this;
    }
};

TEST(GgufFile, Names) {
    for (const bool of_pair : {true, false}) {
        const auto opened = [&](const std::string& name) {
            Written w(of_pair ? 0 : 1, of_pair ? 1 : 0);
            if (of_pair) {
                w.pair(name, KAI_GGUF_U8).number<uint8_t>(1);
            } else {
                w.tensor(name, {3}, KAI_GGUF_F32, 0).data(12);
            }
            const Opened f(w.bytes);
            EXPECT_EQ(f.at, f.status == KAI_GGUF_FILE_OK ? SIZE_MAX : 24);
            if (f.status == KAI_GGUF_FILE_OK) {
                walk(f.file);
            }
            return f.status;
        };
        const std::string longest(65535, 'n');
        for (const std::string& name :
             {std::string("n"), std::string(" "), std::string("~"), std::string("\xC3\xBC"), std::string("\x80"),
              std::string("\xFF"), longest}) {
            EXPECT_EQ(opened(name), KAI_GGUF_FILE_OK) << name.size() << " bytes: " << name.substr(0, 9);
        }
        for (const std::string& name :
             {std::string(), longest + "n", std::string("\x7F"), std::string("a\x7F"), std::string("\x1F") + "a",
              std::string("a\n"), std::string("a\0", 2)}) {
            EXPECT_EQ(opened(name), KAI_GGUF_FILE_BAD_NAME) << name.size() << " bytes: " << name.substr(0, 9);
        }
    }
}

// The position says where.
TEST(GgufFile, ValuesOfNoType) {
    const size_t value = 24 + 8 + 1, elements = value + 4 + 4 + 8;
    for (const uint32_t type : {13U, 16U, 128U, UINT32_MAX}) {
        const Opened one(Written(0, 1).string("k").number(type).number<uint64_t>(0).bytes);
        EXPECT_TRUE(one.status == KAI_GGUF_FILE_BAD_VALUE && one.at == value) << one.at;
        const Opened many(
            Written(0, 1).pair("k", KAI_GGUF_ARRAY).number(type).number<uint64_t>(1).number<uint64_t>(0).bytes);
        EXPECT_TRUE(many.status == KAI_GGUF_FILE_BAD_VALUE && many.at == value) << many.at;
    }
    for (size_t wrong = 0; wrong < 3; ++wrong) {
        Written w(0, 1);
        w.pair("k", KAI_GGUF_ARRAY).number<uint32_t>(KAI_GGUF_BOOL).number<uint64_t>(3);
        for (size_t i = 0; i < 3; ++i) {
            w.number<uint8_t>(i == wrong ? 2 : 1);
        }
        const Opened f(w.bytes);
        EXPECT_TRUE(f.status == KAI_GGUF_FILE_BAD_VALUE && f.at == elements + wrong) << f.at;
    }
    const Opened nested(
        Written(0, 1).pair("k", KAI_GGUF_ARRAY).number<uint32_t>(KAI_GGUF_ARRAY).number(uint64_t{0}).bytes);
    EXPECT_TRUE(nested.status == KAI_GGUF_FILE_NESTED_ARRAY && nested.at == value) << nested.at;
    for (const uint32_t alignment : {0U, 3U, 96U, 0x80000001U}) {
        const Opened f(Written(0, 2)
                           .pair("k", KAI_GGUF_U8)
                           .number<uint8_t>(1)
                           .pair("general.alignment", KAI_GGUF_U32)
                           .number(alignment)
                           .bytes);
        EXPECT_TRUE(f.status == KAI_GGUF_FILE_BAD_ALIGNMENT && f.at == value + 5) << f.at;
    }
}

TEST(GgufFile, TensorsOfEveryShape) {
    const auto status_of = [](const std::vector<uint64_t>& shape, uint32_t type, size_t size) {
        const Opened f(Written(1, 0).tensor("t", shape, type, 0).data(size).bytes);
        EXPECT_EQ(f.at, f.status == KAI_GGUF_FILE_OK ? SIZE_MAX : 24 + 8 + 1);
        if (f.status != KAI_GGUF_FILE_OK) {
            return f.status;
        }
        kai_gguf_tensor t;
        EXPECT_EQ(kai_gguf_file_find_tensor(&f.file, "t", &t), KAI_GGUF_FILE_OK);
        EXPECT_EQ(t.dimensions, shape.size());
        uint64_t rows = 1;
        for (size_t i = 0; i < 4; ++i) {
            EXPECT_EQ(t.shape[i], i < shape.size() ? shape[i] : 1);
            rows *= i > 0 ? t.shape[i] : 1;
        }
        EXPECT_EQ(t.rows, t.type != nullptr ? rows : 0);
        EXPECT_EQ(t.size, t.type != nullptr ? size : 0);
        walk(f.file);
        return f.status;
    };
    EXPECT_EQ(status_of({}, KAI_GGUF_F32, 4), KAI_GGUF_FILE_OK);
    EXPECT_EQ(status_of({3, 1, 2, 5}, KAI_GGUF_F16, 60), KAI_GGUF_FILE_OK);
    EXPECT_EQ(status_of({32, 2, 3, 2}, KAI_GGUF_Q8_0, 12 * 34), KAI_GGUF_FILE_OK);
    EXPECT_EQ(status_of({32, 2, 3, 2}, KAI_GGUF_Q8_0, 12 * 34 - 1), KAI_GGUF_FILE_TRUNCATED);
    EXPECT_EQ(status_of({32, 2, 3, 2}, 43, 0), KAI_GGUF_FILE_OK);
    EXPECT_EQ(status_of({33}, KAI_GGUF_Q8_0, 68), KAI_GGUF_FILE_BAD_SHAPE);
    EXPECT_EQ(status_of({32, 1, 1, 1, 1}, KAI_GGUF_Q8_0, 34), KAI_GGUF_FILE_BAD_SHAPE);
    for (size_t i = 0; i < 4; ++i) {
        std::vector<uint64_t> shape(4, 32);
        shape[i] = 0;
        EXPECT_EQ(status_of(shape, KAI_GGUF_F32, 0), KAI_GGUF_FILE_BAD_SHAPE) << i;
    }
    EXPECT_EQ(status_of({32, 1U << 31, 1U << 31, 4}, KAI_GGUF_Q8_0, 0), KAI_GGUF_FILE_OVERFLOW);
    EXPECT_EQ(status_of({32, 1U << 31, 1U << 31, 2}, KAI_GGUF_Q8_0, 0), KAI_GGUF_FILE_OVERFLOW);
    EXPECT_EQ(status_of({uint64_t{1} << 63}, KAI_GGUF_F32, 0), KAI_GGUF_FILE_OVERFLOW);
}

TEST(GgufFile, TensorsOfOnePlace) {
    const auto status_of = [](uint64_t first, uint64_t second, uint32_t type) {
        const Opened f(
            Written(2, 0).tensor("a", {8}, KAI_GGUF_F32, first).tensor("b", {8}, type, second).data(96).bytes);
        EXPECT_EQ(f.file.index == nullptr, f.status != KAI_GGUF_FILE_OK);
        return f.status;
    };
    EXPECT_EQ(status_of(0, 32, KAI_GGUF_F32), KAI_GGUF_FILE_OK);
    EXPECT_EQ(status_of(32, 0, KAI_GGUF_F32), KAI_GGUF_FILE_OK);
    EXPECT_EQ(status_of(32, 32, KAI_GGUF_F32), KAI_GGUF_FILE_OVERLAP);
    EXPECT_EQ(status_of(32, 32, KAI_GGUF_F16), KAI_GGUF_FILE_OVERLAP);
    // Tensors of unknown size may share an offset with one of known size, in any order.
    for (const std::vector<uint32_t>& types : std::vector<std::vector<uint32_t>>{
             {KAI_GGUF_F32, 1000},
             {1000, KAI_GGUF_F32},
             {1000, 1000, KAI_GGUF_F32},
             {1000, KAI_GGUF_F32, 1000},
             {KAI_GGUF_F32, 1000, 1000},
             {1000, 1000, 1000}}) {
        Written w(types.size(), 0);
        for (size_t i = 0; i < types.size(); ++i) {
            w.tensor(std::string(1, static_cast<char>('a' + i)), {8}, types[i], 32);
        }
        EXPECT_EQ(Opened(w.data(96).bytes).status, KAI_GGUF_FILE_OK) << testing::PrintToString(types);
    }
}

// Without a tensor the data may be missing, padding included: they start in the file, or at its end.
TEST(GgufFile, WithoutTensorsTheDataStartInTheFile) {
    const std::vector<uint8_t> header = Written(0, 1).pair("key", KAI_GGUF_U8).number<uint8_t>(1).bytes;
    ASSERT_NE(header.size() % 32, 0U);
    for (size_t padding = 0; padding <= 40; ++padding) {
        std::vector<uint8_t> bytes = header;
        bytes.resize(header.size() + padding);
        const GuardedBuffer memory(bytes);
        kai_gguf_file file;
        ASSERT_EQ(kai_gguf_file_open(memory.data(), memory.size(), &file, nullptr), KAI_GGUF_FILE_OK);
        EXPECT_EQ(file.data_start, std::min((header.size() + 31) / 32 * 32, bytes.size())) << padding;
    }
}

// Names that begin with others, in memory and with an index of exactly their size. The smallest pairs and tensors fit.
TEST(GgufFile, FindsWholeNamesOnly) {
    const std::pair<size_t, size_t> counts[] = {{0, 0}, {1, 1}, {2, 2}, {3, 3}, {90, 0}, {0, 90}, {90, 90}};
    for (const auto& [pair_count, tensor_count] : counts) {
        Written w(tensor_count, pair_count);
        for (size_t i = 0; i < pair_count; ++i) {
            w.pair(std::string(1, static_cast<char>('!' + (i * 37 + 5) % 90)), KAI_GGUF_U8).number<uint8_t>(1);
        }
        for (size_t i = 0; i < tensor_count; ++i) {
            w.tensor(std::string(1, static_cast<char>('!' + (i * 41 + 7) % 90)), {}, 1000, 0);
        }
        if (tensor_count != 0) {
            w.data(0);
        }
        const GuardedBuffer memory(w.bytes);
        kai_gguf_file file;
        ASSERT_EQ(kai_gguf_file_open(memory.data(), memory.size(), &file, nullptr), KAI_GGUF_FILE_OK);
        GuardedBuffer index(file.index_size);
        for (const bool sorted : {false, true}) {
            if (sorted) {
                ASSERT_EQ(kai_gguf_file_index(&file, index.data(), index.size(), nullptr), KAI_GGUF_FILE_OK);
            }
            size_t pairs = 0, tensors = 0;
            for (char c = ' '; c < 127; ++c) {
                for (const char* more : {"", "x"}) {
                    const std::string name = c + std::string(more);
                    kai_gguf_pair pair;
                    kai_gguf_tensor tensor;
                    pairs += kai_gguf_file_find_pair(&file, name.c_str(), &pair) == KAI_GGUF_FILE_OK;
                    tensors += kai_gguf_file_find_tensor(&file, name.c_str(), &tensor) == KAI_GGUF_FILE_OK;
                }
            }
            EXPECT_EQ(pairs, pair_count);
            EXPECT_EQ(tensors, tensor_count);
            kai_gguf_pair pair;
            EXPECT_EQ(kai_gguf_file_find_pair(&file, "", &pair), KAI_GGUF_FILE_NOT_THERE);
        }
    }
    Written two(0, 2);
    two.pair("ab", KAI_GGUF_U8).number<uint8_t>(1).pair("a", KAI_GGUF_U8).number<uint8_t>(2);
    Opened f(two.bytes);
    for (const void* index : {f.file.index, static_cast<const void*>(nullptr)}) {
        f.file.index = index;
        kai_gguf_pair pair;
        ASSERT_EQ(kai_gguf_file_find_pair(&f.file, "a", &pair), KAI_GGUF_FILE_OK);
        EXPECT_EQ(*static_cast<const uint8_t*>(pair.elements), 2);
        EXPECT_EQ(kai_gguf_file_find_pair(&f.file, "abc", &pair), KAI_GGUF_FILE_NOT_THERE);
    }
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
        // The padding after the last tensor may be missing.
        EXPECT_EQ(f.status, size < last.offset + last.size ? KAI_GGUF_FILE_TRUNCATED : KAI_GGUF_FILE_OK) << size;
    }
}

// Any byte of the header takes any value: the file is refused, or everything it reports is consistent.
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
