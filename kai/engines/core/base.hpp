// Included by every source of the library. Freestanding: no C++ standard library, no exceptions, nothing weak.
//
// All internal code is in an unnamed namespace: the same template compiled with two -march values must never become
// one symbol of the library.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/float_rules.hpp"
#include "kai/kai_common.h"

#define KAI_INLINE [[gnu::always_inline]] inline

/// Before a loop: the compiler unrolls it `count` times.
#define KAI_UNROLL(count) KAI_PRAGMA(GCC unroll count)
#define KAI_PRAGMA(text) _Pragma(#text)

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

/// x, hidden from the optimiser: values that depend on it are computed where they are used, not kept in
/// registers (one for x, one for x + 1, ...) around a loop that needs those.
template <typename T>
KAI_INLINE T opaque(T x) {
#if defined(__GNUC__)
    __asm__("" : "+r"(x));
#endif
    return x;
}

/// As opaque, for GCC only: Clang generates better code when it knows the value.
template <typename T>
KAI_INLINE T opaque_to_gcc(T x) {
#if defined(__clang__)
    return x;
#else
    return opaque(x);
#endif
}

/// As opaque, for Clang only.
template <typename T>
KAI_INLINE T opaque_to_clang(T x) {
#if defined(__clang__)
    return opaque(x);
#else
    return x;
#endif
}

KAI_INLINE const uint8_t* bytes(const void* p, size_t offset = 0) {
    return static_cast<const uint8_t*>(p) + offset;
}

KAI_INLINE uint8_t* bytes(void* p, size_t offset = 0) {
    return static_cast<uint8_t*>(p) + offset;
}

}  // namespace
}  // namespace kai
