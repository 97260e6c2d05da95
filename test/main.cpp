// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <string>

#include "kai/kai_cpu.h"
#include "kai/kai_registry.h"
#include "test/support/checked_call.hpp"
#include "test/support/coverage.hpp"
#include "test/support/filter.hpp"
#include "test/support/library_build.hpp"

namespace {

/// A filter that leaves out what matches `pattern`.
std::string without(std::string filter, const std::string& pattern) {
    return filter + (filter.find('-') == std::string::npos ? '-' : ':') + pattern;
}

/// A filter of those kernels and packers alone that KLEIDIAI_TEST_ONLY says, "" for all: with vectors of any length,
/// with SME, without SME; and of these, those that KLEIDIAI_TEST_SUBJECTS names. "scalable" also leaves out tests that
/// have neither and do not depend on the vector length. The result is a list of tests: patterns for hundreds of
/// kernels, tried on 15,000 tests, take seconds under emulation.
std::string only(const std::string& which, std::string filter) {
    if (which == "scalable") {
        filter = without(filter, "GgufTypes.*:GgufFloats.*:GgufUnpack.*:GgufTable.*:GgufActivations.*");
        filter = without(filter, "Rows/*:Types/*:Formats/*");
    }
    std::set<std::string> left_out;
    const auto leave_out = [&](const auto& subject) {
        const bool sme = (subject.features >> KAI_CPU_SME & 1) != 0;
        const bool scalable = sme || (subject.features >> KAI_CPU_SVE & 1) != 0;
        const bool of_others = which == "scalable" ? !scalable : !which.empty() && sme != (which == "sme");
        if (of_others || !test::is_chosen(subject)) {
            left_out.insert(subject.name);
        }
    };
    for (const kai_ukernel* u : test::all_ukernels()) {
        leave_out(*u);
    }
    for (const kai_packer* p : test::all_packers()) {
        leave_out(*p);
    }
    const test::Filter whole(filter);
    std::string names;
    test::for_each_test([&](const std::string& name, const std::string& subject) {
        if (left_out.count(subject) == 0 && whole.selects(name)) {
            names += name + ":";
        }
    });
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
    const char *which = std::getenv("KLEIDIAI_TEST_ONLY"), *subjects = std::getenv("KLEIDIAI_TEST_SUBJECTS");
    if (which != nullptr) {
        std::printf("KLEIDIAI_TEST_ONLY: of kernels and packers those that are %s\n", which);
    }
    if (subjects != nullptr) {
        std::printf("KLEIDIAI_TEST_SUBJECTS: %s\n", subjects);
    }
    if (which != nullptr || subjects != nullptr) {
        testing::UnitTest::GetInstance()->listeners().Append(new test::ForgetFilter);
        GTEST_FLAG_SET(filter, only(which != nullptr ? which : "", GTEST_FLAG_GET(filter)));
    }
    return RUN_ALL_TESTS();
}
