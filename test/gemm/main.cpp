// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "kai/kai_cpu.h"
#include "test/support/checked_call.hpp"

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    test::install_fault_handlers();
    std::printf("SVE: %zu bytes, SME: %zu bytes\n", kai_cpu_sve_bytes(), kai_cpu_sme_bytes());
    return RUN_ALL_TESTS();
}
