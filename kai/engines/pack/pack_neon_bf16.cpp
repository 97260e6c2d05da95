// Packers of bf16 for NEON, from f32 or f16, rounded to nearest even. The loops are in pack_neon_bf16.S.
//
// LHS: bf16p, panels of 8 rows or of one
//
//     | k = 0 - 3: 4 elements of row 0, 4 of row 1, ... | k = 4 - 7: ... | ...
//
// k is padded to a multiple of 4 by zeros. Slots of the last panel without a row are not written: kernels multiply
// them, but store nothing of the products.
//
// RHS: bf16pbiasf32 and bf16pbiasf16, panels of 12 columns, from K x N sources; the bias is copied
//
//     | bias: 12 | k = 0 - 3: 4 elements of column 0, 4 of column 1, ... | k = 4 - 7: ... | ...
//
// Columns and k beyond the matrix become zero.
//
// SPDX-License-Identifier: Apache-2.0
#include <arm_neon.h>

#include "kai/engines/core/pack_getters.hpp"
#include "kai/engines/core/pack_lhs_rules.hpp"
#include "kai/engines/pack/pack_rhs_tile.hpp"
#include "kai/ukernels/pack/kai_lhs_pack.h"
#include "kai/ukernels/pack/kai_rhs_pack.h"

/// @name pack_neon_bf16.S
/// Those that return 0 may have packed a NaN wrongly.
/// @{
extern "C" {
/// The elements of 8 places: 16 bytes of each per step.
uint32_t kai_pack_rows_bf16_f32_neon(size_t steps, const void* src, size_t stride, size_t pitch, uint8_t* dst);
uint32_t kai_pack_rows_bf16_f16_neon(size_t steps, const void* src, size_t stride, size_t pitch, uint8_t* dst);
void kai_pack_row_bf16_f32_neon(size_t steps, const float* src, uint8_t* dst);
/// 12 columns, 4 k a step.
void kai_pack_columns_bf16_f32_neon(size_t steps, const void* src, size_t stride, uint8_t* dst);
uint32_t kai_pack_columns_bf16_f16_neon(size_t steps, const void* src, size_t stride, uint8_t* dst);
uint32_t kai_pack_columns_bf16_f16_exact_neon(size_t steps, const void* src, size_t stride, uint8_t* dst);
}
/// @}

namespace kai {
namespace {

constexpr size_t kRows = 8, kColumns = 12;       // of a panel
constexpr size_t kGroup = 4 * sizeof(uint16_t);  // bytes of 4 packed elements

/// Four elements of a source.
KAI_INLINE float32x4_t load_4(const float* p) {
    return vld1q_f32(p);
}
KAI_INLINE float32x4_t load_4(const float16_t* p) {
    return vcvt_f32_f16(vld1_f16(p));
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
    constexpr auto* pack_steps = sizeof(Source) == 4 ? kai_pack_rows_bf16_f32_neon : kai_pack_rows_bf16_f16_neon;
    constexpr size_t step = 16 / sizeof(Source);
    const size_t steps = k / step;
    const size_t done = steps * step;
    const uint8_t* src = bytes(lhs);
    uint8_t* dst = bytes(lhs_packed);
    for (; m >= kRows; m -= kRows) {
        if (steps == 0 || pack_steps(steps, src, stride, 16, dst) == 0) {
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

/// One row: a step takes 8 groups. The loop comes last, as a tail call: nothing is live across it.
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

/// steps is not 0.
KAI_INLINE void pack_column_steps(size_t steps, const void* src, size_t stride, uint8_t* dst, size_t source_bytes) {
    if (source_bytes == sizeof(float)) {
        kai_pack_columns_bf16_f32_neon(steps, src, stride, dst);
    } else if (kai_pack_columns_bf16_f16_neon(steps, src, stride, dst) == 0) {
        kai_pack_columns_bf16_f16_exact_neon(steps, src, stride, dst);
    }
}

/// Missing bias becomes zero.
KAI_INLINE void pack_bias(size_t columns, const uint8_t* bias, uint8_t* dst, size_t bias_bytes) {
    constexpr size_t half = kColumns * sizeof(uint16_t);
    if (bias != nullptr && columns == kColumns) {  // without a call
        __builtin_memcpy(dst, bias, half);
        if (bias_bytes == sizeof(float)) {
            __builtin_memcpy(dst + half, bias + half, half);
        }
        return;
    }
    __builtin_memset(dst, 0, kColumns * bias_bytes);
    if (bias != nullptr) {
        __builtin_memcpy(dst, bias, columns * bias_bytes);
    }
}

/// Elements of source_bytes and a bias of bias_bytes. Missing rows, columns and bias become zeros.
[[gnu::noinline]] void pack_columns(
    const kai_rhs_rules& rules, const kai_rhs_call& c, size_t source_bytes, size_t bias_bytes) {
    kai_check_rhs_call(&rules, &c);
    const uint8_t *src = bytes(c.rhs), *biases = bytes(c.bias);
    uint8_t* dst = bytes(c.packed);
    const size_t k = c.k, stride = c.rhs_stride;
    const size_t src_step = kColumns * source_bytes, bias_step = kColumns * bias_bytes;
    for (size_t n = c.n, columns = kColumns; n > 0; n -= columns) {
        if (n < kColumns) {
            columns = n;
        }
        pack_bias(columns, biases, dst, bias_bytes);
        dst += bias_step;
        const size_t whole = columns == kColumns ? k / 4 : 0;
        if (whole > 0) {
            pack_column_steps(whole, src, stride, dst, source_bytes);
        }
        dst += whole * kColumns * kGroup;
        for (size_t row = whole * 4; row < k; dst += kColumns * kGroup) {  // 4 rows, as far as they exist
            uint8_t part[4][kColumns * sizeof(float)] = {};
            for (size_t i = 0; i < 4 && row < k; ++i, ++row) {
                __builtin_memcpy(part[i], src + row * stride, columns * source_bytes);
            }
            pack_column_steps(1, part, sizeof(part[0]), dst, source_bytes);
        }
        src += n > kColumns ? src_step : 0;
        biases += n > kColumns && c.bias != nullptr ? bias_step : 0;
    }
}

}  // namespace
}  // namespace kai

#define KAI_RHS_PACK_COLUMNS(NAME, FORMAT, SOURCE, BIAS)                                           \
    KAI_RHS_RULES(NAME, tile_rules, kai::FORMAT, kai::kColumns, 4, 8 * sizeof(SOURCE), true, true) \
    KAI_RHS_TILE_RUN(NAME, void, kai::pack_columns(kai_rules_##NAME, call, sizeof(SOURCE), sizeof(BIAS));)

extern "C" {

#define KAI_LHS_PACK_8(NAME, T)                                                      \
    KAI_DEFINE_LHS_PACK_GETTERS_OF(kai::kRows, K, NAME, kRulesOf8)                   \
    KAI_DEFINE_LHS_PACK_RUN(NAME, kRulesOf8, void, kai::check_no_start(m_idx_start); \
                            kai::pack_8<T>(m, k, lhs, lhs_stride, lhs_packed);)
KAI_LHS_PACK_8(lhs_pack_bf16p8x4_f16_neon, float16_t)
KAI_LHS_PACK_8(lhs_quant_pack_bf16p8x4_f32_neon, float)

KAI_DEFINE_LHS_PACK_GETTERS(lhs_quant_pack_bf16p1x4_f32_neon, kRulesOf1)
KAI_DEFINE_LHS_PACK_RUN(
    lhs_quant_pack_bf16p1x4_f32_neon, kRulesOf1, void, kai::check_no_start(m_idx_start);
    KAI_REQUIRE(__func__, m <= 1, many_rows, m);
    if (m > 0) { kai::pack_1(k, static_cast<const float*>(lhs), kai::bytes(lhs_packed)); })

KAI_DEFINE_RHS_PACK_GETTERS_KXN(rhs_pack_kxn_bf16p12x4biasf16_f16_neon, bf16pbiasf16, 12, 4, 1, uint16_t, uint16_t)
KAI_RHS_PACK_COLUMNS(rhs_pack_kxn_bf16p12x4biasf16_f16_neon, bf16pbiasf16, uint16_t, uint16_t)

KAI_DEFINE_RHS_PACK_GETTERS_KXN(rhs_pack_kxn_bf16p12x4biasf32_f16_neon, bf16pbiasf32, 12, 4, 1, uint16_t, float)
KAI_RHS_PACK_COLUMNS(rhs_pack_kxn_bf16p12x4biasf32_f16_neon, bf16pbiasf32, uint16_t, float)

KAI_DEFINE_RHS_PACK_STEPS_KXN(K, rhs_quant_pack_kxn_bf16p12x4biasf32_f32_neon, bf16pbiasf32, 12, 4, 1, float, float)
KAI_RHS_PACK_COLUMNS(rhs_quant_pack_kxn_bf16p12x4biasf32_f32_neon, bf16pbiasf32, float, float)
KAI_DEFINE_RHS_PACKED_GETTERS(NR, rhs_quant_pack_kxn_bf16p12x4biasf32_f32_neon)

}  // extern "C"
