// Scores to probabilities with NEON, some rows at a time: prepare, find the maximum, then the exponentials.
//
// The exponential is a power of two, relative to an integer M of each row that is at least its largest exponent:
//
//     P = 2^(a s - M) = 2^(n - M) * 2^f,   a = scale * log2 e,   n = a s to the nearest,   f = a s - n,   |f| <= 1/2
//
// so that f is rounded once, however large the score is, and factors of sums and outputs are powers of two. Operations
// on four scores, with the polynomial of degree 3 that 16-bit P gets:
//
//     s = max(s, lower)            lower: where P becomes 0 in 16 bits; -infinity becomes it
//     shifted = (C - M) + a s      C = 1.5 * 2^23: the lowest bits are n - M
//     f = (C - M) - shifted        this is -n
//     f = f + a s
//     p = 2^f                      c0 + f (c1 + f (c2 + f c3)); f32: degree 5
//     P = p, n - M added to its exponent
//
// The last step is a shift and an addition of integers; for bf16 the addition also rounds and narrows (RADDHN).
//
// Rows that are not that simple (a mask, slopes, a cap, columns that are not seen, exponents of 2^12 and more) are
// first changed where they lie, into rows that are.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/attention/block.hpp"
#include "kai/attention/exp.hpp"
#include "kai/gemm/activation.hpp"

#include <arm_neon.h>

#pragma GCC visibility push(hidden)
namespace kai::attention {
namespace {

constexpr float kInfinity = __builtin_inff();
constexpr float kInteger = 0x1.8p23F;  // C
constexpr int kMantissa = 23;
constexpr size_t kQuad = 4, kColumns = 16;

template <typename T>
KAI_INLINE T* at(T* p, size_t bytes) {
    return reinterpret_cast<T*>(reinterpret_cast<uintptr_t>(p) + bytes);
}

/// What the exponentials of a row take.
struct Row {
    float* scores;
    float scale;   // a
    float offset;  // C - M
    float lower;
};

// ---- prepare: rows that only a scale is left of, of all columns ----

/// Four values of a mask from column c on; 0 for those that are not seen.
KAI_INLINE float32x4_t mask_of(const SoftmaxBlock& b, size_t r, size_t c) {
    const size_t first = b.first[r], last = b.last[r];
    const void* const mask = b.mask[r];
    if (first <= c && c + kQuad <= last) {
        return b.mask_f16 ? vcvt_f32_f16(vreinterpret_f16_u8(vld1_u8(static_cast<const uint8_t*>(mask) + c * 2)))
                          : vreinterpretq_f32_u8(vld1q_u8(static_cast<const uint8_t*>(mask) + c * 4));
    }
    float values[kQuad] = {};
    for (size_t i = 0; i < kQuad; ++i) {
        if (first <= c + i && c + i < last) {
            uint16_t half = 0;
            __builtin_memcpy(&half, static_cast<const uint8_t*>(mask) + (c + i) * 2, b.mask_f16 ? sizeof(half) : 0);
            values[i] = kai_cast_f32_f16(half);
            __builtin_memcpy(
                &values[i], static_cast<const uint8_t*>(mask) + (c + i) * 4, b.mask_f16 ? 0 : sizeof(float));
        }
    }
    return vld1q_f32(values);
}

/// scores = log2 e * x where the row sees.
void write_exponents(const SoftmaxBlock& b, size_t r, float* scores) {
    const float per_cap = b.cap != 0 ? 1 / b.cap : 0;
    const bool masked = b.mask != nullptr && b.mask[r] != nullptr;
    const int32_t four[] = {0, 1, 2, 3};
    for (size_t c = b.first[r] / kQuad * kQuad; c < b.last[r]; c += kQuad) {
        float32x4_t x = vmulq_n_f32(vld1q_f32(scores + c), b.scale);
        if (b.cap != 0) {
            x = vmulq_n_f32(gemm::as<float32x4_t>(gemm::tanh(gemm::as<gemm::Floats>(vmulq_n_f32(x, per_cap)))), b.cap);
        }
        if (b.slope != nullptr) {
            const int32x4_t column = vaddq_s32(vld1q_s32(four), vdupq_n_s32(static_cast<int32_t>(c)));
            x = vfmaq_n_f32(x, vaddq_f32(vdupq_n_f32(b.distance[r]), vcvtq_f32_s32(column)), b.slope[r]);
        }
        x = masked ? vaddq_f32(x, mask_of(b, r, c)) : x;
        vst1q_f32(scores + c, vmulq_n_f32(x, kLog2E));
    }
}

KAI_INLINE void fill(float* scores, size_t first, size_t last) {
    for (size_t c = first; c < last; ++c) {
        scores[c] = -kInfinity;
    }
}

/// The largest scores of some rows, each in four lanes. Rows take turns: one address for all, and no maximum waits.
template <size_t count>
KAI_INLINE void find_largest(const Row* rows, size_t columns, float32x4_t* most) {
    for (size_t i = 0; i < count; ++i) {
        most[i] = vdupq_n_f32(-kInfinity);
    }
    for (size_t c = 0; c < columns; c += kColumns) {
#pragma GCC unroll 4
        for (size_t i = 0; i < count; ++i) {
            const float32x4x4_t s = vld1q_f32_x4(rows[i].scores + c);
            most[i] = vmaxq_f32(most[i], vmaxq_f32(vmaxq_f32(s.val[0], s.val[1]), vmaxq_f32(s.val[2], s.val[3])));
        }
    }
}

/// The largest score of each of up to four rows.
KAI_INLINE float32x4_t largest_of(const Row* rows, size_t count, size_t columns) {
    float32x4_t most[kQuad];
    if (count == kQuad) {
        find_largest<kQuad>(rows, columns, most);
    } else {
        for (size_t i = 0; i < kQuad; ++i) {
            find_largest<1>(rows + (i < count ? i : 0), i < count ? columns : 0, most + i);
        }
    }
    return vpmaxq_f32(vpmaxq_f32(most[0], most[1]), vpmaxq_f32(most[2], most[3]));
}

/// 2^n for integers n <= 0; below 2^-126: 0.
KAI_INLINE float32x4_t power_of_two(float32x4_t n) {
    const int32x4_t exponent = vcvtq_s32_f32(vmaxq_f32(n, vdupq_n_f32(-127)));
    return vreinterpretq_f32_s32(vshlq_n_s32(vaddq_s32(exponent, vdupq_n_s32(127)), kMantissa));
}

/// scores = a s - M.
void subtract_in_place(float* scores, size_t columns, float scale, float reference) {
    for (size_t c = 0; c < columns; c += kQuad) {
        vst1q_f32(scores + c, vfmaq_n_f32(vdupq_n_f32(-reference), vld1q_f32(scores + c), scale));
    }
}

/// All columns of a row as scores, or, if it is not simple, as exponents.
KAI_INLINE void prepare_row(const SoftmaxBlock& b, size_t r, bool is_simple) {
    float* const scores = at(b.scores, r * b.score_row);
    if (!is_simple) {
        write_exponents(b, r, scores);
    }
    if (b.first[r] >= b.last[r]) {
        return fill(scores, 0, b.columns);
    }
    fill(scores, 0, b.first[r]);
    fill(scores, b.last[r], b.columns);
}

/// Four numbers of rows, of which `count` are there; the others are `none`.
KAI_INLINE float32x4_t load_rows(const float* from, size_t count, float none) {
    if (count == kQuad) {
        return vld1q_f32(from);
    }
    float values[kQuad];
#pragma GCC unroll 4
    for (size_t i = 0; i < kQuad; ++i) {  // no loop of `count`: it would be a call of memcpy
        values[i] = i < count ? from[i] : none;
    }
    return vld1q_f32(values);
}
KAI_INLINE void store_rows(float* to, float32x4_t x, size_t count) {
    if (count == kQuad) {
        return vst1q_f32(to, x);
    }
    float values[kQuad];
    vst1q_f32(values, x);
#pragma GCC unroll 4
    for (size_t i = 0; i < kQuad; ++i) {
        if (i < count) {
            to[i] = values[i];
        }
    }
}

/// State of four rows; of those that are not there, as of rows that see nothing.
struct State {
    float32x4_t max, sum, factor;

    KAI_INLINE static State of(const SoftmaxBlock& b, size_t first, size_t count) {
        State state = {load_rows(b.max + first, count, -kInfinity), load_rows(b.sum + first, count, 0), vdupq_n_f32(1)};
        const float32x4_t exact = vmulq_n_f32(state.max, kLog2E);
        const uint32x4_t is_ours =
            vmvnq_u32(vcagtq_f32(vsubq_f32(exact, vrndnq_f32(exact)), vmulq_n_f32(exact, 0x1p-20F)));
        if (vminvq_u32(is_ours) == 0) {
            state.raise(is_ours);
        }
        return state;
    }
    /// A maximum that is none of ours (a sink) becomes the next integer. All that is added is relative to it.
    void raise(uint32x4_t is_ours) {
        float most[kQuad], factors[kQuad];
        uint32_t ours[kQuad];
        vst1q_f32(most, max), vst1q_u32(ours, is_ours);
        for (size_t i = 0; i < kQuad; ++i) {
            const float exact = most[i] * kLog2E, integer = __builtin_ceilf(exact);
            factors[i] = ours[i] != 0 ? 1 : exp_of((exact - integer) * kLn2);
            most[i] = ours[i] != 0 ? most[i] : integer * kLn2;
        }
        max = vld1q_f32(most), factor = vld1q_f32(factors), sum = vmulq_f32(sum, factor);
    }
    KAI_INLINE void put(const SoftmaxBlock& b, size_t first, size_t count) const {
        store_rows(b.max + first, max, count), store_rows(b.sum + first, sum, count);
        store_rows(b.factor + first, factor, count);
    }
};

/// Up to four rows: the new maxima, and what the exponentials take. `scale`: a; `largest`: of scores.
void start_rows(const SoftmaxBlock& b, size_t first, size_t count, float scale, float32x4_t largest, Row* rows) {
    State state = State::of(b, first, count);
    largest = vmulq_n_f32(largest, scale);
    const float32x4_t old = vrndnq_f32(vmulq_n_f32(state.max, kLog2E));
    const uint32x4_t is_number = vcltq_f32(largest, vdupq_n_f32(kInfinity)),
                     grows = vandq_u32(vcgtq_f32(largest, old), is_number);
    // M is what the next block, and those who merge parts, compute from max.
    state.max = vbslq_f32(grows, vmulq_n_f32(vrndpq_f32(largest), kLn2), state.max);
    const float32x4_t reference = vrndnq_f32(vmulq_n_f32(state.max, kLog2E));
    const float32x4_t factor = vbslq_f32(grows, power_of_two(vsubq_f32(old, reference)), vdupq_n_f32(1));
    state.factor = vmulq_f32(factor, state.factor);
    state.sum = vbslq_f32(is_number, vmulq_f32(factor, state.sum), vdupq_n_f32(__builtin_nanf("")));
    state.put(b, first, count);

    // 2^(-127 + 2^-9), whose bits are those of a subnormal number that 16 bits do not have.
    constexpr float kZero = -127 + 0x1p-9F, kMostExponent = 0x1p12F, kMostScale = 0x1p60F;
    const bool is_usual = scale < kMostScale && scale > 1 / kMostScale;
    const float per_scale = 1 / scale;
    float references[kQuad];
    vst1q_f32(references, reference);
    for (size_t i = 0; i < count; ++i) {
        const float m = references[i] == -kInfinity ? 0 : references[i];
        if (is_usual && __builtin_fabsf(m) < kMostExponent) {
            rows[i].scale = scale, rows[i].offset = kInteger - m, rows[i].lower = (m + kZero) * per_scale;
        } else {
            subtract_in_place(rows[i].scores, b.columns, scale, m);
            rows[i].scale = 1, rows[i].offset = kInteger, rows[i].lower = kZero;
        }
    }
}

// ---- exponentials ----

/// P of four scores: `fraction` times 2^n, where `power` is n where floats have their exponent.
struct Power {
    uint32x4_t fraction, power;

    /// As f32.
    KAI_INLINE float32x4_t value() const {
        return vreinterpretq_f32_u32(vaddq_u32(fraction, power));
    }
};

/// With a polynomial of that degree.
template <int degree>
KAI_INLINE Power power_of(const Row& row, float32x4_t s) {
    static_assert(degree == 3 || degree == 5);
    const float32x4_t offset = vdupq_n_f32(row.offset), scale = vdupq_n_f32(row.scale);
    s = vmaxq_f32(s, vdupq_n_f32(row.lower));
    const float32x4_t shifted = vfmaq_f32(offset, s, scale), f = vfmaq_f32(vsubq_f32(offset, shifted), s, scale);
    float32x4_t p = vdupq_n_f32(degree == 3 ? kPolynomial3[0] : kPolynomial5[0]);
#pragma GCC unroll 5
    for (int i = 1; i <= degree; ++i) {
        p = vfmaq_f32(vdupq_n_f32(degree == 3 ? kPolynomial3[i] : kPolynomial5[i]), p, f);
    }
    return {vreinterpretq_u32_f32(p), vshlq_n_u32(vreinterpretq_u32_f32(shifted), kMantissa)};
}

KAI_INLINE float across(float32x4_t x) {
    return vaddvq_f32(x);
}

/// Two quads of scores to P: of one row, or of two rows. The sums of the first quad and of the second one.
struct TwoFloats {
    using Element = float;
    float32x4_t first = vdupq_n_f32(0), second = vdupq_n_f32(0);

    KAI_INLINE float32x4_t exactly(const Row& row, float32x4_t s) {
        const uint32x4_t is_zero = vcleq_f32(s, vdupq_n_f32(row.lower));
        return vreinterpretq_f32_u32(vbicq_u32(vreinterpretq_u32_f32(power_of<5>(row, s).value()), is_zero));
    }
    KAI_INLINE void put(const Row& a, float32x4_t s, const Row& b, float32x4_t t, float* to) {
        const float32x4_t p = exactly(a, s), q = exactly(b, t);
        first = vaddq_f32(first, p), second = vaddq_f32(second, q);
        vst1q_f32(to, p), vst1q_f32(to + kQuad, q);
    }
    KAI_INLINE float sum(int quad) const {
        return across(quad == 0 ? first : second);
    }
};

struct TwoHalves {
    using Element = uint16_t;
    float32x4_t first = vdupq_n_f32(0), second = vdupq_n_f32(0);

    KAI_INLINE void put(const Row& a, float32x4_t s, const Row& b, float32x4_t t, uint16_t* to) {
        const float32x4_t p = power_of<3>(a, s).value(), q = power_of<3>(b, t).value();
        first = vaddq_f32(first, p), second = vaddq_f32(second, q);
        vst1q_u16(to, vreinterpretq_u16_f16(vcvt_high_f16_f32(vcvt_f16_f32(p), q)));
    }
    KAI_INLINE float sum(int quad) const {
        return across(quad == 0 ? first : second);
    }
};

struct TwoBrains {
    using Element = uint16_t;
    float32x4_t first = vdupq_n_f32(0), second = vdupq_n_f32(0);

    KAI_INLINE void put(const Row& a, float32x4_t s, const Row& b, float32x4_t t, uint16_t* to) {
        const float32x4_t p = power_of<3>(a, s).value(), q = power_of<3>(b, t).value();
        const uint32x4_t zero = vdupq_n_u32(0);
        first = vaddq_f32(first, p), second = vaddq_f32(second, q);
        const uint16x4_t low = vraddhn_u32(vreinterpretq_u32_f32(p), zero);
        vst1q_u16(to, vraddhn_high_u32(low, vreinterpretq_u32_f32(q), zero));
    }
    KAI_INLINE float sum(int quad) const {
        return across(quad == 0 ? first : second);
    }
};

/// Two sums, taken in turn, so that they do not wait for each other.
template <typename Two>
KAI_INLINE float sum_of(const Two (&two)[2], int quad) {
    return two[0].sum(quad) + two[1].sum(quad);
}

/// A row of P that is not packed.
template <typename Two>
struct PlainRows {
    KAI_INLINE static void run(const SoftmaxBlock& b, const Row* rows, size_t first, size_t count) {
        for (size_t r = first; r < first + count; ++r, ++rows) {
            auto* const to = static_cast<typename Two::Element*>(at(b.p, r * b.p_row));
            Two two[2];
            for (size_t c = 0; c < b.columns; c += kColumns) {
#pragma GCC unroll 2
                for (size_t i = 0; i < kColumns; i += 2 * kQuad) {
                    const float* const s = rows->scores + c + i;
                    two[i / (2 * kQuad)].put(*rows, vld1q_f32(s), *rows, vld1q_f32(s + kQuad), to + c + i);
                }
            }
            // Numbers that 16 bits do not have are no 0 in f32: the sum of a row that sees nothing would not stay 0.
            b.sum[r] += b.max[r] != -kInfinity ? sum_of(two, 0) + sum_of(two, 1) : 0;
        }
    }
};

/// Rows that are started before the first of them is finished: a panel of bf16.
constexpr size_t kStarted = 8;

/// The largest score of each of up to four rows: as largest_of.
using Largest = float32x4_t(const Row* rows, size_t count, size_t columns);

/// Finish::run(b, rows, first, count): P and sums of rows that are started, at most kStarted of them.
template <typename Finish, Largest& largest = largest_of>
KAI_INLINE void softmax_of(const SoftmaxBlock& b) {
    const bool is_simple = b.cap == 0 && b.slope == nullptr && b.mask == nullptr && b.scale > 0;
    for (size_t first = 0; first < b.rows; first += kStarted) {
        Row rows[kStarted];
        const size_t count = b.rows - first < kStarted ? b.rows - first : kStarted;
        for (size_t i = 0; i < count; ++i) {
            prepare_row(b, first + i, is_simple);
            rows[i].scores = at(b.scores, (first + i) * b.score_row);
        }
        for (size_t i = 0; i < count; i += kQuad) {
            const size_t some = count - i < kQuad ? count - i : kQuad;
            start_rows(
                b, first + i, some, is_simple ? b.scale * kLog2E : 1, largest(rows + i, some, b.columns), rows + i);
        }
        Finish::run(b, rows, first, count);
    }
}

KAI_INLINE void add_neon(const AddBlock& b) {
    for (size_t r = 0; r < b.rows; ++r) {
        const float factor = b.factor != nullptr ? b.factor[r] : 1;
        float* const o = at(b.o, r * b.o_row);
        const float* const add = at(b.add, r * b.add_row);
        for (size_t c = 0; c < b.columns; c += 2 * kQuad) {
            const float32x4_t low = vfmaq_n_f32(vld1q_f32(add + c), vld1q_f32(o + c), factor),
                              high = vfmaq_n_f32(vld1q_f32(add + c + kQuad), vld1q_f32(o + c + kQuad), factor);
            vst1q_f32(o + c, low), vst1q_f32(o + c + kQuad, high);
        }
    }
}

KAI_INLINE void divide_neon(float* to, const float* from, float by, size_t columns) {
    const float per = 1 / by;
    for (size_t c = 0; c < columns; c += 2 * kQuad) {
        const float32x4_t low = vmulq_n_f32(vld1q_f32(from + c), per),
                          high = vmulq_n_f32(vld1q_f32(from + c + kQuad), per);
        vst1q_f32(to + c, low), vst1q_f32(to + c + kQuad, high);
    }
}

}  // namespace
}  // namespace kai::attention
#pragma GCC visibility pop
