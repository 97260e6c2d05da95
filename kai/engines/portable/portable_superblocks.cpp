// f32 <- qsi8d256p x super-blocks of GGUF files, in portable C++.
//
// A super-block of up to 16 columns becomes int16: weights times their integer sub-scales, which fit. So a row times a
// column is the sum I of the super-block, as in other kernels.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/core/getters.hpp"
#include "kai/engines/portable/portable_superblocks.hpp"
#include "kai/engines/superblocks/superblocks.hpp"

namespace kai {
namespace {

constexpr size_t kSubBlocks = SuperBlock<kColumns>::kSubBlocks;
static_assert(kChunk == qau4c32x256p.block && kChunk == qsi6c16x256p.block);

template <const Format& RHS>
constexpr size_t kMinima = RHS.bits == 6 || RHS.bits == 3 || RHS.table ? 0
                           : RHS.bits == 2                             ? 16
                                                                       : 8;

/// The LHS of an RHS.
template <const Format& RHS>
constexpr const Format& kLhs = RHS.bits == 2 ? qsi8d16x256p : qsi8d256p;

/// The first bytes of the fields of a super-block of NR columns.
template <size_t NR>
struct SixBitFields {
    static constexpr size_t kDmin = 2 * NR, kMinima = 4 * NR, kScales = 12 * NR, kHigh = 20 * NR;
};

/// `count` bytes of column c, GROUP of which are adjacent.
template <size_t NR, size_t GROUP>
KAI_INLINE void gather(const uint8_t* src, size_t c, size_t count, uint8_t* bytes) {
    for (size_t i = 0; i < count; i += GROUP) {
        __builtin_memcpy(bytes + i, src + i * NR + c * GROUP, GROUP);
    }
}

/// The values of a sub-block of column c in the upper six bits of bytes. The bits of a fourth vector are below those of
/// the first three, two in each.
template <size_t GROUP>
KAI_INLINE Int8x16 gather_six(const uint8_t* quad, size_t c) {
    if constexpr (GROUP == 8) {  // 8 k of columns 0 and 1, of columns 2 and 3; 8 more
        using Words [[gnu::vector_size(16)]] = uint64_t;
        constexpr uint64_t kLast = 0x0303030303030303U;
        quad += c % 2 * GROUP;
        const auto first = load<uint64_t>(quad), second = load<uint64_t>(quad + Six::kVector),
                   third = load<uint64_t>(quad + 2 * Six::kVector);
        const uint64_t last = (first & kLast) << 6 | (second & kLast) << 4 | (third & kLast) << 2;
        return Int8x16(c % 4 < 2 ? Words{first, third} : Words{second, last});
    } else {
        static_assert(GROUP == 4);
        using Words [[gnu::vector_size(16)]] = uint32_t;
        constexpr uint32_t kLast = 0x03030303U;
        quad += c % 4 * GROUP;
        const auto first = load<uint32_t>(quad), second = load<uint32_t>(quad + Six::kVector),
                   third = load<uint32_t>(quad + 2 * Six::kVector);
        const uint32_t last = (first & kLast) << 6 | (second & kLast) << 4 | (third & kLast) << 2;
        return Int8x16(Words{first, second, third, last});
    }
}

/// Column c of a panel, 6 bits.
template <size_t NR, size_t GROUP>
KAI_INLINE void decode_six(const uint8_t* block, size_t c, int16_t* weights) {
    for (size_t j = 0; j < Six::kSubs; ++j, weights += Six::kSub) {
        const int16_t scale = static_cast<int8_t>(block[scale_of_sub(NR, j, c)]);
        const uint8_t* quad = block + NR * qsi6c16x256p.block_head + Six::quad(NR, j, c);
        store(weights, (widened(gather_six<GROUP>(quad, c)) >> 2) * scale);
    }
}

/// Column c of a panel, 3 bits.
template <size_t NR, size_t GROUP>
KAI_INLINE void decode_three(const uint8_t* block, size_t c, int16_t* weights) {
    for (size_t j = 0; j < Six::kSubs; j += 2, weights += 2 * Six::kSub) {
        const int16_t even = static_cast<int8_t>(block[scale_of_sub(NR, j, c)]),
                      odd = static_cast<int8_t>(block[scale_of_sub(NR, j + 1, c)]);
        const uint8_t* quad = block + NR * qsi3c16x256p.block_head + Three::pair(j);
        const Int16x16 both = widened(gather_six<GROUP>(quad, c));  // even, odd and two bits more
        store(weights, (both >> 5) * even);
        store(weights + Six::kSub, (both << 11 >> 13) * odd);
    }
}

/// 16 bytes of column c, GROUP of which are adjacent, 16 / GROUP groups in all.
template <size_t NR, size_t GROUP>
KAI_INLINE Int8x16 gather_sixteen(const uint8_t* src, size_t c) {
    src += c * GROUP;
    if constexpr (GROUP == 8) {
        return joined(src, src + GROUP * NR);
    } else {
        static_assert(GROUP == 4);
        using Words [[gnu::vector_size(16)]] = uint32_t;
        return Int8x16(Words{
            load<uint32_t>(src), load<uint32_t>(src + GROUP * NR), load<uint32_t>(src + 2 * GROUP * NR),
            load<uint32_t>(src + 3 * GROUP * NR)});
    }
}

/// The same, indices of a table. A byte holds two that are 16 apart.
template <size_t NR, size_t GROUP>
KAI_INLINE void decode_indices(const int8_t* table, const uint8_t* block, size_t c, int16_t* weights) {
    constexpr size_t kHalf = kStep / 2;
    const uint8_t* indices = block + NR * qlu4c32x256p.block_head;
    for (size_t j = 0; j < kSubBlocks; ++j, weights += kStep) {
        const int16_t scale = static_cast<int8_t>(block[scale_of_sub(NR, j, c)]);
        const auto both = UInt8x16(gather_sixteen<NR, GROUP>(indices + j * kHalf * NR, c));
        if constexpr (kHasLookUp) {
            const auto entries = load<Int8x16>(table);
            store(weights, widened(look_up(entries, both & 15)) * scale);
            store(weights + kHalf, widened(look_up(entries, both >> 4)) * scale);
        } else {
            for (size_t i = 0; i < kHalf; ++i) {
                weights[i] = static_cast<int16_t>(table[both[i] & 15] * scale);
                weights[kHalf + i] = static_cast<int16_t>(table[both[i] >> 4] * scale);
            }
        }
    }
}

/// The same, 4 and 5 bits. Of byte j of a column, the low nibble is in one sub-block, the high one in the next.
template <const Format& RHS, size_t NR, size_t GROUP>
KAI_INLINE void decode_nibbles(
    const uint8_t* block, size_t c, int16_t* weights, SuperBlock<kColumns>& fields, size_t column) {
    using At = SixBitFields<NR>;
    constexpr size_t kNibbles = At::kHigh + (RHS.bits == 5 ? 32 * NR : 0);
    fields.dmin[column] = kai_cast_f32_f16(load<uint16_t>(block + At::kDmin + 2 * c));
    gather<NR, GROUP>(block + At::kMinima, c, kSubBlocks, fields.minima[column]);
    for (size_t j = 0; j < kSubBlocks; ++j, weights += kStep) {
        const int16_t scale = block[At::kScales + j * NR + c];
        for (size_t i = 0; i < kStep; i += 16) {
            const Int8x16 both = gather_sixteen<NR, GROUP>(block + kNibbles + (j / 2 * kStep + i) * NR, c);
            Int16x16 q = widened(both) >> static_cast<int>(j % 2 * 4) & 15;
            if constexpr (RHS.bits == 5) {
                const Int16x16 fifths = widened(gather_sixteen<NR, GROUP>(block + At::kHigh + i * NR, c));
                q = q | (fifths >> static_cast<int>(j) & 1) << 4;
            }
            store(weights + i, q * scale);
        }
    }
}

/// The same, 2 bits: a byte has those of four sub-blocks.
template <size_t NR, size_t GROUP>
KAI_INLINE void decode_two(
    const uint8_t* block, size_t c, int16_t* weights, SuperBlock<kColumns>& fields, size_t column) {
    constexpr size_t kSub = 16, kSubs = 16;
    const uint8_t *subs = block + 4 * NR, *quants = block + NR * qau2c16x256p.block_head;
    fields.dmin[column] = kai_cast_f32_f16(load<uint16_t>(block + 2 * NR + 2 * c));
    gather<NR, GROUP>(subs, c, kSubs, fields.minima[column]);
    for (size_t j = 0; j < kSubs; ++j) {
        fields.minima[column][j] >>= 4;
    }
    for (size_t half = 0; half < 2; ++half) {
        const Int16x16 of_four[2] = {
            widened(gather_sixteen<NR, GROUP>(quants + half * 32 * NR, c)),
            widened(gather_sixteen<NR, GROUP>(quants + (half * 32 + kSub) * NR, c))};
        for (size_t j = 0; j < 8; ++j, weights += kSub) {
            const int16_t scale = subs[(8 * half + j) * NR + c] & 15;
            store(weights, (of_four[j % 2] >> static_cast<int>(j / 2 * 2) & 3) * scale);
        }
    }
}

/// `panel` may start with a table.
template <const Format& RHS, size_t NR, size_t GROUP>
KAI_INLINE void decode(
    const uint8_t* panel, const uint8_t* block, size_t c, int16_t* weights, SuperBlock<kColumns>& fields,
    size_t column) {
    fields.d[column] = kai_cast_f32_f16(load<uint16_t>(block + 2 * c));
    if constexpr (RHS.bits == 6) {
        decode_six<NR, GROUP>(block, c, weights);
    } else if constexpr (RHS.bits == 2) {
        decode_two<NR, GROUP>(block, c, weights, fields, column);
    } else if constexpr (RHS.bits == 3) {
        decode_three<NR, GROUP>(block, c, weights);
    } else if constexpr (RHS.table) {
        decode_indices<NR, GROUP>(reinterpret_cast<const int8_t*>(panel), block, c, weights);
    } else {
        decode_nibbles<RHS, NR, GROUP>(block, c, weights, fields, column);
    }
}

struct SuperProblem {
    size_t m, n, k;
    const uint8_t *lhs, *rhs;
    uint8_t* dst;
    size_t dst_stride;
    float lo, hi;
};

/// m_step is 1: any number of rows.
template <const Format& RHS, size_t MR, size_t NR, size_t KR, size_t SR>
[[gnu::noinline]] void run_superblocks(const void* problem) {
    auto [m, n, k, lhs, rhs, dst, dst_stride, lo, hi] = *static_cast<const SuperProblem*>(problem);
    static_assert(MR == 1);
    constexpr size_t kGroup = KR / SR;
    constexpr Tile kRow = {MR, KR, SR}, kPanel = {NR, KR, SR};
    constexpr const Format& lhs_format = kLhs<RHS>;
    const size_t lhs_stride = lhs_format.stride(kRow, k), rhs_stride = RHS.stride(kPanel, k);
    int16_t wide[kChunk], weights[kColumns][kChunk] = {};
    SuperBlock<kColumns> fields = {};
    Floats results[kRows];
    for (size_t n0 = 0; n0 < n && m > 0; n0 += kColumns, rhs += kColumns / NR * rhs_stride) {
        const size_t columns = n - n0 < kColumns ? n - n0 : kColumns, stored = (columns + NR - 1) / NR * NR;
        for (size_t m0 = 0; m0 < m; m0 += kRows) {
            const size_t rows = m - m0 < kRows ? m - m0 : kRows;
            __builtin_memset(results, 0, rows * sizeof(Floats));
            for (size_t b = 0; b < k / kChunk; ++b) {
                for (size_t c = 0; c < stored; ++c) {
                    const uint8_t* panel = rhs + c / NR * rhs_stride;
                    const uint8_t* block = panel + RHS.head(kPanel, k, kChunk, b);
                    decode<RHS, NR, kGroup>(panel, block, c % NR, weights[c], fields, c);
                }
                for (size_t r = 0; r < rows; ++r) {
                    const uint8_t* row = lhs + (m0 + r) * lhs_stride + lhs_format.head(kRow, k, kChunk, b);
                    Sums sums = {};
                    widen(row + kRow.rows * lhs_format.block_head, kChunk / kStep, kStep, kStep / 2, wide);
                    multiply(wide, weights, stored, 0, kChunk, sums);
                    add_super_block<kMinima<RHS>>(sums, fields, row, results[r]);
                }
            }
            for (size_t r = 0; r < rows; ++r) {
                store_row(results[r], columns, dst + (m0 + r) * dst_stride + n0 * sizeof(float), OutKind::f32, lo, hi);
            }
        }
    }
}

}  // namespace
}  // namespace kai

// A micro-kernel of the catalogue and its getters.
#define KAI_DEFINE_MATMUL_SUPERBLOCKS(NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP) \
    KAI_LOOPS(NAME, (kai::run_superblocks<kai::RHS, MR, NR, KR, SR>))                 \
    KAI_ENTRY(KAI_DEFINE_MATMUL_SUPERBLOCKS_ENTRY(NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP))
#define KAI_DEFINE_MATMUL_SUPERBLOCKS_ENTRY(NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP)                    \
    KAI_DEFINE_MATMUL_GETTERS_MULTIPLE(256, NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP, sizeof(float))     \
    KAI_RUN_MATMUL(NAME, float) {                                                                              \
        kai::check_depth(k, 256);                                                                              \
        kai::check_output(dst_stride_col, sizeof(float), clamp_min, clamp_max);                                \
        const kai::SuperProblem problem{                                                                       \
            m, n, k, kai::bytes(lhs), kai::bytes(rhs), kai::bytes(dst), dst_stride_row, clamp_min, clamp_max}; \
        kai_loops_##NAME(&problem);                                                                            \
    }

extern "C" {

#define KAI_ISA_any KAI_LINES(KAI_DEFINE_MATMUL_SUPERBLOCKS)
#define KAI_UKERNEL KAI_LINE
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d256p_qau4c32x256p/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d256p_qau5c32x256p/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d256p_qlu4c32x256p/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d256p_qsi6c16x256p/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d256p_qsi3c16x256p/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d16x256p_qau2c16x256p/ukernels.def"

}  // extern "C"
