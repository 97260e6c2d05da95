// RHS packers of format qsi8cxp: int8, a sum, a scale and a bias per column.
//
//     packed sum = params->lhs_zero_point * sum
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/src/pack_getters.hpp"
#include "kai/src/pack_rhs_channels_neon.hpp"
#include "kai/ukernels/pack/kai_rhs_pack.h"

namespace kai {
namespace {

template <class Source>
KAI_INLINE void pack_qsi8cxp(const RhsChannels& p, const struct kai_rhs_pack_qsi8cx_params* params) {
    check_channels(p);
    KAI_ASSERT_MSG(params != nullptr, "params must not be NULL");
    KAI_ASSERT_MSG(
        p.tile.sr == 1 && qsi8cxp.padded(p.tile, p.k) % p.tile.kr == 0,
        "sr must be 1, kr must divide k rounded up to 32");
    pack_rhs_channels<qsi8cxp, Source, MissingRepeatLast>(
        p, WeightsInt8{static_cast<uint32_t>(params->lhs_zero_point)});
}

}  // namespace
}  // namespace kai

#define KAI_RHS_PACK_QSI8CX(NAME, OFFSET, ...)                                                                       \
    KAI_DEFINE_RHS_PACK_GETTERS_CX(NAME, qsi8cxp, OFFSET)                                                            \
    void kai_run_##NAME(                                                                                             \
        [[maybe_unused]] size_t num_groups, size_t n, size_t k, size_t nr, size_t kr, size_t sr, const int8_t* rhs,  \
        const float* bias, const float* scale, void* rhs_packed, [[maybe_unused]] size_t extra_bytes,                \
        const struct kai_rhs_pack_qsi8cx_params* params) {                                                           \
        KAI_ASSERT_MSG(num_groups == 1 && extra_bytes == 0, "num_groups must be 1, extra_bytes 0");                  \
        __VA_ARGS__({n, k, {nr, kr, sr}, kai::bytes(rhs), kai::bytes(scale), kai::bytes(bias), rhs_packed}, params); \
    }

KAI_RHS_PACK_QSI8CX(rhs_pack_nxk_qsi8cxp_qsi8cx_neon, n_idx* rhs_stride, kai::pack_qsi8cxp<kai::LinesOfK<8>>)
KAI_RHS_PACK_QSI8CX(rhs_pack_kxn_qsi8cxp_qsi8cx_neon, n_idx, kai::pack_qsi8cxp<kai::LinesOfN<8>>)
