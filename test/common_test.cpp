// kai_common.h: conversions, small helpers, preconditions.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <vector>

#include "kai/engines/core/halves.hpp"
#include "kai/kai_common.h"
#include "kai/kai_cpu.h"
#include "kai/ukernels/pack/kai_lhs_pack.h"
#include "test/reference/float16.hpp"
#include "test/support/ending.hpp"
#include "test/support/library_build.hpp"
#include "test/support/said.hpp"

namespace {

using reference::bits_of;
using reference::float_of;

/// Bit patterns around every place where rounding to 16 bits turns: all upper halves with significant lower halves.
template <typename Check>
void for_many_floats(Check check) {
    for (uint32_t upper = 0; upper < 0x10000; upper += 3) {
        for (const uint32_t lower :
             {0x0000u, 0x0001u, 0x0FFFu, 0x1000u, 0x1001u, 0x3000u, 0x7FFFu, 0x8000u, 0x8001u, 0xFFFFu}) {
            check(upper << 16 | lower);
        }
    }
}

TEST(Common, F16ToF32) {
    for (uint32_t h = 0; h < 0x10000; ++h) {
        const auto half = static_cast<uint16_t>(h);
        ASSERT_EQ(bits_of(kai_cast_f32_f16(half)), bits_of(reference::f32_from_f16(half))) << std::hex << h;
        const int exponent = h >> 10 & 31, fraction = h & 0x3FF;
        if (exponent < 31) {  // the definition
            const double value = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, exponent - 25);
            ASSERT_EQ(kai_cast_f32_f16(half), h & 0x8000 ? -value : value) << std::hex << h;
        }
    }
}

TEST(Common, F32ToF16) {
    for_many_floats([](uint32_t bits) {
        const float x = float_of(bits);
        ASSERT_EQ(kai_cast_f16_f32(x), reference::f16_from_f32(x)) << std::hex << bits;
    });
    // Every f16 survives; halfway between two neighbours the even one is chosen.
    for (uint32_t h = 0; h < 0x7BFF; ++h) {
        const float here = reference::f32_from_f16(static_cast<uint16_t>(h));
        const float next = reference::f32_from_f16(static_cast<uint16_t>(h + 1));
        const float middle = (here + next) / 2;
        ASSERT_EQ(kai_cast_f16_f32(here), h);
        ASSERT_EQ(kai_cast_f16_f32(-here), h | 0x8000);
        ASSERT_EQ(kai_cast_f16_f32(middle), h + h % 2) << std::hex << h;
        ASSERT_EQ(kai_cast_f16_f32(std::nextafter(middle, 0.0f)), h) << std::hex << h;
        ASSERT_EQ(kai_cast_f16_f32(std::nextafter(middle, 1e30f)), h + 1) << std::hex << h;
    }
}

/// Rows of all lengths, not aligned, with the bits of single numbers; nothing else is written.
template <typename From, typename To, typename Convert, typename Single>
void expect_row(const std::vector<From>& from, Convert convert, Single single) {
    for (size_t first = 0, count = 0; first + count <= from.size(); first += count, ++count) {
        std::vector<uint8_t> source(1 + count * sizeof(From)), to(1 + (count + 1) * sizeof(To), 0xA5);
        std::memcpy(source.data() + 1, from.data() + first, count * sizeof(From));
        convert(source.data() + 1, to.data() + 1, count);
        for (size_t i = 0; i < count; ++i) {
            const To expected = single(from[first + i]);
            ASSERT_EQ(std::memcmp(&expected, to.data() + 1 + i * sizeof(To), sizeof(To)), 0) << first + i;
        }
        ASSERT_EQ(to[1 + count * sizeof(To)], 0xA5) << count;
    }
}

TEST(Common, RowsOfHalves) {
    std::vector<uint16_t> halves;
    for (uint32_t h = 0; h < 0x10000; ++h) {
        halves.push_back(static_cast<uint16_t>(h));
    }
    expect_row<uint16_t, float>(halves, kai::widen_halves, kai_cast_f32_f16);
    std::vector<float> floats;
    for_many_floats([&](uint32_t bits) { floats.push_back(float_of(bits)); });
    expect_row<float, uint16_t>(floats, kai::narrow_to_halves, kai_cast_f16_f32);
}

TEST(Common, Bf16) {
    // layouts-float.md 6.1
    const uint32_t examples[][2] = {{0x3F808000, 0x3F80}, {0x3F818000, 0x3F82}, {0x7F7F8000, 0x7F80},
                                    {0x7F812345, 0x7FC1}, {0x00008000, 0x0000}, {0x00018000, 0x0002},
                                    {0xFF7F8000, 0xFF80}, {0xFF812345, 0xFFC1}};
    for (const auto& [f32, bf16] : examples) {
        EXPECT_EQ(kai_cast_bf16_f32(float_of(f32)), bf16) << std::hex << f32;
    }
    for_many_floats([](uint32_t bits) {
        const uint32_t upper = bits >> 16, rest = bits & 0xFFFF;
        const bool up = rest > 0x8000 || (rest == 0x8000 && upper % 2 == 1);
        const bool nan = (bits & 0x7FFFFFFF) > 0x7F800000;
        ASSERT_EQ(kai_cast_bf16_f32(float_of(bits)), nan ? upper | 0x40 : upper + up) << std::hex << bits;
    });
    for (uint32_t b = 0; b < 0x10000; ++b) {
        ASSERT_EQ(bits_of(kai_cast_f32_bf16(static_cast<uint16_t>(b))), b << 16);
    }
}

TEST(Common, Int4) {
    for (int v = 0; v < 16; ++v) {
        EXPECT_EQ(kai_ext_sign_i8_i4(static_cast<int8_t>(v)), v < 8 ? v : v - 16);
    }
}

TEST(Common, Integers) {
    EXPECT_EQ(kai_div_ceil(0, 4), 0u);
    EXPECT_EQ(kai_div_ceil(1, 4), 1u);
    EXPECT_EQ(kai_div_ceil(8, 4), 2u);
    EXPECT_EQ(kai_div_ceil(9, 4), 3u);
    EXPECT_EQ(kai_roundup(0, 3), 0u);
    EXPECT_EQ(kai_roundup(7, 3), 9u);
    EXPECT_EQ(kai_roundup(9, 3), 9u);
    EXPECT_EQ(KAI_MIN(2, 3), 2);
    EXPECT_EQ(KAI_MAX(2, 3), 3);
}

TEST(Common, DatatypeSizes) {
    const std::pair<kai_datatype, size_t> sizes[] = {{kai_dt_f32, 4},    {kai_dt_f16, 2},    {kai_dt_bf16, 2},
                                                     {kai_dt_int32, 4},  {kai_dt_int16, 2},  {kai_dt_int8, 1},
                                                     {kai_dt_uint32, 4}, {kai_dt_uint16, 2}, {kai_dt_uint8, 1},
                                                     {kai_dt_bool, 4},   {kai_dt_unknown, 0}};
    std::set<int> values;
    for (const auto& [type, size] : sizes) {
        EXPECT_EQ(kai_get_datatype_size_in_bytes(type), size) << type;
        EXPECT_TRUE(values.insert(type).second);
    }
}

TEST(Common, Version) {
    EXPECT_STREQ(kai_get_version(), KAI_INTERFACE_VERSION);
}

#if defined(__aarch64__)
extern "C" int kai_save_za(void);

/// What TPIDR2_EL0 points to (AAPCS64).
struct Tpidr2Block {
    void* buffer;
    uint16_t slices;
    uint8_t reserved[6];
};

/// Turns ZA on with `content` (svl rows of svl bytes), calls kai_save_za with `block` in TPIDR2_EL0, turns ZA off.
int save_za_with(const Tpidr2Block* block, const uint8_t* content, size_t svl) {
    __asm__ volatile(
        ".arch_extension sme\n"
        "smstart za\n"
        "mov x11, %[content]\n"
        "mov w12, #0\n"
        "1: ldr za[w12, 0], [x11]\n"
        "add x11, x11, %[svl]\n"
        "add w12, w12, #1\n"
        "cmp x12, %[svl]\n"
        "b.lo 1b\n"
        "msr S3_3_C13_C0_5, %[block]\n"
        :
        : [content] "r"(content), [svl] "r"(svl), [block] "r"(block)
        : "x11", "x12", "memory", "cc");
    const int result = kai_save_za();
    __asm__ volatile("msr S3_3_C13_C0_5, xzr\nsmstop za" ::: "memory");
    return result;
}

TEST(Common, OwnLazySaveOfZa) {
    const size_t svl = kai_cpu_sme_bytes();
    if (svl == 0) {
        GTEST_SKIP() << "no SME: " << kai_cpu_query(KAI_CPU_SME).reason;
    }
    std::vector<uint8_t> content(svl * svl);
    for (size_t i = 0; i < content.size(); ++i) {
        content[i] = static_cast<uint8_t>(i * 7 + i / svl + 1);
    }
    // Exactly as many rows as the block says.
    for (const size_t slices : {size_t{0}, size_t{1}, svl / 2, svl}) {
        std::vector<uint8_t> saved(content.size() + 1, 0xA5);
        const Tpidr2Block block = {saved.data(), static_cast<uint16_t>(slices), {}};
        EXPECT_NE(save_za_with(&block, content.data(), svl), 0);
        std::vector<uint8_t> expected(saved.size(), 0xA5);
        std::copy_n(content.begin(), slices * svl, expected.begin());
        EXPECT_TRUE(saved == expected) << slices << " slices";
    }
    // Nothing to save, and a block of an unknown kind.
    const Tpidr2Block no_buffer = {nullptr, static_cast<uint16_t>(svl), {}};
    EXPECT_NE(save_za_with(&no_buffer, content.data(), svl), 0);
    EXPECT_NE(save_za_with(nullptr, content.data(), svl), 0);
    for (size_t i = 0; i < 6; ++i) {
        std::vector<uint8_t> saved(content.size(), 0xA5);
        Tpidr2Block block = {saved.data(), static_cast<uint16_t>(svl), {}};
        block.reserved[i] = 1;
        EXPECT_EQ(save_za_with(&block, content.data(), svl), 0) << "reserved byte " << i;
        EXPECT_EQ(saved, std::vector<uint8_t>(content.size(), 0xA5));
    }
}
#endif

TEST(Common, AlwaysAssertionsAbort) {
    KAI_ASSERT_ALWAYS(1 + 1 == 2);
    KAI_ASSERT_ALWAYS_IF(false, 1 + 1 == 3);
    EXPECT_ABORT(test::told_so_unless(kai_div_ceil(1, 1) == 2), test::library_asserts ? "told so" : "");
}

// Preconditions of the library. Skipped if this build does not check them (main.cpp).
TEST(Common, ViolatedPreconditionsAreTold) {
    const std::vector<float> lhs(96);
    std::vector<uint8_t> packed(4096);
    const auto pack = [&](size_t k, size_t bl) {
        kai_run_lhs_quant_pack_qsi8d32p_f32(1, k, bl, 4, 16, 2, 0, lhs.data(), k * sizeof(float), packed.data());
    };
    pack(64, 32);
    EXPECT_ABORT(pack(66, 33), "kai_run_lhs_quant_pack_qsi8d32p_f32: bl = 33 is not a multiple");
    EXPECT_ABORT(pack(48, 32), "kai_run_lhs_quant_pack_qsi8d32p_f32: " + SAID(not_multiple_of, "k", 48, "bl", 32));
}

}  // namespace
