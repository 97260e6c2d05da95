// RHS packers of rows of GGUF super-blocks, N x K, to formats that keep their scales of sub-blocks: lossless. Each
// column is a row of the file.
//
// Nibbles, some of them indices, and fifth bits are the bytes of the file, those of 4 columns interleaved by groups;
// values of six bits, or pairs of three, become three bytes for four weights (superblocks.hpp). Sub-scales of 6 bits
// become bytes.
//
// NEON: 16 bytes of 4 columns at a time (ZIP), ST4 for the sub-scales.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/gguf/gguf_neon.hpp"
#include "kai/engines/core/pack_getters.hpp"
#include "kai/engines/pack/pack_neon_interleave.hpp"
#include "kai/engines/core/pack_rhs_rules.hpp"
#include "kai/engines/superblocks/superblocks.hpp"
#include "kai/ukernels/pack/kai_rhs_pack.h"

namespace kai {
namespace {

constexpr size_t kColumns = 4;  // at a time

/// Panels of any multiple of 4 columns, not only of 4.
constexpr bool has_wide_panels(const Format& format) {
    return format.bits == 6 || format.wide_planes || format.nibble_distance == 1 || has_minima(format);
}

/// kr: the only one; 0: 8 or 16.
constexpr kai_rhs_rules superblock_rules(const char* name, const Format& format, const Block& t, uint8_t kr) {
    kai_rhs_rules rules = rhs_rules(name, format, true);
    rules.bl = static_cast<uint16_t>(format.block);
    rules.source_weights = static_cast<uint16_t>(t.weights);
    rules.source_bytes = static_cast<uint16_t>(t.bytes);
    (has_wide_panels(format) ? rules.nr_multiple : rules.nr) = kColumns;
    rules.sr = 2;
    rules.kr = kr;
    rules.kr_multiple = kr == 0 ? 8 : 0;
    rules.kr_max = kr == 0 ? 16 : 0;
    return rules;
}

/// A super-block of four columns in the file.
struct Columns {
    const uint8_t* at[kColumns];
};

/// 64 bits of each column.
struct Words {
    uint64_t of[kColumns];
};

/// 8 bytes of each column: byte j of all columns, `step` bytes from one to the next.
KAI_INLINE void put_rows(const Words& words, uint8_t* dst, size_t step = kColumns) {
    uint8_t rows[8][kColumns];
#if defined(__aarch64__)
    const uint8x8x4_t v = {
        {vcreate_u8(words.of[0]), vcreate_u8(words.of[1]), vcreate_u8(words.of[2]), vcreate_u8(words.of[3])}};
    vst4_u8(step == kColumns ? dst : rows[0], v);
#else
    for (size_t j = 0; j < 8 * kColumns; ++j) {
        (step == kColumns ? dst : rows[0])[j] = static_cast<uint8_t>(words.of[j % kColumns] >> j / kColumns * 8);
    }
#endif
    for (size_t j = 0; step != kColumns && j < 8; ++j) {
        store(dst + j * step, load<uint32_t>(rows[j]));
    }
}

/// 8 bytes of each column in groups, `step` bytes from one group of a column to the next.
template <size_t group>
KAI_INLINE void put_words(const Words& words, uint8_t* dst, size_t step) {
    for (size_t c = 0; c < kColumns; ++c) {
        if constexpr (group == 8) {
            store(dst + 8 * c, words.of[c]);
        } else {
            store(dst + 4 * c, static_cast<uint32_t>(words.of[c]));
            store(dst + step + 4 * c, static_cast<uint32_t>(words.of[c] >> 32));
        }
    }
}

/// Two bytes of each column.
KAI_INLINE void put_halves(const Columns& src, size_t offset, uint8_t* dst) {
    for (size_t c = 0; c < kColumns; ++c) {
        store(dst + 2 * c, load<uint16_t>(src.at[c] + offset));
    }
}

/// `count` bytes of each column in groups, `step` bytes from one group of a column to the next. Returns where the next
/// group would be.
template <size_t group>
KAI_INLINE uint8_t* put_groups(
    const Columns& src, size_t offset, size_t count, uint8_t* dst, size_t step = group * kColumns) {
#if defined(__aarch64__)
    for (size_t j = 0; j < count; j += 16) {
        uint8x16_t v[4], out[4];
        KAI_UNROLL(4)
        for (size_t c = 0; c < kColumns; ++c) {
            v[c] = vld1q_u8(src.at[c] + offset + j);
        }
        interleave<group>(v, out);
        dst = store_groups<group>(out, dst, step);
    }
#else
    for (size_t j = 0; j < count; j += group, dst += step) {
        for (size_t c = 0; c < kColumns; ++c) {
            __builtin_memcpy(dst + group * c, src.at[c] + offset + j, group);
        }
    }
#endif
    return dst;
}

/// The scales of sub-blocks of 16, an int8 each.
template <const Block& t>
KAI_INLINE void load_subs(const uint8_t* block, uint8_t subs[Six::kSubs]) {
    if constexpr (t.scales == Scales::int8) {
        __builtin_memcpy(subs, block + t.subs, Six::kSubs);
    } else {
        static_assert(t.scales == Scales::split);
        store(subs, unpack_split(block + t.subs, 0));
        store(subs + 8, unpack_split(block + t.subs, 1));
    }
}

/// How many sub-blocks are stored as one of six bits.
constexpr size_t subs_of_six(const Format& format) {
    return format.bits == 3 ? 2 : 1;
}

#if defined(__aarch64__)
/// Bytes whose lower six bits are stored for sub-block j.
template <const Format& format, const Block& t>
KAI_INLINE uint8x16_t six_bits_x16(const uint8_t* block, size_t j) {
    const uint8x16_t first = vreinterpretq_u8_s8(values_x16<t>(block, Six::kSub * j));
    if constexpr (subs_of_six(format) == 1) {
        return first;
    } else {
        const uint8x16_t second = vreinterpretq_u8_s8(values_x16<t>(block, Six::kSub * (j + 1)));
        return vsliq_n_u8(second, first, 3);
    }
}
#else
/// The same, of weight i: six bits.
template <const Format& format, const Block& t>
KAI_INLINE uint8_t six_bits_of(const uint8_t* block, size_t i) {
    const int first = value_of(t, block, i);
    const int bits = subs_of_six(format) == 1 ? first : first * 8 | (value_of(t, block, i + Six::kSub) & 7);
    return static_cast<uint8_t>(bits & 63);
}
#endif

/// A super-block of four columns whose values are packed to six bits, from column c of the panel on.
template <const Format& format, const Block& t, size_t group>
KAI_INLINE void pack_six(const Columns& src, uint8_t* dst, size_t nr, size_t c, size_t plane) {
    uint8_t subs[4][Six::kSubs], scales[Six::kSubs][4];
    KAI_UNROLL(4)
    for (size_t i = 0; i < 4; ++i) {
        store(dst + 2 * (c + i), load<uint16_t>(src.at[i] + t.d));
        load_subs<t>(src.at[i], subs[i]);
    }
#if defined(__aarch64__)
    const uint8x16x4_t v = {{vld1q_u8(subs[0]), vld1q_u8(subs[1]), vld1q_u8(subs[2]), vld1q_u8(subs[3])}};
    vst4q_u8(scales[0], v);
#else
    for (size_t j = 0; j < Six::kSubs; ++j) {
        for (size_t i = 0; i < 4; ++i) {
            scales[j][i] = subs[i][j];
        }
    }
#endif
    uint8_t* elements = dst + format.block_head * nr;
    constexpr size_t subs_of_step = subs_of_six(format);
    for (size_t j = 0; j < Six::kSubs; j += subs_of_step) {
        for (size_t i = j; i < j + subs_of_step; ++i) {
            store(dst + scale_of_sub(nr, i, c), load<uint32_t>(scales[i]));
        }
        uint8_t* const quad = elements + Six::quad(nr, j / subs_of_step, c, plane);
#if defined(__aarch64__)
        uint8x16_t v[4], out[4];
        KAI_UNROLL(4)
        for (int i = 0; i < 4; ++i) {
            v[i] = six_bits_x16<format, t>(src.at[i], j);
        }
        interleave<group>(v, out);
        vst1q_u8(quad, vsliq_n_u8(vshrq_n_u8(out[3], 4), out[0], 2));
        vst1q_u8(quad + plane, vsliq_n_u8(vshrq_n_u8(out[3], 2), out[1], 2));
        vst1q_u8(quad + 2 * plane, vsliq_n_u8(out[3], out[2], 2));
#else
        uint8_t vectors[4][Six::kVector];
        for (size_t i = 0; i < 4; ++i) {
            for (size_t kk = 0; kk < Six::kSub; ++kk) {
                const Six::At at = Six::at(group, i, kk);
                vectors[at.vector][at.lane] = six_bits_of<format, t>(src.at[i], Six::kSub * j + kk);
            }
        }
        for (size_t lane = 0; lane < Six::kVector; ++lane) {
            const unsigned last = vectors[3][lane];
            for (unsigned i = 0; i < 3; ++i) {
                quad[i * plane + lane] = static_cast<uint8_t>(vectors[i][lane] << 2 | (last >> (4 - 2 * i) & 3));
            }
        }
#endif
    }
}

/// A super-block whose quants keep the bytes of the file, from column c of the panel on.
template <const Format& format, const Block& t, size_t group>
KAI_INLINE void pack_bytes(const Columns& src, uint8_t* dst, size_t nr, size_t c) {
    const size_t step = group * nr;
    put_halves(src, t.d, dst + 2 * c);
    Words scales;
    if constexpr (t.scales == Scales::high_low) {
        for (size_t i = 0; i < kColumns; ++i) {
            scales.of[i] = unpack_high_low(src.at[i] + t.subs);
        }
    } else {
        static_assert(t.scales == Scales::six_bits);
        put_halves(src, t.m, dst + 2 * nr + 2 * c);
        Words minima;
        for (size_t i = 0; i < kColumns; ++i) {
            const SixBits bits = unpack_six_bits(src.at[i] + t.subs);
            scales.of[i] = bits.sc;
            minima.of[i] = bits.mn;
        }
        put_words<group>(minima, dst + 4 * nr + group * c, step);
    }
    uint8_t* const scales_at = dst + (format.block_head - 8) * nr + c;
    // Or the compiler counts back from the end, farther than STP reaches.
    dst = opaque(dst + format.block_head * nr + group * c);
    put_rows(scales, scales_at, nr);
    if constexpr (t.high.bits != 0) {
        dst = put_groups<group>(src, t.high.offset, t.weights / 8, dst, step);
    }
    put_groups<group>(src, t.low.offset, t.weights / 2, dst, step);
}

/// A super-block whose quants keep the bytes of the file, from column c of the panel on. Scales are in low nibbles,
/// [sub-block][column], minima in high ones, in groups.
template <const Format& format, const Block& t, size_t group>
KAI_INLINE void pack_two_bits(const Columns& src, uint8_t* dst, size_t nr, size_t c) {
    static_assert(t.scales == Scales::nibbles && t.low.bits == 2 && t.low.distance == format.nibble_distance);
    put_halves(src, t.d, dst + 2 * c);
    put_halves(src, t.m, dst + 2 * nr + 2 * c);
    dst += 4 * nr;
    uint8_t scales[16 * kColumns], minima[16 * kColumns];
    for (size_t half = 0; half < 2; ++half) {
        Words words;
        for (size_t i = 0; i < kColumns; ++i) {
            words.of[i] = load<uint64_t>(src.at[i] + t.subs + 8 * half);
        }
        put_rows(words, scales + 8 * kColumns * half);
    }
    put_groups<group>(src, t.subs, 16, minima);
    if (nr == kColumns) {
        for (size_t i = 0; i < sizeof(scales); ++i) {
            dst[i] = static_cast<uint8_t>((scales[i] & 0x0F) | (minima[i] & 0xF0));
        }
    } else {
        // A byte has a scale of one column and a minimum of another: the first four columns clear all.
        __builtin_memset(dst, 0, c == 0 ? 16 * nr : 0);
        constexpr size_t kWord = sizeof(uint32_t);
        for (size_t i = 0; i < sizeof(scales); i += kWord) {
            constexpr size_t kGroups = group * kColumns;  // those of one place
            uint8_t *scale = dst + i / kColumns * nr + c,
                    *minimum = dst + i / kGroups * group * nr + group * c + i % kGroups;
            store(scale, load<uint32_t>(scale) | (load<uint32_t>(scales + i) & 0x0F0F0F0FU));
            store(minimum, load<uint32_t>(minimum) | (load<uint32_t>(minima + i) & 0xF0F0F0F0U));
        }
    }
    put_groups<group>(src, t.low.offset, t.weights / 4, dst + 16 * nr + group * c, group * nr);
}

/// A super-block of four columns, from column c of the panel on; packed bytes hold neighbours.
template <const Format& format, const Block& t>
KAI_INLINE void pack_neighbours(const Columns& src, uint8_t* dst, size_t nr, size_t c) {
    static_assert(t.scales == Scales::high_low && t.low.bits == 4 && t.low.distance == 16);
    uint8_t* pairs = dst + format.block_head * nr + 2 * c;  // of bytes: 4 k of a column
    put_halves(src, t.d, dst + 2 * c);
    Words scales;
    for (size_t i = 0; i < kColumns; ++i) {
        scales.of[i] = unpack_high_low(src.at[i] + t.subs);
    }
    uint8_t rows[8][kColumns];
    put_rows(scales, rows[0]);
    for (size_t j = 0; j < 8; ++j) {
        store(dst + scale_of_sub(nr, j, c), load<uint32_t>(rows[j]));
    }
#if defined(__aarch64__)
    const size_t step = 2 * nr;
    for (size_t j = 0; j < t.weights / 32; j += 2, pairs += 16 * step) {
        uint8x16_t low[kColumns], high[kColumns], out[4];
        KAI_UNROLL(4)
        for (size_t i = 0; i < kColumns; ++i) {
            const uint8_t* from = src.at[i] + t.low.offset + 16 * j;
            const uint8x16_t a = vld1q_u8(from), b = vld1q_u8(from + 16);
            const uint8x16_t even = vuzp1q_u8(a, b), odd = vuzp2q_u8(a, b);
            low[i] = vsliq_n_u8(even, odd, 4);
            high[i] = vsriq_n_u8(odd, even, 4);
        }
        interleave<2>(low, out);
        store_groups<2, 2>(out, pairs, step);
        store_groups<2, 2>(out + 2, pairs + 8 * step, step);
        interleave<2>(high, out);
        store_groups<2, 2>(out, pairs + 4 * step, step);
        store_groups<2, 2>(out + 2, pairs + 12 * step, step);
    }
#else
    for (size_t j = 0; j < t.weights / 32; ++j, pairs += 16 * nr) {
        for (size_t i = 0; i < kColumns; ++i) {
            for (size_t byte = 0; byte < 16; ++byte) {
                const uint8_t* from = src.at[i] + t.low.offset + 16 * j + byte % 8 * 2;
                const unsigned shift = byte < 8 ? 0 : 4;
                const unsigned even = from[0] >> shift & 15U, odd = from[1] >> shift & 15U;
                pairs[byte / 2 * 2 * nr + 2 * i + byte % 2] = static_cast<uint8_t>(even | odd << 4);
            }
        }
    }
#endif
}

struct SuperBlockRows {
    size_t n, blocks, nr, plane;  // Six::plane
    const uint8_t* rhs;
    size_t rhs_stride;
    uint8_t* packed;
};

/// Missing columns of the last panel repeat column n - 1. columns: of a panel, if the code is for these alone, else 0.
template <const Format& format, const Block& t, size_t group, size_t columns>
[[gnu::noinline]] void pack_super_blocks(const SuperBlockRows& rows) {
    const SuperBlockRows p = rows;  // a local copy: stores cannot alias it
    const size_t nr = columns != 0 ? columns : p.nr, block = format.block_bytes({nr, 2 * group, 2}, t.weights);
    uint8_t* panel = p.packed;
    for (size_t first = 0; first < p.n; first += nr) {
        if constexpr (t.table != nullptr) {
            static_assert(format.panel_head * kColumns == 16);
            __builtin_memcpy(panel, t.table, 16);
            __builtin_memset(panel + 16, 0, format.panel_head * (nr - kColumns));
            panel += format.panel_head * nr;
        }
        for (size_t c = 0; c < nr; c += kColumns) {
            Columns src;
            for (size_t i = 0; i < kColumns; ++i) {
                src.at[i] = p.rhs + (first + c + i < p.n ? first + c + i : p.n - 1) * p.rhs_stride;
            }
            for (size_t b = 0; b < p.blocks; ++b) {
                if constexpr (format.bits == 6 || format.bits == 3) {
                    pack_six<format, t, group>(src, panel + b * block, nr, c, p.plane);
                } else if constexpr (format.bits == 2) {
                    pack_two_bits<format, t, group>(src, panel + b * block, nr, c);
                } else if constexpr (format.nibble_distance == 1) {
                    pack_neighbours<format, t>(src, panel + b * block, nr, c);
                } else {
                    pack_bytes<format, t, group>(src, panel + b * block, nr, c);
                }
                for (const uint8_t*& column : src.at) {
                    column += t.bytes;
                }
            }
        }
        panel += p.blocks * block;
    }
}

template <const Format& format, const Block& t, size_t columns>
KAI_INLINE void pack_groups(size_t kr, const SuperBlockRows& rows) {
    (kr == 16 ? pack_super_blocks<format, t, 8, columns> : pack_super_blocks<format, t, 4, columns>)(rows);
}

template <const Format& format, const Block& t>
void check_and_pack(const kai_rhs_rules& rules, const kai_rhs_call& c) {
    kai_check_rhs_call(&rules, &c);
    constexpr const Format& of_size = format.bits == 6 ? qsi6c16x256p : format;  // the same code for both orders
    const size_t plane = Six::plane(format, c.nr);
    const SuperBlockRows rows = {c.n, c.k / t.weights, c.nr, plane, bytes(c.rhs), c.rhs_stride, bytes(c.packed)};
    if constexpr (!has_wide_panels(format)) {
        pack_groups<of_size, t, kColumns>(c.kr, rows);
    } else if (has_minima(format) && c.nr == kColumns) {  // faster than any number of columns
        pack_groups<of_size, t, has_minima(format) ? kColumns : 0>(c.kr, rows);
    } else {
        pack_groups<of_size, t, 0>(c.kr, rows);
    }
}

}  // namespace
}  // namespace kai

#define KAI_DEFINE_GGUF(FORMAT, TYPE, SUFFIX, KR)                                                                     \
    KAI_RHS_RULES(rhs_pack_nxk_##FORMAT##_gg##SUFFIX, superblock_rules, kai::FORMAT, kai::TYPE, KR)                   \
    KAI_DEFINE_RHS_PACK_GETTERS_CX(rhs_pack_nxk_##FORMAT##_gg##SUFFIX, n_idx* rhs_stride)                             \
    KAI_RUN_RHS_PACK_NXK_GGUF(rhs_pack_nxk_##FORMAT##_gg##SUFFIX) {                                                   \
        kai::check_and_pack<kai::FORMAT, kai::TYPE>(                                                                  \
            kai_rules_rhs_pack_nxk_##FORMAT##_gg##SUFFIX, {num_groups, n, k, nr, kr, sr, 0, rhs, rhs_stride, nullptr, \
                                                           nullptr, nullptr, 0, rhs_packed, extra_bytes, params});    \
    }

extern "C" {

KAI_DEFINE_GGUF(qau4c32x256p, Q4_K, q4_k, 0)
KAI_DEFINE_GGUF(qau5c32x256p, Q5_K, q5_k, 0)
KAI_DEFINE_GGUF(qlu4c32x256p, IQ4_XS, iq4_xs, 0)
KAI_DEFINE_GGUF(qlu4c32x256ps1s0, IQ4_XS, iq4_xs, 8)
KAI_DEFINE_GGUF(qsi6c16x256p, Q6_K, q6_k, 0)
KAI_DEFINE_GGUF(qsi6c16x256pnrx4, Q6_K, q6_k, 8)
KAI_DEFINE_GGUF(qsi6c16x256p, Q3_K, q3_k, 0)
KAI_DEFINE_GGUF(qsi6c16x256pnrx4, Q3_K, q3_k, 8)
KAI_DEFINE_GGUF(qsi3c16x256p, Q3_K, q3_k, 0)
KAI_DEFINE_GGUF(qsi3c16x256pnrx4, Q3_K, q3_k, 8)
KAI_DEFINE_GGUF(qau2c16x256p, Q2_K, q2_k, 0)

}  // extern "C"
