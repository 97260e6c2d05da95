// What every source of the library needs. Freestanding: no C++ standard library, no exceptions, nothing weak.
//
// All internal code lives in an unnamed namespace: the same template compiled with two -march values must never become
// one symbol of the library.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/kai_common.h"

#define KAI_INLINE [[gnu::always_inline]] inline

namespace kai {
namespace {

/// A value at any alignment.
template <typename T>
KAI_INLINE T load(const void* p) {
    T value;
    __builtin_memcpy(&value, p, sizeof(T));
    return value;
}

/// A value to any alignment.
template <typename T>
KAI_INLINE void store(void* p, T value) {
    __builtin_memcpy(p, &value, sizeof(T));
}

KAI_INLINE const uint8_t* bytes(const void* p, size_t offset = 0) {
    return static_cast<const uint8_t*>(p) + offset;
}

KAI_INLINE uint8_t* bytes(void* p, size_t offset = 0) {
    return static_cast<uint8_t*>(p) + offset;
}

}  // namespace
}  // namespace kai
