// RHS packers of format qsi8cxp: int8, a sum, a scale and a bias per column.
//
//     packed sum = params->lhs_zero_point * sum
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/src/pack_getters.hpp"
#include "kai/src/pack_rhs_channels_neon.hpp"
#include "kai/ukernels/pack/kai_rhs_pack.h"

namespace kai {
namespace {

constexpr kai_rhs_rules qsi8cxp_rules(const char* name) {
    kai_rhs_rules rules = channels_rules(name, qsi8cxp);
    rules.sr = 1;
    rules.k_kr = true;
    rules.params = KAI_RHS_PARAMS_ANY;
    return rules;
}

template <class Source>
KAI_INLINE void pack_qsi8cxp(const RhsChannels& p, const struct kai_rhs_pack_qsi8cx_params* params) {
    const int32_t zero_point = params == nullptr ? 0 : params->lhs_zero_point;
    pack_rhs_channels<qsi8cxp, Source, MissingRepeatLast>(p, WeightsInt8{static_cast<uint32_t>(zero_point)});
}

}  // namespace
}  // namespace kai

#define KAI_RHS_PACK_QSI8CX(NAME, OFFSET, ...)                                                                        \
    KAI_RHS_RULES(NAME, qsi8cxp_rules)                                                                                \
    KAI_DEFINE_RHS_PACK_GETTERS_CX(NAME, OFFSET)                                                                      \
    void kai_run_##NAME(                                                                                              \
        size_t num_groups, size_t n, size_t k, size_t nr, size_t kr, size_t sr, const int8_t* rhs, const float* bias, \
        const float* scale, void* rhs_packed, size_t extra_bytes, const struct kai_rhs_pack_qsi8cx_params* params) {  \
        const kai_rhs_call call = {num_groups, n,       k,    nr,    kr, sr,         0,           rhs,                \
                                   0,          nullptr, bias, scale, 0,  rhs_packed, extra_bytes, params};            \
        kai_check_rhs_call(&kai_rules_##NAME, &call);                                                                 \
        __VA_ARGS__(kai::rhs_channels(call), params);                                                                 \
    }

KAI_RHS_PACK_QSI8CX(rhs_pack_nxk_qsi8cxp_qsi8cx_neon, n_idx* rhs_stride, kai::pack_qsi8cxp<kai::LinesOfK<8>>)
KAI_RHS_PACK_QSI8CX(rhs_pack_kxn_qsi8cxp_qsi8cx_neon, n_idx, kai::pack_qsi8cxp<kai::LinesOfN<8>>)
