// RHS packers of formats qsi4cxp and qsi4cxps1s0: signed int4, a sum, a scale and a bias per column.
//
//     qsi4cxp:      packed sum = 16 * sum, packed scale = scale / 16; elements i and i + 16 in a byte
//     qsi4cxps1s0:  sum and scale as they are; elements i and i + 1 in a byte
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/src/pack_getters.hpp"
#include "kai/src/pack_rhs_channels_neon.hpp"
#include "kai/ukernels/pack/kai_rhs_pack.h"

namespace kai {
namespace {

/// The weights that params describe.
template <unsigned times>
KAI_INLINE WeightsInt4<times> weights_int4(const struct kai_rhs_pack_qs4cxs1s0_param* params) {
    KAI_ASSERT_MSG(
        params != nullptr && params->lhs_zero_point == 1 &&
            (params->rhs_zero_point == 0 || params->rhs_zero_point == 8),
        "params must be the zero points 1 and 0 or 8");
    return {static_cast<uint8_t>(params->rhs_zero_point == 0 ? 0 : 0x88)};
}

template <class Source, class Missing>
KAI_INLINE void pack_qsi4cxp(const RhsChannels& p, const struct kai_rhs_pack_qs4cxs1s0_param* params) {
    check_channels(p);
    KAI_ASSERT_MSG(
        qsi4cxp.padded(p.tile, p.k) / 2 % qsi4cxp.group_size(p.tile) == 0,
        "kr / sr must divide half of k rounded up to 32");
    pack_rhs_channels<qsi4cxp, Source, Missing>(p, weights_int4<16>(params));
}

KAI_INLINE void pack_qsi4cxps1s0(const RhsChannels& p, const struct kai_rhs_pack_qs4cxs1s0_param* params) {
    check_channels(p);
    KAI_ASSERT_MSG(
        p.tile.kr % 2 == 0 && qsi4cxps1s0.padded(p.tile, p.k) % p.tile.kr == 0,
        "kr must be even and divide k rounded up to 32");
    pack_rhs_channels<qsi4cxps1s0, LinesOfK<4>, MissingZero>(p, weights_int4<1>(params));
}

}  // namespace
}  // namespace kai

#define KAI_RHS_PACK_QSI4CX(NAME, FORMAT, OFFSET, ...)                                                               \
    KAI_DEFINE_RHS_PACK_GETTERS_CX(NAME, FORMAT, OFFSET)                                                             \
    void kai_run_##NAME(                                                                                             \
        [[maybe_unused]] size_t num_groups, size_t n, size_t k, size_t nr, size_t kr, size_t sr, const uint8_t* rhs, \
        const float* bias, const float* scale, void* rhs_packed, [[maybe_unused]] size_t extra_bytes,                \
        const struct kai_rhs_pack_qs4cxs1s0_param* params) {                                                         \
        KAI_ASSERT_MSG(num_groups == 1 && extra_bytes == 0, "num_groups must be 1, extra_bytes 0");                  \
        __VA_ARGS__({n, k, {nr, kr, sr}, rhs, kai::bytes(scale), kai::bytes(bias), rhs_packed}, params);             \
    }

KAI_RHS_PACK_QSI4CX(
    rhs_pack_nxk_qsi4cxp_qs4cxs1s0, qsi4cxp, n_idx* rhs_stride,
    kai::pack_qsi4cxp<kai::LinesOfK<4>, kai::MissingRepeatLast>)
KAI_RHS_PACK_QSI4CX(
    rhs_pack_kxn_qsi4cxp_qs4cxs1s0, qsi4cxp, kai::nibble_offset(n_idx),
    kai::pack_qsi4cxp<kai::LinesOfN<4>, kai::MissingRepeatLastByte>)
KAI_RHS_PACK_QSI4CX(rhs_pack_nxk_qsi4cxps1s0_qsu4cxs1s0_neon, qsi4cxps1s0, n_idx* rhs_stride, kai::pack_qsi4cxps1s0)
