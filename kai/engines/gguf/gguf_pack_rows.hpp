// RHS packers of rows of GGUF blocks, N x K, to the int4 and int8 formats: each column is a row of the file. The
// sources, one for each kind of target, share what is here: targets as data, any tile element by element, the walk over
// panels.
//
//     gguf_pack_int8.cpp       qsi8c32p...
//     gguf_pack_int4.cpp       qsi4c32p...
//     gguf_pack_affine.cpp     qai4c32p...: with a zero or a minimum
//     gguf_pack_indices.cpp    qlu4c32p..., qlu4c16p...: indices of a table
//
// The packed blocks are the runs of the source that share a scale. NEON takes four columns at a time; each source
// defines how their fields and their elements go into a panel (pack_fields, pack_elements).
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/check.hpp"
#include "kai/engines/core/pack_getters.hpp"
#include "kai/engines/core/pack_rhs_rules.hpp"
#include "kai/engines/gguf/gguf.hpp"
#include "kai/engines/pack/pack_neon_columns.hpp"
#include "kai/engines/pack/pack_rhs_columns.hpp"
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

/// Where parts of a panel are, in bytes.
struct PanelSteps {
    size_t rows;   // columns of the panel
    size_t group;  // from groups of a column to the next ones
    size_t block;  // from a packed block to the next one
    size_t field;  // from its scales to theirs
};

/// @name What each source defines
/// @{

/// Scales, and zeros or minima, of a block of four columns. dst: where those of its first packed block belong.
template <const Target& to, const Block& t>
KAI_INLINE void pack_fields(const FourColumns& src, uint8_t* dst, const PanelSteps& steps);

/// The elements of a block of four columns. Returns where those of the next block belong.
template <const Target& to, const Block& t, size_t group>
KAI_INLINE uint8_t* pack_elements(const FourColumns& src, uint8_t* dst, const PanelSteps& steps);

/// For pack_run: 16 bytes of the run from `first` on, with values i to i + 15 of its first half in the low nibbles, of
/// its second half in the high ones. high_run: the run is in the high nibbles of the source, and another in the low
/// ones.
template <const Target& to, const Block& t>
KAI_INLINE uint8x16_t nibbles_x16(const uint8_t* block, size_t first, size_t i, bool high_run);

/// @}

/// Whether quants of 4 bits are values of the format, but for one bit: bytes of the source become bytes of the panel.
constexpr bool keeps_nibbles(const Block& t) {
    return t.low.bits == 4 && t.high.bits == 0 && (t.table == nullptr || keeps_indices(t));
}

/// The run from `first` on of four columns, to a format of nibbles.
template <const Target& to, const Block& t, size_t group>
KAI_INLINE void pack_run(const FourColumns& src, size_t first, uint8_t* dst, size_t group_step, bool high_run = false) {
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

/// `blocks` blocks of four columns. dst, field: where the first ones of their elements and scales belong.
using PackBlocks = void(FourColumns& src, size_t blocks, uint8_t* dst, uint8_t* field, const PanelSteps& steps);

template <const Target& to, const Block& t, size_t group>
void pack_blocks(FourColumns& columns, size_t blocks, uint8_t* dst, uint8_t* field, const PanelSteps& steps) {
    constexpr size_t per = t.weights / packed_bl(t);
    const PanelSteps s = steps;  // local copies: stores cannot alias them
    FourColumns src = columns;
    for (; blocks != 0; --blocks, field += per * s.field, advance(src, t.bytes)) {
        pack_fields<to, t>(src, field, s);
        dst = pack_elements<to, t, group>(src, dst, s);
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

/// The packer of rows of TYPE to FORMAT, a Target to_FORMAT: its rules, getters and kai_run_NAME.
#define KAI_DEFINE_GGUF(FORMAT, TYPE, SUFFIX)                                                                         \
    KAI_RHS_RULES(rhs_pack_nxk_##FORMAT##_gg##SUFFIX, gguf_rules, kai::to_##FORMAT, kai::TYPE)                        \
    KAI_DEFINE_RHS_PACK_GETTERS_CX(rhs_pack_nxk_##FORMAT##_gg##SUFFIX, n_idx* rhs_stride)                             \
    KAI_RUN_RHS_PACK_NXK_GGUF(rhs_pack_nxk_##FORMAT##_gg##SUFFIX) {                                                   \
        kai::check_and_pack(                                                                                          \
            kai_rules_rhs_pack_nxk_##FORMAT##_gg##SUFFIX, kai::kGguf<kai::to_##FORMAT, kai::TYPE>,                    \
            {num_groups, n, k, nr, kr, sr, 0, rhs, rhs_stride, nullptr, nullptr, nullptr, 0, rhs_packed, extra_bytes, \
             params});                                                                                                \
    }
