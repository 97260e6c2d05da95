// RHS packers of rows of GGUF blocks, N x K, to the int4 and int8 formats: each column is a row of the file.
//
//     format                  element     after or before a block
//     qsi8c32p                value       f16 d, unchanged
//     qsi8c32pscalef16        value       f16 d, unchanged
//     qsi4c32p                value       f16 d, unchanged
//     qsi4c32ps1s0scalef16    value + 8   f16 d, unchanged
//     qai4c32p                value - 8   f32 zero, f32 scale / 16
//     qai4c32ps1s0nrx4        value       f32 zero, f32 scale
//     qai4c32ps1s0sf16        value       f16 min, f16 scale, each rounded once
//     qlu4c32p                index       f16 d, unchanged
//     qlu4c32ps1s0scalef16    index       f16 d, unchanged
//     qlu4c32pscalebf16       index       bf16 scale: a power of two
//     qlu4c32ps1s0scalebf16   index       bf16 scale: a power of two
//     qlu4c16p                index       f16 scales of both halves: 4 significant bits
//     qlu4c16ps1s0scalef16    index       f16 scales of both halves: 4 significant bits
//
// Rows of IQ4_NL with a table of the caller's own are packed like those of IQ4_NL.
//
// where weight = scale * value + min = scale * (value - 8) + zero, zero = RN(8 * scale + min): the products are exact,
// so that the scale is exact and the zero is rounded once. The packed blocks are the runs of the source that share a
// scale.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/core/check.hpp"
#include "kai/engines/gguf/gguf_neon.hpp"
#include "kai/engines/gguf/gguf_pack_q4_k.hpp"
#include "kai/engines/core/pack_getters.hpp"
#include "kai/engines/pack/pack_neon_columns.hpp"
#include "kai/engines/pack/pack_rhs_columns.hpp"
#include "kai/engines/core/pack_rhs_rules.hpp"
#include "kai/ukernels/pack/kai_rhs_pack.h"

namespace kai {
namespace {

/// How a format stores a block.
struct Target {
    const Format& format;
    unsigned added;           // to a value
    float stored_scale;       // of a scale of 1
    bool zero_missing;        // missing columns are zero; else they repeat the last one
    uint8_t kr, kr_multiple;  // rules: the only kr, or any multiple of this up to 16
    uint8_t nr_multiple;

    constexpr bool has_zero() const {
        return format.block_tail != 0;
    }
    /// Fields are f16, and the minimum takes the place of the zero.
    constexpr bool has_halves() const {
        return format.block_tail == 2 * sizeof(uint16_t);
    }
};
inline constexpr Target to_qsi8c32p = {qsi8c32p, 0, 1, false, 0, 2, 0};
inline constexpr Target to_qsi8c32pscalef16 = {qsi8c32pscalef16, 0, 1, true, 4, 0, 0};
inline constexpr Target to_qsi4c32p = {qsi4c32p, 0, 1, false, 0, 2, 0};
inline constexpr Target to_qsi4c32ps1s0scalef16 = {qsi4c32ps1s0scalef16, 8, 1, true, 4, 0, 0};
inline constexpr Target to_qai4c32p = {qai4c32p, 8, 0.0625F, false, 0, 2, 0};
inline constexpr Target to_qai4c32ps1s0nrx4 = {qai4c32ps1s0nrx4, 0, 1, false, 8, 0, 4};
inline constexpr Target to_qai4c32ps1s0sf16 = {qai4c32ps1s0sf16, 0, 1, false, 4, 0, 4};
inline constexpr Target to_qlu4c32p = {qlu4c32p, 0, 1, false, 0, 2, 4};
inline constexpr Target to_qlu4c32pscalebf16 = {qlu4c32pscalebf16, 0, 1, false, 0, 2, 4};
inline constexpr Target to_qlu4c32ps1s0scalef16 = {qlu4c32ps1s0scalef16, 0, 1, false, 4, 0, 4};
inline constexpr Target to_qlu4c32ps1s0scalebf16 = {qlu4c32ps1s0scalebf16, 0, 1, false, 4, 0, 4};
inline constexpr Target to_qlu4c16p = {qlu4c16p, 0, 1, false, 0, 2, 4};
inline constexpr Target to_qlu4c16ps1s0scalef16 = {qlu4c16ps1s0scalef16, 0, 1, false, 4, 0, 4};

constexpr kai_rhs_rules gguf_rules(const char* name, const Target& to, const Block& t) {
    kai_rhs_rules rules = rhs_rules(name, to.format, true);
    rules.bl = static_cast<uint16_t>(packed_bl(t));
    rules.source_weights = static_cast<uint16_t>(t.weights);
    rules.source_bytes = static_cast<uint16_t>(t.bytes);
    rules.sr = 2;
    rules.kr = to.kr;
    rules.kr_multiple = to.kr_multiple;
    rules.kr_max = to.kr == 0 ? 16 : 0;
    rules.nr_multiple = to.nr_multiple;
    return rules;
}

/// The rules of a packer with a table in the call.
constexpr kai_rhs_rules table_rules(const char* name, const Target& to) {
    kai_rhs_rules rules = gguf_rules(name, to, IQ4_NL);
    rules.table = true;
    return rules;
}

struct GgufPack {
    size_t n, k;
    Tile tile;
    const uint8_t* rhs;
    size_t rhs_stride;
    void* packed;
    const int8_t* table;  // of indices
    size_t panel_stride;  // 0: dense

    size_t panels = (n + tile.rows - 1) / tile.rows;

    KAI_INLINE size_t panel_step(const Format& format, size_t bl) const {
        return panel_stride != 0 ? panel_stride : format.stride(tile, k, bl);
    }
    /// The source of place c of a panel; missing columns of the last panel repeat column n - 1.
    KAI_INLINE const uint8_t* column(size_t panel, size_t c) const {
        const size_t at = panel * tile.rows + c;
        return rhs + (at < n ? at : n - 1) * rhs_stride;
    }
};

/// Writes the end of a panel, a bias of zero, and the table before its first block. Panels of formats with a table have
/// four columns or more.
KAI_INLINE void finish_panel(const Target& to, const GgufPack& p, uint8_t* panel, size_t panel_step) {
    const size_t tail = p.tile.rows * to.format.panel_tail, head = p.tile.rows * to.format.panel_head;
    for (size_t i = panel_step - tail; i < panel_step; i += 4) {
        store(panel + i, uint32_t{0});
    }
    for (size_t i = 0; i < head; i += 4) {
        store(panel + i, i < 16 ? load<uint32_t>(bytes(p.table) + i) : 0);
    }
}

/// The place of column c among f16 fields: the left and the right half of a panel take turns.
KAI_INLINE size_t place_in_halves(size_t columns, size_t c) {
    return c < columns / 2 ? 2 * c : 2 * c - columns + 1;
}

/// Minimum and scale of column c of a packed block, whose fields start at `tail`.
KAI_INLINE void store_halves(const Scale& s, size_t columns, size_t c, uint8_t* tail) {
    uint8_t* to = tail + sizeof(uint16_t) * place_in_halves(columns, c);
    store(to, kai_cast_f16_f32(s.min));
    store(to + sizeof(uint16_t) * columns, kai_cast_f16_f32(s.scale));
}

/// The scale of run j in the 16 bits of the format.
KAI_INLINE uint16_t stored_scale(const Target& to, const Block& t, const uint8_t* block, size_t j) {
    if (t.scales == Scales::one) {
        return load<uint16_t>(block + t.d);
    }
    const float scale = scale_of(t, block, j).scale;
    return to.format.bf16_scales ? kai_cast_bf16_f32(scale) : kai_cast_f16_f32(scale);
}

/// Any tile.
[[gnu::noinline]] void pack_gguf_scalar(const Target& to, const Block& t, const GgufPack& p) {
    const Format& format = to.format;
    const size_t bl = packed_bl(t), per = t.weights / bl, parts = bl / t.run;
    const size_t panel_step = p.panel_step(format, bl);
    for (size_t panel = 0; panel < p.panels; ++panel) {
        uint8_t* out = bytes(p.packed, panel * panel_step);
        for (size_t c = 0; c < p.tile.rows; ++c) {
            const uint8_t* column = p.column(panel, c);
            for (size_t b = 0; b < p.k / bl; ++b) {
                const uint8_t* block = column + b / per * t.bytes;
                if (to.has_halves()) {
                    store_halves(scale_of(t, block, b % per), p.tile.rows, c, out + format.tail(p.tile, bl, b));
                } else if (to.has_zero()) {
                    const Scale s = scale_of(t, block, b % per);
                    uint8_t* tail = out + format.tail(p.tile, bl, b) + 4 * c;
                    store(tail, 8 * s.scale + s.min);
                    store(tail + 4 * p.tile.rows, s.scale * to.stored_scale);
                }
                for (size_t part = 0; !to.has_zero() && part < parts; ++part) {
                    store(
                        out + format.head(p.tile, p.k, bl, b) + 2 * (part * p.tile.rows + c),
                        stored_scale(to, t, block, b % per * parts + part));
                }
                uint8_t* elements = out + format.elements(p.tile, bl, b);
                for (size_t i = 0; i < bl; ++i) {
                    const size_t weight = b % per * bl + i;
                    const unsigned value = keeps_indices(t) ? low_bits_of(t, block, weight)
                                                            : static_cast<unsigned>(value_of(t, block, weight));
                    const unsigned element = (value + to.added) & ((1U << format.bits) - 1);
                    const auto at = format.at(p.tile, bl, c, i);
                    // The low nibble of a byte belongs to the smaller i and so comes first. A whole byte has no shift.
                    elements[at.byte] =
                        static_cast<uint8_t>(at.shift == 0 ? element : elements[at.byte] | element << 4);
                }
            }
        }
        finish_panel(to, p, out, panel_step);
    }
}

#if defined(__aarch64__)

/// Whether quants of 4 bits are values of the format, but for one bit: bytes of the source become bytes of the panel.
constexpr bool keeps_nibbles(const Block& t) {
    return t.low.bits == 4 && t.high.bits == 0 && (t.table == nullptr || keeps_indices(t));
}

/// Runs that are in the low and in the high nibbles of the same bytes.
constexpr size_t runs_in_a_byte(const Block& t) {
    return keeps_nibbles(t) && t.low.distance == t.run ? 2 : 1;
}

/// 16 bytes of the run from `first` on: values i to i + 15 of its first half in the low nibbles, of its second half in
/// the high ones. high_run: it is in the high nibbles of the source.
template <const Target& to, const Block& t>
KAI_INLINE uint8x16_t nibbles_x16(const uint8_t* block, size_t first, size_t i, bool high_run) {
    if constexpr (t.low.distance == 8) {  // two runs of 16, each with its halves in the nibbles of 8 bytes
        const uint8x8_t a = vld1_u8(block + t.low.byte(first)), b = vld1_u8(block + t.low.byte(first + 16));
        return vcombine_u8(vsli_n_u8(a, b, 4), vsri_n_u8(b, a, 4));
    } else if constexpr (keeps_nibbles(t)) {
        constexpr unsigned flip = (static_cast<unsigned>(t.bias) + to.added) & 15U;
        static_assert(flip % 8 == 0 && t.run == 32);
        const uint8_t* src = block + t.low.byte(first);
        uint8x16_t v = vld1q_u8(src);
        if constexpr (runs_in_a_byte(t) == 2) {
            const uint8x16_t second = vld1q_u8(src + 16);
            v = high_run ? vsriq_n_u8(second, v, 4) : vsliq_n_u8(v, second, 4);
        }
        return flip == 0 ? v : veorq_u8(v, vdupq_n_u8(flip * 0x11));
    } else {
        const int8x16_t added = vdupq_n_s8(to.added);
        const int8x16_t low = vaddq_s8(values_x16<t>(block, first + i), added);
        const int8x16_t high = vaddq_s8(values_x16<t>(block, first + t.run / 2 + i), added);
        return vsliq_n_u8(vreinterpretq_u8_s8(low), vreinterpretq_u8_s8(high), 4);
    }
}

/// The run from `first` on of four columns, to a format of bytes.
template <const Block& t, size_t group>
KAI_INLINE void pack_bytes(const FourColumns& src, size_t first, uint8_t* dst, size_t group_step) {
    static_assert(t.run == 32);
    int8x16_t values[4][2];
    KAI_UNROLL(4)
    for (size_t c = 0; c < 4; ++c) {
        values_x32<t>(src.at[c], first, values[c]);
    }
    KAI_UNROLL(2)
    for (size_t half = 0; half < 2; ++half) {
        uint8x16_t v[4], out[4];
        KAI_UNROLL(4)
        for (size_t c = 0; c < 4; ++c) {
            v[c] = vreinterpretq_u8_s8(values[c][half]);
        }
        interleave<group>(v, out);
        dst = store_groups<group>(out, opaque(dst), group_step);
    }
}

/// The run from `first` on of four columns, to a format of nibbles.
template <const Target& to, const Block& t, size_t group>
KAI_INLINE void pack_run(const FourColumns& src, size_t first, bool high_run, uint8_t* dst, size_t group_step) {
    [[maybe_unused]] uint8_t* second_half = dst + group_step / group * (packed_bl(t) / 4);
    for (size_t i = 0; i < packed_bl(t) / 2; i += 16) {
        uint8x16_t v[4], out[4];
        KAI_UNROLL(4)
        for (size_t c = 0; c < 4; ++c) {
            v[c] = nibbles_x16<to, t>(src.at[c], first, i, high_run);
        }
        if constexpr (to.format.nibble_distance == 1) {
            split_halves<to.format.nibble_distance, 0>(v, out, out + 2);
            dst = store_groups<group, 2>(out, opaque(dst), group_step);
            second_half = store_groups<group, 2>(out + 2, opaque(second_half), group_step);
        } else {
            interleave<group>(v, out);
            dst = store_groups<group>(out, opaque(dst), group_step);
        }
    }
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

/// f16 of four columns.
KAI_INLINE float32x4_t load_four_f16(const FourColumns& src, size_t offset) {
    return vcvt_f32_f16(vreinterpret_f16_u64(vcreate_u64(load_four_u16(src, offset))));
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

/// Zeros (or minima) and scales of the runs of a block, of four columns. dst: after the first run.
template <const Target& to, const Block& t>
KAI_INLINE void pack_zeros(const FourColumns& src, uint8_t* dst, size_t step, size_t scales) {
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
        for (size_t j = 0; j < t.weights / t.run; ++j, dst += step) {
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

/// Where parts of a panel are, in bytes.
struct PanelSteps {
    size_t rows;   // columns of the panel
    size_t group;  // from groups of a column to the next ones
    size_t block;  // from a packed block to the next one
    size_t field;  // from its scales to theirs
};

/// `blocks` blocks of four columns. dst, field: where the first ones of their elements and scales belong.
using PackBlocks = void(FourColumns& src, size_t blocks, uint8_t* dst, uint8_t* field, const PanelSteps& steps);

template <const Target& to, const Block& t, size_t group>
void pack_blocks(FourColumns& columns, size_t blocks, uint8_t* dst, uint8_t* field, const PanelSteps& steps) {
    constexpr size_t bl = packed_bl(t), per = t.weights / bl, together = runs_in_a_byte(t);
    const PanelSteps s = steps;  // local copies: stores cannot alias them
    FourColumns src = columns;
    for (; blocks != 0; --blocks, field += per * s.field, advance(src, t.bytes)) {
        if constexpr (to.has_zero()) {
            pack_zeros<to, t>(src, field, s.block, (to.has_halves() ? 2 : 4) * s.rows);
        } else {
            KAI_UNROLL(2)
            for (size_t b = 0; b < per; ++b) {
                pack_scales<to, t>(src, b, field + b * s.field, 2 * s.rows);
            }
        }
        for (size_t run = 0; run < per; run += together, dst += together * s.block) {
            if constexpr (to.format.bits == 8) {
                pack_bytes<t, group>(src, run * bl, dst, s.group);
            } else if constexpr (together == 2 && to.format.nibble_distance == 1) {
                pack_neighbours<to, t, group>(src, run * bl, dst, s.block, s.group);
            } else {
                KAI_UNROLL(2)
                for (size_t high = 0; high < together; ++high) {
                    pack_run<to, t, group>(src, (run + high) * bl, high == 1, dst + high * s.block, s.group);
                }
            }
        }
    }
}

/// The loops for groups of 2, 4 and 8; NULL: element by element.
struct Loops {
    PackBlocks *by_2 = nullptr, *by_4 = nullptr, *by_8 = nullptr;
};
template <const Target& to, const Block& t>
constexpr Loops loops_of() {
    Loops loops = {};
    if constexpr (to.format.group == Format::two) {
        loops.by_2 = pack_blocks<to, t, 2>;
    } else {
        loops.by_4 = pack_blocks<to, t, 4>;
        if constexpr (to.format.group != Format::kr) {
            loops.by_8 = pack_blocks<to, t, 8>;
        }
    }
    return loops;
}

/// Four columns at a time; in a wide panel, 512 weights of each: written lines stay in the first-level cache until they
/// are full.
[[gnu::noinline]] void pack_by_four(const Target& to, const Block& t, PackBlocks* pack, const GgufPack& p) {
    const Format& format = to.format;
    const size_t bl = packed_bl(t), per = t.weights / bl, blocks = p.k / t.weights;
    const size_t at_a_time = p.tile.rows == 4 ? blocks : 512 / t.weights;
    const size_t group = format.group_size(p.tile),
                 step = format.elements(p.tile, bl, 1) - format.elements(p.tile, bl, 0);
    const size_t field_step = to.has_zero() ? step : format.head(p.tile, p.k, bl, 1) - format.head(p.tile, p.k, bl, 0);
    const size_t panel_step = p.panel_step(format, bl), first = format.elements(p.tile, bl, 0);
    const size_t first_field = to.has_zero() ? format.tail(p.tile, bl, 0) : format.head(p.tile, p.k, bl, 0);
    const PanelSteps steps = {p.tile.rows, group * p.tile.rows, step, field_step};
    for (size_t panel = 0; panel < p.panels; ++panel) {
        uint8_t* out = bytes(p.packed, panel * panel_step);
        uint8_t *elements = out + first, *fields = out + first_field;
        for (size_t b = 0; b < blocks; b += at_a_time) {
            for (size_t c = 0; c < p.tile.rows; c += 4) {
                FourColumns src = {
                    {p.column(panel, c), p.column(panel, c + 1), p.column(panel, c + 2), p.column(panel, c + 3)}};
                advance(src, b * t.bytes);
                const size_t field = to.has_halves() ? 2 * place_in_halves(p.tile.rows, c)
                                     : to.has_zero() ? 4 * c
                                                     : 2 * c;
                pack(
                    src, at_a_time < blocks - b ? at_a_time : blocks - b, elements + b * per * step + group * c,
                    fields + b * per * field_step + field, steps);
            }
        }
        finish_panel(to, p, out, panel_step);
    }
}

PackBlocks* loop_of(const Loops& loops, size_t group) {
    return group == 2 ? loops.by_2 : group == 4 ? loops.by_4 : group == 8 ? loops.by_8 : nullptr;
}

#else

struct Loops {};
template <const Target& to, const Block& t>
constexpr Loops loops_of() {
    return {};
}

#endif

/// The parts of a packer.
struct Gguf {
    const Target& to;
    const Block& t;
    Loops loops;
};

[[gnu::noinline]] void pack_checked(const kai_rhs_rules& rules, const Gguf& g, const kai_rhs_call& c) {
    const auto* table = rules.table ? static_cast<const int8_t*>(c.table) : g.t.table;
    const GgufPack p = {c.n, c.k, {c.nr, c.kr, c.sr}, bytes(c.rhs), c.rhs_stride, c.packed, table, c.panel_stride};
#if defined(__aarch64__)
    PackBlocks* pack =
        p.tile.rows % (g.to.has_halves() ? 8 : 4) == 0 ? loop_of(g.loops, g.to.format.group_size(p.tile)) : nullptr;
    if (pack != nullptr) {
        pack_by_four(g.to, g.t, pack, p);
    } else {
        pack_gguf_scalar(g.to, g.t, p);
    }
#else
    pack_gguf_scalar(g.to, g.t, p);
#endif
    if (g.to.zero_missing) {
        zero_missing_columns(g.to.format, p.tile, c.n, c.k, g.t.run, c.packed);
    }
}

void check_and_pack(const kai_rhs_rules& rules, const Gguf& g, const kai_rhs_call& c) {
    kai_check_rhs_call(&rules, &c);
    pack_checked(rules, g, c);
}

template <const Target& to, const Block& t>
inline constexpr Gguf kGguf = {to, t, loops_of<to, t>()};

}  // namespace
}  // namespace kai

#define KAI_DEFINE_GGUF(FORMAT, TYPE, SUFFIX)                                                                         \
    KAI_RHS_RULES(rhs_pack_nxk_##FORMAT##_gg##SUFFIX, gguf_rules, kai::to_##FORMAT, kai::TYPE)                        \
    KAI_DEFINE_RHS_PACK_GETTERS_CX(rhs_pack_nxk_##FORMAT##_gg##SUFFIX, n_idx* rhs_stride)                             \
    KAI_RUN_RHS_PACK_NXK_GGUF(rhs_pack_nxk_##FORMAT##_gg##SUFFIX) {                                                   \
        kai::check_and_pack(                                                                                          \
            kai_rules_rhs_pack_nxk_##FORMAT##_gg##SUFFIX, kai::kGguf<kai::to_##FORMAT, kai::TYPE>,                    \
            {num_groups, n, k, nr, kr, sr, 0, rhs, rhs_stride, nullptr, nullptr, nullptr, 0, rhs_packed, extra_bytes, \
             params});                                                                                                \
    }

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

KAI_DEFINE_GGUF(qsi8c32p, Q8_0, q8_0)
KAI_DEFINE_GGUF(qsi8c32p, Q5_0, q5_0)
KAI_DEFINE_GGUF(qsi8c32pscalef16, Q8_0, q8_0)
KAI_DEFINE_GGUF(qsi8c32pscalef16, Q5_0, q5_0)
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
KAI_DEFINE_GGUF(qai4c32p, Q4_1, q4_1)
KAI_DEFINE_GGUF(qai4c32p, Q4_K, q4_k)
KAI_DEFINE_GGUF(qai4c32ps1s0nrx4, Q4_1, q4_1)
KAI_DEFINE_GGUF(qai4c32ps1s0nrx4, Q4_K, q4_k)
KAI_DEFINE_GGUF(qai4c32ps1s0sf16, Q4_K, q4_k)
KAI_DEFINE_GGUF(qlu4c32p, IQ4_NL, iq4_nl)
KAI_DEFINE_GGUF(qlu4c32pscalebf16, MXFP4, mxfp4)
KAI_DEFINE_GGUF(qlu4c16p, NVFP4, nvfp4)
KAI_DEFINE_GGUF(qlu4c32ps1s0scalef16, IQ4_NL, iq4_nl)
KAI_DEFINE_GGUF(qlu4c32ps1s0scalebf16, MXFP4, mxfp4)
KAI_DEFINE_GGUF(qlu4c16ps1s0scalef16, NVFP4, nvfp4)
KAI_DEFINE_TABLE(qlu4c32p)
KAI_DEFINE_TABLE(qlu4c32ps1s0scalef16)

void kai_pack_rhs_q4_k(const kai_rhs_call* call, const char* name) {
    const kai_rhs_rules& rules = kai_rules_rhs_pack_nxk_qai4c32ps1s0sf16_ggq4_k;
    KAI_REFUSE("kai_", name, kai_rhs_call_violation(&rules, call));
    kai::pack_checked(rules, kai::kGguf<kai::to_qai4c32ps1s0sf16, kai::Q4_K>, *call);
}

}  // extern "C"
