// RHS packers of formats qai4c32p and qai4c32ps1s0nrx4: int4, a zero and a scale per block of a column, a bias per
// column.
//
//     qai4c32p:          packed nibble = source nibble XOR 8, packed scale = scale / 16
//     qai4c32ps1s0nrx4:  packed nibble = source nibble
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/src/pack_getters.hpp"
#include "kai/src/pack_rhs_blocks_neon.hpp"
#include "kai/ukernels/pack/kai_rhs_pack.h"

namespace kai {
namespace {

KAI_INLINE void check_arrays_pack(
    [[maybe_unused]] size_t num_groups, [[maybe_unused]] const RhsPack& p, [[maybe_unused]] size_t extra_bytes,
    [[maybe_unused]] const struct kai_rhs_pack_qs4cxs1s0_param* params) {
    KAI_ASSERT_MSG(num_groups == 1, "num_groups must be 1");
    KAI_ASSERT_MSG(p.bl % 32 == 0, "bl must be a multiple of 32");
    KAI_ASSERT_MSG(p.k % p.bl == 0, "k must be a multiple of bl");
    KAI_ASSERT_MSG(extra_bytes == 0, "extra_bytes must be 0");
    KAI_ASSERT_MSG(
        params != nullptr && params->lhs_zero_point == 1 && params->rhs_zero_point == 8,
        "params must be the zero points 1 and 8");
}

struct Qai4c32p {
    KAI_INLINE static void run(const RhsPack& p, const RhsArrays& arrays) {
        KAI_ASSERT_MSG(
            p.tile.kr >= 2 && p.tile.kr <= 16 && p.tile.kr % 2 == 0 && p.tile.sr == 2,
            "kr must be even and 2 to 16, sr must be 2");
        KAI_ASSERT_MSG(p.bl % p.tile.kr == 0, "bl must be a multiple of kr");
        pack_rhs_arrays<qai4c32p, NibblesEvenHigh, 8, SixteenthArrays>(p, arrays);
    }
};

/// The two packers of this format differ in the order of the nibbles in the source.
template <class Nibbles>
struct Qai4c32ps1s0nrx4 {
    KAI_INLINE static void run(const RhsPack& p, const RhsArrays& arrays) {
        KAI_ASSERT_MSG(p.tile.rows % 4 == 0, "nr must be a multiple of 4");
        KAI_ASSERT_MSG(p.tile.kr == 8 && p.tile.sr == 2, "kr must be 8, sr must be 2");
        pack_rhs_arrays<qai4c32ps1s0nrx4, Nibbles, 0, PlainArrays>(p, arrays);
    }
};

}  // namespace
}  // namespace kai

#define KAI_RHS_PACK_QAI4C32(NAME, FORMAT, PACKER)                                                             \
    KAI_DEFINE_RHS_PACK_GETTERS_BL(NAME, FORMAT)                                                               \
    void kai_run_##NAME(                                                                                       \
        size_t num_groups, size_t n, size_t k, size_t nr, size_t kr, size_t sr, size_t bl, const uint8_t* rhs, \
        const void* zero, const void* bias, const void* scale, void* rhs_packed, size_t extra_bytes,           \
        const struct kai_rhs_pack_qs4cxs1s0_param* params) {                                                   \
        KAI_ASSERT_MSG(nr > 0 && bl > 0, "nr and bl must not be 0");                                           \
        const kai::RhsPack pack{n, k, bl, {nr, kr, sr}, rhs, rhs_packed};                                      \
        kai::check_arrays_pack(num_groups, pack, extra_bytes, params);                                         \
        kai::PACKER::run(pack, {kai::bytes(zero), kai::bytes(scale), kai::bytes(bias)});                       \
    }

KAI_RHS_PACK_QAI4C32(rhs_pack_nxk_qai4c32p_qau4c32s0s1_f32_f32_f32_neon, qai4c32p, Qai4c32p)
KAI_RHS_PACK_QAI4C32(
    rhs_pack_nxk_qai4c32ps1s0nrx4_qau4c32s0s1_f32_f32_f32_neon, qai4c32ps1s0nrx4,
    Qai4c32ps1s0nrx4<kai::NibblesEvenHigh>)
KAI_RHS_PACK_QAI4C32(
    rhs_pack_nxk_qai4c32ps1s0nrx4_qau4c32s1s0_f32_f32_f32_neon, qai4c32ps1s0nrx4, Qai4c32ps1s0nrx4<kai::NibblesEvenLow>)
