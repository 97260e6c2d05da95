// f32 <- qsi8d32p x qsi4c32p with SVE SDOT: one row, panels of 8 columns.
//
//     dst[n] = clamp(sum over blocks of lhs_scale * rhs_scale * S),     S = sum over the block of lhs * rhs
//
// Two panels at a time share the row. With vectors of 128 bits each panel takes two turns of 4 columns.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/blocks/blocks_sve.hpp"

namespace kai {
namespace {

/// @name How a vector multiplies
///
///     start    of each of the two vectors
///     mac      sums += 16 bytes of each column: low_k with low nibbles, high_k with high ones
///     sum      one sum per column, from the two vectors that mac adds to
///     scales   of the columns, in the order of sum
///     store    the first `columns` of a vector in that order
/// @{

/// Groups of K k.
template <size_t K>
struct SveGroups {
    static constexpr Tile kLhs{1, 2 * K, 2}, kRhs{8, 2 * K, 2};

    /// Where `column` stands within a group.
    static constexpr size_t offset(size_t column) {
        return K * column;
    }
};

/// A word has one column, an index takes 4 k of the row.
struct SveDot4 : SveGroups<4> {
    template <class Sum>
    KAI_INLINE static svint32_t start() {
        return Sum::start();
    }
    template <class Sum>
    KAI_INLINE static void mac(
        svint32_t& sum, svint32_t&, size_t width, const uint8_t* rhs, const uint8_t* low_k, const uint8_t* high_k) {
        const svbool_t some = first_bytes(width);
        const svint8_t low = load_quad(low_k), high = load_quad(high_k);
        const svint8_t a = load_bytes(some, rhs), b = load_bytes(some, rhs + 32);
        const svint8_t c = load_bytes(some, rhs + 64), d = load_bytes(some, rhs + 96);
        sum = svdot_lane_s32(sum, Sum::low(a), low, 0);
        sum = svdot_lane_s32(sum, Sum::low(b), low, 1);
        sum = svdot_lane_s32(sum, Sum::low(c), low, 2);
        sum = svdot_lane_s32(sum, Sum::low(d), low, 3);
        sum = svdot_lane_s32(sum, Sum::high(a), high, 0);
        sum = svdot_lane_s32(sum, Sum::high(b), high, 1);
        sum = svdot_lane_s32(sum, Sum::high(c), high, 2);
        sum = svdot_lane_s32(sum, Sum::high(d), high, 3);
    }
    KAI_INLINE static svint32_t sum(svint32_t s, svint32_t) {
        return s;
    }
    KAI_INLINE static svfloat32_t scales(const uint8_t* p, size_t width) {
        return halves_to_float(load_halves(first_words(width / 4), p));
    }
    KAI_INLINE static void store(float* dst, size_t columns, size_t width, svfloat32_t x, float lo, float hi) {
        store_clamped(dst, columns < width / 4 ? columns : width / 4, x, lo, hi);
    }
};

/// Two words have one column. One vector holds the first columns, the next one the others; TRN brings
/// them together as first, other, second, other, ...
struct SveDot8 : SveGroups<8> {
    template <class Sum>
    KAI_INLINE static svint32_t start() {
        return Sum::start_pairs();
    }
    KAI_INLINE static svint8_t load_k(const uint8_t* p) {
        return svreinterpret_s8_u64(svdup_n_u64(load<uint64_t>(p)));
    }
    template <class Sum>
    KAI_INLINE static void mac(
        svint32_t& first, svint32_t& other, size_t width, const uint8_t* rhs, const uint8_t* low_k,
        const uint8_t* high_k) {
        const svbool_t some = first_bytes(width);
        KAI_UNROLL(16)
        for (int g = 0; g < 2; ++g, rhs += 64, low_k += 8, high_k += 8) {
            const svint8_t low = load_k(low_k), high = load_k(high_k);
            const svint8_t a = load_bytes(some, rhs), b = load_bytes(some, rhs + width);
            first = svdot_s32(first, Sum::low(a), low);
            other = svdot_s32(other, Sum::low(b), low);
            first = svdot_s32(first, Sum::high(a), high);
            other = svdot_s32(other, Sum::high(b), high);
        }
    }
    KAI_INLINE static svint32_t sum(svint32_t first, svint32_t other) {
        return svadd_s32_x(all_words(), svtrn1_s32(first, other), svtrn2_s32(first, other));
    }
    KAI_INLINE static svfloat32_t scales(const uint8_t* p, size_t width) {
        const svbool_t some = svwhilelt_b64_u64(0, width / 8);
        const svuint64_t first = svld1uh_u64(some, reinterpret_cast<const uint16_t*>(p));
        const svuint64_t other = svld1uh_u64(some, reinterpret_cast<const uint16_t*>(p + width / 4));
        return halves_to_float(svtrn1_u32(svreinterpret_u32_u64(first), svreinterpret_u32_u64(other)));
    }
    KAI_INLINE static void store(float* dst, size_t columns, size_t width, svfloat32_t x, float lo, float hi) {
        const size_t half = width / 8;
        store_clamped(dst, columns < half ? columns : half, svuzp1_f32(x, x), lo, hi);
        if (columns > half) {
            const size_t others = columns - half;
            store_clamped(dst + half, others < half ? others : half, svuzp2_f32(x, x), lo, hi);
        }
    }
};
/// @}

/// One row.
struct RowShape {
    size_t bl, blocks, rhs_stride, width;
    float lo, hi;
};

/// S of a block of one panel, as f32; `rhs` are its elements.
template <class Dot, class Sum>
KAI_INLINE svfloat32_t sum_of_block(size_t bl, size_t width, const uint8_t* low_k, const uint8_t* rhs) {
    svint32_t first = Dot::template start<Sum>(), other = first;
    const uint8_t* high_k = low_k + bl / 2;
    for (size_t j = 0; j < bl / 2; j += 16, low_k += 16, high_k += 16, rhs += 128) {
        Dot::template mac<Sum>(first, other, width, rhs, low_k, high_k);
    }
    return Sum::to_float(Dot::sum(first, other));
}

/// The columns of a vector of one panel, or of two; n from the first of them on.
template <class Dot, class Sum, bool TWO>
KAI_INLINE void vector_columns(
    const RowShape& p, size_t column, const uint8_t* lhs, const uint8_t* rhs, float* dst, size_t n) {
    const size_t bl = Sum::kBlock != 0 ? Sum::kBlock : p.bl;
    const size_t lhs_block = qsi8d32p.block_bytes(Dot::kLhs, bl), rhs_block = qsi4c32p.block_bytes(Dot::kRhs, bl);
    const size_t elements = qsi4c32p.elements(Dot::kRhs, bl, 0) + Dot::offset(column);
    svfloat32_t acc = svdup_n_f32(0), next = acc;
    for (size_t b = p.blocks; b > 0; --b, lhs += lhs_block, rhs += rhs_block) {
        const float row_scale = load_f16(lhs);
        const uint8_t* k = lhs + qsi8d32p.elements(Dot::kLhs, bl, 0);
        const auto scales = [&](const uint8_t* panel) {
            return svmul_n_f32_x(all_words(), Dot::scales(panel + 2 * column, p.width), row_scale);
        };
        acc = svmla_f32_x(all_words(), acc, sum_of_block<Dot, Sum>(bl, p.width, k, rhs + elements), scales(rhs));
        if constexpr (TWO) {
            const uint8_t* panel = rhs + p.rhs_stride;
            next =
                svmla_f32_x(all_words(), next, sum_of_block<Dot, Sum>(bl, p.width, k, panel + elements), scales(panel));
        }
    }
    Dot::store(dst, n, p.width, acc, p.lo, p.hi);
    if constexpr (TWO) {
        Dot::store(dst + 8, n - 8, p.width, next, p.lo, p.hi);
    }
}

template <class Dot, class Sum>
KAI_INLINE void row(const RowShape& p, const uint8_t* lhs, const uint8_t* rhs, float* dst, size_t n) {
    for (size_t n0 = 0; n0 < n; n0 += 16, rhs += 2 * p.rhs_stride) {
        for (size_t c = 0; c < 8 && n0 + c < n; c += p.width / 4) {
            // The second panel may have no more than its first columns, or none.
            const size_t left = n - n0 - c;
            if (left > 8) {
                vector_columns<Dot, Sum, true>(p, c, lhs, rhs, dst + n0 + c, left);
            } else {
                vector_columns<Dot, Sum, false>(p, c, lhs, rhs, dst + n0 + c, left < 8 - c ? left : 8 - c);
            }
        }
    }
}

template <class Dot>
struct SveRows {};

/// Rows one after another.
template <class Dot>
KAI_INLINE void matmul_blocks(
    SveRows<Dot>, size_t m, size_t n, size_t k, size_t bl, const void* lhs, const void* rhs, float* dst,
    size_t dst_stride, float lo, float hi) {
    if (n == 0) {
        return;
    }
    with_sum(bl, [&](auto sum) {
        const RowShape shape{bl, k / bl, qsi4c32p.stride(Dot::kRhs, k, bl), width(), lo, hi};
        for (size_t i = 0; i < m; ++i) {
            const uint8_t* panel = bytes(lhs, i * qsi8d32p.stride(Dot::kLhs, k, bl));
            auto* out = reinterpret_cast<float*>(bytes(dst, i * dst_stride));
            row<Dot, decltype(sum)>(shape, panel, bytes(rhs), out, n);
        }
    });
}

/// For groups of KR / 2 k.
template <const Format&, size_t MR, size_t KR, size_t, class>
constexpr auto kernel() {
    static_assert(MR == 1 && (KR == 8 || KR == 16));
    if constexpr (KR == 8) {
        return SveRows<SveDot4>{};
    } else {
        return SveRows<SveDot8>{};
    }
}

}  // namespace
}  // namespace kai

#define KAI_ISA_sve_dotprod KAI_LINES(KAI_DEFINE_MATMUL_BLOCKS)
#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, float, __VA_ARGS__)

#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qsi4c32p/ukernels.def"
