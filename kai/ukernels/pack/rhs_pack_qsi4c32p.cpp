// RHS packers of formats qsi4c32p, qsi4c32ps1s0scalef16 and qsi4c32ps4s0sf16: int4, an f16 scale per block of a column.
//
//     qsi4c32p:              packed nibble = source nibble XOR 8
//     qsi4c32ps1s0scalef16:  packed nibble = source nibble
//     qsi4c32ps4s0sf16:      packed nibble = source nibble XOR 8, packed scale = scale / 16
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/src/pack_getters.hpp"
#include "kai/src/pack_rhs_blocks_neon.hpp"
#include "kai/ukernels/pack/kai_rhs_pack.h"

namespace kai {
namespace {

KAI_INLINE void check_records_pack(
    [[maybe_unused]] size_t num_groups, [[maybe_unused]] const RhsPack& p, [[maybe_unused]] const float* bias,
    [[maybe_unused]] size_t extra_bytes, [[maybe_unused]] const struct kai_rhs_pack_qs4cxs1s0_param* params) {
    KAI_ASSERT_MSG(num_groups == 1, "num_groups must be 1");
    KAI_ASSERT_MSG(p.bl % 32 == 0 && p.bl % p.tile.kr == 0, "bl must be a multiple of 32 and of kr");
    KAI_ASSERT_MSG(p.k % p.bl == 0, "k must be a multiple of bl");
    KAI_ASSERT_MSG(bias == nullptr, "this format has no bias");
    KAI_ASSERT_MSG(extra_bytes == 0, "extra_bytes must be 0");
    KAI_ASSERT_MSG(
        params != nullptr && params->lhs_zero_point == 1 && params->rhs_zero_point == 8,
        "params must be the zero points 1 and 8");
}

struct Qsi4c32p {
    KAI_INLINE static void run(const RhsPack& p) {
        KAI_ASSERT_MSG(
            p.tile.kr >= 2 && p.tile.kr <= 16 && p.tile.kr % 2 == 0 && p.tile.sr == 2,
            "kr must be even and 2 to 16, sr must be 2");
        pack_rhs_records<qsi4c32p, NibblesHalves, 8, PlainRecords>(p);
    }
};

/// The packers for SME.
template <const Format& format, unsigned flip, class Records>
struct Qsi4c32pSme {
    KAI_INLINE static void run(const RhsPack& p) {
        KAI_ASSERT_MSG(p.tile.kr == 4 && p.tile.sr == 2, "kr must be 4, sr must be 2");
        KAI_ASSERT_MSG(p.bl <= 256, "bl must be at most 256");
        pack_rhs_records<format, NibblesHalves, flip, Records>(p);
    }
};

}  // namespace
}  // namespace kai

#define KAI_RHS_PACK_QSI4C32(NAME, FORMAT, ...)                                                                       \
    KAI_DEFINE_RHS_PACK_GETTERS_BL(NAME, FORMAT)                                                                      \
    KAI_DEFINE_RHS_PACK_STRIDE_BL(NAME, FORMAT)                                                                       \
    void kai_run_##NAME(                                                                                              \
        size_t num_groups, size_t n, size_t k, size_t nr, size_t kr, size_t sr, size_t bl, const uint8_t* rhs,        \
        const float* bias, void* rhs_packed, size_t extra_bytes, const struct kai_rhs_pack_qs4cxs1s0_param* params) { \
        KAI_ASSERT_MSG(nr > 0 && kr > 0 && bl > 0, "nr, kr and bl must not be 0");                                    \
        const kai::RhsPack pack{n, k, bl, {nr, kr, sr}, rhs, rhs_packed};                                             \
        kai::check_records_pack(num_groups, pack, bias, extra_bytes, params);                                         \
        kai::__VA_ARGS__::run(pack);                                                                                  \
    }

KAI_RHS_PACK_QSI4C32(rhs_pack_nxk_qsi4c32pscalef16_qsu4c32s16s0, qsi4c32p, Qsi4c32p)
KAI_RHS_PACK_QSI4C32(
    rhs_pack_nxk_qsi4c32ps1s0scalef16_qsu4c32s16s0_neon, qsi4c32ps1s0scalef16,
    Qsi4c32pSme<kai::qsi4c32ps1s0scalef16, 0, kai::ZeroPaddedRecords>)
KAI_RHS_PACK_QSI4C32(
    rhs_pack_nxk_qsi4c32ps4s0sf16_qsu4c32s16s0_neon, qsi4c32ps4s0sf16,
    Qsi4c32pSme<kai::qsi4c32ps4s0sf16, 8, kai::SixteenthRecords>)
