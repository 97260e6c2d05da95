// The block kernels with NEON: block_neon.hpp. P is not packed.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/attention/block_neon.hpp"
#include "kai/kai_cpu.h"

namespace kai::attention {
namespace {

void softmax(const SoftmaxBlock& b) {
    switch (b.p_type) {
        case kai_dt_f32:
            return softmax_of<PlainRows<TwoFloats>>(b);
        case kai_dt_f16:
            return softmax_of<PlainRows<TwoHalves>>(b);
        default:
            return softmax_of<PlainRows<TwoBrains>>(b);
    }
}

void add(const AddBlock& b) {
    add_neon(b);
}

void divide(float* to, const float* from, float by, size_t columns) {
    divide_neon(to, from, by, columns);
}

}  // namespace

const Kernels kNeon = {"neon", uint64_t{1} << KAI_CPU_NEON, softmax, add, divide, false};

}  // namespace kai::attention
