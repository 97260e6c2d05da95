// RHS packers of formats qsi4cxp and qsi4cxps1s0: signed int4, a sum, a scale and a bias per column.
//
//     qsi4cxp:      packed sum = 16 * sum, packed scale = scale / 16; elements i and i + 16 in a byte
//     qsi4cxps1s0:  sum and scale as they are; elements i and i + 1 in a byte
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/src/pack_getters.hpp"
#include "kai/src/pack_rhs_channels_neon.hpp"
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

/// The weights that params describe.
template <const Format& format>
KAI_INLINE auto weights_int4(const struct kai_rhs_pack_qs4cxs1s0_param* params) {
    const auto flip = static_cast<uint8_t>(params == nullptr || params->rhs_zero_point == 0 ? 0 : 0x88);
    return WeightsInt4 < format.nibble_distance == 16 ? 16 : 1 > {flip};
}

}  // namespace
}  // namespace kai

#define KAI_RHS_PACK_QSI4CX(NAME, FORMAT, OFFSET, ...)                                                                 \
    KAI_RHS_RULES(NAME, FORMAT##_rules)                                                                                \
    KAI_DEFINE_RHS_PACK_GETTERS_CX(NAME, OFFSET)                                                                       \
    void kai_run_##NAME(                                                                                               \
        size_t num_groups, size_t n, size_t k, size_t nr, size_t kr, size_t sr, const uint8_t* rhs, const float* bias, \
        const float* scale, void* rhs_packed, size_t extra_bytes, const struct kai_rhs_pack_qs4cxs1s0_param* params) { \
        const kai_rhs_call call = {num_groups, n,       k,    nr,    kr, sr,         0,           rhs,                 \
                                   0,          nullptr, bias, scale, 0,  rhs_packed, extra_bytes, params};             \
        kai_check_rhs_call(&kai_rules_##NAME, &call);                                                                  \
        kai::pack_rhs_channels<kai::FORMAT, __VA_ARGS__>(                                                              \
            kai::rhs_channels(call), kai::weights_int4<kai::FORMAT>(params));                                          \
    }

KAI_RHS_PACK_QSI4CX(
    rhs_pack_nxk_qsi4cxp_qs4cxs1s0, qsi4cxp, n_idx* rhs_stride, kai::LinesOfK<4>, kai::MissingRepeatLast)
KAI_RHS_PACK_QSI4CX(
    rhs_pack_kxn_qsi4cxp_qs4cxs1s0, qsi4cxp, kai_rhs_nibble_offset(n_idx, &kai_rules_rhs_pack_kxn_qsi4cxp_qs4cxs1s0),
    kai::LinesOfN<4>, kai::MissingRepeatLastByte)
KAI_RHS_PACK_QSI4CX(
    rhs_pack_nxk_qsi4cxps1s0_qsu4cxs1s0_neon, qsi4cxps1s0, n_idx* rhs_stride, kai::LinesOfK<4>, kai::MissingZero)
