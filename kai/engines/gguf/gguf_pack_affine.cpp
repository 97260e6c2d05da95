// RHS packers of rows of GGUF blocks, N x K, to int4 formats with a zero or a minimum.
//
//     format                  element      after a block
//     qai4c32p                value - 8    f32 zero, f32 scale / 16
//     qai4c32ps1s0nrx4        value        f32 zero, f32 scale
//     qai4c32ps1s0sf16        value        f16 min, f16 scale, each rounded once
//
// where weight = scale * value + min = scale * (value - 8) + zero, zero = RN(8 * scale + min): the products are exact,
// so that the scale is exact and the zero is rounded once.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/gguf/gguf_pack_q4_k.hpp"
#include "kai/engines/gguf/gguf_pack_rows.hpp"

namespace kai {
namespace {

inline constexpr Target to_qai4c32p = {qai4c32p, 8, 0.0625F, false, 0, 2, 0};
inline constexpr Target to_qai4c32ps1s0nrx4 = {qai4c32ps1s0nrx4, 0, 1, false, 8, 0, 4};
inline constexpr Target to_qai4c32ps1s0sf16 = {qai4c32ps1s0sf16, 0, 1, false, 4, 0, 4};

#if defined(__aarch64__)

/// Runs that are in the low and in the high nibbles of the same bytes.
constexpr size_t runs_in_a_byte(const Block& t) {
    return t.low.distance == t.run ? 2 : 1;
}

template <const Target& to, const Block& t>
KAI_INLINE uint8x16_t nibbles_x16(const uint8_t* block, size_t first, size_t /*i*/, bool high_run) {
    constexpr unsigned flip = to.added;
    static_assert(keeps_nibbles(t) && t.bias == 0 && flip % 8 == 0 && t.run == 32);
    const uint8_t* src = block + t.low.byte(first);
    uint8x16_t v = vld1q_u8(src);
    if constexpr (runs_in_a_byte(t) == 2) {
        const uint8x16_t second = vld1q_u8(src + 16);
        v = high_run ? vsriq_n_u8(second, v, 4) : vsliq_n_u8(v, second, 4);
    }
    return flip == 0 ? v : veorq_u8(v, vdupq_n_u8(flip * 0x11));
}

/// The runs from `first` on that share bytes, of four columns, to a format whose bytes hold neighbours.
template <const Target& to, const Block& t, size_t group>
KAI_INLINE void pack_neighbours(const FourColumns& src, size_t first, uint8_t* dst, size_t step, size_t group_step) {
    static_assert(t.run == 32 && (t.bias + to.added) % 16 == 0);
    uint8x16_t low[4], high[4], out[4];
    KAI_UNROLL(4)
    for (size_t c = 0; c < 4; ++c) {
        const uint8x16_t a = vld1q_u8(src.at[c] + t.low.byte(first)), b = vld1q_u8(src.at[c] + t.low.byte(first) + 16);
        const uint8x16_t even = vuzp1q_u8(a, b), odd = vuzp2q_u8(a, b);
        low[c] = vsliq_n_u8(even, odd, 4);
        high[c] = vsriq_n_u8(odd, even, 4);
    }
    interleave<group>(low, out);
    store_groups<group>(out, opaque(dst), group_step);
    interleave<group>(high, out);
    store_groups<group>(out, opaque(dst + step), group_step);
}

template <const Target& to, const Block& t, size_t group>
KAI_INLINE uint8_t* pack_elements(const FourColumns& src, uint8_t* dst, const PanelSteps& s) {
    constexpr size_t together = runs_in_a_byte(t);
    for (size_t first = 0; first < t.weights; first += together * t.run, dst += together * s.block) {
        if constexpr (together == 2 && to.format.nibble_distance == 1) {
            pack_neighbours<to, t, group>(src, first, dst, s.block, s.group);
        } else {
            KAI_UNROLL(2)
            for (size_t high = 0; high < together; ++high) {
                pack_run<to, t, group>(src, first + high * t.run, dst + high * s.block, s.group, high == 1);
            }
        }
    }
    return dst;
}

/// f16 of four columns.
KAI_INLINE float32x4_t load_four_f16(const FourColumns& src, size_t offset) {
    return vcvt_f32_f16(vreinterpret_f16_u64(vcreate_u64(load_four_u16(src, offset))));
}

/// The first of eight bytes of each of four columns in a lane; the other bytes of a lane are beyond all of them.
alignas(16) inline constexpr uint32_t kFirstOfColumns[4] = {0x80808000, 0x80808008, 0x80808010, 0x80808018};

KAI_INLINE uint8x16_t two_columns(uint64_t a, uint64_t b) {
    return vcombine_u8(vcreate_u8(a), vcreate_u8(b));
}

/// Four values, with two bytes between them.
KAI_INLINE void store_every_other(uint8_t* dst, uint16x4_t v) {
    KAI_UNROLL(4)
    for (size_t i = 0; i < 4; ++i) {
        store<uint16_t>(dst + 4 * i, v[i]);
    }
}

/// Zeros (or minima) and scales are after the elements of each run.
template <const Target& to, const Block& t>
KAI_INLINE void pack_fields(const FourColumns& src, uint8_t* dst, const PanelSteps& s) {
    const size_t scales = (to.has_halves() ? 2 : 4) * s.rows;  // after the zeros
    if constexpr (t.scales == Scales::one) {
        const float32x4_t scale = load_four_f16(src, t.d);
        store(dst, vfmaq_n_f32(load_four_f16(src, t.m), scale, 8));
        store(dst + scales, vmulq_n_f32(scale, to.stored_scale));
    } else {
        static_assert(t.scales == Scales::six_bits);
        SixBits bits[4];
        KAI_UNROLL(4)
        for (size_t c = 0; c < 4; ++c) {
            bits[c] = unpack_six_bits(src.at[c] + t.subs);
        }
        const uint8x16x2_t sc = {{two_columns(bits[0].sc, bits[1].sc), two_columns(bits[2].sc, bits[3].sc)}};
        const uint8x16x2_t mn = {{two_columns(bits[0].mn, bits[1].mn), two_columns(bits[2].mn, bits[3].mn)}};
        const float32x4_t d = load_four_f16(src, t.d), m = vnegq_f32(load_four_f16(src, t.m));
        uint8x16_t run = vreinterpretq_u8_u32(vld1q_u32(kFirstOfColumns));
        KAI_UNROLL(8)
        for (size_t j = 0; j < t.weights / t.run; ++j, dst += s.block) {
            const float32x4_t x = vmulq_f32(vcvtq_f32_u32(vreinterpretq_u32_u8(vqtbl2q_u8(sc, run))), d);
            const float32x4_t min = vmulq_f32(vcvtq_f32_u32(vreinterpretq_u32_u8(vqtbl2q_u8(mn, run))), m);
            if constexpr (to.has_halves()) {
                store_every_other(dst, vreinterpret_u16_f16(vcvt_f16_f32(min)));
                store_every_other(dst + scales, vreinterpret_u16_f16(vcvt_f16_f32(x)));
            } else {
                store(dst, vfmaq_n_f32(min, x, 8));
                store(dst + scales, to.stored_scale == 1 ? x : vmulq_n_f32(x, to.stored_scale));
            }
            run = vaddq_u8(run, vdupq_n_u8(1));
        }
    }
}

#endif

}  // namespace
}  // namespace kai

extern "C" {

KAI_DEFINE_GGUF(qai4c32p, Q4_1, q4_1)
KAI_DEFINE_GGUF(qai4c32p, Q4_K, q4_k)
KAI_DEFINE_GGUF(qai4c32ps1s0nrx4, Q4_1, q4_1)
KAI_DEFINE_GGUF(qai4c32ps1s0nrx4, Q4_K, q4_k)
KAI_DEFINE_GGUF(qai4c32ps1s0sf16, Q4_K, q4_k)

void kai_pack_rhs_q4_k(const kai_rhs_call* call, const char* name) {
    const kai_rhs_rules& rules = kai_rules_rhs_pack_nxk_qai4c32ps1s0sf16_ggq4_k;
    KAI_REFUSE("kai_", name, kai_rhs_call_violation(&rules, call));
    kai::pack_checked(rules, kai::kGguf<kai::to_qai4c32ps1s0sf16, kai::Q4_K>, *call);
}

}  // extern "C"
