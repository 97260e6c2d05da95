// How a function ends that may abort, without a process of its own: under emulation that would take some 20 ms each.
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

/// Runs it. It must change nothing but the test's own memory, and hold nothing when it aborts.
Ending ending_of(const std::function<void()>& function);

namespace detail {
void expect_abort(const std::function<void()>& function, const std::string& regex, const char* statement);
}

/// That it aborts, and what it says: an extended regular expression that some part of the text matches.
#define EXPECT_ABORT(statement, regex) test::detail::expect_abort([&] { statement; }, regex, #statement)

}  // namespace test
