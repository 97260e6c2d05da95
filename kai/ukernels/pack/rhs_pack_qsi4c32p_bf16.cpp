// RHS packers of formats qsi4c32pbf16 and qsi4c32ps1s0: signed int4, a bf16 scale per block of a column, a sum and a
// bias per column.
//
//     packed nibble = source nibble XOR 8
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/src/pack_getters.hpp"
#include "kai/src/pack_rhs_sums_neon.hpp"
#include "kai/ukernels/pack/kai_rhs_pack.h"

namespace kai {
namespace {

/// kr / sr that a packer takes: exactly one value, or (0) the divisors of 16 from `smallest` on.
template <size_t exactly, size_t smallest>
KAI_INLINE void check_group([[maybe_unused]] Tile t) {
    KAI_ASSERT_MSG(t.sr > 0 && t.kr % t.sr == 0, "kr must be a multiple of sr");
    [[maybe_unused]] const size_t group = t.kr / t.sr;
    if constexpr (exactly != 0) {
        KAI_ASSERT_MSG(group == exactly, "this packer is for one kr / sr: 4 (nrx4) or 8 (nrx8)");
    } else {
        KAI_ASSERT_MSG(group >= smallest && group <= 16 && 16 % group == 0, "kr / sr must divide 16; N x K: be even");
    }
}

/// What all of them ask for. Params: one of the two types with these members.
template <typename Params>
KAI_INLINE void check_sums_pack(
    [[maybe_unused]] size_t num_groups, [[maybe_unused]] const RhsPack& p, [[maybe_unused]] size_t extra_bytes,
    [[maybe_unused]] const Params* params) {
    KAI_ASSERT_MSG(num_groups == 1, "num_groups must be 1");
    KAI_ASSERT_MSG(p.tile.rows % 4 == 0, "nr must be a multiple of 4");
    KAI_ASSERT_MSG(p.bl % 32 == 0 && p.bl % p.tile.kr == 0, "bl must be a multiple of 32 and of kr");
    KAI_ASSERT_MSG(p.k % p.bl == 0, "k must be a multiple of bl");
    KAI_ASSERT_MSG(extra_bytes == 0, "extra_bytes must be 0");
    KAI_ASSERT_MSG(
        params != nullptr && params->lhs_zero_point == 1 && params->rhs_zero_point == 8,
        "params must be the zero points 1 and 8");
    KAI_ASSERT_MSG(params->scale_dt == kai_dt_bf16, "scale_dt must be kai_dt_bf16");
}

}  // namespace
}  // namespace kai

/// ORDER: nxk or kxn. GROUP, SMALLEST: see check_group. Then the template arguments of pack_rhs_sums_<order>.
#define KAI_RHS_PACK_QSI4C32_BF16(NAME, FORMAT, ORDER, RHS_OFFSET, GROUP, SMALLEST, ...)                       \
    KAI_DEFINE_RHS_PACK_GETTERS_BL_BF16(NAME, FORMAT, RHS_OFFSET)                                              \
    void kai_run_##NAME(                                                                                       \
        size_t num_groups, size_t n, size_t k, size_t nr, size_t kr, size_t sr, size_t bl, const uint8_t* rhs, \
        size_t rhs_stride, const float* bias, const void* scale, size_t scale_stride, void* rhs_packed,        \
        size_t extra_bytes, const struct kai_rhs_pack_##ORDER##_qsi4c32p_qsu4c32s1s0_params* params) {         \
        KAI_ASSERT_MSG(nr > 0 && kr > 0 && bl > 0, "nr, kr and bl must not be 0");                             \
        const kai::RhsPack pack{n, k, bl, {nr, kr, sr}, rhs, rhs_packed};                                      \
        kai::check_sums_pack(num_groups, pack, extra_bytes, params);                                           \
        kai::check_group<GROUP, SMALLEST>(pack.tile);                                                          \
        kai::pack_rhs_sums_##ORDER<kai::FORMAT, kai::__VA_ARGS__>(                                             \
            pack, {rhs_stride, kai::bytes(scale), scale_stride, kai::bytes(bias)});                            \
    }

#define KAI_RHS_PACK_NXK(NAME, FORMAT, GROUP, SMALLEST, ...) \
    KAI_RHS_PACK_QSI4C32_BF16(NAME, FORMAT, nxk, n_idx* rhs_stride, GROUP, SMALLEST, __VA_ARGS__)
#define KAI_RHS_PACK_KXN(NAME, FORMAT, GROUP, SMALLEST, ...) \
    KAI_RHS_PACK_QSI4C32_BF16(NAME, FORMAT, kxn, n_idx / 2, GROUP, SMALLEST, __VA_ARGS__)

KAI_RHS_PACK_NXK(rhs_pack_nxk_qsi4c32p_qsu4c32s1s0, qsi4c32pbf16, 0, 2, PackedGroups)
KAI_RHS_PACK_NXK(rhs_pack_nxk_qsi4c32pnrx4_qsu4c32s1s0_neon, qsi4c32pbf16, 4, 1, GroupsOf32)
KAI_RHS_PACK_NXK(rhs_pack_nxk_qsi4c32pnrx8_qsu4c32s1s0_neon, qsi4c32pbf16, 8, 1, GroupsOf32)
KAI_RHS_PACK_NXK(rhs_pack_nxk_qsi4c32ps1s0nrx4_qsu4c32s1s0_neon, qsi4c32ps1s0, 4, 1, GroupsOf32)
KAI_RHS_PACK_KXN(rhs_pack_kxn_qsi4c32p_qsu4c32s1s0, qsi4c32pbf16, 0, 1, SourceKxN<false>)
KAI_RHS_PACK_KXN(rhs_pack_kxn_qsi4c32ps1s0nrx4_qsu4c32s1s0_neon, qsi4c32ps1s0, 4, 1, SourceKxN<true>)
