// SPDX-License-Identifier: Apache-2.0
#include "test/support/filter.hpp"

#include <cstdlib>

namespace test {

namespace {

bool is_named(const std::string& name) {
    static const char* const names = std::getenv("KLEIDIAI_TEST_SUBJECTS");
    return names == nullptr || (":" + std::string(names)).find(":" + name + ":") != std::string::npos;
}

}  // namespace

bool is_chosen(const kai_packer& packer) {
    return is_named(packer.name);
}

bool is_chosen(const kai_ukernel& ukernel) {
    for (const auto packer_of : {kai_registry_lhs_packer, kai_registry_rhs_packer}) {
        for (size_t i = 0; packer_of(&ukernel, i) != nullptr; ++i) {
            if (is_chosen(*packer_of(&ukernel, i))) {
                return true;
            }
        }
    }
    return is_named(ukernel.name);
}

}  // namespace test
