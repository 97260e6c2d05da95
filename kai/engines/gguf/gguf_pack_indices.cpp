// RHS packers of rows of GGUF blocks, N x K, to formats of indices of a table.
//
//     format                   element    before a block
//     qlu4c32p                 index      f16 d, unchanged
//     qlu4c32ps1s0scalef16     index      f16 d, unchanged
//     qlu4c32pscalebf16        index      bf16 scale: a power of two
//     qlu4c32ps1s0scalebf16    index      bf16 scale: a power of two
//     qlu4c16p                 index      f16 scales of both halves: 4 significant bits
//     qlu4c16ps1s0scalef16     index      f16 scales of both halves: 4 significant bits
//
// Rows of IQ4_NL with a table of the caller's own are packed like those of IQ4_NL.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/gguf/gguf_pack_rows.hpp"

namespace kai {
namespace {

inline constexpr Target to_qlu4c32p = {qlu4c32p, 0, 1, false, 0, 2, 4};
inline constexpr Target to_qlu4c32pscalebf16 = {qlu4c32pscalebf16, 0, 1, false, 0, 2, 4};
inline constexpr Target to_qlu4c32ps1s0scalef16 = {qlu4c32ps1s0scalef16, 0, 1, false, 4, 0, 4};
inline constexpr Target to_qlu4c32ps1s0scalebf16 = {qlu4c32ps1s0scalebf16, 0, 1, false, 4, 0, 4};
inline constexpr Target to_qlu4c16p = {qlu4c16p, 0, 1, false, 0, 2, 4};
inline constexpr Target to_qlu4c16ps1s0scalef16 = {qlu4c16ps1s0scalef16, 0, 1, false, 4, 0, 4};

/// The rules of a packer with a table in the call.
constexpr kai_rhs_rules table_rules(const char* name, const Target& to) {
    kai_rhs_rules rules = gguf_rules(name, to, IQ4_NL);
    rules.table = true;
    return rules;
}

#if defined(__aarch64__)

template <const Target& to, const Block& t>
KAI_INLINE uint8x16_t nibbles_x16(const uint8_t* block, size_t first, size_t /*i*/, bool /*high_run*/) {
    static_assert(keeps_indices(t) && t.bias == 0 && to.added == 0);
    if constexpr (t.low.distance == 8) {  // two runs of 16, each with its halves in the nibbles of 8 bytes
        const uint8x8_t a = vld1_u8(block + t.low.byte(first)), b = vld1_u8(block + t.low.byte(first + 16));
        return vcombine_u8(vsli_n_u8(a, b, 4), vsri_n_u8(b, a, 4));
    } else {
        static_assert(t.run == 32);
        return vld1q_u8(block + t.low.byte(first));
    }
}

template <const Target& to, const Block& t, size_t group>
KAI_INLINE uint8_t* pack_elements(const FourColumns& src, uint8_t* dst, const PanelSteps& s) {
    constexpr size_t bl = packed_bl(t);
    for (size_t first = 0; first < t.weights; first += bl, dst += s.block) {
        pack_run<to, t, group>(src, first, dst, s.group);
    }
    return dst;
}

/// Scales of four columns: those of packed block b of a block, `part_step` bytes from part to part.
template <const Target& to, const Block& t>
KAI_INLINE void pack_scales(const FourColumns& src, size_t b, uint8_t* dst, size_t part_step) {
    if constexpr (t.scales == Scales::one) {
        store(dst, load_four_u16(src, t.d));
    } else {
        constexpr size_t parts = packed_bl(t) / t.run;
        KAI_UNROLL(2)
        for (size_t part = 0; part < parts; ++part, dst += part_step) {
            uint64_t bytes = 0;
            KAI_UNROLL(4)
            for (size_t c = 0; c < 4; ++c) {
                bytes |= uint64_t{src.at[c][t.subs + b * parts + part]} << (16 * c);
            }
            const uint16x4_t s = vcreate_u16(bytes);
            if constexpr (t.scales == Scales::e8m0) {
                // Exponent e - 1; of 0 and 1, subnormal numbers.
                const uint16x4_t usual = vshl_n_u16(vqsub_u16(s, vdup_n_u16(1)), 7);
                store(dst, vmax_u16(vmax_u16(usual, vshl_n_u16(s, 6)), vdup_n_u16(0x20)));
            } else {
                static_assert(t.scales == Scales::ue4m3);
                // As bits of f16, of which subnormal numbers are the same multiples, they are 2^7 too small.
                const uint16x4_t bits = vbic_u16(vshl_n_u16(s, 7), vdup_n_u16(0x4000));
                const float32x4_t x = vmulq_n_f32(vcvt_f32_f16(vreinterpret_f16_u16(bits)), 128);
                const uint16x4_t none = vceq_u16(s, vdup_n_u16(0x7F));
                store(dst, vbic_u16(vreinterpret_u16_f16(vcvt_f16_f32(x)), none));
            }
        }
    }
}

template <const Target& to, const Block& t>
KAI_INLINE void pack_fields(const FourColumns& src, uint8_t* dst, const PanelSteps& s) {
    constexpr size_t per = t.weights / packed_bl(t);
    KAI_UNROLL(2)
    for (size_t b = 0; b < per; ++b) {
        pack_scales<to, t>(src, b, dst + b * s.field, 2 * s.rows);
    }
}

#endif

}  // namespace
}  // namespace kai

#define KAI_DEFINE_TABLE(FORMAT)                                                                                      \
    KAI_RHS_RULES(rhs_pack_nxk_##FORMAT##_qlu4c32s16s0, table_rules, kai::to_##FORMAT)                                \
    KAI_DEFINE_RHS_PACK_GETTERS_CX(rhs_pack_nxk_##FORMAT##_qlu4c32s16s0, n_idx* rhs_stride)                           \
    void kai_run_rhs_pack_nxk_##FORMAT##_qlu4c32s16s0(                                                                \
        size_t num_groups, size_t n, size_t k, size_t nr, size_t kr, size_t sr, const void* rhs, size_t rhs_stride,   \
        const int8_t* table, void* rhs_packed, size_t extra_bytes, const void* params) {                              \
        kai::check_and_pack(                                                                                          \
            kai_rules_rhs_pack_nxk_##FORMAT##_qlu4c32s16s0, kai::kGguf<kai::to_##FORMAT, kai::IQ4_NL>,                \
            {num_groups, n, k, nr, kr, sr, 0, rhs, rhs_stride, nullptr, nullptr, nullptr, 0, rhs_packed, extra_bytes, \
             params, table});                                                                                         \
    }

extern "C" {

KAI_DEFINE_GGUF(qlu4c32p, IQ4_NL, iq4_nl)
KAI_DEFINE_GGUF(qlu4c32pscalebf16, MXFP4, mxfp4)
KAI_DEFINE_GGUF(qlu4c16p, NVFP4, nvfp4)
KAI_DEFINE_GGUF(qlu4c32ps1s0scalef16, IQ4_NL, iq4_nl)
KAI_DEFINE_GGUF(qlu4c32ps1s0scalebf16, MXFP4, mxfp4)
KAI_DEFINE_GGUF(qlu4c16ps1s0scalef16, NVFP4, nvfp4)
KAI_DEFINE_TABLE(qlu4c32p)
KAI_DEFINE_TABLE(qlu4c32ps1s0scalef16)

}  // extern "C"
