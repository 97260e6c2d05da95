// Words of environment variables.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>

namespace kai {
namespace {

constexpr const char* kSpaces = " \t\r\n\v\f";

constexpr char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// Whether the `length` characters of `word` are the name, in upper or lower case.
inline bool is_word(const char* word, size_t length, const char* name) {
    size_t i = 0;
    while (i < length && lower(word[i]) == name[i] && name[i] != 0) {
        ++i;
    }
    return i == length && name[i] == 0;
}

}  // namespace
}  // namespace kai
