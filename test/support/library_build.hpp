// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace test {

/// Whether the library that this program is linked with checks preconditions. The objects of the tests are compiled
/// once, for libraries of several builds; library_build.cpp is compiled for each of these.
extern const bool library_asserts;

/// KAI_ASSERT_ALWAYS_MSG(condition, "told so") with the definitions of the library.
void told_so_unless(bool condition);

}  // namespace test
