// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

namespace test {

/// How a function ends in a process of its own.
struct Ending {
    bool returned = false;
    int signal = 0;
    std::string text;  // stderr
};

/// Runs it there.
Ending run_apart(const std::function<void()>& function);

/// The same in this process, many times as fast under emulation: for a function that changes nothing but the test's own
/// memory and holds nothing when it aborts.
Ending run_here(const std::function<void()>& function);

}  // namespace test
