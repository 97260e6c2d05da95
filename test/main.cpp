// SPDX-License-Identifier: Apache-2.0
#include <fnmatch.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <sstream>
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

/// Whether a filter selects a test.
bool selects(const std::string& filter, const std::string& test) {
    const auto matches = [&](const std::string& patterns) {
        std::istringstream list(patterns);
        for (std::string pattern; std::getline(list, pattern, ':');) {
            if (fnmatch(pattern.c_str(), test.c_str(), 0) == 0) {
                return true;
            }
        }
        return false;
    };
    const size_t minus = std::min(filter.find('-'), filter.size());
    const std::string wanted = filter.substr(0, minus), unwanted = filter.substr(minus);
    return (wanted.empty() || matches(wanted)) && !matches(unwanted.substr(unwanted.empty() ? 0 : 1));
}

/// A filter of those kernels and packers alone that KLEIDIAI_TEST_ONLY says: with vectors of any length, with SME,
/// without SME. "scalable" also leaves out tests that have neither and do not depend on the vector length. It has the
/// names of tests: a pattern for each kernel, tried on each of 15,000 tests, takes seconds under emulation.
std::string only(const std::string& which, std::string filter) {
    if (which == "scalable") {
        filter = without(filter, "GgufTypes.*:GgufFloats.*:GgufUnpack.*:GgufTable.*:GgufActivations.*");
        filter = without(filter, "Rows/*:Types/*:Formats/*");
    }
    std::set<std::string> left_out;
    const auto leave_out = [&](const auto& subject) {
        const bool sme = (subject.features >> KAI_CPU_SME & 1) != 0;
        const bool scalable = sme || (subject.features >> KAI_CPU_SVE & 1) != 0;
        if (which == "scalable" ? !scalable : sme != (which == "sme")) {
            left_out.insert(subject.name);
        }
    };
    for (const kai_ukernel* u : test::all_ukernels()) {
        leave_out(*u);
    }
    for (const kai_packer* p : test::all_packers()) {
        leave_out(*p);
    }
    std::string names;
    const testing::UnitTest& all = *testing::UnitTest::GetInstance();
    for (int i = 0; i < all.total_test_suite_count(); ++i) {
        const testing::TestSuite& suite = *all.GetTestSuite(i);
        for (int j = 0; j < suite.total_test_count(); ++j) {
            const std::string test = suite.GetTestInfo(j)->name(), name = std::string(suite.name()) + "." + test;
            if (left_out.count(test.substr(test.find('/') + 1)) == 0 && selects(filter, name)) {
                names += name + ":";
            }
        }
    }
    return names;
}

}  // namespace

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    testing::UnitTest::GetInstance()->listeners().Append(new test::CoverageListener);
    test::install_fault_handlers();
    std::printf("SVE: %zu bytes, SME: %zu bytes\n", kai_cpu_sve_bytes(), kai_cpu_sme_bytes());
    if (!test::library_asserts) {
        GTEST_FLAG_SET(
            filter, without(
                        GTEST_FLAG_GET(filter),
                        "*/AssertedPreconditions.*:*.LhsRefusesAndSaysWhy/*:*.ViolatedPreconditionsAreTold"));
    }
    if (const char* which = std::getenv("KLEIDIAI_TEST_ONLY")) {
        std::printf("KLEIDIAI_TEST_ONLY: of kernels and packers those that are %s\n", which);
        GTEST_FLAG_SET(filter, only(which, GTEST_FLAG_GET(filter)));
    }
    return RUN_ALL_TESTS();
}
