// The RHS of the low-precision kernels: panels of 4 columns, 16 k of a column together.
//
//     | sums of the signed weights: 4 (int32) | elements: 16 k of column 0, of column 1, ... |
//
// Of 16 elements the first 8 are weights made signed (uint8: less 128), the last 8 the same, inverted: ~w = -w - 1.
// What pads k, and the weights of missing columns, are 0, or inverted -1.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/pack/pack_getters.hpp"
#include "kai/engines/pack/pack_rhs_rules.hpp"
#include "kai/ukernels/pack/kai_rhs_pack.h"

namespace kai {
namespace {

constexpr size_t kColumns = 4, kGroup = 16;
constexpr Tile kTile = {kColumns, kGroup, 1};

constexpr kai_rhs_rules lowp_rules(const char* name, const Format& format, bool kxn) {
    kai_rhs_rules rules = rhs_rules(name, format, false);
    rules.nr = kColumns;
    rules.kr = kGroup;
    rules.sr = 1;
    rules.stride_bits = 8;
    rules.kxn = kxn;
    return rules;
}

/// `count` weights, `step` bytes apart, of which `exist` exist, to 16 packed ones. Returns their sum.
KAI_INLINE uint32_t pack_group(uint8_t* to, const uint8_t* from, size_t step, size_t exist, uint8_t flip) {
    uint8_t weights[kGroup] = {};
    for (size_t i = 0; i < exist; ++i) {
        weights[i] = static_cast<uint8_t>(from[i * step] ^ flip);
    }
    uint32_t sum = 0;
    for (size_t i = 0; i < kGroup; ++i) {
        sum += static_cast<uint32_t>(static_cast<int8_t>(weights[i]));
        to[i] = static_cast<uint8_t>(weights[i] ^ (i < kGroup / 2 ? 0 : 0xFF));
    }
    return sum;
}

/// The panel whose first column is `column`. Weights are `step` bytes apart along k, columns `next`.
KAI_INLINE void pack_panel(
    const Format& format, const kai_rhs_call& c, size_t column, size_t step, size_t next, uint8_t flip) {
    const size_t columns = c.n - column < kColumns ? c.n - column : kColumns;
    uint8_t* const panel = bytes(c.packed, format.offset(kTile, column, c.k));
    uint8_t* to = panel + format.elements(kTile, 0, 0);
    uint32_t sums[kColumns] = {};
    for (size_t i = 0; i < c.k; i += kGroup) {
        for (size_t j = 0; j < kColumns; ++j, to += kGroup) {
            const uint8_t* from = bytes(c.rhs, (column + j) * next + i * step);
            const size_t rest = j < columns ? c.k - i : 0;
            sums[j] +=
                rest < kGroup ? pack_group(to, from, step, rest, flip) : pack_group(to, from, step, kGroup, flip);
        }
    }
    __builtin_memcpy(panel, sums, sizeof(sums));
}

[[gnu::noinline]] void pack_lowp(
    const kai_rhs_rules& rules, const Format& format, const kai_rhs_call& c, uint8_t flip) {
    kai_check_rhs_call(&rules, &c);
    for (size_t column = 0; column < c.n; column += kColumns) {
        if (rules.kxn) {
            pack_panel(format, c, column, c.rhs_stride, 1, flip);
        } else {
            pack_panel(format, c, column, 1, c.rhs_stride, flip);
        }
    }
}

}  // namespace
}  // namespace kai

/// FLIP: what makes weights signed. The bias is that of the kernel.
#define KAI_DEFINE_LOWP(NAME, GETTERS, KXN, FORMAT, FLIP)                                                           \
    KAI_RHS_RULES(NAME, lowp_rules, kai::FORMAT, KXN)                                                               \
    GETTERS                                                                                                         \
    void kai_run_##NAME(                                                                                            \
        size_t num_groups, size_t n, size_t k, size_t nr, size_t kr, size_t sr, size_t rhs_stride, const void* rhs, \
        const void* bias, const void* scale, void* rhs_packed, size_t extra_bytes, const void* params) {            \
        kai::pack_lowp(                                                                                             \
            *kai::opaque(&kai_rules_##NAME), kai::FORMAT, /* not a copy of the function for each */                 \
            {num_groups, n, k, nr, kr, sr, 0, rhs, rhs_stride, nullptr, bias, scale, 0, rhs_packed, extra_bytes,    \
             params},                                                                                               \
            FLIP);                                                                                                  \
    }

extern "C" {

#define KAI_DEFINE_NXK(NAME, FORMAT, FLIP) \
    KAI_DEFINE_LOWP(NAME, KAI_DEFINE_RHS_PACK_GETTERS_NXK(NAME, FORMAT, 4, 16, 1, int32_t), false, FORMAT, FLIP)
#define KAI_DEFINE_KXN(NAME, FORMAT, FLIP) \
    KAI_DEFINE_LOWP(NAME, KAI_DEFINE_RHS_PACK_GETTERS_KXN(NAME, FORMAT, 4, 16, 1, uint8_t, int32_t), true, FORMAT, FLIP)

KAI_DEFINE_NXK(rhs_pack_nxk_qau8p4x16_qau8, qau8p, 0x80)
KAI_DEFINE_KXN(rhs_pack_kxn_qau8p4x16_qau8, qau8p, 0x80)
KAI_DEFINE_NXK(rhs_pack_nxk_qsi8p4x16_qsi8, qsi8p, 0)
KAI_DEFINE_KXN(rhs_pack_kxn_qsi8p4x16_qsi8, qsi8p, 0)

}  // extern "C"
