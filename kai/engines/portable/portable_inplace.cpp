// f32 <- qsi8d256p x rows of GGUF files with super-blocks, read in place, in portable C++.
//
// A super-block of four rows becomes int16: weights times their integer sub-scales, which fit. So the product of an LHS
// row and an RHS row is the sum I of the super-block, as in other kernels.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/gguf/gguf.hpp"
#include "kai/engines/inplace/inplace.hpp"
#include "kai/engines/portable/portable_superblocks.hpp"

namespace kai {
namespace {

constexpr size_t kSuperRows = 4;
static_assert(kChunk == qsi8d256p.block);

/// A super-block of four rows.
struct SuperRows {
    int16_t weights[kSuperRows][kChunk];
    SuperBlock<kSuperRows> fields;
};

/// 16 values from i on, a multiple of 16, without their scale. Each plane has their bits in 16 bytes.
template <const Block& TYPE>
KAI_INLINE Int16x16 sixteen_values(const uint8_t* block, size_t i) {
    constexpr int kBits = TYPE.low.bits + TYPE.high.bits, kUnused = 16 - kBits;
    static_assert(TYPE.low.distance % 16 == 0 && (TYPE.high.bits == 0 || TYPE.high.distance % 16 == 0));
    // The bias is minus half the range: flipping the highest bit makes two's complement.
    static_assert(TYPE.bias == (TYPE.high.bits == 0 ? 0 : -(1 << (kBits - 1))));
    const auto bits_of = [=](Plane plane, int flipped) {
        const auto mask = static_cast<int8_t>(flipped << plane.shift(i));
        const auto kept = static_cast<int16_t>((1 << plane.bits) - 1);
        return widened(load<Int8x16>(block + plane.byte(i)) ^ mask) >> static_cast<int>(plane.shift(i)) & kept;
    };
    const Int16x16 low = bits_of(TYPE.low, 0);
    if constexpr (TYPE.high.bits == 0) {
        return low;
    } else {
        const Int16x16 high = bits_of(TYPE.high, 1 << (TYPE.high.bits - 1));
        return (low | high << static_cast<int>(TYPE.low.bits)) << kUnused >> kUnused;
    }
}

template <const Block& TYPE>
KAI_INLINE void decode(const uint8_t* block, size_t r, SuperRows& to) {
    constexpr bool kSix = TYPE.scales == Scales::six_bits;
    const SixBits six = kSix ? unpack_six_bits(block + TYPE.subs) : SixBits{};
    to.fields.d[r] = f16_at(block + TYPE.d);
    to.fields.dmin[r] = kSix ? f16_at(block + TYPE.m) : 0;
    for (size_t j = 0; kSix && j < SuperBlock<kSuperRows>::kSubBlocks; ++j) {
        to.fields.minima[r][j] = six.mn >> 8 * j & 63;
    }
    KAI_UNROLL(16)
    for (size_t i = 0; i < kChunk; i += 16) {
        const size_t j = i / TYPE.run;
        const int scale = kSix ? static_cast<int>(six.sc >> 8 * j & 63) : static_cast<int8_t>(block[TYPE.subs + j]);
        store(to.weights[r] + i, sixteen_values<TYPE>(block, i) * static_cast<int16_t>(scale));
    }
}

template <const Block& TYPE>
[[gnu::noinline]] void add_row(const uint8_t* row, const SuperRows& columns, float* results) {
    int16_t wide[kChunk];
    widen(row + qsi8d256p.block_head, kChunk / kStep, kStep, kStep / 2, wide);
    Sums sums = {};
    multiply(wide, columns.weights, kSuperRows, 0, kChunk, sums);
    add_super_block<TYPE.m != 0 ? 8 : 0>(sums, columns.fields, row, results);
}

template <const Block& TYPE, const FileRows& RHS>
[[gnu::noinline]] void multiply_file(const void* problem) {
    const auto& p = *static_cast<const InplaceProblem*>(problem);
    static_assert(TYPE.weights == RHS.block && TYPE.bytes == RHS.block_bytes);
    const size_t blocks = p.k / kChunk, lhs_block = qsi8d256p.block_bytes({1, 0, 0}, kChunk);
    SuperRows columns = {};
    float results[kRows][kSuperRows];
    for (size_t n0 = 0; n0 < p.n; n0 += kSuperRows) {
        const size_t count = p.n - n0 < kSuperRows ? p.n - n0 : kSuperRows;
        for (size_t m0 = 0; m0 < p.m; m0 += kRows) {
            const size_t rows = p.m - m0 < kRows ? p.m - m0 : kRows;
            __builtin_memset(results, 0, sizeof(results));
            for (size_t b = 0; b < blocks; ++b) {
                for (size_t c = 0; c < count; ++c) {
                    decode<TYPE>(p.rhs + (n0 + c) * p.rhs_stride + b * TYPE.bytes, c, columns);
                }
                for (size_t r = 0; r < rows; ++r) {
                    add_row<TYPE>(p.lhs + ((m0 + r) * blocks + b) * lhs_block, columns, results[r]);
                }
            }
            for (size_t r = 0; r < rows; ++r) {
                uint8_t* const out = bytes(p.dst, (m0 + r) * p.dst_stride + n0 * sizeof(float));
                store_row(results[r], count, out, OutKind::f32, p.lo, p.hi);
            }
        }
    }
}

}  // namespace

// run_<RHS>, which KAI_DEFINE_MATMUL_FILE calls.
#define KAI_RUN_FILE(RHS, TYPE)                \
    KAI_LOOPS(RHS, (multiply_file<TYPE, RHS>)) \
    KAI_ENTRY(static void run_##RHS(const InplaceProblem& problem) { kai_loops_##RHS(&problem); })
KAI_RUN_FILE(ggq4_k, Q4_K)
KAI_RUN_FILE(ggq6_k, Q6_K)

}  // namespace kai

extern "C" {

#define KAI_DEFINE_PORTABLE_FILE(...) KAI_ENTRY(KAI_DEFINE_MATMUL_FILE(__VA_ARGS__))
#define KAI_ISA_any KAI_LINES(KAI_DEFINE_PORTABLE_FILE)
#define KAI_UKERNEL_FILE KAI_LINE
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d256p_ggq4_k/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d256p_ggq6_k/ukernels.def"

}  // extern "C"
