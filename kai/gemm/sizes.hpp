// Sizes of types, of panels and of parts of a workspace.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kai/kai_common.h"

#pragma GCC visibility push(hidden)
namespace kai::gemm {

/// Of the workspace, and of packed matrices.
inline constexpr size_t kAlignment = 64;

/// Sizes are below 2^63, and from signed numbers the conversion is one instruction everywhere.
constexpr double real(size_t x) {
    return static_cast<double>(static_cast<ptrdiff_t>(x));
}

/// A division takes as long as a check of all operands, so there is none where all fits into one part.
constexpr size_t divide_up(size_t a, size_t b) {
    return a <= b ? a != 0 : a / b + (a % b != 0);
}
constexpr size_t round_up(size_t a, size_t b) {
    return divide_up(a, b) * b;
}
constexpr size_t min(size_t a, size_t b) {
    return a < b ? a : b;
}
constexpr size_t max(size_t a, size_t b) {
    return a < b ? b : a;
}

/// a * b + c, or SIZE_MAX if it overflows, or if one of them is SIZE_MAX: "too large" carries through.
constexpr size_t mul_add(size_t a, size_t b, size_t c) {
    size_t product = 0, sum = 0;
    const bool overflow =
        __builtin_mul_overflow(a, b, &product) || __builtin_add_overflow(product, c, &sum) || c == SIZE_MAX;
    return (b != 0 && a == SIZE_MAX) || (a != 0 && b == SIZE_MAX) || overflow ? SIZE_MAX : sum;
}

/// A part of `size` bytes, aligned: where it begins. end: where what came before ends, which it moves. Nothing needs no
/// place.
constexpr size_t place(size_t& end, size_t size) {
    const size_t start = round_up(end, kAlignment);
    end = size == 0 ? end : start + size;
    return start;
}

inline const char* at(const void* p, size_t offset) {
    return static_cast<const char*>(p) + offset;
}
inline char* at(void* p, size_t offset) {
    return static_cast<char*>(p) + offset;
}

inline size_t size_of(kai_datatype type) {
    return kai_get_datatype_size_in_bytes(type);
}
inline bool is_float(kai_datatype type) {
    return type == kai_dt_f32 || type == kai_dt_f16 || type == kai_dt_bf16;
}

}  // namespace kai::gemm
#pragma GCC visibility pop
