// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "kai/kai_cpu.h"
#include "kai/kai_registry.h"
#include "test/support/checked_call.hpp"
#include "test/support/coverage.hpp"
#include "test/support/library_build.hpp"

namespace {

/// A filter without what matches `pattern`.
std::string without(std::string filter, const std::string& pattern) {
    return filter + (filter.find('-') == std::string::npos ? '-' : ':') + pattern;
}

/// A filter of those kernels and packers alone that KLEIDIAI_TEST_ONLY says: with vectors of any length, with SME,
/// without SME. "scalable" also leaves out tests that have neither and do not depend on the vector length.
std::string only(const std::string& which, std::string filter) {
    if (which == "scalable") {
        filter = without(filter, "GgufTypes.*:GgufFloats.*:GgufUnpack.*:GgufTable.*:GgufActivations.*");
        filter = without(filter, "Rows/*:Types/*:Formats/*");
    }
    const auto leave_out = [&](const auto& subject) {
        const bool sme = (subject.features >> KAI_CPU_SME & 1) != 0;
        const bool scalable = sme || (subject.features >> KAI_CPU_SVE & 1) != 0;
        if (which == "scalable" ? !scalable : sme != (which == "sme")) {
            filter = without(filter, std::string("*/") + subject.name);
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
    if (const char* which = std::getenv("KLEIDIAI_TEST_ONLY")) {
        std::printf("KLEIDIAI_TEST_ONLY: of kernels and packers those that are %s\n", which);
        GTEST_FLAG_SET(filter, only(which, GTEST_FLAG_GET(filter)));
    }
    if (!test::library_asserts) {
        GTEST_FLAG_SET(
            filter, without(
                        GTEST_FLAG_GET(filter),
                        "*/AssertedPreconditions.*:*.LhsRefusesAndSaysWhy/*:*.ViolatedPreconditionsAreTold"));
    }
    return RUN_ALL_TESTS();
}
