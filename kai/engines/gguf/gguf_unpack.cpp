// A column of a packed RHS to f32, f16 or bf16.
//
//     int4, int8 with a scale       w = value * scale
//     int4 with a scale and a zero  w = fma(value, scale, zero)
//     indices                       w = table[index] * scale
//     floats                        w = element
//     super-blocks                  w = fma(value, d * sc, -(dmin * mn))
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/core/check.hpp"
#include "kai/engines/core/layout.hpp"
#include "kai/engines/gguf/gguf_rows.hpp"
#include "kai/engines/superblocks/superblocks.hpp"
#include "kai/ukernels/pack/kai_rhs_unpack.h"

namespace kai {
namespace {

/// RN(a * b + c), without a call of the C library.
KAI_INLINE float fused(float a, float b, float c) {
#if defined(__aarch64__)
    return __builtin_fmaf(a, b, c);
#else
    // The product is exact. The sum is rounded to odd: an even last bit that something was cut off from becomes odd, so
    // that the conversion to f32 sees on which side of a tie it is.
    const double product = double{a} * double{b}, x = c, sum = product + x;
    const double part = sum - product, cut = (product - (sum - part)) + (x - part);
    auto bits = load<uint64_t>(&sum);
    if (cut != 0 && bits % 2 == 0 && (bits >> 52 & 0x7FF) != 0x7FF) {
        bits += (cut > 0) == (sum > 0) ? 1 : -1;
    }
    return static_cast<float>(load<double>(&bits));
#endif
}

/// Where a column is, and where it goes.
struct Column {
    size_t n_idx, k;
    Tile tile;
    size_t bl;
    const uint8_t* packed;
    uint8_t* dst;
};

KAI_INLINE void check_tile(const char* function, const Tile& t) {
    KAI_REQUIRE_ALWAYS(
        function, t.rows != 0 && t.sr != 0 && t.kr >= t.sr, "nr = %zu, kr = %zu, sr = %zu are no tile", t.rows, t.kr,
        t.sr);
}

/// A value is a nibble, perhaps with bit 3 flipped, less 8. (Or a byte.)
struct Nibble {
    unsigned flip;
    float scale_unit;  // what a stored scale of 1 is
};

template <kai_datatype type>
void unpack_blocks(const Format& format, const Nibble& nibble, const Column& p) {
    const size_t size = kai_get_datatype_size_in_bytes(type), r = p.n_idx % p.tile.rows;
    const size_t group = format.group_size(p.tile), d = format.nibble_distance != 0 ? format.nibble_distance : p.bl / 2;
    const uint8_t* panel = p.packed + format.offset(p.tile, p.n_idx, p.k, p.bl);
    for (size_t b = 0; b < p.k / p.bl; ++b) {
        const uint8_t* elements = panel + format.elements(p.tile, p.bl, b) + r * group;
        const uint8_t* tail = panel + format.tail(p.tile, p.bl, b) + 4 * r;
        const bool has_zero = format.block_tail != 0;
        const float zero = has_zero ? load<float>(tail) : 0;
        const float scale = has_zero
                                ? load<float>(tail + 4 * p.tile.rows) * nibble.scale_unit
                                : kai_cast_f32_f16(load<uint16_t>(panel + format.head(p.tile, p.k, p.bl, b) + 2 * r));
        uint8_t* dst = p.dst + b * p.bl * size;
        if (format.bits == 8) {
            for (size_t i = 0; i < p.bl; ++i) {
                const auto value = static_cast<int8_t>(elements[i / group * p.tile.rows * group + i % group]);
                store_float(static_cast<float>(value) * scale, type, dst + i * size);
            }
            continue;
        }
        for (size_t j = 0; j < p.bl / 2; ++j) {
            const unsigned byte = elements[j / group * p.tile.rows * group + j % group] ^ nibble.flip;
            const size_t i = j / d * 2 * d + j % d;
            const float low = static_cast<float>(static_cast<int>(byte & 15U) - 8);
            const float high = static_cast<float>(static_cast<int>(byte >> 4) - 8);
            store_float(has_zero ? fused(low, scale, zero) : low * scale, type, dst + i * size);
            store_float(has_zero ? fused(high, scale, zero) : high * scale, type, dst + (i + d) * size);
        }
    }
}

/// The rounding of the sum is the only one: d and dmin have 11 bits, sc and mn 6.
template <kai_datatype type>
void unpack_six_bits(const Format& format, const Column& p) {
    constexpr size_t kSub = 32;
    const size_t size = kai_get_datatype_size_in_bytes(type), rows = p.tile.rows, r = p.n_idx % rows;
    const size_t group = format.group_size(p.tile), blocks = p.k / format.block;
    const auto place = [=](size_t j) { return (j / group * rows + r) * group + j % group; };
    const uint8_t* block = p.packed + format.offset(p.tile, p.n_idx, p.k);
    uint8_t* dst = p.dst;
    for (size_t b = 0; b < blocks; ++b, block += format.block_bytes(p.tile, format.block)) {
        const uint8_t *high = block + 20 * rows, *low = high + (format.bits == 5 ? kSub * rows : 0);
        const float d = kai_cast_f32_f16(load<uint16_t>(block + 2 * r));
        const float dmin = kai_cast_f32_f16(load<uint16_t>(block + 2 * rows + 2 * r));
        for (size_t j = 0; j < format.block / kSub; ++j) {
            const float scale = d * static_cast<float>(block[12 * rows + j * rows + r]);
            const float min = -(dmin * static_cast<float>(block[4 * rows + place(j)]));
            for (size_t i = 0; i < kSub; ++i, dst += size) {
                int value = low[place(j / 2 * kSub + i)] >> j % 2 * 4 & 15;
                if (format.bits == 5) {
                    value |= (high[place(i)] >> j & 1) << 4;
                }
                store_float(fused(static_cast<float>(value), scale, min), type, dst);
            }
        }
    }
}

template <kai_datatype type>
void unpack_indices(const Format& format, const Column& p) {
    const size_t size = kai_get_datatype_size_in_bytes(type), r = p.n_idx % p.tile.rows, parts = format.block_head / 2;
    const size_t group = format.group_size(p.tile);
    const uint8_t* panel = p.packed + format.offset(p.tile, p.n_idx, p.k, p.bl);
    for (size_t b = 0; b < p.k / 32; ++b) {
        const uint8_t* elements = panel + format.elements(p.tile, 32, b) + r * group;
        const uint8_t* head = panel + format.head(p.tile, p.k, 32, b) + 2 * r;
        float scales[2];
        for (size_t half = 0; half < 2; ++half) {
            const auto bits = load<uint16_t>(head + (parts == 2 ? half : 0) * 2 * p.tile.rows);
            scales[half] = &format == &qlu4c32pscalebf16 ? kai_cast_f32_bf16(bits) : kai_cast_f32_f16(bits);
        }
        uint8_t* dst = p.dst + b * 32 * size;
        for (size_t j = 0; j < 16; ++j) {
            const unsigned byte = elements[j / group * p.tile.rows * group + j % group];
            const auto low = static_cast<int8_t>(panel[byte & 15U]), high = static_cast<int8_t>(panel[byte >> 4]);
            store_float(static_cast<float>(low) * scales[0], type, dst + j * size);
            store_float(static_cast<float>(high) * scales[1], type, dst + (j + 16) * size);
        }
    }
}

template <kai_datatype type>
void unpack_six(const Column& p) {
    const Format& format = qsi6c16x256p;
    const size_t size = kai_get_datatype_size_in_bytes(type), nr = p.tile.rows, c = p.n_idx % nr;
    const uint8_t* panel = p.packed + format.offset(p.tile, p.n_idx, p.k);
    for (size_t i = 0; i < p.k; ++i) {
        const size_t b = i / format.block, sub = i % format.block / Six::kSub;
        const uint8_t* fields = panel + format.head(p.tile, p.k, format.block, b);
        const Six::At at = Six::at(format.group_size(p.tile), c, i % Six::kSub);
        const uint8_t* lane = panel + format.elements(p.tile, format.block, b) + Six::quad(nr, sub, c) + at.lane;
        const float scale =
            kai_cast_f32_f16(load<uint16_t>(fields + 2 * c)) * static_cast<int8_t>(fields[scale_of_sub(nr, sub, c)]);
        store_float(scale * static_cast<float>(Six::value(lane, at.vector)), type, p.dst + i * size);
    }
}

template <kai_datatype type>
void unpack_floats(const Format& format, kai_datatype element, const Column& p) {
    const size_t size = kai_get_datatype_size_in_bytes(type);
    const uint8_t* panel = p.packed + format.offset(p.tile, p.n_idx, p.k) + p.tile.rows * format.panel_head;
    for (size_t i = 0; i < p.k; ++i) {
        const uint8_t* src = panel + format.at(p.tile, 0, p.n_idx % p.tile.rows, i).byte;
        const float x = element == kai_dt_f32   ? load<float>(src)
                        : element == kai_dt_f16 ? kai_cast_f32_f16(load<uint16_t>(src))
                                                : kai_cast_f32_bf16(load<uint16_t>(src));
        store_float(x, type, p.dst + i * size);
    }
}

[[gnu::noinline]] void unpack_blocks(
    const char* function, const Format& format, const Nibble& nibble, const Column& p, kai_datatype type) {
    check_tile(function, p.tile);
    check_float_type(function, type);
    KAI_REQUIRE_ALWAYS(function, p.bl != 0 && p.bl % 32 == 0, "bl = %zu is not a positive multiple of 32", p.bl);
    KAI_REQUIRE_ALWAYS(function, p.k % p.bl == 0, "k = %zu is not a multiple of bl = %zu", p.k, p.bl);
    (type == kai_dt_f32   ? unpack_blocks<kai_dt_f32>
     : type == kai_dt_f16 ? unpack_blocks<kai_dt_f16>
                          : unpack_blocks<kai_dt_bf16>)(format, nibble, p);
}

[[gnu::noinline]] void unpack_indices(
    const char* function, const Format& format, int, const Column& p, kai_datatype type) {
    check_tile(function, p.tile);
    check_float_type(function, type);
    KAI_REQUIRE_ALWAYS(function, p.bl == 32, "bl = %zu is not 32", p.bl);
    KAI_REQUIRE_ALWAYS(function, p.k % 32 == 0, "k = %zu is not a multiple of bl = 32", p.k);
    (type == kai_dt_f32   ? unpack_indices<kai_dt_f32>
     : type == kai_dt_f16 ? unpack_indices<kai_dt_f16>
                          : unpack_indices<kai_dt_bf16>)(format, p);
}

[[gnu::noinline]] void unpack_six_bits(
    const char* function, const Format& format, int, const Column& p, kai_datatype type) {
    check_tile(function, p.tile);
    check_float_type(function, type);
    KAI_REQUIRE_ALWAYS(
        function, p.k % format.block == 0, "k = %zu is not a multiple of %zu", p.k, size_t{format.block});
    (type == kai_dt_f32   ? unpack_six_bits<kai_dt_f32>
     : type == kai_dt_f16 ? unpack_six_bits<kai_dt_f16>
                          : unpack_six_bits<kai_dt_bf16>)(format, p);
}

[[gnu::noinline]] void unpack_six(const char* function, const Format& format, int, const Column& p, kai_datatype type) {
    check_tile(function, p.tile);
    check_float_type(function, type);
    KAI_REQUIRE_ALWAYS(function, p.k % format.block == 0, "k = %zu is not a multiple of %u", p.k, format.block);
    (type == kai_dt_f32   ? unpack_six<kai_dt_f32>
     : type == kai_dt_f16 ? unpack_six<kai_dt_f16>
                          : unpack_six<kai_dt_bf16>)(p);
}

[[gnu::noinline]] void unpack_floats(
    const char* function, const Format& format, kai_datatype element, const Column& p, kai_datatype type) {
    check_tile(function, p.tile);
    check_float_type(function, type);
    (type == kai_dt_f32   ? unpack_floats<kai_dt_f32>
     : type == kai_dt_f16 ? unpack_floats<kai_dt_f16>
                          : unpack_floats<kai_dt_bf16>)(format, element, p);
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

KAI_DEFINE_UNPACK(qsi4c32p, unpack_blocks, (kai::Nibble{0x88, 1}))
KAI_DEFINE_UNPACK(qsi4c32ps1s0scalef16, unpack_blocks, (kai::Nibble{0, 1}))
KAI_DEFINE_UNPACK(qsi8c32p, unpack_blocks, kai::Nibble{})
KAI_DEFINE_UNPACK(qsi8c32pscalef16, unpack_blocks, kai::Nibble{})
KAI_DEFINE_UNPACK(qsi6c16x256p, unpack_six, 0)
KAI_DEFINE_UNPACK(qai4c32p, unpack_blocks, (kai::Nibble{0x88, 16}))
KAI_DEFINE_UNPACK(qai4c32ps1s0nrx4, unpack_blocks, (kai::Nibble{0, 1}))
KAI_DEFINE_UNPACK(qlu4c32p, unpack_indices, 0)
KAI_DEFINE_UNPACK(qlu4c32pscalebf16, unpack_indices, 0)
KAI_DEFINE_UNPACK(qlu4c16p, unpack_indices, 0)
KAI_DEFINE_UNPACK(qau4c32x256p, unpack_six_bits, 0)
KAI_DEFINE_UNPACK(qau5c32x256p, unpack_six_bits, 0)
KAI_DEFINE_UNPACK(f32pbiasf32, unpack_floats, kai_dt_f32)
KAI_DEFINE_UNPACK(f16pbiasf16, unpack_floats, kai_dt_f16)
KAI_DEFINE_UNPACK(bf16pbiasf32, unpack_floats, kai_dt_bf16)

}  // extern "C"
