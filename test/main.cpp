// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>

#include "kai/kai_cpu.h"
#include "kai/kai_registry.h"
#include "test/support/checked_call.hpp"
#include "test/support/coverage.hpp"
#include "test/support/subject.hpp"

namespace {

/// A kernel that is the same at every vector length. (Packers of any ISA are asked for panels that scale with it.)
bool is_fixed_width_kernel(const char* name) {
    const kai_ukernel* u = kai_registry_find_ukernel(name);
    return u != nullptr && (u->features >> KAI_CPU_SME & 1) == 0;
}

}  // namespace

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    testing::UnitTest::GetInstance()->listeners().Append(new test::CoverageListener);
    test::install_fault_handlers();
    std::printf("SVE: %zu bytes, SME: %zu bytes\n", kai_cpu_sve_bytes(), kai_cpu_sme_bytes());
    if (std::getenv("KLEIDIAI_TEST_SCALABLE_ONLY") != nullptr) {
        std::puts("KLEIDIAI_TEST_SCALABLE_ONLY: kernels that do not depend on the vector length are left out");
        test::leave_out = is_fixed_width_kernel;
    }
    return RUN_ALL_TESTS();
}
