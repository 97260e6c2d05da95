// Contents of ZT0 for LUTI4, which uses the low byte of each word (the low half for elements of 16 bits): the values of
// nibbles.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/base.hpp"

namespace kai {
namespace {

struct Table {
    int32_t values[16];
};

[[maybe_unused]] constexpr Table kSignedNibbles = {{0, 1, 2, 3, 4, 5, 6, 7, -8, -7, -6, -5, -4, -3, -2, -1}};
[[maybe_unused]] constexpr Table kOffsetNibbles = {{-8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7}};
/// Of two bits, for LUTI2.
[[maybe_unused]] constexpr Table kOffsetCodes = {{-2, -1, 0, 1}};
[[maybe_unused]] constexpr Table kOffsetTwoBits = {{-1, 0, 1, 2}};
[[maybe_unused]] constexpr Table kUnsignedNibbles = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}};
/// The values as f16.
[[maybe_unused]] constexpr Table kOffsetNibblesF16 = {
    {0xC800, 0xC700, 0xC600, 0xC500, 0xC400, 0xC200, 0xC000, 0xBC00, 0x0000, 0x3C00, 0x4000, 0x4200, 0x4400, 0x4500,
     0x4600, 0x4700}};
[[maybe_unused]] constexpr Table kUnsignedNibblesF16 = {
    {0x0000, 0x3C00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600, 0x4700, 0x4800, 0x4880, 0x4900, 0x4980, 0x4A00, 0x4A80,
     0x4B00, 0x4B80}};

}  // namespace
}  // namespace kai
