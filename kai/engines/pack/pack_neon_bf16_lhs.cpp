// Packers of bf16p (LHS) for NEON: panels of 8 rows or of one
//
//     | k = 0 - 3: 4 elements of row 0, 4 of row 1, ... | k = 4 - 7: ... | ...
//
// from f32 or f16, rounded to nearest even. k is padded to a multiple of 4 by zeros. What the last panel has beyond its
// rows stays as it is: kernels multiply it, and store nothing of the product.
//
// SPDX-License-Identifier: Apache-2.0
#include <arm_neon.h>

#include "kai/engines/pack/pack_getters.hpp"
#include "kai/ukernels/pack/kai_lhs_pack.h"

extern "C" uint32_t kai_pack_rows_bf16_f32_neon(
    size_t steps, const float* src, size_t stride, size_t pitch, uint8_t* dst);
extern "C" void kai_pack_row_bf16_f32_neon(size_t steps, const float* src, uint8_t* dst);
extern "C" uint32_t kai_pack_rows_bf16_f16_neon(
    size_t steps, const float16_t* src, size_t stride, size_t pitch, uint8_t* dst);

namespace kai {
namespace {

constexpr size_t kRows = 8;
constexpr size_t kGroup = 4 * sizeof(uint16_t);  // bytes of 4 packed elements

/// Four elements of a source.
KAI_INLINE float32x4_t load_4(const float* p) {
    return vld1q_f32(p);
}
KAI_INLINE float32x4_t load_4(const float16_t* p) {
    return vcvt_f32_f16(vld1_f16(p));
}

/// The loop over the elements of 8 places: 16 bytes of each per step. false: there may be a NaN, which it packs
/// wrongly.
KAI_INLINE bool pack_steps(size_t steps, const float* src, size_t stride, size_t pitch, uint8_t* dst) {
    return kai_pack_rows_bf16_f32_neon(steps, src, stride, pitch, dst) != 0;
}
KAI_INLINE bool pack_steps(size_t steps, const float16_t* src, size_t stride, size_t pitch, uint8_t* dst) {
    return kai_pack_rows_bf16_f16_neon(steps, src, stride, pitch, dst) != 0;
}

/// k elements of one row to groups that are dst_pitch bytes apart.
template <typename Source>
KAI_INLINE void pack_row(const Source* src, size_t k, uint8_t* dst, size_t dst_pitch) {
    const auto pack_group = [&](const Source* from) {
        vst1_u16(reinterpret_cast<uint16_t*>(dst), vreinterpret_u16_bf16(vcvt_bf16_f32(load_4(from))));
        dst += dst_pitch;
    };
    for (; k >= 4; k -= 4) {
        pack_group(src);
        src += 4;
    }
    if (k > 0) {
        Source last[4] = {};
        for (size_t i = 0; i < k; ++i) {
            last[i] = src[i];
        }
        pack_group(last);
    }
}

/// As many as 8 rows.
template <typename Source>
[[gnu::noinline]] void pack_rows(size_t rows, size_t k, const uint8_t* src, size_t stride, uint8_t* dst) {
    for (size_t row = 0; row < rows; ++row) {
        pack_row(reinterpret_cast<const Source*>(src), k, dst, kRows * kGroup);
        src += stride;
        dst += kGroup;
    }
}

template <typename Source>
KAI_INLINE void pack_8(size_t m, size_t k, const void* lhs, size_t stride, void* lhs_packed) {
    const size_t step = 16 / sizeof(Source);
    const size_t steps = k / step;
    const size_t done = steps * step;
    const uint8_t* src = bytes(lhs);
    uint8_t* dst = bytes(lhs_packed);
    for (; m >= kRows; m -= kRows) {
        if (steps == 0 || !pack_steps(steps, reinterpret_cast<const Source*>(src), stride, 16, dst)) {
            pack_rows<Source>(kRows, k, src, stride, dst);
        } else if (k > done) {
            pack_rows<Source>(
                kRows, k - done, src + done * sizeof(Source), stride, dst + done * kRows * sizeof(uint16_t));
        }
        src += kRows * stride;
        dst += (k + 3) / 4 * kRows * kGroup;
    }
    pack_rows<Source>(m, k, src, stride, dst);
}

/// One row: a step takes 8 groups. The loop comes last, as a jump: nothing is kept over a call.
KAI_INLINE void pack_1(size_t k, const float* src, uint8_t* dst) {
    const size_t step = kRows * 4;
    const size_t steps = k / step;
    const size_t done = steps * step;
    pack_row(src + done, k - done, dst + done * sizeof(uint16_t), kGroup);
    if (steps > 0) {
        kai_pack_row_bf16_f32_neon(steps, src, dst);
    }
}

constexpr LhsRules kRulesOf8{bf16p, kRows, 4, 1, false, 0, 0};
constexpr LhsRules kRulesOf1{bf16p, 1, 4, 1, false, 0, 0};

}  // namespace
}  // namespace kai

extern "C" {

#define KAI_LHS_PACK_8(NAME, T)                                                      \
    KAI_DEFINE_LHS_PACK_GETTERS(NAME, kRulesOf8)                                     \
    KAI_DEFINE_LHS_PACK_RUN(NAME, kRulesOf8, void, kai::check_no_start(m_idx_start); \
                            kai::pack_8<T>(m, k, lhs, lhs_stride, lhs_packed);)
KAI_LHS_PACK_8(lhs_pack_bf16p8x4_f16_neon, float16_t)
KAI_LHS_PACK_8(lhs_quant_pack_bf16p8x4_f32_neon, float)

KAI_DEFINE_LHS_PACK_GETTERS(lhs_quant_pack_bf16p1x4_f32_neon, kRulesOf1)
KAI_DEFINE_LHS_PACK_RUN(
    lhs_quant_pack_bf16p1x4_f32_neon, kRulesOf1, void, kai::check_no_start(m_idx_start);
    KAI_REQUIRE(__func__, m <= 1, "m = %zu, not 0 or 1", m);
    if (m > 0) { kai::pack_1(k, static_cast<const float*>(lhs), kai::bytes(lhs_packed)); })

}  // extern "C"
