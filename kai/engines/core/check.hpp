// Preconditions: the message of a violation, and in which builds it is checked.
//
//     KAI_REQUIRE(__func__, k % bl == 0, not_multiple_of, "k", k, "bl", bl);
//     -> kai_run_...: k = 250 is not a multiple of bl = 32
//
// What follows the condition is a sentence of sentences.def and its values.
//
// The first argument is the public function that was called. A helper that several functions share takes it as its last
// parameter, `const char* function = __builtin_FUNCTION()`: the function that calls the helper.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/sentences.hpp"
#include "kai/kai_common.h"

/// Prints "function: message" to stderr and aborts. `format` is that of printf.
extern "C" [[noreturn, gnu::cold, gnu::visibility("hidden"), gnu::format(printf, 2, 3)]] void kai_fail(
    const char* function, const char* format, ...);

/// The same for a violation, by the function `prefix``name`.
extern "C" [[noreturn, gnu::cold, gnu::visibility("hidden")]] void kai_refuse(
    const char* prefix, const char* name, const kai_violation* violation);

/// Aborts, reporting the function PREFIX NAME, if there is a violation.
#define KAI_REFUSE(PREFIX, NAME, VIOLATION)                      \
    do {                                                         \
        const kai_violation violation_ = VIOLATION;              \
        if (__builtin_expect(violation_.format != nullptr, 0)) { \
            kai_refuse(PREFIX, NAME, &violation_);               \
        }                                                        \
    } while (0)

namespace kai {
namespace {

/// Aborts with a sentence and its values, reporting `function`.
template <typename Sentence, typename... Values>
[[noreturn, gnu::always_inline]] inline void fail(const char* function, Sentence, Values... values) {
    check_values<Sentence, Values...>();
    kai_fail(function, Sentence::format, sentence_value(values)...);
}

}  // namespace
}  // namespace kai

/// Checked in every build: for functions that run once, such as packing weights.
#define KAI_REQUIRE_ALWAYS(function, cond, ...)                \
    do {                                                       \
        if (__builtin_expect(static_cast<bool>(!(cond)), 0)) { \
            kai::fail(function, kai::say::__VA_ARGS__);        \
        }                                                      \
    } while (0)

/// Checked in builds with assertions; not evaluated in others.
#if KLEIDIAI_ASSERTIONS
#define KAI_REQUIRE(function, cond, ...) KAI_REQUIRE_ALWAYS(function, cond, __VA_ARGS__)
#else
#define KAI_REQUIRE(function, cond, ...) \
    do {                                 \
        (void)sizeof(!(cond));           \
        (void)sizeof(function);          \
    } while (0)
#endif
