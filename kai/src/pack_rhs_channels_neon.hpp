// RHS packers of formats with one scale per column: NEON. The same bytes as the scalar functions of
// pack_rhs_channels.hpp.
//
// A panel is packed four columns at a time, 16 bytes of each, and in chunks along k: short sums of a chunk fit their
// lanes, and the part of a wide panel that is written a few bytes a column stays in the nearest cache. A K x N source
// is transposed into a buffer first, 16 bytes of a line by one chunk; from there on both orders share the code. What
// this does not cover goes to the scalar function.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/src/interleave_neon.hpp"
#include "kai/src/pack_rhs_channels.hpp"

#if defined(__aarch64__)

namespace kai {
namespace {

/// Sums of the lanes of four vectors of short sums.
KAI_INLINE uint32x4_t sums_of(const uint16x8_t v[4]) {
    return vpaddlq_u16(vpaddq_u16(vpaddq_u16(v[0], v[1]), vpaddq_u16(v[2], v[3])));
}
KAI_INLINE uint32x4_t sums_of(const uint8x16_t v[4]) {
    const uint16x8_t wide[4] = {vpaddlq_u8(v[0]), vpaddlq_u8(v[1]), vpaddlq_u8(v[2]), vpaddlq_u8(v[3])};
    return sums_of(wide);
}

/// @name Lanes: what becomes of 16 bytes of column c, and the sums of up to kSteps times as many of four columns
///
/// `take` returns the bytes as they are stored, and adds to the sums; `finish` is for what is left to do when columns
/// are interleaved. `sums`: of `count` weights a column, stored factor included.
/// @{
constexpr size_t kSteps = 16;

/// neighbours: a byte of the source holds two neighbours, one of the format elements i and i + 16.
template <unsigned times, bool neighbours>
struct LanesInt4 {
    static constexpr size_t weights = 32;
    static constexpr bool halves = false, serial = false;
    const uint8x16_t flip;
    uint16x8_t bytes[4];  // sums of bytes of two nibbles, each 8 more than its weight
    uint8x16_t high[4];   // sums of high nibbles

    KAI_INLINE explicit LanesInt4(const WeightsInt4<times>& w) : flip(vdupq_n_u8(w.flip ^ 0x88)), bytes{}, high{} {
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
        return vmulq_n_u32(vsubq_u32(nibbles, vdupq_n_u32(static_cast<uint32_t>(8 * count))), times);
    }
};

struct LanesInt8 {
    static constexpr size_t weights = 16;
    static constexpr bool halves = false, serial = false;
    const uint32_t factor;
    int16x8_t pairs[4];

    KAI_INLINE explicit LanesInt8(const WeightsInt8& w) : factor(w.factor), pairs{} {
    }
    KAI_INLINE uint8x16_t take(size_t c, uint8x16_t v) {
        pairs[c] = vpadalq_s8(pairs[c], vreinterpretq_s8_u8(v));
        return v;
    }
    KAI_INLINE void finish(uint8x16_t*) const {
    }
    KAI_INLINE uint32x4_t sums(size_t) const {
        const int16x8_t fours = vpaddq_s16(vpaddq_s16(pairs[0], pairs[1]), vpaddq_s16(pairs[2], pairs[3]));
        return vmulq_n_u32(vreinterpretq_u32_s32(vpaddlq_s16(fours)), factor);
    }
};

/// With an index of bits h and l, table[index] = t0 + (t1 - t0) * l + (t2 - t0) * h + (t3 - t2 - t1 + t0) * (h & l):
/// the sums follow from counts of bits. sixteens: of every 16 elements the format has i, i + 4, i + 8, i + 12 in a
/// byte.
template <bool sixteens>
struct LanesTable {
    static constexpr size_t weights = 64;
    static constexpr bool halves = true;  // k is a multiple of 32
    static constexpr bool serial = sixteens;
    const int32_t* table;
    uint8x16_t bits[4], high[4], both[4];

    KAI_INLINE explicit LanesTable(const WeightsTable& w) : table(w.table), bits{}, high{}, both{} {
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

template <const Format& format, class Source, class Weights>
struct LanesOf;
template <const Format& format, class Source, unsigned times>
struct LanesOf<format, Source, WeightsInt4<times>> {
    using type = LanesInt4<times, Source::columns && format.nibble_distance == 16>;
};
template <const Format& format, class Source>
struct LanesOf<format, Source, WeightsInt8> {
    using type = LanesInt8;
};
template <const Format& format, class Source>
struct LanesOf<format, Source, WeightsTable> {
    using type = LanesTable<format.nibble_distance == 4>;
};
/// @}

/// 16 bytes of each of four columns; `vectors` of the four vectors of the result. Advances src.
template <size_t group, size_t vectors = 4, class Lanes>
KAI_INLINE uint8_t* pack_step(Lanes& lanes, FourColumns& src, uint8_t* dst, size_t group_step) {
    uint8x16_t v[4], out[4];
#pragma GCC unroll 4
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

/// Steps of a chunk, and what they hold of a column. The last one may be half a step: 8 bytes of each column.
struct Chunk {
    size_t first, steps;
    bool half;
    size_t weights;
};

/// Where four columns of a chunk are, and where they go.
struct FourPlaces {
    FourColumns src;
    uint8_t *dst, *sums;
    size_t group_step;
};

/// Packs a chunk of four columns, and adds to their sums.
template <size_t group, class Lanes, class Weights>
KAI_INLINE void pack_four(const Weights& weights, const FourPlaces& places, const Chunk& chunk) {
    FourColumns src = places.src;
    uint8_t *dst = places.dst, *sums = places.sums;
    const size_t group_step = places.group_step;
    Lanes lanes(weights);
    for (size_t left = chunk.steps; left > 0; --left) {
        dst = pack_step<group>(lanes, src, dst, group_step);
    }
    if constexpr (Lanes::halves) {
        if (chunk.half) {
            pack_step<group, 2>(lanes, src, dst, group_step);
        }
    }
    store(sums, vaddq_u32(load<uint32x4_t>(sums), lanes.sums(chunk.weights)));
}

/// The columns at places `at` ... at + 3 of the panels.
template <const Format& format, size_t group>
KAI_INLINE FourPlaces four_places(const RhsChannels& p, size_t at, const FourColumns& src, const Chunk& chunk) {
    const size_t c = at % p.tile.rows;
    uint8_t* panel = bytes(p.packed, format.offset(p.tile, at, p.k));
    return {
        src, panel + chunk.first * 16 * p.tile.rows + group * c, panel + format.panel_end(p.tile, p.k) + 4 * c,
        group * p.tile.rows};
}

/// 16 times `byte`, `count` times.
KAI_INLINE void fill(uint8_t* to, size_t count, uint8_t byte) {
    for (size_t i = 0; i < count; ++i) {
        store(to + 16 * i, vdupq_n_u8(byte));
    }
}

/// The end of a column whose last whole step lies before `src`: `count` < 32 bytes, and zeros behind them.
template <const Format& format, class Weights>
[[gnu::noinline]] void copy_end(
    const RhsChannels& p, const Weights& weights, const uint8_t* src, size_t count, uint8_t* to) {
    fill(to, 2, weights.zero());
    for (size_t i = 0; i < count; ++i) {
        to[i] = src[i];
    }
    if (format.bits == 4 && p.k % 2 == 1) {
        to[count - 1] = static_cast<uint8_t>((to[count - 1] & 0x0F) | (weights.zero() & 0xF0));
    }
}

/// N x K.
template <const Format& format, size_t group, class Source, class Missing, class Weights>
KAI_INLINE void pack_weights_nxk(const RhsChannels& p, const Weights& weights) {
    using Lanes = typename LanesOf<format, Source, Weights>::type;
    const size_t line = Source::line_bytes(p), whole = p.k / Lanes::weights;
    const size_t rest = format.padded(p.tile, p.k) - whole * Lanes::weights;  // weights, and zeros
    uint8_t absent[16 * kSteps], ends[4][32];
    if constexpr (!Missing::repeats) {
        fill(absent, kSteps, Missing::byte(weights));
    }
    const auto columns = [&](size_t at, size_t step) __attribute__((always_inline)) {
        FourColumns src;
#pragma GCC unroll 4
        for (size_t i = 0; i < 4; ++i) {
            const size_t column = source_column<Missing>(p, at + i);
            src.at[i] = !Missing::repeats && column >= p.n ? absent : p.rhs + column * line + 16 * step;
        }
        return src;
    };
    const auto pack_columns = [&](size_t at, const FourColumns& src, const Chunk& chunk)
        __attribute__((always_inline)) {
        pack_four<group, Lanes>(weights, four_places<format, group>(p, at, src, chunk), chunk);
    };
    for (size_t first = 0; first < p.panels * p.tile.rows; first += p.tile.rows) {
        for (size_t step = 0; step < whole; step += kSteps) {
            const size_t steps = whole - step < kSteps ? whole - step : kSteps;
            for (size_t c = 0; c < p.tile.rows; c += 4) {
                pack_columns(first + c, columns(first + c, step), {step, steps, false, steps * Lanes::weights});
            }
        }
        for (size_t c = 0; c < p.tile.rows && rest > 0; c += 4) {
            const FourColumns src = columns(first + c, whole);
            for (size_t i = 0; i < 4; ++i) {
                copy_end<format>(p, weights, src.at[i], line - 16 * whole, ends[i]);
            }
            pack_columns(
                first + c, {{ends[0], ends[1], ends[2], ends[3]}},
                {whole, rest / Lanes::weights, rest % Lanes::weights != 0, rest});
        }
    }
}

/// Rows and columns of a square of bytes change places.
KAI_INLINE void transpose(uint8x16_t v[16]) {
    // Each round moves the highest bit of the number of a vector to the lowest of the number of a byte in it, and the
    // highest of that to the lowest of the vector's.
#pragma GCC unroll 4
    for (size_t round = 0; round < 4; ++round) {
        uint8x16_t next[16];
#pragma GCC unroll 8
        for (size_t i = 0; i < 8; ++i) {
            next[2 * i] = vzip1q_u8(v[i], v[i + 8]);
            next[2 * i + 1] = vzip2q_u8(v[i], v[i + 8]);
        }
#pragma GCC unroll 16
        for (size_t i = 0; i < 16; ++i) {
            v[i] = next[i];
        }
    }
}

/// Steps of a chunk of a K x N source: 4096 bytes of all the columns that 16 bytes of a line hold.
template <unsigned bits>
constexpr size_t kStripSteps = bits == 8 ? 16 : 8;

/// 16 bytes of each line of a K x N source, one step along k: to 16 bytes of each column, a chunk apart. With
/// nibbles only the even or odd columns; a byte of a column then holds those of k and k + 16.
template <unsigned bits, bool odd = false>
KAI_INLINE void transpose_step(const uint8_t* src, size_t line, uint8_t* to) {
    uint8x16_t v[16];
#pragma GCC unroll 16
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
#pragma GCC unroll 16
    for (size_t i = 0; i < 16; ++i) {
        store(to + (i * 8 / bits + odd) * 16 * kStripSteps<bits>, v[i]);
    }
}

template <unsigned bits>
KAI_INLINE void transpose_columns(const uint8_t* src, size_t line, uint8_t* to) {
    transpose_step<bits>(src, line, to);
    if constexpr (bits == 4) {
        __asm__ volatile("" ::: "memory");  // the lines are read twice: they would not stay in registers
        transpose_step<bits, true>(src, line, to);
    }
}

/// The lines of a step that the source lacks, or that end less than 16 bytes behind `first`: a copy of the step.
template <size_t lines, class Weights>
[[gnu::noinline]] void copy_step(
    const RhsChannels& p, const Weights& weights, size_t line, size_t first, size_t k, uint8_t to[lines][16]) {
    fill(to[0], lines, weights.zero());
    const size_t count = line - first < 16 ? line - first : 16;
    for (size_t i = 0; i < lines && k + i < p.k; ++i) {
        for (size_t j = 0; j < count; ++j) {
            to[i][j] = p.rhs[(k + i) * line + first + j];
        }
    }
}

/// K x N.
template <const Format& format, size_t group, class Source, class Missing, class Weights>
KAI_INLINE void pack_weights_kxn(const RhsChannels& p, const Weights& weights) {
    using Lanes = typename LanesOf<format, Source, Weights>::type;
    constexpr size_t columns = 16 * 8 / format.bits, chunk_steps = kStripSteps<format.bits>,
                     column_bytes = 16 * chunk_steps, lines = Lanes::weights;
    const size_t line = Source::line_bytes(p), all_steps = format.padded(p.tile, p.k) / lines;
    uint8_t strip[columns * column_bytes], copy[lines][16];
    for (size_t step = 0; step < all_steps; step += chunk_steps) {
        const size_t steps = all_steps - step < chunk_steps ? all_steps - step : chunk_steps;
        for (size_t first = 0; first < line; first += 16) {
            // The last strip ends with the line, and overlaps the one before.
            const size_t from = first + 16 <= line || line < 16 ? first : line - 16;
            for (size_t i = 0; i < steps; ++i) {
                const size_t k = (step + i) * lines, end = (k + lines - 1) * line + from + 16;
                if (k + lines <= p.k && end <= p.k * line) {
                    transpose_columns<format.bits>(p.rhs + k * line + from, line, strip + 16 * i);
                } else {
                    copy_step<lines>(p, weights, line, from, k, copy);
                    transpose_columns<format.bits>(copy[0], 16, strip + 16 * i);
                }
            }
            const size_t first_column = from * (8 / format.bits);
            const size_t end = first + 16 < line ? first_column + columns : p.panels * p.tile.rows;
            for (size_t at = first * (8 / format.bits); at < end; at += 4) {
                const auto column = [&](size_t i) __attribute__((always_inline)) {
                    return strip + (source_column<Missing>(p, at + i) - first_column) * column_bytes;
                };
                const Chunk chunk = {step, steps, false, steps * lines};
                const FourColumns src = {{column(0), column(1), column(2), column(3)}};
                pack_four<group, Lanes>(weights, four_places<format, group>(p, at, src, chunk), chunk);
            }
        }
    }
}

/// Scales and biases, and sums of 0.
template <class Weights, class Missing>
KAI_INLINE void pack_fields(const RhsChannels& p, size_t at, uint8_t* sums) {
    const uint32x4_t zero = vdupq_n_u32(0);
    uint8_t *scale = sums + 4 * p.tile.rows, *bias = scale + 4 * p.tile.rows;
    for (size_t c = 0; c < p.tile.rows; c += 4) {
        store(sums + 4 * c, zero);
        if (at + c + 4 <= p.n) {
            const float32x4_t scales = load<float32x4_t>(p.scale + 4 * (at + c));
            store(scale + 4 * c, Weights::unit == 1.0F ? scales : vmulq_n_f32(scales, Weights::unit));
            store(bias + 4 * c, p.bias == nullptr ? zero : load<uint32x4_t>(p.bias + 4 * (at + c)));
        } else {
            for (size_t i = c; i < c + 4; ++i) {
                pack_scale_and_bias<Weights, Missing>(p, at + i, sums);
            }
        }
    }
}

template <const Format& format, size_t group, class Source, class Missing, class Weights>
void pack_rhs_channels_by_four(const RhsChannels& channels, const Weights& source_weights) {
    const RhsChannels p = channels;  // copies that no store can change
    const Weights weights = source_weights;
    const size_t panel_end = format.panel_end(p.tile, p.k), stride = format.stride(p.tile, p.k);
    for (size_t i = 0; i < p.panels; ++i) {
        pack_fields<Weights, Missing>(p, i * p.tile.rows, bytes(p.packed, i * stride + panel_end));
    }
    if constexpr (Source::columns) {
        pack_weights_nxk<format, group, Source, Missing>(p, weights);
    } else {
        pack_weights_kxn<format, group, Source, Missing>(p, weights);
    }
    if constexpr (!Missing::repeats) {
        for (size_t at = p.n; at < p.panels * p.tile.rows; ++at) {
            store(bytes(p.packed, at / p.tile.rows * stride + panel_end + at % p.tile.rows * 4), 0U);
        }
    }
}

template <const Format& format, class Source, class Missing, class Weights>
void pack_rhs_channels(const RhsChannels& p, const Weights& weights) {
    const size_t group = p.tile.rows % 4 == 0 && p.n > 0 ? format.group_size(p.tile) : 0;
    if constexpr (format.group == Format::one) {
        if (group == 1) {
            return pack_rhs_channels_by_four<format, 1, Source, Missing>(p, weights);
        }
    } else if constexpr (format.group == Format::half_kr) {
        if (group == 2) {
            return pack_rhs_channels_by_four<format, 2, Source, Missing>(p, weights);
        }
    }
    if constexpr (format.group != Format::one) {
        if (group == 4) {
            return pack_rhs_channels_by_four<format, 4, Source, Missing>(p, weights);
        }
        if constexpr (format.bits > 2) {
            if (group == 8) {
                return pack_rhs_channels_by_four<format, 8, Source, Missing>(p, weights);
            }
        }
    }
    pack_rhs_channels_scalar<format, Source, Missing>(p, weights);
}

}  // namespace
}  // namespace kai

#else

namespace kai {
namespace {

template <const Format& format, class Source, class Missing, class Weights>
void pack_rhs_channels(const RhsChannels& p, const Weights& weights) {
    pack_rhs_channels_scalar<format, Source, Missing>(p, weights);
}

}  // namespace
}  // namespace kai

#endif
