// Packers of bf16pbiasf32 and bf16pbiasf16 (RHS) for NEON: panels of 12 columns
//
//     | bias: 12 | k = 0 - 3: 4 elements of column 0, 4 of column 1, ... | k = 4 - 7: ... | ...
//
// from K x N sources of f32 or f16, rounded to nearest even; the bias is copied. Columns and k beyond the matrix become
// zero.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/pack/pack_getters.hpp"
#include "kai/engines/pack/pack_rhs_rules.hpp"
#include "kai/ukernels/pack/kai_rhs_pack.h"

extern "C" {
void kai_pack_columns_bf16_f32_neon(size_t steps, const void* src, size_t stride, uint8_t* dst);
uint32_t kai_pack_columns_bf16_f16_neon(size_t steps, const void* src, size_t stride, uint8_t* dst);
uint32_t kai_pack_columns_bf16_f16_exact_neon(size_t steps, const void* src, size_t stride, uint8_t* dst);
}

namespace kai {
namespace {

constexpr size_t kColumns = 12;
constexpr size_t kGroup = kColumns * 4 * sizeof(uint16_t);  // bytes of 4 k of a panel

/// 12 columns, 4 k a step. steps is not 0.
KAI_INLINE void pack_steps(size_t steps, const void* src, size_t stride, uint8_t* dst, size_t source_bytes) {
    if (source_bytes == sizeof(float)) {
        kai_pack_columns_bf16_f32_neon(steps, src, stride, dst);
    } else if (kai_pack_columns_bf16_f16_neon(steps, src, stride, dst) == 0) {  // there may be a NaN
        kai_pack_columns_bf16_f16_exact_neon(steps, src, stride, dst);
    }
}

/// Zero where there is none.
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

/// Elements of source_bytes and a bias of bias_bytes. What there is not of the matrix is zero.
[[gnu::noinline]] void pack(const kai_rhs_rules& rules, const kai_rhs_call& c, size_t source_bytes, size_t bias_bytes) {
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
            pack_steps(whole, src, stride, dst, source_bytes);
        }
        dst += whole * kGroup;
        for (size_t row = whole * 4; row < k; dst += kGroup) {  // 4 rows, as far as they exist
            uint8_t part[4][kColumns * sizeof(float)] = {};
            for (size_t i = 0; i < 4 && row < k; ++i, ++row) {
                __builtin_memcpy(part[i], src + row * stride, columns * source_bytes);
            }
            pack_steps(1, part, sizeof(part[0]), dst, source_bytes);
        }
        src += n > kColumns ? src_step : 0;
        biases += n > kColumns && c.bias != nullptr ? bias_step : 0;
    }
}

}  // namespace
}  // namespace kai

#define KAI_DEFINE_RUN(NAME, FORMAT, SOURCE, BIAS)                                                 \
    KAI_RHS_RULES(NAME, tile_rules, kai::FORMAT, kai::kColumns, 4, 8 * sizeof(SOURCE), true, true) \
    KAI_RHS_TILE_RUN(NAME, void, kai::pack(kai_rules_##NAME, call, sizeof(SOURCE), sizeof(BIAS));)

extern "C" {

KAI_DEFINE_RHS_PACK_GETTERS_KXN(rhs_pack_kxn_bf16p12x4biasf16_f16_neon, bf16pbiasf16, 12, 4, 1, uint16_t, uint16_t)
KAI_DEFINE_RUN(rhs_pack_kxn_bf16p12x4biasf16_f16_neon, bf16pbiasf16, uint16_t, uint16_t)

KAI_DEFINE_RHS_PACK_GETTERS_KXN(rhs_pack_kxn_bf16p12x4biasf32_f16_neon, bf16pbiasf32, 12, 4, 1, uint16_t, float)
KAI_DEFINE_RUN(rhs_pack_kxn_bf16p12x4biasf32_f16_neon, bf16pbiasf32, uint16_t, float)

KAI_DEFINE_RUN(rhs_quant_pack_kxn_bf16p12x4biasf32_f32_neon, bf16pbiasf32, float, float)
size_t kai_get_n_step_rhs_quant_pack_kxn_bf16p12x4biasf32_f32_neon() {
    return kai::kColumns;
}
size_t kai_get_rhs_offset_rhs_quant_pack_kxn_bf16p12x4biasf32_f32_neon(size_t n_idx) {
    return n_idx * sizeof(float);
}
size_t kai_get_bias_offset_rhs_quant_pack_kxn_bf16p12x4biasf32_f32_neon(size_t n_idx) {
    return n_idx * sizeof(float);
}
size_t kai_get_rhs_packed_stride_rhs_quant_pack_kxn_bf16p12x4biasf32_f32_neon(size_t k) {
    return kai::bf16pbiasf32.stride({kai::kColumns, 4, 1}, k);
}
KAI_DEFINE_RHS_PACKED_GETTERS(NR, rhs_quant_pack_kxn_bf16p12x4biasf32_f32_neon)

}  // extern "C"
