// RHS packers of floating-point formats with kr = 1: NEON. The same bytes as pack_rhs_float.hpp.
//
// K x N: lines are copied. N x K: blocks of 16 bytes of as many columns as a vector has lanes are transposed.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/src/interleave_neon.hpp"
#include "kai/src/pack_rhs_float.hpp"

namespace kai {
namespace {

#if defined(__aarch64__)

/// 0 - 15 bytes of a line, zeros behind them.
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

/// `lines` lines of the packed panel, whose first `vectors` vectors are in the source. The others are zero.
template <size_t line_bytes, size_t lines, size_t vectors>
KAI_INLINE void copy_some_lines(const uint8_t* src, size_t stride, uint8_t* dst) {
    uint8x16_t v[lines][line_bytes / 16];
#pragma GCC unroll 8
    for (size_t x = 0; x < lines; ++x) {
#pragma GCC unroll 4
        for (size_t i = 0; i < line_bytes / 16; ++i) {
            v[x][i] = i < vectors ? vld1q_u8(src + x * stride + 16 * i) : vdupq_n_u8(0);
        }
    }
#pragma GCC unroll 8
    for (size_t x = 0; x < lines; ++x) {
#pragma GCC unroll 4
        for (size_t i = 0; i < line_bytes / 16; ++i) {
            vst1q_u8(dst + x * line_bytes + 16 * i, v[x][i]);
        }
    }
}

template <size_t line_bytes, size_t vectors>
KAI_INLINE void copy_lines(const uint8_t* src, size_t stride, uint8_t* dst, size_t count) {
    constexpr size_t lines = 256 / line_bytes;
    for (; count >= lines; count -= lines, src += lines * stride, dst += lines * line_bytes) {
        copy_some_lines<line_bytes, lines, vectors>(src, stride, dst);
    }
    for (; count > 0; --count, src += stride, dst += line_bytes) {
        copy_some_lines<line_bytes, 1, vectors>(src, stride, dst);
    }
}

/// Lines of which `exist` bytes are in the source.
template <size_t line_bytes, size_t vectors = line_bytes / 16>
KAI_INLINE void copy_lines(const uint8_t* src, size_t stride, uint8_t* dst, size_t count, size_t exist) {
    if constexpr (vectors > 0) {
        if (exist < vectors * 16) {
            return copy_lines<line_bytes, vectors - 1>(src, stride, dst, count, exist);
        }
    }
    copy_lines<line_bytes, vectors>(src, stride, dst, count);
    if constexpr (vectors < line_bytes / 16) {
        const size_t rest = exist % 16;
        for (size_t x = 0; rest > 0 && x < count; ++x) {
            store(dst + x * line_bytes + vectors * 16, load_some(src + x * stride + vectors * 16, rest));
        }
    }
}

template <class Element, size_t nr>
KAI_INLINE void pack_places(const FloatPanel& p, size_t first, size_t end, SourceKxNFloat) {
    constexpr size_t line_bytes = nr * sizeof(Element);
    copy_lines<line_bytes>(
        p.rhs + first * p.rhs_stride, p.rhs_stride, p.packed + (1 + first) * line_bytes, end - first,
        p.n * sizeof(Element));
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
#pragma GCC unroll 4
        for (size_t i = 0; i < 4; ++i) {
            out[2 * i] = zip1<8>(low[i], high[i]);
            out[2 * i + 1] = zip2<8>(low[i], high[i]);
        }
    }
}

/// Places [first, end), at least a vector of them, of the columns of a vector, `exist` of which do. src: place 0 of the
/// first one; dst: where it goes. The last step overlaps the one before where the places are no whole vectors.
template <class Element, size_t nr, bool all>
KAI_INLINE void transpose_columns(
    const uint8_t* src, size_t stride, uint8_t* dst, size_t first, size_t end, size_t exist) {
    constexpr size_t lanes = 16 / sizeof(Element);
    const uint8_t* column[lanes];
#pragma GCC unroll 8
    for (size_t c = 0; c < lanes; ++c) {
        column[c] = src + (all || c < exist ? c : 0) * stride;
    }
    const auto step = [&](size_t x) __attribute__((always_inline)) {
        uint8x16_t v[lanes], out[lanes];
#pragma GCC unroll 8
        for (size_t c = 0; c < lanes; ++c) {
            v[c] = all || c < exist ? vld1q_u8(column[c] + x * sizeof(Element)) : vdupq_n_u8(0);
        }
        transpose<lanes>(v, out);
#pragma GCC unroll 8
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
}

template <class Element, size_t nr>
KAI_INLINE void pack_places(const FloatPanel& p, size_t first, size_t end, SourceNxKFloat) {
    constexpr size_t lanes = 16 / sizeof(Element);
    const size_t from = end - first < lanes && first > 0 ? end - lanes : first;
    for (size_t c = 0; c < nr; c += lanes) {
        const uint8_t* src = p.rhs + (c < p.n ? c : 0) * p.rhs_stride;
        uint8_t* dst = p.packed + (nr + c) * sizeof(Element);
        if (end - from < lanes) {
            pack_elements<Element, nr, SourceNxKFloat>(p, from, end, c, c + lanes);
        } else if (c + lanes <= p.n) {
            transpose_columns<Element, nr, true>(src, p.rhs_stride, dst, from, end, lanes);
        } else {
            transpose_columns<Element, nr, false>(src, p.rhs_stride, dst, from, end, c < p.n ? p.n - c : 0);
        }
    }
}

/// The bias of a panel.
template <class Element, size_t nr>
KAI_INLINE void pack_head(const FloatPanel& p) {
    const size_t bias_bytes = p.bias != nullptr ? p.n * sizeof(Element) : 0;
    copy_lines<nr * sizeof(Element)>(p.bias, 0, p.packed, 1, bias_bytes);
}

#else

template <class Element, size_t nr, class Source>
KAI_INLINE void pack_places(const FloatPanel& p, size_t first, size_t end, Source) {
    pack_elements<Element, nr, Source>(p, first, end, 0, nr);
}

template <class Element, size_t nr>
KAI_INLINE void pack_head(const FloatPanel& p) {
    pack_bias<Element, nr>(p);
}

#endif

/// All panels of nr columns, a chunk of places at a time, so that what is read (K x N: lines far from each other, by
/// every panel) and written (N x K: lines in several goes) stays in the nearest cache.
template <class Element, size_t nr, class Source>
KAI_INLINE void pack_rhs_float(
    size_t n, size_t k, size_t rhs_stride, const void* rhs, const void* bias, void* rhs_packed) {
    constexpr size_t chunk = 128;
    for (size_t first = 0; first == 0 || first < k; first += chunk) {
        const size_t end = k - first < chunk ? k : first + chunk;
        FloatPanel p = {bytes(rhs), rhs_stride, bytes(bias), bytes(rhs_packed), nr};
        for (size_t left = n; left > 0; left -= p.n) {
            p.n = left < nr ? left : nr;
            if (first == 0) {
                pack_head<Element, nr>(p);
            }
            pack_places<Element, nr>(p, first, end, Source());
            p.rhs = Source::template at<Element>(p, 0, nr);
            p.bias += p.bias != nullptr ? nr * sizeof(Element) : 0;
            p.packed += (1 + k) * nr * sizeof(Element);
        }
    }
}

}  // namespace
}  // namespace kai
