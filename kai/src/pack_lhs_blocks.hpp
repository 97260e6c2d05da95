// LHS packers that quantise block by block: scalar. A packer is a combination of
//
//   Source   type of the elements of a row (lhs_source.hpp)
//   Scale    multiplier and scale of a block (quantize.hpp)
//   ties     rounding of x * multiplier
//   Fields   what is stored beside the quants of a block, and where
//   format   where the quants of a row go (layout.hpp)
//
// The scalar packer is the specification: it runs on every host, and pack_lhs_blocks_neon.hpp gives the same bytes.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/src/layout.hpp"
#include "kai/src/lhs_source.hpp"
#include "kai/src/quantize.hpp"

namespace kai {
namespace {

/// Rows first_row ... first_row + m - 1 of a matrix, and the panel that row first_row goes to.
struct LhsPack {
    size_t m, k, bl;
    Tile tile;
    size_t first_row;
    const void* lhs;    // row 0
    size_t lhs_stride;  // bytes
    void* packed;

    KAI_INLINE const uint8_t* row(size_t i) const {
        return bytes(lhs, (first_row + i) * lhs_stride);
    }
    KAI_INLINE size_t slot(size_t i) const {
        return (first_row + i) % tile.rows;
    }
    KAI_INLINE uint8_t* panel(const Format& format, size_t i) const {
        return bytes(packed, ((first_row + i) / tile.rows - first_row / tile.rows) * format.stride(tile, k, bl));
    }
};

/// @name Fields: what is stored of a block, given the sum of its quants and their scale
///
/// Each field is an array of one entry per row of the panel; `width` is the size of an entry. put() fills the entries
/// of one row, the first of which is at dst. Four holds the fields of four blocks: of four rows, which put() stores
/// side by side, or of any row, which put_lane() stores.
/// @{

/// f16 scale.
struct FieldsScaleF16 {
    static constexpr size_t width = 2;
    static constexpr bool needs_sum = false;

    KAI_INLINE static void put(uint8_t* dst, size_t, int32_t, float scale) {
        store(dst, kai_cast_f16_f32(scale));
    }
#if defined(__aarch64__)
    struct Four {
        uint16x4_t scale;

        KAI_INLINE Four(int32x4_t, float32x4_t s) : scale(vreinterpret_u16_f16(vcvt_f16_f32(s))) {
        }
        KAI_INLINE void put(uint8_t* dst, size_t) const {
            store(dst, scale);
        }
        KAI_INLINE void put_lane(uint8_t* dst, size_t, size_t lane) const {
            store<uint16_t>(dst, scale[lane]);
        }
    };
#endif
};

/// f32 sum of the quants times the scale, f32 scale.
struct FieldsSumScaleF32 {
    static constexpr size_t width = 4;
    static constexpr bool needs_sum = true;

    KAI_INLINE static void put(uint8_t* dst, size_t rows, int32_t sum, float scale) {
        store(dst, static_cast<float>(sum) * scale);
        store(dst + width * rows, scale);
    }
#if defined(__aarch64__)
    struct Four {
        float32x4_t sum, scale;

        KAI_INLINE Four(int32x4_t q, float32x4_t s) : sum(vmulq_f32(vcvtq_f32_s32(q), s)), scale(s) {
        }
        KAI_INLINE void put(uint8_t* dst, size_t rows) const {
            store(dst, sum);
            store(dst + width * rows, scale);
        }
        KAI_INLINE void put_lane(uint8_t* dst, size_t rows, size_t lane) const {
            store<float>(dst, sum[lane]);
            store<float>(dst + width * rows, scale[lane]);
        }
    };
#endif
};

/// Where the fields of a block start: at its head or its tail, whichever the format has.
constexpr size_t fields_offset(const Format& format, const LhsPack& p, size_t block) {
    return format.block_head != 0 ? format.head(p.tile, p.k, p.bl, block) : format.tail(p.tile, p.bl, block);
}
/// @}

template <typename Source, typename Scale, Ties ties, typename Fields>
[[gnu::noinline]] void pack_lhs_blocks_scalar(const Format& format, const LhsPack& p) {
    for (size_t i = 0; i < p.m; ++i) {
        const size_t slot = p.slot(i);
        uint8_t* panel = p.panel(format, i);
        const uint8_t* src = p.row(i);

        for (size_t block = 0; block * p.bl < p.k; ++block, src += p.bl * Source::size) {
            typename Source::Bits amax = 0;
            for (size_t j = 0; j < p.bl; ++j) {
                const auto x = without_sign(bits_at<Source>(src, j));
                amax = x > amax ? x : amax;
            }
            const BlockScale<float> s = Scale::of(Source::value(amax));

            uint8_t* dst = panel + format.elements(p.tile, p.bl, block);
            int32_t sum = 0;
            for (size_t j = 0; j < p.bl; ++j) {
                const int32_t q = round_to_int<ties>(value_at<Source>(src, j) * s.multiplier);
                dst[format.at(p.tile, p.bl, slot, j).byte] = static_cast<uint8_t>(q);
                sum += q;
            }
            Fields::put(panel + fields_offset(format, p, block) + Fields::width * slot, p.tile.rows, sum, s.scale);
        }
    }
}

}  // namespace
}  // namespace kai
