// RHS packers of formats without blocks, for weights of 8, 4 and 2 bits: one scale per column, or none; the sum of each
// column.
//
//     qsi4cxp:                   packed sum = 16 * sum, packed scale = scale / 16; elements i and i + 16 in a byte
//     qsi4cxps1s0:               elements i and i + 1 in a byte
//     qsi8cxp:                   packed sum = params->lhs_zero_point * sum
//     qsu2cxp4x4, qsu2cxp4vlx4:  indices of a table of four weights; sums of these
//     qsi8cxpbi32sf32:           packed bias = bias - params->lhs_zero_point * sum, packed scale = scale *
//                                params->scale_multiplier. For portable micro-kernels: SME has packers of its own
//     qau8p, qsi8p:              low precision: packed weights are signed, the last 8 of 16 inverted: ~w = -w - 1; sums
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/core/pack_getters.hpp"
#include "kai/engines/pack/pack_neon_rhs_channels.hpp"
#include "kai/ukernels/pack/kai_rhs_pack.h"

namespace kai {
namespace {

constexpr kai_rhs_rules channels_rules(const char* name, const Format& format) {
    kai_rhs_rules rules = rhs_rules(name, format, false);
    rules.bias = rules.scale = true;
    if (format.bits == 2) {
        rules.nr = format == qsu2cxp4x4 ? 4 : 0;
        rules.k_multiple = 32;
        set_groups(rules, 4, 4);
        rules.params = KAI_RHS_PARAMS_1;
    } else if (format.bits == 4) {
        rules.k_kr = format == qsi4cxps1s0;
        rules.kr_multiple = rules.k_kr ? 2 : 0;
        rules.k_groups = rules.k_kr ? 0 : 2;
        rules.params = KAI_RHS_PARAMS_1_8_OR_0;
    } else {
        rules.sr = 1;
        rules.k_kr = true;
        rules.params = KAI_RHS_PARAMS_ANY;
    }
    return rules;
}

constexpr kai_rhs_rules static_rules(const char* name, size_t kr) {
    kai_rhs_rules rules = tile_rules(name, qsi8cxpbi32sf32, 16, kr, 8, true, true);
    rules.scale = true;
    rules.params = KAI_RHS_PARAMS_ANY;
    return rules;
}

[[gnu::noinline]] void pack(
    const kai_rhs_rules& rules, const ChannelsKind& kind, const ChannelsLoop& loop, const kai_rhs_call& c) {
    kai_check_rhs_call(&rules, &c);
    const auto* table = c.table == nullptr ? kDefaultTable : static_cast<const int32_t*>(c.table);
    RhsChannels p = {
        kind,         c.n,  c.k, {c.nr, c.kr, c.sr}, bytes(c.rhs), bytes(c.scale), bytes(c.bias), bytes(c.packed),
        c.rhs_stride, table};
    if (kind.format.bits == 4 && c.params != nullptr) {
        p.flip = static_cast<const kai_rhs_pack_qs4cxs1s0_param*>(c.params)->rhs_zero_point != 0 ? 0x88 : 0;
        const bool sixteenths = kind.format.nibble_distance == 16;  // the kernel multiplies with 16 times the weights
        p.factor = sixteenths ? 16 : 1;
        p.multiplier = sixteenths ? 0.0625F : 1;
    } else if (kind.format.bits == 8 && c.params != nullptr) {
        const auto* params = static_cast<const kai_rhs_pack_qsi8cx_params*>(c.params);
        const bool in_bias = kind.format.panel_head != 0;
        const auto zero_point = static_cast<uint32_t>(params->lhs_zero_point);
        p.factor = in_bias ? 0 - zero_point : zero_point;
        p.multiplier = in_bias ? params->scale_multiplier : 1;
    }
    pack_rhs_channels(p, loop);
}

}  // namespace
}  // namespace kai

/// OFFSET: see KAI_DEFINE_RHS_PACK_GETTERS_CX. ELEMENT, PARAMS: types of run. Then further arguments of run.
#define KAI_DEFINE_PACKER(NAME, FORMAT, KXN, MISSING, LANES, OFFSET, ELEMENT, PARAMS, DECLARE, PASS)                   \
    KAI_RHS_RULES(NAME, channels_rules, kai::FORMAT)                                                                   \
    KAI_DEFINE_RHS_PACK_GETTERS_CX(NAME, OFFSET)                                                                       \
    void kai_run_##NAME(                                                                                               \
        size_t num_groups, size_t n, size_t k, size_t nr, size_t kr, size_t sr, const ELEMENT* rhs, const float* bias, \
        const float* scale, void* rhs_packed, size_t extra_bytes, const struct PARAMS* params DECLARE) {               \
        static constexpr kai::ChannelsKind kKind = {kai::FORMAT, KXN, kai::Missing::MISSING};                          \
        kai::pack(                                                                                                     \
            kai_rules_##NAME, kKind, kai::kLoop<kai::LANES, KXN>,                                                      \
            {num_groups, n, k, nr, kr, sr, 0, rhs, 0, nullptr, bias, scale, 0, rhs_packed, extra_bytes, params PASS}); \
    }
#define KAI_TABLE , const int32_t* lut_arg
#define KAI_PASS_TABLE , lut_arg

KAI_DEFINE_PACKER(
    rhs_pack_nxk_qsi4cxp_qs4cxs1s0, qsi4cxp, false, repeat_last, LanesInt4<true>, n_idx* rhs_stride, uint8_t,
    kai_rhs_pack_qs4cxs1s0_param, , )
KAI_DEFINE_PACKER(
    rhs_pack_kxn_qsi4cxp_qs4cxs1s0, qsi4cxp, true, repeat_last_byte, LanesInt4<false>,
    kai_rhs_nibble_offset(n_idx, &kai_rules_rhs_pack_kxn_qsi4cxp_qs4cxs1s0), uint8_t, kai_rhs_pack_qs4cxs1s0_param, , )
KAI_DEFINE_PACKER(
    rhs_pack_nxk_qsi4cxps1s0_qsu4cxs1s0_neon, qsi4cxps1s0, false, zero, LanesInt4<false>, n_idx* rhs_stride, uint8_t,
    kai_rhs_pack_qs4cxs1s0_param, , )
KAI_DEFINE_PACKER(
    rhs_pack_nxk_qsi8cxp_qsi8cx_neon, qsi8cxp, false, repeat_last, LanesInt8<false>, n_idx* rhs_stride, int8_t,
    kai_rhs_pack_qsi8cx_params, , )
KAI_DEFINE_PACKER(
    rhs_pack_kxn_qsi8cxp_qsi8cx_neon, qsi8cxp, true, repeat_last, LanesInt8<false>, n_idx, int8_t,
    kai_rhs_pack_qsi8cx_params, , )
KAI_DEFINE_PACKER(
    rhs_pack_nxk_qsu2cxp4x4bf32sf32_qsu2cx_neon, qsu2cxp4x4, false, index_two, LanesTable<true>, n_idx* rhs_stride,
    uint8_t, kai_rhs_pack_qs4cxs1s0_param, KAI_TABLE, KAI_PASS_TABLE)
KAI_DEFINE_PACKER(
    rhs_pack_nxk_qsu2cxp4vlx4_qsu2cx_neon, qsu2cxp4vlx4, false, repeat_last_weights, LanesTable<false>,
    n_idx* rhs_stride, uint8_t, kai_rhs_pack_qs4cxs1s0_param, KAI_TABLE, KAI_PASS_TABLE)

/// Of one tile. Then what is in ChannelsKind after `missing`.
#define KAI_DEFINE_RUN(NAME, FORMAT, KXN, LANES, PARAMS, ...)                                                        \
    KAI_RHS_TILE_RUN(NAME, PARAMS,                                                                                   \
                     static constexpr kai::ChannelsKind kKind = {kai::FORMAT, KXN, kai::Missing::zero, __VA_ARGS__}; \
                     kai::pack(kai_rules_##NAME, kKind, kai::kLoop<kai::LANES, KXN>, call);)

#define KAI_DEFINE_NXK(NAME, FORMAT, FLIP)                               \
    KAI_RHS_RULES(NAME, tile_rules, kai::FORMAT, 4, 16, 8, false, false) \
    KAI_DEFINE_RHS_PACK_GETTERS_NXK(NAME, FORMAT, 4, 16, 1, int32_t)     \
    KAI_DEFINE_RUN(NAME, FORMAT, false, LanesInt8<true>, void, true, FLIP)
#define KAI_DEFINE_KXN(NAME, FORMAT, FLIP)                                    \
    KAI_RHS_RULES(NAME, tile_rules, kai::FORMAT, 4, 16, 8, true, false)       \
    KAI_DEFINE_RHS_PACK_GETTERS_KXN(NAME, FORMAT, 4, 16, 1, uint8_t, int32_t) \
    KAI_DEFINE_RUN(NAME, FORMAT, true, LanesInt8<true>, void, true, FLIP)
/// Panels of 16 columns in groups of KR, weights as they are.
#define KAI_DEFINE_SUMS_OF(NAME, FORMAT, KXN, KR, UNSIGNED)             \
    KAI_RHS_RULES(NAME, tile_rules, kai::FORMAT, 16, KR, 8, KXN, false) \
    KAI_DEFINE_RUN(NAME, FORMAT, KXN, LanesSums<UNSIGNED>, void, false, 0, UNSIGNED)
#define KAI_DEFINE_SUMS(TYPE, KR, UNSIGNED)                                                                          \
    KAI_DEFINE_RHS_PACK_GETTERS_NXK(rhs_pack_nxk_##TYPE##p16x##KR##sumi32_##TYPE, TYPE##psumi32, 16, KR, 1, int32_t) \
    KAI_DEFINE_SUMS_OF(rhs_pack_nxk_##TYPE##p16x##KR##sumi32_##TYPE, TYPE##psumi32, false, KR, UNSIGNED)             \
    KAI_DEFINE_RHS_PACK_GETTERS_KXN(                                                                                 \
        rhs_pack_kxn_##TYPE##p16x##KR##sumi32_##TYPE, TYPE##psumi32, 16, KR, 1, uint8_t, int32_t)                    \
    KAI_DEFINE_SUMS_OF(rhs_pack_kxn_##TYPE##p16x##KR##sumi32_##TYPE, TYPE##psumi32, true, KR, UNSIGNED)
/// Panels of 16 columns in groups of KR.
#define KAI_DEFINE_STATIC(NAME, KR)                                                    \
    KAI_RHS_RULES(NAME, static_rules, KR)                                              \
    KAI_DEFINE_RHS_PACK_GETTERS_KXN(NAME, qsi8cxpbi32sf32, 16, KR, 1, int8_t, int32_t) \
    KAI_DEFINE_RHS_PACK_SCALE_OFFSET(NAME)                                             \
    KAI_DEFINE_RUN(NAME, qsi8cxpbi32sf32, true, LanesInt8<false>, struct kai_rhs_pack_qsi8cx_params, false)

extern "C" {

KAI_DEFINE_STATIC(rhs_pack_kxn_qsi8cxp16x4sb_qs8cx_f32_i32, 4)
KAI_DEFINE_STATIC(rhs_pack_kxn_qsi8cxp16x8sb_qs8cx_f32_i32, 8)

KAI_DEFINE_SUMS(qau8, 8, true)
KAI_DEFINE_SUMS(qsi8, 8, false)
KAI_DEFINE_SUMS(qau8, 4, true)
KAI_DEFINE_SUMS(qsi8, 4, false)
KAI_DEFINE_NXK(rhs_pack_nxk_qau8p4x16_qau8, qau8p, 0x80)
KAI_DEFINE_KXN(rhs_pack_kxn_qau8p4x16_qau8, qau8p, 0x80)
KAI_DEFINE_NXK(rhs_pack_nxk_qsi8p4x16_qsi8, qsi8p, 0)
KAI_DEFINE_KXN(rhs_pack_kxn_qsi8p4x16_qsi8, qsi8p, 0)

}  // extern "C"
