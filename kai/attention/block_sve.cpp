// The block kernels with SVE, for CPUs with long vectors and without bf16 (A64FX). The rest is that of block_neon.hpp,
// but for the exponential, which FEXPA makes from a table of 64 powers:
//
//     z = (C - M) + a s            C = 1.5 * 2^17 + 127: the lowest bits are 64 (n - M), plus the bias of exponents
//     n = z - (C - M)              a multiple of 1/64
//     f = a s - n,   |f| <= 1/128
//     P = T + T f (c1 + f c2)      T = 2^(n - M), of z by FEXPA; c1 = ln 2, c2 = c1^2 / 2
//
// Lanes at or below `lower`, which are 0, take no part in the last step.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/attention/block_neon.hpp"
#include "kai/kai_cpu.h"

#include <arm_sve.h>

namespace kai::attention {
namespace {

constexpr float kBiased = 0x1.8p17F + 127;  // C

/// P of a vector of scores; 0 in lanes that `there` leaves out.
KAI_INLINE svfloat32_t powers_of(svbool_t there, const Row& row, svfloat32_t s) {
    const svfloat32_t offset = svdup_f32(row.offset - kInteger + kBiased);
    const svbool_t counts = svcmpgt_n_f32(there, s, row.lower);
    const svfloat32_t z = svmla_n_f32_x(there, offset, s, row.scale), n = svsub_f32_x(there, z, offset);
    const svfloat32_t f = svnmls_n_f32_x(there, n, s, row.scale), t = svexpa_f32(svreinterpret_u32_f32(z));
    const svfloat32_t slope = svmla_n_f32_x(there, svdup_f32(kLn2), f, kLn2 * kLn2 / 2);
    return svmla_f32_z(counts, t, t, svmul_f32_x(there, f, slope));
}

/// @name Stores P as f32, f16 or bf16, rounded to the nearest
/// @{
KAI_INLINE void store(svbool_t there, float* to, svfloat32_t p) {
    svst1_f32(there, to, p);
}
struct Half {
    uint16_t bits;
};
KAI_INLINE void store(svbool_t there, Half* to, svfloat32_t p) {
    svst1h_u32(there, &to->bits, svreinterpret_u32_f16(svcvt_f16_f32_x(there, p)));
}
struct Brain {
    uint16_t bits;
};
KAI_INLINE void store(svbool_t there, Brain* to, svfloat32_t p) {
    const svuint32_t rounded = svadd_n_u32_x(there, svreinterpret_u32_f32(p), 0x8000);
    svst1h_u32(there, &to->bits, svlsr_n_u32_x(there, rounded, 16));
}
/// @}

/// The largest score of each of up to four rows, or NaN.
KAI_INLINE float32x4_t largest_by_vector(const Row* rows, size_t count, size_t columns) {
    float most[kQuad] = {-kInfinity, -kInfinity, -kInfinity, -kInfinity};
    for (size_t i = 0; i < count; ++i) {
        svfloat32_t x = svdup_f32(-kInfinity);
        for (size_t c = 0; c < columns; c += svcntw()) {
            const svbool_t there = svwhilelt_b32_u64(c, columns);
            x = svmax_f32_m(there, x, svld1_f32(there, rows[i].scores + c));
        }
        most[i] = svmaxv_f32(svptrue_b32(), x);
    }
    return vld1q_f32(most);
}

/// Rows of P that are not packed. Two vectors in turn, so that their sums do not wait for each other.
template <typename Element>
struct LongRows {
    KAI_INLINE static svfloat32_t add_powers(
        svfloat32_t sum, const Row& row, size_t column, size_t columns, Element* to) {
        const svbool_t there = svwhilelt_b32_u64(column, columns);
        const svfloat32_t p = powers_of(there, row, svld1_f32(there, row.scores + column));
        store(there, to + column, p);
        return svadd_f32_m(there, sum, p);
    }
    KAI_INLINE static void run(const SoftmaxBlock& b, const Row* rows, size_t first, size_t count) {
        const size_t lanes = svcntw();
        for (size_t r = first; r < first + count; ++r, ++rows) {
            auto* const to = static_cast<Element*>(at(b.p, r * b.p_row));
            svfloat32_t even = svdup_f32(0), odd = svdup_f32(0);
            for (size_t c = 0; c < b.columns; c += 2 * lanes) {
                even = add_powers(even, *rows, c, b.columns, to);
                odd = add_powers(odd, *rows, c + lanes, b.columns, to);
            }
            b.sum[r] += svaddv_f32(svptrue_b32(), svadd_f32_x(svptrue_b32(), even, odd));
        }
    }
};

void softmax(const SoftmaxBlock& b) {
    switch (b.p_type) {
        case kai_dt_f32:
            return softmax_of<LongRows<float>, largest_by_vector>(b);
        case kai_dt_f16:
            return softmax_of<LongRows<Half>, largest_by_vector>(b);
        default:
            return softmax_of<LongRows<Brain>, largest_by_vector>(b);
    }
}

void add(const AddBlock& b) {
    for (size_t r = 0; r < b.rows; ++r) {
        const float factor = b.factor != nullptr ? b.factor[r] : 1;
        float* const o = at(b.o, r * b.o_row);
        const float* const more = at(b.add, r * b.add_row);
        for (size_t c = 0; c < b.columns; c += svcntw()) {
            const svbool_t there = svwhilelt_b32_u64(c, b.columns);
            svst1_f32(there, o + c, svmla_n_f32_x(there, svld1_f32(there, more + c), svld1_f32(there, o + c), factor));
        }
    }
}

void divide(float* to, const float* from, float by, size_t columns) {
    for (size_t c = 0; c < columns; c += svcntw()) {
        const svbool_t there = svwhilelt_b32_u64(c, columns);
        svst1_f32(there, to + c, svmul_n_f32_x(there, svld1_f32(there, from + c), 1 / by));
    }
}

}  // namespace

const Kernels kSve = {"sve", uint64_t{1} << KAI_CPU_SVE, softmax, add, divide, false};

}  // namespace kai::attention
