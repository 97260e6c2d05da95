// RHS packers of formats qsu2cxp4x4 and qsu2cxp4vlx4: 2-bit indices of a table of four weights; a sum of the weights, a
// scale and a bias per column.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/src/pack_getters.hpp"
#include "kai/src/pack_rhs_channels_neon.hpp"
#include "kai/ukernels/pack/kai_rhs_pack.h"

namespace kai {
namespace {

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

}  // namespace
}  // namespace kai

#define KAI_RHS_PACK_QSU2CX(NAME, FORMAT, MISSING)                                                                     \
    KAI_RHS_RULES(NAME, FORMAT##_rules)                                                                                \
    KAI_DEFINE_RHS_PACK_GETTERS_CX(NAME, n_idx* rhs_stride)                                                            \
    void kai_run_##NAME(                                                                                               \
        size_t num_groups, size_t n, size_t k, size_t nr, size_t kr, size_t sr, const uint8_t* rhs, const float* bias, \
        const float* scale, void* rhs_packed, size_t extra_bytes, const struct kai_rhs_pack_qs4cxs1s0_param* params,   \
        const int32_t* lut_arg) {                                                                                      \
        const kai_rhs_call call = {num_groups, n,       k,    nr,    kr, sr,         0,           rhs,                 \
                                   0,          nullptr, bias, scale, 0,  rhs_packed, extra_bytes, params};             \
        kai_check_rhs_call(&kai_rules_##NAME, &call);                                                                  \
        kai::pack_rhs_channels<kai::FORMAT, kai::LinesOfK<2>, kai::MISSING>(                                           \
            kai::rhs_channels(call), kai::WeightsTable{lut_arg == nullptr ? kai::kDefaultTable : lut_arg});            \
    }

KAI_RHS_PACK_QSU2CX(rhs_pack_nxk_qsu2cxp4x4bf32sf32_qsu2cx_neon, qsu2cxp4x4, MissingIndexTwo)
KAI_RHS_PACK_QSU2CX(rhs_pack_nxk_qsu2cxp4vlx4_qsu2cx_neon, qsu2cxp4vlx4, MissingRepeatLastWeights)
