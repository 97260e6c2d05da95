// Explanations: texts that are put together piece by piece.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include "kai/engines/core/sentences.hpp"

namespace kai {
namespace {

/// Text in the caller's buffer, cut where it ends; its whole length.
struct Text {
    char* to;
    size_t size, length;

    [[gnu::format(printf, 2, 3)]] void add(const char* format, ...) {
        va_list arguments;
        va_start(arguments, format);
        const int added = vsnprintf(rest(), left(), format, arguments);
        va_end(arguments);
        length += added > 0 ? static_cast<size_t>(added) : 0;
    }
    /// A sentence, as a line. Returns the length.
    size_t add(const kai_violation& violation) {
        length += write(rest(), left(), violation);
        add("\n");
        return length;
    }

private:
    size_t left() const {
        return length < size ? size - length : 0;
    }
    char* rest() const {
        return left() != 0 ? to + length : nullptr;
    }
};

}  // namespace
}  // namespace kai
