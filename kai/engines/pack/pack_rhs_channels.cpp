// RHS packers of formats with one scale per column, for weights of 8, 4 and 2 bits; a sum, a scale and a bias per
// column.
//
//     qsi4cxp:                   packed sum = 16 * sum, packed scale = scale / 16; elements i and i + 16 in a byte
//     qsi4cxps1s0:               elements i and i + 1 in a byte
//     qsi8cxp:                   packed sum = params->lhs_zero_point * sum
//     qsu2cxp4x4, qsu2cxp4vlx4:  indices of a table of four weights; sums of these
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/pack/pack_getters.hpp"
#include "kai/engines/pack/pack_neon_rhs_channels.hpp"
#include "kai/ukernels/pack/kai_rhs_pack.h"

namespace kai {
namespace {

constexpr kai_rhs_rules qsi4cxp_rules(const char* name) {
    kai_rhs_rules rules = channels_rules(name, qsi4cxp);
    rules.k_groups = 2;
    rules.params = KAI_RHS_PARAMS_1_8_OR_0;
    return rules;
}

constexpr kai_rhs_rules qsi4cxps1s0_rules(const char* name) {
    kai_rhs_rules rules = channels_rules(name, qsi4cxps1s0);
    rules.kr_multiple = 2;
    rules.k_kr = true;
    rules.params = KAI_RHS_PARAMS_1_8_OR_0;
    return rules;
}

constexpr kai_rhs_rules qsi8cxp_rules(const char* name) {
    kai_rhs_rules rules = channels_rules(name, qsi8cxp);
    rules.sr = 1;
    rules.k_kr = true;
    rules.params = KAI_RHS_PARAMS_ANY;
    return rules;
}

constexpr kai_rhs_rules qsu2cxp4vlx4_rules(const char* name) {
    kai_rhs_rules rules = channels_rules(name, qsu2cxp4vlx4);
    rules.k_multiple = 32;
    set_groups(rules, 4, 4);
    rules.params = KAI_RHS_PARAMS_1;
    return rules;
}

constexpr kai_rhs_rules qsu2cxp4x4_rules(const char* name) {
    kai_rhs_rules rules = qsu2cxp4vlx4_rules(name);
    rules.nr = 4;
    return rules;
}

/// What a call adds to what the packer does.
struct Weights {
    uint8_t flip;
    uint32_t factor;
    const int32_t* table;
};
KAI_INLINE Weights weights(const ChannelsKind& kind, const struct kai_rhs_pack_qs4cxs1s0_param* params) {
    const bool unsigned_nibbles = params != nullptr && params->rhs_zero_point != 0;
    return {static_cast<uint8_t>(unsigned_nibbles ? 0x88 : 0), kind.sixteenths ? 16U : 1U, nullptr};
}
KAI_INLINE Weights weights(const ChannelsKind&, const struct kai_rhs_pack_qsi8cx_params* params) {
    return {0, params == nullptr ? 0 : static_cast<uint32_t>(params->lhs_zero_point), nullptr};
}
KAI_INLINE Weights weights(const ChannelsKind&, const struct kai_rhs_pack_qs4cxs1s0_param*, const int32_t* table) {
    return {0, 1, table == nullptr ? kDefaultTable : table};
}

template <class Lanes>
[[gnu::noinline]] void pack(const kai_rhs_rules& rules, const ChannelsKind& kind, const kai_rhs_call& c, Weights w) {
    kai_check_rhs_call(&rules, &c);
    pack_rhs_channels<Lanes>(
        {kind,
         c.n,
         c.k,
         {c.nr, c.kr, c.sr},
         bytes(c.rhs),
         bytes(c.scale),
         bytes(c.bias),
         bytes(c.packed),
         w.flip,
         w.factor,
         w.table});
}

}  // namespace
}  // namespace kai

/// OFFSET: see KAI_DEFINE_RHS_PACK_GETTERS_CX. ELEMENT, PARAMS: types of run. Then further arguments of run.
#define KAI_DEFINE_PACKER(NAME, FORMAT, KXN, MISSING, SIXTEENTHS, LANES, OFFSET, ELEMENT, PARAMS, DECLARE, PASS)       \
    KAI_RHS_RULES(NAME, FORMAT##_rules)                                                                                \
    KAI_DEFINE_RHS_PACK_GETTERS_CX(NAME, OFFSET)                                                                       \
    void kai_run_##NAME(                                                                                               \
        size_t num_groups, size_t n, size_t k, size_t nr, size_t kr, size_t sr, const ELEMENT* rhs, const float* bias, \
        const float* scale, void* rhs_packed, size_t extra_bytes, const struct PARAMS* params DECLARE) {               \
        static constexpr kai::ChannelsKind kKind = {kai::FORMAT, KXN, kai::Missing::MISSING, SIXTEENTHS};              \
        kai::pack<kai::LANES>(                                                                                         \
            kai_rules_##NAME, kKind,                                                                                   \
            {num_groups, n, k, nr, kr, sr, 0, rhs, 0, nullptr, bias, scale, 0, rhs_packed, extra_bytes, params},       \
            kai::weights(kKind, params PASS));                                                                         \
    }
#define KAI_TABLE , const int32_t* lut_arg
#define KAI_PASS_TABLE , lut_arg

KAI_DEFINE_PACKER(
    rhs_pack_nxk_qsi4cxp_qs4cxs1s0, qsi4cxp, false, repeat_last, true, LanesInt4<true>, n_idx* rhs_stride, uint8_t,
    kai_rhs_pack_qs4cxs1s0_param, , )
KAI_DEFINE_PACKER(
    rhs_pack_kxn_qsi4cxp_qs4cxs1s0, qsi4cxp, true, repeat_last_byte, true, LanesInt4<false>,
    kai_rhs_nibble_offset(n_idx, &kai_rules_rhs_pack_kxn_qsi4cxp_qs4cxs1s0), uint8_t, kai_rhs_pack_qs4cxs1s0_param, , )
KAI_DEFINE_PACKER(
    rhs_pack_nxk_qsi4cxps1s0_qsu4cxs1s0_neon, qsi4cxps1s0, false, zero, false, LanesInt4<false>, n_idx* rhs_stride,
    uint8_t, kai_rhs_pack_qs4cxs1s0_param, , )
KAI_DEFINE_PACKER(
    rhs_pack_nxk_qsi8cxp_qsi8cx_neon, qsi8cxp, false, repeat_last, false, LanesInt8, n_idx* rhs_stride, int8_t,
    kai_rhs_pack_qsi8cx_params, , )
KAI_DEFINE_PACKER(
    rhs_pack_kxn_qsi8cxp_qsi8cx_neon, qsi8cxp, true, repeat_last, false, LanesInt8, n_idx, int8_t,
    kai_rhs_pack_qsi8cx_params, , )
KAI_DEFINE_PACKER(
    rhs_pack_nxk_qsu2cxp4x4bf32sf32_qsu2cx_neon, qsu2cxp4x4, false, index_two, false, LanesTable<true>,
    n_idx* rhs_stride, uint8_t, kai_rhs_pack_qs4cxs1s0_param, KAI_TABLE, KAI_PASS_TABLE)
KAI_DEFINE_PACKER(
    rhs_pack_nxk_qsu2cxp4vlx4_qsu2cx_neon, qsu2cxp4vlx4, false, repeat_last_weights, false, LanesTable<false>,
    n_idx* rhs_stride, uint8_t, kai_rhs_pack_qs4cxs1s0_param, KAI_TABLE, KAI_PASS_TABLE)
