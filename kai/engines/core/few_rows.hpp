// Few rows by quarter-tile outer products, where the CPU has them, of kernels with panels of V rows and of 4 V columns
// (V = SVL / 32). They have the bits of the other rows, so nobody else needs to know.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/base.hpp"
#include "kai/kai_common.h"
#include "kai/kai_cpu.h"

namespace kai {
namespace {

/// `few` takes the rows after the last whole V if they are at most V / 2 and `most`, V is at least 8 and the CPU has
/// quarter-tile outer products; `many` takes all others. element: bytes of a result.
template <typename Args, typename Many, typename Few>
KAI_INLINE void run_many_and_few(const Args& all, size_t element, size_t most, Many&& run_many, Few&& run_few) {
    const size_t vl = kai_get_sme_vector_length_u32(), rest = all.m % vl;
    if (vl < 8 || rest == 0 || rest > KAI_MIN(vl / 2, most) || !kai_cpu_query(KAI_CPU_SME_MOP4).present) {
        return run_many(all);
    }
    Args many = all, few = all;
    many.m = all.m - rest, few.m = rest;
    few.lhs = bytes(all.lhs, many.m / vl * all.lhs_stride);
    few.dst = bytes(all.dst, many.m * all.dst_stride);
    // Both in turn: a panel of the RHS comes from memory once.
    const size_t width = many.m == 0 ? all.n : 4 * vl;
    for (size_t left = all.n; left != 0; left -= few.n) {
        many.n = few.n = KAI_MIN(left, width);
        if (many.m != 0) {
            run_many(many);
        }
        run_few(few);
        many.rhs = few.rhs = bytes(few.rhs, all.rhs_stride);
        many.dst = bytes(many.dst, width * element);
        few.dst = bytes(few.dst, width * element);
    }
}

}  // namespace
}  // namespace kai
