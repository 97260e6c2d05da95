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

template <const Block& TYPE>
KAI_INLINE void decode(const uint8_t* block, size_t r, SuperRows& to) {
    constexpr bool kSix = TYPE.scales == Scales::six_bits;
    const SixBits six = kSix ? unpack_six_bits(block + TYPE.subs) : SixBits{};
    to.fields.d[r] = f16_at(block + TYPE.d);
    to.fields.dmin[r] = kSix ? f16_at(block + TYPE.m) : 0;
    for (size_t j = 0; kSix && j < SuperBlock<kSuperRows>::kSubBlocks; ++j) {
        to.fields.minima[r][j] = six.mn >> 8 * j & 63;
    }
    for (size_t i = 0; i < kChunk; ++i) {
        const size_t j = i / TYPE.run;
        const int scale = kSix ? static_cast<int>(six.sc >> 8 * j & 63) : static_cast<int8_t>(block[TYPE.subs + j]);
        to.weights[r][i] = static_cast<int16_t>(value_of(TYPE, block, i) * scale);
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
[[gnu::noinline]] void run(const InplaceProblem& p) {
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
constexpr auto *run_ggq4_k = run<Q4_K, ggq4_k>, *run_ggq6_k = run<Q6_K, ggq6_k>;

}  // namespace
}  // namespace kai

extern "C" {

#define KAI_ISA_any KAI_LINES(KAI_DEFINE_MATMUL_FILE)
#define KAI_UKERNEL_FILE KAI_LINE
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d256p_ggq4_k/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d256p_ggq6_k/ukernels.def"

}  // extern "C"
