// The sentences of sentences.def, and a violated precondition as data: a sentence and its values.
//
//     KAI_VIOLATION_IF(bl == 0, zero, "bl");
//     KAI_VIOLATION_IF(k % bl != 0, not_multiple_of, "k", k, "bl", bl);
//     return {};  // no violation
//
// in a function that returns a kai_violation; `kai::write` makes the text: "k = 250 is not a multiple of bl = 32". The
// compiler compares the values with the format.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>
#include <stdio.h>

/// A value of a sentence. Its format says which.
union kai_sentence_value {
    const char* name;  ///< %s
    size_t number;     ///< %zu, %zd, %zx
    double real;       ///< %g
};

/// A violated precondition. `format` NULL: there is none.
struct kai_violation {
    const char* format;
    kai_sentence_value values[5];  ///< in the order of the format
};

namespace kai {
namespace {

/// The sentences: an object each, whose type carries the format.
namespace say {
#define KAI_SENTENCE(NAME, FORMAT)               \
    struct NAME##_sentence {                     \
        static constexpr char format[] = FORMAT; \
    };                                           \
    [[maybe_unused]] constexpr NAME##_sentence NAME = {};
#include "kai/engines/core/sentences.def"
#undef KAI_SENTENCE
}  // namespace say

/// @name A value as printf takes it: a name, a whole number, a floating-point one
/// @{
constexpr const char* sentence_value(const char* name) {
    return name;
}
constexpr double sentence_value(double number) {
    return number;
}
constexpr double sentence_value(float number) {
    return static_cast<double>(number);
}
template <typename T>
constexpr size_t sentence_value(T number) {
    return static_cast<size_t>(number);
}
constexpr char sentence_kind(const char*) {
    return 's';
}
constexpr char sentence_kind(double) {
    return 'g';
}
constexpr char sentence_kind(size_t) {
    return 'z';
}
/// @}

/// Whether `kinds` are the conversions of a format, in order.
constexpr bool fits(const char* format, const char* kinds) {
    for (; *format != 0; ++format) {
        if (*format != '%') {
            continue;
        }
        while (*format != 's' && *format != 'g' && *format != 'z') {
            if (*format == 0) {
                return false;
            }
            ++format;
        }
        if (*kinds != *format) {
            return false;
        }
        ++kinds;
    }
    return *kinds == 0;
}

template <typename Sentence, typename... Values>
constexpr void check_values() {
    constexpr char kinds[] = {sentence_kind(decltype(sentence_value(Values{})){})..., 0};
    static_assert(fits(Sentence::format, kinds), "other values than the sentence asks for");
}

/// @name A value of any kind
/// @{
[[maybe_unused]] inline kai_sentence_value any_value(const char* name) {
    kai_sentence_value value;
    value.name = name;
    return value;
}
[[maybe_unused]] inline kai_sentence_value any_value(size_t number) {
    kai_sentence_value value;
    value.number = number;
    return value;
}
[[maybe_unused]] inline kai_sentence_value any_value(double real) {
    kai_sentence_value value;
    value.real = real;
    return value;
}
/// @}

/// A sentence with its values.
template <typename Sentence, typename... Values>
kai_violation violation(Sentence, Values... values) {
    check_values<Sentence, Values...>();
    static_assert(sizeof...(Values) <= 5, "more than a violation holds");
    return {Sentence::format, {any_value(sentence_value(values))...}};
}

/// Writes the text, as snprintf does: at most `size` bytes with the 0, and the result is the length of the whole.
[[maybe_unused]] size_t write(char* text, size_t size, const kai_violation& violation) {
    const kai_sentence_value* value = violation.values;
    size_t length = 0;
    const auto add = [&](const char* format, auto x) {
        const size_t left = length < size ? size - length : 0;
        const int added = snprintf(left != 0 ? text + length : nullptr, left, format, x);
        length += added > 0 ? static_cast<size_t>(added) : 0;
    };
    add("%s", "");
    for (const char* at = violation.format; at != nullptr && *at != 0; ++at) {
        if (*at != '%') {
            add("%c", *at);
        } else if (at[1] == 's') {
            add("%s", (value++)->name);
            at += 1;
        } else if (at[1] == 'g') {
            add("%g", (value++)->real);
            at += 1;
        } else {
            add(at[2] == 'u' ? "%zu" : at[2] == 'd' ? "%zd" : "%zx", (value++)->number);
            at += 2;
        }
    }
    return length;
}

}  // namespace
}  // namespace kai

/// In a function that returns a kai_violation: returns this one where `cond` holds. What follows is the name of a
/// sentence and its values.
#define KAI_VIOLATION_IF(cond, ...)                       \
    do {                                                  \
        if (cond) {                                       \
            return kai::violation(kai::say::__VA_ARGS__); \
        }                                                 \
    } while (0)

/// The same for the violation that an expression yields, if any.
#define KAI_RETURN_VIOLATION(expression)             \
    do {                                             \
        const kai_violation violation_ = expression; \
        if (violation_.format != nullptr) {          \
            return violation_;                       \
        }                                            \
    } while (0)
