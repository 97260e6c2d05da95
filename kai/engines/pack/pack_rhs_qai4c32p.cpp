// RHS packers of formats qai4c32p and qai4c32ps1s0nrx4: int4, a zero and a scale per block of a column, a bias per
// column.
//
//     qai4c32p:          packed nibble = source nibble XOR 8, packed scale = scale / 16
//     qai4c32ps1s0nrx4:  packed nibble = source nibble
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/pack/pack_getters.hpp"
#include "kai/engines/pack/pack_neon_rhs_blocks.hpp"
#include "kai/ukernels/pack/kai_rhs_pack.h"

namespace kai {
namespace {

constexpr kai_rhs_rules arrays_rules(const char* name, const Format& format) {
    kai_rhs_rules rules = rhs_rules(name, format, true);
    rules.bias = rules.scale = rules.zero = true;
    rules.params = KAI_RHS_PARAMS_1_8;
    return rules;
}

constexpr kai_rhs_rules qai4c32p_rules(const char* name) {
    kai_rhs_rules rules = arrays_rules(name, qai4c32p);
    rules.sr = 2;
    rules.kr_multiple = 2;
    rules.kr_max = 16;
    return rules;
}

/// For kernels with kr 8 and sr 2.
constexpr kai_rhs_rules qai4c32ps1s0nrx4_rules(const char* name) {
    kai_rhs_rules rules = arrays_rules(name, qai4c32ps1s0nrx4);
    rules.nr_multiple = 4;
    set_groups(rules, 4, 8, 4);
    return rules;
}

}  // namespace
}  // namespace kai

/// Then the template arguments of pack_rhs_arrays.
#define KAI_RHS_PACK_QAI4C32(NAME, FORMAT, ...)                                                                \
    KAI_RHS_RULES(NAME, FORMAT##_rules)                                                                        \
    KAI_DEFINE_RHS_PACK_GETTERS_BL(NAME)                                                                       \
    void kai_run_##NAME(                                                                                       \
        size_t num_groups, size_t n, size_t k, size_t nr, size_t kr, size_t sr, size_t bl, const uint8_t* rhs, \
        const void* zero, const void* bias, const void* scale, void* rhs_packed, size_t extra_bytes,           \
        const struct kai_rhs_pack_qs4cxs1s0_param* params) {                                                   \
        const kai_rhs_call call = {num_groups, n,    k,    nr,    kr, sr,         bl,          rhs,            \
                                   0,          zero, bias, scale, 0,  rhs_packed, extra_bytes, params};        \
        kai_check_rhs_call(&kai_rules_##NAME, &call);                                                          \
        kai::pack_rhs_arrays<kai::FORMAT, __VA_ARGS__>(                                                        \
            kai::rhs_pack(call), {kai::bytes(zero), kai::bytes(scale), kai::bytes(bias)});                     \
    }

KAI_RHS_PACK_QAI4C32(
    rhs_pack_nxk_qai4c32p_qau4c32s0s1_f32_f32_f32_neon, qai4c32p, kai::NibblesEvenHigh, 8, kai::SixteenthArrays)
KAI_RHS_PACK_QAI4C32(
    rhs_pack_nxk_qai4c32ps1s0nrx4_qau4c32s0s1_f32_f32_f32_neon, qai4c32ps1s0nrx4, kai::NibblesEvenHigh, 0,
    kai::PlainArrays)
KAI_RHS_PACK_QAI4C32(
    rhs_pack_nxk_qai4c32ps1s0nrx4_qau4c32s1s0_f32_f32_f32_neon, qai4c32ps1s0nrx4, kai::NibblesEvenLow, 0,
    kai::PlainArrays)
