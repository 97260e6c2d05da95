// Which micro-kernels and packers were tested, and which were not because this CPU cannot run them.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kai/kai_registry.h"
#include "test/support/subject.hpp"

namespace test {

std::vector<const kai_ukernel*> all_ukernels();
std::vector<const kai_packer*> all_packers();

/// Notes that a test of `subject` starts. If this CPU cannot run it, `reason` says why and the result is false.
bool note_test_of(const kai_ukernel& subject, std::string& reason);
bool note_test_of(const kai_packer& subject, std::string& reason);

/// "kernels: 8 ran, 0 skipped; packers: 10 ran, 0 skipped", and a line for each that was skipped.
std::string coverage_summary();

/// Prints the summary at the end of the run.
class CoverageListener : public testing::EmptyTestEventListener {
    void OnTestProgramEnd(const testing::UnitTest&) override;
};

/// The name of a test instance: that of the kernel or packer.
template <typename T>
std::string instance_name(const testing::TestParamInfo<const T*>& info) {
    return info.param->name;
}

}  // namespace test

/// For SetUp: skips what this CPU cannot run; with the environment variable KLEIDIAI_TEST_NO_SKIP that is a failure.
#define TEST_SKIP_UNLESS_RUNNABLE(subject)                                   \
    do {                                                                     \
        if (test::leave_out != nullptr && test::leave_out((subject).name)) { \
            GTEST_SKIP();                                                    \
        }                                                                    \
        std::string reason;                                                  \
        if (!test::note_test_of(subject, reason)) {                          \
            if (std::getenv("KLEIDIAI_TEST_NO_SKIP") != nullptr) {           \
                GTEST_FAIL() << reason;                                      \
            }                                                                \
            GTEST_SKIP() << reason;                                          \
        }                                                                    \
    } while (0)
