// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <string>

#include "kai/engines/core/cpu.hpp"

namespace test {

/// Sets KLEIDIAI_CPU_DISABLE while it lives; the library asks again.
class DisabledFeatures {
public:
    explicit DisabledFeatures(const char* list) {
        if (const char* old = std::getenv(kName)) {
            old_ = old;
            had_ = true;
        }
        setenv(kName, list, 1);
        kai_cpu_forget();
    }
    DisabledFeatures(const DisabledFeatures&) = delete;
    ~DisabledFeatures() {
        had_ ? setenv(kName, old_.c_str(), 1) : unsetenv(kName);
        kai_cpu_forget();
    }

private:
    static constexpr const char* kName = "KLEIDIAI_CPU_DISABLE";
    std::string old_;
    bool had_ = false;
};

}  // namespace test
