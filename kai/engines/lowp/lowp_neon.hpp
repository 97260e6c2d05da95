// How int32 sums of the low-precision kernels become results: what all engines for NEON share. Pipelines: kai_lowp.h.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arm_neon.h>

#include "kai/engines/core/limits.hpp"
#include "kai/engines/lowp/lowp.hpp"

namespace kai {
namespace {

constexpr size_t kStrip = LowpLimits::kColumns;  // columns whose sums become results together

KAI_INLINE size_t min(size_t a, size_t b) {
    return a < b ? a : b;
}

/// f(i) for four vectors side by side.
template <class Function>
KAI_INLINE void four(Function f) {
    KAI_UNROLL(4)
    for (size_t i = 0; i < 4; ++i) {
        f(i);
    }
}

/// The first `count` of a strip.
KAI_INLINE void load_strip(int32x4_t (&to)[4], const int32_t* from, size_t count) {
    int32_t some[kStrip] = {};
    if (count < kStrip) {
        __builtin_memcpy(some, from, count * sizeof(int32_t));
        from = some;
    }
    four([&](size_t i) { to[i] = vld1q_s32(from + 4 * i); });
}

/// The offsets of columns first ... first + count - 1 of a call with int32 results.
KAI_INLINE void load_offsets(int32x4_t (&to)[4], const kai_matmul_offsets& q, size_t first, size_t count) {
    four([&](size_t i) { to[i] = vdupq_n_s32(0); });
    if (q.rhs_offsets != nullptr) {
        load_strip(to, q.rhs_offsets + first, count);
    }
    four([&](size_t i) { to[i] = vaddq_s32(to[i], vdupq_n_s32(q.rhs_offset)); });
}

/// Terms of the columns of a strip, 4 in a vector.
struct Columns {
    int32x4_t term[4], multiplier[4], left[4], right[4];

    /// One multiplier and one shift for all.
    KAI_INLINE void take_one(const kai_matmul_lowp_params& p) {
        four([&](size_t i) {
            term[i] = vdupq_n_s32(0);
            multiplier[i] = vdupq_n_s32(*p.multiplier);
            left[i] = vdupq_n_s32(*p.shift);
        });
        split_shifts();
    }
    /// Those of columns first ... first + count - 1.
    KAI_INLINE void take(const kai_matmul_lowp_params& p, size_t first, size_t count) {
        load_strip(multiplier, p.multiplier + first, count);
        load_strip(left, p.shift + first, count);
        split_shifts();
    }
    /// left: shifts.
    KAI_INLINE void split_shifts() {
        four([&](size_t i) {
            right[i] = vminq_s32(left[i], vdupq_n_s32(0));
            left[i] = vmaxq_s32(left[i], vdupq_n_s32(0));
        });
    }
};

/// @name How sums become results, four vectors side by side: an operation needs the result of the one before.
/// @{
struct FixedPoint {
    int32x4_t offset;
    explicit FixedPoint(const kai_matmul_lowp_params& p) : offset(vdupq_n_s32(p.result_offset)) {
    }
    KAI_INLINE void operator()(int32x4_t (&x)[4], const Columns& c) const {
        four([&](size_t i) { x[i] = vshlq_s32(x[i], c.left[i]); });
        four([&](size_t i) { x[i] = vqrdmulhq_s32(x[i], c.multiplier[i]); });
        // SRSHL rounds ties up: subtracts one from negative values, which are not INT32_MIN. Nothing is subtracted if
        // the shift is 0.
        int32x4_t less[4];
        four([&](size_t i) { less[i] = vandq_s32(x[i], c.right[i]); });
        four([&](size_t i) { x[i] = vsraq_n_s32(x[i], less[i], 31); });
        four([&](size_t i) { x[i] = vrshlq_s32(x[i], c.right[i]); });
        four([&](size_t i) { x[i] = vaddq_s32(x[i], offset); });
    }
};
struct Legacy {
    int32x4_t offset;
    explicit Legacy(const kai_matmul_lowp_params& p) : offset(vdupq_n_s32(p.result_offset)) {
    }
    KAI_INLINE void operator()(int32x4_t (&x)[4], const Columns& c) const {
        four([&](size_t i) { x[i] = vmulq_s32(vaddq_s32(x[i], offset), c.multiplier[i]); });
        // As above, but INT32_MIN, whose quotients are exact, must stay.
        int32x4_t right[4], less[4];
        four([&](size_t i) { right[i] = vnegq_s32(c.left[i]); });
        four([&](size_t i) { less[i] = vshrq_n_s32(vandq_s32(x[i], right[i]), 31); });
        four([&](size_t i) { x[i] = vqaddq_s32(x[i], less[i]); });
        four([&](size_t i) { x[i] = vrshlq_s32(x[i], right[i]); });  // adds the rounding without overflow
    }
};
/// @}

/// Constants of all results of a call.
template <class Pipeline>
struct Finish {
    Pipeline pipeline;
    int32x4_t lo, hi;

    explicit Finish(const Lowp& p)
        : pipeline(*p.params), lo(bound(p, p.params->min_value)), hi(bound(p, p.params->max_value)) {
    }
    /// A bound as dst has it: results saturate whatever it is.
    static int32x4_t bound(const Lowp& p, int32_t x) {
        const int32_t least = p.flip != 0 ? 0 : INT8_MIN, most = p.flip != 0 ? UINT8_MAX : INT8_MAX;
        return vdupq_n_s32(x < least ? least : x > most ? most : x);
    }
    /// The results of a row.
    KAI_INLINE uint8x16_t operator()(const int32_t (&sums)[kStrip], int32_t term, const Columns& c) const {
        int32x4_t x[4];
        four([&](size_t i) { x[i] = vaddq_s32(vaddq_s32(vld1q_s32(&sums[4 * i]), c.term[i]), vdupq_n_s32(term)); });
        pipeline(x, c);
        four([&](size_t i) { x[i] = vmaxq_s32(x[i], lo); });
        four([&](size_t i) { x[i] = vminq_s32(x[i], hi); });
        const int16x8_t a = vuzp1q_s16(vreinterpretq_s16_s32(x[0]), vreinterpretq_s16_s32(x[1]));
        const int16x8_t b = vuzp1q_s16(vreinterpretq_s16_s32(x[2]), vreinterpretq_s16_s32(x[3]));
        return vuzp1q_u8(vreinterpretq_u8_s16(a), vreinterpretq_u8_s16(b));
    }
};

}  // namespace
}  // namespace kai
