// What a fuzz program aborts on.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <cstdlib>

#define CHECK(condition)                                             \
    do {                                                             \
        if (!(condition)) {                                          \
            std::fprintf(stderr, "does not hold: %s\n", #condition); \
            std::abort();                                            \
        }                                                            \
    } while (0)
