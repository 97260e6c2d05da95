// What the library says of a wrong argument. A test names the sentence of kai/engines/core/sentences.def and its
// values, and the compiler compares these with the format; how it is worded stands in that table alone:
//
//     EXPECT_EQ(reason, SAID(not_multiple_of, "k", 250, "bl", 32));
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>

#include "kai/engines/core/sentences.hpp"

namespace test {

inline std::string said(const kai_violation& violation) {
    std::string text(kai::write(nullptr, 0, violation) + 1, '\0');
    kai::write(text.data(), text.size(), violation);
    text.pop_back();
    return text;
}

/// The same with text in the place of each value, such as a pattern.
inline std::string said_as(const char* format, std::initializer_list<std::string> values) {
    std::string text;
    const std::string* value = values.begin();
    for (const char* at = format; *at != 0; ++at) {
        if (*at != '%') {
            text += *at;
            continue;
        }
        text += value != values.end() ? *value++ : "(a value is missing)";
        at += at[1] == 'z' ? 2 : 1;
    }
    return value == values.end() ? text : text + "(there is another value)";
}

}  // namespace test

#define SAID(...) test::said(kai::violation(kai::say::__VA_ARGS__))
#define SAID_AS(SENTENCE, ...) test::said_as(kai::say::SENTENCE.format, {__VA_ARGS__})
