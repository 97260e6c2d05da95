// Micro-kernels for weights of 8-bit floating point: every code times every code, exactly; infinities and NaN.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "kai/kai_call.h"
#include "kai/kai_registry.h"
#include "test/reference/float16.hpp"
#include "test/support/coverage.hpp"
#include "test/support/subject.hpp"

using reference::f32_from_f8;
using reference::F8;

namespace {

class F8Codes : public testing::TestWithParam<const kai_ukernel*> {
protected:
    static constexpr size_t kColumns = 256, kDepth = 64, kBlock = 32;

    const kai_ukernel& u = *GetParam();
    const F8 type = std::strstr(u.rhs_format, "e4m3") != nullptr ? F8::e4m3 : F8::e5m2;

    void SetUp() override {
        TEST_SKIP_UNLESS_RUNNABLE(u);
    }

    struct Shape {
        size_t m, n, k, bl;
        float bound = INFINITY;  // of the magnitude of results
    };
    /// rows x columns of codes, with a scale per block of a column.
    std::vector<float> product(
        const Shape& s, const std::vector<float>& rows, const std::vector<uint8_t>& codes,
        const std::vector<float>& scales) {
        kai_call c = {};
        c.ukernel = &u;
        c.m = s.m, c.n = s.n, c.k = s.k, c.bl = s.bl;
        c.clamp = true, c.clamp_min = -s.bound, c.clamp_max = s.bound;
        c.lhs = rows.data(), c.rhs = codes.data(), c.rhs_scale = scales.data();
        c.lhs_packer = kai_registry_lhs_packer(&u, 0), c.rhs_packer = kai_registry_rhs_packer(&u, 0);
        std::vector<uint8_t> lhs(kai_call_lhs_packed_size(&c)), rhs(kai_call_rhs_packed_size(&c));
        kai_call_pack_lhs(&c, 0, s.m, lhs.data());
        kai_call_pack_rhs(&c, 0, s.n, rhs.data());
        c.lhs_packed = lhs.data(), c.rhs_packed = rhs.data();
        std::vector<float> dst(s.m * s.n);
        c.dst = dst.data();
        const size_t part = u.rows == KAI_ROWS_ONE ? 1 : s.m;
        for (size_t first = 0; first < s.m; first += part) {
            kai_call_run(&c, first, 0, part, s.n);
        }
        return dst;
    }

    /// rows x code n in column n, at every k, with a scale of 2.
    std::vector<float> product(const std::vector<float>& rows, float scale = 2) {
        std::vector<uint8_t> codes(kColumns * kDepth);
        for (size_t i = 0; i < codes.size(); ++i) {
            codes[i] = static_cast<uint8_t>(i / kDepth);
        }
        const std::vector<float> scales(kColumns * (kDepth / kBlock), scale);
        return product({rows.size() / kDepth, kColumns, kDepth, kBlock}, rows, codes, scales);
    }
};

// One k of a row is not zero, so that nothing is rounded: a result is that product. More rows than share what is
// decoded.
TEST_P(F8Codes, TimesEveryCode) {
    constexpr size_t kRows = 264;
    std::vector<float> rows(kRows * kDepth);
    for (size_t row = 0; row < kRows; ++row) {
        const float x = f32_from_f8(type, static_cast<uint8_t>(row));
        rows[row * kDepth + row * 7 % kDepth] = std::isfinite(x) ? x : 1.0F;
    }
    const std::vector<float> dst = product(rows);
    size_t wrong = 0;
    for (size_t i = 0; i < dst.size(); ++i) {
        const size_t row = i / kColumns, column = i % kColumns;
        const float w = f32_from_f8(type, static_cast<uint8_t>(column)), x = rows[row * kDepth + row * 7 % kDepth];
        const float expected = std::isfinite(w) ? 2 * x * w : NAN;  // an infinity meets zeros as well
        const bool good = std::isnan(expected) ? std::isnan(dst[i]) : dst[i] == expected;
        if (!good && ++wrong <= 3) {
            ADD_FAILURE() << x << " * 2 * code " << column << " (" << w << ") is " << dst[i] << ", not " << expected;
        }
    }
    EXPECT_EQ(wrong, 0U);
}

// Rows without zeros: infinities of weights stay, NaN of weights and rows stays in its row and column.
TEST_P(F8Codes, InfinitiesAndNan) {
    constexpr size_t kRows = 9, kNanRow = 3;
    std::vector<float> rows(kRows * kDepth, 1.0F);
    rows[kNanRow * kDepth + 40] = NAN;
    const std::vector<float> dst = product(rows);
    for (size_t i = 0; i < dst.size(); ++i) {
        const float w = f32_from_f8(type, static_cast<uint8_t>(i % kColumns)), sum = 2 * kDepth * w;
        if (i / kColumns == kNanRow || std::isnan(w)) {
            EXPECT_TRUE(std::isnan(dst[i])) << "row " << i / kColumns << ", code " << i % kColumns << ": " << dst[i];
        } else {
            EXPECT_EQ(dst[i], sum) << "row " << i / kColumns << ", code " << i % kColumns;
        }
    }
}

// Scales of zero and of the least and largest floats: decoding does not lose range before a scale counts.
TEST_P(F8Codes, Scales) {
    std::vector<float> rows(2 * kDepth);
    rows[5] = 1, rows[kDepth + 33] = -0.5F;
    for (const float scale : {0.0F, 0x1p-126F, 0x1p-100F, 0x1p100F}) {
        const std::vector<float> dst = product(rows, scale);
        for (size_t i = 0; i < dst.size(); ++i) {
            const float w = f32_from_f8(type, static_cast<uint8_t>(i % kColumns)), x = i < kColumns ? 1 : -0.5F;
            if (std::isfinite(w) && (scale != 0x1p-126F || w == 0 || std::fabs(w) >= 2)) {  // results may be subnormal
                EXPECT_EQ(dst[i], x * w * scale) << "code " << i % kColumns << ", scale " << scale;
            }
        }
    }
}

/// Kernels whose rows are codes, too.
class F8Products : public F8Codes {
protected:
    /// A row and columns that are 2^8 at k = `large`, 2^-4 at two others: products of 2^16 and of half an ulp of it.
    std::vector<float> product(size_t large, size_t half, size_t other_half) {
        constexpr size_t kFew = 13;
        const bool e4m3 = type == F8::e4m3;
        std::vector<float> row(kBlock);
        std::vector<uint8_t> codes(kFew * kBlock);
        row[large] = 0x1p8F, row[half] = row[other_half] = 0x1p-4F;
        for (size_t n = 0; n < kFew; ++n) {
            codes[n * kBlock + large] = e4m3 ? 0x78 : 0x5C;
            codes[n * kBlock + half] = codes[n * kBlock + other_half] = e4m3 ? 0x18 : 0x2C;
        }
        return F8Codes::product({1, kFew, kBlock, kBlock}, row, codes, std::vector<float>(kFew, 1.0F));
    }
};

// How many products are added before a sum is rounded: two halves of an ulp count together, or both are lost.
TEST_P(F8Products, RoundsOnceForSeveralK) {
    constexpr size_t kFirst = 16;
    const size_t at_once = std::strstr(u.name, "_f8f32mm") != nullptr ? 8 : 4;
    for (const size_t second : {kFirst + 1, kFirst + 3, kFirst + 4, kFirst + 7, kFirst + 8}) {
        for (const float x : product(0, kFirst, second)) {
            EXPECT_EQ(x, 0x1p16F + (second - kFirst < at_once ? 0x1p-7F : 0)) << "k " << kFirst << " and " << second;
        }
    }
}

// The first k first: half an ulp is there before 2^16 and the other half are added. FDOT for one row has several sums.
TEST_P(F8Products, AddsInOrderOfK) {
    const bool in_order = std::strstr(u.name, "_1x12_neon_fp8dot4") == nullptr;
    for (const float x : product(8, 0, 9)) {
        EXPECT_EQ(x, 0x1p16F + (in_order ? 0x1p-7F : 0));
    }
}

// k beyond what kernels take at once: whole blocks, and parts of a block. Sums are exact.
TEST_P(F8Codes, LongColumns) {
    constexpr size_t kRows = 9, kFew = 13, kLong = 8256;
    const uint8_t one = type == F8::e4m3 ? 0x38 : 0x3C;
    const std::array<uint8_t, 3> some = {one, 0x40, static_cast<uint8_t>(one | 0x80)};  // 1, 2, -1
    std::vector<float> rows(kRows * kLong);
    std::vector<uint8_t> codes(kFew * kLong);
    for (size_t i = 0; i < rows.size(); ++i) {
        rows[i] = static_cast<float>(i * 7 % 11 % 3) - 1;
    }
    for (size_t i = 0; i < codes.size(); ++i) {
        codes[i] = some[i * 5 % 13 % 3];
    }
    for (const size_t bl : {size_t{32}, kLong / 2, kLong}) {
        std::vector<float> scales(kFew * (kLong / bl));
        for (size_t i = 0; i < scales.size(); ++i) {
            scales[i] = i % 3 == 0 ? 0.5F : 2.0F;
        }
        const std::vector<float> dst = product({kRows, kFew, kLong, bl}, rows, codes, scales);
        for (size_t i = 0; i < dst.size(); ++i) {
            double sum = 0;
            for (size_t k = 0; k < kLong; ++k) {
                const size_t at = i % kFew * kLong + k;
                sum += rows[i / kFew * kLong + k] * f32_from_f8(type, codes[at]) * scales[at / bl];
            }
            EXPECT_EQ(dst[i], sum) << "row " << i / kFew << ", column " << i % kFew << ", bl " << bl;
        }
    }
}

// Sums that leave the bounds and return: only results are clamped.
TEST_P(F8Codes, LongSumsBeyondTheBounds) {
    constexpr size_t kRows = 3, kFew = 5, kLong = 8256, kOnes = 4160;
    const uint8_t one = type == F8::e4m3 ? 0x38 : 0x3C, minus_one = one | 0x80;
    std::vector<uint8_t> codes(kFew * kLong);
    for (size_t i = 0; i < codes.size(); ++i) {
        codes[i] = i % kLong < kOnes ? one : minus_one;
    }
    for (const size_t bl : {size_t{32}, kLong}) {
        const std::vector<float> rows(kRows * kLong, 1.0F), scales(kFew * (kLong / bl), 1.0F);
        for (const float x : product({kRows, kFew, kLong, bl, 100}, rows, codes, scales)) {
            EXPECT_EQ(x, 2 * kOnes - kLong) << "bl " << bl;
        }
    }
}

std::vector<const kai_ukernel*> kernels(const char* lhs_format = "") {
    std::vector<const kai_ukernel*> kernels;
    for (const kai_ukernel* u : test::all_ukernels()) {
        if (std::strncmp(u->rhs_format, "f8", 2) == 0 && std::strstr(u->lhs_format, lhs_format) != nullptr) {
            kernels.push_back(u);
        }
    }
    return kernels;
}

INSTANTIATE_TEST_SUITE_P(Kernels, F8Codes, testing::ValuesIn(kernels()), test::instance_name<kai_ukernel>);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(F8Codes);
INSTANTIATE_TEST_SUITE_P(
    Kernels, F8Products, testing::ValuesIn(kernels("f8e4m3d32p")), test::instance_name<kai_ukernel>);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(F8Products);

}  // namespace
