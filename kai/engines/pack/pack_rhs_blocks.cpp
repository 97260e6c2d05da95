// RHS packers of int4 and int8 with blocks, N x K, from records: a scale, then the elements of a block.
//
//     format                      packed element, scale
//     qsi4c32p                    nibble XOR 8
//     qsi4c32ps1s0scalef16        nibble
//     qsi4c32ps4s0sf16            nibble XOR 8, scale / 16
//     qsi8c32p, qsi8c32pscalef16  byte
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/core/pack_getters.hpp"
#include "kai/engines/pack/pack_neon_rhs_blocks.hpp"
#include "kai/engines/pack/pack_rhs_columns.hpp"
#include "kai/ukernels/pack/kai_rhs_pack.h"

namespace kai {
namespace {

inline constexpr BlocksKind kQsi4 = {qsi4c32p, Order::halves, 8};
inline constexpr BlocksKind kQsi4Scalef16 = {qsi4c32ps1s0scalef16, Order::halves, 0, true};
inline constexpr BlocksKind kQsi4Sf16 = {qsi4c32ps4s0sf16, Order::halves, 8, true, true};
inline constexpr BlocksKind kQsi8 = {qsi8c32p, Order::bytes, 0};
inline constexpr BlocksKind kQsi8Scalef16 = {qsi8c32pscalef16, Order::bytes, 0, true};

/// Checks and packs; missing columns become zero where the kind says so.
template <class Pack>
void check_and_pack_records(const kai_rhs_rules& rules, const BlocksPacker<Pack>& packer, const kai_rhs_call& c) {
    check_and_pack(rules, packer, c);
    if (packer.kind.zeros && c.n % c.nr != 0) {
        zero_missing_columns(packer.kind.format, {c.nr, c.kr, c.sr}, c.n, c.k, c.bl, c.packed);
    }
}

}  // namespace
}  // namespace kai

/// LOOPS: the kind whose loops it has. Then the rules of the shape.
#define KAI_DEFINE_RECORDS(NAME, KIND, LOOPS, RULES, ...)                                                             \
    KAI_RHS_RULES(NAME, RULES, kai::KIND, ##__VA_ARGS__)                                                              \
    KAI_DEFINE_RHS_PACK_GETTERS_BL(NAME)                                                                              \
    KAI_DEFINE_RHS_PACKED_STRIDE(BL, NAME)                                                                            \
    void kai_run_##NAME(                                                                                              \
        size_t num_groups, size_t n, size_t k, size_t nr, size_t kr, size_t sr, size_t bl, const uint8_t* rhs,        \
        const float* bias, void* rhs_packed, size_t extra_bytes, const struct kai_rhs_pack_qs4cxs1s0_param* params) { \
        kai::check_and_pack_records(                                                                                  \
            kai_rules_##NAME, kai::kRuns<kai::KIND, kai::LOOPS>,                                                      \
            {num_groups, n, k, nr, kr, sr, bl, rhs, 0, nullptr, bias, nullptr, 0, rhs_packed, extra_bytes, params});  \
    }

KAI_DEFINE_RECORDS(rhs_pack_nxk_qsi4c32pscalef16_qsu4c32s16s0, kQsi4, kQsi4, up_to_8_rules)
KAI_DEFINE_RECORDS(
    rhs_pack_nxk_qsi4c32ps1s0scalef16_qsu4c32s16s0_neon, kQsi4Scalef16, kQsi4Scalef16, group_rules, 2, 8, 2, 0, 256)
KAI_DEFINE_RECORDS(rhs_pack_nxk_qsi4c32ps4s0sf16_qsu4c32s16s0_neon, kQsi4Sf16, kQsi4Sf16, group_rules, 2, 4, 2, 4, 256)
KAI_DEFINE_RECORDS(rhs_pack_nxk_qsi8c32p_qsi8c32, kQsi8, kQsi8, up_to_8_rules)
KAI_DEFINE_RECORDS(rhs_pack_nxk_qsi8c32pscalef16_qsi8c32, kQsi8Scalef16, kQsi8, group_rules, 2, 4, 2, 4)
