// RHS packers of rows of GGUF blocks, N x K, to int4 formats with a scale.
//
//     format                  element      before a block
//     qsi4c32p                value        f16 d, unchanged
//     qsi4c32ps1s0scalef16    value + 8    f16 d, unchanged
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/gguf/gguf_neon.hpp"
#include "kai/engines/gguf/gguf_pack_rows.hpp"

namespace kai {
namespace {

inline constexpr Target to_qsi4c32p = {qsi4c32p, 0, 1, false, 0, 2, 0};
inline constexpr Target to_qsi4c32ps1s0scalef16 = {qsi4c32ps1s0scalef16, 8, 1, true, 4, 0, 0};

#if defined(__aarch64__)

template <const Target& to, const Block& t>
KAI_INLINE uint8x16_t nibbles_x16(const uint8_t* block, size_t first, size_t i, bool /*high_run*/) {
    if constexpr (keeps_nibbles(t)) {
        constexpr unsigned flip = (static_cast<unsigned>(t.bias) + to.added) & 15U;
        static_assert(flip % 8 == 0 && t.run == 32);
        const uint8x16_t v = vld1q_u8(block + t.low.byte(first));
        return flip == 0 ? v : veorq_u8(v, vdupq_n_u8(flip * 0x11));
    } else {
        const int8x16_t added = vdupq_n_s8(to.added);
        const int8x16_t low = vaddq_s8(values_x16<t>(block, first + i), added);
        const int8x16_t high = vaddq_s8(values_x16<t>(block, first + t.run / 2 + i), added);
        return vsliq_n_u8(vreinterpretq_u8_s8(low), vreinterpretq_u8_s8(high), 4);
    }
}

template <const Target& to, const Block& t>
KAI_INLINE void pack_fields(const FourColumns& src, uint8_t* dst, const PanelSteps&) {
    static_assert(t.scales == Scales::one);
    store(dst, load_four_u16(src, t.d));
}

template <const Target& to, const Block& t, size_t group>
KAI_INLINE uint8_t* pack_elements(const FourColumns& src, uint8_t* dst, const PanelSteps& s) {
    static_assert(t.run == t.weights);
    pack_run<to, t, group>(src, 0, dst, s.group);
    return dst + s.block;
}

#endif

}  // namespace
}  // namespace kai

extern "C" {

KAI_DEFINE_GGUF(qsi4c32p, Q4_0, q4_0)
KAI_DEFINE_GGUF(qsi4c32p, TQ1_0, tq1_0)
KAI_DEFINE_GGUF(qsi4c32p, TQ2_0, tq2_0)
KAI_DEFINE_GGUF(qsi4c32p, Q1_0, q1_0)
KAI_DEFINE_GGUF(qsi4c32p, Q2_0, q2_0)
KAI_DEFINE_GGUF(qsi4c32ps1s0scalef16, Q4_0, q4_0)
KAI_DEFINE_GGUF(qsi4c32ps1s0scalef16, TQ1_0, tq1_0)
KAI_DEFINE_GGUF(qsi4c32ps1s0scalef16, TQ2_0, tq2_0)
KAI_DEFINE_GGUF(qsi4c32ps1s0scalef16, Q1_0, q1_0)
KAI_DEFINE_GGUF(qsi4c32ps1s0scalef16, Q2_0, q2_0)

}  // extern "C"
