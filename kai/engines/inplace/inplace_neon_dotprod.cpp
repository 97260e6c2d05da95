// f32 <- an LHS quantised in blocks x rows of a GGUF file with SDOT. The rows are read in place: nothing is packed.
//
//     row by row of the LHS
//         for chunks of k                starts of the sums of the row's blocks
//             8 rows of the RHS          inplace_neon_dotprod_*.S: sums += lhs x rhs
//
// Where the last 8 rows are incomplete, the last row is repeated. Sums of all chunks but the last wait in dst.
//
// SPDX-License-Identifier: Apache-2.0
#include <arm_neon.h>

#include "kai/engines/inplace/inplace.hpp"
#include "kai/engines/core/limits.hpp"

namespace kai {
namespace {

constexpr size_t kRows = InplaceLimits::kColumns;  // of the file

/// What a block of 32 of the LHS adds to the sums of a block.
struct BlockStart {
    float scale;
    uint32_t start;  // of integer sums
};

/// sums[i] += lhs x rows[i], `blocks` blocks.
template <class Start>
using AddFn =
    void(const uint8_t* const rows[kRows], const uint8_t* lhs, const Start* starts, size_t blocks, float sums[kRows]);

}  // namespace
}  // namespace kai

extern "C" {
[[gnu::visibility("hidden")]] kai::AddFn<kai::BlockStart> kai_inplace_q8_0_neon_dotprod, kai_inplace_q4_0_neon_dotprod;
[[gnu::visibility("hidden")]] kai::AddFn<int32x4_t> kai_inplace_q4_k_neon_dotprod, kai_inplace_q6_k_neon_dotprod;
}

namespace kai {
namespace {

/// Of 32 values.
KAI_INLINE int32_t sum_of_block(const uint8_t* p) {
    const int8x16_t one = vdupq_n_s8(1);
    const int32x4_t sum = vdotq_s32(vdupq_n_s32(0), load<int8x16_t>(p), one);
    return vaddvq_s32(vdotq_s32(sum, load<int8x16_t>(p + 16), one));
}

/// qsi8d32p: f16 scale, 32 values.
template <bool MINUS_8>
KAI_INLINE void make_starts(const uint8_t* lhs, size_t blocks, BlockStart* starts) {
    constexpr uint32_t kStart = 0x4b400000;  // C = 1.5 * 2^23
    for (size_t b = 0; b < blocks; ++b, lhs += 34) {
        starts[b].scale = kai_cast_f32_f16(load<uint16_t>(lhs));
        starts[b].start = kStart - (MINUS_8 ? 8 * static_cast<uint32_t>(sum_of_block(lhs + 2)) : 0);
    }
}

/// Types with blocks of 32.
template <AddFn<BlockStart>* ADD, bool MINUS_8>
struct BlocksOf32 {
    static constexpr size_t kLhsBlock = 34, kChunk = InplaceLimits::kBlocks;
    BlockStart starts[kChunk];

    KAI_INLINE void start(const uint8_t* lhs, size_t blocks) {
        make_starts<MINUS_8>(lhs, blocks, starts);
    }
    KAI_INLINE void add(const uint8_t* const rows[kRows], const uint8_t* lhs, size_t blocks, float* sums) const {
        ADD(rows, lhs, starts, blocks, sums);
    }
};
using Q8_0 = BlocksOf32<kai_inplace_q8_0_neon_dotprod, false>;
using Q4_0 = BlocksOf32<kai_inplace_q4_0_neon_dotprod, true>;

/// Types with super-blocks.
struct Q4_K {
    static constexpr size_t kLhsBlock = 276, kChunk = SIZE_MAX;

    KAI_INLINE void start(const uint8_t*, size_t) {
    }
    KAI_INLINE void add(const uint8_t* const rows[kRows], const uint8_t* lhs, size_t blocks, float* sums) const {
        kai_inplace_q4_k_neon_dotprod(rows, lhs, nullptr, blocks, sums);
    }
};
struct Q6_K {
    static constexpr size_t kLhsBlock = 276, kLhsHead = 20, kSubs = 16, kChunk = InplaceLimits::kSuperBlocks;
    int32x4_t starts[kChunk * kSubs];

    KAI_INLINE void start(const uint8_t* lhs, size_t blocks) {
        for (size_t i = 0; i < blocks * kSubs; ++i) {
            const uint8_t* values = lhs + i / kSubs * kLhsBlock + kLhsHead + i % kSubs * sizeof(int8x16_t);
            starts[i] = vdotq_s32(vdupq_n_s32(0), load<int8x16_t>(values), vdupq_n_s8(-32));
        }
    }
    KAI_INLINE void add(const uint8_t* const rows[kRows], const uint8_t* lhs, size_t blocks, float* sums) const {
        kai_inplace_q6_k_neon_dotprod(rows, lhs, starts, blocks, sums);
    }
};

/// `count` floats of kRows.
KAI_INLINE void copy_floats(void* to, const void* from, size_t count) {
    if (count == kRows) {
        __builtin_memcpy(to, from, kRows * sizeof(float));
    } else {
        __builtin_memcpy(to, from, count * sizeof(float));
    }
}

template <class Type, const FileRows& RHS>
[[gnu::noinline]] void run(const InplaceProblem& p) {
    const size_t blocks = p.k / RHS.block;
    const float32x4_t lo = vdupq_n_f32(p.lo), hi = vdupq_n_f32(p.hi);
    Type type;
    for (size_t i = 0; i < p.m && p.n > 0; ++i) {
        const uint8_t* lhs = p.lhs + i * (blocks * Type::kLhsBlock);
        uint8_t* const dst = bytes(p.dst, i * p.dst_stride);
        size_t b = 0;
        do {
            const size_t count = blocks - b < Type::kChunk ? blocks - b : Type::kChunk;
            type.start(lhs, count);
            for (size_t n = 0; n < p.n; n += kRows) {
                const size_t columns = p.n - n < kRows ? p.n - n : kRows;
                const uint8_t* rows[kRows];
                for (size_t r = 0; r < kRows; ++r) {
                    rows[r] = p.rhs + (n + (r < columns ? r : columns - 1)) * p.rhs_stride + b * RHS.block_bytes;
                }
                float sums[kRows] = {};
                if (b > 0) {
                    copy_floats(sums, dst + n * sizeof(float), columns);
                }
                type.add(rows, lhs, count, sums);
                if (b + count == blocks) {
                    for (size_t r = 0; r < kRows; r += 4) {
                        vst1q_f32(sums + r, vminq_f32(vmaxq_f32(vld1q_f32(sums + r), lo), hi));
                    }
                }
                copy_floats(dst + n * sizeof(float), sums, columns);
            }
            lhs += count * Type::kLhsBlock;
            b += count;
        } while (b < blocks);
    }
}

constexpr auto *run_ggq8_0 = run<Q8_0, ggq8_0>, *run_ggq4_0 = run<Q4_0, ggq4_0>;
constexpr auto *run_ggq4_k = run<Q4_K, ggq4_k>, *run_ggq6_k = run<Q6_K, ggq6_k>;

}  // namespace
}  // namespace kai

extern "C" {

#define KAI_ISA_neon_dotprod KAI_LINES(KAI_DEFINE_MATMUL_FILE)
#define KAI_UKERNEL_FILE KAI_LINE
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_ggq8_0/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_ggq4_0/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d256p_ggq4_k/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d256p_ggq6_k/ukernels.def"

}  // extern "C"
