// RHS packers of int4 and int8 with an f16 scale per block of a column, from records: the scale, then the block.
//
//     qsi4c32p:              packed nibble = source nibble XOR 8
//     qsi4c32ps1s0scalef16:  packed nibble = source nibble
//     qsi4c32ps4s0sf16:      packed nibble = source nibble XOR 8, packed scale = scale / 16
//     qsi8c32p, qsi8c32pscalef16: bytes as they are
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/pack/pack_getters.hpp"
#include "kai/engines/pack/pack_neon_rhs_blocks.hpp"
#include "kai/ukernels/pack/kai_rhs_pack.h"

namespace kai {
namespace {

constexpr kai_rhs_rules records_rules(const char* name, const Format& format) {
    kai_rhs_rules rules = rhs_rules(name, format, true);
    rules.params = KAI_RHS_PARAMS_1_8;
    return rules;
}

/// For NEON and SVE.
constexpr kai_rhs_rules groups_up_to_8_rules(const char* name, const Format& format) {
    kai_rhs_rules rules = records_rules(name, format);
    rules.sr = 2;
    rules.kr_multiple = 2;
    rules.kr_max = 16;
    return rules;
}
constexpr kai_rhs_rules qsi4c32p_rules(const char* name) {
    return groups_up_to_8_rules(name, qsi4c32p);
}
constexpr kai_rhs_rules qsi8c32p_rules(const char* name) {
    return groups_up_to_8_rules(name, qsi8c32p);
}

/// For SME: kr is 4, sr 2.
constexpr kai_rhs_rules qsi4c32ps1s0scalef16_rules(const char* name) {
    kai_rhs_rules rules = records_rules(name, qsi4c32ps1s0scalef16);
    set_groups(rules, 2, 8, 2);
    rules.bl_max = 256;
    return rules;
}
constexpr kai_rhs_rules qsi4c32ps4s0sf16_rules(const char* name) {
    kai_rhs_rules rules = records_rules(name, qsi4c32ps4s0sf16);
    rules.kr = 4;
    set_groups(rules, 2, 4, 2);
    rules.bl_max = 256;
    return rules;
}

constexpr kai_rhs_rules qsi8c32pscalef16_rules(const char* name) {
    kai_rhs_rules rules = records_rules(name, qsi8c32pscalef16);
    rules.kr = 4;
    set_groups(rules, 2, 4, 2);
    return rules;
}

}  // namespace
}  // namespace kai

/// Then the template arguments of pack_rhs_records.
#define KAI_RHS_PACK_RECORDS(NAME, FORMAT, ...)                                                                       \
    KAI_RHS_RULES(NAME, FORMAT##_rules)                                                                               \
    KAI_DEFINE_RHS_PACK_GETTERS_BL(NAME)                                                                              \
    KAI_DEFINE_RHS_PACK_STRIDE_BL(NAME)                                                                               \
    void kai_run_##NAME(                                                                                              \
        size_t num_groups, size_t n, size_t k, size_t nr, size_t kr, size_t sr, size_t bl, const uint8_t* rhs,        \
        const float* bias, void* rhs_packed, size_t extra_bytes, const struct kai_rhs_pack_qs4cxs1s0_param* params) { \
        const kai_rhs_call call = {num_groups, n,       k,    nr,      kr, sr,         bl,          rhs,              \
                                   0,          nullptr, bias, nullptr, 0,  rhs_packed, extra_bytes, params};          \
        kai_check_rhs_call(&kai_rules_##NAME, &call);                                                                 \
        kai::pack_rhs_records<kai::FORMAT, __VA_ARGS__>(kai::rhs_pack(call));                                         \
    }

KAI_RHS_PACK_RECORDS(rhs_pack_nxk_qsi4c32pscalef16_qsu4c32s16s0, qsi4c32p, kai::NibblesHalves, 8, kai::PlainRecords)
KAI_RHS_PACK_RECORDS(
    rhs_pack_nxk_qsi4c32ps1s0scalef16_qsu4c32s16s0_neon, qsi4c32ps1s0scalef16, kai::NibblesHalves, 0,
    kai::ZeroPaddedRecords)
KAI_RHS_PACK_RECORDS(
    rhs_pack_nxk_qsi4c32ps4s0sf16_qsu4c32s16s0_neon, qsi4c32ps4s0sf16, kai::NibblesHalves, 8, kai::SixteenthRecords)
KAI_RHS_PACK_RECORDS(rhs_pack_nxk_qsi8c32p_qsi8c32, qsi8c32p, kai::WholeBytes, 0, kai::PlainRecords)
KAI_RHS_PACK_RECORDS(
    rhs_pack_nxk_qsi8c32pscalef16_qsi8c32, qsi8c32pscalef16, kai::WholeBytes, 0, kai::ZeroPaddedRecords)
