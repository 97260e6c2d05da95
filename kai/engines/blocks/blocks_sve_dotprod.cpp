// f32 <- qsi8d32p x qsi4c32p with SVE SDOT: one row, panels of 8 columns.
//
//     dst[n] = clamp(sum over blocks of lhs_scale * rhs_scale * S),     S = sum over the block of lhs * rhs
//
// Two panels at a time share the row. With vectors of 128 bits each panel takes two turns of 4 columns. Other block
// lengths than 32 run in blocks_neon_dotprod_long_row.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/blocks/blocks_sve.hpp"
#include "kai/engines/core/catalogue.hpp"

namespace kai {
namespace {

constexpr float kStart = ShortSum<4>::kStart;

/// Weights are 16 times the nibbles.
KAI_INLINE svint8_t low(svint8_t packed) {
    return svlsl_n_s8_x(all(), packed, 4);
}
KAI_INLINE svint8_t high(svint8_t packed) {
    return svand_n_s8_x(all(), packed, -16);
}

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

    /// Offset of `column` within a group.
    static constexpr size_t offset(size_t column) {
        return K * column;
    }
};

/// A word has one column, an index takes 4 k of the row.
struct SveDot4 : SveGroups<4> {
    KAI_INLINE static svint32_t start() {
        return svreinterpret_s32_f32(svdup_n_f32(kStart));
    }
    KAI_INLINE static void mac(
        svint32_t& sum, svint32_t&, size_t width, const uint8_t* rhs, const uint8_t* low_k, const uint8_t* high_k) {
        const svbool_t some = first_bytes(width);
        const svint8_t k_low = load_quad(low_k), k_high = load_quad(high_k);
        const svint8_t a = load_bytes(some, rhs), b = load_bytes(some, rhs + 32);
        const svint8_t c = load_bytes(some, rhs + 64), d = load_bytes(some, rhs + 96);
        sum = svdot_lane_s32(sum, low(a), k_low, 0);
        sum = svdot_lane_s32(sum, low(b), k_low, 1);
        sum = svdot_lane_s32(sum, low(c), k_low, 2);
        sum = svdot_lane_s32(sum, low(d), k_low, 3);
        sum = svdot_lane_s32(sum, high(a), k_high, 0);
        sum = svdot_lane_s32(sum, high(b), k_high, 1);
        sum = svdot_lane_s32(sum, high(c), k_high, 2);
        sum = svdot_lane_s32(sum, high(d), k_high, 3);
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
    /// Half of the words: they are added in pairs.
    KAI_INLINE static svint32_t start() {
        return svtrn1_s32(svreinterpret_s32_f32(svdup_n_f32(kStart)), svdup_n_s32(0));
    }
    KAI_INLINE static svint8_t load_k(const uint8_t* p) {
        return svreinterpret_s8_u64(svdup_n_u64(load<uint64_t>(p)));
    }
    KAI_INLINE static void mac(
        svint32_t& first, svint32_t& other, size_t width, const uint8_t* rhs, const uint8_t* low_k,
        const uint8_t* high_k) {
        const svbool_t some = first_bytes(width);
        KAI_UNROLL(16)
        for (int g = 0; g < 2; ++g, rhs += 64, low_k += 8, high_k += 8) {
            const svint8_t k_low = load_k(low_k), k_high = load_k(high_k);
            const svint8_t a = load_bytes(some, rhs), b = load_bytes(some, rhs + width);
            first = svdot_s32(first, low(a), k_low);
            other = svdot_s32(other, low(b), k_low);
            first = svdot_s32(first, high(a), k_high);
            other = svdot_s32(other, high(b), k_high);
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
    size_t blocks, rhs_stride, width;
    float lo, hi;
};

/// One vector of columns of each of two panels; `n` counts from the first. Without a second panel the first is read
/// twice, and stored once.
template <class Dot>
KAI_INLINE void vector_columns(
    const RowShape& p, size_t column, const uint8_t* lhs, const uint8_t* rhs, float* dst, size_t n) {
    constexpr size_t kRhsBlock = qsi4c32p.block_bytes(Dot::kRhs, 32);
    const size_t elements = qsi4c32p.elements(Dot::kRhs, 32, 0) + Dot::offset(column);
    const size_t second = n > 8 ? p.rhs_stride : 0;
    svfloat32_t acc = svdup_n_f32(0), next = acc;
    for (size_t b = p.blocks; b > 0; --b, lhs += qsi8d32p.block_bytes(Dot::kLhs, 32), rhs += kRhsBlock) {
        const uint8_t* k = lhs + qsi8d32p.elements(Dot::kLhs, 32, 0);
        const float row_scale = load_f16(lhs);
        const auto add = [&](svfloat32_t& to, const uint8_t* panel) {
            svint32_t first = Dot::start(), other = first;
            Dot::mac(first, other, p.width, panel + elements, k, k + 16);
            const svfloat32_t sum = svsub_n_f32_x(all_words(), svreinterpret_f32_s32(Dot::sum(first, other)), kStart);
            const svfloat32_t scales = Dot::scales(panel + 2 * column, p.width);
            to = svmla_f32_x(all_words(), to, sum, svmul_n_f32_x(all_words(), scales, row_scale));
        };
        add(acc, rhs);
        add(next, rhs + second);
    }
    Dot::store(dst, n < 8 - column ? n : 8 - column, p.width, acc, p.lo, p.hi);
    Dot::store(dst + 8, n > 8 ? n - 8 : 0, p.width, next, p.lo, p.hi);
}

/// A micro-kernel.
template <class Dot>
struct SveRows {
    BlockRowsKernel long_kernel;
};

/// Rows one after another.
template <class Dot>
KAI_INLINE void matmul_blocks(
    const SveRows<Dot>& kernel, size_t m, size_t n, size_t k, size_t bl, const void* lhs, const void* rhs, float* dst,
    size_t dst_stride, float lo, float hi) {
    if (bl != 32) {
        return matmul_blocks(kernel.long_kernel, m, n, k, bl, lhs, rhs, dst, dst_stride, lo, hi);
    }
    const RowShape p{k / 32, qsi4c32p.stride(Dot::kRhs, k, 32), width(), lo, hi};
    for (size_t i = 0; i < m; ++i) {
        const uint8_t *row = bytes(lhs, i * qsi8d32p.stride(Dot::kLhs, k, 32)), *panels = bytes(rhs);
        auto* out = reinterpret_cast<float*>(bytes(dst, i * dst_stride));
        for (size_t n0 = 0; n0 < n; n0 += 16, panels += 2 * p.rhs_stride) {
            for (size_t c = 0; c < 8 && n0 + c < n; c += p.width / 4) {
                vector_columns<Dot>(p, c, row, panels, out + n0 + c, n - n0 - c);
            }
        }
    }
}

/// For groups of KR / 2 k.
template <const Format& LHS, const Format& RHS, size_t MR, size_t NR, size_t KR, size_t, class T, bool>
constexpr auto sve_kernel() {
    static_assert(MR == 1 && (KR == 8 || KR == 16));
    constexpr BlockOperands operands = block_operands<LHS, RHS, MR, NR, T>();
    if constexpr (KR == 8) {
        return SveRows<SveDot4>{{operands, nullptr, &kLongRow4}};
    } else {
        return SveRows<SveDot8>{{operands, nullptr, &kLongRow8}};
    }
}

}  // namespace
}  // namespace kai

#define KAI_DEFINE_MATMUL_SVE(...) KAI_DEFINE_MATMUL_BLOCKS_BY(sve_kernel, __VA_ARGS__)
#define KAI_ISA_sve_dotprod KAI_LINES(KAI_DEFINE_MATMUL_SVE)
#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, float, float, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qsi4c32p/ukernels.def"
