// RHS packers of int4 with blocks and the sum of each column: N x K nibbles, an array of bf16 scales.
//
//     qsi4c32pbf16, qsi4c32ps1s0    nibble XOR 8
//     qsi4c32ps4s0sbf16             nibble XOR 8, scale / 16
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/pack/pack_neon_rhs_blocks.hpp"
#include "kai/engines/pack/pack_rhs_sums.hpp"
#include "kai/ukernels/pack/kai_rhs_pack.h"

namespace kai {
namespace {

inline constexpr BlocksKind kSums = {qsi4c32pbf16, Order::even_low, 8, false, false, false, false, true};
inline constexpr BlocksKind kSumsOf32 = {qsi4c32pbf16, Order::even_low, 8};
inline constexpr BlocksKind kSumsOf32S1s0 = {qsi4c32ps1s0, Order::even_low, 8};
inline constexpr BlocksKind kSumsS4s0 = {qsi4c32ps4s0sbf16, Order::even_low, 8, false, true};

}  // namespace
}  // namespace kai

#define KAI_DEFINE_NXK(NAME, KIND, ...) \
    KAI_DEFINE_SUMS(NAME, KIND, kRuns<kai::KIND>, nxk, n_idx* rhs_stride, __VA_ARGS__)

KAI_DEFINE_NXK(rhs_pack_nxk_qsi4c32p_qsu4c32s1s0, kSums, 2, 16)
KAI_DEFINE_NXK(rhs_pack_nxk_qsi4c32pnrx4_qsu4c32s1s0_neon, kSumsOf32, 4, 8, 4)
KAI_DEFINE_NXK(rhs_pack_nxk_qsi4c32pnrx8_qsu4c32s1s0_neon, kSumsOf32, 4, 8, 8)
KAI_DEFINE_NXK(rhs_pack_nxk_qsi4c32ps1s0nrx4_qsu4c32s1s0_neon, kSumsOf32S1s0, 4, 8, 4)
KAI_DEFINE_NXK(rhs_pack_nxk_qsi4c32ps4s0sbf16_qsu4c32s1s0, kSumsS4s0, 4, 4, 4)

void kai_pack_rhs_nxk_s4s0(const kai_rhs_call* call, const char* name) {
    KAI_REFUSE("kai_", name, kai_rhs_call_violation(&kai_rules_rhs_pack_nxk_qsi4c32ps4s0sbf16_qsu4c32s1s0, call));
    kai::pack_checked(kai::kRuns<kai::kSumsS4s0>, *call);
}
