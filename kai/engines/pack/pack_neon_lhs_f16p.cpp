// Packer of f16p (LHS) for NEON from f32, of any panel height, rounded to nearest even: pairs of k are stored together
//
//     | k = 0, 1 of row 0, of row 1, ... | k = 2, 3: ... | ...
//
// Rows beyond the matrix stay as they are.
//
// SPDX-License-Identifier: Apache-2.0
#include <arm_neon.h>

#include "kai/engines/pack/pack_neon_interleave.hpp"
#include "kai/engines/core/pack_getters.hpp"
#include "kai/engines/core/pack_lhs_rules.hpp"
#include "kai/ukernels/pack/kai_lhs_pack.h"

namespace kai {
namespace {

/// By convention bl and kr are ignored.
constexpr LhsRules kRules{f16p, 0, 0, 2, false, 0, 16};

KAI_INLINE const float* row_of(const float* src, size_t row, size_t stride) {
    return reinterpret_cast<const float*>(bytes(src, row * stride));
}

KAI_INLINE uint8x16_t eight_as_f16(const float* p) {
    return vreinterpretq_u8_f16(vcvt_high_f16_f32(vcvt_f16_f32(vld1q_f32(p)), vld1q_f32(p + 4)));
}

/// Four rows; `pitch`: bytes from a pair of k to the next.
KAI_INLINE void pack_4_rows(
    size_t k, const float* p0, const float* p1, const float* p2, const float* p3, uint8_t* dst, size_t pitch) {
    for (; k >= 8; k -= 8) {
        const uint8x16_t rows[4] = {eight_as_f16(p0), eight_as_f16(p1), eight_as_f16(p2), eight_as_f16(p3)};
        uint8x16_t pairs[4];
        interleave<4>(rows, pairs);
        dst = store_groups<4>(pairs, dst, pitch);
        p0 += 8;
        p1 += 8;
        p2 += 8;
        p3 += 8;
    }
}

/// One row.
KAI_INLINE void pack_row(size_t k, const float* src, uint8_t* dst, size_t pitch) {
    for (; k >= 4; k -= 4) {
        const uint32x2_t pairs = vreinterpret_u32_f16(vcvt_f16_f32(vld1q_f32(src)));
        store(dst, vget_lane_u32(pairs, 0));
        store(dst + pitch, vget_lane_u32(pairs, 1));
        src += 4;
        dst += 2 * pitch;
    }
}

/// m rows to panels of mr; row i is row indices[i] of src, or row i.
void pack_f16p(size_t m, size_t k, size_t mr, const void* lhs, size_t stride, const size_t* indices, void* packed) {
    const auto* src = static_cast<const float*>(lhs);
    const size_t pitch = mr * 2 * sizeof(uint16_t);
    auto* panel = static_cast<uint8_t*>(packed);
    for (size_t first = 0; first < m; first += mr, panel += k / 2 * pitch) {
        const auto at = [&](size_t row) {
            return row_of(src, indices != nullptr ? indices[first + row] : first + row, stride);
        };
        const size_t rows = m - first < mr ? m - first : mr;
        size_t row = 0;
        for (; row + 4 <= rows; row += 4) {
            pack_4_rows(k, at(row), at(row + 1), at(row + 2), at(row + 3), panel + row * sizeof(uint32_t), pitch);
        }
        for (; row < rows; ++row) {
            pack_row(k, at(row), panel + row * sizeof(uint32_t), pitch);
        }
    }
}

}  // namespace
}  // namespace kai

extern "C" {

KAI_DEFINE_LHS_PACK_GETTERS_BL(lhs_pack_f16pmrx2_f32_neon, kRules)

KAI_RUN_LHS_PACK_BL(lhs_pack_f16pmrx2_f32_neon, void) {
    kai::check_lhs_call(kai::kRules, {mr, 4, sr}, __func__, k, bl);
    // By convention this packer ignores these: groups have two elements, and lhs and lhs_packed are those of
    // the first row.
    KAI_UNUSED(kr);
    KAI_UNUSED(m_idx_start);

    kai::pack_f16p(m, k, mr, lhs, lhs_stride, nullptr, lhs_packed);
}

KAI_RUN_LHS_PACK_ROWS(lhs_pack_f16pmrx2_f32_neon_rows) {
    kai::check_lhs_call(kai::kRules, {mr, 4, sr}, __func__, k, bl);
    kai::pack_f16p(m, k, mr, lhs, lhs_stride, rows, lhs_packed);
}

}  // extern "C"
