// LHS packers that quantise block by block: NEON. The same bytes as pack_lhs_blocks_scalar.
//
// SIMD operations per element limit the speed. So:
//
//   - Four blocks, a lane each, share the divisions: those that four rows have at one place of k, or four of one row.
//   - Four rows are narrowed together (pack_neon_lhs.hpp).
//   - A block is loaded twice, for amax and for the quants: loads are cheap, and four blocks do not fit in registers.
//   - The scales of the next four blocks are computed before the quants of these, which hides the divisions.
//
// Packers share a loop if they agree in type of the source, ties and sums. The search for amax, which is the same for
// all of one type, is a function of its own.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/pack/pack_lhs_blocks.hpp"
#include "kai/engines/pack/pack_neon_lhs.hpp"

namespace kai {
namespace {

#if defined(__aarch64__)

/// Four rows, or one, and where they go.
struct BlockRows {
    FourRows src;                     // the rows; of one row: the first alone
    size_t blocks, bl;                // of a row
    uint8_t *quants, *fields;         // of block 0
    size_t quants_step, fields_step;  // from one block to the next
    size_t group;                     // elements of a row that are stored together; 0: the row is alone in its panel
    size_t group_step;                // from a group of a row to its next one
    size_t panel_rows;
    size_t slot;  // of the first row
};

// ---- Scales

/// Largest magnitudes of 32 values: that of all is the largest lane.
template <typename Source>
KAI_INLINE typename Source::Lanes largest_of_32(const uint8_t* src) {
    constexpr size_t vectors = 2 * Source::size;
    typename Source::Lanes v[vectors];
    KAI_UNROLL(8)
    for (size_t i = 0; i < vectors; ++i) {
        v[i] = without_sign(load<typename Source::Lanes>(src + 16 * i));
    }
    KAI_UNROLL(3)
    for (size_t half = vectors / 2; half > 0; half /= 2) {
        KAI_UNROLL(4)
        for (size_t i = 0; i < half; ++i) {
            v[i] = largest(v[i], v[i + half]);
        }
    }
    return v[0];
}

KAI_INLINE bool has_nan(float32x4_t v) {
    return vminvq_u32(vceqq_f32(v, v)) == 0;
}

/// How amax of four blocks of bl values is found: as bit patterns. Others: pack_neon_faminmax.cpp.
struct LargestBits {
    template <typename Source>
    KAI_INLINE static float32x4_t of(const FourRows& src, size_t bl) {
        typename Source::Lanes top[4];
        KAI_UNROLL(4)
        for (size_t r = 0; r < 4; ++r) {
            top[r] = largest_of_32<Source>(src.at[r]);
        }
        for (size_t j = 32; j < bl; j += 32) {
            KAI_UNROLL(4)
            for (size_t r = 0; r < 4; ++r) {
                top[r] = largest(top[r], largest_of_32<Source>(src.at[r] + j * Source::size));
            }
        }
        return Source::largest_of_each(top[0], top[1], top[2], top[3]);
    }
};

/// Blocks with a NaN have quants of 0, but quant_in_low_half may have produced others: clears the quants of block b if
/// lane b of `scale` is NaN. The blocks are `step` bytes apart.
[[gnu::noinline, gnu::cold]] void clear_nan_blocks(
    const BlockRows& p, float32x4_t scale, size_t count, uint8_t* quants, size_t step) {
    for (size_t b = 0; b < count; ++b) {
        for (size_t j = 0; j < p.bl && scale[b] != scale[b]; ++j) {
            quants[b * step + (p.group == 0 ? j : j / p.group * p.group_step + j % p.group)] = 0;
        }
    }
}

// ---- Sums of 16 or 32 quants (LENGTH) of blocks of 256

/// Bytes high, bytes low `low_step` further on: SumOfQuants of 8 sums.
KAI_INLINE void put_sums(uint8_t* dst, size_t low_step, int16x8_t sums) {
    const int16x8_t high = vrshrq_n_s16(sums, 7);
    store(dst, vmovn_s16(high));
    store(dst + low_step, vmovn_s16(vsubq_s16(sums, vshlq_n_s16(high, 7))));
}

/// Pairs of the 16-bit sums of vectors that have LENGTH quants of four rows: lanes {row 0, 0, 1, 1, 2, 2, 3, 3}.
template <size_t group, size_t LENGTH>
KAI_INLINE int16x8_t sums_of_four_rows(const uint8_t* quants, size_t group_step) {
    if constexpr (group == 8) {
        int16x8_t rows_01 = vpaddlq_s8(load<int8x16_t>(quants)), rows_23 = vpaddlq_s8(load<int8x16_t>(quants + 16));
        KAI_UNROLL(3)
        for (size_t g = 1; g < LENGTH / 8; ++g) {
            rows_01 = vpadalq_s8(rows_01, load<int8x16_t>(quants + g * group_step));
            rows_23 = vpadalq_s8(rows_23, load<int8x16_t>(quants + g * group_step + 16));
        }
        return vpaddq_s16(rows_01, rows_23);
    } else {
        int16x8_t rows = vpaddlq_s8(load<int8x16_t>(quants));
        KAI_UNROLL(7)
        for (size_t g = 1; g < LENGTH / 4; ++g) {
            rows = vpadalq_s8(rows, load<int8x16_t>(quants + g * group_step));
        }
        return rows;
    }
}

/// Of a block of each of four rows, from its quants. `dst`: high bytes of the first row.
template <size_t group, size_t LENGTH>
KAI_INLINE void put_sums_of_four_rows(const BlockRows& p, const uint8_t* quants, uint8_t* dst) {
    constexpr size_t count = 256 / LENGTH;
    int16_t sums[4 * count];  // [j][row]
    const size_t step = LENGTH / group * p.group_step;
    KAI_UNROLL(8)
    for (size_t j = 0; j < count; j += 2) {
        vst1q_s16(
            sums + 4 * j, vpaddq_s16(
                              sums_of_four_rows<group, LENGTH>(quants + j * step, p.group_step),
                              sums_of_four_rows<group, LENGTH>(quants + (j + 1) * step, p.group_step)));
    }
    KAI_UNROLL(2)
    for (size_t j = 0; j < count; j += 8, dst += 8 * p.panel_rows) {
        const int16x8x4_t rows = vld4q_s16(sums + 4 * j);
        KAI_UNROLL(4)
        for (size_t r = 0; r < 4; ++r) {
            put_sums(dst + 8 * r, count * p.panel_rows, rows.val[r]);
        }
    }
}

/// Of a block of a row, from its 256 quants, which are stored together.
template <size_t LENGTH>
KAI_INLINE void put_sums_of_row(const uint8_t* quants, uint8_t* dst, size_t panel_rows) {
    constexpr size_t count = 256 / LENGTH;
    int16x8_t v[count];
    KAI_UNROLL(16)
    for (size_t j = 0; j < count; ++j) {
        v[j] = vpaddlq_s8(load<int8x16_t>(quants + LENGTH * j));
        if constexpr (LENGTH == 32) {
            v[j] = vpadalq_s8(v[j], load<int8x16_t>(quants + 32 * j + 16));
        }
    }
    KAI_UNROLL(3)
    for (size_t half = count / 2; half >= count / 8; half /= 2) {
        KAI_UNROLL(8)
        for (size_t j = 0; j < half; ++j) {
            v[j] = vpaddq_s16(v[2 * j], v[2 * j + 1]);
        }
    }
    KAI_UNROLL(2)
    for (size_t j = 0; j < count / 8; ++j) {
        put_sums(dst + 8 * j * panel_rows, count * panel_rows, v[j]);
    }
}

// ---- Fields, of four blocks: of four rows, which are side by side, or of one row

template <LhsFields kind, size_t group>
KAI_INLINE void put_fields_of_four_rows(
    const BlockRows& p, const uint8_t* quants, uint8_t* dst, int32x4_t sum, float32x4_t scale) {
    if constexpr (kind == LhsFields::sum_scale) {
        store(dst, vmulq_f32(vcvtq_f32_s32(sum), scale));
        store(dst + sizeof(float) * p.panel_rows, scale);
    } else if constexpr (kind == LhsFields::half_sum_scale) {
        store(dst, vcvt_f16_f32(vmulq_f32(vcvtq_f32_s32(sum), scale)));
        store(dst + sizeof(uint16_t) * p.panel_rows, vcvt_f16_f32(scale));
    } else if constexpr (kind == LhsFields::scale_sums || kind == LhsFields::scale_sums_16) {
        store(dst, scale);
        put_sums_of_four_rows<group, length_of_sums(kind)>(p, quants, dst + sizeof(float) * (p.panel_rows + p.slot));
    } else {
        store(dst, vcvt_f16_f32(scale));
    }
}

template <LhsFields kind>
KAI_INLINE void put_fields_of_row(
    const BlockRows& p, const uint8_t* quants, uint8_t* dst, size_t count, int32x4_t sum, float32x4_t scale) {
    const float32x4_t product = vmulq_f32(vcvtq_f32_s32(sum), scale);
    const auto half = vreinterpret_u16_f16(vcvt_f16_f32(scale));
    [[maybe_unused]] const auto half_product = vreinterpret_u16_f16(vcvt_f16_f32(product));
    KAI_UNROLL(4)
    for (size_t b = 0; b < 4; ++b) {
        if (b < count) {
            uint8_t* const block = dst + b * p.fields_step;
            if constexpr (kind == LhsFields::sum_scale) {
                store<float>(block, product[b]);
                store<float>(block + sizeof(float) * p.panel_rows, scale[b]);
            } else if constexpr (kind == LhsFields::half_sum_scale) {
                store<uint16_t>(block, half_product[b]);
                store<uint16_t>(block + sizeof(uint16_t) * p.panel_rows, half[b]);
            } else if constexpr (kind == LhsFields::scale_sums || kind == LhsFields::scale_sums_16) {
                store<float>(block, scale[b]);
                put_sums_of_row<length_of_sums(kind)>(
                    quants + b * p.quants_step, block + sizeof(float) * (p.panel_rows + p.slot), p.panel_rows);
            } else {
                store<uint16_t>(block, half[b]);
            }
        }
    }
}

// ---- Loops

/// A block of each of four rows to consecutive slots. Returns the sums of the quants.
template <size_t group, typename Source, Ties ties, bool has_sums>
KAI_INLINE int32x4_t
quantise_block_of_four_rows(const FourRows& src, size_t bl, float32x4_t multiplier, uint8_t* dst, size_t group_step) {
    int32x4_t sums[2] = {};
    Loaded32<Source> x = load_8_of_four_rows<Source>(src, 0);
    for (size_t j = 0; j < bl; j += 32) {
        KAI_UNROLL(4)
        for (size_t i = 0; i < 32; i += 8, dst += 8 / group * group_step) {
            const Quants32 v = quantise_four_rows<group, Source, ties>(x, multiplier);
            if (i < 24 || j + 32 < bl) {
                x = load_8_of_four_rows<Source>(src, j + i + 8);  // before the store, which may alias
            }
            const int8x16_t q[2] = {narrow(v.v[0], v.v[1]), narrow(v.v[2], v.v[3])};
            store_8_of_four_rows<group>(dst, group_step, q[0], q[1]);
            if constexpr (has_sums) {
                sums[0] = vpadalq_s16(sums[0], vpaddlq_s8(q[0]));
                sums[1] = vpadalq_s16(sums[1], vpaddlq_s8(q[1]));
            }
        }
    }
    // Groups of 8: lanes {row 0, 0, 1, 1}, {2, 2, 3, 3}. Groups of 4: {0, 1, 2, 3} twice.
    return group == 8 ? vpaddq_s32(sums[0], sums[1]) : vaddq_s32(sums[0], sums[1]);
}

/// Four rows to consecutive slots of one panel.
template <size_t group, typename Source, Ties ties, LhsFields kind, typename Amax>
[[gnu::noinline]] void pack_four_rows(const BlockRows& rows) {
    const BlockRows p = rows;  // a local copy: stores cannot alias it
    constexpr ScaleRule rule = rule_with(kind);
    FourRows next = p.src, now = p.src;
    uint8_t *quants = p.quants, *fields = p.fields;
    BlockScale<float32x4_t> s = {};
    for (size_t i = 0; i <= p.blocks; ++i) {  // scales of block i, quants of block i - 1
        const BlockScale<float32x4_t> next_s = i < p.blocks ? scale_of(rule, Amax::template of<Source>(next, p.bl)) : s;
        if (i > 0) {
            const int32x4_t sum = quantise_block_of_four_rows<group, Source, ties, has_sum(kind)>(
                now, p.bl, s.multiplier, quants, p.group_step);
            if (quant_needs_ordered<ties> && has_nan(s.scale)) {
                clear_nan_blocks(rows, s.scale, 4, quants, group);
            }
            put_fields_of_four_rows<kind, group>(p, quants, fields, sum, s.scale);
            quants += p.quants_step;
            fields += p.fields_step;
        }
        s = next_s;
        now = next;
        KAI_UNROLL(4)
        for (size_t r = 0; r < 4; ++r) {
            next.at[r] += p.bl * Source::size;
        }
    }
}

/// A block of one row, whose quants are stored together. Returns a vector whose lanes add up to their sum.
template <typename Source, Ties ties, bool has_sums>
KAI_INLINE int32x4_t quantise_block_of_row(const uint8_t* src, size_t bl, float multiplier, uint8_t* dst) {
    int32x4_t sum = {};
    for (size_t j = 0; j < bl; j += 32) {
        const Quants32 v = quantise_row<Source, ties>(load_32_of_row<Source>(src + j * Source::size), multiplier);
        const int8x16_t q[2] = {narrow(v.v[0], v.v[1]), narrow(v.v[2], v.v[3])};
        store(dst, q[0]);
        store(dst + 16, q[1]);
        dst += 32;
        if constexpr (has_sums) {
            sum = vpadalq_s16(vpadalq_s16(sum, vpaddlq_s8(q[0])), vpaddlq_s8(q[1]));
        }
    }
    return sum;
}

/// `count` (1 to 4) blocks of a row.
template <typename Source, Ties ties, LhsFields kind>
KAI_INLINE void quantise_blocks_of_row(
    const BlockRows& p, const FourRows& src, size_t count, const BlockScale<float32x4_t>& s, uint8_t* quants,
    uint8_t* fields) {
    const bool nan = quant_needs_ordered<ties> && has_nan(s.scale);
    int32x4_t sums[4] = {};
    KAI_UNROLL(4)
    for (size_t b = 0; b < 4; ++b) {
        if (b < count) {
            sums[b] = quantise_block_of_row<Source, ties, has_sum(kind)>(
                src.at[b], p.bl, s.multiplier[b], quants + b * p.quants_step);
        }
    }
    const int32x4_t sum = vpaddq_s32(vpaddq_s32(sums[0], sums[1]), vpaddq_s32(sums[2], sums[3]));
    if (nan) {
        clear_nan_blocks(BlockRows(p), s.scale, count, quants, p.quants_step);
    }
    put_fields_of_row<kind>(p, quants, fields, count, sum, s.scale);
}

/// One row whose quants are stored together, four blocks at a time.
template <typename Source, Ties ties, LhsFields kind, typename Amax>
[[gnu::noinline]] void pack_row(const BlockRows& row) {
    const BlockRows p = row;  // a local copy: stores cannot alias it
    constexpr ScaleRule rule = rule_with(kind);
    const size_t step = p.bl * Source::size;
    uint8_t *quants = p.quants, *fields = p.fields;
    FourRows now = {};
    BlockScale<float32x4_t> s = {};
    for (size_t i = 0; i < p.blocks + 4; i += 4) {  // scales of blocks i ... i + 3, quants of the four before them
        FourRows next = {};
        BlockScale<float32x4_t> next_s = s;
        if (i < p.blocks) {
            KAI_UNROLL(4)
            for (size_t b = 0; b < 4; ++b) {  // the last one again if there are fewer
                next.at[b] = p.src.at[0] + (i + b < p.blocks ? i + b : p.blocks - 1) * step;
            }
            next_s = scale_of(rule, Amax::template of<Source>(next, p.bl));
        }
        if (i > 0) {
            const size_t left = p.blocks - (i - 4);
            quantise_blocks_of_row<Source, ties, kind>(p, now, left < 4 ? left : 4, s, quants, fields);
            quants += 4 * p.quants_step;
            fields += 4 * p.fields_step;
        }
        now = next;
        s = next_s;
    }
}

/// Longer blocks, of a row in a panel of several, are packed by the scalar code.
constexpr size_t kLongestOfSeveral = 4096;

/// The loops of a packer; NULL for groups that it does not support.
struct BlockLoops {
    void (*four_rows_8)(const BlockRows& p);
    void (*four_rows_4)(const BlockRows& p);
    void (*row)(const BlockRows& p);
};

/// Of groups of 8 and 4, or of one of them.
template <const LhsBlockKind& kind, bool groups_of_8, bool groups_of_4, typename Amax>
constexpr BlockLoops block_loops() {
    using Source = Elements<kind.source>;
    BlockLoops loops = {nullptr, nullptr, pack_row<Source, kind.ties, kind.fields(), Amax>};
    if constexpr (groups_of_8) {
        loops.four_rows_8 = pack_four_rows<8, Source, kind.ties, kind.fields(), Amax>;
    }
    if constexpr (groups_of_4) {
        loops.four_rows_4 = pack_four_rows<4, Source, kind.ties, kind.fields(), Amax>;
    }
    return loops;
}

/// A row in a panel of several: some blocks at a time, whose quants are made in a buffer. `size`: of an element.
KAI_INLINE void pack_row_of_several(const BlockLoops& loops, const BlockRows& p, size_t size) {
    uint8_t together[kLongestOfSeveral];
    BlockRows part = p;
    part.quants = together;
    part.quants_step = p.bl;
    part.group = 0;
    uint8_t* quants = p.quants;
    for (size_t left = p.blocks; left > 0; left -= part.blocks) {
        part.blocks = left * p.bl < sizeof(together) ? left : sizeof(together) / p.bl;
        loops.row(part);
        for (size_t b = 0; b < part.blocks; ++b, quants += p.quants_step) {
            spread_groups(together + b * p.bl, p.bl, quants, p.group, p.group_step);
        }
        part.src.at[0] += part.blocks * p.bl * size;
        part.fields += part.blocks * p.fields_step;
    }
}

void pack_lhs_blocks(const LhsBlockKind& kind, const BlockLoops& loops, const LhsRows& p) {
    const Format& format = kind.format;
    const bool alone = p.tile.rows == 1;
    const size_t group = format.group_size(p.tile);
    if (p.m == 0 || p.k == 0) {
        return;
    }
    if (p.bl % 32 != 0 || (!alone && group != 4 && group != 8 && group != 16)) {
        return pack_lhs_blocks_scalar(kind, p);
    }
    const size_t quants = format.elements(p.tile, p.bl, 0), fields = kind.fields_offset(p, 0);
    BlockRows rows;
    rows.blocks = p.k / p.bl;
    rows.bl = p.bl;
    rows.quants_step = format.elements(p.tile, p.bl, 1) - quants;
    rows.fields_step = kind.fields_offset(p, 1) - fields;
    rows.group = alone ? 0 : group;
    rows.group_step = group * p.tile.rows;
    rows.panel_rows = p.tile.rows;

    RowPlace to = RowPlace::of_first(p);
    for (size_t i = 0, count; i < p.m; i += count) {
        count = (group == 8 || group == 4) && i + 4 <= p.m && to.slot + 4 <= p.tile.rows ? 4 : 1;
        rows.quants = to.panel + quants + rows.group * to.slot;
        rows.fields = to.panel + fields + kind.field_width() * to.slot;
        rows.slot = to.slot;
        for (size_t r = 0; r < count; ++r) {
            rows.src.at[r] = p.row(i + r);
        }
        if (count == 4) {
            (group == 8 ? loops.four_rows_8 : loops.four_rows_4)(rows);
        } else if (alone) {
            loops.row(rows);
        } else if (p.bl <= kLongestOfSeveral) {
            pack_row_of_several(loops, rows, size_of(kind.source));
        } else {
            pack_row_scalar(kind, p, p.row(i), to);
        }
        to.advance(p, count, format.stride(p.tile, p.k, p.bl));
    }
}

#else
struct LargestBits;
#endif

/// Packs. The loops are those of the kind, for groups of 8, 4 or both.
template <const LhsBlockKind& kind, bool groups_of_8 = true, bool groups_of_4 = true, typename Amax = LargestBits>
KAI_INLINE void pack_blocks(const LhsRows& p) {
#if defined(__aarch64__)
    static constexpr BlockLoops loops = block_loops<kind, groups_of_8, groups_of_4, Amax>();
    pack_lhs_blocks(kind, loops, p);
#else
    pack_lhs_blocks_scalar(kind, p);
#endif
}

}  // namespace
}  // namespace kai
