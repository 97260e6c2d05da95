// The work of attention between its two products, on a block of scores: rows of queries, columns of keys.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/kai_common.h"

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)
namespace kai::attention {

/// Scores become probabilities P, relative to the running maximum of their row:
///
///     x = scale * score;  x = cap * tanh(x / cap)  (cap not 0);  x += mask + slope * (distance + column)
///     new max >= max, all x;  factor = exp(max - new max);  P = exp(x - new max);  sum = factor * sum + all P
///
/// of columns first ... last - 1 of each row. P of other columns is 0, their scores are not read as numbers (they may
/// be NaN), nor is their mask.
///
/// The new max is at most log 2 above the largest of them. As long as max is -infinity (nothing is seen, or all x are
/// -infinity): factor 1, P 0, sum 0, never NaN. x of -infinity: P is 0. x of NaN or infinity: sum becomes NaN, and
/// stays NaN.
///
/// Errors: P = exp(x - new max) (1 + e) exp(d), then rounded to its type, or off by 2^-126, whichever is larger, where
///
///     |d| <= 2^-21 (|scale * score| + cap + |mask| + |slope| (|distance| + column)) + 2^-19 |new max|
///     |e| <= 2^-22 where P is f32, 2^-13 where it is f16 or bf16
///
/// (2^-19, since NEON takes a max within 2^-20 of an integer times log 2 for that one). So the relative error of a
/// small P grows with the numbers that it is the difference of. factor is as exact as P in f32, of x = max. sum is that
/// of P, before or after it is rounded, in f32; columns that are not seen add less than 2^-134 each, and nothing as
/// long as the new max is -infinity.
struct SoftmaxBlock {
    size_t rows, columns;          ///< columns: a multiple of 16. All of P are written.
    float* scores;                 ///< kernels may change them
    size_t score_row;              ///< bytes from one row to the next, a multiple of 64; `scores` is aligned to 64
    const uint32_t *first, *last;  ///< [rows] columns that a row sees; first >= last: none
    float scale, cap;
    const void* const*
        mask;       ///< [rows] at column 0 of the block, not aligned (only columns that are seen may be read); or NULL
    bool mask_f16;  ///< f16, else f32
    const float *slope, *distance;  ///< [rows] or both NULL

    float *max, *sum;  ///< [rows] in and out; -infinity and 0 at first
    float* factor;     ///< [rows] out

    /// P, f32, f16 or bf16, rounded to the nearest.
    void* p;
    kai_datatype p_type;
    /// Not 0: P is in rows, p_row bytes apart. 0, if the kernels have packs_bf16: LHS panels of 8 rows and 4 columns in
    /// turn, of one product for each page of columns. Products are page_stride bytes apart; the last one has the
    /// columns that are left. Rows of the last panel that are not there may be written.
    size_t p_row;
    size_t page, page_stride;
};

/// o = factor[row] * o + add. factor NULL: 1. Rows are aligned to 64 bytes; columns: any multiple of 8. Strides in
/// bytes.
struct AddBlock {
    size_t rows, columns;
    const float* factor;
    float* o;
    size_t o_row;
    const float* add;
    size_t add_row;
};

/// Of an ISA.
struct Kernels {
    const char* name;   ///< "portable", "neon", ...
    uint64_t features;  ///< as kai_ukernel::features
    void (*softmax)(const SoftmaxBlock& block);
    void (*add)(const AddBlock& block);
    /// to = from / by, relative errors up to 2^-23; columns as AddBlock's. by: 2^-126 to 2^126.
    void (*divide)(float* to, const float* from, float by, size_t columns);
    bool packs_bf16;  ///< whether softmax writes panels
};

/// Every host.
extern const Kernels kPortable;
/// AArch64: block_neon.hpp, block_sve.cpp.
extern const Kernels kNeon, kNeonBf16, kSve;

/// All of them, the best first, whatever this CPU has; then nullptr.
extern const Kernels* const kAllKernels[];

/// The best for this CPU, among those of kernels.cpp.
const Kernels& kernels_for_this_cpu();

}  // namespace kai::attention
#pragma GCC visibility pop
