// The RHS of static int8 for portable micro-kernels, from K x N: panels of 16 columns, 4 k of a column together.
//
//     | bias - lhs_zero_point * sum of the column: 16 (int32) | elements | scale * scale_multiplier: 16 (f32) |
//
// Sums wrap around. Missing columns, their fields, and what pads k are zero. SME has packers of its own for panels of
// whole vectors (pack_sme_rhs_kxn.cpp).
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/pack/pack_getters.hpp"
#include "kai/engines/pack/pack_rhs_rules.hpp"
#include "kai/ukernels/pack/kai_rhs_pack.h"

namespace kai {
namespace {

constexpr size_t kColumns = 16, kGroup = 4;
constexpr Tile kTile = {kColumns, kGroup, 1};
constexpr const Format& kFormat = qsi8cxpbi32sf32;

constexpr kai_rhs_rules static_rules(const char* name) {
    kai_rhs_rules rules = rhs_rules(name, kFormat, false);
    rules.nr = kColumns;
    rules.kr = kGroup;
    rules.sr = 1;
    rules.stride_bits = 8;
    rules.kxn = rules.scale = rules.bias = true;
    rules.params = KAI_RHS_PARAMS_ANY;
    return rules;
}

/// A panel whose first column is `column`.
void pack_panel(const kai_rhs_call& c, const kai_rhs_pack_qsi8cx_params& params, size_t column, uint8_t* panel) {
    const size_t columns = c.n - column < kColumns ? c.n - column : kColumns;
    __builtin_memset(panel, 0, kFormat.stride(kTile, c.k));
    uint8_t* const elements = panel + kFormat.elements(kTile, 0, 0);
    uint32_t sums[kColumns] = {};
    for (size_t i = 0; i < c.k; ++i) {
        const uint8_t* from = bytes(c.rhs, i * c.rhs_stride + column);
        uint8_t* to = elements + kFormat.at(kTile, 0, 0, i).byte;
        for (size_t j = 0; j < columns; ++j) {
            to[j * kGroup] = from[j];
            sums[j] += static_cast<uint32_t>(static_cast<int8_t>(from[j]));
        }
    }
    uint8_t* const scales = panel + kFormat.panel_end(kTile, c.k);
    for (size_t j = 0; j < columns; ++j) {
        const auto bias = c.bias != nullptr ? load<uint32_t>(bytes(c.bias, (column + j) * sizeof(int32_t))) : 0;
        store(panel + j * sizeof(int32_t), bias - static_cast<uint32_t>(params.lhs_zero_point) * sums[j]);
        const auto scale = load<float>(bytes(c.scale, (column + j) * sizeof(float)));
        store(scales + j * sizeof(float), scale * params.scale_multiplier);
    }
}

}  // namespace
}  // namespace kai

KAI_RHS_RULES(rhs_pack_kxn_qsi8cxp16x4sb_qs8cx_f32_i32, static_rules)

extern "C" {

KAI_DEFINE_RHS_PACK_GETTERS_KXN(rhs_pack_kxn_qsi8cxp16x4sb_qs8cx_f32_i32, qsi8cxpbi32sf32, 16, 4, 1, int8_t, int32_t)
KAI_DEFINE_RHS_PACK_SCALE_OFFSET(rhs_pack_kxn_qsi8cxp16x4sb_qs8cx_f32_i32)

void kai_run_rhs_pack_kxn_qsi8cxp16x4sb_qs8cx_f32_i32(
    size_t num_groups, size_t n, size_t k, size_t nr, size_t kr, size_t sr, size_t rhs_stride, const void* rhs,
    const void* bias, const void* scale, void* rhs_packed, size_t extra_bytes,
    const struct kai_rhs_pack_qsi8cx_params* params) {
    const kai_rhs_call call = {num_groups, n,       k,    nr,    kr, sr,         0,           rhs,
                               rhs_stride, nullptr, bias, scale, 0,  rhs_packed, extra_bytes, params};
    kai_check_rhs_call(&kai_rules_rhs_pack_kxn_qsi8cxp16x4sb_qs8cx_f32_i32, &call);
    for (size_t column = 0; column < n; column += kai::kColumns) {
        kai::pack_panel(call, *params, column, kai::bytes(rhs_packed, kai::kFormat.offset(kai::kTile, column, k)));
    }
}

}  // extern "C"
