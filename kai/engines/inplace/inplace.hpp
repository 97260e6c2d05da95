// Products with rows of a GGUF file where they lie: what kernels are called with.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/getters.hpp"

namespace kai {
namespace {

/// dst = clamp(LHS x RHS). Strides are in bytes.
struct InplaceProblem {
    size_t m, n, k;
    const uint8_t *lhs, *rhs;
    size_t rhs_stride;
    void* dst;
    size_t dst_stride;
    float lo, hi;
};

}  // namespace
}  // namespace kai
