// Weights of GGUF files: types, rows back to floats.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>

#include "kai/kai_gguf.h"
#include "test/reference/float16.hpp"
#include "test/reference/gguf.hpp"
#include "test/support/checked_call.hpp"
#include "test/support/guarded_buffer.hpp"
#include "test/support/random.hpp"

using reference::GgufType;
using test::Flush;
using test::GuardedBuffer;

namespace {

constexpr kai_datatype kFloats[] = {kai_dt_f32, kai_dt_f16, kai_dt_bf16};

/// The element of a row as a float.
float element(kai_datatype type, const uint8_t* row, size_t i) {
    const size_t size = kai_get_datatype_size_in_bytes(type);
    uint32_t bits = 0;
    std::memcpy(&bits, row + i * size, size);
    const auto half = static_cast<uint16_t>(bits);
    return type == kai_dt_f32   ? reference::float_of(bits)
           : type == kai_dt_f16 ? reference::f32_from_f16(half)
                                : reference::f32_from_bf16(half);
}

/// x as an element of this type.
float converted(kai_datatype type, float x) {
    return type == kai_dt_f32   ? x
           : type == kai_dt_f16 ? reference::f32_from_f16(reference::f16_from_f32(x))
                                : reference::f32_from_bf16(reference::bf16_from_f32(x));
}

/// Bit for bit, but any NaN for any.
bool same(float a, float b) {
    return std::isnan(a) ? std::isnan(b) : reference::bits_of(a) == reference::bits_of(b);
}

/// `count` weights by the library, from blocks and to a row that touch inaccessible pages at one end.
std::vector<float> dequantised(
    const kai_gguf_type& type, const std::vector<uint8_t>& blocks, size_t count, kai_datatype dst_type,
    Flush flush = Flush::end, size_t offset = 0) {
    const size_t size = count * kai_get_datatype_size_in_bytes(dst_type);
    const GuardedBuffer src(blocks, flush), dst(size + offset, flush);
    uint8_t* row = flush == Flush::start ? dst.data() : dst.data() + offset;
    test::checked_call(
        kai_gguf_dequantise, &type, count, static_cast<const void*>(src.data()), dst_type, static_cast<void*>(row));
    std::vector<float> floats;
    for (size_t i = 0; i < count; ++i) {
        floats.push_back(element(dst_type, row, i));
    }
    return floats;
}

std::vector<uint8_t> random_blocks(const GgufType& type, size_t count, test::Random& random) {
    std::vector<uint8_t> blocks(count / type.weights * type.bytes);
    for (uint8_t& byte : blocks) {
        byte = static_cast<uint8_t>(random.next());
    }
    return blocks;
}

void expect_row(const std::vector<float>& got, const std::vector<float>& want) {
    ASSERT_EQ(got.size(), want.size());
    for (size_t i = 0; i < got.size(); ++i) {
        ASSERT_TRUE(same(got[i], want[i])) << "weight " << i << " is " << got[i] << ", not " << want[i];
    }
}

TEST(GgufTypes, SizesByNumber) {
    for (const GgufType& want : reference::gguf_types()) {
        const kai_gguf_type* type = kai_gguf_find_type(want.id);
        ASSERT_NE(type, nullptr) << want.name;
        EXPECT_STREQ(type->name, want.name);
        EXPECT_EQ(type->id, static_cast<kai_gguf_type_id>(want.id));
        EXPECT_EQ(type->block_weights, want.weights);
        EXPECT_EQ(type->block_bytes, want.bytes);
    }
    EXPECT_EQ(kai_gguf_find_type(KAI_GGUF_F32)->block_bytes, 4u);
    EXPECT_EQ(kai_gguf_find_type(KAI_GGUF_F16)->block_bytes, 2u);
    EXPECT_EQ(kai_gguf_find_type(KAI_GGUF_BF16)->block_bytes, 2u);
    for (const uint32_t id : {4, 5, 9, 15, 16, 24, 31, 36, 43, 1000}) {
        EXPECT_EQ(kai_gguf_find_type(id), nullptr) << id;
    }
    EXPECT_EQ(kai_gguf_find_type(UINT32_MAX), nullptr);
    EXPECT_EQ(kai_gguf_type_count(), reference::gguf_types().size() + 3);
    for (size_t i = 0; i < kai_gguf_type_count(); ++i) {
        const kai_gguf_type* type = kai_gguf_type_at(i);
        EXPECT_EQ(kai_gguf_find_type(type->id), type);
        EXPECT_TRUE(i == 0 || kai_gguf_type_at(i - 1)->id < type->id);
    }
    EXPECT_EQ(kai_gguf_type_at(kai_gguf_type_count()), nullptr);
}

TEST(GgufTypes, RowSizes) {
    for (size_t i = 0; i < kai_gguf_type_count(); ++i) {
        const kai_gguf_type& type = *kai_gguf_type_at(i);
        const uint64_t most = SIZE_MAX / type.block_bytes;  // blocks
        size_t size = 1;
        EXPECT_TRUE(kai_gguf_row_size(&type, 0, &size));
        EXPECT_EQ(size, 0u);
        EXPECT_TRUE(kai_gguf_row_size(&type, 7 * type.block_weights, &size));
        EXPECT_EQ(size, 7 * type.block_bytes);
        EXPECT_FALSE(type.block_weights > 1 && kai_gguf_row_size(&type, type.block_weights + 1, &size));
        EXPECT_FALSE(kai_gguf_row_size(&type, UINT64_MAX / 512 * 512, &size) && type.block_bytes > type.block_weights);
        if (most <= UINT64_MAX / type.block_weights) {
            EXPECT_TRUE(kai_gguf_row_size(&type, most * type.block_weights, &size));
            EXPECT_EQ(size, most * type.block_bytes);
        }
        if (most < UINT64_MAX / type.block_weights) {
            EXPECT_FALSE(kai_gguf_row_size(&type, (most + 1) * type.block_weights, &size));
        }
    }
}

class Gguf : public testing::TestWithParam<const GgufType*> {
protected:
    const GgufType& t = *GetParam();
    const kai_gguf_type& type = *kai_gguf_find_type(t.id);

    std::vector<float> expected(const std::vector<uint8_t>& blocks, kai_datatype dst_type) const {
        std::vector<float> row;
        for (const reference::GgufWeight& w :
             reference::gguf_weights(t, blocks.data(), blocks.size() / t.bytes * t.weights)) {
            row.push_back(converted(dst_type, w.f32()));
        }
        return row;
    }
};

// Bytes of every kind: scales are subnormal, infinite and NaN as well.
TEST_P(Gguf, RandomBlocks) {
    test::Random random(t.id);
    for (const size_t blocks : {0, 1, 2, 3, 9, 17}) {
        const size_t count = blocks * t.weights;
        const std::vector<uint8_t> bytes = random_blocks(t, count, random);
        for (const kai_datatype dst_type : kFloats) {
            for (const Flush flush : {Flush::end, Flush::start}) {
                SCOPED_TRACE(testing::Message() << blocks << " blocks, dst " << std::hex << dst_type);
                expect_row(dequantised(type, bytes, count, dst_type, flush, 1), expected(bytes, dst_type));
                expect_row(dequantised(type, bytes, count, dst_type, flush), expected(bytes, dst_type));
            }
        }
    }
}

// Every value of every byte of a block.
TEST_P(Gguf, EveryByte) {
    std::vector<uint8_t> bytes(256 * t.bytes);
    for (size_t i = 0; i < bytes.size(); ++i) {
        const size_t block = i / t.bytes, at = i % t.bytes;
        bytes[i] = static_cast<uint8_t>(block * (2 * at + 1) + 29 * at);
    }
    expect_row(dequantised(type, bytes, 256 * t.weights, kai_dt_f32), expected(bytes, kai_dt_f32));
}

std::vector<uint8_t> read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    const std::string s = text.str();
    return {s.begin(), s.end()};
}

uint64_t hash(const std::vector<float>& row) {
    uint64_t h = 0xCBF29CE484222325;
    for (const float x : row) {
        const uint32_t bits = std::isnan(x) ? 0x7FC00000 : reference::bits_of(x);
        for (int i = 0; i < 32; i += 8) {
            h = (h ^ (bits >> i & 0xFF)) * 0x100000001B3;
        }
    }
    return h;
}

// What ggml makes of these rows (test/data/gguf/README.md).
TEST_P(Gguf, RecordedRows) {
    std::ifstream lines(KAI_TEST_DATA "/gguf/rows.csv");
    std::string line;
    size_t rows = 0;
    while (std::getline(lines, line)) {
        std::istringstream fields(line);
        std::string name, set, row, k, size, want;
        for (std::string* field : {&name, &set, &row, &k, &size, &want}) {
            std::getline(fields, *field, ',');
        }
        if (name != t.name) {
            continue;
        }
        SCOPED_TRACE(line);
        const std::vector<uint8_t> all =
            read(KAI_TEST_DATA "/gguf/" + name + (set == "edge" ? ".edge" : "") + ".blocks");
        const size_t bytes = std::stoul(size), first = std::stoul(row) * bytes;
        ASSERT_LE(first + bytes, all.size());
        const std::vector<uint8_t> blocks(all.begin() + first, all.begin() + first + bytes);
        EXPECT_EQ(hash(dequantised(type, blocks, std::stoul(k), kai_dt_f32)), std::stoull(want, nullptr, 16));
        EXPECT_EQ(hash(expected(blocks, kai_dt_f32)), std::stoull(want, nullptr, 16)) << "the reference";
        ++rows;
    }
    EXPECT_GT(rows, 5u);
}

#if GTEST_HAS_DEATH_TEST
TEST_P(Gguf, RefusesPartsOfBlocks) {
    uint8_t byte = 0;
    const std::string name = t.name, weights = std::to_string(t.weights);
    EXPECT_DEATH(
        kai_gguf_dequantise(&type, t.weights + 1, &byte, kai_dt_f32, &byte),
        "kai_gguf_dequantise: count = " + std::to_string(t.weights + 1) + " is not a multiple of " + weights +
            ", the block of " + name);
    EXPECT_DEATH(kai_gguf_dequantise(&type, t.weights, &byte, kai_dt_int8, &byte), "dst_type = 0x124 is neither");
}
#endif

std::vector<const GgufType*> all_types() {
    std::vector<const GgufType*> types;
    for (const GgufType& type : reference::gguf_types()) {
        types.push_back(&type);
    }
    return types;
}

INSTANTIATE_TEST_SUITE_P(Types, Gguf, testing::ValuesIn(all_types()), [](const auto& info) {
    return std::string(info.param->name);
});

// F32, F16, BF16: every half; floats of every kind.
TEST(GgufFloats, EveryHalf) {
    std::vector<uint8_t> halves(2 * 65536), floats;
    test::Random random(3);
    for (size_t i = 0; i < 65536; ++i) {
        halves[2 * i] = static_cast<uint8_t>(i), halves[2 * i + 1] = static_cast<uint8_t>(i >> 8);
        const auto tie = static_cast<uint32_t>(random.next());
        const uint32_t bits = i % 3 == 0 ? tie : i % 3 == 1 ? (tie & ~0x1FFFU) | 0x1000 : (tie & ~0xFFFFU) | 0x8000;
        for (int byte = 0; byte < 32; byte += 8) {
            floats.push_back(static_cast<uint8_t>(bits >> byte));
        }
    }
    for (const kai_datatype src_type : kFloats) {
        const std::vector<uint8_t>& src = src_type == kai_dt_f32 ? floats : halves;
        const kai_gguf_type& type = *kai_gguf_find_type(
            src_type == kai_dt_f32   ? KAI_GGUF_F32
            : src_type == kai_dt_f16 ? KAI_GGUF_F16
                                     : KAI_GGUF_BF16);
        for (const kai_datatype dst_type : kFloats) {
            for (const size_t count : {1, 3, 255, 256, 257, 65536}) {
                const std::vector<uint8_t> part(
                    src.begin(), src.begin() + count * kai_get_datatype_size_in_bytes(src_type));
                std::vector<float> want;
                for (size_t i = 0; i < count; ++i) {
                    want.push_back(converted(dst_type, element(src_type, part.data(), i)));
                }
                expect_row(dequantised(type, part, count, dst_type, Flush::end, count % 2), want);
            }
        }
    }
}

}  // namespace
