// Room in the structures of public headers for members of later versions (docs/versioning.md).
//
// A program that was built with the header of a newer library may set such a member. This library does not know it: it
// refuses what is not zero, instead of computing something else.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace kai {
namespace {

/// All bits of the room of a structure: 0 if nobody uses it. No branches: runs check it.
template <size_t N>
[[maybe_unused]] constexpr uint64_t bits_of(const uint64_t (&reserved)[N]) {
    uint64_t bits = 0;
    for (size_t i = 0; i < N; ++i) {
        bits |= reserved[i];
    }
    return bits;
}

}  // namespace
}  // namespace kai
