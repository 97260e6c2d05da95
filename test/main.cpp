// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "kai/kai_cpu.h"
#include "kai/kai_registry.h"
#include "test/support/checked_call.hpp"
#include "test/support/coverage.hpp"

namespace {

/// A filter without the tests of kernels and packers that are the same at every vector length.
std::string without_fixed_width(std::string filter) {
    char separator = filter.find('-') == std::string::npos ? '-' : ':';
    const auto leave_out = [&](const auto& subject) {
        if ((subject.features >> KAI_CPU_SME & 1) == 0 && (subject.features >> KAI_CPU_SVE & 1) == 0) {
            filter += std::string(1, separator) + "*/" + subject.name;
            separator = ':';
        }
    };
    for (const kai_ukernel* u : test::all_ukernels()) {
        leave_out(*u);
    }
    for (const kai_packer* p : test::all_packers()) {
        leave_out(*p);
    }
    return filter;
}

}  // namespace

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    testing::UnitTest::GetInstance()->listeners().Append(new test::CoverageListener);
    test::install_fault_handlers();
    std::printf("SVE: %zu bytes, SME: %zu bytes\n", kai_cpu_sve_bytes(), kai_cpu_sme_bytes());
    if (std::getenv("KLEIDIAI_TEST_SCALABLE_ONLY") != nullptr) {
        std::puts("KLEIDIAI_TEST_SCALABLE_ONLY: what does not depend on the vector length is left out");
        GTEST_FLAG_SET(filter, without_fixed_width(GTEST_FLAG_GET(filter)));
    }
    return RUN_ALL_TESTS();
}
