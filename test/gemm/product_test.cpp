// Products of every kind, with every option, against their definition.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "test/gemm/experiment.hpp"

namespace test::gemm {
namespace {

size_t cases() {
    const char* text = std::getenv("KLEIDIAI_GEMM_CASES");
    return text != nullptr ? std::strtoul(text, nullptr, 10) : 300;
}

class GemmProduct : public testing::TestWithParam<kai_gemm_kind> {
    void SetUp() override {
        if (!has_kernel(GetParam())) {
            GTEST_SKIP() << "no kernel for this kind";
        }
    }
};

TEST_P(GemmProduct, RandomProblems) {
    Random random(2026 + GetParam());
    int failed = 0;
    for (size_t i = 0; i < cases() && failed < 3; ++i) {
        const Case c = random_case(GetParam(), random);
        SCOPED_TRACE(testing::Message() << "case " << i << ": " << c);
        Experiment e(c);
        Schedule how;
        how.at_once = random.integer(0, 1) != 0;
        how.shuffle = random.next();
        failed += !e.succeeds(how);
    }
}

std::string kind_name(const testing::TestParamInfo<kai_gemm_kind>& info) {
    return name_of(info.param);
}

INSTANTIATE_TEST_SUITE_P(
    , GemmProduct,
    testing::Values(
        KAI_GEMM_DENSE, KAI_GEMM_INT8_CHANNEL, KAI_GEMM_INT4_CHANNEL, KAI_GEMM_INT2_CHANNEL, KAI_GEMM_INT4_BLOCK,
        KAI_GEMM_INT4_BLOCK_F16, KAI_GEMM_INT4_BLOCK_ZERO, KAI_GEMM_INT8_STATIC),
    kind_name);

}  // namespace
}  // namespace test::gemm
