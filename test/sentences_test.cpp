// The texts of violations: a sentence and its values (sentences.hpp), cut as snprintf cuts.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/core/sentences.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace {

const std::vector<std::string> kFormats = {
#define KAI_SENTENCE(NAME, FORMAT) FORMAT,
#include "kai/engines/core/sentences.def"
#undef KAI_SENTENCE
};

std::string text_of(const kai_violation& violation, size_t size = 256) {
    std::vector<char> text(size + 1, '#');
    const size_t length = kai::write(text.data(), size, violation);
    EXPECT_EQ(kai::write(nullptr, 0, violation), length);
    EXPECT_EQ(text[size], '#');
    if (size == 0) {
        return "";
    }
    const std::string written = text.data();
    EXPECT_EQ(written.size(), std::min(length, size - 1));
    return written;
}

// Sentences of this test's own: the wording of the library's does not matter here.
#define SENTENCE(NAME, FORMAT)                   \
    struct NAME##_sentence {                     \
        static constexpr char format[] = FORMAT; \
    };                                           \
    constexpr NAME##_sentence NAME = {};
SENTENCE(not_multiple_of, "%s = %zu is not a multiple of %s = %zu")
SENTENCE(padded_not_multiple_times, "k rounded up to %zu is not a multiple of %zu times %s = %zu")
SENTENCE(other, "%s = %zu, not %zu")
SENTENCE(other_sign, "%s = %zd, not %zd")
SENTENCE(not_bf16, "%s = 0x%zx, not kai_dt_bf16")
SENTENCE(short_stride, "%s = %zu is less than the %zu bytes of a %s")
SENTENCE(null, "%s must not be NULL")

TEST(Sentences, ValuesStandInTheirOrder) {
    const char bl = 32;
    EXPECT_EQ(text_of(kai::violation(not_multiple_of, "k", 250, "bl", bl)), "k = 250 is not a multiple of bl = 32");
    EXPECT_EQ(
        text_of(kai::violation(padded_not_multiple_times, 64, 2, "kr / sr", uint8_t{12})),
        "k rounded up to 64 is not a multiple of 2 times kr / sr = 12");
    EXPECT_EQ(text_of(kai::violation(other_sign, "x", int8_t{-128}, 1)), "x = -128, not 1");
    EXPECT_EQ(text_of(kai::violation(not_bf16, "dt", 0x411)), "dt = 0x411, not kai_dt_bf16");
    EXPECT_EQ(
        text_of(kai::violation(short_stride, "rhs_stride", SIZE_MAX - 1, SIZE_MAX, "row")),
        "rhs_stride = " + std::to_string(SIZE_MAX - 1) + " is less than the " + std::to_string(SIZE_MAX) +
            " bytes of a row");
    EXPECT_EQ(text_of(kai::violation(null, "%s%zu")), "%s%zu must not be NULL");  // a name is no format
    EXPECT_EQ(text_of({}), "");
}

TEST(Sentences, AreCutWhereTheBufferEnds) {
    const kai_violation violation = kai::violation(other, "num_groups", 1234, 1);
    const std::string whole = "num_groups = 1234, not 1";
    for (size_t size = 0; size <= whole.size() + 3; ++size) {
        EXPECT_EQ(text_of(violation, size), whole.substr(0, size == 0 ? 0 : size - 1)) << size;
    }
}

TEST(Sentences, ArePlainAndDifferent) {
    const std::set<std::string> different(kFormats.begin(), kFormats.end());
    EXPECT_EQ(different.size(), kFormats.size());
    for (const std::string& format : kFormats) {
        EXPECT_NE(format.find(' '), std::string::npos) << format;
        EXPECT_EQ(std::string(".!\n").find(format.back()), std::string::npos) << format;
    }
}

}  // namespace
