// int8 x weights in super-blocks of 256 in portable C++. The operations, and so the bits, are those of the other
// kernels (superblocks.hpp).
//
//     for panels of the RHS, for groups of up to 16 rows
//         for super-blocks
//             decode the columns to int16, which all rows share
//             row by row: sums of products of each sub-block, times its scale; results = fma(...)
//         clamp, store
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/core/getters.hpp"
#include "kai/engines/portable/portable.hpp"
#include "kai/engines/superblocks/superblocks.hpp"
#include "kai/ukernels/families.h"

namespace kai {
namespace {

constexpr size_t kBlock = 256, kColumns = 4, kRows = 16;

/// A super-block of four columns, decoded.
struct Columns {
    int16_t values[kColumns][kBlock];
    int32_t scales[kColumns][16];
    float d[kColumns];
};

template <size_t GROUP>
[[gnu::noinline]] void decode_six(const uint8_t* block, Columns& to) {
    const uint8_t* elements = block + kColumns * qsi6c16x256p.block_head;
    for (size_t c = 0; c < kColumns; ++c) {
        to.d[c] = kai_cast_f32_f16(load<uint16_t>(block + 2 * c));
        for (size_t j = 0; j < Six::kSubs; ++j) {
            to.scales[c][j] = static_cast<int8_t>(block[scale_of_sub(kColumns, j, c)]);
            const uint8_t* const quad = elements + Six::quad(kColumns, j, c);
            for (size_t i = 0; i < Six::kSub; ++i) {
                const Six::At at = Six::at(GROUP, c, i);
                to.values[c][Six::kSub * j + i] = static_cast<int16_t>(Six::value(quad + at.lane, at.vector));
            }
        }
    }
}

/// results = fma(f32(I) * d, lhs_scale, results)
template <size_t SUB>
[[gnu::noinline]] void add_row(const uint8_t* row, const Columns& columns, float* results) {
    const float scale = load<float>(row);
    int16_t wide[kBlock];
    for (size_t i = 0; i < kBlock; ++i) {
        wide[i] = static_cast<int8_t>(row[qsi8d256p.block_head + i]);
    }
    float products[kColumns], scales[kColumns];
    for (size_t c = 0; c < kColumns; ++c) {
        int32_t total = 0;
        for (size_t j = 0; j < kBlock / SUB; ++j) {
            int32_t sum = 0;
            for (size_t i = 0; i < SUB; ++i) {
                sum += wide[SUB * j + i] * columns.values[c][SUB * j + i];
            }
            total += sum * columns.scales[c][j];
        }
        products[c] = static_cast<float>(total) * columns.d[c];
        scales[c] = scale;
    }
    fused(products, scales, results, kColumns);
}

template <size_t SUB, void (*decode)(const uint8_t*, Columns&)>
void run_superblocks(
    const Format& format, size_t m, size_t n, size_t k, const void* lhs, const void* rhs, void* dst, size_t dst_stride,
    float lo, float hi) {
    const size_t lhs_stride = qsi8d256p.stride({1, 0, 0}, k), rhs_stride = format.stride({kColumns, 0, 0}, k);
    const size_t lhs_block = qsi8d256p.block_bytes({1, 0, 0}, kBlock),
                 rhs_block = format.block_bytes({kColumns, 0, 0}, kBlock);
    Columns columns;
    float results[kRows][kColumns];
    for (size_t n0 = 0; n0 < n; n0 += kColumns) {
        const uint8_t* const panel = bytes(rhs, n0 / kColumns * rhs_stride);
        const size_t count = n - n0 < kColumns ? n - n0 : kColumns;
        for (size_t m0 = 0; m0 < m; m0 += kRows) {
            const size_t rows = m - m0 < kRows ? m - m0 : kRows;
            __builtin_memset(results, 0, sizeof(results));
            for (size_t b = 0; b < k / kBlock; ++b) {
                decode(panel + b * rhs_block, columns);
                for (size_t r = 0; r < rows; ++r) {
                    add_row<SUB>(bytes(lhs, (m0 + r) * lhs_stride + b * lhs_block), columns, results[r]);
                }
            }
            for (size_t r = 0; r < rows; ++r) {
                for (size_t c = 0; c < count; ++c) {
                    store(bytes(dst, (m0 + r) * dst_stride + 4 * (n0 + c)), clamped(results[r][c], lo, hi));
                }
            }
        }
    }
}

}  // namespace
}  // namespace kai

#define KAI_DEFINE_PORTABLE_SUPERBLOCKS(NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP)                               \
    KAI_DEFINE_MATMUL_GETTERS_MULTIPLE(kai::RHS.block, NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP, sizeof(float)) \
    void kai_run_##NAME(                                                                                              \
        size_t m, size_t n, size_t k, const void* lhs, const void* rhs, float* dst, size_t stride_row,                \
        size_t stride_col, float lo, float hi) {                                                                      \
        kai::check_depth(k, kai::RHS.block);                                                                          \
        kai::check_output(stride_col, sizeof(float), lo, hi);                                                         \
        kai::run_superblocks<kai::Six::kSub, kai::decode_six<KR / SR>>(                                               \
            kai::RHS, m, n, k, lhs, rhs, dst, stride_row, lo, hi);                                                    \
    }

extern "C" {

#define KAI_ISA_any KAI_LINES(KAI_DEFINE_PORTABLE_SUPERBLOCKS)
#define KAI_UKERNEL KAI_LINE
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d256p_qsi6c16x256p/ukernels.def"

}  // extern "C"
