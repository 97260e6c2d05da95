// RHS packers of rows of Q4_K, Q5_K and IQ4_XS blocks as super-blocks, N x K: each column is a row of the file.
//
// The quants are the bytes of the file, those of 4 columns interleaved by groups. Fields of 4 and 6 bits become bytes.
//
// NEON: 16 bytes of 4 columns at a time (ZIP), ST4 for the sub-scales.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/gguf/gguf.hpp"
#include "kai/engines/pack/pack_getters.hpp"
#include "kai/engines/pack/pack_neon_interleave.hpp"
#include "kai/engines/pack/pack_rhs_rules.hpp"
#include "kai/ukernels/pack/kai_rhs_pack.h"

namespace kai {
namespace {

constexpr size_t kColumns = 4;  // of a panel

constexpr kai_rhs_rules super_block_rules(const char* name, const Format& format, const Block& t) {
    kai_rhs_rules rules = rhs_rules(name, format, true);
    rules.bl = static_cast<uint16_t>(format.block);
    rules.source_weights = static_cast<uint16_t>(t.weights);
    rules.source_bytes = static_cast<uint16_t>(t.bytes);
    rules.nr = kColumns;
    rules.sr = 2;
    rules.kr_multiple = 8;
    rules.kr_max = 16;
    return rules;
}

/// A super-block of the columns of a panel in the file.
struct Columns {
    const uint8_t* at[kColumns];
};

/// 64 bits of each column.
struct Words {
    uint64_t of[kColumns];
};

/// Nibble j of x in byte j.
[[maybe_unused]] KAI_INLINE uint64_t spread_nibbles(uint64_t x) {
    x = (x | x << 16) & 0x0000FFFF0000FFFF;
    x = (x | x << 8) & 0x00FF00FF00FF00FF;
    return (x | x << 4) & 0x0F0F0F0F0F0F0F0F;
}

/// Bits 2j + 1 and 2j of x in byte j.
[[maybe_unused]] KAI_INLINE uint64_t spread_pairs(uint64_t x) {
    x = (x | x << 24) & 0x000000FF000000FF;
    x = (x | x << 12) & 0x000F000F000F000F;
    return (x | x << 6) & 0x0303030303030303;
}

/// The scales of IQ4_XS: six bits each, less 32.
[[maybe_unused]] KAI_INLINE uint64_t signed_scales(const uint8_t* subs) {
    const uint64_t flipped =
        (spread_nibbles(load<uint32_t>(subs + 2)) | spread_pairs(load<uint16_t>(subs)) << 4) ^ 0x2020202020202020;
    const uint64_t sign = flipped & 0x2020202020202020;
    return flipped | sign << 1 | sign << 2;
}

/// 8 bytes of each column: byte j of all columns, then byte j + 1.
KAI_INLINE void put_rows(const Words& words, uint8_t* dst) {
#if defined(__aarch64__)
    const uint8x8x4_t v = {
        {vcreate_u8(words.of[0]), vcreate_u8(words.of[1]), vcreate_u8(words.of[2]), vcreate_u8(words.of[3])}};
    vst4_u8(dst, v);
#else
    for (size_t j = 0; j < 8 * kColumns; ++j) {
        dst[j] = static_cast<uint8_t>(words.of[j % kColumns] >> j / kColumns * 8);
    }
#endif
}

/// 8 bytes of each column in groups.
template <size_t group>
KAI_INLINE void put_words(const Words& words, uint8_t* dst) {
    for (size_t c = 0; c < kColumns; ++c) {
        if constexpr (group == 8) {
            store(dst + 8 * c, words.of[c]);
        } else {
            store(dst + 4 * c, static_cast<uint32_t>(words.of[c]));
            store(dst + 4 * kColumns + 4 * c, static_cast<uint32_t>(words.of[c] >> 32));
        }
    }
}

/// Two bytes of each column.
KAI_INLINE void put_halves(const Columns& src, size_t offset, uint8_t* dst) {
    for (size_t c = 0; c < kColumns; ++c) {
        store(dst + 2 * c, load<uint16_t>(src.at[c] + offset));
    }
}

/// `count` bytes of each column in groups. Returns the end.
template <size_t group>
KAI_INLINE uint8_t* put_groups(const Columns& src, size_t offset, size_t count, uint8_t* dst) {
#if defined(__aarch64__)
    for (size_t j = 0; j < count; j += 16) {
        uint8x16_t v[4], out[4];
        KAI_UNROLL(4)
        for (size_t c = 0; c < kColumns; ++c) {
            v[c] = vld1q_u8(src.at[c] + offset + j);
        }
        interleave<group>(v, out);
        dst = store_groups<group>(out, dst, group * kColumns);
    }
#else
    for (size_t j = 0; j < count; j += group) {
        for (size_t c = 0; c < kColumns; ++c, dst += group) {
            __builtin_memcpy(dst, src.at[c] + offset + j, group);
        }
    }
#endif
    return dst;
}

template <const Format& format, const Block& t, size_t group>
KAI_INLINE uint8_t* pack_super_block(const Columns& src, uint8_t* dst) {
    put_halves(src, t.d, dst);
    dst += 2 * kColumns;
    Words scales;
    if constexpr (t.scales == Scales::six_bits) {
        put_halves(src, t.m, dst);
        Words minima;
        for (size_t c = 0; c < kColumns; ++c) {
            const SixBits bits = unpack_six_bits(src.at[c] + t.subs);
            scales.of[c] = bits.sc;
            minima.of[c] = bits.mn;
        }
        put_words<group>(minima, dst + 2 * kColumns);
        dst += 10 * kColumns;
    } else {
        static_assert(t.scales == Scales::high_low);
        for (size_t c = 0; c < kColumns; ++c) {
            scales.of[c] = signed_scales(src.at[c] + t.subs);
        }
    }
    put_rows(scales, dst);
    dst += 8 * kColumns;
    if constexpr (t.high.bits != 0) {
        dst = put_groups<group>(src, t.high.offset, t.weights / 8, dst);
    }
    return put_groups<group>(src, t.low.offset, t.weights / 2, dst);
}

struct SuperBlockRows {
    size_t n, blocks;
    const uint8_t* rhs;
    size_t rhs_stride;
    uint8_t* packed;
};

/// Columns that the last panel lacks repeat column n - 1.
template <const Format& format, const Block& t, size_t group>
void pack_super_blocks(const SuperBlockRows& rows) {
    const SuperBlockRows p = rows;  // a copy that no store can change
    uint8_t* dst = p.packed;
    for (size_t n0 = 0; n0 < p.n; n0 += kColumns) {
        Columns src;
        for (size_t c = 0; c < kColumns; ++c) {
            src.at[c] = p.rhs + (n0 + c < p.n ? n0 + c : p.n - 1) * p.rhs_stride;
        }
        if constexpr (format.panel_head != 0) {
            static_assert(format.panel_head * kColumns == 16);
            __builtin_memcpy(dst, t.table, 16);
            dst += 16;
        }
        for (size_t b = 0; b < p.blocks; ++b) {
            dst = pack_super_block<format, t, group>(src, dst);
            for (const uint8_t*& column : src.at) {
                column += t.bytes;
            }
        }
    }
}

template <const Format& format, const Block& t>
void check_and_pack(const kai_rhs_rules& rules, const kai_rhs_call& c) {
    kai_check_rhs_call(&rules, &c);
    const SuperBlockRows rows = {c.n, c.k / t.weights, bytes(c.rhs), c.rhs_stride, bytes(c.packed)};
    (c.kr == 16 ? pack_super_blocks<format, t, 8> : pack_super_blocks<format, t, 4>)(rows);
}

}  // namespace
}  // namespace kai

#define KAI_DEFINE_GGUF(FORMAT, TYPE, SUFFIX)                                                                         \
    KAI_RHS_RULES(rhs_pack_nxk_##FORMAT##_gg##SUFFIX, super_block_rules, kai::FORMAT, kai::TYPE)                      \
    KAI_DEFINE_RHS_PACK_GETTERS_CX(rhs_pack_nxk_##FORMAT##_gg##SUFFIX, n_idx* rhs_stride)                             \
    void kai_run_rhs_pack_nxk_##FORMAT##_gg##SUFFIX(                                                                  \
        size_t num_groups, size_t n, size_t k, size_t nr, size_t kr, size_t sr, const void* rhs, size_t rhs_stride,   \
        void* rhs_packed, size_t extra_bytes, const void* params) {                                                   \
        kai::check_and_pack<kai::FORMAT, kai::TYPE>(                                                                  \
            kai_rules_rhs_pack_nxk_##FORMAT##_gg##SUFFIX, {num_groups, n, k, nr, kr, sr, 0, rhs, rhs_stride, nullptr, \
                                                           nullptr, nullptr, 0, rhs_packed, extra_bytes, params});    \
    }

extern "C" {

KAI_DEFINE_GGUF(qau4c32x256p, Q4_K, q4_k)
KAI_DEFINE_GGUF(qau5c32x256p, Q5_K, q5_k)

}  // extern "C"
