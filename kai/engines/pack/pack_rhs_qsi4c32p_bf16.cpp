// RHS packers of formats qsi4c32pbf16 and qsi4c32ps1s0: signed int4, a bf16 scale per block of a column, a sum and a
// bias per column.
//
//     packed nibble = source nibble XOR 8
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/pack/pack_getters.hpp"
#include "kai/engines/pack/pack_neon_rhs_sums.hpp"
#include "kai/ukernels/pack/kai_rhs_pack.h"

namespace kai {
namespace {

constexpr kai_rhs_rules sums_rules(const char* name, const Format& format, bool kxn) {
    kai_rhs_rules rules = rhs_rules(name, format, true);
    rules.nr_multiple = 4;
    rules.stride_bits = 4;
    rules.kxn = kxn;
    rules.bias = rules.scale = rules.block_scales = true;
    rules.params = KAI_RHS_PARAMS_1_8_BF16;
    return rules;
}

/// kr / sr that the packer takes: 1 or 2 to 16, or
constexpr kai_rhs_rules any_group_rules(const char* name, const Format& format, bool kxn) {
    kai_rhs_rules rules = sums_rules(name, format, kxn);
    set_groups(rules, kxn ? 1 : 2, 16);
    return rules;
}

/// exactly one.
template <uint8_t group>
constexpr kai_rhs_rules one_group_rules(const char* name, const Format& format, bool kxn) {
    kai_rhs_rules rules = sums_rules(name, format, kxn);
    set_groups(rules, 4, 8, group);
    return rules;
}

}  // namespace
}  // namespace kai

/// ORDER: nxk or kxn. Then N x K: whether the groups of sums are those of the panel; K x N: whether missing columns are
/// zero.
#define KAI_RHS_PACK_QSI4C32_BF16(NAME, FORMAT, ORDER, IS_KXN, RHS_OFFSET, RULES, ...)                               \
    KAI_RHS_RULES(NAME, RULES, kai::FORMAT, IS_KXN)                                                                  \
    KAI_DEFINE_RHS_PACK_GETTERS_BL_BF16(NAME, RHS_OFFSET)                                                            \
    void kai_run_##NAME(                                                                                             \
        size_t num_groups, size_t n, size_t k, size_t nr, size_t kr, size_t sr, size_t bl, const uint8_t* rhs,       \
        size_t rhs_stride, const float* bias, const void* scale, size_t scale_stride, void* rhs_packed,              \
        size_t extra_bytes, const struct kai_rhs_pack_##ORDER##_qsi4c32p_qsu4c32s1s0_params* params) {               \
        const kai_rhs_call call = {num_groups, n,       k,    nr,    kr,           sr,         bl,          rhs,     \
                                   rhs_stride, nullptr, bias, scale, scale_stride, rhs_packed, extra_bytes, params}; \
        kai_check_rhs_call(&kai_rules_##NAME, &call);                                                                \
        kai::pack_rhs_sums_##ORDER<kai::FORMAT, __VA_ARGS__>(                                                        \
            kai::rhs_pack(call), {rhs_stride, kai::bytes(scale), scale_stride, kai::bytes(bias)});                   \
    }

#define KAI_RHS_PACK_NXK(NAME, FORMAT, RULES, ...) \
    KAI_RHS_PACK_QSI4C32_BF16(NAME, FORMAT, nxk, false, n_idx* rhs_stride, RULES, __VA_ARGS__)
#define KAI_RHS_PACK_KXN(NAME, FORMAT, RULES, ...) \
    KAI_RHS_PACK_QSI4C32_BF16(                     \
        NAME, FORMAT, kxn, true, kai_rhs_nibble_offset(n_idx, &kai_rules_##NAME), RULES, __VA_ARGS__)

KAI_RHS_PACK_NXK(rhs_pack_nxk_qsi4c32p_qsu4c32s1s0, qsi4c32pbf16, any_group_rules, true)
KAI_RHS_PACK_NXK(rhs_pack_nxk_qsi4c32pnrx4_qsu4c32s1s0_neon, qsi4c32pbf16, one_group_rules<4>, false)
KAI_RHS_PACK_NXK(rhs_pack_nxk_qsi4c32pnrx8_qsu4c32s1s0_neon, qsi4c32pbf16, one_group_rules<8>, false)
KAI_RHS_PACK_NXK(rhs_pack_nxk_qsi4c32ps1s0nrx4_qsu4c32s1s0_neon, qsi4c32ps1s0, one_group_rules<4>, false)
KAI_RHS_PACK_KXN(rhs_pack_kxn_qsi4c32p_qsu4c32s1s0, qsi4c32pbf16, any_group_rules, false)
KAI_RHS_PACK_KXN(rhs_pack_kxn_qsi4c32ps1s0nrx4_qsu4c32s1s0_neon, qsi4c32ps1s0, one_group_rules<4>, true)
