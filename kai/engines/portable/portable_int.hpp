// int8 x small integers in portable C++: shared by its families.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/limits.hpp"
#include "kai/engines/portable/portable.hpp"
#include "kai/engines/qai8dxp/qai8dxp_args.h"

namespace kai {
namespace {

constexpr size_t kColumns = PortableLimits::kColumns, kRows = PortableLimits::kRows;
constexpr size_t kStep = 32, kChunk = PortableLimits::kChunk;  // k

/// Sums of a row, one per column. Columns that the RHS does not have are 0.
using Sums = int32_t[kColumns];
using Floats = float[kColumns];

/// Vectors of BYTES.
template <size_t BYTES>
struct Integers {
    using Int8 [[gnu::vector_size(BYTES)]] = int8_t;
    using UInt8 [[gnu::vector_size(BYTES)]] = uint8_t;
    using Int16 [[gnu::vector_size(BYTES)]] = int16_t;
    using Int32 [[gnu::vector_size(BYTES)]] = int32_t;
};
using Int8x16 = Integers<16>::Int8;
using UInt8x16 = Integers<16>::UInt8;
using Int16x8 = Integers<16>::Int16;
using Int32x4 = Integers<16>::Int32;

/// The 8 bytes at `low`, then those at `high`.
KAI_INLINE Int8x16 joined(const uint8_t* low, const uint8_t* high) {
    using Words [[gnu::vector_size(16)]] = uint64_t;
    return Int8x16(Words{load<uint64_t>(low), load<uint64_t>(high)});
}

/// 16 int16.
#if KAI_HAS_AVX2
using Int16x16 = Integers<32>::Int16;
using Int32x8 = Integers<32>::Int32;

KAI_INLINE Int16x16 widened(Int8x16 x) {
    return Int16x16(_mm256_cvtepi8_epi16(__m128i(x)));
}
#else
// Two vectors: GCC takes what is longer than a register apart, element by element.
struct Int16x16 {
    Int16x8 low, high;

    KAI_INLINE Int16x16 operator<<(int x) const {
        return {low << x, high << x};
    }
    KAI_INLINE Int16x16 operator>>(int x) const {
        return {low >> x, high >> x};
    }
    KAI_INLINE Int16x16 operator&(int16_t x) const {
        return {low & x, high & x};
    }
    KAI_INLINE Int16x16 operator|(Int16x16 x) const {
        return {low | x.low, high | x.high};
    }
    KAI_INLINE Int16x16 operator*(int16_t x) const {
        return {low * x, high * x};
    }
};
KAI_INLINE Int16x16 widened(Int8x16 x) {
#if defined(__aarch64__)
    return {vmovl_s8(vget_low_s8(x)), vmovl_high_s8(x)};
#elif defined(__SSE2__)
    const __m128i bytes = __m128i(x);
    return {
        Int16x8(_mm_srai_epi16(_mm_unpacklo_epi8(bytes, bytes), 8)),
        Int16x8(_mm_srai_epi16(_mm_unpackhi_epi8(bytes, bytes), 8))};
#else
    using Half [[gnu::vector_size(8)]] = int8_t;
    return {
        __builtin_convertvector(load<Half>(&x), Int16x8),
        __builtin_convertvector(load<Half>(reinterpret_cast<const int8_t*>(&x) + sizeof(Half)), Int16x8)};
#endif
}
#endif

/// Adds all products a[i] * b[i] to the lanes of sum. Which lane gets which does not count: add_across adds the lanes.
KAI_INLINE Int32x4 multiply_add(Int32x4 sum, Int16x8 a, Int16x8 b) {
#if defined(__aarch64__)
    return vmlal_high_s16(vmlal_s16(sum, vget_low_s16(a), vget_low_s16(b)), a, b);
#elif defined(__SSE2__)
    return sum + Int32x4(_mm_madd_epi16(__m128i(a), __m128i(b)));
#else
    const Int32x4 pairs_a = Int32x4(a), pairs_b = Int32x4(b);
    return sum + (pairs_a << 16 >> 16) * (pairs_b << 16 >> 16) + (pairs_a >> 16) * (pairs_b >> 16);
#endif
}

/// The sums of all lanes of four vectors.
KAI_INLINE Int32x4 add_across(const Int32x4 (&x)[4]) {
    const auto even = [](Int32x4 a, Int32x4 b) { return __builtin_shufflevector(a, b, 0, 2, 4, 6); };
    const auto odd = [](Int32x4 a, Int32x4 b) { return __builtin_shufflevector(a, b, 1, 3, 5, 7); };
    const Int32x4 first = even(x[0], x[1]) + odd(x[0], x[1]), second = even(x[2], x[3]) + odd(x[2], x[3]);
    return even(first, second) + odd(first, second);
}

#if KAI_HAS_AVX2
KAI_INLINE Int32x8 multiply_add(Int32x8 sum, Int16x16 a, Int16x16 b) {
    return sum + Int32x8(_mm256_madd_epi16(__m256i(a), __m256i(b)));
}
KAI_INLINE Int32x4 add_across(const Int32x8 (&x)[4]) {
    Int32x4 halves[4];
    KAI_UNROLL(4)
    for (size_t i = 0; i < 4; ++i) {
        halves[i] = __builtin_shufflevector(x[i], x[i], 0, 1, 2, 3) + __builtin_shufflevector(x[i], x[i], 4, 5, 6, 7);
    }
    return add_across(halves);
}
constexpr size_t kVectorBytes = 32;
#else
constexpr size_t kVectorBytes = 16;
#endif

/// 16 indices, 0 to 15, looked up in a table of 16 int16 that fit int8. Only called if there is an instruction for it.
#if defined(__aarch64__)
constexpr bool kHasLookUp = true;
KAI_INLINE Int8x16 narrowed(const int16_t* table) {
    return vmovn_high_s16(vmovn_s16(vld1q_s16(table)), vld1q_s16(table + 8));
}
KAI_INLINE Int8x16 look_up(Int8x16 entries, UInt8x16 indices) {
    return vqtbl1q_s8(entries, indices);
}
#elif KAI_HAS_AVX2
constexpr bool kHasLookUp = true;
KAI_INLINE Int8x16 narrowed(const int16_t* table) {
    return Int8x16(_mm_packs_epi16(__m128i(load<Int16x8>(table)), __m128i(load<Int16x8>(table + 8))));
}
KAI_INLINE Int8x16 look_up(Int8x16 entries, UInt8x16 indices) {
    return Int8x16(_mm_shuffle_epi8(__m128i(entries), __m128i(indices)));
}
#else
constexpr bool kHasLookUp = false;
KAI_INLINE Int8x16 narrowed(const int16_t*) {
    return Int8x16{};
}
KAI_INLINE Int8x16 look_up(Int8x16 entries, UInt8x16) {
    return entries;
}
#endif

/// Widens steps of a row: 16 elements at the start of each, and the 16 that are `apart` from them.
[[gnu::noinline]] void widen(const uint8_t* row, size_t steps, size_t step, size_t apart, int16_t* out) {
    for (size_t s = 0; s < steps; ++s, row += step, out += kStep) {
        store(out, widened(load<Int8x16>(row)));
        store(out + kStep / 2, widened(load<Int8x16>(row + apart)));
    }
}

/// sums += row x columns, a multiple of four, from k to k + count - 1, a multiple of 16.
[[gnu::noinline]] void multiply(
    const int16_t* row, const int16_t (*weights)[kChunk], size_t columns, size_t k, size_t count, int32_t* sums) {
    using Vectors = Integers<kVectorBytes>;
    constexpr size_t kElements = kVectorBytes / sizeof(int16_t);
    for (size_t c = 0; c < columns; c += 4, weights += 4) {
        Vectors::Int32 sum[4] = {};
        for (size_t i = k; i < k + count; i += kElements) {
            const auto x = load<Vectors::Int16>(row + i);
            KAI_UNROLL(4)
            for (size_t j = 0; j < 4; ++j) {
                sum[j] = multiply_add(sum[j], x, load<Vectors::Int16>(weights[j] + i));
            }
        }
        store(sums + c, load<Int32x4>(sums + c) + add_across(sum));
    }
}

/// The first n of a row of results.
[[maybe_unused, gnu::noinline]] void store_row(
    const float* results, size_t n, uint8_t* dst, OutKind out, float lo, float hi) {
    for (size_t c = 0; c < n; ++c) {
        const float x = clamped(results[c], lo, hi);
        if (out == OutKind::f32) {
            store(dst + 4 * c, x);
        } else {
            store(dst + 2 * c, out == OutKind::f16 ? kai_cast_f16_f32(x) : kai_cast_bf16_f32(x));
        }
    }
}

}  // namespace
}  // namespace kai
