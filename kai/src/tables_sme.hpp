// What ZT0 holds for LUTI4, which takes the low byte of each word: the values of nibbles.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/src/base.hpp"

namespace kai {
namespace {

struct Table {
    int32_t values[16];
};

[[maybe_unused]] constexpr Table kSignedNibbles = {{0, 1, 2, 3, 4, 5, 6, 7, -8, -7, -6, -5, -4, -3, -2, -1}};
[[maybe_unused]] constexpr Table kOffsetNibbles = {{-8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7}};

}  // namespace
}  // namespace kai
