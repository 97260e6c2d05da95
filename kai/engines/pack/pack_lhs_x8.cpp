// The LHS of static int8 for portable micro-kernels: panels of one row, its bytes as they are, then zeros up to a
// multiple of four.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/core/pack_getters.hpp"
#include "kai/engines/core/pack_lhs_rules.hpp"
#include "kai/ukernels/pack/kai_lhs_pack.h"

namespace kai {
namespace {

constexpr LhsRules kRules = {x8p, 1, 4, 1, false, 0, 0};

KAI_INLINE void pack_x8(size_t m, size_t k, const void* lhs, size_t lhs_stride, void* packed) {
    const size_t stride = x8p.stride({1, 4, 1}, k);
    for (size_t row = 0; row < m && k > 0; ++row) {
        uint8_t* to = bytes(packed, row * stride);
        __builtin_memcpy(to, bytes(lhs, row * lhs_stride), k);
        __builtin_memset(to + k, 0, stride - k);
    }
}

}  // namespace
}  // namespace kai

KAI_DEFINE_LHS_PACK_GETTERS(lhs_pack_x8p1x4_x8, kRules)
KAI_DEFINE_LHS_PACK_RUN(lhs_pack_x8p1x4_x8, kRules, void, kai::check_no_start(m_idx_start);
                        kai::pack_x8(m, k, lhs, lhs_stride, lhs_packed);)
