// Tells how a function ends that may abort, without a process of its own: that takes about 20 ms under emulation.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

namespace test {

struct Ending {
    bool returned = false;
    int signal = 0;
    std::string text;  // stderr
};

/// Runs it. It may only change memory of the test, and must hold no resource when it aborts.
Ending ending_of(const std::function<void()>& function);

namespace detail {
void expect_abort(const std::function<void()>& function, const std::string& regex, const char* statement);
}

/// Expects an abort, and a message of which a part matches this extended regular expression.
#define EXPECT_ABORT(statement, regex) test::detail::expect_abort([&] { statement; }, regex, #statement)

}  // namespace test
