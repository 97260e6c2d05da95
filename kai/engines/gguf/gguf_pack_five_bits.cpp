// RHS packer of rows of GGUF blocks, N x K, to qau5c32p: lossless. Each column is a row of the file.
//
//     block of four columns     | 80 bytes of elements (five_bits.hpp) | 4 x f16 minimum | 4 x f16 scale |
//
// NEON: 16 values of four columns at a time (ZIP).
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/core/five_bits.hpp"
#include "kai/engines/core/pack_getters.hpp"
#include "kai/engines/core/pack_rhs_rules.hpp"
#include "kai/engines/gguf/gguf_neon.hpp"
#include "kai/engines/pack/pack_neon_interleave.hpp"
#include "kai/ukernels/pack/kai_rhs_pack.h"

namespace kai {
namespace {

constexpr size_t kColumns = 4;

constexpr kai_rhs_rules five_bits_rules(const char* name, const Format& format, const Block& t) {
    kai_rhs_rules rules = rhs_rules(name, format, true);
    rules.bl = static_cast<uint16_t>(packed_bl(t));
    rules.source_weights = static_cast<uint16_t>(t.weights);
    rules.source_bytes = static_cast<uint16_t>(t.bytes);
    rules.nr = kColumns;
    rules.sr = 2;
    rules.kr_multiple = 8;
    rules.kr_max = 16;
    return rules;
}

/// Values of four columns, whose block is `at` bytes from src, in groups.
template <const Block& t, size_t group>
KAI_INLINE void interleave_values(const uint8_t* const src[kColumns], size_t at, Five::Bytes v[Five::kVectors]) {
#if defined(__aarch64__)
    uint8x16_t values[2][kColumns], out[Five::kVectors];
    KAI_UNROLL(4)
    for (size_t c = 0; c < kColumns; ++c) {
        int8x16_t both[2];
        values_x32<t>(src[c] + at, 0, both);
        values[0][c] = vreinterpretq_u8_s8(both[0]);
        values[1][c] = vreinterpretq_u8_s8(both[1]);
    }
    interleave<group>(values[0], out);
    interleave<group>(values[1], out + 4);
    __builtin_memcpy(v, out, sizeof(out));
#else
    uint8_t out[Five::kVectors * Five::kVector];
    for (size_t c = 0; c < kColumns; ++c) {
        for (size_t i = 0; i < Five::kBlock; ++i) {
            out[Five::at(group, c, i)] = static_cast<uint8_t>(value_of(t, src[c] + at, i));
        }
    }
    __builtin_memcpy(v, out, sizeof(out));
#endif
}

/// Missing columns of the last panel repeat column n - 1.
template <const Format& format, const Block& t, size_t group>
[[gnu::noinline]] void pack_panels(const kai_rhs_call& call) {
    static_assert(t.weights == Five::kBlock && packed_bl(t) == t.weights && t.bias == 0 && t.m != 0);
    const kai_rhs_call c = call;  // a local copy: stores cannot alias it
    uint8_t* dst = bytes(c.packed);
    for (size_t first = 0; first < c.n; first += kColumns) {
        const uint8_t* src[kColumns];
        for (size_t i = 0; i < kColumns; ++i) {
            src[i] = bytes(c.rhs, (first + i < c.n ? first + i : c.n - 1) * c.rhs_stride);
        }
        for (size_t b = 0; b < c.k / t.weights; ++b, dst += format.block_bytes({kColumns, 0, 0}, t.weights)) {
            const size_t at = b * t.bytes;
            Five::Bytes v[Five::kVectors], s[Five::kStored];
            interleave_values<t, group>(src, at, v);
            Five::encode(v, s);
            __builtin_memcpy(dst, s, sizeof(s));
            for (size_t i = 0; i < kColumns; ++i) {
                store(dst + Five::kQuad + 2 * i, load<uint16_t>(src[i] + at + t.m));
                store(dst + Five::kQuad + 2 * (kColumns + i), load<uint16_t>(src[i] + at + t.d));
            }
        }
    }
}

template <const Format& format, const Block& t>
void check_and_pack(const kai_rhs_rules& rules, const kai_rhs_call& c) {
    kai_check_rhs_call(&rules, &c);
    (c.kr == 16 ? pack_panels<format, t, 8> : pack_panels<format, t, 4>)(c);
}

}  // namespace
}  // namespace kai

extern "C" {

KAI_RHS_RULES(rhs_pack_nxk_qau5c32p_ggq5_1, five_bits_rules, kai::qau5c32p, kai::Q5_1)
KAI_DEFINE_RHS_PACK_GETTERS_CX(rhs_pack_nxk_qau5c32p_ggq5_1, n_idx* rhs_stride)
KAI_RUN_RHS_PACK_NXK_GGUF(rhs_pack_nxk_qau5c32p_ggq5_1) {
    kai::check_and_pack<kai::qau5c32p, kai::Q5_1>(
        kai_rules_rhs_pack_nxk_qau5c32p_ggq5_1, {num_groups, n, k, nr, kr, sr, 0, rhs, rhs_stride, nullptr, nullptr,
                                                 nullptr, 0, rhs_packed, extra_bytes, params});
}

}  // extern "C"
