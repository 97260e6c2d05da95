// Weights of GGUF files: types, rows back to floats, packed and multiplied. What packers of files have in common with
// others is in pack_test.cpp.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cctype>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>

#include "kai/kai_call.h"
#include "kai/kai_gguf.h"
#include "kai/ukernels/pack/kai_lhs_pack.h"
#include "kai/ukernels/pack/kai_rhs_unpack.h"
#include "test/reference/float16.hpp"
#include "test/reference/gguf.hpp"
#include "test/support/checked_call.hpp"
#include "test/support/coverage.hpp"
#include "test/support/ending.hpp"
#include "test/support/library_build.hpp"
#include "test/support/guarded_buffer.hpp"
#include "test/support/packing.hpp"
#include "test/support/random.hpp"
#include "test/support/said.hpp"

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

/// Equal bit for bit, except that any NaN equals any other.
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
    for (const uint32_t id : {4, 5, 9, 15, 24, 28, 31, 36, 43, 1000}) {
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

// Random bytes, so that scales are also subnormal, infinite and NaN.
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

// What ggml produces from these rows (test/data/gguf/README.md).
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

TEST_P(Gguf, RefusesPartsOfBlocks) {
    uint8_t byte = 0;
    const std::string name = t.name;
    EXPECT_ABORT(
        kai_gguf_dequantise(&type, t.weights + 1, &byte, kai_dt_f32, &byte),
        "kai_gguf_dequantise: " + SAID(not_multiple_of_block, "count", t.weights + 1, t.weights, t.name));
    EXPECT_ABORT(kai_gguf_dequantise(&type, t.weights, &byte, kai_dt_int8, &byte), SAID(no_float_type, 0x124));
}

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

// F32, F16, BF16: every 16-bit value, and floats of every kind.
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

// ---- packed ----

using Unpack = kai_run_rhs_unpack_row_fn;

Unpack* unpack_of(const std::string& format) {
    static const std::map<std::string, Unpack*> functions = {
        {"qsi1c32p", kai_run_rhs_unpack_row_qsi1c32p},
        {"qsi2c32p", kai_run_rhs_unpack_row_qsi2c32p},
        {"qsi2c32pscalef16", kai_run_rhs_unpack_row_qsi2c32pscalef16},
        {"qsi4c32p", kai_run_rhs_unpack_row_qsi4c32p},
        {"qsi4c32ps1s0scalef16", kai_run_rhs_unpack_row_qsi4c32ps1s0scalef16},
        {"qsi8c32p", kai_run_rhs_unpack_row_qsi8c32p},
        {"qsi8c32pscalef16", kai_run_rhs_unpack_row_qsi8c32pscalef16},
        {"qsi6c16x256p", kai_run_rhs_unpack_row_qsi6c16x256p},
        {"qsi6c16x256pnrx4", kai_run_rhs_unpack_row_qsi6c16x256pnrx4},
        {"qsi3c16x256p", kai_run_rhs_unpack_row_qsi3c16x256p},
        {"qsi3c16x256pnrx4", kai_run_rhs_unpack_row_qsi3c16x256pnrx4},
        {"qau2c16x256p", kai_run_rhs_unpack_row_qau2c16x256p},
        {"qai4c32p", kai_run_rhs_unpack_row_qai4c32p},
        {"qau5c32p", kai_run_rhs_unpack_row_qau5c32p},
        {"qai4c32ps1s0nrx4", kai_run_rhs_unpack_row_qai4c32ps1s0nrx4},
        {"qai4c32ps1s0sf16", kai_run_rhs_unpack_row_qai4c32ps1s0sf16},
        {"qlu4c32p", kai_run_rhs_unpack_row_qlu4c32p},
        {"qlu4c32pscalebf16", kai_run_rhs_unpack_row_qlu4c32pscalebf16},
        {"qlu4c16p", kai_run_rhs_unpack_row_qlu4c16p},
        {"qau4c32x256p", kai_run_rhs_unpack_row_qau4c32x256p},
        {"qau5c32x256p", kai_run_rhs_unpack_row_qau5c32x256p},
        {"qlu4c32x256p", kai_run_rhs_unpack_row_qlu4c32x256p},
        {"qlu4c32x256ps1s0", kai_run_rhs_unpack_row_qlu4c32x256ps1s0},
        {"qlu4c32ps1s0scalef16", kai_run_rhs_unpack_row_qlu4c32ps1s0scalef16},
        {"qlu4c32ps1s0scalebf16", kai_run_rhs_unpack_row_qlu4c32ps1s0scalebf16},
        {"qlu4c16ps1s0scalef16", kai_run_rhs_unpack_row_qlu4c16ps1s0scalef16},
        {"f32pbiasf32", kai_run_rhs_unpack_row_f32pbiasf32},
        {"f16pbiasf16", kai_run_rhs_unpack_row_f16pbiasf16},
        {"bf16pbiasf32", kai_run_rhs_unpack_row_bf16pbiasf32}};
    return functions.at(format);
}

/// Packers of rows of files, to formats whose rows can be unpacked.
std::vector<const kai_packer*> file_packers() {
    std::vector<const kai_packer*> packers;
    for (const kai_packer* p : test::all_packers()) {
        if (kai::is_file(*p) && !kai::is_unified(*p)) {  // which makes the bytes of another one
            packers.push_back(p);
        }
    }
    return packers;
}

class GgufPack : public testing::TestWithParam<const kai_packer*> {
protected:
    const kai_packer& p = *GetParam();
    const kai_gguf_type& type = kai::file_type_of(p);
    const reference::Format& format = *reference::find_format(p.format);
    const bool has_zero = format.offset != nullptr && format.offset_type == reference::Format::f32_scale;
    const bool half_fields = std::string(p.format) == "qai4c32ps1s0sf16";

    void SetUp() override {
        TEST_SKIP_UNLESS_RUNNABLE(p);
    }

    size_t row_size(size_t k) const {
        size_t size = 0;
        EXPECT_TRUE(kai_gguf_row_size(&type, k, &size));
        return size;
    }

    kai::PackerArgs args(reference::Tile t, size_t n, size_t k) const {
        kai::PackerArgs a = kai::packer_args();
        a.count = n, a.k = k, a.rows = t.rows, a.kr = t.kr, a.sr = t.sr, a.stride = row_size(k);
        return a;
    }

    std::vector<uint8_t> packed(reference::Tile t, size_t n, size_t k, const uint8_t* rows) const {
        kai::PackerArgs a = args(t, n, k);
        std::vector<uint8_t> to(kai::packed_size(p, a, kai::Direct{}));
        a.source = rows, a.packed = to.data();
        kai::run(p, a, kai::Direct{}, test::substitute_of(p));
        return to;
    }

    std::vector<float> unpacked(
        reference::Tile t, size_t row, size_t k, const GuardedBuffer& from, kai_datatype dst_type) const {
        const GuardedBuffer dst(1 + k * kai_get_datatype_size_in_bytes(dst_type));
        test::checked_call(
            unpack_of(p.format), row, k, t.rows, t.kr, t.sr, test::file_bl(p), static_cast<const void*>(from.data()),
            dst_type, static_cast<void*>(dst.data() + 1));
        std::vector<float> floats;
        for (size_t i = 0; i < k; ++i) {
            floats.push_back(element(dst_type, dst.data() + 1, i));
        }
        return floats;
    }

    /// The scale is exact; the zero and the sum are rounded once. With f16 fields, scale and minimum are rounded too.
    float expected(const reference::GgufWeight& w) const {
        if (half_fields) {
            const auto half = [](double x) {
                return reference::f32_from_f16(reference::f16_from_f32(static_cast<float>(x)));
            };
            return std::fma(static_cast<float>(w.value), half(w.scale), half(w.min));
        }
        const auto scale = static_cast<float>(w.scale), zero = static_cast<float>(8 * w.scale + w.min);
        return has_zero ? std::fma(static_cast<float>(w.value - 8), scale, zero) : w.f32();
    }
};

// Packing and unpacking rows of the file gives back its weights.
TEST_P(GgufPack, RecordedRowsComeBack) {
    for (const bool edge : {false, true}) {
        if (test::file_bl(p) == 0) {
            return;  // floats
        }
        const std::vector<uint8_t> rows =
            read(KAI_TEST_DATA "/gguf/" + std::string(type.name) + (edge ? ".edge" : "") + ".blocks");
        const size_t k = edge ? 256 : 512, n = rows.size() / row_size(k);
        ASSERT_GE(n, 5u);
        const std::vector<reference::GgufWeight> weights =
            reference::gguf_weights(*reference::find_gguf_type(type.name), rows.data(), n * k);
        for (const reference::Tile tile : test::tiles_of(p)) {
            const GuardedBuffer from(packed(tile, n, k, rows.data()));
            for (size_t row = 0; row < n; ++row) {
                for (const kai_datatype dst_type : kFloats) {
                    const std::vector<float> got = unpacked(tile, row, k, from, dst_type);
                    for (size_t i = 0; i < k; ++i) {
                        const reference::GgufWeight& w = weights[row * k + i];
                        const float want = expected(w);
                        ASSERT_TRUE(same(got[i], converted(dst_type, want)))
                            << "row " << row << ", weight " << i << " is " << got[i] << ", not " << want;
                        // Exact where 8 * scale + min needs no rounding, as in rows that a quantiser made.
                        if (!edge && !half_fields) {
                            ASSERT_EQ(want, w.f32()) << "row " << row << ", weight " << i;
                        }
                    }
                }
            }
        }
    }
}

// Floats that a format can represent survive unchanged.
TEST_P(GgufPack, FloatsComeBack) {
    if (test::file_bl(p) != 0) {
        return;
    }
    test::Random random(5);
    const kai_datatype from = type.id == KAI_GGUF_F32 ? kai_dt_f32 : type.id == KAI_GGUF_F16 ? kai_dt_f16 : kai_dt_bf16;
    const size_t n = 11, k = 37, size = kai_get_datatype_size_in_bytes(from);
    std::vector<float> values;
    std::vector<uint8_t> rows;
    for (size_t i = 0; i < n * k; ++i) {
        values.push_back(static_cast<float>(random.integer(-128, 128)) / 8);
        const uint32_t bits = from == kai_dt_f32   ? reference::bits_of(values.back())
                              : from == kai_dt_f16 ? reference::f16_from_f32(values.back())
                                                   : reference::bf16_from_f32(values.back());
        for (size_t byte = 0; byte < size; ++byte) {
            rows.push_back(static_cast<uint8_t>(bits >> 8 * byte));
        }
    }
    for (const reference::Tile tile : test::tiles_of(p)) {
        const GuardedBuffer packed_rows(packed(tile, n, k, rows.data()));
        for (size_t row = 0; row < n; ++row) {
            for (const kai_datatype dst_type : kFloats) {
                expect_row(
                    unpacked(tile, row, k, packed_rows, dst_type),
                    std::vector<float>(values.begin() + row * k, values.begin() + (row + 1) * k));
            }
        }
    }
}

// Rows of Q4_0 and Q8_0 are what the packers of qsu4c32s16s0 and qsi8c32 take.
TEST_P(GgufPack, RowsAreRecords) {
    if (type.id != KAI_GGUF_Q4_0 && type.id != KAI_GGUF_Q8_0) {
        return;
    }
    const std::vector<uint8_t> rows = read(KAI_TEST_DATA "/gguf/" + std::string(type.name) + ".blocks");
    const std::string records = type.id == KAI_GGUF_Q4_0 ? "qsu4c32s16s0" : "qsi8c32";
    for (const kai_packer* other : test::all_packers()) {
        if (other->source_format != records || std::string(other->format) != p.format) {
            continue;
        }
        for (const reference::Tile tile : test::tiles_of(p)) {
            kai::PackerArgs a = args(tile, 5, 512);
            const GuardedBuffer to(kai::packed_size(p, a, kai::Direct{}));
            kai::RhsParams params;
            a.bl = 32, a.source = rows.data(), a.packed = to.data();
            a.params = kai::make_params(*other, params, 1, 8, 1);
            kai::run(*other, a, kai::Direct{});
            EXPECT_EQ(packed(tile, 5, 512, rows.data()), to.bytes());
        }
    }
}

TEST_P(GgufPack, RefusesAndSaysWhy) {
    const reference::Tile good = test::tiles_of(p)[0];
    const size_t w = type.block_weights;
    const std::string run = std::string("kai_run_") + p.name + ": ";
    std::vector<uint8_t> rows(8192), to(1 << 17);
    const auto refuses = [&](const std::string& why, auto change) {
        kai::PackerArgs a = args(good, 2, 2 * w);
        a.source = rows.data(), a.packed = to.data();
        change(a);
        EXPECT_ABORT(kai::run(p, a, kai::Direct{}), run + why);
    };
    using Args = kai::PackerArgs;
    refuses(SAID(other, "num_groups", 2, 1), [](Args& a) { a.num_groups = 2; });
    refuses(SAID(other, "extra_bytes", 4, 0), [](Args& a) { a.extra_bytes = 4; });
    refuses(SAID(zero, "nr"), [](Args& a) { a.rows = 0; });
    refuses(SAID(zero, "kr"), [](Args& a) { a.kr = 0; });
    refuses(SAID(null, "rhs"), [](Args& a) { a.source = nullptr; });
    refuses(SAID(null, "rhs_packed"), [](Args& a) { a.packed = nullptr; });
    refuses(SAID(no_place, "params"), [&](Args& a) { a.no_params = rows.data(); });
    refuses(SAID(short_stride, "rhs_stride", 2 * type.block_bytes - 1, 2 * type.block_bytes, "row"), [&](Args& a) {
        a.stride = 2 * type.block_bytes - 1;
    });
    if (test::file_bl(p) != 0) {
        const std::string why = SAID(not_multiple, "k", w + w / 2, w);
        refuses(why, [&](Args& a) { a.k = w + w / 2; });
        refuses(SAID(other, "sr", 1, 2), [](Args& a) { a.sr = 1; });
        kai::PackerArgs a = args(good, 2, 2 * w);
        a.k = w + w / 2;
        if (test::library_asserts) {
            EXPECT_ABORT(
                kai::packed_size(p, a, kai::Direct{}), std::string("kai_get_rhs_packed_size_") + p.name + ": " + why);
        }
        a = args(good, 2, 2 * w);
        a.kr = 18;
        EXPECT_ABORT(kai::run(p, a, kai::Direct{}), run + "kr = 18");
    }
}

INSTANTIATE_TEST_SUITE_P(Packers, GgufPack, testing::ValuesIn(file_packers()), test::instance_name<kai_packer>);

TEST(GgufUnpack, RefusesAndSaysWhy) {
    uint8_t from[4096] = {}, to[4096];
    EXPECT_ABORT(
        kai_run_rhs_unpack_row_qsi4c32p(0, 64, 4, 16, 2, 48, from, kai_dt_f32, to),
        "kai_run_rhs_unpack_row_qsi4c32p: " + SAID(not_multiple, "bl", 48, 32));
    EXPECT_ABORT(
        kai_run_rhs_unpack_row_qai4c32p(0, 48, 4, 16, 2, 32, from, kai_dt_f32, to),
        SAID_AS(not_multiple_of, "k", "48", "bl", "32"));
    EXPECT_ABORT(kai_run_rhs_unpack_row_qai4c32p(0, 64, 0, 16, 2, 32, from, kai_dt_f32, to), SAID(no_tile, 0, 16, 2));
    EXPECT_ABORT(
        kai_run_rhs_unpack_row_qsi8c32p(0, 64, 4, 12, 1, 32, from, kai_dt_f32, to), SAID(byte_groups, 12, 1, 12));
    EXPECT_ABORT(
        kai_run_rhs_unpack_row_f32pbiasf32(0, 64, 4, 1, 1, 0, from, kai_dt_int8, to),
        "kai_run_rhs_unpack_row_f32pbiasf32: " + SAID(no_float_type, 0x124));
}

// Scales and zeros of every kind, also such whose product with a weight has more than 24 bits next to a tie.
TEST(GgufUnpack, RoundsOnce) {
    test::Random random(11);
    const reference::Format& format = *reference::find_format("qai4c32ps1s0nrx4");
    const reference::Tile tile = {4, 8, 2};
    for (int round = 0; round < 200; ++round) {
        reference::Side side;
        side.rows = 4, side.k = side.bl = 32;
        for (size_t row = 0; row < 4; ++row) {
            const uint32_t scale = static_cast<uint32_t>(random.next()) & (row == 0 ? 0xFF8FFFFFU : 0x83FFFFFFU);
            const auto zero = static_cast<uint32_t>(random.next()) & 0x83FFFFFF;
            // f32 scales near 1, and zeros from the same magnitude to far below it.
            side.scale.push_back(reference::float_of((scale & 0x803FFFFFU) | 0x3F800000U));
            const uint32_t exponent = 127 - static_cast<uint32_t>(random.integer(0, 100));
            side.offset.push_back(reference::float_of((zero & 0x807FFFFFU) | exponent << 23));
            for (int i = 0; i < 32; ++i) {
                side.q.push_back(static_cast<int8_t>(random.integer(-8, 7)));
            }
        }
        const GuardedBuffer from(reference::pack(format, side, tile).bytes);
        for (size_t row = 0; row < 4; ++row) {
            float got[32];
            kai_run_rhs_unpack_row_qai4c32ps1s0nrx4(row, 32, 4, 8, 2, 32, from.data(), kai_dt_f32, got);
            for (size_t i = 0; i < 32; ++i) {
                const float q = side.q[row * 32 + i];
                ASSERT_TRUE(same(got[i], std::fma(q, side.scale[row], side.offset[row])))
                    << q << " * " << side.scale[row] << " + " << side.offset[row];
            }
        }
    }
    // 5 * scale is a tie between two floats, and the zero, far below its last bit, decides.
    const float scale = 1 + 0x1p-23f * 5;
    for (const float tiny : {0x1p-90f, -0x1p-90f}) {
        reference::Side side;
        side.rows = 1, side.k = side.bl = 32;
        side.scale = {scale}, side.offset = {tiny};
        side.q.assign(32, 5);
        const GuardedBuffer from(reference::pack(format, side, tile).bytes);
        float got[32];
        kai_run_rhs_unpack_row_qai4c32ps1s0nrx4(0, 32, 4, 8, 2, 32, from.data(), kai_dt_f32, got);
        EXPECT_EQ(got[0], std::fma(5.0f, scale, tiny));
    }
}

// ---- a table of the caller ----

// docs/gguf-kernels.md: NF4 of bitsandbytes as records, and how far the weights are off.
TEST(GgufTable, PacksNf4) {
    constexpr float kNf4[16] = {
        -1,          -0.69619280F, -0.52507305F, -0.39491749F, -0.28444138F, -0.18477343F, -0.09105004F, 0,
        0.07958030F, 0.16093020F,  0.24611230F,  0.33791524F,  0.44070983F,  0.56261700F,  0.72295684F,  1};
    int8_t table[16];
    for (size_t i = 0; i < 16; ++i) {
        table[i] = static_cast<int8_t>(std::lround(127 * kNf4[i]));
    }
    const size_t n = 11, k = 192;
    test::Random random(3);
    std::vector<uint8_t> nibbles(n * k / 2), records(n * k / 32 * 18);
    std::vector<float> absmax;
    for (uint8_t& byte : nibbles) {
        byte = static_cast<uint8_t>(random.next());
    }
    for (size_t i = 0; i < n * k / 64; ++i) {
        absmax.push_back(random.real(0.02F, 4));
    }
    for (size_t i = 0; i < n * k; i += 32) {
        uint8_t* record = records.data() + i / 32 * 18;
        const uint16_t scale = kai_cast_f16_f32(absmax[i / 64] / 127);
        std::memcpy(record, &scale, sizeof(scale));
        for (size_t j = 0; j < 16; ++j) {
            const uint8_t a = nibbles[(i + j) / 2], b = nibbles[(i + j + 16) / 2];
            record[2 + j] = static_cast<uint8_t>(j % 2 == 0 ? a >> 4 | (b & 0xF0) : (a & 15) | b << 4);
        }
    }
    const GuardedBuffer neon(kai_get_rhs_packed_size_rhs_pack_nxk_qlu4c32p_qlu4c32s16s0(n, k, 4, 16, 2)),
        sme(kai_get_rhs_packed_size_rhs_pack_nxk_qlu4c32ps1s0scalef16_qlu4c32s16s0(n, k, 8, 4, 2));
    kai_run_rhs_pack_nxk_qlu4c32p_qlu4c32s16s0(
        1, n, k, 4, 16, 2, records.data(), k / 32 * 18, table, neon.data(), 0, nullptr);
    kai_run_rhs_pack_nxk_qlu4c32ps1s0scalef16_qlu4c32s16s0(
        1, n, k, 8, 4, 2, records.data(), k / 32 * 18, table, sme.data(), 0, nullptr);
    float worst = 0;
    for (size_t row = 0; row < n; ++row) {
        float from_neon[k], from_sme[k];
        kai_run_rhs_unpack_row_qlu4c32p(row, k, 4, 16, 2, 32, neon.data(), kai_dt_f32, from_neon);
        kai_run_rhs_unpack_row_qlu4c32ps1s0scalef16(row, k, 8, 4, 2, 32, sme.data(), kai_dt_f32, from_sme);
        for (size_t i = 0; i < k; ++i) {
            const uint8_t byte = nibbles[(row * k + i) / 2];
            const float most = absmax[(row * k + i) / 64], weight = kNf4[i % 2 == 0 ? byte >> 4 : byte & 15] * most;
            ASSERT_EQ(from_neon[i], from_sme[i]);
            const float off = std::abs(from_neon[i] - weight);
            ASSERT_LE(off, 0.0037F * most + 0.0005F * std::abs(weight)) << "row " << row << ", weight " << i;
            worst = std::max(worst, off / most);
        }
    }
    EXPECT_GT(worst, 0.0036F);
}

TEST(GgufTable, RefusesAndSaysWhy) {
    const std::vector<uint8_t> rows(1 << 12);
    std::vector<uint8_t> to(1 << 16);
    const int8_t table[16] = {};
    for (const char* name : {"rhs_pack_nxk_qlu4c32p_qlu4c32s16s0", "rhs_pack_nxk_qlu4c32ps1s0scalef16_qlu4c32s16s0"}) {
        const kai_packer& p = *kai_registry_find_packer(name);
        const auto refuses = [&](const std::string& why, auto change) {
            kai::PackerArgs a = kai::packer_args();
            a.count = 2, a.k = 64, a.rows = 4, a.kr = 4, a.sr = 2, a.stride = 36;
            a.source = rows.data(), a.packed = to.data(), a.table = table;
            kai::run(p, a, kai::Direct{});
            change(a);
            EXPECT_ABORT(kai::run(p, a, kai::Direct{}), "kai_run_" + std::string(name) + ": " + why);
        };
        using Args = kai::PackerArgs;
        refuses(SAID(null, "table"), [](Args& a) { a.table = nullptr; });
        refuses(SAID(null, "rhs"), [](Args& a) { a.source = nullptr; });
        refuses(SAID(no_place, "params"), [&](Args& a) { a.no_params = rows.data(); });
        refuses(SAID(not_multiple, "k", 48, 32), [](Args& a) { a.k = 48; });
        refuses(SAID(not_multiple, "nr", 6, 4), [](Args& a) { a.rows = 6; });
        refuses(SAID(other, "sr", 1, 2), [](Args& a) { a.sr = 1; });
        refuses(SAID(short_stride, "rhs_stride", 35, 36, "row"), [](Args& a) { a.stride = 35; });
    }
}

// ---- activations ----

// Blocks of 256 activations, quantised as ggml does it (q8_K): there the sign of scale and quants is another one.
TEST(GgufActivations, LikeQ8_K) {
    for (const auto& [of_16, edge] : {std::pair{false, false}, {false, true}, {true, false}, {true, true}}) {
        const reference::Format& format = *reference::find_format(of_16 ? "qsi8d16x256p" : "qsi8d256p");
        const auto size = of_16 ? kai_get_lhs_packed_size_lhs_quant_pack_qsi8d16x256p_f32
                                : kai_get_lhs_packed_size_lhs_quant_pack_qsi8d256p_f32;
        const auto run = of_16 ? kai_run_lhs_quant_pack_qsi8d16x256p_f32 : kai_run_lhs_quant_pack_qsi8d256p_f32;
        const std::string name = KAI_TEST_DATA "/gguf/lhs" + std::string(edge ? "_edge" : "");
        const std::vector<uint8_t> floats = read(name + ".f32"), recorded = read(name + ".q8_K");
        const size_t k = edge ? 256 : 512, m = floats.size() / 4 / k;
        ASSERT_EQ(recorded.size(), m * k / 256 * 292);
        ASSERT_EQ(m, edge ? 15U : 3U);
        for (const reference::Tile t : {reference::Tile{1, 16, 2}, {4, 16, 2}, {4, 8, 2}, {8, 8, 2}, {1, 4, 1}}) {
            const reference::Shape s = {t.rows, t.kr, t.sr, k, 0};
            const GuardedBuffer packed(size(m, k, t.rows, t.kr, t.sr));
            const GuardedBuffer rows(floats);
            run(m, k, t.rows, t.kr, t.sr, 0, rows.as<float>(), k * sizeof(float), packed.data());
            for (size_t i = 0; i < m * k; ++i) {
                const size_t row = i / k, kk = i % k, r = row % t.rows;
                const uint8_t* block = recorded.data() + (row * k + kk) / 256 * 292;
                const uint8_t* panel = packed.data() + row / t.rows * format.stride(s);
                const auto q = static_cast<int8_t>(panel[format.place(s, r, kk).byte]);
                const float d = element(kai_dt_f32, block, 0);
                const float scale = element(kai_dt_f32, panel + format.scale(s, r, kk / 256), 0);
                ASSERT_EQ(scale * q, d * static_cast<int8_t>(block[4 + kk % 256])) << "row " << row << ", k " << kk;
                const size_t j = kk % 256 / format.sums_of;
                const int sum = 128 * static_cast<int8_t>(panel[format.high(s, r, kk / 256, j)]) +
                                static_cast<int8_t>(panel[format.low(s, r, kk / 256, j)]);
                int16_t sums[16];
                std::memcpy(sums, block + 260, sizeof(sums));
                const int want = of_16 ? sums[j] : sums[2 * j] + sums[2 * j + 1];
                ASSERT_EQ(sum, std::signbit(d) != std::signbit(scale) ? -want : want);
            }
        }
    }
}

// ---- multiplied ----

/// Micro-kernels and types that have a packer in between.
struct Product {
    const kai_ukernel* ukernel;
    const kai_gguf_type* type;
};
std::vector<Product> products() {
    std::vector<Product> all;
    for (const kai_ukernel* u : test::all_ukernels()) {
        for (size_t i = 0; i < kai_gguf_type_count() && kai_registry_runnable(u->features, nullptr, 0); ++i) {
            if (kai_registry_gguf_packer(u, kai_gguf_type_at(i)->id) != nullptr ||
                kai::file_type_of(*u) == kai_gguf_type_at(i)) {
                all.push_back({u, kai_gguf_type_at(i)});
            }
        }
    }
    return all;
}

TEST(GgufProduct, PackersOfMicroKernels) {
    for (const kai_ukernel* u : test::all_ukernels()) {
        if (kai::is_unified(*u)) {
            EXPECT_EQ(u->gguf_types, 0) << u->name;  // their panels are packed by the unified API or by format
            continue;
        }
        const std::string rhs = u->rhs_format;
        const bool scale = rhs == "qsi4c32p" || rhs == "qsi4c32ps1s0scalef16";
        const bool zero = rhs == "qai4c32p" || rhs == "qai4c32ps1s0nrx4";
        const bool bytes = rhs == "qsi8c32p" || rhs == "qsi8c32pscalef16";
        const bool known = kai_registry_runnable(u->size_features, nullptr, 0);
        EXPECT_EQ(kai_registry_gguf_packer(u, KAI_GGUF_Q4_0) != nullptr, scale && known) << u->name;
        for (const kai_gguf_type_id id : {KAI_GGUF_TQ1_0, KAI_GGUF_TQ2_0, KAI_GGUF_Q1_0, KAI_GGUF_Q2_0}) {
            const bool bits =
                rhs == "qsi2c32p" || rhs == "qsi2c32pscalef16" || (rhs == "qsi1c32p" && id == KAI_GGUF_Q1_0);
            EXPECT_EQ(kai_registry_gguf_packer(u, id) != nullptr, (scale || bits) && known)
                << u->name << ", type " << id;
        }
        for (const kai_gguf_type_id id : {KAI_GGUF_Q5_0, KAI_GGUF_Q8_0}) {
            EXPECT_EQ(kai_registry_gguf_packer(u, id) != nullptr, bytes && known) << u->name << ", type " << id;
        }
        for (const auto& [id, format, other] :
             {std::tuple{KAI_GGUF_IQ4_NL, "qlu4c32p", "qlu4c32ps1s0scalef16"},
              {KAI_GGUF_MXFP4, "qlu4c32pscalebf16", "qlu4c32ps1s0scalebf16"},
              {KAI_GGUF_NVFP4, "qlu4c16p", "qlu4c16ps1s0scalef16"},
              {KAI_GGUF_IQ4_XS, "qlu4c32x256p", "qlu4c32x256ps1s0"}}) {
            const bool same = rhs == format || rhs == other;
            EXPECT_EQ(kai_registry_gguf_packer(u, id) != nullptr, same && known) << u->name << ", type " << id;
        }
        EXPECT_EQ(kai_registry_gguf_packer(u, KAI_GGUF_Q5_K) != nullptr, rhs == "qau5c32x256p" && known) << u->name;
        EXPECT_EQ(kai_registry_gguf_packer(u, KAI_GGUF_Q5_1) != nullptr, rhs == "qau5c32p" && known) << u->name;
        EXPECT_EQ(kai_registry_gguf_packer(u, KAI_GGUF_Q4_1) != nullptr, zero && known) << u->name;
        EXPECT_EQ(kai_registry_gguf_packer(u, KAI_GGUF_Q4_K) != nullptr, (zero || rhs == "qau4c32x256p") && known)
            << u->name;
        const bool floats = (rhs == "f32pbiasf32" || rhs == "f16pbiasf16" || rhs == "bf16pbiasf32") &&
                            kai::kind_of(*u) == kai::Kind::classic;
        for (const kai_gguf_type_id id : {KAI_GGUF_F32, KAI_GGUF_F16, KAI_GGUF_BF16}) {
            EXPECT_EQ(kai_registry_gguf_packer(u, id) != nullptr, floats && known) << u->name << ", type " << id;
        }
        const bool six = rhs == "qsi6c16x256p" || rhs == "qsi6c16x256pnrx4";
        EXPECT_EQ(kai_registry_gguf_packer(u, KAI_GGUF_Q6_K) != nullptr, six && known) << u->name;
        const bool three = six || rhs == "qsi3c16x256p" || rhs == "qsi3c16x256pnrx4";
        EXPECT_EQ(kai_registry_gguf_packer(u, KAI_GGUF_Q3_K) != nullptr, three && known) << u->name;
        EXPECT_EQ(kai_registry_gguf_packer(u, KAI_GGUF_Q2_K) != nullptr, rhs == "qau2c16x256p" && known) << u->name;
        EXPECT_EQ(kai_registry_gguf_packer(u, 4), nullptr);
        EXPECT_EQ(kai_registry_gguf_packer(u, 64), nullptr);
        uint64_t types = 0;  // with a packer, or read where they lie: "ggq8_0" is Q8_0
        for (size_t i = 0; const kai_gguf_type* type = kai_gguf_type_at(i); ++i) {
            std::string format = "gg";
            for (const char* c = type->name; *c != 0; ++c) {
                format += static_cast<char>(std::tolower(*c));
            }
            const bool in_place = u->signature == KAI_UKERNEL_MATMUL_FILE && rhs == format;
            EXPECT_EQ(kai::file_type_of(*u) == type, in_place) << u->name << ", " << type->name;
            types |= in_place || kai_registry_gguf_packer(u, type->id) != nullptr ? uint64_t{1} << type->id : 0;
        }
        EXPECT_EQ(u->gguf_types, known ? types : u->gguf_types) << u->name;
    }
}

/// The recorded activations times the recorded rows of a type.
std::vector<uint8_t> product_of_rows(const kai_ukernel& u, const kai_gguf_type& type) {
    const std::vector<uint8_t> activations = read(KAI_TEST_DATA "/gguf/lhs.f32");
    const std::vector<uint8_t> rows = read(KAI_TEST_DATA "/gguf/" + std::string(type.name) + ".blocks");
    kai_call c = {};
    c.ukernel = &u, c.lhs_packer = kai_registry_lhs_packer(&u, 0);
    c.rhs_packer = kai_registry_gguf_packer(&u, type.id);
    c.m = 3, c.n = 5, c.k = 512, c.bl = reference::find_format(u.lhs_format)->block != 0 ? 0 : type.packed_bl;
    c.lhs = activations.data(), c.rhs = rows.data();
    const GuardedBuffer lhs(kai_call_lhs_packed_size(&c)), rhs(kai_call_rhs_packed_size(&c)),
        dst(kai_call_dst_size(&c));
    kai_call_pack_lhs(&c, 0, c.m, lhs.data());
    kai_call_pack_rhs(&c, 0, c.n, rhs.data());
    c.lhs_packed = lhs.data(), c.rhs_packed = rhs.data(), c.dst = dst.data();
    kai_call_run(&c, 0, 0, c.m, c.n);
    return dst.bytes();
}

/// Weights in super-blocks, in every packed order.
TEST(GgufProduct, SameBitsOfSuperBlocks) {
    std::map<uint32_t, std::vector<uint8_t>> first;
    for (const auto& [u, type] : products()) {
        if (reference::find_format(u->lhs_format)->block == 256) {
            const std::vector<uint8_t> bits = product_of_rows(*u, *type);
            EXPECT_TRUE(first.emplace(type->id, bits).first->second == bits) << u->name;
        }
    }
    EXPECT_FALSE(first.empty());
}

/// Rows read in place: same bits as a micro-kernel that reads the same rows packed, with the same LHS.
TEST(GgufProduct, SameBitsWhereTheyLie) {
    size_t compared = 0;
    for (const auto& [u, type] : products()) {
        if (kai::file_type_of(*u) == nullptr) {
            continue;
        }
        const std::vector<uint8_t> want = product_of_rows(*u, *type);
        for (const auto& [other, other_type] : products()) {
            const bool same_lhs = std::string(other->lhs_format) == u->lhs_format && other->get_mr() == u->get_mr();
            if (other != u && other_type == type && same_lhs) {
                EXPECT_TRUE(product_of_rows(*other, *type) == want) << u->name << ", " << other->name;
                ++compared;
            }
        }
    }
    EXPECT_GE(compared, 2u);
}

// Recorded activations and rows, by every micro-kernel: off from the recorded products by no more than what quantising
// the activations costs (half a step of each block), and rounding of scales (f16) and results.
TEST(GgufProduct, RecordedProducts) {
    const std::vector<uint8_t> activations = read(KAI_TEST_DATA "/gguf/lhs.f32");
    ASSERT_EQ(activations.size(), 3u * 512 * 4);
    std::map<std::string, double> recorded;
    std::ifstream lines(KAI_TEST_DATA "/gguf/products.csv");
    for (std::string line; std::getline(lines, line);) {
        const size_t comma = line.rfind(',');
        if (line.find("type") != 0) {
            const uint64_t bits = std::stoull(line.substr(comma + 1), nullptr, 16);
            std::memcpy(&recorded[line.substr(0, comma)], &bits, sizeof(bits));
        }
    }
    ASSERT_EQ(recorded.size(), 30 * reference::gguf_types().size());
    for (const auto& [u, type] : products()) {
        for (const size_t k : {256, 512}) {
            SCOPED_TRACE(testing::Message() << u->name << ", " << type->name << ", k " << k);
            const kai_packer* lhs_packer = kai_registry_lhs_packer(u, 0);
            const reference::Format& format = *reference::find_format(u->rhs_format);
            const size_t fixed = format.only_bl != 0 ? 0 : format.block;
            const size_t bl = fixed != 0 ? fixed : type->packed_bl;
            if (bl == 0 || lhs_packer == nullptr || std::string(lhs_packer->source_format) != "f32") {
                continue;
            }
            const std::vector<uint8_t> rows = read(KAI_TEST_DATA "/gguf/" + std::string(type->name) + ".blocks");
            const size_t m = 3, n = 5;
            kai_call c = {};
            c.ukernel = u, c.lhs_packer = lhs_packer, c.rhs_packer = kai_registry_gguf_packer(u, type->id);
            c.m = m, c.n = n, c.k = k, c.bl = fixed != 0 ? 0 : bl;
            c.lhs = activations.data(), c.lhs_stride = 512 * sizeof(float);
            c.rhs = rows.data(), c.rhs_stride = rows.size() / n;
            const GuardedBuffer lhs(kai_call_lhs_packed_size(&c)), rhs(kai_call_rhs_packed_size(&c)),
                dst(kai_call_dst_size(&c));
            kai_call_pack_lhs(&c, 0, m, lhs.data());
            const size_t nr = u->get_nr();
            for (size_t first = 0; first < n; first += nr) {
                kai_call_pack_rhs(&c, first, nr, rhs.data());
            }
            c.lhs_packed = lhs.data(), c.rhs_packed = rhs.data(), c.dst = dst.data();
            kai_call_run(&c, 0, 0, m, n);
            for (size_t i = 0; i < m * n; ++i) {
                const size_t row = i / n, column = i % n;
                const std::vector<reference::GgufWeight> w = reference::gguf_weights(
                    *reference::find_gguf_type(type->name), rows.data() + column * c.rhs_stride, k);
                double bound = 0;
                for (size_t b = 0; b < k; b += bl) {
                    double most = 0, weights = 0, products = 0;
                    for (size_t kk = b; kk < b + bl; ++kk) {
                        const double a = std::abs(element(kai_dt_f32, activations.data(), row * 512 + kk));
                        const double x = std::abs(static_cast<double>(w[kk].f32()));
                        most = std::max(most, a), weights += x, products += a * x;
                    }
                    bound += most / 254 * weights + products * 0x1p-9;
                }
                const std::string key = std::string(type->name) + "," + std::to_string(k) + "," + std::to_string(row) +
                                        "," + std::to_string(column);
                ASSERT_EQ(recorded.count(key), 1u);
                EXPECT_NEAR(element(u->dst_type, dst.data(), i), recorded[key], bound) << key;
            }
        }
    }
}

// Super-blocks: what is recorded of quantised activations times recorded rows, to 1e-5 of the sum of magnitudes (1e-6
// without a minimum), and the same bits from all micro-kernels of a family.
TEST(GgufProduct, SuperBlocks) {
    const std::vector<uint8_t> activations = read(KAI_TEST_DATA "/gguf/lhs.f32");
    const std::vector<uint8_t> quantised = read(KAI_TEST_DATA "/gguf/lhs.q8_K");
    const size_t m = 3, n = 5, k = 512;
    std::map<std::string, std::vector<uint8_t>> first;
    for (const auto& [u, type] : products()) {
        const reference::Format& format = *reference::find_format(u->rhs_format);
        if (format.sub == 0) {
            continue;
        }
        SCOPED_TRACE(testing::Message() << u->name << ", " << type->name);
        const std::vector<uint8_t> rows = read(KAI_TEST_DATA "/gguf/" + std::string(type->name) + ".blocks");
        kai_call c = {};
        c.ukernel = u, c.lhs_packer = kai_registry_lhs_packer(u, 0);
        c.rhs_packer = kai_registry_gguf_packer(u, type->id);
        ASSERT_NE(c.lhs_packer, nullptr);
        c.m = m, c.n = n, c.k = k;
        c.lhs = activations.data(), c.lhs_stride = k * sizeof(float);
        c.rhs = rows.data(), c.rhs_stride = rows.size() / n;
        const GuardedBuffer lhs(kai_call_lhs_packed_size(&c)), rhs(kai_call_rhs_packed_size(&c)),
            dst(kai_call_dst_size(&c));
        kai_call_pack_lhs(&c, 0, m, lhs.data());
        for (size_t column = 0; column < n; column += u->get_nr()) {
            kai_call_pack_rhs(&c, column, u->get_nr(), rhs.data());
        }
        c.lhs_packed = lhs.data(), c.rhs_packed = rhs.data(), c.dst = dst.data();
        kai_call_run(&c, 0, 0, m, n);
        for (size_t i = 0; i < m * n; ++i) {
            const size_t row = i / n, column = i % n;
            const std::vector<reference::GgufWeight> w =
                reference::gguf_weights(*reference::find_gguf_type(type->name), rows.data() + column * c.rhs_stride, k);
            double exact = 0, magnitude = 0;
            for (size_t kk = 0; kk < k; ++kk) {
                const uint8_t* block = quantised.data() + (row * k + kk) / 256 * 292;
                const double a = element(kai_dt_f32, block, 0) * static_cast<int8_t>(block[4 + kk % 256]);
                exact += a * w[kk].f32();
                magnitude += std::abs(a * w[kk].f32());
            }
            const double bound = magnitude * (format.sub_min != nullptr ? 1e-5 : 1e-6);
            EXPECT_NEAR(element(u->dst_type, dst.data(), i), exact, bound) << "row " << row << ", column " << column;
        }
        const std::vector<uint8_t> bits(dst.data(), dst.data() + dst.size());
        EXPECT_EQ(first.try_emplace(std::string(u->rhs_format) + type->name, bits).first->second, bits);
    }
}

// Where activations are quantised as ggml does it: no more than f32 sums err. With the rows of extremes: scales of
// infinity and NaN, and the largest sums.
TEST(GgufProduct, LikeGgml) {
    size_t compared = 0;
    for (const auto& [u, type] : products()) {
        if (reference::find_format(u->lhs_format)->block != 256) {
            continue;
        }
        for (const bool edge : {false, true}) {
            SCOPED_TRACE(testing::Message() << u->name << ", " << type->name << (edge ? ", edge" : ""));
            const std::string suffix = edge ? "_edge" : "";
            const std::vector<uint8_t> activations = read(KAI_TEST_DATA "/gguf/lhs" + suffix + ".f32");
            const std::vector<uint8_t> recorded = read(KAI_TEST_DATA "/gguf/lhs" + suffix + ".q8_K");
            const std::vector<uint8_t> rows =
                read(KAI_TEST_DATA "/gguf/" + std::string(type->name) + (edge ? ".edge" : "") + ".blocks");
            const size_t k = edge ? 256 : 512, m = activations.size() / 4 / k, row_size = k / 256 * type->block_bytes;
            kai_call c = {};
            c.ukernel = u, c.lhs_packer = kai_registry_lhs_packer(u, 0);
            c.rhs_packer = kai_registry_gguf_packer(u, type->id);
            c.m = m, c.n = rows.size() / row_size, c.k = k;
            const GuardedBuffer a(activations), b(rows);
            c.lhs = a.data(), c.lhs_stride = k * sizeof(float);
            c.rhs = b.data(), c.rhs_stride = row_size;
            const GuardedBuffer lhs(kai_call_lhs_packed_size(&c)), rhs(kai_call_rhs_packed_size(&c)),
                dst(kai_call_dst_size(&c));
            kai_call_pack_lhs(&c, 0, m, lhs.data());
            kai_call_pack_rhs(&c, 0, c.n, rhs.data());
            c.lhs_packed = lhs.data(), c.rhs_packed = rhs.data(), c.dst = dst.data();
            kai_call_run(&c, 0, 0, m, c.n);
            const std::vector<reference::GgufWeight> w =
                reference::gguf_weights(*reference::find_gguf_type(type->name), rows.data(), c.n * k);
            for (size_t i = 0; i < m * c.n; ++i) {
                const double bound = w[0].has_min ? 1e-5 : 1e-6;
                double want = 0, sum_abs = 0;
                for (size_t kk = 0; kk < k; ++kk) {
                    const uint8_t* block = recorded.data() + (i / c.n * k + kk) / 256 * 292;
                    const double x = static_cast<double>(element(kai_dt_f32, block, 0)) *
                                     static_cast<int8_t>(block[4 + kk % 256]) *
                                     static_cast<double>(w[i % c.n * k + kk].f32());
                    want += x, sum_abs += std::abs(x);
                }
                const float got = element(kai_dt_f32, dst.data(), i);
                if (std::isfinite(want)) {
                    ASSERT_NEAR(got, want, bound * sum_abs) << "row " << i / c.n << ", column " << i % c.n;
                    ++compared;
                } else {
                    ASSERT_FALSE(std::isfinite(got)) << "row " << i / c.n << ", column " << i % c.n;
                }
            }
        }
    }
    EXPECT_GT(compared, 500U);
}

}  // namespace
