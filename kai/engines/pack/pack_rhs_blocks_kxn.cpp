// RHS packers of int4 with blocks and the sum of each column: K x N nibbles, an array of bf16 scales.
//
//     qsi4c32pbf16, qsi4c32ps1s0    nibble XOR 8
//     qsi4c32ps4s0sbf16             nibble XOR 8, scale / 16
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/pack/pack_neon_rhs_strips.hpp"
#include "kai/engines/pack/pack_rhs_sums.hpp"
#include "kai/ukernels/pack/kai_rhs_pack.h"

namespace kai {
namespace {

inline constexpr BlocksKind kSumsKxn = {qsi4c32pbf16, Order::even_low, 8, false, false, false, true, true};
inline constexpr BlocksKind kSumsKxnS1s0 = {qsi4c32ps1s0, Order::even_low, 8, true, false, false, true, true};
inline constexpr BlocksKind kSumsKxnS4s0 = {
    qsi4c32ps4s0sbf16, Order::even_low, 8, false, true, false, true, false, true};

}  // namespace
}  // namespace kai

#define KAI_DEFINE_KXN(NAME, KIND, ...) \
    KAI_DEFINE_SUMS(NAME, KIND, kStrips<kai::KIND>, kxn, kai_rhs_nibble_offset(n_idx, &kai_rules_##NAME), __VA_ARGS__)

KAI_DEFINE_KXN(rhs_pack_kxn_qsi4c32p_qsu4c32s1s0, kSumsKxn, 1, 16)
KAI_DEFINE_KXN(rhs_pack_kxn_qsi4c32ps1s0nrx4_qsu4c32s1s0_neon, kSumsKxnS1s0, 4, 8, 4)
KAI_DEFINE_KXN(rhs_pack_kxn_qsi4c32ps4s0sbf16_qsu4c32s1s0, kSumsKxnS4s0, 4, 4, 4)

void kai_pack_rhs_kxn_s4s0(const kai_rhs_call* call, const char* name) {
    KAI_REFUSE("kai_", name, kai_rhs_call_violation(&kai_rules_rhs_pack_kxn_qsi4c32ps4s0sbf16_qsu4c32s1s0, call));
    kai::pack_checked(kai::kStrips<kai::kSumsKxnS4s0>, *call);
}
