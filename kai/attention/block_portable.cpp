// The block kernels in C++. Loops run over 16 columns, which compilers make vectors of.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/core/base.hpp"

#include <string.h>

#include "kai/attention/block.hpp"
#include "kai/attention/exp.hpp"

namespace kai::attention {
namespace {

constexpr size_t kLanes = 16;

/// Logits of 16 columns, -infinity where the row does not see.
struct Lanes {
    float x[kLanes];
};

float larger(float a, float b) {
    return a < b ? b : a;
}

const char* at(const void* p, size_t offset) {
    return static_cast<const char*>(p) + offset;
}

/// x of columns first ... first + 15.
Lanes logits(const SoftmaxBlock& b, size_t row, size_t first) {
    const float* scores = reinterpret_cast<const float*>(at(b.scores, row * b.score_row)) + first;
    Lanes l;
    for (size_t i = 0; i < kLanes; ++i) {
        l.x[i] = b.scale * scores[i];
    }
    for (size_t i = 0; b.cap != 0 && i < kLanes; ++i) {
        l.x[i] = b.cap * tanh_of(l.x[i] / b.cap);
    }
    for (size_t i = 0; b.slope != nullptr && i < kLanes; ++i) {
        l.x[i] += b.slope[row] * (b.distance[row] + static_cast<float>(static_cast<int>(first + i)));
    }
    const size_t begin = b.first[row], end = b.last[row];
    for (size_t i = 0; i < kLanes; ++i) {
        const size_t column = first + i;
        const bool seen = begin <= column && column < end;
        if (seen && b.mask != nullptr && b.mask[row] != nullptr) {
            l.x[i] += b.mask_f16 ? kai_cast_f32_f16(load<uint16_t>(at(b.mask[row], 2 * column)))
                                 : load<float>(at(b.mask[row], 4 * column));
        }
        l.x[i] = seen ? l.x[i] : -__builtin_inff();
    }
    return l;
}

/// Of lanes, in pairs: the order does not depend on vectors.
template <typename Combine>
float across(Lanes l, Combine combine) {
    for (size_t half = kLanes / 2; half != 0; half /= 2) {
        for (size_t i = 0; i < half; ++i) {
            l.x[i] = combine(l.x[i], l.x[i + half]);
        }
    }
    return l.x[0];
}

void put(const SoftmaxBlock& b, size_t row, size_t first, const Lanes& l) {
    char* const to = static_cast<char*>(b.p) + row * b.p_row + first * sizeof(uint16_t);
    for (size_t i = 0; i < kLanes; ++i) {
        store(to + i * sizeof(uint16_t), b.p_type == kai_dt_f16 ? kai_cast_f16_f32(l.x[i]) : kai_cast_bf16_f32(l.x[i]));
    }
}

/// f32 rows as they are: by vectors.
void put_plain(const SoftmaxBlock& b, size_t row, size_t first, const Lanes& l) {
    memcpy(static_cast<char*>(b.p) + row * b.p_row + first * sizeof(float), l.x, sizeof(l.x));
}

void softmax_row(const SoftmaxBlock& b, size_t row, bool plain) {
    const float old = b.max[row], none = -__builtin_inff();
    // NaN of any column gets into the sum below.
    Lanes most;
    for (float& x : most.x) {
        x = old;
    }
    const size_t begin = b.first[row] / kLanes * kLanes, end = b.last[row];
    for (size_t first = begin; first < end; first += kLanes) {
        const Lanes l = logits(b, row, first);
        for (size_t i = 0; i < kLanes; ++i) {
            most.x[i] = larger(most.x[i], l.x[i]);
        }
    }
    const float now = across(most, larger);
    b.factor[row] = now == none ? 1 : exp_of(old - now);
    b.max[row] = now;
    Lanes sum = {}, zero = {};
    const float base = now == none ? 0 : now;  // -infinity minus itself would be NaN
    for (size_t first = 0; first < b.columns; first += kLanes) {
        Lanes l = zero;
        if (begin <= first && first < end) {
            l = logits(b, row, first);
            for (size_t i = 0; i < kLanes; ++i) {
                l.x[i] = exp_of(l.x[i] - base);
                sum.x[i] += l.x[i];
            }
        }
        plain ? put_plain(b, row, first, l) : put(b, row, first, l);
    }
    b.sum[row] = b.factor[row] * b.sum[row] + across(sum, [](float a, float c) { return a + c; });
}

void softmax(const SoftmaxBlock& b) {
    const bool plain = b.p_type == kai_dt_f32;
    for (size_t row = 0; row < b.rows; ++row) {
        softmax_row(b, row, plain);
    }
}

void add(const AddBlock& b) {
    for (size_t row = 0; row < b.rows; ++row) {
        const float factor = b.factor != nullptr ? b.factor[row] : 1;
        float* o = reinterpret_cast<float*>(reinterpret_cast<char*>(b.o) + row * b.o_row);
        const float* a = reinterpret_cast<const float*>(reinterpret_cast<const char*>(b.add) + row * b.add_row);
        for (size_t i = 0; i < b.columns; ++i) {
            o[i] = factor * o[i] + a[i];
        }
    }
}

void divide(float* to, const float* from, float by, size_t columns) {
    for (size_t i = 0; i < columns; ++i) {
        to[i] = from[i] / by;
    }
}

}  // namespace

const Kernels kPortable = {"portable", 0, softmax, add, divide, false};

}  // namespace kai::attention
