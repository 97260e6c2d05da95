// LHS packers that quantise block by block: their parameters, and the scalar packer. The scalar packer is the
// specification: it runs on every host, and pack_neon_lhs_blocks.hpp gives the same bytes.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/pack/pack_lhs_source.hpp"
#include "kai/engines/core/quantise.hpp"

namespace kai {
namespace {

/// The fields of a block: each is an array of one entry per row of the panel.
enum class LhsFields {
    scale,           // f16 scale
    sum_scale,       // f32 sum of the quants times the scale, f32 scale
    half_sum_scale,  // the same in f16: each is rounded once
    scale_sums,      // f32 scale, sums of 32 quants each: 8 bytes high, 8 bytes low (SumOfQuants)
    scale_sums_16,   // f32 scale, sums of 16 quants each: 16 bytes high, 16 bytes low; those of eight are together
};

/// Quants of a sum.
constexpr size_t length_of_sums(LhsFields fields) {
    return fields == LhsFields::scale_sums_16 ? 16 : 32;
}

/// How packers with f32 scales compute them, and the others.
constexpr ScaleRule rule_with(LhsFields fields) {
    return fields == LhsFields::scale ? ScaleRule::amax_over_127 : ScaleRule::of_127_over_amax;
}

/// Whether the sum of a block is among them.
constexpr bool has_sum(LhsFields fields) {
    return fields == LhsFields::sum_scale || fields == LhsFields::half_sum_scale;
}

/// How a packer quantises a block.
struct LhsBlockKind {
    const Format& format;
    SourceType source;
    Ties ties;  // of x * multiplier

    constexpr LhsFields fields() const {
        return format.block_tail == 2 * sizeof(float)      ? LhsFields::sum_scale
               : format.block_tail == 2 * sizeof(uint16_t) ? LhsFields::half_sum_scale
               : format.block_head == 20                   ? LhsFields::scale_sums
               : format.block_head == 36                   ? LhsFields::scale_sums_16
                                                           : LhsFields::scale;
    }
    /// Bytes of the first entry.
    constexpr size_t field_width() const {
        const bool half = fields() == LhsFields::scale || fields() == LhsFields::half_sum_scale;
        return half ? sizeof(uint16_t) : sizeof(float);
    }
    /// Where the fields of a block start: at its head or its tail, whichever the format has.
    KAI_INLINE size_t fields_offset(const LhsRows& p, size_t block) const {
        return format.block_head != 0 ? format.head(p.tile, p.k, p.bl, block) : format.tail(p.tile, p.bl, block);
    }
};

/// The sum of 16 or 32 quants, 128 * high + low: both fit a byte, low is -64 ... 63.
struct SumOfQuants {
    int32_t high, low;

    KAI_INLINE explicit SumOfQuants(int32_t sum) : high((sum + 64) >> 7), low(sum - high * 128) {
    }
};

/// The sums of a block of one row, from its quants.
KAI_INLINE void put_sums_scalar(
    const LhsBlockKind& kind, const LhsRows& p, const uint8_t* quants, size_t slot, uint8_t* sums) {
    const size_t length = length_of_sums(kind.fields()), count = p.bl / length;
    for (size_t j = 0; j < count; ++j) {
        int32_t sum = 0;
        for (size_t i = 0; i < length; ++i) {
            sum += static_cast<int8_t>(quants[kind.format.at(p.tile, p.bl, slot, length * j + i).byte]);
        }
        const size_t at = j / 8 * 8 * p.tile.rows + j % 8;
        sums[at] = static_cast<uint8_t>(SumOfQuants(sum).high);
        sums[count * p.tile.rows + at] = static_cast<uint8_t>(SumOfQuants(sum).low);
    }
}

/// A block of one row: its quants to their slot, and its fields.
KAI_INLINE void pack_block_scalar(
    const LhsBlockKind& kind, const LhsRows& p, const uint8_t* src, uint8_t* quants, size_t slot, uint8_t* fields) {
    uint32_t amax = 0;
    for (size_t j = 0; j < p.bl; ++j) {
        const uint32_t x = magnitude_at(kind.source, src + j * size_of(kind.source));
        amax = x > amax ? x : amax;
    }
    const BlockScale<float> s = scale_of(rule_with(kind.fields()), value_of(kind.source, amax));

    int32_t sum = 0;
    for (size_t j = 0; j < p.bl; ++j) {
        const int32_t q = round_to_int(kind.ties, value_at(kind.source, src, j) * s.multiplier);
        quants[kind.format.at(p.tile, p.bl, slot, j).byte] = static_cast<uint8_t>(q);
        sum += q;
    }
    switch (kind.fields()) {
        case LhsFields::scale:
            store(fields, kai_cast_f16_f32(s.scale));
            break;
        case LhsFields::sum_scale:
            store(fields, static_cast<float>(sum) * s.scale);
            store(fields + sizeof(float) * p.tile.rows, s.scale);
            break;
        case LhsFields::half_sum_scale:
            store(fields, kai_cast_f16_f32(static_cast<float>(sum) * s.scale));
            store(fields + sizeof(uint16_t) * p.tile.rows, kai_cast_f16_f32(s.scale));
            break;
        case LhsFields::scale_sums:
        case LhsFields::scale_sums_16:
            store(fields, s.scale);
            put_sums_scalar(kind, p, quants, slot, fields + sizeof(float) * p.tile.rows + sizeof(float) * slot);
            break;
    }
}

[[gnu::noinline, gnu::cold]] void pack_row_scalar(
    const LhsBlockKind& kind, const LhsRows& p, const uint8_t* src, const RowPlace& to) {
    for (size_t block = 0; block * p.bl < p.k; ++block, src += p.bl * size_of(kind.source)) {
        pack_block_scalar(
            kind, p, src, to.panel + kind.format.elements(p.tile, p.bl, block), to.slot,
            to.panel + kind.fields_offset(p, block) + kind.field_width() * to.slot);
    }
}

[[gnu::noinline, gnu::cold]] void pack_lhs_blocks_scalar(const LhsBlockKind& kind, const LhsRows& p) {
    RowPlace to = RowPlace::of_first(p);
    for (size_t i = 0; i < p.m; ++i, to.advance(p, 1, kind.format.stride(p.tile, p.k, p.bl))) {
        pack_row_scalar(kind, p, p.row(i), to);
    }
}

}  // namespace
}  // namespace kai
