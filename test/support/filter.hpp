// Filters of GoogleTest, for programs that choose among their tests themselves.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fnmatch.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "kai/kai_registry.h"

namespace test {

/// Patterns, and after a minus those of tests that are left out.
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

/// Calls `f(name, subject)` with the whole name of each test of the program, and with its parameter: the name of a
/// micro-kernel, of a packer, or of something else.
template <typename F>
void for_each_test(F f) {
    const testing::UnitTest& all = *testing::UnitTest::GetInstance();
    for (int i = 0; i < all.total_test_suite_count(); ++i) {
        const testing::TestSuite& suite = *all.GetTestSuite(i);
        for (int j = 0; j < suite.total_test_count(); ++j) {
            const std::string test = suite.GetTestInfo(j)->name();
            f(std::string(suite.name()) + "." + test, test.substr(test.find('/') + 1));
        }
    }
}

/// Forgets the filter once it has been applied. GoogleTest copies all flags for each test, and a list of tests is a
/// megabyte long.
class ForgetFilter : public testing::EmptyTestEventListener {
    void OnTestProgramStart(const testing::UnitTest&) override {
        GTEST_FLAG_SET(filter, "*");
    }
};

/// Whether the environment variable KLEIDIAI_TEST_SUBJECTS, if set, has this name, with a colon after it, or that of a
/// packer of this micro-kernel, whose tests use its packers, too.
bool is_chosen(const kai_ukernel& ukernel);
bool is_chosen(const kai_packer& packer);

}  // namespace test
