// RHS packers of floating-point formats with kr = 1: NEON. The same bytes as pack_rhs_float.hpp.
//
// K x N: lines are copied. N x K: blocks of 16 bytes of as many columns as a vector has lanes are transposed.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/pack/pack_neon_interleave.hpp"
#include "kai/engines/pack/pack_rhs_float.hpp"

namespace kai {
namespace {

#if defined(__aarch64__)

/// 0 - 15 bytes of a line, zeros after them.
KAI_INLINE uint8x16_t load_some(const uint8_t* src, size_t count) {
    alignas(16) uint8_t v[16] = {};
    uint8_t* to = v;
    if (count & 8) {
        store(to, load<uint64_t>(src));
        src += 8, to += 8;
    }
    if (count & 4) {
        store(to, load<uint32_t>(src));
        src += 4, to += 4;
    }
    if (count & 2) {
        store(to, load<uint16_t>(src));
    }
    return vld1q_u8(v);
}

/// `bytes` bytes (a multiple of 16) of each of `count` lines, all in the source. `steps` lines at a time are on their
/// way: as one is stored, one of the next is loaded, so that in-order cores do both at the same time.
template <size_t line_bytes, size_t bytes, size_t steps>
KAI_INLINE void copy_lines(const uint8_t* src, size_t stride, uint8_t* dst, size_t count) {
    uint8x16_t v[steps][bytes / 16];
    const auto load_line = [&](size_t x) __attribute__((always_inline)) {
        KAI_UNROLL(4)
        for (size_t i = 0; i < bytes / 16; ++i) {
            v[x][i] = vld1q_u8(src + 16 * i);
        }
        src += stride;
    };
    const auto store_line = [&](size_t x) __attribute__((always_inline)) {
        KAI_UNROLL(4)
        for (size_t i = 0; i < bytes / 16; ++i) {
            vst1q_u8(dst + x * line_bytes + 16 * i, v[x][i]);
        }
    };
    if (count >= steps) {
        KAI_UNROLL(8)
        for (size_t x = 0; x < steps; ++x) {
            load_line(x);
        }
        for (count -= steps; count >= steps; count -= steps, dst += steps * line_bytes) {
            KAI_UNROLL(8)
            for (size_t x = 0; x < steps; ++x) {
                store_line(x);
                load_line(x);
            }
        }
        KAI_UNROLL(8)
        for (size_t x = 0; x < steps; ++x) {
            store_line(x);
        }
        dst += steps * line_bytes;
    }
    for (; count > 0; --count, dst += line_bytes) {
        load_line(0);
        store_line(0);
    }
}

/// 16 bytes of zeros in each of `count` lines.
template <size_t line_bytes>
KAI_INLINE void zero_lines(uint8_t* dst, size_t count) {
    for (size_t x = 0; x < count; ++x) {
        store(dst + x * line_bytes, vdupq_n_u8(0));
    }
}

/// Lines of which `exist` bytes are in the source: the first half of them, if it is whole, and then vector by vector.
template <size_t line_bytes>
[[gnu::noinline]] void copy_some_lines(const uint8_t* src, size_t stride, uint8_t* dst, size_t count, size_t exist) {
    size_t i = 0;
    if (exist >= line_bytes / 2) {
        copy_lines<line_bytes, line_bytes / 2, 256 / line_bytes>(src, stride, dst, count);
        i = line_bytes / 2;
    }
    for (; i + 16 <= exist; i += 16) {
        copy_lines<line_bytes, 16, 4>(src + i, stride, dst + i, count);
    }
    for (size_t x = 0; i < exist && x < count; ++x) {
        store(dst + x * line_bytes + i, load_some(src + x * stride + i, exist - i));
    }
    for (i += i < exist ? 16 : 0; i < line_bytes; i += 16) {
        zero_lines<line_bytes>(dst + i, count);
    }
}

/// Places [first, end) of a K x N source, in lines of bytes: p.n counts bytes.
template <size_t line_bytes>
KAI_INLINE void pack_places_kxn(const FloatPanel& p, size_t first, size_t end) {
    const uint8_t* src = p.rhs + first * p.rhs_stride;
    uint8_t* dst = p.packed + (1 + first) * line_bytes;
    if (p.n == line_bytes) {
        copy_lines<line_bytes, line_bytes, 256 / line_bytes>(src, p.rhs_stride, dst, end - first);
    } else {
        copy_some_lines<line_bytes>(src, p.rhs_stride, dst, end - first, p.n);
    }
}

/// Vectors of as many columns become vectors of as many places.
template <size_t lanes>
KAI_INLINE void transpose(const uint8x16_t v[lanes], uint8x16_t out[lanes]) {
    if constexpr (lanes == 4) {
        interleave<4>(v, out);
    } else {
        uint8x16_t low[4], high[4];  // places 2 i, 2 i + 1 of columns 0 - 3 and 4 - 7
        interleave<2>(v, low);
        interleave<2>(v + 4, high);
        KAI_UNROLL(4)
        for (size_t i = 0; i < 4; ++i) {
            out[2 * i] = zip1<8>(low[i], high[i]);
            out[2 * i + 1] = zip2<8>(low[i], high[i]);
        }
    }
}

/// Places [first, end), at least a vector of them, of the columns of a vector, `exist` of which do: those that do not
/// are pointers to the first one, and zeros in the end. src: place 0 of the first one; dst: where it goes. The last
/// step overlaps the previous one where the places are no whole vectors.
template <class Element, size_t nr>
KAI_INLINE void transpose_columns(
    const uint8_t* src, size_t stride, uint8_t* dst, size_t first, size_t end, size_t exist) {
    constexpr size_t lanes = 16 / sizeof(Element);
    const uint8_t* column[lanes];
    KAI_UNROLL(8)
    for (size_t c = 0; c < lanes; ++c) {
        column[c] = src + (c < exist ? c : 0) * stride;
    }
    const auto step = [&](size_t x) __attribute__((always_inline)) {
        uint8x16_t v[lanes], out[lanes];
        KAI_UNROLL(8)
        for (size_t c = 0; c < lanes; ++c) {
            v[c] = vld1q_u8(column[c] + x * sizeof(Element));
        }
        transpose<lanes>(v, out);
        KAI_UNROLL(8)
        for (size_t i = 0; i < lanes; ++i) {
            vst1q_u8(dst + (x + i) * nr * sizeof(Element), out[i]);
        }
    };
    size_t x = first;
    for (; x + 2 * lanes <= end; x += 2 * lanes) {
        step(x);
        step(x + lanes);
    }
    for (; x < end; x += lanes) {
        step(x + lanes <= end ? x : end - lanes);
    }
    for (x = first; x < end && exist < lanes; ++x) {
        for (size_t c = exist; c < lanes; ++c) {
            store(dst + (x * nr + c) * sizeof(Element), Element{0});
        }
    }
}

template <class Element, size_t nr>
KAI_INLINE void pack_places_nxk(const FloatPanel& p, size_t first, size_t end) {
    constexpr size_t lanes = 16 / sizeof(Element);
    const size_t from = end - first < lanes && first > 0 ? end - lanes : first;
    for (size_t c = 0; c < nr; c += lanes) {
        uint8_t* dst = p.packed + (nr + c) * sizeof(Element);
        if (c >= p.n) {
            zero_lines<nr * sizeof(Element)>(dst + from * nr * sizeof(Element), end - from);
        } else if (end - from < lanes) {
            pack_elements<Element, nr, false>(p, from, end, c, c + lanes);
        } else {
            const size_t exist = c + lanes <= p.n ? lanes : p.n - c;
            transpose_columns<Element, nr>(p.rhs + c * p.rhs_stride, p.rhs_stride, dst, from, end, exist);
        }
    }
}

/// A line that `exist` bytes are known of.
template <size_t line_bytes>
KAI_INLINE void pack_head(const uint8_t* bias, uint8_t* dst, size_t exist) {
    copy_some_lines<line_bytes>(bias, 0, dst, 1, exist);
}

#else

template <size_t line_bytes>
void pack_places_kxn(const FloatPanel& p, size_t first, size_t end) {
    pack_elements<uint8_t, line_bytes, true>(p, first, end, 0, line_bytes);
}

template <class Element, size_t nr>
void pack_places_nxk(const FloatPanel& p, size_t first, size_t end) {
    pack_elements<Element, nr, false>(p, first, end, 0, nr);
}

template <size_t line_bytes>
void pack_head(const uint8_t* bias, uint8_t* dst, size_t exist) {
    for (size_t i = 0; i < line_bytes; ++i) {
        dst[i] = i < exist ? bias[i] : 0;
    }
}

#endif

/// All panels of nr columns, a chunk of places at a time, so that what is read (K x N: lines far from each other, by
/// every panel) and written (N x K: lines in several parts) stays in the nearest cache. `column_step`: bytes from a
/// column of the source to the next. PackPlaces: (panel, first place, end). n and the panel's columns are counted in
/// units of `unit` bytes.
template <size_t nr, size_t unit, class PackPlaces>
KAI_INLINE void pack_rhs_float(const kai_rhs_call& c, size_t n, size_t column_step, PackPlaces pack_places) {
    constexpr size_t chunk = 128;
    for (size_t first = 0; first == 0 || first < c.k; first += chunk) {
        const size_t end = c.k - first < chunk ? c.k : first + chunk;
        FloatPanel p = {bytes(c.rhs), c.rhs_stride, bytes(c.bias), bytes(c.packed), nr};
        for (size_t left = n; left > 0; left -= p.n) {
            p.n = left < nr ? left : nr;
            if (first == 0) {
                pack_head<nr * unit>(p.bias, p.packed, p.bias != nullptr ? p.n * unit : 0);
            }
            pack_places(p, first, end);
            p.rhs += nr * column_step;
            p.bias += p.bias != nullptr ? nr * unit : 0;
            p.packed += (1 + c.k) * nr * unit;
        }
    }
}

/// K x N: columns are bytes, whatever the elements.
template <size_t line_bytes>
[[gnu::noinline]] void pack_rhs_float_kxn(const kai_rhs_rules& rules, const kai_rhs_call& c) {
    kai_check_rhs_call(&rules, &c);
    pack_rhs_float<line_bytes, 1>(
        c, c.n * (rules.bits / 8), 1, [](const FloatPanel& p, size_t first, size_t end) __attribute__((always_inline)) {
            pack_places_kxn<line_bytes>(p, first, end);
        });
}

template <class Element, size_t nr>
KAI_INLINE void pack_rhs_float_nxk(const kai_rhs_rules& rules, const kai_rhs_call& c) {
    kai_check_rhs_call(&rules, &c);
    pack_rhs_float<nr, sizeof(Element)>(
        c, c.n, c.rhs_stride, [](const FloatPanel& p, size_t first, size_t end) __attribute__((always_inline)) {
            pack_places_nxk<Element, nr>(p, first, end);
        });
}

}  // namespace
}  // namespace kai
