// RHS packers of int4 with blocks, N x K, from nibbles and arrays of f32 zeros and scales.
//
//     qai4c32p            nibble XOR 8, scale / 16
//     qai4c32ps1s0nrx4    nibble
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/core/pack_getters.hpp"
#include "kai/engines/pack/pack_neon_rhs_blocks.hpp"
#include "kai/ukernels/pack/kai_rhs_pack.h"

namespace kai {
namespace {

inline constexpr BlocksKind kQai4 = {qai4c32p, Order::even_high, 8, false, true};
inline constexpr BlocksKind kQai4Nrx4S0s1 = {qai4c32ps1s0nrx4, Order::even_high, 0, false, false, true};
inline constexpr BlocksKind kQai4Nrx4S1s0 = {qai4c32ps1s0nrx4, Order::even_low, 0, false, false, true};

}  // namespace
}  // namespace kai

#define KAI_DEFINE_ARRAYS(NAME, KIND, RULES, ...)                                                               \
    KAI_RHS_RULES(NAME, RULES, kai::KIND, ##__VA_ARGS__)                                                        \
    KAI_DEFINE_RHS_PACK_GETTERS_BL(NAME)                                                                        \
    void kai_run_##NAME(                                                                                        \
        size_t num_groups, size_t n, size_t k, size_t nr, size_t kr, size_t sr, size_t bl, const uint8_t* rhs,  \
        const void* zero, const void* bias, const void* scale, void* rhs_packed, size_t extra_bytes,            \
        const struct kai_rhs_pack_qs4cxs1s0_param* params) {                                                    \
        kai::check_and_pack(                                                                                    \
            kai_rules_##NAME, kai::kRuns<kai::KIND>,                                                            \
            {num_groups, n, k, nr, kr, sr, bl, rhs, 0, zero, bias, scale, 0, rhs_packed, extra_bytes, params}); \
    }

KAI_DEFINE_ARRAYS(rhs_pack_nxk_qai4c32p_qau4c32s0s1_f32_f32_f32_neon, kQai4, up_to_8_rules)
KAI_DEFINE_ARRAYS(rhs_pack_nxk_qai4c32ps1s0nrx4_qau4c32s0s1_f32_f32_f32_neon, kQai4Nrx4S0s1, group_rules, 4, 8, 4)
KAI_DEFINE_ARRAYS(rhs_pack_nxk_qai4c32ps1s0nrx4_qau4c32s1s0_f32_f32_f32_neon, kQai4Nrx4S1s0, group_rules, 4, 8, 4)
