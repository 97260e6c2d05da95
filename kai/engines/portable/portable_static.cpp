// int8 <- int8 x int8 or 2 bits, static quantisation, in portable C++.
//
// The loops of portable_int.cpp, for an LHS whose rows pad k less.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/core/catalogue.hpp"
#include "kai/engines/core/getters.hpp"
#include "kai/engines/core/requantise.hpp"
#include "kai/engines/core/static_table.hpp"
#include "kai/engines/core/unified.hpp"
#include "kai/engines/portable/portable_decode.hpp"

namespace kai {
namespace {

/// x8p x qsi8cxpbi32sf32 or qsu2cxpbi32sf32, int8 results.
struct StaticProblem {
    size_t m, n, k;
    const void *lhs, *rhs;
    void* dst;
    size_t lhs_stride, rhs_stride, dst_stride;
    kai_matmul_requantize32_params to;  ///< from before_zero_point
};

constexpr Tile kStaticRow{1, 4, 1}, kStaticColumns{kColumns, 4, 1};

///     result = low_byte(clamp(saturate32(f32(bias + sum) * scale), lo, hi) + zero_point)
/// The last step of k may be partial: it is copied and padded with zeros.
template <const Format& RHS>
[[gnu::noinline]] void run_static(const void* problem) {
    const auto [m, n, k, lhs, rhs, dst, lhs_stride, rhs_stride, dst_stride, to] =
        *static_cast<const StaticProblem*>(problem);  // copies, which no store changes
    constexpr size_t kStepBytes = kStep * RHS.bits / 8 * kColumns;
    constexpr bool kHasRest = RHS.k_multiple % kStep != 0 || RHS.k_multiple == 0;
    static constexpr int16_t kTable[] = {kDefaultTable[0], kDefaultTable[1], kDefaultTable[2], kDefaultTable[3]};
    const size_t row = x8p.stride(kStaticRow, k);
    const size_t whole_steps = row / kStep, rest = row % kStep, all_steps = whole_steps + (rest > 0);
    uint8_t last_of_row[kStep] = {}, last_of_columns[kHasRest ? kStepBytes : 1] = {};
    int16_t wide[kChunk], weights[kColumns][kChunk];
    Sums sums[kRows];
    Floats scales;
    for (size_t n0 = 0; n0 < n; n0 += kColumns) {
        const size_t columns = n - n0 < kColumns ? n - n0 : kColumns;
        const uint8_t* const panel = bytes(rhs, n0 / kColumns * rhs_stride);
        const uint8_t* const elements = panel + RHS.elements(kStaticColumns, 0, 0);
        const uint8_t* last = elements + whole_steps * kStepBytes;
        __builtin_memcpy(scales, panel + RHS.panel_end(kStaticColumns, k), sizeof(scales));
        if constexpr (kHasRest) {
            __builtin_memcpy(last_of_columns, last, rest * kColumns);
            last = last_of_columns;
        }
        for (size_t m0 = 0; m0 < m; m0 += kRows) {
            const size_t rows = m - m0 < kRows ? m - m0 : kRows;
            for (size_t r = 0; r < rows; ++r) {
                __builtin_memcpy(sums[r], panel, sizeof(Sums));
            }
            for (size_t s = 0, steps; s < all_steps; s += steps) {
                const bool is_last = s == whole_steps;
                steps = is_last ? 1 : whole_steps - s < kChunk / kStep ? whole_steps - s : kChunk / kStep;
                kDecode<RHS, RHS.bits == 2 ? 1 : 4>(
                    is_last ? last : elements + s * kStepBytes, kColumns, steps, kTable, weights);
                for (size_t r = 0; r < rows; ++r) {
                    const uint8_t* from = bytes(lhs, (m0 + r) * lhs_stride + s * kStep);
                    if (is_last) {
                        __builtin_memcpy(last_of_row, from, rest);
                        from = last_of_row;
                    }
                    widen(from, steps, kStep, kStep / 2, wide);
                    multiply(wide, weights, kColumns, 0, steps * kStep, sums[r]);
                }
            }
            for (size_t r = 0; r < rows; ++r) {
                uint8_t* const out = bytes(dst, (m0 + r) * dst_stride + n0);
                for (size_t c = 0; c < columns; ++c) {
                    const int32_t x = to_int32(static_cast<float>(sums[r][c]) * scales[c]);
                    const int32_t clamped = x < to.min_value ? to.min_value : x > to.max_value ? to.max_value : x;
                    out[c] = static_cast<uint8_t>(
                        static_cast<uint32_t>(clamped) + static_cast<uint32_t>(to.output_zero_point));
                }
            }
        }
    }
}

}  // namespace
}  // namespace kai

extern "C" {

#define KAI_DEFINE_PORTABLE_STATIC(NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP) \
    KAI_LOOPS(NAME, kai::run_static<kai::RHS>)                                     \
    KAI_ENTRY(KAI_DEFINE_PORTABLE_STATIC_ENTRY(NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP))
#define KAI_DEFINE_PORTABLE_STATIC_ENTRY(NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP)      \
    KAI_DEFINE_MATMUL_GETTERS(NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP, sizeof(int8_t)) \
    KAI_RUN_MATMUL_QAI8(NAME) {                                                               \
        static_assert((NR) == kai::kColumns && (KR) == 4 && (SR) == 1);                       \
        kai::check_element(dst_stride_col, sizeof(int8_t));                                   \
        if (m > 0 && n > 0) {                                                                 \
            const kai::StaticProblem problem{                                                 \
                m,                                                                            \
                n,                                                                            \
                k,                                                                            \
                lhs,                                                                          \
                rhs,                                                                          \
                dst,                                                                          \
                kai::x8p.stride(kai::kStaticRow, k),                                          \
                kai::RHS.stride(kai::kStaticColumns, k),                                      \
                dst_stride_row,                                                               \
                kai::before_zero_point(*params, __func__)};                                   \
            kai_loops_##NAME(&problem);                                                       \
        }                                                                                     \
    }
#define KAI_ISA_any KAI_LINES(KAI_DEFINE_PORTABLE_STATIC)
#define KAI_UKERNEL KAI_LINE
#include "kai/ukernels/matmul/matmul_clamp_qai8_qai8p_qsi8cxp/ukernels.def"

#define KAI_MULTIPLY(NAME)                                                                                        \
    const kai_matmul_requantize32_params to_int8 = kai::before_zero_point(*c.params, function);                   \
    kai::multiply_gathered(c, function, [&](const uint8_t* rows, size_t count, size_t k, uint8_t* to) {           \
        const kai::StaticProblem problem{count, c.n, k, rows, c.rhs, to, k, c.rhs_stride, c.dst_stride, to_int8}; \
        kai_loops_##NAME(&problem);                                                                               \
    })
#define KAI_DEFINE_TABLE_ENTRY(...) KAI_DEFINE_IMATMUL_STATIC(KAI_MULTIPLY, __VA_ARGS__)
#define KAI_DEFINE_TABLE(NAME, LHS, RHS, ...)  \
    KAI_LOOPS(NAME, kai::run_static<kai::RHS>) \
    KAI_ENTRY(KAI_DEFINE_TABLE_ENTRY(NAME, LHS, RHS, __VA_ARGS__))
#undef KAI_ISA_any
#define KAI_ISA_any KAI_LINES(KAI_DEFINE_TABLE)
#define KAI_IMATMUL_ROWS KAI_LINE
#include "kai/ukernels/matmul/imatmul_clamp_qai8_qai8_qsi8cxpbi32sf32/ukernels.def"

KAI_LOOPS(qai8_qsu2, kai::run_static<kai::qsu2cxpbi32sf32>)

}  // extern "C"

#if !defined(KAI_X86_64_V3)

namespace kai {
namespace {

/// The unified API. The strides of panels are optional: one that is shorter than
/// a dense panel, such as 0, means that panels are dense.
void run_qai8_qsu2(const kai_matmul_uker_args* args, const char* function) {
    check_args(args, function);
    if (is_empty(args)) {
        return;
    }
    const auto bounds = clamp_or<int32_t>(args, INT8_MIN, INT8_MAX, function);
    const auto zero_point = value_or_zero<int32_t>(args->operand.bias.scale_bias_global.ptr);
    const auto to = before_zero_point({bounds.lo, bounds.hi, zero_point}, function);
    const auto& [m, n, k] = args->shape;
    const auto& operand = args->operand;
    const size_t lhs_stride = x8p.stride(kStaticRow, k), rhs_stride = qsu2cxpbi32sf32.stride(kStaticColumns, k);
    const StaticProblem problem{
        m,
        n,
        k,
        operand.lhs.ptr,
        operand.rhs.ptr,
        operand.dst.ptr,
        KAI_MAX(operand.lhs.stride.m, lhs_stride),
        KAI_MAX(operand.rhs.stride.n, rhs_stride),
        operand.dst.stride.m,
        to};
    kai_loops_qai8_qsu2(&problem);
}

}  // namespace
}  // namespace kai

KAI_DEFINE_MATMUL_API(
    matmul_clamp_qai8_qai8p1x4_qsu2cxp16x4sf32bi32_1x16_portable, kai::run_qai8_qsu2, kai::packed(kai::x8p, 1, 4),
    kai::packed(kai::qsu2cxpbi32sf32, 16, 4), 1, 16, sizeof(int8_t))

#endif  // once
