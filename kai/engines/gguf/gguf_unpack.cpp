// A column of a packed RHS to f32, f16 or bf16.
//
//     int4, int8 with a scale       w = value * scale
//     2 bits with a scale           w = (element - 1) * scale
//     a bit with a scale            w = (2 * element - 1) * scale
//     int4 with a scale and a zero  w = fma(value, scale, zero)
//     5 bits with a minimum         w = fma(value, scale, minimum)
//     indices                       w = table[index] * scale, in super-blocks table[index] * (d * sc)
//     floats                        w = element
//     super-blocks                  w = fma(value, d * sc, -(dmin * mn))
//
// Integers: 16 bytes of a column are gathered, then become weights, 16 at a time.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/core/check.hpp"
#include "kai/engines/core/five_bits.hpp"
#include "kai/engines/core/layout.hpp"
#include "kai/engines/gguf/gguf_rows.hpp"
#include "kai/engines/superblocks/superblocks.hpp"
#include "kai/ukernels/pack/kai_rhs_unpack.h"

namespace kai {
namespace {

#if !defined(__aarch64__)
/// RN(a * b + c), without a call of the C library.
KAI_INLINE float fused(float a, float b, float c) {
    // The product is exact. The sum is rounded to odd: an even last bit that something was cut off from becomes odd, so
    // that the conversion to f32 sees on which side of a tie it is.
    const double product = double{a} * double{b}, x = c, sum = product + x;
    const double part = sum - product, cut = (product - (sum - part)) + (x - part);
    auto bits = load<uint64_t>(&sum);
    if (cut != 0 && bits % 2 == 0 && (bits >> 52 & 0x7FF) != 0x7FF) {
        bits += (cut > 0) == (sum > 0) ? 1 : -1;
    }
    return static_cast<float>(load<double>(&bits));
}
#endif

/// A column: its source and its destination.
struct Column {
    size_t n_idx, k;
    Tile tile;
    size_t bl;
    const uint8_t* packed;
    uint8_t* dst;
};

KAI_INLINE void check_tile(const char* function, const Tile& t) {
    KAI_REQUIRE_ALWAYS(function, t.rows != 0 && t.sr != 0 && t.kr >= t.sr, no_tile, t.rows, t.kr, t.sr);
}

/// Whether 16 bytes are whole groups that gather_16 can take.
KAI_INLINE bool divides_16(size_t group) {
    return group == 16 || group == 8 || group == 4 || group == 2;
}

KAI_INLINE void check_groups(const char* function, const Format& format, const Tile& t) {
    const size_t group = format.group_size(t);
    KAI_REQUIRE_ALWAYS(function, divides_16(group), byte_groups, t.kr, t.sr, group);
}

/// A value is a nibble, perhaps with bit 3 flipped, less `offset`. (Or a byte.)
struct Nibble {
    unsigned flip;
    float scale_unit;  // what a stored scale of 1 is
    uint8_t offset = 8;
};

/// Of a block and a column.
struct BlockFields {
    float zero, scale;
};

/// tail: of the block. With four bytes per column, zero and scale are f16; columns of the left and the right half of
/// the panel alternate.
KAI_INLINE BlockFields fields_after_block(const Format& format, const uint8_t* tail, size_t rows, size_t r) {
    if (format.block_tail == 2 * sizeof(uint16_t)) {
        const uint8_t* place = tail + sizeof(uint16_t) * (r < rows / 2 ? 2 * r : 2 * r - rows + 1);
        return {
            kai_cast_f32_f16(load<uint16_t>(place)), kai_cast_f32_f16(load<uint16_t>(place + sizeof(uint16_t) * rows))};
    }
    return {load<float>(tail + 4 * r), load<float>(tail + 4 * (rows + r))};
}

/// 16 bytes, a vector type that compilers have on every host.
using Bytes [[gnu::vector_size(16)]] = uint8_t;

/// Bytes of a column that are 16 in a row: groups of `group` bytes, `step` apart.
KAI_INLINE Bytes gather_16(const uint8_t* src, size_t group, size_t step) {
    if (group == 16) {
        return load<Bytes>(src);
    }
    if (group == 8) {
        using Halves [[gnu::vector_size(16)]] = uint64_t;
        const Halves v = {load<uint64_t>(src), load<uint64_t>(src + step)};
        return load<Bytes>(&v);
    }
    if (group == 4) {
        using Words [[gnu::vector_size(16)]] = uint32_t;
        const Words v = {
            load<uint32_t>(src), load<uint32_t>(src + step), load<uint32_t>(src + 2 * step),
            load<uint32_t>(src + 3 * step)};
        return load<Bytes>(&v);
    }
    using Pairs [[gnu::vector_size(16)]] = uint16_t;
    Pairs v;
    for (size_t i = 0; i < 8; ++i) {
        v[i] = load<uint16_t>(src + i * step);
    }
    return load<Bytes>(&v);
}

/// 16 int8 values to weights of any type.
KAI_INLINE void put_16(Bytes values, float scale, bool has_zero, float zero, kai_datatype type, uint8_t* dst) {
#if defined(__aarch64__)
    const auto v = load<int8x16_t>(&values);
    const int16x8_t halves[2] = {vmovl_s8(vget_low_s8(v)), vmovl_high_s8(v)};
    const float32x4_t zeros = vdupq_n_f32(zero);
    float weights[16];
    KAI_UNROLL(4)
    for (size_t i = 0; i < 4; ++i) {
        const int16x4_t four = i % 2 == 0 ? vget_low_s16(halves[i / 2]) : vget_high_s16(halves[i / 2]);
        const float32x4_t x = vcvtq_f32_s32(vmovl_s16(four));
        const float32x4_t w = has_zero ? vfmaq_n_f32(zeros, x, scale) : vmulq_n_f32(x, scale);
        if (type == kai_dt_f32) {
            store(dst + 16 * i, w);
        } else {
            vst1q_f32(weights + 4 * i, w);
        }
    }
    if (type != kai_dt_f32) {
        store_floats(weights, opaque_to_gcc(size_t{16}), type, dst);
    }
#else
    float weights[16];
    for (size_t i = 0; i < 16; ++i) {
        const auto value = static_cast<float>(static_cast<int8_t>(values[i]));
        weights[i] = has_zero ? fused(value, scale, zero) : value * scale;
    }
    store_floats(weights, opaque_to_gcc(size_t{16}), type, dst);
#endif
}

void unpack_blocks(const Format& format, const Nibble& nibble, const Column& p, kai_datatype type) {
    const size_t size = kai_get_datatype_size_in_bytes(type), r = p.n_idx % p.tile.rows;
    const size_t group = format.group_size(p.tile), step = p.tile.rows * group, next_16 = 16 / group * step;
    const size_t d = format.nibble_distance != 0 ? format.nibble_distance : p.bl / 2;
    const uint8_t* panel = p.packed + format.offset(p.tile, p.n_idx, p.k, p.bl);
    for (size_t b = 0; b < p.k / p.bl; ++b) {
        const uint8_t* elements = panel + format.elements(p.tile, p.bl, b) + r * group;
        const bool has_zero = format.block_tail != 0;
        const BlockFields fields =
            has_zero
                ? fields_after_block(format, panel + format.tail(p.tile, p.bl, b), p.tile.rows, r)
                : BlockFields{0, kai_cast_f32_f16(load<uint16_t>(panel + format.head(p.tile, p.k, p.bl, b) + 2 * r))};
        const float zero = fields.zero, scale = fields.scale * nibble.scale_unit;
        uint8_t* dst = p.dst + b * p.bl * size;
        size_t at = 0, of_d = 0;
        for (size_t left = p.bl * format.bits / 8; left > 0; left -= 16, elements += next_16, at += 16) {
            const Bytes bytes = gather_16(elements, group, step);
            if (format.bits == 8) {
                put_16(bytes, scale, has_zero, zero, type, dst + at * size);
                continue;
            }
            const Bytes flipped = bytes ^ static_cast<uint8_t>(nibble.flip);
            const Bytes low = (flipped & 15) - nibble.offset, high = (flipped >> 4) - nibble.offset;
            if (d == 1) {  // neighbours
                Bytes first, second;
                for (size_t i = 0; i < 16; ++i) {
                    first[i] = i % 2 == 0 ? low[i / 2] : high[i / 2];
                    second[i] = i % 2 == 0 ? low[8 + i / 2] : high[8 + i / 2];
                }
                put_16(first, scale, has_zero, zero, type, dst + at * size);
                at += 16;
                put_16(second, scale, has_zero, zero, type, dst + at * size);
                continue;
            }
            put_16(low, scale, has_zero, zero, type, dst + at * size);
            put_16(high, scale, has_zero, zero, type, dst + (at + d) * size);
            of_d = of_d + 16 == d ? 0 : of_d + 16;
            at += of_d == 0 ? d : 0;
        }
    }
}

/// 8 bytes of a column, twice: groups of `group` bytes, `step` apart.
KAI_INLINE Bytes gather_8_twice(const uint8_t* src, size_t group, size_t step) {
    uint8_t bytes[16];
    for (size_t at = 0; at < 8; at += group, src += step) {
        __builtin_memcpy(bytes + at, src, group);
        __builtin_memcpy(bytes + 8 + at, src, group);
    }
    return load<Bytes>(bytes);
}

/// Elements of 2 bits: the weight + 1. 8 bytes hold 32; those of one byte are 8 apart.
void unpack_two_bits(const Format& format, const Column& p, kai_datatype type) {
    constexpr Bytes kShifts = {0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 2, 2, 2, 2, 2, 2};  // of two fields
    const size_t size = kai_get_datatype_size_in_bytes(type), r = p.n_idx % p.tile.rows;
    const size_t group = format.group_size(p.tile), step = p.tile.rows * group;
    const uint8_t* panel = p.packed + format.offset(p.tile, p.n_idx, p.k, p.bl);
    uint8_t* dst = p.dst;
    for (size_t b = 0; b < p.k / p.bl; ++b) {
        const float scale = kai_cast_f32_f16(load<uint16_t>(panel + format.head(p.tile, p.k, p.bl, b) + 2 * r));
        const uint8_t* elements = panel + format.elements(p.tile, p.bl, b) + r * group;
        for (size_t i = 0; i < p.bl; i += 32, elements += 8 / group * step) {
            Bytes bytes = gather_8_twice(elements, group, step) >> kShifts;
            for (size_t half = 0; half < 2; ++half, bytes >>= 4, dst += 16 * size) {
                put_16((bytes & 3) - 1, scale, false, 0, type, dst);
            }
        }
    }
}

/// Elements of 2 bits: the weight + 1. A byte of a column holds four neighbours; bytes of all columns lie together.
void unpack_neighbours(const Format& format, const Column& p, kai_datatype type) {
    constexpr Bytes kShifts = {0, 2, 4, 6, 0, 2, 4, 6, 0, 2, 4, 6, 0, 2, 4, 6};
    const size_t size = kai_get_datatype_size_in_bytes(type), rows = p.tile.rows, r = p.n_idx % rows;
    const uint8_t* panel = p.packed + format.offset(p.tile, p.n_idx, p.k, p.bl);
    uint8_t* dst = p.dst;
    for (size_t b = 0; b < p.k / p.bl; ++b) {
        const float scale = kai_cast_f32_f16(load<uint16_t>(panel + format.head(p.tile, p.k, p.bl, b) + 2 * r));
        const uint8_t* elements = panel + format.elements(p.tile, p.bl, b) + r;
        for (size_t i = 0; i < p.bl; i += 16, elements += 4 * rows, dst += 16 * size) {
            Bytes bytes;
            for (size_t j = 0; j < 16; ++j) {
                bytes[j] = elements[j / 4 * rows];
            }
            put_16((bytes >> kShifts & 3) - 1, scale, false, 0, type, dst);
        }
    }
}

/// Elements of a bit: set for the weight 1, else -1. Bytes of all columns lie together.
void unpack_bits(const Format& format, const Column& p, kai_datatype type) {
    constexpr Bytes kBits = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const size_t size = kai_get_datatype_size_in_bytes(type), rows = p.tile.rows, r = p.n_idx % rows;
    const uint8_t* panel = p.packed + format.offset(p.tile, p.n_idx, p.k, p.bl);
    uint8_t* dst = p.dst;
    for (size_t b = 0; b < p.k / p.bl; ++b) {
        const float scale = kai_cast_f32_f16(load<uint16_t>(panel + format.head(p.tile, p.k, p.bl, b) + 2 * r));
        const uint8_t* elements = panel + format.elements(p.tile, p.bl, b) + r;
        for (size_t i = 0; i < p.bl; i += 16, elements += 2 * rows, dst += 16 * size) {
            Bytes twice;
            __builtin_memset(&twice, elements[0], 8);
            __builtin_memset(reinterpret_cast<uint8_t*>(&twice) + 8, elements[rows], 8);
            const auto set = reinterpret_cast<Bytes>((twice & kBits) != 0);
            put_16((set & 2) - 1, scale, false, 0, type, dst);
        }
    }
}

/// Elements of five bits in panels of four columns, after them f16 minima and scales.
void unpack_five_bits(const Format& format, const Column& p, kai_datatype type) {
    constexpr size_t kBlock = Five::kBlock;
    const size_t size = kai_get_datatype_size_in_bytes(type), r = p.n_idx % p.tile.rows;
    const size_t group = format.group_size(p.tile);
    const uint8_t* panel = p.packed + format.offset(p.tile, p.n_idx, p.k, kBlock);
    uint8_t* dst = p.dst;
    for (size_t b = 0; b < p.k / kBlock; ++b, dst += kBlock * size) {
        uint8_t quad[Five::kVectors * Five::kVector], values[kBlock];
        Five::decode(panel + format.elements(p.tile, kBlock, b), quad);
        for (size_t i = 0; i < kBlock; ++i) {
            values[i] = quad[Five::at(group, r, i)];
        }
        const uint8_t* fields = panel + format.tail(p.tile, kBlock, b) + 2 * r;
        const float minimum = kai_cast_f32_f16(load<uint16_t>(fields));
        const float scale = kai_cast_f32_f16(load<uint16_t>(fields + 2 * p.tile.rows));
        put_16(load<Bytes>(values), scale, true, minimum, type, dst);
        put_16(load<Bytes>(values + 16), scale, true, minimum, type, dst + 16 * size);
    }
}

/// The rounding of the sum is the only one: d and dmin have 11 bits, sc and mn 6.
void unpack_six_bits(const Format& format, const Column& p, kai_datatype type) {
    constexpr size_t kSub = 32;
    const size_t size = kai_get_datatype_size_in_bytes(type), rows = p.tile.rows, r = p.n_idx % rows;
    const size_t group = format.group_size(p.tile), step = rows * group, next_16 = 16 / group * step;
    const uint8_t* block = p.packed + format.offset(p.tile, p.n_idx, p.k);
    uint8_t* dst = p.dst;
    for (size_t b = 0; b < p.k / format.block; ++b, block += format.block_bytes(p.tile, format.block)) {
        const uint8_t *high = block + 20 * rows + r * group, *low = high + (format.bits == 5 ? kSub * rows : 0);
        const float d = kai_cast_f32_f16(load<uint16_t>(block + 2 * r));
        const float dmin = kai_cast_f32_f16(load<uint16_t>(block + 2 * rows + 2 * r));
        for (size_t j = 0; j < format.block / kSub; ++j) {
            const float scale = d * static_cast<float>(block[12 * rows + j * rows + r]);
            const uint8_t mn = block[4 * rows + (j / group * rows + r) * group + j % group];
            const float min = -(dmin * static_cast<float>(mn));
            for (size_t half = 0; half < 2; ++half, dst += 16 * size) {
                Bytes values = gather_16(low + (j / 2 * 2 + half) * next_16, group, step);
                values = j % 2 == 0 ? values & 15 : values >> 4;
                if (format.bits == 5) {
                    values |= (gather_16(high + half * next_16, group, step) >> static_cast<uint8_t>(j) & 1) << 4;
                }
                put_16(values, scale, true, min, type, dst);
            }
        }
    }
}

/// As unpack_six_bits: scale and minimum of 16 weights have 4 bits each.
void unpack_super_two_bits(const Format& format, const Column& p, kai_datatype type) {
    constexpr size_t kSub = 16, kSubs = 16;
    const size_t size = kai_get_datatype_size_in_bytes(type), rows = p.tile.rows, r = p.n_idx % rows;
    const size_t group = format.group_size(p.tile), step = rows * group, next_16 = 16 / group * step;
    const uint8_t* block = p.packed + format.offset(p.tile, p.n_idx, p.k);
    uint8_t* dst = p.dst;
    for (size_t b = 0; b < p.k / format.block; ++b, block += format.block_bytes(p.tile, format.block)) {
        const uint8_t *subs = block + 4 * rows, *quants = block + 20 * rows + r * group;
        const float d = kai_cast_f32_f16(load<uint16_t>(block + 2 * r));
        const float dmin = kai_cast_f32_f16(load<uint16_t>(block + 2 * rows + 2 * r));
        for (size_t j = 0; j < kSubs; ++j, dst += kSub * size) {
            const float scale = d * static_cast<float>(subs[j * rows + r] & 15);
            const uint8_t mn = subs[(j / group * rows + r) * group + j % group] >> 4;
            const Bytes bytes = gather_16(quants + (j / 8 * 2 + j % 2) * next_16, group, step);
            const Bytes values = bytes >> static_cast<uint8_t>(j % 8 / 2 * 2) & 3;
            put_16(values, scale, true, -(dmin * static_cast<float>(mn)), type, dst);
        }
    }
}

/// 32 weights by their indices: byte i holds two that are d apart. Each half has a scale.
KAI_INLINE void put_indices(
    const int8_t* table, Bytes bytes, size_t d, const float scales[2], kai_datatype type, uint8_t* dst) {
    Bytes values[2];
    for (size_t i = 0; i < 16; ++i) {
        const size_t low = i / d * 2 * d + i % d, high = low + d;
        values[low / 16][low % 16] = static_cast<uint8_t>(table[bytes[i] & 15]);
        values[high / 16][high % 16] = static_cast<uint8_t>(table[bytes[i] >> 4]);
    }
    put_16(values[0], scales[0], false, 0, type, dst);
    put_16(values[1], scales[1], false, 0, type, dst + 16 * kai_get_datatype_size_in_bytes(type));
}

void unpack_indices(const Format& format, const Column& p, kai_datatype type) {
    const size_t size = kai_get_datatype_size_in_bytes(type), r = p.n_idx % p.tile.rows, parts = format.block_head / 2;
    const size_t group = format.group_size(p.tile), step = p.tile.rows * group, d = format.nibble_distance;
    const uint8_t* panel = p.packed + format.offset(p.tile, p.n_idx, p.k, p.bl);
    for (size_t b = 0; b < p.k / 32; ++b) {
        const uint8_t* head = panel + format.head(p.tile, p.k, 32, b) + 2 * r;
        const Bytes bytes = gather_16(panel + format.elements(p.tile, 32, b) + r * group, group, step);
        float scales[2];
        for (size_t half = 0; half < 2; ++half) {
            const auto bits = load<uint16_t>(head + (parts == 2 ? half : 0) * 2 * p.tile.rows);
            scales[half] = format.bf16_scales ? kai_cast_f32_bf16(bits) : kai_cast_f32_f16(bits);
        }
        put_indices(reinterpret_cast<const int8_t*>(panel), bytes, d, scales, type, p.dst + b * 32 * size);
    }
}

/// d times a scale of 8 bits is exact, and the product with a value is the only rounding.
void unpack_super_indices(const Format& format, const Column& p, kai_datatype type) {
    constexpr size_t kSub = 32;
    const size_t size = kai_get_datatype_size_in_bytes(type), rows = p.tile.rows, r = p.n_idx % rows;
    const size_t group = format.group_size(p.tile), step = rows * group, next_16 = 16 / group * step;
    const uint8_t* panel = p.packed + format.offset(p.tile, p.n_idx, p.k);
    uint8_t* dst = p.dst;
    for (size_t b = 0; b < p.k / format.block; ++b) {
        const uint8_t* fields = panel + format.head(p.tile, p.k, format.block, b);
        const uint8_t* indices = panel + format.elements(p.tile, format.block, b) + r * group;
        const float d = kai_cast_f32_f16(load<uint16_t>(fields + 2 * r));
        for (size_t j = 0; j < format.block / kSub; ++j, indices += next_16, dst += kSub * size) {
            const float scale = d * static_cast<float>(static_cast<int8_t>(fields[scale_of_sub(rows, j, r)]));
            const float scales[2] = {scale, scale};
            put_indices(
                reinterpret_cast<const int8_t*>(panel), gather_16(indices, group, step), format.nibble_distance, scales,
                type, dst);
        }
    }
}

/// d times a scale of 8 bits is exact, and the product with a value is the only rounding. Three bits: two sub-blocks in
/// the place of one.
void unpack_six(const Format& format, const Column& p, kai_datatype type) {
    const size_t size = kai_get_datatype_size_in_bytes(type), nr = p.tile.rows, c = p.n_idx % nr;
    const size_t step = format.bits == 3 ? 2 : 1;
    const size_t group = format.group_size(p.tile), plane = Six::plane(format, nr);
    const uint8_t* fields = p.packed + format.offset(p.tile, p.n_idx, p.k);
    uint8_t* dst = p.dst;
    for (size_t b = 0; b < p.k / format.block; ++b, fields += format.block_bytes(p.tile, format.block)) {
        const float d = kai_cast_f32_f16(load<uint16_t>(fields + 2 * c));
        for (size_t sub = 0; sub < Six::kSubs; sub += step) {
            const uint8_t* quad = fields + nr * format.block_head + Six::quad(nr, sub / step, c, plane);
            const auto first = load<Bytes>(quad), second = load<Bytes>(quad + plane),
                       third = load<Bytes>(quad + 2 * plane);
            const Bytes last = (first & 3) << 4 | (second & 3) << 2 | (third & 3);
            const Bytes bits[4] = {first >> 2, second >> 2, third >> 2, last};
            uint8_t values[4 * Six::kVector];  // of four columns
            for (size_t v = 0; v < 4; ++v) {
                store(values + v * Six::kVector, (bits[v] ^ 32) - 32);
            }
            const Bytes column = gather_16(values + c % 4 * group, group, 4 * group);
            for (size_t j = sub; j < sub + step; ++j, dst += Six::kSub * size) {
                const float scale = d * static_cast<float>(static_cast<int8_t>(fields[scale_of_sub(nr, j, c)]));
                const Bytes three = ((column >> static_cast<uint8_t>(j == sub ? 3 : 0) & 7) ^ 4) - 4;
                put_16(format.bits == 3 ? three : column, scale, false, 0, type, dst);
            }
        }
    }
}

/// An element as f32.
KAI_INLINE float element_at(kai_datatype element, const uint8_t* src) {
    return element == kai_dt_f32   ? load<float>(src)
           : element == kai_dt_f16 ? kai_cast_f32_f16(load<uint16_t>(src))
                                   : kai_cast_f32_bf16(load<uint16_t>(src));
}

/// 16 bytes of elements as f32: 4 or 8.
KAI_INLINE void widen(kai_datatype element, Bytes bytes, float* floats) {
#if defined(__aarch64__)
    const auto bits = load<uint16x8_t>(&bytes);
    if (element == kai_dt_f32) {
        vst1q_f32(floats, vreinterpretq_f32_u16(bits));
    } else if (element == kai_dt_f16) {
        vst1q_f32(floats, vcvt_f32_f16(vreinterpret_f16_u16(vget_low_u16(bits))));
        vst1q_f32(floats + 4, vcvt_high_f32_f16(vreinterpretq_f16_u16(bits)));
    } else {
        vst1q_f32(floats, vreinterpretq_f32_u32(vshll_n_u16(vget_low_u16(bits), 16)));
        vst1q_f32(floats + 4, vreinterpretq_f32_u32(vshll_high_n_u16(bits, 16)));
    }
#else
    const size_t size = kai_get_datatype_size_in_bytes(element);
    for (size_t i = 0; i < 16 / size; ++i) {
        floats[i] = element_at(element, reinterpret_cast<const uint8_t*>(&bytes) + i * size);
    }
#endif
}

void unpack_floats(const Format& format, kai_datatype element, const Column& p, kai_datatype type) {
    const size_t size = kai_get_datatype_size_in_bytes(type), from = format.bits / 8, some = 16 / from;
    const size_t group = format.group_size(p.tile) * from, step = p.tile.rows * group;
    const uint8_t* panel = p.packed + format.offset(p.tile, p.n_idx, p.k) + p.tile.rows * format.panel_head;
    size_t i = 0;
    if (divides_16(group)) {
        const uint8_t* src = panel + p.n_idx % p.tile.rows * group;
        for (; i + 16 <= p.k; i += 16) {
            float floats[16];
            for (size_t part = 0; part < 16; part += some, src += 16 / group * step) {
                widen(element, gather_16(src, group, step), floats + part);
            }
            store_floats(floats, 16, type, p.dst + i * size);
        }
    }
    for (; i < p.k; ++i) {
        const uint8_t* src = panel + format.at(p.tile, 0, p.n_idx % p.tile.rows, i).byte;
        store_float(element_at(element, src), type, p.dst + i * size);
    }
}

[[gnu::noinline]] void check_blocks(const char* function, const Format& format, const Column& p, kai_datatype type) {
    check_tile(function, p.tile);
    check_float_type(function, type);
    KAI_REQUIRE_ALWAYS(function, p.bl != 0, zero, "bl");
    KAI_REQUIRE_ALWAYS(function, p.bl % 32 == 0, not_multiple, "bl", p.bl, 32);
    KAI_REQUIRE_ALWAYS(function, p.k % p.bl == 0, not_multiple_of, "k", p.k, "bl", p.bl);
    if (format.group != Format::one) {
        check_groups(function, format, p.tile);
    }
}

[[gnu::noinline]] void unpack_blocks(
    const char* function, const Format& format, const Nibble& nibble, const Column& p, kai_datatype type) {
    check_blocks(function, format, p, type);
    unpack_blocks(format, nibble, p, type);
}

[[gnu::noinline]] void unpack_bits(
    const char* function, const Format& format, int, const Column& p, kai_datatype type) {
    check_blocks(function, format, p, type);
    unpack_bits(format, p, type);
}

[[gnu::noinline]] void unpack_neighbours(
    const char* function, const Format& format, int, const Column& p, kai_datatype type) {
    check_blocks(function, format, p, type);
    unpack_neighbours(format, p, type);
}

[[gnu::noinline]] void unpack_two_bits(
    const char* function, const Format& format, int, const Column& p, kai_datatype type) {
    check_blocks(function, format, p, type);
    const size_t group = format.group_size(p.tile);
    KAI_REQUIRE_ALWAYS(function, group <= 8, byte_groups, p.tile.kr, p.tile.sr, group);
    unpack_two_bits(format, p, type);
}

[[gnu::noinline]] void unpack_indices(
    const char* function, const Format& format, int, const Column& p, kai_datatype type) {
    check_tile(function, p.tile);
    check_float_type(function, type);
    KAI_REQUIRE_ALWAYS(function, p.bl == 32, other, "bl", p.bl, 32);
    KAI_REQUIRE_ALWAYS(function, p.k % 32 == 0, not_multiple_of, "k", p.k, "bl", 32);
    check_groups(function, format, p.tile);
    unpack_indices(format, p, type);
}

[[gnu::noinline]] void unpack_five_bits(
    const char* function, const Format& format, int, const Column& p, kai_datatype type) {
    check_tile(function, p.tile);
    check_float_type(function, type);
    KAI_REQUIRE_ALWAYS(function, p.tile.rows == 4, other, "nr", p.tile.rows, 4);
    KAI_REQUIRE_ALWAYS(function, p.bl == 32, other, "bl", p.bl, 32);
    KAI_REQUIRE_ALWAYS(function, p.k % 32 == 0, not_multiple_of, "k", p.k, "bl", 32);
    check_groups(function, format, p.tile);
    unpack_five_bits(format, p, type);
}

/// Blocks of one length, by `unpack`.
[[gnu::noinline]] void unpack_super_blocks(
    const char* function, const Format& format, void (*unpack)(const Format&, const Column&, kai_datatype),
    const Column& p, kai_datatype type) {
    check_tile(function, p.tile);
    check_float_type(function, type);
    KAI_REQUIRE_ALWAYS(function, p.k % format.block == 0, not_multiple, "k", p.k, format.block);
    check_groups(function, format, p.tile);
    unpack(format, p, type);
}

[[gnu::noinline]] void unpack_floats(
    const char* function, const Format& format, kai_datatype element, const Column& p, kai_datatype type) {
    check_tile(function, p.tile);
    check_float_type(function, type);
    unpack_floats(format, element, p, type);
}

}  // namespace
}  // namespace kai

#define KAI_DEFINE_UNPACK(FORMAT, UNPACK, HOW)                                                                 \
    void kai_run_rhs_unpack_row_##FORMAT(                                                                      \
        size_t n_idx, size_t k, size_t nr, size_t kr, size_t sr, size_t bl, const void* rhs_packed,            \
        enum kai_datatype dst_type, void* dst) {                                                               \
        kai::UNPACK(                                                                                           \
            __func__, kai::FORMAT, HOW, {n_idx, k, {nr, kr, sr}, bl, kai::bytes(rhs_packed), kai::bytes(dst)}, \
            dst_type);                                                                                         \
    }

extern "C" {

KAI_DEFINE_UNPACK(qsi1c32p, unpack_bits, 0)
KAI_DEFINE_UNPACK(qsi2c32p, unpack_two_bits, 0)
KAI_DEFINE_UNPACK(qsi2c32pscalef16, unpack_neighbours, 0)
KAI_DEFINE_UNPACK(qsi4c32p, unpack_blocks, (kai::Nibble{0x88, 1}))
KAI_DEFINE_UNPACK(qsi4c32ps1s0scalef16, unpack_blocks, (kai::Nibble{0, 1}))
KAI_DEFINE_UNPACK(qsi8c32p, unpack_blocks, (kai::Nibble{0, 1}))
KAI_DEFINE_UNPACK(qsi8c32pscalef16, unpack_blocks, (kai::Nibble{0, 1}))
KAI_DEFINE_UNPACK(qsi6c16x256p, unpack_super_blocks, kai::unpack_six)
KAI_DEFINE_UNPACK(qsi6c16x256pnrx4, unpack_super_blocks, kai::unpack_six)
KAI_DEFINE_UNPACK(qsi3c16x256p, unpack_super_blocks, kai::unpack_six)
KAI_DEFINE_UNPACK(qsi3c16x256pnrx4, unpack_super_blocks, kai::unpack_six)
KAI_DEFINE_UNPACK(qau2c16x256p, unpack_super_blocks, kai::unpack_super_two_bits)
KAI_DEFINE_UNPACK(qau5c32p, unpack_five_bits, 0)
KAI_DEFINE_UNPACK(qai4c32p, unpack_blocks, (kai::Nibble{0x88, 16}))
KAI_DEFINE_UNPACK(qai4c32ps1s0nrx4, unpack_blocks, (kai::Nibble{0, 1}))
KAI_DEFINE_UNPACK(qai4c32ps1s0sf16, unpack_blocks, (kai::Nibble{0, 1, 0}))
KAI_DEFINE_UNPACK(qlu4c32p, unpack_indices, 0)
KAI_DEFINE_UNPACK(qlu4c32pscalebf16, unpack_indices, 0)
KAI_DEFINE_UNPACK(qlu4c16p, unpack_indices, 0)
KAI_DEFINE_UNPACK(qau4c32x256p, unpack_super_blocks, kai::unpack_six_bits)
KAI_DEFINE_UNPACK(qau5c32x256p, unpack_super_blocks, kai::unpack_six_bits)
KAI_DEFINE_UNPACK(qlu4c32x256p, unpack_super_blocks, kai::unpack_super_indices)
KAI_DEFINE_UNPACK(qlu4c32x256ps1s0, unpack_super_blocks, kai::unpack_super_indices)
KAI_DEFINE_UNPACK(qlu4c32ps1s0scalef16, unpack_indices, 0)
KAI_DEFINE_UNPACK(qlu4c32ps1s0scalebf16, unpack_indices, 0)
KAI_DEFINE_UNPACK(qlu4c16ps1s0scalef16, unpack_indices, 0)
KAI_DEFINE_UNPACK(f32pbiasf32, unpack_floats, kai_dt_f32)
KAI_DEFINE_UNPACK(f16pbiasf16, unpack_floats, kai_dt_f16)
KAI_DEFINE_UNPACK(bf16pbiasf32, unpack_floats, kai_dt_bf16)

}  // extern "C"
