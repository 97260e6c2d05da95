// kai_gemm_file.h: files that are truncated, damaged or made to deceive are refused. Packing on any host gives the
// bytes of the packers of the CPU that it is for.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "kai/gemm/kai_gemm_file.h"
#include "kai/kai_call.h"
#include "test/gemm/experiment.hpp"
#include "test/support/guarded_buffer.hpp"
#include "test/support/random.hpp"

namespace {

using Bytes = std::vector<uint8_t>;
using Tensor = kai_gemm_tensor;
using test::gemm::has_blocks;

constexpr char kSme2[] = "matmul_clamp_f32_qai8dxp1vlx8_qsi4cxp4vlx8_1vlx4vl_sme2_mopa";
constexpr char kSve[] = "matmul_clamp_f32_f32_f32p4vlx1b_6x4vl_sve_mla";
constexpr char kNeon[] = "matmul_clamp_f32_qsi8d32p4x8_qsi4c32p4x8_16x4_neon_i8mm";
constexpr char kNeonFloat[] = "matmul_clamp_f32_f32_f32p16x1b_6x16_neon_mla";
constexpr char kFloat[] = "matmul_clamp_f32_f32p2vlx1_f32p2vlx1biasf32_sme2_mopa";
constexpr char kBlocks[] = "matmul_clamp_f32_qai8dxp1vlx4_qsi4c32p4vlx4_1vlx4vl_sme2_mopa";
constexpr char kTable[] = "matmul_clamp_f32_qai8dxp1vlx4_qsu2cxp4vlx4_1vlx4vl_sme2_mopa";
constexpr char kBf16[] = "matmul_clamp_f32_bf16p8x4_bf16p12x4b_8x12_neon_mmla";
constexpr char kE4m3[] = "matmul_clamp_f32_bf16p8x4_f8e4m3c32p12x4_8x12_neon_mmla";
constexpr char kE5m2[] = "matmul_clamp_f32_bf16p8x4_f8e5m2c32p12x4_8x12_neon_mmla";
constexpr char kE4m3Sme2[] = "matmul_clamp_f32_bf16p1vlx4_f8e4m3c32p4vlx4_1vlx4vl_sme2_mopa";
constexpr char kE5m2Sme2[] = "matmul_clamp_f32_bf16p1vlx4_f8e5m2c32p4vlx4_1vlx4vl_sme2_mopa";
constexpr char kStatic[] = "matmul_clamp_qai8_qai8p2vlx4_qsi8cxpsb2vlx4_2vlx2vl_sme2_mopa";

Tensor tensor_for(const char* kernel, size_t bits, const char* name = "t", size_t n = 5, size_t k = 64) {
    Tensor t = {};
    EXPECT_EQ(kai_gemm_tensor_for(kernel, bits, &t), KAI_GEMM_FILE_OK) << kernel;
    t.name = name, t.n = n, t.k = k, t.count = 1, t.multiplier = 1;
    t.bl = has_blocks(t.kind) ? 32 : 0;
    return t;
}

// ---- the container ----

/// A file of three tensors; one has several matrices and a bias apart.
struct File {
    std::vector<Tensor> tensors;
    Bytes bytes;
    size_t header;

    File() : tensors{tensor_for(kSme2, 128, "a"), tensor_for(kNeon, 0, "b"), tensor_for(kTable, 512, "c.d")} {
        tensors[1].count = 3, tensors[1].bias = true;
        tensors[2].a_zero_point = -7, tensors[2].multiplier = 0.25F;
        size_t size = 0;
        EXPECT_EQ(kai_gemm_file_lay_out(tensors.data(), tensors.size(), &size), KAI_GEMM_FILE_OK);
        bytes.resize(size);
        test::Random random(1);
        for (Tensor& t : tensors) {
            for (size_t i = 0; i < t.size; ++i) {
                bytes[t.offset + i] = static_cast<uint8_t>(random.next());
            }
            t.checksum = kai_gemm_file_checksum(0, &bytes[t.offset], t.size);
        }
        header = kai_gemm_file_header_size(tensors.size());
        EXPECT_EQ(kai_gemm_file_write_header(tensors.data(), tensors.size(), bytes.data(), header), KAI_GEMM_FILE_OK);
    }

    /// Writes the right checksum.
    void seal() {
        put(12, kai_gemm_file_checksum(0, &bytes[16], header - 16), 4);
    }
    void put(size_t at, uint64_t value, size_t size) {
        for (size_t i = 0; i < size; ++i) {
            bytes[at + i] = static_cast<uint8_t>(value >> 8 * i);
        }
    }
};

/// Opens the first `size` bytes, in memory of exactly that size. Nothing may be written if that fails.
kai_gemm_file_status open_part(const Bytes& bytes, size_t size) {
    const std::unique_ptr<uint8_t[]> copy(new uint8_t[size]);
    std::memcpy(copy.get(), bytes.data(), size);
    kai_gemm_file file, before;
    std::memset(&file, 0xA5, sizeof(file));
    std::memset(&before, 0xA5, sizeof(before));
    const kai_gemm_file_status status = kai_gemm_file_open(copy.get(), size, &file);
    if (status != KAI_GEMM_FILE_OK) {
        EXPECT_EQ(std::memcmp(&file, &before, sizeof(file)), 0);
    }
    return status;
}
kai_gemm_file_status open_all(const Bytes& bytes) {
    return open_part(bytes, bytes.size());
}

TEST(GemmFile, StatusesHaveSentences) {
    std::set<std::string> texts;
    for (int i = 0; i <= KAI_GEMM_FILE_STATUS_COUNT; ++i) {
        const char* text = kai_gemm_file_status_text(static_cast<kai_gemm_file_status>(i));
        ASSERT_NE(text, nullptr);
        EXPECT_TRUE(texts.insert(text).second) << text;
    }
}

TEST(GemmFile, ChecksumIsCrc32) {
    EXPECT_EQ(kai_gemm_file_checksum(0, "123456789", 9), 0xCBF43926U);
    const char text[] = "A checksum may be computed in parts of any length.";
    const uint32_t whole = kai_gemm_file_checksum(0, text, sizeof(text));
    for (size_t i = 0; i <= sizeof(text); ++i) {
        const uint32_t part = kai_gemm_file_checksum(0, text, i);
        EXPECT_EQ(kai_gemm_file_checksum(part, text + i, sizeof(text) - i), whole);
    }
}

TEST(GemmFile, HoldsWhatWasWritten) {
    const File f;
    kai_gemm_file file;
    ASSERT_EQ(kai_gemm_file_open(f.bytes.data(), f.bytes.size(), &file), KAI_GEMM_FILE_OK);
    ASSERT_EQ(file.count, f.tensors.size());
    for (size_t i = 0; i < file.count; ++i) {
        const Tensor& written = f.tensors[i];
        Tensor t, found;
        ASSERT_EQ(kai_gemm_file_tensor(&file, i, &t), KAI_GEMM_FILE_OK);
        ASSERT_EQ(kai_gemm_file_find(&file, written.name, &found), KAI_GEMM_FILE_OK);
        EXPECT_STREQ(found.name, written.name);
        EXPECT_EQ(found.offset, written.offset);
        EXPECT_STREQ(t.name, written.name);
        EXPECT_EQ(t.kind, written.kind);
        EXPECT_EQ(t.type, written.type);
        EXPECT_EQ(t.n, written.n);
        EXPECT_EQ(t.k, written.k);
        EXPECT_EQ(t.bl, written.bl);
        EXPECT_EQ(t.count, written.count);
        EXPECT_EQ(t.bias, written.bias);
        EXPECT_EQ(std::memcmp(t.lut, written.lut, sizeof(t.lut)), 0);
        EXPECT_EQ(t.a_zero_point, written.a_zero_point);
        EXPECT_EQ(t.multiplier, written.multiplier);
        EXPECT_EQ(t.checksum, written.checksum);
        EXPECT_STREQ(t.format.name, written.format.name);
        EXPECT_EQ(t.format.nr, written.format.nr);
        EXPECT_EQ(t.format.kr, written.format.kr);
        EXPECT_EQ(t.format.sr, written.format.sr);
        EXPECT_EQ(t.vector_length, written.vector_length);
        EXPECT_EQ(t.bias_apart, written.bias_apart);
        EXPECT_EQ(t.panels_size, written.panels_size);
        EXPECT_EQ(t.stride, written.stride);
        EXPECT_EQ(t.size, written.size);
        EXPECT_EQ(t.offset % KAI_GEMM_FILE_ALIGNMENT, 0U);
        EXPECT_EQ(t.data, f.bytes.data() + written.offset);
        EXPECT_EQ(kai_gemm_tensor_verify(&t), KAI_GEMM_FILE_OK);
    }
    EXPECT_TRUE(f.tensors[1].bias_apart);
    EXPECT_EQ(f.tensors[1].format.nr, 4U);
    Tensor t;
    EXPECT_EQ(kai_gemm_file_tensor(&file, 3, &t), KAI_GEMM_FILE_NO_TENSOR);
    for (const char* name : {"", "A", "aa", "c", "c.d.", "z"}) {
        EXPECT_EQ(kai_gemm_file_find(&file, name, &t), KAI_GEMM_FILE_NO_TENSOR) << name;
    }
}

TEST(GemmFile, MayBeEmpty) {
    Bytes bytes(64);
    size_t size = 0;
    ASSERT_EQ(kai_gemm_file_lay_out(nullptr, 0, &size), KAI_GEMM_FILE_OK);
    EXPECT_EQ(size, 64U);
    ASSERT_EQ(kai_gemm_file_write_header(nullptr, 0, bytes.data(), bytes.size()), KAI_GEMM_FILE_OK);
    EXPECT_EQ(open_all(bytes), KAI_GEMM_FILE_OK);
}

// Names are searched among entries only, whatever follows them: here zeros, which read as empty names.
// The size that the header states, with and without a tensor.
TEST(GemmFile, IsNotShorterThanItsHeader) {
    Bytes bytes(128);
    ASSERT_EQ(kai_gemm_file_write_header(nullptr, 0, bytes.data(), 64), KAI_GEMM_FILE_OK);
    for (const size_t size : {0, 63, 64, 65, 128}) {
        bytes[16] = static_cast<uint8_t>(size);
        const uint32_t checksum = kai_gemm_file_checksum(0, &bytes[16], 48);
        std::memcpy(&bytes[12], &checksum, sizeof(checksum));
        EXPECT_EQ(open_all(bytes), size < 64 ? KAI_GEMM_FILE_BAD_VALUE : KAI_GEMM_FILE_OK) << size;
    }
}

// Nothing overlaps: only the place itself is wrong.
TEST(GemmFile, RefusesTensorsThatAreNotAligned) {
    File f;
    const size_t last = f.tensors.size() - 1, offset = f.tensors[last].offset;
    f.bytes.resize(f.bytes.size() + 64);
    f.put(16, f.bytes.size(), 8);
    for (const size_t at : {0, 1, 32, 63, 64}) {
        f.put(64 + 256 * last + 208, offset + at, 8);
        f.seal();
        EXPECT_EQ(open_all(f.bytes), at % 64 == 0 ? KAI_GEMM_FILE_OK : KAI_GEMM_FILE_BAD_OFFSET) << at;
    }
}

TEST(GemmFile, SearchesNothingBehindTheLastEntry) {
    for (const size_t count : {0, 1, 2, 3}) {
        const char* const names[] = {"b", "d", "f"};
        std::vector<Tensor> tensors;
        for (size_t i = 0; i < count; ++i) {
            tensors.push_back(tensor_for(kTable, 128, names[i], 1, 32));
        }
        size_t size = 0;
        ASSERT_EQ(kai_gemm_file_lay_out(tensors.data(), count, &size), KAI_GEMM_FILE_OK);
        test::GuardedBuffer memory(size);
        std::memset(memory.data(), 0, size);
        ASSERT_EQ(kai_gemm_file_write_header(tensors.data(), count, memory.data(), size), KAI_GEMM_FILE_OK);
        kai_gemm_file file;
        ASSERT_EQ(kai_gemm_file_open(memory.data(), size, &file), KAI_GEMM_FILE_OK);
        size_t found = 0;
        for (const char* name : {"", "a", "b", "c", "d", "e", "f", "g", "zz"}) {
            Tensor t;
            found += kai_gemm_file_find(&file, name, &t) == KAI_GEMM_FILE_OK;
        }
        EXPECT_EQ(found, count);
    }
}

TEST(GemmFile, RefusesATruncatedFile) {
    const File f;
    for (size_t size = 0; size < f.bytes.size(); ++size) {
        ASSERT_EQ(open_part(f.bytes, size), KAI_GEMM_FILE_TRUNCATED) << size;
    }
}

TEST(GemmFile, IgnoresWhatFollows) {
    File f;
    f.bytes.resize(f.bytes.size() + 100, 0xFF);
    EXPECT_EQ(open_all(f.bytes), KAI_GEMM_FILE_OK);
}

TEST(GemmFile, RefusesADamagedHeader) {
    const File f;
    for (size_t i = 0; i < f.header; ++i) {
        for (int bit = 0; bit < 8; ++bit) {
            Bytes damaged = f.bytes;
            damaged[i] ^= static_cast<uint8_t>(1 << bit);
            const kai_gemm_file_status status = open_all(damaged);
            if (i < 8) {
                ASSERT_EQ(status, KAI_GEMM_FILE_WRONG_MAGIC) << i;
            } else if (i < 12) {
                ASSERT_EQ(status, KAI_GEMM_FILE_WRONG_VERSION) << i;
            } else if (i >= 24 && i < 32 && status == KAI_GEMM_FILE_TRUNCATED) {
                // A count of more tensors than there are bytes.
            } else {
                ASSERT_EQ(status, KAI_GEMM_FILE_DAMAGED_HEADER) << i;
            }
        }
    }
}

TEST(GemmFile, FindsADamagedTensor) {
    const File f;
    for (const Tensor& written : f.tensors) {
        for (size_t i = 0; i < written.size; ++i) {
            Bytes damaged = f.bytes;
            damaged[written.offset + i] ^= 0x10;
            kai_gemm_file file;
            ASSERT_EQ(kai_gemm_file_open(damaged.data(), damaged.size(), &file), KAI_GEMM_FILE_OK);
            Tensor t;
            ASSERT_EQ(kai_gemm_file_find(&file, written.name, &t), KAI_GEMM_FILE_OK);
            ASSERT_EQ(kai_gemm_tensor_verify(&t), KAI_GEMM_FILE_DAMAGED_TENSOR);
        }
    }
}

// With a checksum that is right.
TEST(GemmFile, RefusesAHeaderThatDeceives) {
    const size_t a = 64, b = 64 + 256;  // entries of the first two tensors
    const File good;
    const uint64_t size = good.tensors[1].size, offset = good.tensors[1].offset;
    const struct {
        size_t at, width;
        uint64_t value;
        kai_gemm_file_status status;
    } cases[] = {
        {8, 4, 3, KAI_GEMM_FILE_WRONG_VERSION},
        {8, 4, 1, KAI_GEMM_FILE_BAD_VALUE},  // which has no tags
        {8, 4, 0, KAI_GEMM_FILE_WRONG_VERSION},
        {16, 8, good.bytes.size() + 1, KAI_GEMM_FILE_TRUNCATED},
        {16, 8, UINT64_MAX, KAI_GEMM_FILE_TRUNCATED},
        {16, 8, good.bytes.size() - 1, KAI_GEMM_FILE_TRUNCATED},
        {16, 8, 0, KAI_GEMM_FILE_TRUNCATED},
        {40, 1, 1, KAI_GEMM_FILE_BAD_VALUE},
        {a, 1, 0, KAI_GEMM_FILE_BAD_NAME},
        {a, 1, 'b', KAI_GEMM_FILE_BAD_NAME},
        {a, 1, 'c', KAI_GEMM_FILE_BAD_NAME},
        {a + 2, 1, 'x', KAI_GEMM_FILE_BAD_NAME},
        {a + 111, 1, 'x', KAI_GEMM_FILE_BAD_NAME},
        {a + 112, 1, 0, KAI_GEMM_FILE_BAD_VALUE},
        {a + 143, 1, 'x', KAI_GEMM_FILE_BAD_VALUE},
        {a + 144, 4, KAI_GEMM_INT8_CHANNEL, KAI_GEMM_FILE_BAD_VALUE},
        {a + 144, 4, 8, KAI_GEMM_FILE_BAD_VALUE},
        {a + 144, 4, UINT32_MAX, KAI_GEMM_FILE_BAD_VALUE},
        {a + 148, 4, kai_dt_f32, KAI_GEMM_FILE_BAD_VALUE},
        {a + 148, 4, kai_dt_int8, KAI_GEMM_FILE_BAD_VALUE},
        {a + 152, 4, 0, KAI_GEMM_FILE_BAD_VALUE},  // the size has room for a tag
        {a + 152, 4, 12, KAI_GEMM_FILE_BAD_VALUE},
        {a + 152, 4, 6, KAI_GEMM_FILE_BAD_VALUE},
        {a + 152, 4, 7, KAI_GEMM_FILE_BAD_VALUE},
        {a + 156, 4, UINT32_MAX, KAI_GEMM_FILE_BAD_VALUE},
        {a + 160, 8, 0, KAI_GEMM_FILE_BAD_VALUE},
        {a + 160, 8, 17, KAI_GEMM_FILE_BAD_VALUE},
        {a + 160, 8, UINT64_MAX, KAI_GEMM_FILE_OVERFLOW},
        {a + 168, 8, 0, KAI_GEMM_FILE_BAD_VALUE},
        {a + 168, 8, 65, KAI_GEMM_FILE_BAD_VALUE},
        {a + 168, 8, UINT64_MAX, KAI_GEMM_FILE_OVERFLOW},
        {a + 168, 8, uint64_t{1} << 62, KAI_GEMM_FILE_OVERFLOW},
        {a + 176, 8, 32, KAI_GEMM_FILE_BAD_VALUE},
        {a + 184, 8, 0, KAI_GEMM_FILE_BAD_VALUE},
        {a + 184, 8, 2, KAI_GEMM_FILE_BAD_VALUE},
        {a + 184, 8, UINT64_MAX, KAI_GEMM_FILE_BAD_VALUE},
        {a + 192, 4, 0, KAI_GEMM_FILE_BAD_VALUE},
        {a + 192, 4, 1, KAI_GEMM_FILE_BAD_VALUE},
        {a + 192, 4, UINT32_MAX, KAI_GEMM_FILE_BAD_VALUE},
        {a + 196, 4, 0, KAI_GEMM_FILE_BAD_VALUE},
        {a + 200, 4, 0, KAI_GEMM_FILE_BAD_VALUE},
        {a + 200, 4, 3, KAI_GEMM_FILE_BAD_VALUE},
        {a + 208, 8, 0, KAI_GEMM_FILE_BAD_OFFSET},
        {a + 208, 8, good.header - 64, KAI_GEMM_FILE_BAD_OFFSET},
        {a + 208, 8, good.header + 1, KAI_GEMM_FILE_BAD_OFFSET},
        {a + 208, 8, good.header + 64, KAI_GEMM_FILE_BAD_OFFSET},  // overlaps the next
        {a + 208, 8, UINT64_MAX - 63, KAI_GEMM_FILE_TRUNCATED},
        {a + 216, 8, 1, KAI_GEMM_FILE_BAD_VALUE},
        {a + 216, 8, uint64_t{1} << 63, KAI_GEMM_FILE_BAD_VALUE},
        {a + 224, 8, 0, KAI_GEMM_FILE_BAD_VALUE},
        {a + 224, 8, UINT64_MAX, KAI_GEMM_FILE_BAD_VALUE},
        {b + 176, 8, 0, KAI_GEMM_FILE_BAD_VALUE},
        {b + 176, 8, 33, KAI_GEMM_FILE_BAD_VALUE},
        {b + 176, 8, 128, KAI_GEMM_FILE_BAD_VALUE},
        {b + 208, 8, offset - 64, KAI_GEMM_FILE_BAD_OFFSET},
        {b + 208, 8, good.bytes.size() / 64 * 64, KAI_GEMM_FILE_TRUNCATED},
        {b + 224, 8, size + 1, KAI_GEMM_FILE_BAD_VALUE},
        {b + 224, 8, size - 1, KAI_GEMM_FILE_BAD_VALUE},
        {b + 256 + 240, 4, 128, KAI_GEMM_FILE_BAD_VALUE},
        {b + 256 + 252, 4, UINT32_MAX - 128, KAI_GEMM_FILE_BAD_VALUE},
    };
    for (const auto& c : cases) {
        File f = good;
        f.put(c.at, c.value, c.width);
        f.seal();
        EXPECT_EQ(open_all(f.bytes), c.status)
            << "byte " << c.at << " = " << c.value << ": " << kai_gemm_file_status_text(open_all(f.bytes));
    }
}

/// Whether a format of this library is one of weights of this kind and type, as docs/file.md and docs/gguf.md say.
bool goes_with(const std::string& format, uint32_t kind, uint32_t type) {
    static const std::map<std::string, uint32_t> kinds = {
        {"f32pbiasf32", 0},           {"f16pbiasf16", 0},      {"bf16pbiasf32", 0},
        {"bf16pbiasf16", 0},          {"qsi8cxp", 1},          {"qsi4cxp", 2},
        {"qsi4cxps1s0", 2},           {"qsu2cxp4x4", 3},       {"qsu2cxp4vlx4", 3},
        {"qsi4c32pbf16", 4},          {"qsi4c32ps1s0", 4},     {"qsi4c32p", 5},
        {"qsi4c32ps1s0scalef16", 5},  {"qsi4c32ps4s0sf16", 5}, {"qai4c32p", 6},
        {"qai4c32ps1s0nrx4", 6},      {"qsi8cxpbi32sf32", 7},  {"qsi8c32p", 8},
        {"qsi8c32pscalef16", 8},      {"qsu2cxpbi32sf32", 12}, {"qlu4c32p", 13},
        {"qlu4c32ps1s0scalef16", 13}, {"f8e4m3c32p", 16},      {"f8e5m2c32p", 17},
    };
    const auto found = kinds.find(format);
    if (kind != KAI_GEMM_GGUF) {
        return found != kinds.end() && found->second == kind;
    }
    const std::string name = kai_gguf_find_type(type)->name;
    bool packed = found != kinds.end() && found->second == KAI_GEMM_DENSE;
    for (size_t i = 0; const kai_packer* p = kai_registry_packer(i); ++i) {
        packed = packed || (p->format == format && p->source_format == name);
    }
    return packed;
}

// Kinds, types and formats that are none, or do not go together, never become enumerations.
TEST(GemmFile, RefusesKindsAndTypesThatContradictTheFormat) {
    std::set<std::string> formats = {"Qsi4cxps1s0"};
    for (size_t i = 0; const kai_packer* p = kai_registry_packer(i); ++i) {
        if (std::string(p->name).substr(0, 3) == "rhs") {
            formats.insert(p->format);
        }
    }
    EXPECT_EQ(formats.count("qau4c32x256p"), 1U);
    EXPECT_GT(formats.size(), 25U);
    const std::set<uint32_t> floats = {kai_dt_f32, kai_dt_f16, kai_dt_bf16},
                             file_types = {2,  3,  6,  7,  8,  10, 11, 12, 13, 14, 16, 17, 18,
                                           19, 20, 21, 22, 23, 29, 34, 35, 39, 40, 41, 42};
    std::set<uint32_t> types = {63, 64, 127, 128, 1000, kai_dt_int8, kai_dt_uint8, 1U << 31, UINT32_MAX};
    types.insert(floats.begin(), floats.end());
    for (uint32_t type = 0; type < 48; ++type) {
        types.insert(type);
    }
    size_t opened = 0, refused = 0;
    for (const std::string& format : formats) {
        for (const uint32_t kind :
             {0U, 1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U, 9U, 10U, 11U, 12U, 13U, 14U, 15U, 16U, 17U, 18U, 128U, UINT32_MAX}) {
            for (const uint32_t type : types) {
                File f;
                f.put(64 + 144, kind, 4);
                f.put(64 + 148, type, 4);
                std::memset(&f.bytes[64 + 112], 0, 32);
                std::memcpy(&f.bytes[64 + 112], format.data(), format.size());
                f.seal();
                const bool known = kind <= KAI_GEMM_INT8_BLOCK_F16 ||
                                   (kind >= KAI_GEMM_GGUF && kind <= KAI_GEMM_INT4_TABLE) ||
                                   kind == KAI_GEMM_F8E4M3_BLOCK || kind == KAI_GEMM_F8E5M2_BLOCK;
                const bool typed = kind == KAI_GEMM_DENSE  ? floats.count(type) != 0
                                   : kind == KAI_GEMM_GGUF ? file_types.count(type) != 0
                                                           : type == 0;
                const bool future = format[0] == 'Q';
                const kai_gemm_file_status status = open_all(f.bytes);
                if (!known || !typed || (!future && !goes_with(format, kind, type))) {
                    ASSERT_EQ(status, KAI_GEMM_FILE_BAD_VALUE) << format << ", kind " << kind << ", type " << type;
                    ++refused;
                } else if (future) {
                    ASSERT_EQ(status, KAI_GEMM_FILE_OK) << "kind " << kind << ", type " << type;
                    ++opened;
                }
            }
        }
    }
    EXPECT_EQ(opened, 3 + 12 + file_types.size());
    EXPECT_GT(refused, 20000U);
    // Nothing is taken from the unknown format but its name.
    for (const size_t at : {160, 168}) {
        File f;
        f.bytes[64 + 112] = 'Q';
        f.put(64 + at, 0, 8);
        f.seal();
        EXPECT_EQ(open_all(f.bytes), KAI_GEMM_FILE_BAD_VALUE) << at;
    }
}

TEST(GemmFile, OpensAFormatOfTheFuture) {
    File f;
    f.bytes[64 + 112] = 'Q';
    f.seal();
    kai_gemm_file file;
    ASSERT_EQ(kai_gemm_file_open(f.bytes.data(), f.bytes.size(), &file), KAI_GEMM_FILE_OK);
    Tensor t;
    ASSERT_EQ(kai_gemm_file_find(&file, "a", &t), KAI_GEMM_FILE_OK);
    EXPECT_EQ(kai_gemm_tensor_verify(&t), KAI_GEMM_FILE_OK);
    char reason[200];
    EXPECT_EQ(kai_gemm_tensor_usable(&t, reason, sizeof(reason)), KAI_GEMM_FILE_UNKNOWN_FORMAT);
    EXPECT_STREQ(reason, "no micro-kernel of this library reads Qsi4cxps1s0 with nr 16, kr 4, sr 1");
    // What does not depend on the format holds for it, too: matrices fill the size, and the last one may be shorter.
    const size_t stride = f.tensors[0].stride;
    for (const auto& [size, count, status] :
         {std::tuple{stride, 1, KAI_GEMM_FILE_OK},
          {0, 1, KAI_GEMM_FILE_OK},
          {stride, 2, KAI_GEMM_FILE_OK},
          {stride - 1, 2, KAI_GEMM_FILE_BAD_VALUE},
          {stride + 1, 1, KAI_GEMM_FILE_BAD_VALUE},
          {stride, 3, KAI_GEMM_FILE_BAD_VALUE}}) {
        f.put(64 + 184, static_cast<uint64_t>(count), 8);
        f.put(64 + 224, size, 8);
        f.seal();
        EXPECT_EQ(open_all(f.bytes), status) << size << " bytes of " << count << " times " << stride;
    }
}

TEST(GemmFile, RefusesToWriteNonsense) {
    const File f;
    const auto status_of = [&](const std::function<void(std::vector<Tensor>&)>& change) {
        std::vector<Tensor> tensors = f.tensors;
        change(tensors);
        const std::vector<Tensor> before = tensors;
        size_t size = 77;
        const kai_gemm_file_status status = kai_gemm_file_lay_out(tensors.data(), tensors.size(), &size);
        if (status != KAI_GEMM_FILE_OK) {
            EXPECT_EQ(size, 77U);
            EXPECT_EQ(std::memcmp(tensors.data(), before.data(), sizeof(Tensor) * before.size()), 0);
        }
        Bytes header(f.header, 0xA5);
        const kai_gemm_file_status written =
            kai_gemm_file_write_header(before.data(), before.size(), header.data(), header.size());
        if (written != KAI_GEMM_FILE_OK) {
            EXPECT_EQ(header, Bytes(f.header, 0xA5));
        }
        EXPECT_EQ(written == KAI_GEMM_FILE_OK, status == KAI_GEMM_FILE_OK);
        return status;
    };
    const std::string longest(KAI_GEMM_FILE_NAME_MAX, 'z'), longer = longest + "z";
    EXPECT_EQ(status_of([](auto&) {}), KAI_GEMM_FILE_OK);
    EXPECT_EQ(status_of([&](auto& t) { t[2].name = longest.c_str(); }), KAI_GEMM_FILE_OK);
    EXPECT_EQ(status_of([&](auto& t) { t[2].name = longer.c_str(); }), KAI_GEMM_FILE_BAD_NAME);
    EXPECT_EQ(status_of([](auto& t) { t[0].name = ""; }), KAI_GEMM_FILE_BAD_NAME);
    EXPECT_EQ(status_of([](auto& t) { t[1].name = "a"; }), KAI_GEMM_FILE_BAD_NAME);
    EXPECT_EQ(status_of([](auto& t) { t[2].name = nullptr; }), KAI_GEMM_FILE_NULL_POINTER);
    EXPECT_EQ(status_of([](auto& t) { t[2].format.name = nullptr; }), KAI_GEMM_FILE_UNKNOWN_FORMAT);
    EXPECT_EQ(status_of([](auto& t) { t[2].n = 0; }), KAI_GEMM_FILE_BAD_VALUE);
    EXPECT_EQ(status_of([](auto& t) { t[2].k = 40; }), KAI_GEMM_FILE_BAD_VALUE);  // of int2: 32
    EXPECT_EQ(status_of([](auto& t) { t[1].bl = 16; }), KAI_GEMM_FILE_BAD_VALUE);
    EXPECT_EQ(status_of([](auto& t) { t[1].bl = 64; }), KAI_GEMM_FILE_OK);
    EXPECT_EQ(status_of([](auto& t) { t[1].n = SIZE_MAX; }), KAI_GEMM_FILE_OVERFLOW);
    EXPECT_EQ(status_of([](auto& t) { t[1].count = SIZE_MAX; }), KAI_GEMM_FILE_OVERFLOW);
    EXPECT_EQ(status_of([](auto& t) { t[1].count = SIZE_MAX / t[1].stride; }), KAI_GEMM_FILE_OVERFLOW);
    EXPECT_EQ(kai_gemm_file_header_size(SIZE_MAX), 0U);
    size_t size;
    EXPECT_EQ(kai_gemm_file_lay_out(nullptr, 1, &size), KAI_GEMM_FILE_NULL_POINTER);
    Bytes header(f.header - 1, 0xA5);
    EXPECT_EQ(
        kai_gemm_file_write_header(f.tensors.data(), f.tensors.size(), header.data(), header.size()),
        KAI_GEMM_FILE_TOO_SMALL);
    EXPECT_EQ(header, Bytes(f.header - 1, 0xA5));
}

TEST(GemmFile, RefusesNull) {
    const File f;
    kai_gemm_file file;
    Tensor t = {};
    EXPECT_EQ(kai_gemm_file_open(nullptr, 0, &file), KAI_GEMM_FILE_NULL_POINTER);
    EXPECT_EQ(kai_gemm_file_open(f.bytes.data(), f.bytes.size(), nullptr), KAI_GEMM_FILE_NULL_POINTER);
    ASSERT_EQ(kai_gemm_file_open(f.bytes.data(), f.bytes.size(), &file), KAI_GEMM_FILE_OK);
    EXPECT_EQ(kai_gemm_file_tensor(&file, 0, nullptr), KAI_GEMM_FILE_NULL_POINTER);
    EXPECT_EQ(kai_gemm_file_find(&file, nullptr, &t), KAI_GEMM_FILE_NULL_POINTER);
    EXPECT_EQ(kai_gemm_tensor_verify(&t), KAI_GEMM_FILE_NULL_POINTER);
    EXPECT_EQ(kai_gemm_tensor_usable(&t, nullptr, 0), KAI_GEMM_FILE_NULL_POINTER);
}

// ---- for which CPU ----

TEST(GemmTensor, KnowsTheMicroKernelsOfEveryBuild) {
    Tensor t = {};
    ASSERT_EQ(kai_gemm_tensor_for(kSme2, 512, &t), KAI_GEMM_FILE_OK);
    EXPECT_STREQ(t.format.name, "qsi4cxps1s0");
    EXPECT_EQ(t.kind, KAI_GEMM_INT4_CHANNEL);
    EXPECT_EQ(t.format.nr, 64U);
    EXPECT_EQ(t.format.kr, 4U);
    EXPECT_EQ(t.format.sr, 1U);
    EXPECT_EQ(t.vector_length, 64U);
    ASSERT_EQ(kai_gemm_tensor_for(kSve, 128, &t), KAI_GEMM_FILE_OK);
    EXPECT_STREQ(t.format.name, "f32pbiasf32");
    EXPECT_EQ(t.type, kai_dt_f32);
    EXPECT_EQ(t.format.nr, 16U);
    ASSERT_EQ(kai_gemm_tensor_for(kNeon, 7, &t), KAI_GEMM_FILE_OK);
    EXPECT_EQ(t.vector_length, 0U);
    EXPECT_EQ(t.type, kai_dt_unknown);
    for (const size_t bits : {0, 64, 384, 4096}) {
        EXPECT_EQ(kai_gemm_tensor_for(kSme2, bits, &t), KAI_GEMM_FILE_BAD_VECTOR);
    }
    kai_gemm_tensor longest = {};
    EXPECT_EQ(kai_gemm_tensor_for(kSme2, 2048, &longest), KAI_GEMM_FILE_OK);
    EXPECT_EQ(longest.vector_length, 256U);
    EXPECT_EQ(kai_gemm_tensor_for("matmul", 128, &t), KAI_GEMM_FILE_UNKNOWN_KERNEL);
    EXPECT_EQ(kai_gemm_tensor_for(nullptr, 128, &t), KAI_GEMM_FILE_NULL_POINTER);
    EXPECT_STREQ(t.format.name, "qsi4c32p");  // not written
}

TEST(GemmTensor, SaysWhichVectorsAnSveCpuHas) {
    if (kai_cpu_sme_bytes() != 0) {
        return;  // a kernel of SME may read the same panels
    }
    const size_t own = 8 * kai_cpu_sve_bytes(), other = own == 512 ? 256 : 512;
    char reason[200];
    const Tensor t = tensor_for(kSve, other);
    EXPECT_EQ(kai_gemm_tensor_usable(&t, reason, sizeof(reason)), KAI_GEMM_FILE_CPU_LACKS);
    const std::string start = "packed for SVE with vectors of " + std::to_string(other) + " bits: ";
    EXPECT_EQ(std::string(reason).substr(0, start.size()), start);
    if (own != 0) {
        EXPECT_EQ(reason, start + "this CPU has vectors of " + std::to_string(own) + " bits");
    }
}

TEST(GemmTensor, SaysWhatTheCpuLacks) {
    const bool sme2 = (kai_cpu_features() >> KAI_CPU_SME2 & 1) != 0;
    const size_t own = 8 * kai_cpu_sme_bytes(), other = own == 512 ? 256 : 512;
    char reason[200];
    const Tensor t = tensor_for(kSme2, other);
    EXPECT_EQ(kai_gemm_tensor_usable(&t, reason, sizeof(reason)), KAI_GEMM_FILE_CPU_LACKS);
    const std::string start = "packed for SME2 with vectors of " + std::to_string(other) + " bits: ";
    EXPECT_EQ(std::string(reason).substr(0, start.size()), start);
    if (sme2) {
        EXPECT_EQ(reason, start + "this CPU has vectors of " + std::to_string(own) + " bits");
        const Tensor mine = tensor_for(kSme2, own);
        EXPECT_EQ(kai_gemm_tensor_usable(&mine, reason, sizeof(reason)), KAI_GEMM_FILE_OK);
        EXPECT_EQ(std::string(reason), std::string("read by ") + kSme2);
    } else {
        EXPECT_NE(std::string(reason).find("CPU lacks SME"), std::string::npos) << reason;
    }
    char cut[5] = "....";
    EXPECT_EQ(kai_gemm_tensor_usable(&t, cut, sizeof(cut)), KAI_GEMM_FILE_CPU_LACKS);
    EXPECT_STREQ(cut, "pack");
    EXPECT_EQ(kai_gemm_tensor_usable(&t, nullptr, 0), KAI_GEMM_FILE_CPU_LACKS);
}

// ---- packing ----

float real(test::Random& random) {
    return random.real(-4.0F, 4.0F);
}

/// Weights of a kind, K x N or N x K, without gaps. Values of floats are exact in f16 and bf16.
struct Weights {
    Bytes b;
    std::vector<float> scale, zero, bias;
    std::vector<uint16_t> bf16_scale, f16_bias;
    std::vector<int32_t> i32_bias;
    kai_gemm_weights w = {};

    Weights(const Tensor& t, bool transposed, uint64_t seed = 7) {
        test::Random random(seed);
        const size_t lines = transposed ? t.n : t.k, length = transposed ? t.k : t.n;
        const size_t blocks = t.bl != 0 ? t.k / t.bl : 1;
        switch (t.kind) {
            case KAI_GEMM_DENSE:
                for (size_t i = 0; i < t.n * t.k; ++i) {
                    const float x = kai_cast_f32_bf16(kai_cast_bf16_f32(real(random)));
                    const uint16_t f16 = kai_cast_f16_f32(x), bf16 = kai_cast_bf16_f32(x);
                    if (t.type == kai_dt_f32) {
                        append(&x, sizeof(x));
                    } else {
                        append(t.type == kai_dt_f16 ? &f16 : &bf16, sizeof(f16));
                    }
                }
                break;
            case KAI_GEMM_INT4_BLOCK_F16:
                for (size_t i = 0; i < t.n * blocks; ++i) {
                    const uint16_t s = kai_cast_f16_f32(real(random));
                    append(&s, sizeof(s));
                    fill(t.bl / 2, random);
                }
                break;
            case KAI_GEMM_INT8_BLOCK_F16:
                for (size_t i = 0; i < t.n * blocks; ++i) {
                    const uint16_t s = kai_cast_f16_f32(real(random));
                    append(&s, sizeof(s));
                    fill(t.bl, random);
                }
                break;
            default:
                fill(
                    lines * ((length * (t.kind == KAI_GEMM_INT8_CHANNEL || t.kind == KAI_GEMM_INT8_STATIC ||
                                                t.kind == KAI_GEMM_F8E4M3_BLOCK || t.kind == KAI_GEMM_F8E5M2_BLOCK
                                            ? 8
                                        : t.kind == KAI_GEMM_INT2_CHANNEL || t.kind == KAI_GEMM_INT2_STATIC ? 2
                                                                                                            : 4) +
                              7) /
                             8),
                    random);
        }
        for (size_t i = 0; i < t.n * blocks; ++i) {
            scale.push_back(real(random));
            zero.push_back(real(random));
            bf16_scale.push_back(kai_cast_bf16_f32(real(random)));
        }
        for (size_t i = 0; i < t.n; ++i) {
            f16_bias.push_back(kai_cast_f16_f32(real(random)));
            bias.push_back(kai_cast_f32_f16(f16_bias.back()));
            i32_bias.push_back(random.integer(-100000, 100000));
        }
        w.b = b.data();
        if (t.kind != KAI_GEMM_DENSE && t.kind != KAI_GEMM_INT4_BLOCK_F16 && t.kind != KAI_GEMM_INT8_BLOCK_F16) {
            w.scale = t.kind == KAI_GEMM_INT4_BLOCK ? static_cast<const void*>(bf16_scale.data()) : scale.data();
        }
        w.zero = zero.data();
        w.zero_point = 8;
        if (t.bias) {
            w.bias = test::gemm::is_static(t.kind) ? static_cast<const void*>(i32_bias.data()) : bias.data();
        }
    }

    void append(const void* from, size_t size) {
        const auto* bytes = static_cast<const uint8_t*>(from);
        b.insert(b.end(), bytes, bytes + size);
    }
    void fill(size_t size, test::Random& random) {
        for (size_t i = 0; i < size; ++i) {
            b.push_back(static_cast<uint8_t>(random.next()));
        }
    }
};

/// All columns at once, or, if that is possible, panel by panel.
Bytes packed_by_tensor(Tensor t, bool transposed, const Weights& weights, bool in_parts = false) {
    EXPECT_EQ(kai_gemm_tensor_measure(&t), KAI_GEMM_FILE_OK);
    Bytes packed(t.size, t.untagged ? 0 : 0xA5);
    for (size_t n = 0; n < t.n; n += in_parts ? t.format.nr : t.n) {
        EXPECT_EQ(
            kai_gemm_tensor_pack(
                &t, 0, transposed, &weights.w, n, in_parts ? std::min(t.format.nr, t.n - n) : t.n, packed.data(),
                packed.size()),
            KAI_GEMM_FILE_OK)
            << t.format.name;
    }
    return packed;
}

/// The tag at the end of a matrix, as docs/file.md has it.
Bytes tag_of(const Tensor& t) {
    Bytes tag;
    const auto append = [&](uint64_t value, size_t size) {
        for (size_t i = 0; i < size; ++i) {
            tag.push_back(static_cast<uint8_t>(value >> 8 * i));
        }
    };
    for (const char c : std::string("KAIPACK\n")) {
        append(static_cast<uint8_t>(c), 1);
    }
    uint32_t name = 2166136261U;
    for (const char c : std::string(t.format.name)) {
        name = (name ^ static_cast<uint8_t>(c)) * 16777619U;
    }
    const bool integers = test::gemm::is_static(t.kind);
    uint32_t multiplier = 0;
    std::memcpy(&multiplier, &t.multiplier, sizeof(multiplier));
    append(t.n, 8), append(t.k, 8), append(t.bl, 8);
    append(name, 4), append(t.format.nr, 4), append(t.format.kr, 4), append(t.format.sr, 4);
    append(t.kind, 1), append(t.bias_apart ? 3 : t.bias ? 1 : 0, 1), append(0, 2);
    append(integers ? static_cast<uint32_t>(t.a_zero_point) : 0, 4), append(integers ? multiplier : 0, 4);
    for (const int32_t weight : t.lut) {
        append(t.kind == KAI_GEMM_INT2_CHANNEL ? static_cast<uint32_t>(weight) : 0, 1);
    }
    return tag;
}

kai_datatype type_of(const std::string& source) {
    return source == "f32"    ? kai_dt_f32
           : source == "f16"  ? kai_dt_f16
           : source == "bf16" ? kai_dt_bf16
                              : kai_dt_unknown;
}

/// By a packer for a micro-kernel of this CPU.
Bytes packed_by_cpu(const Tensor& t, const kai_ukernel& u, const kai_packer& packer, const Weights& weights) {
    const std::string format = t.format.name;
    kai_call call = {};
    call.ukernel = &u, call.rhs_packer = &packer;
    call.n = t.n, call.k = t.k, call.bl = t.bl;
    call.rhs = weights.w.b, call.rhs_zero = weights.w.zero, call.rhs_zero_point = 8;
    call.rhs_scale = weights.w.scale;
    call.lhs_zero_point = t.a_zero_point, call.scale_multiplier = t.multiplier;
    const bool f16_bias = format == "f16pbiasf16" || format == "bf16pbiasf16";
    call.bias = t.bias_apart ? nullptr : f16_bias ? weights.f16_bias.data() : weights.w.bias;
    EXPECT_EQ(kai_call_rhs_packed_size(&call), t.panels_size);
    Bytes packed(t.panels_size, 0xA5);
    kai_call_pack_rhs(&call, 0, t.n, packed.data());
    if (t.bias_apart) {
        packed.resize((t.panels_size + 63) / 64 * 64, 0);
        const auto* bias = reinterpret_cast<const uint8_t*>(weights.bias.data());
        packed.insert(packed.end(), bias, bias + t.n * sizeof(float));
    }
    if (!t.untagged) {
        packed.resize((packed.size() + 63) / 64 * 64, 0);
        const Bytes tag = tag_of(t);
        packed.insert(packed.end(), tag.begin(), tag.end());
    }
    return packed;
}

// The bytes of every packer on this CPU.
TEST(GemmTensor, PacksLikeTheCpu) {
    std::set<std::string> formats;
    size_t compared = 0;
    for (size_t i = 0; i < kai_registry_ukernel_count(); ++i) {
        const kai_ukernel& u = *kai_registry_ukernel(i);
        const uint64_t sve = uint64_t{1} << KAI_CPU_SVE;
        Tensor t = {};
        if (!kai_registry_runnable(u.size_features, nullptr, 0) ||
            kai_gemm_tensor_for(u.name, 8 * (u.size_features == sve ? kai_cpu_sve_bytes() : kai_cpu_sme_bytes()), &t) !=
                KAI_GEMM_FILE_OK) {
            continue;
        }
        SCOPED_TRACE(u.name);
        EXPECT_STREQ(t.format.name, u.rhs_format);
        EXPECT_EQ(t.format.nr, u.get_nr());
        EXPECT_EQ(t.format.kr, u.get_kr());
        EXPECT_EQ(t.format.sr, u.get_sr());
        std::set<std::string> sources;
        for (size_t j = 0;; ++j) {
            const kai_packer* p = kai_registry_rhs_packer(&u, j);
            if (p == nullptr) {
                break;
            }
            if (p->signature == KAI_RHS_PACK_NXK_TABLE) {
                continue;  // of no kind
            }
            const bool transposed = !kai_call_rhs_is_kxn(p);
            // The first one counts; it must be the choice of kai_gemm_tensor_pack as well.
            if (!sources.insert(std::string(p->source_format) + (transposed ? "t" : "")).second ||
                std::string(p->source_format) == "qau4c32s1s0") {
                continue;
            }
            SCOPED_TRACE(p->name);
            for (const size_t n : {t.format.nr, 2 * t.format.nr + 3}) {
                for (const size_t k : {size_t{64}, size_t{t.kind == KAI_GEMM_DENSE ? 35U : 96U}}) {
                    Tensor s = t;
                    s.n = n, s.k = k, s.count = 1, s.bias = true;
                    s.bl = has_blocks(s.kind) ? 32 : 0;
                    s.type = s.kind == KAI_GEMM_DENSE ? type_of(p->source_format) : kai_dt_unknown;
                    s.a_zero_point = 3, s.multiplier = 0.3F;
                    ASSERT_EQ(kai_gemm_tensor_measure(&s), KAI_GEMM_FILE_OK);
                    const Weights weights(s, transposed);
                    const Bytes expected = packed_by_cpu(s, u, *p, weights);
                    ASSERT_EQ(packed_by_tensor(s, transposed, weights), expected);
                    const bool channels = s.kind >= KAI_GEMM_INT8_CHANNEL && s.kind <= KAI_GEMM_INT2_CHANNEL;
                    if (transposed || !channels) {
                        ASSERT_EQ(packed_by_tensor(s, transposed, weights, true), expected);
                    }
                    formats.insert(s.format.name);
                    ++compared;
                }
            }
        }
    }
    std::printf("%zu comparisons, %zu formats\n", compared, formats.size());
    if ((kai_cpu_features() >> KAI_CPU_SME2 & 1) != 0) {
        EXPECT_EQ(formats.size(), 23U);
    }
}

// A plan for a tensor of a file agrees with it in all sizes, and packs the same bytes itself.
TEST(GemmTensor, AgreesWithThePlan) {
    size_t compared = 0;
    for (size_t i = 0; i < kai_registry_ukernel_count(); ++i) {
        const kai_ukernel& u = *kai_registry_ukernel(i);
        const bool sve = u.size_features == uint64_t{1} << KAI_CPU_SVE;
        Tensor t = {};
        if (!kai_registry_runnable(u.features, nullptr, 0) ||
            kai_gemm_tensor_for(u.name, 8 * (sve ? kai_cpu_sve_bytes() : kai_cpu_sme_bytes()), &t) !=
                KAI_GEMM_FILE_OK ||
            t.kind == KAI_GEMM_GGUF) {  // gguf_test.cpp
            continue;
        }
        for (const size_t count : {1, 3}) {
            SCOPED_TRACE(u.name);
            t.n = 2 * t.format.nr + 3, t.k = 96, t.count = count, t.bias = true;
            t.bl = has_blocks(t.kind) ? 32 : 0;
            t.a_zero_point = 3, t.multiplier = 0.3F;
            ASSERT_EQ(kai_gemm_tensor_measure(&t), KAI_GEMM_FILE_OK);
            const bool transposed = t.kind != KAI_GEMM_INT8_STATIC && t.kind != KAI_GEMM_DENSE;
            kai_gemm_problem problem = kai_gemm_problem_of(7, 0, 0);
            kai_gemm_tensor_describe(&t, &problem);
            ASSERT_EQ(problem.b_transposed, transposed);
            kai_gemm_plan plan;
            const kai_gemm_status status = kai_gemm_make_plan(&problem, &plan);
            ASSERT_EQ(status, KAI_GEMM_OK) << kai_gemm_status_text(status);
            EXPECT_EQ(plan.panels_size, t.panels_size);
            EXPECT_EQ(plan.packed_b_stride, t.stride);
            EXPECT_EQ(plan.packed_b_size, t.size);
            EXPECT_EQ(plan.bias_apart, t.bias_apart);
            Bytes by_plan(t.size, 0), by_tensor(t.size, 0);
            std::vector<float> workspace(plan.pack_workspace_size / sizeof(float) + 16);
            void* aligned = workspace.data();
            size_t space = workspace.size() * sizeof(float);
            std::align(64, plan.pack_workspace_size, aligned, space);
            for (size_t m = 0; m < count; ++m) {
                const Weights weights(t, transposed, m);
                ASSERT_EQ(
                    kai_gemm_pack_b(
                        &plan, m, &weights.w, by_plan.data(), t.size, aligned, plan.pack_workspace_size, nullptr,
                        nullptr),
                    KAI_GEMM_OK);
                ASSERT_EQ(
                    kai_gemm_tensor_pack(&t, m, transposed, &weights.w, 0, t.n, by_tensor.data(), t.size),
                    KAI_GEMM_FILE_OK);
            }
            ASSERT_EQ(by_plan, by_tensor);
            ++compared;
        }
    }
    std::printf("%zu comparisons\n", compared);
}

/// C of a plan with packed weights.
std::vector<float> product(const kai_gemm_plan& plan, const void* packed, const std::vector<float>& a) {
    const kai_gemm_problem& p = plan.problem;
    std::vector<float> c(p.m * p.n), workspace(plan.workspace_size / sizeof(float) + 17);
    void* aligned = workspace.data();
    size_t space = workspace.size() * sizeof(float);
    std::align(64, plan.workspace_size, aligned, space);
    kai_gemm_operands x = {};
    x.m = p.m, x.a.data = a.data(), x.b.data = packed, x.c.data = c.data();
    EXPECT_EQ(kai_gemm_run(&plan, &x, aligned, plan.workspace_size, nullptr, nullptr), KAI_GEMM_OK);
    return c;
}

// Mapped read-only, and multiplied from in place; with alpha 2 and a bias that is apart.
TEST(GemmFile, IsMultipliedFromInPlace) {
    for (const char* kernel : {kSme2, kSve, kNeon, kFloat, kNeonFloat}) {
        SCOPED_TRACE(kernel);
        for (const float alpha : {1.0F, 2.0F}) {
            const size_t bytes = kernel == kSve ? kai_cpu_sve_bytes() : kai_cpu_sme_bytes();
            Tensor t = tensor_for(kernel, bytes != 0 ? 8 * bytes : 128, "w", 37, 96);
            t.bias = true, t.bias_apart = alpha != 1;
            if (kai_gemm_tensor_usable(&t, nullptr, 0) != KAI_GEMM_FILE_OK) {
                continue;
            }
            size_t size = 0;
            ASSERT_EQ(kai_gemm_file_lay_out(&t, 1, &size), KAI_GEMM_FILE_OK);
            void* mapped = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            ASSERT_NE(mapped, MAP_FAILED);
            uint8_t* data = static_cast<uint8_t*>(mapped) + t.offset;
            const Weights weights(t, true);
            ASSERT_EQ(kai_gemm_tensor_pack(&t, 0, true, &weights.w, 0, t.n, data, t.size), KAI_GEMM_FILE_OK);
            t.checksum = kai_gemm_file_checksum(0, data, t.size);
            ASSERT_EQ(kai_gemm_file_write_header(&t, 1, mapped, size), KAI_GEMM_FILE_OK);
            ASSERT_EQ(mprotect(mapped, size, PROT_READ), 0);

            kai_gemm_file file;
            Tensor found;
            ASSERT_EQ(kai_gemm_file_open(mapped, size, &file), KAI_GEMM_FILE_OK);
            ASSERT_EQ(kai_gemm_file_find(&file, "w", &found), KAI_GEMM_FILE_OK);
            ASSERT_EQ(kai_gemm_tensor_verify(&found), KAI_GEMM_FILE_OK);
            kai_gemm_problem problem = kai_gemm_problem_of(3, 0, 0);
            kai_gemm_tensor_describe(&found, &problem);
            problem.b_transposed = true, problem.alpha = alpha;
            kai_gemm_plan plan;
            ASSERT_EQ(kai_gemm_make_plan(&problem, &plan), KAI_GEMM_OK);
            ASSERT_EQ(plan.packed_b_size, found.size);
            ASSERT_EQ(plan.bias_apart, found.bias_apart);
            test::Random random(5);
            std::vector<float> a(problem.m * t.k);
            for (float& x : a) {
                x = real(random);
            }
            Bytes packed(plan.packed_b_size), workspace(plan.pack_workspace_size + 64);
            void* aligned = workspace.data();
            size_t space = workspace.size();
            std::align(64, plan.pack_workspace_size, aligned, space);
            ASSERT_EQ(
                kai_gemm_pack_b(
                    &plan, 0, &weights.w, packed.data(), packed.size(), aligned, plan.pack_workspace_size, nullptr,
                    nullptr),
                KAI_GEMM_OK);
            const std::vector<float> c = product(plan, found.data, a);
            EXPECT_EQ(c, product(plan, packed.data(), a));
            for (size_t i = 0; t.kind == KAI_GEMM_DENSE && i < c.size(); ++i) {
                double sum = 0;
                for (size_t kk = 0; kk < t.k; ++kk) {
                    sum += a[i / t.n * t.k + kk] *
                           double{reinterpret_cast<const float*>(weights.b.data())[i % t.n * t.k + kk]};
                }
                EXPECT_NEAR(c[i], alpha * sum + weights.bias[i % t.n], 1e-3);
            }
            munmap(mapped, size);
        }
    }
}

// The bytes that an Arm CPU packs, on every host. Where this is that CPU they are compared with its packer's.
TEST(GemmTensor, PacksTheSameBytesOnEveryHost) {
    const struct {
        const char* kernel;
        size_t bits;
        bool transposed;
        uint32_t checksum;
    } cases[] = {
        {kSme2, 128, true, 0xCD26C33FU},      {kSme2, 512, true, 0x5685BBA6U},    {kSve, 128, false, 0x876B4572U},
        {kSve, 256, false, 0x300C7143U},      {kFloat, 128, false, 0xB8D34F20U},  {kFloat, 512, true, 0xD8064EB2U},
        {kNeon, 0, true, 0x347434F0U},        {kTable, 128, true, 0x3090F4EAU},   {kTable, 512, true, 0x487C3115U},
        {kBf16, 0, false, 0xF8A25882U},       {kStatic, 128, false, 0x76955E6DU}, {kStatic, 512, false, 0xC1410A90U},
        {kE4m3, 0, true, 0x1EE676BAU},        {kE4m3, 0, false, 0xA4AE30F6U},     {kE4m3Sme2, 128, true, 0x213A6DFCU},
        {kE4m3Sme2, 512, false, 0x66795406U}, {kE5m2, 0, true, 0xFE6BCC15U},      {kE5m2Sme2, 128, false, 0x6643E2E0U},
        {kE5m2Sme2, 512, true, 0xB11416B0U},
    };
    for (const auto& c : cases) {
        Tensor t = tensor_for(c.kernel, c.bits, "t", 70, 64);
        t.bias = true, t.a_zero_point = 3, t.multiplier = 0.3F, t.untagged = true;
        const Weights weights(t, c.transposed);
        const Bytes packed = packed_by_tensor(t, c.transposed, weights);
        EXPECT_EQ(kai_gemm_file_checksum(0, packed.data(), packed.size()), c.checksum) << c.kernel << " " << c.bits;
        ASSERT_EQ(kai_gemm_tensor_measure(&t), KAI_GEMM_FILE_OK);
        const kai_ukernel* u = kai_registry_find_ukernel(c.kernel);
        if (u == nullptr || !kai_registry_runnable(u->size_features, nullptr, 0) || u->get_nr() != t.format.nr) {
            continue;
        }
        for (size_t i = 0; const kai_packer* packer = kai_registry_rhs_packer(u, i); ++i) {
            // The weights are floats, not what other packers of bf16 take.
            if (kai_call_rhs_is_kxn(packer) != c.transposed && std::string(packer->source_format) != "bf16") {
                EXPECT_EQ(packed_by_cpu(t, *u, *packer, weights), packed) << packer->name;
                break;
            }
        }
    }
}

// Written out by hand: two columns of depth 2 in a panel of 4 (SVL 64 does not exist: nr is set here).
TEST(GemmTensor, PacksFloatsByTheDescription) {
    Tensor t = tensor_for(kFloat, 128, "t", 2, 2);
    t.format.nr = 4, t.bias = true, t.untagged = true;
    const float b[] = {1, 2, 3, 4}, bias[] = {10, 20};
    kai_gemm_weights w = {};
    w.b = b, w.bias = bias;
    ASSERT_EQ(kai_gemm_tensor_measure(&t), KAI_GEMM_FILE_OK);
    ASSERT_EQ(t.size, 12 * sizeof(float));
    const float kxn[] = {10, 20, 0, 0, 1, 2, 0, 0, 3, 4, 0, 0}, nxk[] = {10, 20, 0, 0, 1, 3, 0, 0, 2, 4, 0, 0};
    float packed[12];
    ASSERT_EQ(kai_gemm_tensor_pack(&t, 0, false, &w, 0, 2, packed, sizeof(packed)), KAI_GEMM_FILE_OK);
    EXPECT_EQ(std::memcmp(packed, kxn, sizeof(packed)), 0);
    ASSERT_EQ(kai_gemm_tensor_pack(&t, 0, true, &w, 0, 2, packed, sizeof(packed)), KAI_GEMM_FILE_OK);
    EXPECT_EQ(std::memcmp(packed, nxk, sizeof(packed)), 0);
}

TEST(GemmTensor, PacksEveryMatrixAndABiasApart) {
    Tensor t = tensor_for(kNeon, 0, "t", 6, 64);
    t.count = 2, t.bias = true;
    ASSERT_EQ(kai_gemm_tensor_measure(&t), KAI_GEMM_FILE_OK);
    ASSERT_TRUE(t.bias_apart);
    const Weights weights(t, true);
    Bytes packed(t.size, 0xA5);
    ASSERT_EQ(kai_gemm_tensor_pack(&t, 1, true, &weights.w, 0, 6, packed.data(), packed.size()), KAI_GEMM_FILE_OK);
    EXPECT_EQ(Bytes(packed.begin(), packed.begin() + t.stride), Bytes(t.stride, 0xA5));
    const size_t apart = t.stride + (t.panels_size + 63) / 64 * 64;
    EXPECT_EQ(t.size, 2 * t.stride);
    EXPECT_EQ(Bytes(packed.end() - 64, packed.end()), tag_of(t));
    EXPECT_EQ(std::memcmp(&packed[apart], weights.bias.data(), 6 * sizeof(float)), 0);
    // No bias is one of zeros.
    kai_gemm_weights none = weights.w;
    none.bias = nullptr;
    ASSERT_EQ(kai_gemm_tensor_pack(&t, 1, true, &none, 4, 2, packed.data(), packed.size()), KAI_GEMM_FILE_OK);
    EXPECT_EQ(std::memcmp(&packed[apart], weights.bias.data(), 4 * sizeof(float)), 0);
    EXPECT_EQ(
        Bytes(&packed[apart + 4 * sizeof(float)], &packed[apart + 6 * sizeof(float)]), Bytes(2 * sizeof(float), 0));
    // Where the format has a place for it, it can be apart as well.
    Tensor in = tensor_for(kSme2, 128);
    in.bias = true;
    ASSERT_EQ(kai_gemm_tensor_measure(&in), KAI_GEMM_FILE_OK);
    EXPECT_FALSE(in.bias_apart);
    Tensor out = in;
    out.bias_apart = true;
    ASSERT_EQ(kai_gemm_tensor_measure(&out), KAI_GEMM_FILE_OK);
    EXPECT_TRUE(out.bias_apart);
    EXPECT_EQ(out.size, (in.panels_size + 63) / 64 * 64 + 64 + 64);  // 5 floats, the tag
    out.untagged = true;
    ASSERT_EQ(kai_gemm_tensor_measure(&out), KAI_GEMM_FILE_OK);
    EXPECT_EQ(out.size, (in.panels_size + 63) / 64 * 64 + 5 * sizeof(float));
}

TEST(GemmTensor, RefusesToPackNonsense) {
    Tensor t = tensor_for(kSme2, 128, "t", 40, 64);
    ASSERT_EQ(kai_gemm_tensor_measure(&t), KAI_GEMM_FILE_OK);
    const Weights weights(t, true);
    Bytes packed(t.size, 0xA5);
    const auto status = [&](const Tensor& tensor, const kai_gemm_weights& w, bool transposed = true, size_t first = 0,
                            size_t columns = 40, size_t matrix = 0, size_t missing = 0) {
        const kai_gemm_file_status s = kai_gemm_tensor_pack(
            &tensor, matrix, transposed, &w, first, columns, packed.data(), packed.size() - missing);
        EXPECT_EQ(packed, Bytes(t.size, 0xA5));
        return s;
    };
    const auto changed = [&](const std::function<void(Tensor&, kai_gemm_weights&)>& change) {
        Tensor tensor = t;
        kai_gemm_weights w = weights.w;
        change(tensor, w);
        return status(tensor, w);
    };
    EXPECT_EQ(status(t, weights.w, true, 0, 0), KAI_GEMM_FILE_OK);  // no columns
    EXPECT_EQ(status(t, weights.w, true, 1, 16), KAI_GEMM_FILE_BAD_VALUE);
    EXPECT_EQ(status(t, weights.w, true, 48, 0), KAI_GEMM_FILE_BAD_VALUE);
    EXPECT_EQ(status(t, weights.w, true, 16, SIZE_MAX), KAI_GEMM_FILE_BAD_VALUE);
    EXPECT_EQ(status(t, weights.w, true, 16, 8), KAI_GEMM_FILE_BAD_VALUE);
    EXPECT_EQ(status(t, weights.w, true, 0, 40, 1), KAI_GEMM_FILE_BAD_VALUE);
    EXPECT_EQ(status(t, weights.w, true, 0, 40, 0, 1), KAI_GEMM_FILE_TOO_SMALL);
    EXPECT_EQ(status(t, weights.w, false), KAI_GEMM_FILE_NO_PACKER);
    EXPECT_EQ(changed([](auto&, auto& w) { w.b = nullptr; }), KAI_GEMM_FILE_NULL_POINTER);
    EXPECT_EQ(changed([](auto&, auto& w) { w.scale = nullptr; }), KAI_GEMM_FILE_NULL_POINTER);
    EXPECT_EQ(changed([](auto&, auto& w) { w.ldb = 31; }), KAI_GEMM_FILE_BAD_STRIDE);
    EXPECT_EQ(changed([](auto&, auto& w) { w.ldb = 33; }), KAI_GEMM_FILE_BAD_STRIDE);
    EXPECT_EQ(changed([](auto&, auto& w) { w.zero_point = 1; }), KAI_GEMM_FILE_BAD_VALUE);
    EXPECT_EQ(changed([](auto&, auto& w) { w.bias = &w; }), KAI_GEMM_FILE_UNUSED_BIAS);
    EXPECT_EQ(changed([](auto& x, auto&) { x.format.name = "qsi4"; }), KAI_GEMM_FILE_UNKNOWN_FORMAT);
    EXPECT_EQ(changed([](auto& x, auto&) { x.format.kr = 128; }), KAI_GEMM_FILE_BAD_VALUE);
    EXPECT_EQ(changed([](auto& x, auto&) { x.kind = KAI_GEMM_DENSE; }), KAI_GEMM_FILE_BAD_VALUE);
    EXPECT_EQ(changed([](auto& x, auto&) { x.bl = 32; }), KAI_GEMM_FILE_BAD_VALUE);
    // Scales of columns that overlap.
    t = tensor_for(kBlocks, 128, "t", 40, 64);
    ASSERT_EQ(kai_gemm_tensor_measure(&t), KAI_GEMM_FILE_OK);
    packed.assign(t.size, 0xA5);
    const Weights blocks(t, true);
    kai_gemm_weights w = blocks.w;
    w.scale_stride = 2;
    EXPECT_EQ(status(t, w), KAI_GEMM_FILE_BAD_STRIDE);
}

}  // namespace
