// RHS packers of rows of GGUF blocks, N x K, to int8 formats.
//
//     format              element    before a block
//     qsi8c32p            value      f16 d, unchanged
//     qsi8c32pscalef16    value      f16 d, unchanged
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/gguf/gguf_neon.hpp"
#include "kai/engines/gguf/gguf_pack_rows.hpp"

namespace kai {
namespace {

inline constexpr Target to_qsi8c32p = {qsi8c32p, 0, 1, false, 0, 2, 0};
inline constexpr Target to_qsi8c32pscalef16 = {qsi8c32pscalef16, 0, 1, true, 4, 0, 0};

#if defined(__aarch64__)

template <const Target& to, const Block& t>
KAI_INLINE void pack_fields(const FourColumns& src, uint8_t* dst, const PanelSteps&) {
    static_assert(t.scales == Scales::one);
    store(dst, load_four_u16(src, t.d));
}

template <const Target& to, const Block& t, size_t group>
KAI_INLINE uint8_t* pack_elements(const FourColumns& src, uint8_t* dst, const PanelSteps& s) {
    static_assert(t.weights == 32 && t.run == 32);
    int8x16_t values[4][2];
    KAI_UNROLL(4)
    for (size_t c = 0; c < 4; ++c) {
        values_x32<t>(src.at[c], 0, values[c]);
    }
    uint8_t* to_half = dst;
    KAI_UNROLL(2)
    for (size_t half = 0; half < 2; ++half) {
        uint8x16_t v[4], out[4];
        KAI_UNROLL(4)
        for (size_t c = 0; c < 4; ++c) {
            v[c] = vreinterpretq_u8_s8(values[c][half]);
        }
        interleave<group>(v, out);
        to_half = store_groups<group>(out, opaque(to_half), s.group);
    }
    return dst + s.block;
}

#endif

}  // namespace
}  // namespace kai

extern "C" {

KAI_DEFINE_GGUF(qsi8c32p, Q8_0, q8_0)
KAI_DEFINE_GGUF(qsi8c32p, Q5_0, q5_0)
KAI_DEFINE_GGUF(qsi8c32pscalef16, Q8_0, q8_0)
KAI_DEFINE_GGUF(qsi8c32pscalef16, Q5_0, q5_0)

}  // extern "C"
