// RHS packers of formats qsu2cxp4x4 and qsu2cxp4vlx4: 2-bit indices of a table of four weights; a sum of the weights, a
// scale and a bias per column.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/src/pack_getters.hpp"
#include "kai/src/pack_rhs_channels_neon.hpp"
#include "kai/ukernels/pack/kai_rhs_pack.h"

namespace kai {
namespace {

template <const Format& format, class Missing>
KAI_INLINE void pack_qsu2cxp(
    const RhsChannels& p, [[maybe_unused]] const struct kai_rhs_pack_qs4cxs1s0_param* params, const int32_t* table) {
    check_channels(p);
    KAI_ASSERT_MSG(
        params != nullptr && params->lhs_zero_point == 1 && params->rhs_zero_point == 2,
        "params must be the zero points 1 and 2");
    KAI_ASSERT_MSG(p.tile.kr == 4 * p.tile.sr, "kr / sr must be 4");
    KAI_ASSERT_MSG(p.k % 32 == 0, "k must be a multiple of 32");
    pack_rhs_channels<format, LinesOfK<2>, Missing>(p, WeightsTable{table == nullptr ? kDefaultTable : table});
}

KAI_INLINE void pack_qsu2cxp4x4(
    const RhsChannels& p, const struct kai_rhs_pack_qs4cxs1s0_param* params, const int32_t* table) {
    KAI_ASSERT_MSG(p.tile.rows == 4, "nr must be 4");
    pack_qsu2cxp<qsu2cxp4x4, MissingIndexTwo>(p, params, table);
}

KAI_INLINE void pack_qsu2cxp4vlx4(
    const RhsChannels& p, const struct kai_rhs_pack_qs4cxs1s0_param* params, const int32_t* table) {
    pack_qsu2cxp<qsu2cxp4vlx4, MissingRepeatLastWeights>(p, params, table);
}

}  // namespace
}  // namespace kai

#define KAI_RHS_PACK_QSU2CX(NAME, FORMAT)                                                                            \
    KAI_DEFINE_RHS_PACK_GETTERS_CX(NAME, FORMAT, n_idx* rhs_stride)                                                  \
    void kai_run_##NAME(                                                                                             \
        [[maybe_unused]] size_t num_groups, size_t n, size_t k, size_t nr, size_t kr, size_t sr, const uint8_t* rhs, \
        const float* bias, const float* scale, void* rhs_packed, [[maybe_unused]] size_t extra_bytes,                \
        const struct kai_rhs_pack_qs4cxs1s0_param* params, const int32_t* lut_arg) {                                 \
        KAI_ASSERT_MSG(num_groups == 1 && extra_bytes == 0, "num_groups must be 1, extra_bytes 0");                  \
        kai::pack_##FORMAT(                                                                                          \
            {n, k, {nr, kr, sr}, rhs, kai::bytes(scale), kai::bytes(bias), rhs_packed}, params, lut_arg);            \
    }

KAI_RHS_PACK_QSU2CX(rhs_pack_nxk_qsu2cxp4x4bf32sf32_qsu2cx_neon, qsu2cxp4x4)
KAI_RHS_PACK_QSU2CX(rhs_pack_nxk_qsu2cxp4vlx4_qsu2cx_neon, qsu2cxp4vlx4)
