// Integer matmul on SVE with panels of 8 columns: the pieces that kernels are built from.
//
// Correct at every vector length: a vector holds 32 bytes of a panel, or 16 where vectors have no more. Predicates of
// `width()` bytes keep loads and stores to that; only permutations are used whose leading elements do not depend on the
// vector length. Multiplications work within 128 bits.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arm_sve.h>

#include "kai/engines/blocks/blocks_neon_tiles.hpp"

namespace kai {
namespace {

/// Bytes of a panel in a vector: 16 or 32.
KAI_INLINE size_t width() {
    return svcntb() < 32 ? 16 : 32;
}

/// The first n elements. Arithmetic runs on all elements: elements that are not loaded are zero.
KAI_INLINE svbool_t first_bytes(size_t n) {
    return svwhilelt_b8_u64(0, n);
}
KAI_INLINE svbool_t first_words(size_t n) {
    return svwhilelt_b32_u64(0, n);
}
KAI_INLINE svbool_t all() {
    return svptrue_b8();
}
/// The same for words: compilers then choose instructions without a predicate.
KAI_INLINE svbool_t all_words() {
    return svptrue_b32();
}

KAI_INLINE svint8_t load_bytes(svbool_t some, const uint8_t* p) {
    return svld1_s8(some, reinterpret_cast<const int8_t*>(p));
}
/// 16 bytes in every 128 bits.
KAI_INLINE svint8_t load_quad(const uint8_t* p) {
    return svld1rq_s8(all(), reinterpret_cast<const int8_t*>(p));
}
KAI_INLINE svfloat32_t halves_to_float(svuint32_t halves) {
    return svcvt_f32_f16_x(all_words(), svreinterpret_f16_u32(halves));
}
KAI_INLINE svuint32_t load_halves(svbool_t words, const uint8_t* p) {
    return svld1uh_u32(words, reinterpret_cast<const uint16_t*>(p));
}
KAI_INLINE void store_clamped(float* dst, size_t columns, svfloat32_t x, float lo, float hi) {
    svst1_f32(first_words(columns), dst, svmin_n_f32_x(all_words(), svmax_n_f32_x(all_words(), x, lo), hi));
}

}  // namespace
}  // namespace kai
