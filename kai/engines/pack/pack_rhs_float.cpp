// RHS packers of floating-point formats without SVE or SME: kr = 1, a bias of the type of the elements.
//
//     | bias: nr | k = 0: nr elements | k = 1: nr elements | ...      a panel of nr columns
//
// Bits are copied, never converted. Missing columns of the last panel become zero, and so do their bias and a bias that
// is not given. pack_elements is the specification; NEON gives the same bytes. K x N: lines are copied. N x K: blocks
// of 16 bytes of as many columns as a vector has lanes are transposed.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/core/pack_getters.hpp"
#include "kai/engines/core/pack_rhs_checks.hpp"
#include "kai/engines/pack/pack_neon_interleave.hpp"
#include "kai/engines/pack/pack_rhs_tile.hpp"
#include "kai/ukernels/pack/kai_rhs_pack.h"

namespace kai {
namespace {

/// Places of a chunk: lines that every panel reads (K x N) or that are written in several parts (N x K) stay in the
/// first-level cache.
constexpr size_t kChunk = 128;

/// A panel. Columns are counted in bytes, `unit` for each.
struct FloatPanel {
    size_t unit, line;               // bytes of an element, of nr elements
    size_t place_step, column_step;  // of the source, from k to k + 1 and from a column to the next one
    const uint8_t *rhs, *bias;       // of the first column; bias: or NULL
    uint8_t* packed;
    size_t exist;  // columns that do: unit - line
};

/// Places [first, end).
[[gnu::noinline]] void pack_elements(const FloatPanel& p, size_t first, size_t end) {
    for (size_t x = first; x < end; ++x) {
        const uint8_t* from = p.rhs + x * p.place_step;
        for (size_t c = 0; c < p.line; c += p.unit, from += p.column_step) {
            uint8_t* to = p.packed + (1 + x) * p.line + c;
            if (p.unit == 2) {
                store(to, c < p.exist ? load<uint16_t>(from) : uint16_t{0});
            } else {
                store(to, c < p.exist ? load<uint32_t>(from) : 0U);
            }
        }
    }
}

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

/// Copies `bytes` bytes (a multiple of 16) of each of `count` lines, all in the source, to lines of `line` bytes.
/// `steps` lines are in flight at a time: as one is stored, a later one is loaded, so that in-order cores do both at
/// the same time.
template <size_t bytes, size_t steps>
KAI_INLINE void copy_lines(const uint8_t* src, size_t stride, uint8_t* dst, size_t line, size_t count) {
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
            vst1q_u8(dst + 16 * i, v[x][i]);
        }
        dst += line;
    };
    if (count >= steps) {
        KAI_UNROLL(8)
        for (size_t x = 0; x < steps; ++x) {
            load_line(x);
        }
        for (count -= steps; count >= steps; count -= steps) {
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
    }
    for (; count > 0; --count) {
        load_line(0);
        store_line(0);
    }
}

/// `bytes` zeros in each of `count` lines.
template <size_t bytes>
KAI_INLINE void zero_lines(uint8_t* dst, size_t line, size_t count) {
    for (; count > 0; --count, dst += line) {
        store(dst, vdupq_n_u8(0));
        store(dst + bytes - 16, vdupq_n_u8(0));
    }
}

/// Zeros from byte i of each of `count` lines on.
KAI_INLINE void zero_rest(uint8_t* dst, size_t line, size_t count, size_t i) {
    for (; i + 32 <= line; i += 32) {
        zero_lines<32>(opaque(dst + i), line, count);
    }
    if (i < line) {
        zero_lines<16>(opaque(dst + i), line, count);
    }
}

/// Lines; `exist` of their bytes are in the source.
[[gnu::noinline]] void copy_some_lines(
    const uint8_t* src, size_t stride, uint8_t* dst, size_t line, size_t count, size_t exist) {
    size_t i = 0;
    if (line == 64 && exist >= 32) {
        copy_lines<32, 4>(src, stride, dst, 64, count);
        i = 32;
    }
    for (; i + 16 <= exist; i += 16) {
        copy_lines<16, 4>(src + i, stride, dst + i, line, count);
    }
    zero_rest(dst, line, count, i < exist ? i + 16 : i);
    for (src += i, dst += i; i < exist && count > 0; --count, src += stride, dst += line) {
        store(dst, load_some(src, exist - i));
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

/// `count` places (at least one vector) of a vector of columns, of which `exist` are in the source; the others become
/// zeros. The last step overlaps the previous one unless the places are whole vectors.
using TransposeColumns = void(const uint8_t* src, size_t stride, uint8_t* dst, size_t count, size_t exist);

template <class Element, size_t line>
void transpose_columns(const uint8_t* src, size_t stride, uint8_t* dst, size_t count, size_t exist) {
    constexpr size_t lanes = 16 / sizeof(Element);
    uint8_t zeros[kChunk * sizeof(Element)];
    zero_lines<16>(zeros, 16, exist < lanes ? sizeof(zeros) / 16 : 0);
    const uint8_t* column[lanes];
    KAI_UNROLL(8)
    for (size_t c = 0; c < lanes; ++c) {
        column[c] = c < exist ? src + c * stride : zeros;
    }
    // Opaque: Clang would advance a pointer per column and place.
    const auto step = [&](size_t x) __attribute__((always_inline)) {
        const size_t at = opaque_to_clang(x * sizeof(Element));
        uint8x16_t v[lanes], out[lanes];
        KAI_UNROLL(8)
        for (size_t c = 0; c < lanes; ++c) {
            v[c] = vld1q_u8(column[c] + at);
        }
        transpose<lanes>(v, out);
        uint8_t* to = opaque_to_clang(dst + x * line);
        KAI_UNROLL(8)
        for (size_t i = 0; i < lanes; ++i) {
            vst1q_u8(to + i * line, out[i]);
        }
    };
    size_t x = 0;
    for (; x + 2 * lanes <= count; x += 2 * lanes) {
        step(x);
        step(x + lanes);
    }
    for (; x < count; x += lanes) {
        step(x + lanes <= count ? x : count - lanes);
    }
}

/// Places [first, end).
template <bool kxn>
KAI_INLINE void pack_places(
    const FloatPanel& p, size_t first, size_t end, [[maybe_unused]] TransposeColumns* transpose_columns) {
    const size_t lanes = 16 / p.unit, from = !kxn && end - first < lanes && first > 0 ? end - lanes : first;
    const uint8_t* src = p.rhs + from * p.place_step;
    uint8_t* dst = p.packed + (1 + from) * p.line;
    if constexpr (kxn) {
        if (p.exist != p.line) {
            copy_some_lines(src, p.place_step, dst, p.line, end - from, p.exist);
        } else if (p.line == 64) {
            copy_lines<64, 4>(src, p.place_step, dst, 64, end - from);
        } else {
            copy_lines<32, 8>(src, p.place_step, dst, 32, end - from);
        }
    } else if (end - from < lanes) {
        pack_elements(p, from, end);
    } else {
        size_t c = 0;
        for (; c < p.exist; c += 16, src += lanes * p.column_step) {
            const size_t exist = c + 16 <= p.exist ? lanes : (p.exist - c) / p.unit;
            transpose_columns(src, p.column_step, dst + c, end - from, exist);
        }
        zero_rest(dst, p.line, end - from, c);
    }
}

/// The bias of a panel; `exist` of its bytes are in the source.
KAI_INLINE void pack_head(const FloatPanel& p, size_t exist) {
    for (size_t i = 0; i < p.line && exist == p.line; i += 16) {
        store(p.packed + i, load<uint8x16_t>(p.bias + i));
    }
    if (exist != p.line) {
        copy_some_lines(p.bias, 0, p.packed, p.line, 1, exist);
    }
}

#else

using TransposeColumns = void();

template <class Element, size_t line>
void transpose_columns() {
}

template <bool kxn>
KAI_INLINE void pack_places(const FloatPanel& p, size_t first, size_t end, TransposeColumns*) {
    pack_elements(p, first, end);
}

KAI_INLINE void pack_head(const FloatPanel& p, size_t exist) {
    for (size_t i = 0; i < p.line; ++i) {
        p.packed[i] = i < exist ? p.bias[i] : 0;
    }
}

#endif

/// All panels of nr columns, a chunk of places at a time. `unit`: bytes of an element.
template <bool kxn>
[[gnu::noinline]] void pack_rhs_float(size_t unit, const kai_rhs_call& c, TransposeColumns* transpose_columns) {
    const size_t line = c.nr * unit, stride = c.rhs_stride, panel_step = (1 + c.k) * line;
    for (size_t first = 0; first == 0 || first < c.k; first += kChunk) {
        const size_t end = c.k - first < kChunk ? c.k : first + kChunk;
        FloatPanel p = {unit,         line,          kxn ? stride : unit, kxn ? unit : stride,
                        bytes(c.rhs), bytes(c.bias), bytes(c.packed),     line};
        for (size_t left = c.n * unit; left > 0; left -= p.exist) {
            p.exist = left < line ? left : line;
            if (first == 0) {
                pack_head(p, p.bias != nullptr ? p.exist : 0);
            }
            pack_places<kxn>(p, first, end, transpose_columns);
            p.rhs += kxn ? line : c.nr * stride;
            p.bias += p.bias != nullptr ? line : 0;
            p.packed += panel_step;
        }
    }
}

}  // namespace
}  // namespace kai

/// TRANSPOSE: what N x K sources need. (Opaque: not a copy of the function for each.)
#define KAI_DEFINE_RUN(NAME, FORMAT, NR, ELEMENT, KXN, TRANSPOSE)                       \
    KAI_RHS_RULES(NAME, tile_rules, kai::FORMAT, NR, 1, 8 * sizeof(ELEMENT), KXN, true) \
    KAI_RHS_TILE_RUN(NAME, void, kai_check_rhs_call(&kai_rules_##NAME, &call);          \
                     kai::pack_rhs_float<KXN>(kai::opaque(sizeof(ELEMENT)), call, TRANSPOSE);)
#define KAI_DEFINE_KXN(NAME, FORMAT, NR, ELEMENT)                             \
    KAI_DEFINE_RHS_PACK_GETTERS_KXN(NAME, FORMAT, NR, 1, 1, ELEMENT, ELEMENT) \
    KAI_DEFINE_RUN(NAME, FORMAT, NR, ELEMENT, true, nullptr)
#define KAI_DEFINE_NXK(NAME, FORMAT, NR, ELEMENT)                    \
    KAI_DEFINE_RHS_PACK_GETTERS_NXK(NAME, FORMAT, NR, 1, 1, ELEMENT) \
    KAI_DEFINE_RUN(NAME, FORMAT, NR, ELEMENT, false, kai::opaque(kai::transpose_columns<ELEMENT, NR * sizeof(ELEMENT)>))

/// For indirect matmul. Groups are of one k: chunks need no padding, and are packed as one matrix.
#define KAI_DEFINE_CHUNKS_RUN(NAME, NR, ELEMENT, KXN, TRANSPOSE)                                                       \
    KAI_RUN_RHS_IMATMUL_PACK(NAME) {                                                                                   \
        const size_t k = k_chunk_count * k_chunk_length;                                                               \
        { KAI_CHECK_RHS_CHUNKS(8 * sizeof(ELEMENT), KXN, false, n, k, rhs, rhs_stride, rhs_packed, nullptr, nullptr) } \
        const kai_rhs_call call = {1,          n,       k,    NR,      1, 1,          0, rhs,                          \
                                   rhs_stride, nullptr, bias, nullptr, 0, rhs_packed, 0, nullptr};                     \
        kai::pack_rhs_float<KXN>(kai::opaque(sizeof(ELEMENT)), call, TRANSPOSE);                                       \
    }
#define KAI_DEFINE_CHUNKS_KXN(NAME, FORMAT, NR, ELEMENT)                          \
    KAI_DEFINE_RHS_IMATMUL_PACK_GETTERS(NAME, FORMAT, NR, 1, 1, ELEMENT, ELEMENT) \
    KAI_DEFINE_CHUNKS_RUN(NAME, NR, ELEMENT, true, nullptr)
#define KAI_DEFINE_CHUNKS_NXK(NAME, FORMAT, NR, ELEMENT)                     \
    KAI_DEFINE_RHS_IMATMUL_PACK_GETTERS_NXK(NAME, FORMAT, NR, 1, 1, ELEMENT) \
    KAI_DEFINE_CHUNKS_RUN(NAME, NR, ELEMENT, false, kai::opaque(kai::transpose_columns<ELEMENT, NR * sizeof(ELEMENT)>))

extern "C" {

KAI_DEFINE_KXN(rhs_pack_kxn_f32p8x1biasf32_f32_f32_neon, f32pbiasf32, 8, uint32_t)
KAI_DEFINE_KXN(rhs_pack_kxn_x32p16x1b_x32_x32_neon, f32pbiasf32, 16, uint32_t)
KAI_DEFINE_NXK(rhs_pack_nxk_x32p16x1bx32_x32_x32_neon, f32pbiasf32, 16, uint32_t)
KAI_DEFINE_KXN(rhs_pack_kxn_f16p16x1biasf16_f16_f16_neon, f16pbiasf16, 16, uint16_t)
KAI_DEFINE_KXN(rhs_pack_kxn_x16p32x1b_x16_x16_neon, f16pbiasf16, 32, uint16_t)
KAI_DEFINE_NXK(rhs_pack_nxk_x16p32x1bx16_x16_x16_neon, f16pbiasf16, 32, uint16_t)

KAI_DEFINE_CHUNKS_KXN(rhs_imatmul_pack_kxn_x32p16x1b_x32_x32_neon, f32pbiasf32, 16, uint32_t)
KAI_DEFINE_CHUNKS_NXK(rhs_imatmul_pack_nxk_x32p16x1b_x32_x32_neon, f32pbiasf32, 16, uint32_t)
KAI_DEFINE_CHUNKS_KXN(rhs_imatmul_pack_kxn_x16p32x1b_x16_x16_neon, f16pbiasf16, 32, uint16_t)
KAI_DEFINE_CHUNKS_NXK(rhs_imatmul_pack_nxk_x16p32x1b_x16_x16_neon, f16pbiasf16, 32, uint16_t)

}  // extern "C"
