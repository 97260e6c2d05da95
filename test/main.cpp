// SPDX-License-Identifier: Apache-2.0
#include <fnmatch.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "kai/kai_cpu.h"
#include "kai/kai_registry.h"
#include "test/support/checked_call.hpp"
#include "test/support/coverage.hpp"
#include "test/support/library_build.hpp"

namespace {

/// A filter that leaves out what matches `pattern`.
std::string without(std::string filter, const std::string& pattern) {
    return filter + (filter.find('-') == std::string::npos ? '-' : ':') + pattern;
}

/// A GoogleTest filter: patterns, then after a minus those of tests to leave out.
class Filter {
public:
    explicit Filter(const std::string& filter) {
        std::istringstream parts(filter);
        std::string wanted, unwanted;
        std::getline(parts, wanted, '-');
        std::getline(parts, unwanted);
        wanted_ = split(wanted.empty() ? "*" : wanted);
        unwanted_ = split(unwanted);
    }
    bool selects(const std::string& test) const {
        return matches(wanted_, test) && !matches(unwanted_, test);
    }

private:
    using Patterns = std::vector<std::string>;
    static Patterns split(const std::string& text) {
        Patterns patterns;
        std::istringstream list(text);
        for (std::string pattern; std::getline(list, pattern, ':');) {
            patterns.push_back(pattern);
        }
        return patterns;
    }
    static bool matches(const Patterns& patterns, const std::string& test) {
        return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
            return fnmatch(pattern.c_str(), test.c_str(), 0) == 0;
        });
    }
    Patterns wanted_, unwanted_;
};

/// A filter of those kernels and packers alone that KLEIDIAI_TEST_ONLY says: with vectors of any length, with SME,
/// without SME. "scalable" also leaves out tests that have neither and do not depend on the vector length. The result
/// is a list of tests: patterns for hundreds of kernels, tried on 15,000 tests, take seconds under emulation.
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
    const Filter whole(filter);
    std::string names;
    const testing::UnitTest& all = *testing::UnitTest::GetInstance();
    for (int i = 0; i < all.total_test_suite_count(); ++i) {
        const testing::TestSuite& suite = *all.GetTestSuite(i);
        for (int j = 0; j < suite.total_test_count(); ++j) {
            const std::string test = suite.GetTestInfo(j)->name(), name = std::string(suite.name()) + "." + test;
            if (left_out.count(test.substr(test.find('/') + 1)) == 0 && whole.selects(name)) {
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
