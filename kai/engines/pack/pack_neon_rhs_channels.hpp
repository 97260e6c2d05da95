// RHS packers of formats without blocks: NEON. The same bytes as the scalar functions of pack_rhs_channels.hpp.
//
// A panel is packed four columns at a time, 16 bytes of each, and in chunks along k: short sums of a chunk fit their
// lanes, and the part of a wide panel that is written a few bytes a column stays in the first-level cache. A K x N
// source is transposed into a buffer first, 16 bytes of a line by one chunk; from there on both orders share the code.
// Cases not covered here go to the scalar function. One function per kind of lanes does the work on four columns
// (pack_four); the code around it is shared and decides at run time.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/pack/pack_neon_interleave.hpp"
#include "kai/engines/pack/pack_rhs_channels.hpp"

namespace kai {
namespace {

template <bool neighbours>
struct LanesInt4;
template <bool low_precision, bool is_unsigned = false>
struct LanesInt8;
template <bool is_unsigned>
using LanesSums = LanesInt8<false, is_unsigned>;
template <bool sixteens>
struct LanesTable;

#if defined(__aarch64__)

/// Sums of the lanes of four vectors of short sums.
KAI_INLINE uint32x4_t sums_of(const uint16x8_t v[4]) {
    return vpaddlq_u16(vpaddq_u16(vpaddq_u16(v[0], v[1]), vpaddq_u16(v[2], v[3])));
}
KAI_INLINE uint32x4_t sums_of(const uint8x16_t v[4]) {
    const uint16x8_t wide[4] = {vpaddlq_u8(v[0]), vpaddlq_u8(v[1]), vpaddlq_u8(v[2]), vpaddlq_u8(v[3])};
    return sums_of(wide);
}

/// @name Lanes: conversion of 16 bytes of column c, and the sums of up to kSteps such steps of four columns
///
/// `take` returns the packed bytes, and adds to the sums; `finish` completes them after columns are interleaved.
/// `sums`: of `count` weights a column, without the stored factor. `weights`: those of 16 bytes.
/// `min_group`, `max_group`: sizes of groups in bytes.
/// @{
constexpr size_t kSteps = 16;

/// neighbours: a byte of the source holds two neighbours, one of the format elements i and i + 16.
template <bool neighbours>
struct LanesInt4 {
    static constexpr size_t weights = 32, min_group = neighbours ? 4 : 2, max_group = 8;
    static constexpr bool halves = false, serial = false;
    const uint8x16_t flip;
    uint16x8_t bytes[4];  // sums of bytes of two nibbles, each 8 more than its weight
    uint8x16_t high[4];   // sums of high nibbles

    KAI_INLINE explicit LanesInt4(const RhsChannels& p) : flip(vdupq_n_u8(p.flip ^ 0x88)), bytes{}, high{} {
    }
    KAI_INLINE uint8x16_t take(size_t c, uint8x16_t v) {
        v = veorq_u8(v, flip);
        const uint8x16_t upper = vshrq_n_u8(v, 4);
        bytes[c] = vpadalq_u8(bytes[c], v);
        high[c] = vaddq_u8(high[c], upper);
        if constexpr (neighbours) {
            v = vsliq_n_u8(vzip1q_u8(v, upper), vzip2q_u8(v, upper), 4);
        }
        return veorq_u8(v, vdupq_n_u8(0x88));
    }
    KAI_INLINE void finish(uint8x16_t*) const {
    }
    KAI_INLINE uint32x4_t sums(size_t count) const {
        // low + high = byte - 15 * high
        const uint32x4_t nibbles = vmlsq_n_u32(sums_of(bytes), sums_of(high), 15);
        return vsubq_u32(nibbles, vdupq_n_u32(static_cast<uint32_t>(8 * count)));
    }
};

/// low_precision: int8 or uint8, made signed; of a group, the last 8 weights are inverted. is_unsigned: uint8.
template <bool low_precision, bool is_unsigned>
struct LanesInt8 {
    static constexpr size_t weights = 16, min_group = low_precision ? 16 : 4, max_group = low_precision ? 16 : 8;
    static constexpr bool halves = false, serial = false;
    const uint8x16_t flip;
    int16x8_t pairs[4];

    KAI_INLINE explicit LanesInt8(const RhsChannels& p) : flip(vdupq_n_u8(p.flip)), pairs{} {
    }
    KAI_INLINE uint8x16_t take(size_t c, uint8x16_t v) {
        v = low_precision ? veorq_u8(v, flip) : v;
        if constexpr (is_unsigned) {  // up to 2 * 255 * kSteps, and four of them in the end: INT16_MAX holds that
            pairs[c] = vreinterpretq_s16_u16(vpadalq_u8(vreinterpretq_u16_s16(pairs[c]), v));
        } else {
            pairs[c] = vpadalq_s8(pairs[c], vreinterpretq_s8_u8(v));
        }
        return low_precision ? veorq_u8(v, vcombine_u8(vdup_n_u8(0), vdup_n_u8(0xFF))) : v;
    }
    KAI_INLINE void finish(uint8x16_t*) const {
    }
    KAI_INLINE uint32x4_t sums(size_t) const {
        const int16x8_t fours = vpaddq_s16(vpaddq_s16(pairs[0], pairs[1]), vpaddq_s16(pairs[2], pairs[3]));
        return vreinterpretq_u32_s32(vpaddlq_s16(fours));
    }
};

/// With an index of bits h and l, table[index] = t0 + (t1 - t0) * l + (t2 - t0) * h + (t3 - t2 - t1 + t0) * (h & l):
/// the sums follow from counts of bits. sixteens: of every 16 elements the format has i, i + 4, i + 8, i + 12 in a
/// byte.
template <bool sixteens>
struct LanesTable {
    static constexpr size_t weights = 64, min_group = sixteens ? 4 : 1, max_group = min_group;
    static constexpr bool halves = true;  // k is a multiple of 32
    static constexpr bool serial = sixteens;
    const int32_t* table;
    uint8x16_t bits[4], high[4], both[4];

    KAI_INLINE explicit LanesTable(const RhsChannels& p) : table(p.table), bits{}, high{}, both{} {
    }
    KAI_INLINE uint8x16_t take(size_t c, uint8x16_t v) {
        const uint8x16_t h = vandq_u8(vshrq_n_u8(v, 1), vdupq_n_u8(0x55));
        bits[c] = vaddq_u8(bits[c], vcntq_u8(v));
        high[c] = vaddq_u8(high[c], vcntq_u8(h));
        both[c] = vaddq_u8(both[c], vcntq_u8(vandq_u8(v, h)));
        return sixteens ? transposed_pairs(v) : v;
    }
    KAI_INLINE void finish(uint8x16_t out[4]) const {
        if constexpr (sixteens) {
            transpose_quads(out[0], out[1]);
            transpose_quads(out[2], out[3]);
        }
    }
    KAI_INLINE uint32x4_t sums(size_t count) const {
        const auto t = [&](size_t i) { return static_cast<uint32_t>(table[i]); };
        const uint32x4_t h = sums_of(high), l = vsubq_u32(sums_of(bits), h);
        uint32x4_t sum = vdupq_n_u32(t(0) * static_cast<uint32_t>(count));
        sum = vmlaq_n_u32(sum, l, t(1) - t(0));
        sum = vmlaq_n_u32(sum, h, t(2) - t(0));
        return vmlaq_n_u32(sum, sums_of(both), t(3) - t(2) - t(1) + t(0));
    }

private:
    /// v with those bits of `bits` that are set in `mask`. BIT as it is: Clang makes AND, BIC and ORR of the intrinsic.
    KAI_INLINE static uint32x4_t insert(uint32x4_t v, uint32x4_t bits, uint32_t mask) {
        __asm__("bit %0.16b, %1.16b, %2.16b" : "+w"(v) : "w"(bits), "w"(vdupq_n_u32(mask)));
        return v;
    }
    // Element 4 * i + j of the 16 of a word goes to the place of element 4 * j + i. First the lower bits of i and j
    // change places, then, where two vectors are at hand, the higher ones.
    KAI_INLINE static uint8x16_t transposed_pairs(uint8x16_t bytes) {
        const uint32x4_t v = vreinterpretq_u32_u8(bytes);
        const uint32x4_t up = vshlq_n_u32(v, 6), down = vshrq_n_u32(v, 6);
        return vreinterpretq_u8_u32(insert(insert(v, up, 0x33003300), down, 0x00CC00CC));
    }
    KAI_INLINE static void transpose_quads(uint8x16_t& a, uint8x16_t& b) {
        const uint16x8_t x = vreinterpretq_u16_u8(a), y = vreinterpretq_u16_u8(b);
        const uint8x16_t low = vreinterpretq_u8_u16(vuzp1q_u16(x, y)), high = vreinterpretq_u8_u16(vuzp2q_u16(x, y));
        const uint8x16_t low_nibbles = vsliq_n_u8(low, high, 4), high_nibbles = vsriq_n_u8(high, low, 4);
        a = zip1<2>(low_nibbles, high_nibbles);
        b = zip2<2>(low_nibbles, high_nibbles);
    }
};

/// @}

/// 16 bytes of each of four columns; `vectors` of the four vectors of their groups. Advances src.
template <size_t group, size_t vectors = 4, class Lanes>
KAI_INLINE uint8_t* pack_step(Lanes& lanes, FourColumns& src, uint8_t* dst, size_t group_step) {
    uint8x16_t v[4], out[4];
    KAI_UNROLL(4)
    for (size_t c = 0; c < 4; ++c) {
        v[c] = lanes.take(c, vld1q_u8(src.at[c]));
        src.at[c] += 16;
        if constexpr (Lanes::serial) {
            __asm__("" : "+r"(src.at[c]));  // keeps four pointers, and the columns apart: fewer registers at a time
        }
    }
    interleave<group>(v, out);
    lanes.finish(out);
    return store_groups<group, vectors>(out, dst, group_step);
}

template <size_t group, class Lanes>
KAI_INLINE void pack_steps(Lanes& lanes, FourColumns src, uint8_t* dst, size_t group_step, size_t steps, bool half) {
    for (; steps > 0; --steps) {
        dst = pack_step<group>(lanes, src, dst, group_step);
    }
    if constexpr (Lanes::halves) {
        if (half) {
            pack_step<group, 2>(lanes, src, dst, group_step);
        }
    }
}

/// Packs this many steps of four columns, and half a step (8 bytes of each column) if `half`, and adds to their sums.
template <class Lanes>
[[gnu::noinline]] void pack_four(
    const RhsChannels& p, const FourColumns& src, uint8_t* dst, uint8_t* sums, size_t steps, bool half) {
    const size_t group = p.group, group_step = group * p.tile.rows;
    Lanes lanes(p);
    if constexpr (Lanes::min_group == Lanes::max_group) {
        pack_steps<Lanes::min_group>(lanes, src, dst, group_step, steps, half);
    } else if (group == 8) {
        pack_steps<8>(lanes, src, dst, group_step, steps, half);
    } else if (Lanes::min_group == 2 && group == 2) {
        pack_steps<2>(lanes, src, dst, group_step, steps, half);
    } else {
        pack_steps<4>(lanes, src, dst, group_step, steps, half);
    }
    const size_t count = steps * Lanes::weights + (half ? Lanes::weights / 2 : 0);
    store(sums, vaddq_u32(load<uint32x4_t>(sums), vmulq_n_u32(lanes.sums(count), p.factor)));
}

using PackFour =
    void (*)(const RhsChannels& p, const FourColumns& src, uint8_t* dst, uint8_t* sums, size_t steps, bool half);

/// 16 times `byte`, `count` times.
KAI_INLINE void fill(uint8_t* to, size_t count, uint8_t byte) {
    for (size_t i = 0; i < count; ++i) {
        store(to + 16 * i, vdupq_n_u8(byte));
    }
}

/// The end of a column whose last whole step lies before `src`: `count` < 32 bytes, and zeros after them.
[[gnu::noinline]] void copy_end(const RhsChannels& p, const uint8_t* src, size_t count, uint8_t* to) {
    fill(to, 2, p.flip);
    for (size_t i = 0; i < count; ++i) {
        to[i] = src[i];
    }
    if (p.bits == 4 && p.k % 2 == 1) {
        to[count - 1] = static_cast<uint8_t>((to[count - 1] & 0x0F) | (p.flip & 0xF0));
    }
}

/// Columns at ... at + 3, `column_bytes` apart, column 0 at `array`. Those that do not exist: a copy, or `absent`.
KAI_INLINE FourColumns
four_columns(const RhsChannels& p, size_t at, const uint8_t* array, size_t column_bytes, const uint8_t* absent) {
    const uint8_t* src = array + at * column_bytes;
    FourColumns columns = {{src, src + column_bytes, src + 2 * column_bytes, src + 3 * column_bytes}};
    for (size_t i = 0; i < 4 && at + 4 > p.n; ++i) {
        const bool none = at + i >= p.n && !p.repeats();
        columns.at[i] = none ? absent : array + source_column(p, at + i) * column_bytes;
    }
    return columns;
}

/// Packs a step of which the panel has only `groups` groups of a column.
[[gnu::noinline]] void pack_groups(
    const RhsChannels& p, PackFour pack_four, const FourColumns& src, uint8_t* dst, uint8_t* sums, size_t groups) {
    const size_t bytes = 4 * p.group;  // of four columns
    uint8_t four[64];
    RhsChannels narrow = p;
    narrow.tile.rows = 4;
    pack_four(narrow, src, four, sums, 1, false);
    for (size_t i = 0; i < groups; ++i) {
        __builtin_memcpy(dst + i * p.group * p.tile.rows, four + i * bytes, bytes);
    }
}

/// N x K. The chunk after the whole steps is padded with zeros.
[[gnu::noinline]] void pack_weights_nxk(const RhsChannels& p, PackFour pack_four, const uint8_t* absent) {
    const size_t weights = 128 / p.bits, whole = p.k / weights;  // weights of a step
    const size_t rows = p.tile.rows, rest = p.padded - whole * weights, chunks = (whole + kSteps - 1) / kSteps;
    uint8_t ends[4][32];
    uint8_t* panel = p.packed;
    for (size_t first = 0; first < p.places; first += rows, panel += p.stride) {
        for (size_t chunk = 0; chunk < chunks + (rest > 0); ++chunk) {
            const bool end = chunk == chunks;
            const size_t step = end ? whole : chunk * kSteps;
            const size_t steps = end ? rest / weights : whole - step < kSteps ? whole - step : kSteps;
            const bool half = end && rest % weights != 0;
            const uint8_t* src = p.rhs + 16 * step;
            uint8_t *dst = panel + p.elements + step * 16 * rows, *sums = panel + p.sums;
            for (size_t c = 0; c < rows; c += 4, dst += 4 * p.group, sums += 16) {
                FourColumns columns = four_columns(p, first + c, src, p.line, absent);
                if (end) {
                    for (size_t i = 0; i < 4; ++i) {
                        copy_end(p, columns.at[i], p.width - 16 * whole, ends[i]);
                        columns.at[i] = ends[i];
                    }
                }
                if (half && p.bits == 8) {  // some groups of a step
                    pack_groups(p, pack_four, columns, dst, sums, rest % weights / p.group);
                } else {
                    pack_four(p, columns, dst, sums, steps, half);
                }
            }
        }
    }
}

/// Transposes a square of bytes.
KAI_INLINE void transpose(uint8x16_t v[16]) {
    // Each round moves the highest bit of the number of a vector to the lowest of the number of a byte in it, and the
    // highest of that to the lowest of the vector's.
    KAI_UNROLL(4)
    for (size_t round = 0; round < 4; ++round) {
        uint8x16_t next[16];
        KAI_UNROLL(8)
        for (size_t i = 0; i < 8; ++i) {
            next[2 * i] = vzip1q_u8(v[i], v[i + 8]);
            next[2 * i + 1] = vzip2q_u8(v[i], v[i + 8]);
        }
        KAI_UNROLL(16)
        for (size_t i = 0; i < 16; ++i) {
            v[i] = next[i];
        }
    }
}

/// Steps of a chunk of a K x N source: 4096 bytes of all the columns that 16 bytes of a line hold.
constexpr size_t strip_steps(size_t bits) {
    return bits == 8 ? 16 : 8;
}
constexpr size_t kStripBytes = 4096;

/// 16 bytes of each line of a K x N source, one step along k: to 16 bytes of each column, a chunk apart. With
/// nibbles only the even or odd columns; a byte of a column then holds those of k and k + 16.
template <unsigned bits, bool odd = false>
[[gnu::noinline]] void transpose_step(const uint8_t* src, size_t line, uint8_t* to) {
    uint8x16_t v[16];
    KAI_UNROLL(16)
    for (size_t i = 0; i < 16; ++i) {
        v[i] = vld1q_u8(src);
        if constexpr (bits == 4) {
            const uint8x16_t high = vld1q_u8(src + 16 * line);
            v[i] = odd ? vsriq_n_u8(high, v[i], 4) : vsliq_n_u8(v[i], high, 4);
        }
        src += line;
        __asm__("" : "+r"(src));  // or the compiler keeps all multiples of line, on the stack
    }
    transpose(v);
    KAI_UNROLL(16)
    for (size_t i = 0; i < 16; ++i) {
        store(to + (i * 8 / bits + odd) * 16 * strip_steps(bits), v[i]);
    }
}

KAI_INLINE void transpose_columns(size_t bits, const uint8_t* src, size_t line, uint8_t* to) {
    if (bits == 8) {
        transpose_step<8>(src, line, to);
    } else {
        transpose_step<4>(src, line, to);
        transpose_step<4, true>(src, line, to);
    }
}

/// The lines of a step that the source does not have, or that end less than 16 bytes after `first`: a copy of the step.
[[gnu::noinline]] void copy_step(const RhsChannels& p, size_t first, size_t k, size_t lines, uint8_t to[][16]) {
    fill(to[0], lines, p.flip);
    const size_t count = p.width - first < 16 ? p.width - first : 16;
    for (size_t i = 0; i < lines && k + i < p.k; ++i) {
        for (size_t j = 0; j < count; ++j) {
            to[i][j] = p.rhs[(k + i) * p.line + first + j];
        }
    }
}

/// K x N.
[[gnu::noinline]] void pack_weights_kxn(const RhsChannels& p, PackFour pack_four, const uint8_t* absent) {
    const size_t columns = 128 / p.bits, lines = columns;  // of 16 bytes of a line, of a step
    const size_t chunk_steps = strip_steps(p.bits), column_bytes = 16 * chunk_steps;
    const size_t all_steps = (p.padded + lines - 1) / lines;
    uint8_t strip[kStripBytes], copy[32][16];
    for (size_t step = 0; step < all_steps; step += chunk_steps) {
        const size_t steps = all_steps - step < chunk_steps ? all_steps - step : chunk_steps;
        const size_t whole_steps = p.padded / lines - step < steps ? p.padded / lines - step : steps;
        uint8_t* panel = p.packed;
        size_t at = 0, c = 0;  // of all columns, of those of the panel
        for (size_t first = 0; first < p.width; first += 16) {
            // The last strip ends with the line, and overlaps the previous one.
            const size_t from = first + 16 <= p.width || p.width < 16 ? first : p.width - 16;
            for (size_t i = 0; i < steps; ++i) {
                const size_t k = (step + i) * lines, end = (k + lines - 1) * p.line + from + 16;
                // A short dense line is read with those after it.
                const bool whole = k + lines <= p.k && (p.width >= 16 || (p.line == p.width && end <= p.k * p.line));
                if (!whole) {
                    copy_step(p, from, k, lines, copy);
                }
                transpose_columns(
                    p.bits, whole ? p.rhs + k * p.line + from : copy[0], whole ? p.line : 16, strip + 16 * i);
            }
            const size_t first_column = from * (8 / p.bits);
            const size_t end = first + 16 < p.width ? first_column + columns : p.places;
            for (; at < end; at += 4) {
                const FourColumns src = four_columns(p, at, strip - first_column * column_bytes, column_bytes, absent);
                uint8_t* dst = panel + p.elements + step * 16 * p.tile.rows + p.group * c;
                uint8_t* sums = panel + p.sums + 4 * c;
                c += 4;
                if (c == p.tile.rows) {
                    c = 0;
                    panel += p.stride;
                }
                pack_four(p, src, dst, sums, whole_steps, false);
                if (whole_steps < steps) {
                    FourColumns rest = src;
                    for (size_t i = 0; i < 4; ++i) {
                        rest.at[i] += 16 * whole_steps;
                    }
                    pack_groups(
                        p, pack_four, rest, dst + whole_steps * 16 * p.tile.rows, sums, p.padded % lines / p.group);
                }
            }
        }
    }
}

/// The fields of all panels.
KAI_INLINE void pack_all_fields(const RhsChannels& channels) {
    const RhsChannels p = channels;  // a local copy: stores cannot alias it
    const uint32x4_t zero = vdupq_n_u32(0);
    uint8_t* panel = p.packed;
    for (size_t first = 0; first < p.places; first += p.tile.rows, panel += p.stride) {
        for (size_t at = first; at < first + p.tile.rows; at += 4) {
            if (at + 4 <= p.n) {
                uint8_t* to = panel + 4 * (at - first);
                store(to + p.sums, zero);
                store(to + p.biases, p.bias == nullptr ? zero : load<uint32x4_t>(p.bias + 4 * at));
                if (p.has_scale) {
                    const float32x4_t scales = load<float32x4_t>(p.scale + 4 * at);
                    store(to + p.scales, p.multiplier == 1 ? scales : vmulq_n_f32(scales, p.multiplier));
                }
            } else {
                for (size_t i = at; i < at + 4; ++i) {
                    pack_fields(p, i, panel);
                }
            }
        }
    }
}

/// The loops for panels of four columns or more, by group size. The loop over panels is a pointer, too, so that a
/// program links only those of its packers.
struct ChannelsLoop {
    size_t min_group, max_group;
    PackFour pack_four;
    void (*pack_weights)(const RhsChannels& p, PackFour pack_four, const uint8_t* absent);

    KAI_INLINE bool takes(const RhsChannels& p) const {
        return p.tile.rows % 4 == 0 && p.group >= min_group && p.group <= max_group && (p.group & (p.group - 1)) == 0;
    }
};
template <class Lanes, bool kxn>
inline constexpr ChannelsLoop kLoop = {
    Lanes::min_group, Lanes::max_group, pack_four<Lanes>, kxn ? pack_weights_kxn : pack_weights_nxk};

[[gnu::noinline]] void pack_rhs_channels_by_four(const RhsChannels& p, const ChannelsLoop& loop) {
    pack_all_fields(p);
    uint8_t absent[16 * kSteps];
    fill(absent, kSteps, p.absent());
    loop.pack_weights(p, loop.pack_four, absent);
    for (size_t at = p.n; at < p.places && !p.repeats(); ++at) {
        store(p.panel(at) + p.sums + at % p.tile.rows * 4, 0U);
    }
}

KAI_INLINE void pack_rhs_channels(const RhsChannels& p, const ChannelsLoop& loop) {
    if (p.n > 0 && loop.takes(p)) {
        pack_rhs_channels_by_four(p, loop);
    } else {
        pack_rhs_channels_scalar(p);
    }
}

#else

struct ChannelsLoop {};
template <class Lanes, bool kxn>
inline constexpr ChannelsLoop kLoop = {};

KAI_INLINE void pack_rhs_channels(const RhsChannels& p, const ChannelsLoop&) {
    pack_rhs_channels_scalar(p);
}

#endif

}  // namespace
}  // namespace kai
