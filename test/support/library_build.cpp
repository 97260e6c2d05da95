// SPDX-License-Identifier: Apache-2.0
#include "test/support/library_build.hpp"

#include "kai/kai_common.h"

const bool test::library_asserts = KLEIDIAI_ASSERTIONS;

void test::told_so_unless(bool condition) {
    KAI_ASSERT_ALWAYS_MSG(condition, "told so");
}
